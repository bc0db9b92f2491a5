"""Energetic and active connections: loads at frames, and forces between two frames."""

from .elements import PointForce, PointMoment, SpringDamper

__all__ = ["PointForce", "PointMoment", "SpringDamper"]
