"""Controllers: elements that measure anywhere in a machine, and act anywhere, continuously or at samples."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from functools import singledispatch
from typing import Annotated, Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import called, warn
from fem.common.numbers import is_number
from fem.common.short_repr import short_repr
from fem.common.values import NotNegative, Positive

from ...core.kinds import CONTROL
from ...functions.function_pointers import drive_law, scalar_law
from ...functions.inputs import PiecewiseConstant, SignalReader
from ...functions.jumps import find_jump
from ...functions.time_law import Law
from ..joints.base import Joint, Term
from ..massless_body import MasslessBody
from ..rigid_motion import Motions
from ..sides import GROUND, Body, FrameData, Side
from .control_laws import PID, ControlLaw, UserControl
from .control_places import ControlPlace, place_of
from .force import Force, TimeFunction
from .force_element import Element
from .geometry import Along, Geometry, Line
from .law import ForceLaw, Input, Pointer
from .symbol import Symbol
from .user_controller import UserControlPointer
from .wiring import Wiring

#: A target that changes at once by this part of its size jumps.
LEAST_JUMP = 1e-3
#: Samples that a delay may last.
LONGEST_DELAY = 10000


@dataclass(frozen=True, eq=False)
class _Places(Geometry):
    """The places of a controller, without deformations."""

    places: tuple[ControlPlace, ...]

    kind: ClassVar = CONTROL
    count: ClassVar = 0

    def sides(self) -> tuple[Side, ...]:  # type: ignore[override]
        """Return the sides of all places."""
        return tuple(side for place in self.places for side in place.sides())

    def frames(self, bodies: Mapping[str, Body], label: str) -> tuple[FrameData, ...]:  # type: ignore[override]
        """Return the frames of all places, after two on the ground."""
        ground = GROUND.frame(bodies)
        return (ground, ground, *(f for place in self.places for f in place.frames(bodies, label)))

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return no measures, (0,)."""
        return np.zeros(0)

    def problems(self, label: str) -> list[str]:
        """Return the problems of all places as sentences."""
        return [text for place in self.places for text in place.problems(label)]

    def frame_problems(self, bodies: Mapping[str, Body], label: str) -> list[str]:
        """Return the problems of all places on the bodies of a system as sentences."""
        return [text for place in self.places for text in place.frame_problems(bodies, label)]


@dataclass(frozen=True, eq=False)
class _Law(ForceLaw):
    """The law of a controller as that of an element."""

    target: Input
    law: ControlLaw
    given_targets: tuple[float, ...]
    n_outputs: int
    n_waiting: int | None  # outputs that wait for their time; None for a controller that is not sampled

    count: ClassVar = 0
    input: ClassVar = "target"
    is_input: ClassVar = False
    symbols: ClassVar = (Symbol("element"),)

    @property
    def elastic(self) -> bool:  # type: ignore[override]
        """Whether the outputs follow the motion without setting in or ending; held ones do not follow it."""
        return self.n_waiting is not None or self.law.smooth

    @property
    def is_replay(self) -> bool:  # type: ignore[override]
        """Whether the law repeats the outputs of an earlier run."""
        return self.law.is_replay

    @property
    def function(self) -> str:  # type: ignore[override]
        """Name of the compiled law."""
        return self.law.compiled if self.n_waiting is None else "held"

    def numbers(self) -> list[float]:
        """Return the numbers of the law."""
        return self.law.numbers() if self.n_waiting is None else []

    @property
    def n_states(self) -> int:
        """Number of states: of a sampled controller also its outputs and what it counts, see :class:`Sampling`."""
        own = self.law.start(self.n_waiting is not None).size
        if self.n_waiting is None:
            return own
        return 2 + self.n_outputs * (1 + self.n_waiting) + own

    def state_names(self, is_angle: bool) -> list[tuple[str, str]]:
        """Return name and unit of each state."""
        own = self.law.state_names(self.n_waiting is not None)
        if self.n_waiting is None:
            return own
        outputs = [(f"output {k + 1}", "") for k in range(self.n_outputs)]
        waiting = [(f"waiting {k + 1}", "") for k in range(self.n_outputs * self.n_waiting)]
        return [("samples", ""), *outputs, ("outputs set", ""), *own, *waiting]

    def start_states(self) -> np.ndarray:
        """Return the states at t = 0."""
        out = np.zeros(self.n_states)
        own = self.law.start(self.n_waiting is not None)
        first = 0 if self.n_waiting is None else 2 + self.n_outputs
        out[first : first + own.size] = own
        return out

    def pointer(self, t_end: float, drawn: float, label: str) -> Pointer:
        """Return the address of the compiled law."""
        if isinstance(self.law, UserControl) and self.n_waiting is None:
            return UserControlPointer(self.law, list(self.given_targets), self.n_outputs, label)
        return super().pointer(t_end, drawn, label)

    def input_law(self, t_end: float, label: str) -> Law | None:
        """Return the compiled target with its rate, or None if it is a number."""
        if not callable(self.target):
            return None
        found = _target_law(self.target, t_end, f"{label}: target")
        if self.n_waiting is None and self.law.needs_rates:
            _warn_of_jump(found, t_end, label)
        return found


