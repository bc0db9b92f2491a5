"""What is told of vibrations that the steps of a run have not followed, or not exactly, and the cheapest remedy."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from fem.common.errors import few, warn

from ..compile.plan import Plan
from ..core.kinds import ELASTIC, FIRST
from ..equations.start import Start
from ..integrators.base import Run
from ..integrators.method_work import fastest, implicit_work, least_explicit_work
from ..integrators.not_followed import NOTED_PART, NotFollowed
from .ringing_remedies import frequencies_of, near_modes, what_ends_them

#: Vibrations that would die out in a smaller part of the run are not told.
LASTING = 0.05
#: What turns through a smaller part of a period in the run is none.
LEAST_PERIODS = 1.0
#: A vibration that turns by less than this in a mean step is followed: its amplitude is right, and the small errors of
#: its phase add up over many periods. rad
FOLLOWED = 0.3
#: The local error of the phase is about this times the cube of the turn in a step: the error constant at rho_inf = 0.8.
PHASE_ERROR = 0.1
#: How many times the steps a tolerance ten times smaller takes at least, where vibrations choose the steps, and about
#: how many times the work: 3 to 8 and 2 to 7 times on eight machines.
MORE_STEPS, MORE_WORK = 3.7, 5.0
#: The explicit method takes about so many times its least work.
EXPLICIT_BY = 4.0
#: What is off by no more than so many times its error of phase is off by that; frequencies are told roughly.
OF_PHASE = 4.0
#: Tolerances below this are not proposed.
LEAST_RTOL = 1e-9


def told_vibrations(plan: Plan, run: Run, start: Start, stored: Mapping[str, np.ndarray]) -> str:
    """Warn of vibrations that a run has not followed, or not exactly, and return the reason for ``why``.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    run : Run
        The run, at its end.
    start : Start
        Where it began.
    stored : mapping of str to numpy.ndarray
        Its stored states.

    Returns
    -------
    str
        The vibrations; empty if there are none.
    """
    if not run.not_followed:
        return ""
    begun, end = float(run.times[0]), run.t
    lasting = LASTING * (float(run.times[-1]) - begun)
    found = [
        one
        for one in with_modes(plan, run, run.not_followed)
        if min(one.until, end) - one.since > lasting
        and one.frequency * (min(one.until, end) - begun) > LEAST_PERIODS
    ]
    found = [one._replace(until=np.inf) if one.until >= end else one for one in found]
    if not found:
        return ""
    lost, followed = _sorted(found, run, end - begun)
    remedy = follower(plan, run, [*lost, *followed])
    said: list[str] = []
    for these, what, why in (
        (
            lost,
            "vibrations are not followed, because their deformations are far smaller than the motion",
            "not followed",
        ),
        (
            followed,
            "vibrations are followed, but small errors of their phase add up over many periods",
            "errors of phase add up",
        ),
    ):
        if not these:
            continue
        told, units = few([str(one) for one in these], 2), {one.unit for one in these}
        ends = what_ends_them(plan, start, stored, units)
        matter = " and ".join([*["forces"][: len(units - {"m"})], *["deformations"][: "m" in units]])
        warn(
            f"{what}: {told}. Means over the slowest of such periods are right (Result.averaged). If the {matter} "
            f"matter, take {remedy}; {ends}"
        )
        said.append(f"{why}: {told}")
    return "; ".join(said)


def with_modes(plan: Plan, run: Run, found: list[NotFollowed]) -> list[NotFollowed]:
    """Return vibrations with the frequencies of modes, and with no larger errors than the steps make of the highest.

    Frequencies that are measured beside other vibrations, rotations or pulses are rough ones. Where steps follow the
    highest mode of the machine nothing is lost: the errors are those of the phase, as far as damping leaves them.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    run : Run
        The run, at its end.
    found : list of NotFollowed
        The vibrations as they were measured.
    """
    duration = max(run.t - float(run.times[0]), np.finfo(float).tiny)
    elastic = bool(np.all(plan.layout.element[:, ELASTIC] != 0))
    modes = frequencies_of(plan, run.state, range(plan.n_bodies)) if elastic else np.zeros(0)
    kept = []
    for one in found:
        near = near_modes(frequencies_of(plan, run.state, _bodies_of(plan, one)), one.frequency)
        if near.size == 1:
            one = one._replace(frequency=float(near[0]))
        highest = one._replace(frequency=float(modes.max(initial=0.0)))
        if modes.size and _turn(highest, run, duration) < FOLLOWED:
            error = OF_PHASE * _phase(highest, run, duration) * one.force / max(1.0, one.decay * duration)
            one = one._replace(error=min(one.error, error))
        if one.error > NOTED_PART * one.force:
            kept.append(one)
    return kept


def _bodies_of(plan: Plan, one: NotFollowed) -> list[int]:
    """Return the body that vibrates, or the bodies on which the element acts."""
    for e, element in enumerate(plan.elements.elements):
        if element.label == one.label:
            between = plan.layout.frame_body[plan.layout.element[e, [FIRST, FIRST + 1]]]
            return [int(b) for b in between if b >= 0]
    return [b for b, body in enumerate(plan.system.bodies) if one.label == f"body '{body.name}'"]


def _sorted(
    found: list[NotFollowed], run: Run, duration: float
) -> tuple[list[NotFollowed], list[NotFollowed]]:
    """Return the vibrations that are lost, and those that are followed but for errors of phase.

    Equal elements are told alike: one that is followed beside a lost one of its kind counts as lost, without its
    frequency.
    """
    sure = [_is_followed(one, run, duration) for one in found]
    kinds = {_kind(one) for one, follows in zip(found, sure, strict=True) if not follows}
    lost = [_with_sure_frequency(one, run, duration) for one in found if _kind(one) in kinds]
    return lost, [one for one in found if _kind(one) not in kinds]


def _kind(one: NotFollowed) -> tuple[str, str]:
    """Return the kind of the element or body, as in its label, and the unit of what vibrates."""
    return one.label.partition(" '")[0], one.unit


def follower(plan: Plan, run: Run, lost: list[NotFollowed]) -> str:
    """Return what follows vibrations at the least cost, in words: a smaller tolerance, or the explicit method.

    The error of the phase in a run of ``n`` steps of the same size is ``C (w T)^3 / n^2``.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    run : Run
        The run, at its end.
    lost : list of NotFollowed
        The vibrations.
    """
    if not run.tolerance > 0.0:
        return "a smaller step"
    duration = run.t - float(run.times[0])
    phase = max((_phase(one, run, duration) for one in lost if np.isfinite(one.frequency)), default=0.0)
    tens = max(1, int(np.ceil(0.5 * np.log(max(phase / NOTED_PART, 1.0)) / np.log(MORE_STEPS))))
    tens += any(one.error >= one.force for one in lost)  # (how much larger errors would be is not known)
    rtol = run.tolerance / 10.0**tens
    if rtol < LEAST_RTOL or _explicit_work(plan, run) < MORE_WORK**tens * implicit_work(run.counts):
        # (a run that has become explicit has lost them before)
        return "integrator=fb.Explicit()" + " from the beginning on" * run.is_explicit
    written = f"{rtol:.0e}".replace("e-0", "e-")
    return f"integrator=fb.GeneralizedAlpha(rtol={written}), with about {MORE_WORK**tens:.0f} times the work"


def or_less_work(plan: Plan, run: Run) -> str:
    """Return the end of a sentence that names the explicit method, where it follows vibrations with less work.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    run : Run
        The run, at its end.
    """
    if not (run.tolerance > 0.0 and _explicit_work(plan, run) < implicit_work(run.counts)):
        return ""
    return "; integrator=fb.Explicit() follows them with less work"


def _explicit_work(plan: Plan, run: Run) -> float:
    """Return about the work of the explicit method in a run, in iterations of the implicit one."""
    highest, interval = max(fastest(plan)[0], run.stiffest), float(run.times[1] - run.times[0])
    return EXPLICIT_BY * least_explicit_work(plan, highest, interval) * (run.t - float(run.times[0]))


def _turn(one: NotFollowed, run: Run, duration: float) -> float:
    """Return the mean angle (rad) by which a vibration turns in a step."""
    return float(2.0 * np.pi * one.frequency * duration / max(run.counts.steps, 1))


def _phase(one: NotFollowed, run: Run, duration: float) -> float:
    """Return the error of the phase (rad) that steps of one size make of a vibration."""
    return PHASE_ERROR * _turn(one, run, duration) ** 3 * run.counts.steps


def _is_followed(one: NotFollowed, run: Run, duration: float) -> bool:
    """Return whether a vibration is followed, so that errors of its phase alone are what is told."""
    size = OF_PHASE * _phase(one, run, duration) * one.force
    return _turn(one, run, duration) < FOLLOWED and one.error <= size


def _with_sure_frequency(one: NotFollowed, run: Run, duration: float) -> NotFollowed:
    """Return a vibration without its frequency where that is too low for what is lost."""
    return one._replace(frequency=np.nan) if _turn(one, run, duration) < FOLLOWED else one
