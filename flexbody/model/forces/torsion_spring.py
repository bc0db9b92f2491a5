"""A torsion spring: a linear law about the axis of a joint."""

from __future__ import annotations

from fem.common.arguments import check_arguments

from ..joints.base import Joint
from .force_element import ForceElement
from .geometry import Along
from .law import Input
from .passive_laws import Linear


@check_arguments
def torsion_spring(
    name: str,
    joint: Joint,
    *,
    stiffness: float = 0.0,
    damping: float = 0.0,
    free_value: float = 0.0,
    moment: Input = 0.0,
) -> ForceElement:
    """Return a spring, damper and actuator about the axis of a joint with one angle, Koppens (4.3) for rotation.

    Parameters
    ----------
    name : str
        Name of the element, unique in the system.
    joint : Joint
        A joint with the coordinate "angle".
    stiffness : float, optional
        Torsional stiffness, Nm/rad.
    damping : float, optional
        Torsional damping, Nms/rad.
    free_value : float, optional
        Angle without spring moment, rad; the angle is zero in the drawn configuration.
    moment : float, callable or Input, optional
        Moment of the actuator, Nm: a number or a function of time (s).

    Returns
    -------
    ForceElement
        The element ``ForceElement(name, Along(joint, "angle", free_value), Linear(stiffness, damping, force=moment))``.

    Notes
    -----
    The moment is ``stiffness (angle - free_value) + damping d(angle)/dt + moment``. It acts against the angle: a
    positive moment turns the second body back.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> spring = fb.torsion_spring("spring", hinge, stiffness=20.0, damping=0.1)
    """
    return ForceElement(
        name, Along(joint, "angle", free_value=free_value), Linear(stiffness, damping, force=moment)
    )
