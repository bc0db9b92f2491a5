"""Joints: kinematic connections between two frames.

Each joint states its constraints and its free motions once.
"""

from .base import Free, Joint, Row, Term
from .couplings import Coupler, Gear, Rack
from .joints import (
    Cylindrical,
    Distance,
    Fixed,
    Floating,
    Planar,
    PointOnLine,
    PointOnPlane,
    Prismatic,
    Revolute,
    Screw,
    Spherical,
    Universal,
)

__all__ = [
    "Coupler",
    "Cylindrical",
    "Distance",
    "Fixed",
    "Floating",
    "Free",
    "Gear",
    "Joint",
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
