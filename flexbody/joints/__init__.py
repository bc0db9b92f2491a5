"""Kinematic connections between two frames, each stated once."""

from .base import Free, Joint, Row
from .kinds import Cylindrical, Fixed, Planar, PointOnLine, Prismatic, Revolute, Spherical, Universal

__all__ = [
    "Cylindrical",
    "Fixed",
    "Free",
    "Joint",
    "Planar",
    "PointOnLine",
    "Prismatic",
    "Revolute",
    "Row",
    "Spherical",
    "Universal",
]
