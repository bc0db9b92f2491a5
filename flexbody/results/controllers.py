"""The history of a controller in a run: what it measures, and its outputs."""

from __future__ import annotations

from dataclasses import dataclass, field, fields

import numpy as np

from ..core.force_elements import evaluate_laws
from ..core.kinds import EXPECTED, GIVEN
from ..equations.state import move_state
from ..model.forces.controller import Controller
from .element_history import ElementHistory
from .record import Record, computed_once


@dataclass(frozen=True, eq=False, repr=False)
class ControllerHistory(ElementHistory):
    """The history of a controller; SI units.

    Attributes
    ----------
    measured : numpy.ndarray
        What it measures, (nt,), or (nt, n) for n places; NaN for what a function of the user measures.
    output : numpy.ndarray
        Its outputs, (nt,), or (nt, m) for m places.
    state : numpy.ndarray
        States of its law, (nt, k); of a sampled controller also the outputs and what it counts, which have no names.
    input : numpy.ndarray
        Power of the loads that it gives, (nt,), W.

    Examples
    --------
    >>> import flexbody as fb
    >>> mass = fb.RigidBody("mass", mass=2.0, inertia=(0.1, 0.1, 0.1))
    >>> height = fb.PointAlong(mass, (0, 0, 1))
    >>> hover = fb.Controller("hover", height, fb.PID(kp=50.0), acts_on=height, target=0.2)
    >>> result = fb.simulate(fb.System([mass], forces=[hover]), 0.1, show_progress=False)
    >>> result.element("hover").output[:1]
    array([10.])
    """

    measured: np.ndarray = field(default_factory=lambda: np.zeros(0))
    output: np.ndarray = field(default_factory=lambda: np.zeros(0))
    signal_units: tuple[tuple[str, str], ...] = ()  # name and unit of each signal
    named: tuple[str, ...] = ()  # names of the states that are those of its law

    @property
    def shown(self) -> tuple[str, ...]:
        """Names of what a table or plot of the controller shows by default: its outputs."""
        return tuple(name for name, _ in self.signal_units if name.startswith("output"))

    @property
    def units(self) -> dict[str, str]:
        """Units by name: of what is measured, the outputs, the states and the power."""
        states = {name: unit for name, unit in self.states if name in self.named}
        return dict(self.signal_units) | states | {"input": "W"}

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The signals, and the states, by name, each (nt,)."""
        signals = np.column_stack([self.measured, self.output])
        names = [name for name, _ in self.signal_units]
        states = {name: values for name, values in super().columns.items() if name in self.named}
        return states | dict(zip(names, signals.T, strict=True))


def controller_histories(
    record: Record, histories: dict[str, ElementHistory]
) -> dict[str, ControllerHistory]:
    """Return the histories of controllers by name; ``histories`` are those as elements, of other elements too."""
    elements = record.plan.elements.elements
    controllers = [one for one in elements if isinstance(one, Controller) and one.name in histories]
    found = {}
    for one in controllers:
        n = len(one.inputs)
        values = _collocated(one, histories[one.name]) if one.collocated else _anywhere(record, one)
        own = {part.name: getattr(histories[one.name], part.name) for part in fields(ElementHistory)}
        units = [
            *_named("measured", [place.unit[0] for place in one.inputs]),
            *_named("output", [place.unit[1] for place in one.outputs]),
        ]
        found[one.name] = ControllerHistory(
            **own,
            measured=_squeezed(values[:, :n]),
            output=_squeezed(values[:, n:]),
            signal_units=tuple(units),
            named=tuple(name for name, _ in one.law.state_names(one.period is not None)),
        )
    return found


def _collocated(controller: Controller, history: ElementHistory) -> np.ndarray:
    """Return what a collocated controller measures, and its output, (nt, n + 1)."""
    measured = [history.rate if place.is_rate else history.deformation for place in controller.inputs]
    return np.column_stack([*measured, -history.force])


def _anywhere(record: Record, controller: Controller) -> np.ndarray:
    """Return what a controller measures, NaN where a function does, and its outputs, (nt, n + m)."""
    first = record.plan.elements.signals.at[controller.name]
    values = _signals(record)[:, first : first + len(controller.places)].copy()
    by_function = [k for k, place in enumerate(controller.inputs) if place.function is not None]
    values[:, by_function] = np.nan
    return values


@computed_once
def _signals(record: Record) -> np.ndarray:
    """Return the signals of all controllers at the stored times, (nt, ns)."""
    plan, W = record.plan, record.plan.work()
    W.law_mode = GIVEN
    out = np.empty((len(record.t), plan.elements.signals.size))
    for k in range(len(record.t)):
        s = record.state_at(k)
        W.revolutions[:, EXPECTED] = s.counted_coordinates
        move_state(plan, W, s)
        W.law_state[:] = s.law_states
        evaluate_laws(plan.layout, W, s.t)
        out[k] = W.signal
    return out


def _named(word: str, units: list[str]) -> list[tuple[str, str]]:
    """Return name and unit of each of these signals."""
    return [(word if len(units) == 1 else f"{word} {k + 1}", unit) for k, unit in enumerate(units)]


def _squeezed(values: np.ndarray) -> np.ndarray:
    return values[:, 0] if values.shape[1] == 1 else values
