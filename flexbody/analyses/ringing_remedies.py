"""What vibrates in a run that follows vibrations, at which modes, and what ends it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import scipy

from fem.common.errors import FlexbodyError

from ..compile.plan import Plan
from ..core.kinds import FIRST, ROW_DRIVE
from ..equations.constraint_jacobian import weighted
from ..equations.sparse_tangent import sparse_mass, sparse_stiffness, turned_columns
from ..equations.start import Start
from ..equations.state import place_state
from ..equations.tangent import units
from ..formulations.state import MachineState
from ..integrators.base import Run
from ..integrators.ringing import Ringing
from .unstable_start import null_space

#: The modes of larger machines are not computed for a message.
LARGEST = 600
#: A frequency is that of a mode up to the first factor, of one without others near it up to the second factor.
SAME, SAME_OF_ONE = 1.25, 1.7
#: A body takes part in a mode with this part of its energy.
TAKES_PART = 0.1
#: Modes that differ by no more than this part are told as one.
ONE_MODE = 1e-3
#: Accelerations below this are those of an equilibrium, m/s^2 and rad/s^2.
AT_REST = 1e-6
#: Vibrations below this part of the way of the machine are skipped where a user asks for it.
SKIPPED_PART = 0.01
#: A tolerance that is larger by this factor is proposed for what is forced.
COARSER = 10.0
#: A machine that moves by more than this part of its size does not stand.
STANDING_MOTION = 0.01


def frequencies_of(plan: Plan, state: MachineState, bodies: Sequence[int]) -> np.ndarray:
    """Return the frequencies (Hz) of the machine's modes at a state in which one of the bodies takes part.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    state : MachineState
        Where its motion is linearised.
    bodies : sequence of int
        The bodies.

    Returns
    -------
    numpy.ndarray
        The frequencies in ascending order; empty if there are none, or the machine is too large.
    """
    if plan.n_velocities > LARGEST:
        return np.zeros(0)
    W = plan.work()
    try:
        place_state(plan, W, state)
        G = turned_columns(plan, W, weighted(plan, W)[1])
        M, u = sparse_mass(plan, W), units(plan, W, state)
        scale = scipy.sparse.diags(u)
        V = null_space((G @ scale).toarray())
        mass, stiffness = ((scale @ x @ scale).toarray() for x in (M, sparse_stiffness(plan, W, state, u)))
        stiffness = V.T @ (stiffness + stiffness.T) @ V / 2.0
        squares, vectors = scipy.linalg.eigh(stiffness, V.T @ mass @ V)
    except (FlexbodyError, np.linalg.LinAlgError, ValueError):
        return np.zeros(0)
    motion = V @ vectors
    own = [slice(plan.rigid(b).start, plan.modal_velocities(b).stop) for b in bodies]
    shares = np.array([(motion[one] * (mass @ motion)[one]).sum(axis=0) for one in own]).max(
        axis=0, initial=0.0
    )
    return np.asarray(np.sqrt(squares[(shares > TAKES_PART) & (squares > 0.0)]) / (2.0 * np.pi))


def described(plan: Plan, state: MachineState, ringing: Ringing) -> str:
    """Return how far and how fast a body vibrates, in words: in which mode, or what forces it."""
    b = [body.name for body in plan.system.bodies].index(ringing.body)
    amplitude, f = ringing.amplitude, ringing.frequency
    modes = np.zeros(0) if ringing.forced else near_modes(frequencies_of(plan, state, [b]), f)
    rate = f"at about {f:.3g} Hz"
    if modes.size == 1:
        amplitude *= f / modes[0]  # (of the same speed)
        rate = f"in its mode at {modes[0]:.4g} Hz"
    elif modes.size:
        rate += f", near its modes at {modes[0]:.4g} and {modes[1]:.4g} Hz"
    means = " (root mean square over its mass)" if ringing.flexible else ""
    size = f"{'' if ringing.mixed else 'up to '}about {amplitude:.2g} m{means}"
    told = f"body '{ringing.body}' vibrates by {size} {rate}"
    if ringing.forced:
        return f"{told}, which loads, drives or an unbalance force on it"
    if not ringing.mixed:
        return told
    slow = f" by up to about {ringing.slow_amplitude:.2g} m at about {ringing.slow_frequency:.3g} Hz"
    return f"{told}, beside slower vibrations{slow if np.isfinite(ringing.slow_frequency) else ''}"


def near_modes(modes: np.ndarray, frequency: float) -> np.ndarray:
    """Return the one or two modes (Hz, ascending) that a measured frequency may be of; those that are alike once.

    Parameters
    ----------
    modes : numpy.ndarray
        The frequencies of modes, Hz, in ascending order.
    frequency : float
        What was measured, Hz.
    """
    modes = modes[np.diff(modes, prepend=0.0) > ONE_MODE * modes]
    apart = np.abs(np.log(modes / frequency))
    alone = modes[apart < 2.0 * np.log(SAME_OF_ONE)]
    if alone.size == 1 and apart.min() < np.log(SAME_OF_ONE):
        return alone
    near = modes[apart < np.log(SAME)]
    return np.sort(near[np.argsort(np.abs(np.log(near / frequency)))[:2]])


def may_begin_in_equilibrium(plan: Plan, start: Start, arrays: Mapping[str, np.ndarray]) -> bool:
    """Return whether a start in equilibrium keeps the motion of a run, and changes the start.

    It does not keep that of a machine which begins with velocities, or moves without drives, as a pendulum that swings.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    start : Start
        Where the run began.
    arrays : mapping of str to numpy.ndarray
        Its stored states.
    """
    if np.abs(start.vdot).max(initial=0.0) <= AT_REST:
        return False
    if (plan.layout.row_frame[:, ROW_DRIVE] >= 0).any():
        return True
    motion = _way(plan, arrays)
    return motion < STANDING_MOTION * plan.layout.length and not np.abs(start.v).max(initial=0.0) > AT_REST


def _way(plan: Plan, arrays: Mapping[str, np.ndarray]) -> float:
    """Return how far the bodies of a machine move in its stored states, m; rotations count by the size of the body."""
    n, size = plan.n_bodies, plan.layout.body_size[: plan.n_bodies]
    moved = np.ptp(arrays["c"].reshape(-1, n, 3), axis=0).max(axis=-1, initial=0.0)
    turned = 2.0 * np.ptp(arrays["q"].reshape(-1, n, 4), axis=0).max(axis=-1, initial=0.0) * size
    return float(np.maximum(moved, turned).max(initial=0.0))


def is_the_motion(plan: Plan, ringing: Ringing, arrays: Mapping[str, np.ndarray]) -> bool:
    """Return whether a vibration is no small part of what a machine does, so that no method skips it.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    ringing : Ringing
        The vibration.
    arrays : mapping of str to numpy.ndarray
        The stored states.
    """
    return not ringing.amplitude < SKIPPED_PART * _way(plan, arrays)


def what_ends_them(plan: Plan, start: Start, arrays: Mapping[str, np.ndarray], units: set[str]) -> str:
    """Return what ends vibrations of deformations (unit m) and of forces, as a sentence; ``arrays`` hold the states."""
    starts = []
    if (
        "m" in units
        and not np.any(start.all_alpha)
        and any(_is_set_free(start, plan.modal_velocities(b)) for b in range(plan.n_bodies))
    ):
        starts.append("start=fb.QuasiStatic() (the static deformation)")
    if units != {"m"} and may_begin_in_equilibrium(plan, start, arrays):
        starts.append("start=fb.Equilibrium()")
    begins = f", and {' or '.join(starts)} begins without those of the start" if starts else ""
    return f"damping ends free vibrations{begins}"


def what_to_do(plan: Plan, run: Run, start: Start, arrays: Mapping[str, np.ndarray]) -> str:
    """Return what to do about the vibration that determines the steps of a run, as a sentence.

    Damping does not end what is forced, but near a resonance.

    Parameters
    ----------
    plan : Plan
        The compiled machine.
    run : Run
        The run, at its end.
    start : Start
        Where it began.
    arrays : mapping of str to numpy.ndarray
        Its stored states.
    """
    ringing = run.ringing
    if ringing is None:
        return ""
    if ringing.forced:
        larger = f"{COARSER * run.largest_tolerance:.0e}".replace("e-0", "e-")
        return (
            "Damping does not end that, and nothing needs to be done. If it doesn't matter, a larger tolerance "
            f"takes fewer steps: integrator=fb.GeneralizedAlpha(rtol={larger})"
        )
    unless = "it is not meant" if is_the_motion(plan, ringing, arrays) else "that doesn't matter"
    return f"If {unless}, {remedies(plan, start, ringing, arrays)}"


def remedies(plan: Plan, start: Start, ringing: Ringing, arrays: Mapping[str, np.ndarray]) -> str:
    """Return what ends the vibration of a body and has not been done, in words; ``arrays`` hold the states."""
    b = [body.name for body in plan.system.bodies].index(ringing.body)
    found = _of_flexible(plan, start, b) if ringing.flexible else _of_rigid(plan, start, b, arrays)
    if is_the_motion(plan, ringing, arrays):
        return ", or ".join(found)
    skips = f"integrator=fb.GeneralizedAlpha(rho_inf=0.5, vibrations={SKIPPED_PART:g})"
    return f"{', '.join(found)}, or let the method damp and skip it: {skips}"


def _is_set_free(start: Start, part: slice) -> bool:
    """Return whether a run begins with accelerations of these coordinates."""
    return bool(np.abs(start.vdot[part]).max(initial=0.0) > AT_REST)


def _of_flexible(plan: Plan, start: Start, b: int) -> list[str]:
    found = []
    if not np.any(start.all_alpha[plan.modal(b)]) and _is_set_free(start, plan.modal_velocities(b)):
        found.append("begin with its static deformation (start=fb.QuasiStatic())")
    ratio = np.asarray(getattr(plan.system.bodies[b], "damping_ratio", 0.0))
    found.append(
        f"raise its damping_ratio of {ratio.max():.3g}" if np.any(ratio) else "give it a damping_ratio"
    )
    return [*found, "use fewer modes"]


def _of_rigid(plan: Plan, start: Start, b: int, arrays: Mapping[str, np.ndarray]) -> list[str]:
    found, L = [], plan.layout
    if _is_set_free(start, plan.rigid(b)) and may_begin_in_equilibrium(plan, start, arrays):
        found.append("begin in equilibrium (start=fb.Equilibrium())")
    holding = [
        element
        for e, element in enumerate(plan.elements.elements)
        if b in L.frame_body[L.element[e, [FIRST, FIRST + 1]]]
    ]
    if not holding and plan.n_modes:
        return [*found, "give the flexible bodies that carry it a damping_ratio, or raise it"]
    own = [element for element in holding if hasattr(element, "damping")]
    damped = bool(own) and all(np.any(getattr(element, "damping", 0.0)) for element in own)
    held_by = "the force elements that hold it"
    return [*found, f"raise the damping of {held_by}" if damped else f"give {held_by} damping"]