@dataclass(frozen=True, eq=False)
class _CollocatedLaw(_Law):
    """The law of a controller that measures what it acts on, as that of an ordinary element along it."""

    rates: tuple[bool, ...]  # which inputs are the rate

    function: ClassVar = "collocated"
    count: ClassVar = 1
    symbols: ClassVar = (Symbol("actuator"),)

    def numbers(self) -> list[float]:
        """Return the numbers of the law; they are explained in ``controllers.cpp``."""
        linear = self.law.compiled != PID.compiled
        head = [linear, len(self.rates), self.n_states, *self.rates, *self.given_targets]
        return [*map(float, head), *self.law.numbers()]


def _warn_of_jump(target: Law, t_end: float, label: str) -> None:
    """Warn of a target that jumps, of which a PID without a filter takes the derivative."""
    size = max(abs(target(t)[0]) for t in np.linspace(0.0, t_end, 50))
    found = find_jump(lambda t: target(t)[0], 0.0, t_end, LEAST_JUMP * size)
    if found is not None:
        warn(
            f"{label}: its target jumps by {abs(found[1]):.3g} at t = {found[0]:.6g} s, and kd takes the derivative of "
            "the error, which is infinite there; the run replaces the jump by a steep ramp that begins before it. Give "
            "the PID a filter_time= (s), or a target without jumps, such as a ramp"
        )


@singledispatch
def _target_law(target: Any, t_end: float, what: str) -> Law:
    return drive_law(target, None, None, t_end, what)


@_target_law.register
def _(target: SignalReader | PiecewiseConstant, t_end: float, what: str) -> Law:
    return scalar_law(target, t_end, what)


