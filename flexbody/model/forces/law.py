"""The base class of force laws, their checks, and their addresses for the compiled core."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar, NamedTuple, Protocol

import numpy as np

from fem.common.numbers import floats, is_number
from fem.common.signatures import Described

from ...core.force_laws import law_address, slope_address
from ...functions.captured_values import Captured
from ...functions.function_pointers import scalar_law
from ...functions.inputs import Signal
from ...functions.time_law import Law
from ..joints.base import Joint
from .symbol import Symbol

Input = float | Callable[[float], float]


class Pointer(Protocol):
    """The address of a compiled law; the address is valid while this object exists."""

    address: int
    slope: int  # address of its derivatives, 0 if they are found by differences
    numbers: list[float]
    what: str
    error: BaseException | None
    captured: Captured  # values that its recorded function has read from outside


class Sliding(NamedTuple):
    """How a joint slides along a coordinate.

    Parameters
    ----------
    host : int
        The frame (0 or 1) that the axis belongs to.
    axis : int
        The axis (0, 1, 2) of the rotation or translation.
    partner : str or None
        Name of another coordinate along which the same surfaces slide.
    """

    host: int
    axis: int
    partner: str | None


class BuiltInLaw:
    """A law of the compiled core; it has no function of the user that could fail."""

    error: BaseException | None = None
    captured = Captured()

    def __init__(self, law: ForceLaw, what: str) -> None:
        self.what, self.numbers = what, law.numbers()
        self.address, self.slope = law_address(law.function), slope_address(law.function)

    def complaint(self, *times: float) -> None:
        """Return None: this law has no function of the user."""


class ForceLaw(Described):
    """A force law: force from time, deformation, rate of deformation and states; base class."""

    #: Name of the compiled law, see :mod:`flexbody.core.force_laws`.
    function: ClassVar[str]
    #: Number of deformations: one, or six between two frames.
    count: ClassVar[int] = 1
    #: Name of the field that is the input of the law: a number or a function of time.
    input: ClassVar[str | None] = None
    #: The geometry that the law is used with in most cases, for messages.
    place: ClassVar[str] = "Line(a, b)"
    #: Whether the force can be an input of a linearised machine.
    is_input: ClassVar[bool] = True
    #: Whether the law is dry friction, which has no stiffness.
    dry_friction: ClassVar[bool] = False
    #: Whether the force follows deformation and rate without setting in, jumping or ending: an explicit integrator may
    #: be tried, and steps may pass over vibrations.
    elastic: ClassVar[bool] = False
    #: Whether the force sets in where the deformation passes a value.
    sets_in: ClassVar[bool] = False
    #: Whether the law repeats the forces of an earlier run.
    is_replay: ClassVar[bool] = False
    #: Size of its states that counts in any case when errors are judged; 0 where only what occurs does.
    state_size: ClassVar[float] = 0.0
    #: What gives the law a stationary state, for messages.
    settling: ClassVar[str] = (
        "Let the rates of its states be zero somewhere at each deformation (a term -z / time)"
    )

    @property
    def symbols(self) -> tuple[Symbol, ...]:
        """The symbols that the law consists of in pictures."""
        return (Symbol("element"),)

    @property
    def given_input(self) -> Input:
        """The input of the law as it was given; 0 if the law has none."""
        return getattr(self, self.input) if self.input else 0.0

    @property
    def targets(self) -> tuple[tuple[str, float], ...]:
        """The deformations that the law aims at, by their parameters, as far as they are numbers."""
        return ()

    def numbers(self) -> list[float]:
        """Return the numbers of the law in the order of the compiled core.

        Returns
        -------
        list of float
            The numbers of the law.
        """
        return []

    @property
    def n_states(self) -> int:
        """Number of states."""
        return 0

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return name and unit of each state.

        Parameters
        ----------
        is_angle : bool
            Whether the law acts along an angle.

        Returns
        -------
        list of (str, str)
            Name and unit of each state.
        """
        return [(f"state {k + 1}" if self.n_states > 1 else "state", "") for k in range(self.n_states)]

    def start_states(self) -> np.ndarray | None:
        """Return the states at t = 0, (n_states,), or None for their stationary values.

        Returns
        -------
        numpy.ndarray or None
            The states, (n_states,).
        """
        return np.zeros(self.n_states)

    def problems(self, label: str) -> list[str]:
        """Return the problems of this law as sentences.

        Parameters
        ----------
        label : str
            Name of the element in messages.

        Returns
        -------
        list of str
            The problems; empty if there are none.
        """
        return []

    def sliding(self, joint: Joint, which: str) -> Sliding | None:
        """Return how a joint slides along a coordinate if the force depends on the reaction of the joint.

        Parameters
        ----------
        joint : Joint
            The joint.
        which : str
            Name of its coordinate.

        Returns
        -------
        Sliding or None
            Axis and partner coordinate; None if the law does not depend on the reaction.
        """
        return None

    def pointer(self, t_end: float, drawn: float, label: str) -> Pointer:
        """Return the address of the compiled law.

        Parameters
        ----------
        t_end : float
            End of the run, s.
        drawn : float
            Deformation in the drawn configuration, m or rad.
        label : str
            Name of the element in messages.

        Returns
        -------
        Pointer
            The address, which is valid while this object exists.
        """
        return BuiltInLaw(self, label)

    def input_law(self, t_end: float, label: str) -> Law | None:
        """Return the compiled function of time of the input, or None if the input is a number.

        Parameters
        ----------
        t_end : float
            End of the run, s.
        label : str
            Name of the element in messages.

        Returns
        -------
        Law or None
            The compiled function, or None for a number.
        """
        value = self.given_input
        return scalar_law(value, t_end, f"{label}: {self.input}") if callable(value) else None

    def input_value(self) -> float:
        """Return the input if it is a number, otherwise 0.

        Returns
        -------
        float
            The input, in its unit.
        """
        value = self.given_input
        return 0.0 if callable(value) else float(value)


