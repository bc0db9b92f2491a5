"""Finite elements: from a mesh to stiffness, mass, and linear analyses.

All input and output is in SI units. A mesh (:func:`read_mesh`, :func:`box`) and a material or property give a
structure (:func:`assemble`), which the analyses (:func:`static`, :func:`vibration`, :func:`buckling`) and the package
:mod:`modal` take.
"""

from typing import TYPE_CHECKING

from .analysis.buckling import Buckling as Buckling
from .analysis.buckling import buckling
from .analysis.eigen import check_complete, count_below
from .analysis.geometric_stiffness import geometric_stiffness
from .analysis.preload import preloaded
from .analysis.recovery import Stress as Stress
from .analysis.recovery import layer_stress, strain, stress
from .analysis.static import Static as Static
from .analysis.static import static
from .analysis.vibration import Modes as Modes
from .analysis.vibration import vibration
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
from .common.names import no_attribute
from .elements import ELEMENTS, Element
from .elements.beam.beam import Beam
from .elements.shell.general import GeneralShell
from .elements.shell.layered import Layer, LayeredShell
from .elements.shell.pure_membrane import Membrane
from .elements.shell.shear_panel import ShearPanel
from .elements.shell.shell import Shell
from .elements.shell.varying import FirstSide
from .elements.solid.bricks import FullIntegration, IncompatibleModes, MeanDilatation
from .elements.solid.solid import Solid
from .elements.solid.stress import principal, von_mises
from .elements.truss.truss import Truss
from .io import read_mesh
from .io.matrices.structure import from_matrices
from .mesh.block import Block
from .mesh.coordinate_system import CoordinateSystem, CylindricalSystem, SphericalSystem
from .mesh.divide import divide
from .mesh.generate import box
from .mesh.left_out import LeftOut
from .mesh.merge import drop_unattached, merge_nodes
from .mesh.mesh import Mesh
from .mesh.normals import orient_shells
from .mesh.quality import shape_quality
from .mesh.units import check_units
from .model.assembly import assemble
from .model.bearing import Bearing
from .model.connections import Averaged, Rigid
from .model.equations import Equation
from .model.interface import Interface as Interface
from .model.interface import interface
from .model.loads import Centrifugal, EdgeLoad, Force, Gravity, LineLoad, Pressure, Traction, load_vector
from .model.parts import PointMass, Spring
from .model.report import report
from .model.structure import Structure as Structure
from .model.structure import rigid_motions
from .model.tie import Tie
from .properties.drawn import DrawnSection
from .properties.material import Anisotropic, Isotropic, Orthotropic, Ply
from .properties.section import Circle, ISection, Rectangle, Section, Tube
from .solvers.factorise import Factor as Factor
from .solvers.factorise import factorise, installed_solvers
from .solvers.libraries import Cholmod, Mumps, Pardiso, SuperLU

__flexbody__ = "fem"  # marker: this is flexbody's own package, see flexbody/__init__.py

# a mesh is data; the function that reports it stands above connections, which it describes
Mesh.report = report

__all__ = [
    "ELEMENTS",
    "Anisotropic",
    "Averaged",
    "Beam",
    "Bearing",
    "Block",
    "Centrifugal",
    "Cholmod",
    "Circle",
    "ConstraintError",
    "ConvergenceError",
    "CoordinateSystem",
    "CylindricalSystem",
    "DrawnSection",
    "EdgeLoad",
    "Element",
    "Equation",
    "FileError",
    "FirstSide",
    "FlexbodyError",
    "FlexbodyWarning",
    "Force",
    "FullIntegration",
    "GeneralShell",
    "Gravity",
    "ISection",
    "IncompatibleModes",
    "InputError",
    "Isotropic",
    "Layer",
    "LayeredShell",
    "LeftOut",
    "LineLoad",
    "MeanDilatation",
    "Membrane",
    "Mesh",
    "MeshError",
    "Mumps",
    "Orthotropic",
    "Pardiso",
    "Ply",
    "PointMass",
    "Pressure",
    "Rectangle",
    "RedundantConstraintWarning",
    "Rigid",
    "Section",
    "ShearPanel",
    "Shell",
    "Solid",
    "SphericalSystem",
    "Spring",
    "SuperLU",
    "Tie",
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
    "from_matrices",
    "geometric_stiffness",
    "installed_solvers",
    "interface",
    "layer_stress",
    "load_vector",
    "merge_nodes",
    "orient_shells",
    "preloaded",
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

#: Types of what functions return. Scripts read their attributes and name them in annotations, but construct none.
RESULT_TYPES = (
    "Buckling",
    "Factor",
    "Interface",
    "Modes",
    "Static",
    "Stress",
    "Structure",
)

#: what other programs and other engineers call what is here
_WORDS = {
    "bar": "Truss",
    "eigenmodes": "vibration",
    "material": "Isotropic, Orthotropic or Anisotropic",
    "modal": "vibration",
    "modes": "vibration",
    "pipe": "Tube",
    "plate": "Shell",
    "read": "read_mesh",
    "rod": "Circle (a cross-section of a Beam) or Truss",
    "solve": "static",
    "steel": "Isotropic",
    "tet": "Solid",
}


if not TYPE_CHECKING:

    def __getattr__(name: str) -> None:
        """Say which name is meant by one that does not exist (PEP 562)."""
        raise no_attribute(__name__, name, [*__all__, *RESULT_TYPES], _WORDS, {})
