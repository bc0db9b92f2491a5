"""Finite elements: from a mesh to stiffness and mass."""

from .assembly import assemble, element_matrices
from .common.errors import (
    ConstraintError,
    ConvergenceError,
    FileError,
    FlexbodyError,
    FlexbodyWarning,
    InputError,
    MeshError,
    RedundantConstraintWarning,
)
from .connections import Averaged, PointMass, Rigid, Spring
from .elements import ELEMENTS, Element
from .elements.beam import Beam
from .elements.solid import Solid
from .elements.truss import Truss
from .generate import box
from .interface import Interface, interface
from .io import read_mesh
from .material import Isotropic
from .mesh import Block, Mesh
from .solve import Factor, factorise
from .structure import Structure, rigid_motions

__flexbody__ = "fem"  # marker: this is flexbody's own package, see flexbody/__init__.py

__all__ = [
    "ELEMENTS",
    "Block",
    "ConstraintError",
    "ConvergenceError",
    "Element",
    "Factor",
    "FileError",
    "FlexbodyError",
    "FlexbodyWarning",
    "InputError",
    "Interface",
    "Isotropic",
    "Mesh",
    "MeshError",
    "RedundantConstraintWarning",
    "Structure",
    "assemble",
    "box",
    "element_matrices",
    "factorise",
    "interface",
    "read_mesh",
    "rigid_motions",
]