@check_arguments(own=("measured", "acts_on"))
@dataclass(frozen=True, eq=False)
class Controller(Element):
    """A controller: it measures places of the machine, and acts on others.

    Parameters
    ----------
    name : str
        Name, unique in the system.
    measured : Along, Line, PointAlong, TurnAbout, Rate, callable, or a list of them
        What is measured: a joint coordinate, a distance (minus the ``free_length`` that is given), the position of a
        point along a direction, an angular velocity, or the rate of these. A sampled controller may also measure by a
        function of a :class:`flexbody.State`, such as ``lambda state: state.reaction("pin").force[2]`` or
        ``lambda state: state.result.element("spring").force[0]``.
    law : PID, LinearControl or UserControl
        How the outputs follow from the errors, target minus what is measured.
    acts_on : Along, Line, PointAlong, TurnAbout, str, or a list of them
        Where each output acts: as a load that increases the coordinate, distance, position or rotation; or as the
        input of the law of another element (a voltage, a flow), given by its name.
    target : float, callable or list of float, optional
        The target of what is measured, or of each: a number, or of a single measurement a function of time (s).
    period : float, optional
        Time between samples, s: the controller measures at 0, T, 2 T, ... and keeps its outputs in between. By default
        it acts continuously.
    delay : float, optional
        Time from a sample until its outputs act, s.

    Notes
    -----
    The states of a controller are integrated with the machine, and linearised with it. Samples, and the times at which
    outputs change, are ends of steps. A sampled controller measures accelerations and reactions as they are before its
    outputs change; a continuous one can't measure these, because its outputs change them at once. In a linearised
    machine the outputs of sampled controllers are constant. A run ends with an error where an unstable loop has driven
    a body faster than light.

    ``result.element(name)`` gives what is measured and the outputs over time.

    Examples
    --------
    A pendulum that is turned to 0.5 rad:

    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0, 0, -0.3))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> angle = fb.Along(hinge)
    >>> servo = fb.Controller("servo", angle, fb.PID(kp=40.0, ki=80.0, kd=6.0), acts_on=angle, target=0.5)
    >>> machine = fb.System([bar], [hinge], [servo], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(machine, t_end=4.0, show_progress=False)
    >>> round(float(result.coordinate(hinge)[-1]), 3)
    0.5
    >>> round(float(result.element(servo).output[-1]), 2)  # 0.3 m 9.81 N sin(0.5)
    1.41
    """

    name: str
    measured: Any
    law: ControlLaw
    _: KW_ONLY
    acts_on: Any
    target: float | Callable[[float], float] | ArrayLike = 0.0
    period: Annotated[float, Positive] | None = None
    delay: Annotated[float, NotNegative] = 0.0

    __repr__ = short_repr

    # ---- places --------------------------------------------------------------------------------

    @property
    def inputs(self) -> tuple[ControlPlace, ...]:
        """The places that are measured."""
        return tuple(place_of(one) for one in _listed(self.measured))

    @property
    def outputs(self) -> tuple[ControlPlace, ...]:
        """The places that it acts on."""
        return tuple(place_of(one) for one in _listed(self.acts_on))

    @property
    def targets(self) -> list[float]:
        """The targets, as far as they are numbers; 0 for a function of time."""
        if callable(self.target):
            return [0.0]
        given = [float(x) for x in np.atleast_1d(np.asarray(self.target, dtype=float))]
        return given * len(self.inputs) if len(given) == 1 else given

    @property
    def n_waiting(self) -> int | None:
        """Number of samples whose outputs wait at once; None for a controller that is not sampled."""
        if self.period is None:
            return None
        return int(np.ceil(self.delay / self.period * (1 - 1e-9)))

    @property
    def places(self) -> tuple[ControlPlace, ...]:
        """The places that are measured, then those that it acts on."""
        return (*self.inputs, *self.outputs)

    @property
    def collocated(self) -> Along | Line | None:
        """The coordinate or line of a continuous controller that measures this, or its rate, and acts on it."""
        if self.period is not None or len(self.outputs) != 1 or isinstance(self.law, UserControl):
            return None
        own = self.outputs[0].line
        return own if all(place.line_is(own) for place in self.inputs) else None

    @property
    def wiring(self) -> Wiring | None:
        """The places as data; None for a collocated controller."""
        if self.collocated is not None:
            return None
        inputs, outputs = (tuple(place.data for place in places) for places in (self.inputs, self.outputs))
        return Wiring(inputs, outputs, self.targets, self.period is not None)

    @property
    def geometry(self) -> Geometry:
        """The places, or the coordinate or line of a collocated controller, whose stiffness Newton's iteration has."""
        return self.collocated or _Places(self.places)

    def force_law(self, bodies: Mapping[str, Body]) -> _Law:
        """Return the law of the controller as that of an element."""
        target = self.target if callable(self.target) else self.targets[0]
        given = (target, self.law, tuple(self.targets), len(self.outputs), self.n_waiting)
        if self.collocated is None:
            return _Law(*given)
        return _CollocatedLaw(*given, tuple(place.is_rate for place in self.inputs))

    def uses(self) -> tuple[Term, ...]:
        """Return the joint coordinates that it measures and acts on."""
        return tuple(place.term for place in self.places if place.term is not None)

    def redrawn(self, bodies: Mapping[str, Body], motions: Motions) -> Controller:
        """Return this controller on bodies that are drawn elsewhere."""
        measured = [place.redrawn(bodies, motions) for place in self.inputs]
        return replace(
            self, measured=measured, acts_on=[place.redrawn(bodies, motions) for place in self.outputs]
        )

    # ---- problems ------------------------------------------------------------------------------

    def problems(self) -> list[str]:
        """Return the problems of places, law, targets and times as sentences."""
        found = self._place_problems()
        if not isinstance(self.law, ControlLaw):
            found.append(
                f"{self.label}: law is {called(self.law)}; give a PID, a LinearControl or a UserControl"
            )
            return found
        of_law = self.law.problems(self.label)
        return found + (of_law or self._law_problems()) + self._target_problems() + self._time_problems()

    def _place_problems(self) -> list[str]:
        found = []
        for given, place in zip(_listed(self.measured), self.inputs, strict=True):
            if not place.measures:
                found.append(
                    f"{self.label} measures {called(given)}; give an Along, Line, PointAlong, TurnAbout, Rate, or a "
                    "function of the state"
                )
        for given, place in zip(_listed(self.acts_on), self.outputs, strict=True):
            if not place.acts:
                found.append(
                    f"{self.label} acts on {called(given)}; give an Along, Line, PointAlong, TurnAbout, or the name of "
                    "an element with an input"
                )
        if not (self.inputs and self.outputs):
            found.append(f"{self.label} needs a place to measure and one to act on")
        return found or self.geometry.problems(self.label)

    def _law_problems(self) -> list[str]:
        found = []
        pairs = zip(("inputs", "outputs"), self.law.sizes(), (self.inputs, self.outputs), strict=True)
        for what, size, places in pairs:
            if size is not None and size != len(places):
                verb = "measures" if what == "inputs" else "acts on"
                found.append(
                    f"{self.label} {verb} {len(places)} places, but {called(self.law)} has {size} {what}"
                )
        if self.period is not None:
            return found
        if any(callable(one) for one in _listed(self.measured)):
            found.append(
                f"{self.label} measures by a function of the state, which is called at samples only; give period= (s). "
                "What the outputs change at once, such as an acceleration or a reaction, can't be fed back continuously"
            )
        if self.law.needs_rates and any(place.is_rate for place in self.inputs):
            found.append(
                f"{self.label}: the rate of a rate is an acceleration, which the output changes at once; give the PID "
                "a filter_time= (s), or the controller a period= (s)"
            )
        return found

    def _target_problems(self) -> list[str]:
        if callable(self.target):
            if len(self.inputs) == 1:
                return []
            return [f"{self.label}: target is a function, which goes with one measurement; give numbers"]
        try:
            given = np.atleast_1d(np.asarray(self.target, dtype=float))
        except (TypeError, ValueError):
            given = np.full(1, np.nan)
        if given.ndim == 1 and np.isfinite(given).all() and given.size in (1, len(self.inputs)):
            return []
        return [
            f"{self.label}: target is {self.target!r}; give a number, a function of time, or one number for each "
            "measurement"
        ]

    def _time_problems(self) -> list[str]:
        if self.period is None:
            if is_number(self.delay) and self.delay:
                return [f"{self.label}: delay goes with a sampled controller; give period= (s)"]
            return []
        if (self.n_waiting or 0) > LONGEST_DELAY:
            return [f"{self.label}: delay lasts {self.n_waiting} periods; {LONGEST_DELAY} are possible"]
        return []

    def placement_problems(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> list[str]:
        """Return as sentences which sides are not in the system, otherwise the problems of its frames."""
        for side in self.sides():
            if isinstance(side, MasslessBody) and side.name not in bodies:
                return [f"{self.label} measures or acts on {side.unheld()}"]
            if side.moves and side.body.name not in bodies:
                return [f"{self.label} uses body '{side.body.name}', which is not among the system's bodies"]
        return self.frame_problems(bodies)

    def force_problems(self, forces: Mapping[str, Force]) -> list[str]:
        """Return as sentences which elements it acts on have no input that is free."""
        found = []
        for name in self.controlled:
            force = forces.get(name)
            if not isinstance(force, Element) or isinstance(force, Controller):
                found.append(f"{self.label} acts on '{name}', which is not a force element of the system")
            elif (law := force.force_law({})).input is None:
                found.append(f"{self.label} acts on '{name}', whose law has no input")
            elif callable(law.given_input) or law.input_value() != 0.0:
                found.append(
                    f"{self.label} acts on '{name}', whose {law.input} is given too; give {law.input}=0.0 there"
                )
            others = [
                one.label for one in forces.values()
                if isinstance(one, Controller) and one.name < self.name and name in one.controlled
            ]  # fmt: skip
            found += [f"{self.label} and {other} act on the input of '{name}'" for other in others]
        return found

    def obstacle(self, verb: str) -> str:
        """Return why an analysis can't take this controller, as a sentence; "" if it can."""
        if verb != "equilibrium":
            return f"{self.label} is part of simulate and linearize; {verb} has no controllers, leave it out"
        if self.period is None and not self.law.settles:
            return (
                f"{self.label}: {self.law!r} gives any output at rest, because it integrates. Simulate the machine "
                "until it rests, and use that result; or linearise about a state (state=fb.AsDrawn())"
            )
        return ""

    @property
    def controlled(self) -> tuple[str, ...]:
        """Names of the elements whose inputs are outputs of the controller."""
        return tuple(one for one in _listed(self.acts_on) if isinstance(one, str))

    def time_function(self, bodies: Mapping[str, Body]) -> TimeFunction | None:
        """Return the target as a function of time, or None if it is a number."""
        return (
            TimeFunction(f"{self.label}: target", 1, self.inputs[0].unit[0])
            if callable(self.target)
            else None
        )


def _listed(given: Any) -> list[Any]:
    """Return one place, or a list of places, as a list."""
    return list(given) if isinstance(given, Sequence) and not isinstance(given, str) else [given]
