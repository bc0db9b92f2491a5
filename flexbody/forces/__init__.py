"""Energetic and active connections: loads at frames, friction and stops, and force elements of geometry and law."""

from .active import ElectricMotor, HydraulicActuator, HydraulicCylinder, PositionServo
from .connector import Element, ForceElement, torsion_spring
from .elements import PointForce, PointMoment, SpringDamper
from .friction import Friction
from .geometry import Along, Line
from .joint import JointForce, Limit
from .law import ForceLaw
from .passive import DamperTable, Linear, SmoothSpringTable, SpringTable, ViscoElastic
from .six import Bushing, MasslessBeam
from .user import UserLaw

__all__ = [
    "Along",
    "Bushing",
    "DamperTable",
    "ElectricMotor",
    "Element",
    "ForceElement",
    "ForceLaw",
    "Friction",
    "HydraulicActuator",
    "HydraulicCylinder",
    "JointForce",
    "Limit",
    "Line",
    "Linear",
    "MasslessBeam",
    "PointForce",
    "PointMoment",
    "PositionServo",
    "SmoothSpringTable",
    "SpringDamper",
    "SpringTable",
    "UserLaw",
    "ViscoElastic",
    "torsion_spring",
]
