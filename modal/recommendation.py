"""Which base functions to take: a proposal with its reasons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

import fem
from fem.common.errors import InputError, listing

from .attachment import Loads, craig_chang, inertia_modes, listed_loads, static_modes
from .basis import Basis
from .eigen import eigenmodes
from .inertia import FloatArray
from .judgement import Frequencies, ritz_modes
from .selection import combine
from .static import craig_bampton, interface_model

#: eigenmodes up to so many times the highest frequency of interest; the usual rule of component mode synthesis
REACH = 2.0
#: error of the free body's frequencies of interest that is aimed at
ACCURACY = 0.01


@dataclass(frozen=True, eq=False)
class Recommendation:
    """A basis and why it is this one."""

    basis: Basis
    reasons: tuple[str, ...]

    def report(self) -> str:
        """Return it as text."""
        return "\n".join(
            [f"{self.basis.kind}: {self.basis.N} base functions", *(f"  - {r}" for r in self.reasons)]
        )


def recommend(
    structure: fem.Structure, interfaces: Sequence[str], f_max: float, loads: Loads = ()
) -> Recommendation:
    """Return a basis for a body joined or loaded at ``interfaces`` that moves with frequencies up to ``f_max`` Hz.

    ``loads``: further loads on the body, as for :func:`modal.static_modes`, whose static shapes are added. The
    proposal is checked against the full model: modes are added until the free body's frequencies up to ``f_max`` are
    right within 1 %, or say that they are not.
    InputError for an unknown set, or an ``f_max`` that is not positive.
    """
    names = (interfaces,) if isinstance(interfaces, str) else tuple(interfaces)
    if not (np.isfinite(f_max) and f_max > 0):
        raise InputError(f"f_max is {f_max}; give the highest frequency that matters, in Hz")
    weak = [name for name in names if not fem.interface(structure, name).has_rotation]
    exact = _free_hz(structure, f_max)
    reasons: list[str] = []
    reach, error, basis = REACH, np.inf, None
    for _ in range(3):
        basis, told = _proposal(structure, names, weak, reach * f_max, 2 * len(exact))
        squares, _modes = ritz_modes(basis)
        error = np.inf  # fewer modes than the full model has
        if len(squares) >= (exact <= f_max).sum():
            error = Frequencies(np.sqrt(squares[: len(exact)]) / (2 * np.pi), exact[: len(squares)]).up_to(
                f_max
            )
        if error <= ACCURACY:
            break
        reach *= 1.5
    assert basis is not None
    reasons += told
    within = f"the free body's frequencies up to {f_max:g} Hz are right within {100 * max(error, 0):.2g} %"
    if not np.isfinite(error):
        within = f"it has fewer modes below {f_max:g} Hz than the free body"
    reasons.append(
        within if error <= ACCURACY else within + ": not as good as is aimed at; look at modal.judge"
    )
    if loads not in ((), None):
        extra = _under_loads(structure, names, weak, loads)
        basis = combine(basis, extra)
        reasons.append(
            f"{extra.N} static shapes of the loads on the body ({listing(extra.labels)}): exact at rest"
        )
    else:
        reasons.append(
            "no other loads than at the interfaces are named; give loads= for pressure, line loads and such"
        )
    highest = float(np.sqrt(squares[-1])) / (2 * np.pi)
    if highest > 10 * f_max:
        reasons.append(
            f"its highest frequency is about {highest:.3g} Hz; if the integration becomes slow by it, take "
            f"modal.lower(body, ceiling_hz={5 * f_max:.3g})"
        )
    return Recommendation(basis, tuple(reasons))


def _proposal(
    structure: fem.Structure, names: tuple[str, ...], weak: list[str], ceiling: float, guess: int
) -> tuple[Basis, list[str]]:
    if not names:
        n = len(_free_hz(structure, ceiling, guess))
        free = eigenmodes(structure, n)
        turning = inertia_modes(structure)
        return combine(free, turning), [
            f"no interfaces: {n} free modes up to {ceiling:.3g} Hz",
            "six static shapes under the forces of its own rotation, which no eigenmode gives alone",
        ]
    if weak:
        n = len(_free_hz(structure, ceiling, guess))
        return craig_chang(structure, names, n), [
            f"{listing(weak)} can't carry a moment, so no frame can be held there: residual attachment modes of unit "
            "forces (and moments where they can be), exact for slow loads at the interfaces",
            f"{n} modes of the free body up to {ceiling:.3g} Hz",
        ]
    reasons = [
        f"{6 * len(names)} constraint modes of {listing(names)} (averaged): exact for slow loads and motions there; "
        "six of them are the rigid motions, which reduce takes out",
    ]
    limit = max((structure.n - 6 * len(names)) // 3, 0)
    n = min(max(guess, 4), limit)
    while True:
        basis = craig_bampton(structure, names, n)
        if n == limit or basis.frequencies_hz[-1] > ceiling:
            break
        n = min(2 * n, limit)
    below = int((basis.frequencies_hz <= ceiling).sum())
    least = 1 if len(names) == 1 else 0
    keep = max(below, least)
    reasons.append(
        f"{keep} modes with the interfaces held, "
        + (f"all below {ceiling:.3g} Hz" if below else f"of which none is below {ceiling:.3g} Hz")
    )
    trimmed = Basis(
        structure,
        basis.Phi[:, : 6 * len(names) + keep],
        basis.labels[: 6 * len(names) + keep],
        basis.interfaces,
        basis.kind,
        basis.frequencies_hz[:keep],
    )
    return trimmed, reasons


def _free_hz(structure: fem.Structure, ceiling: float, guess: int = 8) -> FloatArray:
    """Return the free body's frequencies up to ``ceiling`` Hz and the next one; at most a third of the unknowns."""
    limit = max((structure.n - 6) // 3, 1)
    n = min(max(guess, 4), limit)
    while True:
        frequencies = fem.vibration(structure, n).frequencies_hz
        if frequencies[-1] > ceiling or n == limit:
            return np.asarray(frequencies[: int((frequencies <= ceiling).sum()) + 1])
        n = min(2 * n, limit)


def _under_loads(structure: fem.Structure, names: tuple[str, ...], weak: list[str], loads: Loads) -> Basis:
    """Return the shapes of loads with all frames held; of the free body where they can't be."""
    if not names or weak:
        return static_modes(structure, loads)
    listed = listed_loads(loads)
    forces = np.column_stack([fem.load_vector(structure, load) for load in listed.values()])
    shapes = interface_model(structure, names, "averaged").inverse(forces)
    return Basis(structure, shapes, tuple(listed), kind="static modes, interfaces held")