def check_numbers(
    law: object, label: str, positive: Sequence[str] = (), not_negative: Sequence[str] = ()
) -> list[str]:
    """Return as sentences which fields are not numbers, or not in their range."""
    found = []
    for name in (*positive, *not_negative):
        value = getattr(law, name)
        if isinstance(value, Signal):
            found.append(
                f"{label}: {name} is {value!r}; only {getattr(law, 'input', None)} of this law can be an Input"
            )
            continue
        good = is_number(value) and (value > 0 if name in positive else value >= 0)
        if not good:
            limit = "above zero" if name in positive else "not below zero"
            # of what only presses, a negative stiffness has no meaning
            way = "" if hasattr(law, "dissipation") else instead(name, value)
            found.append(f"{label}: {name} is {value!r}; it must be a number {limit}{way}")
    return found


def instead(name: str, value: object) -> str:
    """Return the end of a message: how to describe a negative stiffness or damping; "" if neither is given."""
    if not is_number(value) or name not in ("stiffness", "damping") or not float(value) < 0:  # type: ignore[arg-type]
        return ""
    number = f"{float(value):g}"  # type: ignore[arg-type]
    if name == "stiffness":
        return f". Use a table for a negative stiffness: law=SpringTable((-1, 1), ({number[1:]}, {number}))"
    return f". Use a user law for a negative damping: law=UserLaw(lambda t, x, rate: {number} * rate)"


def check_input(law: ForceLaw, label: str) -> list[str]:
    """Return a sentence if the input is neither a number nor a function."""
    value = law.given_input
    if callable(value) or is_number(value):
        return []
    return [f"{label}: {law.input} is {value!r}; it must be a number or a function of time"]


def check_start(start: object, n: int, label: str, none: bool = True) -> list[str]:
    """Return a sentence if the initial states are not ``n`` numbers."""
    if start is None and none:
        return []
    values = floats(start)
    if values is not None and np.atleast_1d(values).shape == (n,) and np.isfinite(values).all():
        return []
    what = "a number" if n == 1 else f"{n} numbers"
    return [
        f"{label}: start is {start!r}; it must be {what}{', or None for the stationary state' if none else ''}"
    ]
