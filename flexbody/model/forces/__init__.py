"""Forces: loads at frames, and force elements made of a geometry and a law."""

from .active_laws import ElectricMotor, HydraulicActuator, HydraulicCylinder, PositionServo
from .bushing_and_beam import Bushing, MasslessBeam
from .force import Force
from .force_element import Element, ForceElement, torsion_spring
from .friction import BearingFriction, DryFriction, Friction, ReactionFriction
from .geometry import Along, Between, Geometry, Line
from .law import ForceLaw
from .limit import Limit, Stop
from .load import Load, PointForce, PointMoment
from .passive_laws import DamperTable, Linear, SmoothSpringTable, SpringTable, ViscoElastic
from .spring_damper import SpringDamper
from .symbol import Symbol
from .user_law import UserLaw

__all__ = [
    "Along",
    "BearingFriction",
    "Between",
    "Bushing",
    "DamperTable",
    "DryFriction",
    "ElectricMotor",
    "Element",
    "Force",
    "ForceElement",
    "ForceLaw",
    "Friction",
    "Geometry",
    "HydraulicActuator",
    "HydraulicCylinder",
    "Limit",
    "Line",
    "Linear",
    "Load",
    "MasslessBeam",
    "PointForce",
    "PointMoment",
    "PositionServo",
    "ReactionFriction",
    "SmoothSpringTable",
    "SpringDamper",
    "SpringTable",
    "Stop",
    "Symbol",
    "UserLaw",
    "ViscoElastic",
    "torsion_spring",
]
