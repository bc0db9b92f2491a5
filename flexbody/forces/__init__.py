"""Loads, springs, friction and stops."""

from .elements import PointForce, PointMoment, SpringDamper
from .joint import Friction, JointForce, Limit

__all__ = ["Friction", "JointForce", "Limit", "PointForce", "PointMoment", "SpringDamper"]
