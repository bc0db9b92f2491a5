"""Flexible multibody dynamics: machines of rigid and flexible bodies in motion.

A mesh becomes a structure (:mod:`fem`), a structure a few modes (:mod:`modal`), and modes a moving machine::

    machine = fb.System(bodies=[...], joints=[...], forces=[...], gravity=(0, 0, -9.81))
    result = fb.simulate(machine, t_end=0.06)
"""

from ._packages import check_own_packages

check_own_packages()

import fem
import modal
from fem.common.errors import (
    ConstraintError,
    ConvergenceError,
    FileError,
    FlexbodyError,
    FlexbodyWarning,
    InputError,
    MeshError,
    RedundantConstraintWarning,
)

from .bodies import GROUND, BodyFrame, FlexibleBody, RigidBody
from .campbell import Campbell, campbell
from .constraints import Constraint
from .drives import Drive
from .elastodynamics import elastodynamics
from .energy import Energy
from .forces import Friction, Limit, PointForce, PointMoment, SpringDamper
from .inputs import Input
from .integrators import Explicit, GeneralizedAlpha
from .joints import (
    Coupler,
    Cylindrical,
    Distance,
    Fixed,
    Floating,
    Gear,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Rack,
    Revolute,
    Screw,
    Spherical,
    Universal,
)
from .kinematics import kinematics
from .linearize import Linearization, linearize
from .mobility import Mobility, mobility
from .paraview import write_paraview
from .result import Result, Statistics, Wrench
from .simulate import simulate
from .starts import AsDrawn, Equilibrium, QuasiStatic
from .state_space import StateSpace
from .states import State
from .statics import equilibrium
from .stepper import Stepper
from .store import load_result
from .stress import BodyStress, Peak
from .system import System
from .view import animate, animate_mode, picture, picture_mesh, plot, plot_stress

__version__ = "0.1.0"

__all__ = [
    "GROUND",
    "AsDrawn",
    "BodyFrame",
    "BodyStress",
    "Campbell",
    "Constraint",
    "ConstraintError",
    "ConvergenceError",
    "Coupler",
    "Cylindrical",
    "Distance",
    "Drive",
    "Energy",
    "Equilibrium",
    "Explicit",
    "FileError",
    "Fixed",
    "FlexbodyError",
    "FlexbodyWarning",
    "FlexibleBody",
    "Floating",
    "Friction",
    "Gear",
    "GeneralizedAlpha",
    "Input",
    "InputError",
    "Limit",
    "Linearization",
    "MeshError",
    "Mobility",
    "Peak",
    "Planar",
    "PointForce",
    "PointMoment",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "QuasiStatic",
    "Rack",
    "RedundantConstraintWarning",
    "Result",
    "Revolute",
    "RigidBody",
    "Screw",
    "Spherical",
    "SpringDamper",
    "State",
    "StateSpace",
    "Statistics",
    "Stepper",
    "System",
    "Universal",
    "Wrench",
    "animate",
    "animate_mode",
    "campbell",
    "elastodynamics",
    "equilibrium",
    "fem",
    "kinematics",
    "linearize",
    "load_result",
    "mobility",
    "modal",
    "picture",
    "picture_mesh",
    "plot",
    "plot_stress",
    "simulate",
    "write_paraview",
]
