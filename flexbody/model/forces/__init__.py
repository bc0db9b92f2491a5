"""Forces: loads at frames, friction and stops, and force elements made of a geometry and a law."""

from .active_laws import ElectricMotor, HydraulicActuator, HydraulicCylinder, PositionServo
from .bushing_and_beam import Bushing, MasslessBeam
from .force_element import Element, ForceElement, torsion_spring
from .friction import Friction
from .geometry import Along, Line
from .joint_force import JointForce, Limit
from .law import ForceLaw
from .loads_and_springs import PointForce, PointMoment, SpringDamper
from .passive_laws import DamperTable, Linear, SmoothSpringTable, SpringTable, ViscoElastic
from .user_law import UserLaw

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
