"""Finite elements: from a mesh to stiffness and mass."""

from .analysis import Buckling, Modes, Static, buckling, static, vibration
from .assembly import assemble
from .bearing import Bearing
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
from .divide import divide
from .eigen import check_complete, count_below
from .elements import ELEMENTS, Element
from .elements.beam import Beam
from .elements.shell import Shell
from .elements.solid import Solid
from .elements.stress import principal, von_mises
from .elements.truss import Truss
from .generate import box
from .interface import Interface, interface
from .io import read_mesh
from .loads import Centrifugal, EdgeLoad, Force, Gravity, LineLoad, Pressure, Traction, load_vector
from .material import Isotropic, Orthotropic
from .merge import drop_unattached, merge_nodes
from .mesh import Block, Mesh
from .orient import orient_shells
from .quality import shape_quality
from .recovery import Stress, strain, stress
from .section import Circle, ISection, Rectangle, Section, Tube
from .solve import Factor, factorise, installed_solvers
from .structure import Structure, rigid_motions
from .tangent import geometric_stiffness
from .units import check_units

__flexbody__ = "fem"  # marker: this is flexbody's own package, see flexbody/__init__.py

__all__ = [
    "ELEMENTS",
    "Averaged",
    "Beam",
    "Bearing",
    "Block",
    "Buckling",
    "Centrifugal",
    "Circle",
    "ConstraintError",
    "ConvergenceError",
    "EdgeLoad",
    "Element",
    "Factor",
    "FileError",
    "FlexbodyError",
    "FlexbodyWarning",
    "Force",
    "Gravity",
    "ISection",
    "InputError",
    "Interface",
    "Isotropic",
    "LineLoad",
    "Mesh",
    "MeshError",
    "Modes",
    "Orthotropic",
    "PointMass",
    "Pressure",
    "Rectangle",
    "RedundantConstraintWarning",
    "Rigid",
    "Section",
    "Shell",
    "Solid",
    "Spring",
    "Static",
    "Stress",
    "Structure",
    "Traction",
    "Truss",
    "Tube",
    "assemble",
    "box",
    "buckling",
    "check_complete",
    "check_units",
    "count_below",
    "divide",
    "drop_unattached",
    "factorise",
    "geometric_stiffness",
    "installed_solvers",
    "interface",
    "load_vector",
    "merge_nodes",
    "orient_shells",
    "principal",
    "read_mesh",
    "rigid_motions",
    "shape_quality",
    "static",
    "strain",
    "stress",
    "vibration",
    "von_mises",
]
