"""Joints: kinematic connections between two frames.

Each joint states its constraints and its free motions once.
"""

from .base import Connection, Interaction, Joint, Term
from .compound_joints import Distance, Floating, PointOnLine, PointOnPlane, Universal
from .couplings import Coupler, Coupling
from .gears import Gear, Rack
from .lower_pairs import Cylindrical, Fixed, Planar, Prismatic, Revolute, Screw, Spherical
from .placed_joint import AxisJoint, DirectedJoint, PlacedJoint
from .rows import Free, Row

__all__ = [
    "AxisJoint",
    "Connection",
    "Coupler",
    "Coupling",
    "Cylindrical",
    "DirectedJoint",
    "Distance",
    "Fixed",
    "Floating",
    "Free",
    "Gear",
    "Interaction",
    "Joint",
    "PlacedJoint",
    "Planar",
    "PointOnLine",
    "PointOnPlane",
    "Prismatic",
    "Rack",
    "Revolute",
    "Row",
    "Screw",
    "Spherical",
    "Term",
    "Universal",
]
