"""Frequency shifting by modal masses: tuning to exact frequencies, lowering of high ones; Koppens 5.6.

The base functions are orthogonalised, K z_k = omega_k^2 C8 z_k (5.4), and the modal mass of z_k is multiplied by a
factor g_k:

    C8' = C8 + sum_k (g_k - 1) (C8 z_k) (C8 z_k)',    z_k' C8 z_k = 1,

so that z_k keeps its shape and its stiffness and has the frequency omega_k / sqrt(g_k). In this form the
coordinates alpha keep their meaning, and no other quantity of the body is transformed.

Only C8 changes. The factor adds T* = 1/2 alphadot' (C8' - C8) alphadot to the kinetic energy: the energy of
fictitious masses that belong to the modal coordinates and are not distributed in space. T* depends neither on c, Q
nor on their rates, so that Lagrange's equations get (C8' - C8) alphaddot in the modal equation and nothing else.
Linear and angular momentum (C1..C7, the inertia tensor through C4, C5), gravity (C2), the centrifugal (C5) and
gyroscopic (C7) forces on the modes remain those of the true body, as do its weight and its quasi-static deflection;
energy is conserved with T* included. If C5 or C7 were scaled as well, as for mass added in space, the centrifugal
force would change, which is a load on the mode and not part of its frequency at rest. (C8 is therefore no longer half
the trace of C5.)
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing, warn
from fem.common.numbers import floats, is_number
from fem.common.values import Positive

from ..body.inertia import FloatArray
from ..body.reduced_body import ReducedBody
from ..body.rigid_motion import rigid_mass

#: least ratio of a lowered frequency to one of interest: at 5 its response is too large by 1/(1 - 1/5^2), 4 %; Koppens'
#: rod was not influenced at 7 (factor 25) and slightly at 5 (factor 50)
MIN_SEPARATION = 5.0
#: a larger ratio of a frequency to its tuned value, or the reverse, means another mode: a mode of one
#: static shape is 1.27 times too high (375.7 / 295.4 rad/s), the second of two 1.58 times
MAX_TUNING_RATIO = 2.0


@check_arguments(own=("exact_hz",))
def tune(body: ReducedBody, exact_hz: Mapping[int, float]) -> ReducedBody:
    """Tune modes to their exact frequencies: modal masses times (nu_approx / nu_exact)^2, Koppens 5.6.1.

    Parameters
    ----------
    body : ReducedBody
        The body.
    exact_hz : mapping of int to float
        {mode: frequency in Hz}; modes are numbers into ``body.frequencies_hz``, from 0. The frequencies are those
        with the body's frame at rest: of the free body in the mean-displacement frame, of the cantilever in a
        FixedPoint frame.

    Returns
    -------
    ReducedBody
        The body with changed modal masses; its notes list the changes.

    Raises
    ------
    InputError
        ``exact_hz`` is not such a mapping, a mode does not exist, a frequency is not positive, or one is so high that
        the body's mass matrix would no longer be positive definite.

    Warns
    -----
    FlexbodyWarning
        A frequency probably belongs to another mode: it is more than twice the body's or less than half of it, or it
        lies beyond that of another mode, so that the two would change places.

    Examples
    --------
    >>> import modal
    >>> beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic())
    >>> modal.tune(beam, {1: 677.0}).frequencies_hz.round(1).tolist()
    [246.3, 677.0, 2438.1, 4973.9]
    """
    frequencies = body.frequencies_hz
    if not isinstance(exact_hz, Mapping):
        raise InputError(
            f"body '{body.name}' can't be tuned to {exact_hz!r}; give {{mode: Hz}}, modes counted from 0, such as "
            "dict(enumerate(exact)) for the lowest"
        )
    modes = _modes(body, list(exact_hz))
    if not all(is_number(value) and value > 0 for value in exact_hz.values()):
        raise InputError(
            f"body '{body.name}' can't be tuned to {dict(exact_hz)}; frequencies are positive numbers, in Hz"
        )
    goals = np.array([float(value) for value in exact_hz.values()])
    factors = np.ones(body.N)
    factors[modes] = (frequencies[modes] / goals) ** 2
    notes = tuple(
        f"mode {k + 1} tuned from {frequencies[k]:.5g} to {goal:.5g} Hz: modal mass x {factors[k]:.5g}"
        for k, goal in zip(modes, goals, strict=True)
    )
    tuned = _shifted(body, factors, notes)
    doubtful = _tuning_remarks(frequencies, modes, goals)
    if doubtful:
        warn(
            f"body '{body.name}' is tuned to frequencies that probably belong to other modes: {'; '.join(doubtful)}. "
            "Compare the shapes: tuning changes the frequency of a mode, not its shape. To make a frequency low on "
            "purpose, use modal.lower"
        )
    return tuned


def _tuning_remarks(frequencies: FloatArray, modes: npt.NDArray[np.int64], goals: FloatArray) -> list[str]:
    """Return remarks on target frequencies far from their mode's frequency, or beyond another's, before and after."""
    after = frequencies.copy()
    after[modes] = goals
    said = []
    for k, goal in zip(modes, goals, strict=True):
        ratio = goal / frequencies[k]
        passed = [
            int(j) + 1
            for j in np.flatnonzero((frequencies - frequencies[k]) * (after - goal) < 0)
            if abs(frequencies[j] / frequencies[k] - 1) > 1e-3  # modes in pairs have no order
        ]
        if not 1 / MAX_TUNING_RATIO <= ratio <= MAX_TUNING_RATIO:
            said.append(f"mode {k + 1} has {frequencies[k]:.5g} Hz and should have {goal:.5g} Hz")
        elif passed:
            said.append(f"mode {k + 1}, from {frequencies[k]:.5g} to {goal:.5g} Hz, passes {listing(passed)}")
    return said


@check_arguments(own=("modes",))
def lower(
    body: ReducedBody,
    *,
    factor: float | None = None,
    ceiling_hz: float | None = None,
    modes: Sequence[int] | int | None = None,
    matter_hz: Sequence[float] | float | None = None,
) -> ReducedBody:
    """Lower high frequencies by larger modal masses, so that the integration can take longer steps; Koppens 5.6.2.

    Suitable for modes that carry load but hardly vibrate, such as axial ones.

    Parameters
    ----------
    body : ReducedBody
        The body.
    factor : float, optional
        The modal masses of ``modes`` are multiplied by this (> 1; 25 gives a fifth of the frequency).
    ceiling_hz : float, optional
        Instead of ``factor``: the modes above this frequency (of ``modes`` only, if given) get this frequency, in Hz.
    modes : int or sequence of int, optional
        Numbers into ``body.frequencies_hz``, from 0; needed with ``factor``.
    matter_hz : float or sequence of float, optional
        Frequencies of interest in Hz, such as those of the excitation; by default those of the other modes.

    Returns
    -------
    ReducedBody
        The body with changed modal masses. Its notes give, for each mode, the change and the ratio to the nearest
        frequency of interest.

    Raises
    ------
    InputError
        Both or none of ``factor`` and ``ceiling_hz`` are given, a value is not allowed, or a mode does not exist.

    Warns
    -----
    FlexbodyWarning
        A lowered frequency is less than 5 times a frequency of interest.

    Notes
    -----
    With the stretch of Koppens' rod lowered by 40, 100, 200, 400 (10, 25, 50, 100 in his frame), an explicit run of
    his slider-crank takes 0.57, 0.38, 0.37, 0.19 of the steps without; his run times were 0.5, 0.4, 0.3, 0.2.

    Examples
    --------
    >>> import modal
    >>> beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic())
    >>> modal.lower(beam, ceiling_hz=4000.0, matter_hz=250.0).frequencies_hz.round(1).tolist()
    [246.3, 693.5, 2438.1, 4000.0]
    """
    if (factor is None) == (ceiling_hz is None):
        raise InputError(f"body '{body.name}': give either factor= or ceiling_hz= to lower its frequencies")
    frequencies = body.frequencies_hz
    factors = np.ones(body.N)
    if factor is not None:
        if modes is None:
            raise InputError(
                f"body '{body.name}': name the modes= whose modal masses are multiplied by factor="
            )
        if not (is_number(factor) and factor > 1):
            raise InputError(f"body '{body.name}': factor is {factor}; above 1 it lowers a frequency")
        moved = _modes(body, modes)
        factors[moved] = factor
    else:
        assert ceiling_hz is not None
        if not Positive.takes(ceiling_hz):
            raise InputError(f"body '{body.name}': ceiling_hz is {ceiling_hz}; give a positive frequency")
        named = _modes(body, range(body.N) if modes is None else modes)
        moved = np.array([k for k in named if frequencies[k] > ceiling_hz], dtype=np.int64)
        factors[moved] = (frequencies[moved] / ceiling_hz) ** 2
    if not len(moved):
        return body
    notes, near = _shift_notes(frequencies, factors, moved, matter_hz)
    if near:
        warn(
            f"body '{body.name}' has frequencies lowered to less than {MIN_SEPARATION:g} times one of interest: "
            f"{', '.join(near)}; its response changes by more than 4 % there. Lower them less, or leave those modes "
            "out of the basis"
        )
    return _shifted(body, factors, tuple(notes))


def _shift_notes(
    frequencies: FloatArray,
    factors: FloatArray,
    moved: npt.NDArray[np.int64],
    matter_hz: Sequence[float] | float | None,
) -> tuple[list[str], list[str]]:
    """Return a remark on each mode that was changed, and the remarks on modes close to a frequency of interest."""
    stay = np.setdiff1d(np.arange(len(frequencies)), moved)
    matter = frequencies[stay] if matter_hz is None else np.atleast_1d(np.asarray(matter_hz, dtype=float))
    after = frequencies / np.sqrt(factors)
    notes, near = [], []
    for k in moved:
        text = f"mode {k + 1} lowered from {frequencies[k]:.5g} to {after[k]:.5g} Hz: modal mass x {factors[k]:.5g}"
        if len(matter):
            nearest = matter[np.argmin(np.abs(np.log(after[k] / matter)))]
            ratio = after[k] / nearest
            text += f"; {ratio:.3g} times {nearest:.5g} Hz, the nearest of interest"
            if ratio < MIN_SEPARATION:
                near.append(f"mode {k + 1} ({after[k]:.5g} Hz, {ratio:.3g} times {nearest:.5g} Hz)")
        notes.append(text)
    return notes, near


def _modes(body: ReducedBody, modes: Sequence[int] | int) -> npt.NDArray[np.int64]:
    listed = np.zeros(0) if floats(modes) is None else np.atleast_1d(np.asarray(modes))
    if listed.size == 0 or not np.issubdtype(listed.dtype, np.integer) or listed.ndim != 1:
        raise InputError(f"body '{body.name}': modes are whole numbers from 0 to {body.N - 1}, not {modes!r}")
    wrong = [int(k) for k in listed if not 0 <= k < body.N]
    if wrong or len(set(listed.tolist())) < len(listed):
        what = f"has no modes {wrong}" if wrong else f"has a mode named twice in {listed.tolist()}"
        raise InputError(f"body '{body.name}' {what}; it has 0 to {body.N - 1}, see its frequencies_hz")
    return listed.astype(np.int64)


def _shifted(body: ReducedBody, factors: FloatArray, notes: tuple[str, ...]) -> ReducedBody:
    """Return the body whose k-th mode of (K, C8) has ``factors[k]`` times its modal mass."""
    _, Z = scipy.linalg.eigh(body.K, body.C8)
    W = body.C8 @ Z
    C8 = body.C8 + (W * (factors - 1)) @ W.T
    C8 = 0.5 * (C8 + C8.T)
    rigid, coupled = rigid_mass(body)
    # mass left for the modes when the rigid motion follows freely; small inertia about a straight line is no fault
    left = C8 - coupled @ np.linalg.pinv(rigid, rcond=1e-13, hermitian=True) @ coupled.T
    if scipy.linalg.eigh(left, C8, eigvals_only=True)[0] <= 1e-9:
        raise InputError(
            f"body '{body.name}' can't be shifted so far: no mass would be left for a mode without its rigid part, "
            "which the frame contains as well; raise the frequency less, or reduce it with "
            "frame=modal.MeanDisplacement()"
        )
    # the comparison of its frequencies is no longer true
    return replace(body, C8=C8, notes=(*body.notes, *notes), accuracy=())
