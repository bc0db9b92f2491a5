"""Joints: kinematic connections between two frames.

Each joint states its constraints and its free motions once. This list holds what a new joint or coupling is made of.
What users construct is in the list of :mod:`flexbody` alone.
"""

from .base import Connection, Interaction, Joint, Term
from .couplings import Coupling
from .placed_joint import AxisJoint, DirectedJoint, PlacedJoint
from .rows import Free, Row

__all__ = [
    "AxisJoint",
    "Connection",
    "Coupling",
    "DirectedJoint",
    "Free",
    "Interaction",
    "Joint",
    "PlacedJoint",
    "Row",
    "Term",
]
