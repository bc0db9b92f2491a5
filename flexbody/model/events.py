"""Events of a run: where a function of the state passes through zero, and what happens there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, ClassVar

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.names import with_match
from fem.common.values import Extended, Name

from .system import System


class Direction:
    """How the function of an event passes through zero; base class."""

    #: signs of its rate there
    signs: ClassVar[tuple[int, ...]] = (-1, 1)


@dataclass(frozen=True)
class Rising(Direction):
    """The function of the event rises through zero.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Event("up", lambda state: state.coordinate("hinge"), direction=fb.Rising())
    Event('up', direction=Rising(), then=Mark())
    """

    signs: ClassVar[tuple[int, ...]] = (1,)


@dataclass(frozen=True)
class Falling(Direction):
    """The function of the event falls through zero.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Event("down", lambda state: state.coordinate("hinge"), direction=fb.Falling())
    Event('down', direction=Falling(), then=Mark())
    """

    signs: ClassVar[tuple[int, ...]] = (-1,)


class Action:
    """The action at an event; base class."""

    #: whether a step may continue over the event
    passes: ClassVar[bool] = False
    #: what happens, for messages and plots
    verb: ClassVar[str] = ""

    def names(self) -> tuple[str, ...]:
        """Return the names of the joints, drives and forces that are switched.

        Returns
        -------
        tuple of str
            The names; none for most actions.
        """
        return ()


@dataclass(frozen=True)
class Mark(Action):
    """The event is recorded with its time and state, and the run goes on; the default.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Event("top", lambda state: state.velocity("ball")[2], then=fb.Mark())
    Event('top', then=Mark())
    """

    passes: ClassVar[bool] = True
    verb: ClassVar[str] = "marked"


@dataclass(frozen=True)
class EndRun(Action):
    """The run ends at the event.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Event("down", lambda state: state.position("ball")[2], direction=fb.Falling(), then=fb.EndRun())
    Event('down', direction=Falling(), then=EndRun())
    """

    verb: ClassVar[str] = "the run ends"


@dataclass(frozen=True)
class Onset(Action):
    """A contact begins or ends, and its force sets in: the run goes on with a new start of its integrator.

    Examples
    --------
    >>> from flexbody.model.events import Onset
    >>> Onset().passes
    False
    """

    verb: ClassVar[str] = "touches or parts"


@check_arguments(own=("restitution",))
@dataclass(frozen=True)
class Rebound(Action):
    """Bodies collide where the function of the event, a gap, becomes zero: an impulse reverses the rate of the gap.

    Parameters
    ----------
    restitution : float, optional
        Rate of the gap after the impulse over that before it, with the other sign: 1 keeps the energy, 0 ends the
        approach.

    Notes
    -----
    With the derivative ``G`` of the gap by the position, ``G v+ = -e G v-`` and ``M (v+ - v-) = G' p + ...``, where the
    dots are impulses of the joints, which stay closed. The impulse acts along ``G``: without friction. Modal
    coordinates take part. The gap must be a function of positions alone.

    Examples
    --------
    A ball of radius 0.1 m on a floor:

    >>> import flexbody as fb
    >>> ball = fb.RigidBody("ball", mass=1.0, inertia=(4e-3, 4e-3, 4e-3), center=(0, 0, 1.1))
    >>> gap = lambda state: state.position(ball)[2] - 0.1
    >>> floor = fb.Event("floor", gap, direction=fb.Falling(), then=fb.Rebound(0.8))
    >>> result = fb.simulate(fb.System([ball], gravity=(0, 0, -9.81)), 1.0, events=[floor], show_progress=False)
    >>> [round(event.t, 6) for event in result.events]
    [0.451524]
    """

    restitution: float = 1.0

    verb: ClassVar[str] = "rebound"

    def __post_init__(self) -> None:
        if not (Extended.takes(self.restitution) and 0.0 <= self.restitution <= 1.0):
            raise InputError(
                f"Rebound: restitution is {self.restitution!r}; it must be a number from 0 (no rebound) to 1 (no loss)"
            )


@check_arguments(own=("on", "off"))
@dataclass(frozen=True)
class Switch(Action):
    """Joints, drives and forces are switched on or off at the event.

    Parameters
    ----------
    on, off : list of joint, drive, force or str, optional
        Joints, drives and forces to switch, by object or name. ``switched_off`` of :func:`flexbody.simulate` lists
        those that are off when the run begins.

    Notes
    -----
    A joint or drive that is switched on stops the velocities that it does not permit by an impulse, the smallest in the
    mass metric; momentum is kept. A drive with a constant value or rate goes on from where its coordinate is: with
    ``rate=0`` it is a lock. Other joints must be closed where they are switched on.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Switch(on=["brake"], off=["motor"])
    Switch(on=('brake',), off=('motor',))
    """

    _: KW_ONLY
    on: Sequence[Any] = ()
    off: Sequence[Any] = ()

    def __post_init__(self) -> None:
        for part in ("on", "off"):
            object.__setattr__(self, part, item_names(getattr(self, part), f"Switch: {part}"))
        if not self.names():
            raise InputError("Switch switches nothing; give on= or off=")
        if both := sorted(set(self.on) & set(self.off)):
            raise InputError(f"Switch: '{both[0]}' is in on= and in off=; leave one of them out")

    def names(self) -> tuple[str, ...]:
        """Return the names of what is switched.

        Returns
        -------
        tuple of str
            The names.
        """
        return (*self.on, *self.off)

    @property
    def verb(self) -> str:  # type: ignore[override]
        """What is switched, in words."""
        return ", ".join(
            f"{', '.join(part)} {word}" for part, word in ((self.on, "on"), (self.off, "off")) if part
        )


@check_arguments
@dataclass(frozen=True)
class Event:
    """A time at which a function of the state passes through zero.

    Parameters
    ----------
    name : str
        Name.
    function : callable
        Function of a :class:`flexbody.State` that returns a number, such as
        ``lambda state: state.coordinate("hinge") - 0.5``.
    direction : Rising or Falling, optional
        How the function passes through zero; by default either way.
    then : Mark, EndRun, Rebound or Switch, optional
        What happens; by default :class:`Mark`.

    Notes
    -----
    The function is evaluated after each step. Where its sign has changed, the time is found inside the step to 1e-10 of
    it, on the continuous solution of the integrator. Two passages within one step cancel; ``max_step`` of the
    integrator separates them. A function that is zero at the start and leaves zero has not passed through it: no event
    occurs there; nor where the event's own :class:`Switch` makes it jump.

    ``state.result`` has all readers of a :class:`flexbody.Result`: a spring that breaks is
    ``Event("breaks", lambda state: state.result.element("spring").force[0] - 500.0, then=Switch(off=["spring"]))``.

    Examples
    --------
    >>> import flexbody as fb
    >>> event = fb.Event("half a turn", lambda state: state.coordinate("hinge") - 3.14, then=fb.EndRun())
    """

    name: str
    function: Callable[[Any], float]
    _: KW_ONLY
    direction: Direction | None = None
    then: Action = Mark()

    @property
    def signs(self) -> tuple[int, ...]:
        """Signs of the rate of the function with which the event occurs."""
        return (self.direction or Direction()).signs

    def __repr__(self) -> str:
        direction = "" if self.direction is None else f"direction={self.direction!r}, "
        return f"Event({self.name!r}, {direction}then={self.then!r})"


def item_names(items: Any, what: str) -> tuple[str, ...]:
    """Return the names of joints, drives and forces, given by object or name."""
    listed = items if isinstance(items, list | tuple) else [items]
    names = tuple(item if isinstance(item, str) else getattr(item, "name", None) for item in listed)
    if not all(Name.takes(name) for name in names):
        raise InputError(f"{what} is {items!r}; give a list of joints, drives or forces, or their names")
    return names  # type: ignore[return-value]


def check_events(machine: System, events: Sequence[Event], switched_off: tuple[str, ...]) -> None:
    """Raise InputError, which lists all problems, if events do not fit the machine."""
    known = {item.name for item in (*machine.joints, *machine.forces)}
    problems = []
    names = [event.name for event in events]
    problems += [f"there are two events '{name}'" for name in sorted(set(names)) if names.count(name) > 1]
    places = [(f"event '{event.name}'", event.then.names()) for event in events]
    for where, switched in [*places, ("switched_off", switched_off)]:
        problems += [
            f"{where} switches {with_match(name, known)}, which is not a joint, drive or force of the machine"
            for name in switched
            if name not in known
        ]
    points = {point.name for point in machine.massless_bodies}
    springs = {item.name for item in machine.elements if any(side.name in points for side in item.sides())}
    for where, switched in [*places, ("switched_off", switched_off)]:
        problems += [
            f"{where} switches {name!r}, which acts on a massless body, whose place would jump; give the body a mass "
            "(RigidBody)"
            for name in switched
            if name in springs
        ]
    switches = [event.then for event in events if isinstance(event.then, Switch)]
    if any("is not a joint, drive or force" in problem for problem in problems):
        problems.append(f"there are {', '.join(map(repr, sorted(known)))}" if known else "it has none")
    ever_off = {*switched_off, *(name for then in switches for name in then.off)}
    turned_on = {name for then in switches for name in then.on}
    problems += [
        f"'{name}' is switched on and was never off; name it in switched_off"
        for name in sorted((turned_on & known) - ever_off)
    ]
    if problems:
        raise InputError("; ".join(problems))
