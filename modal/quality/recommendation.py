"""The choice of base functions: a proposed basis with its reasons."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Sized
from dataclasses import dataclass

import numpy as np

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing, percent_at_most
from fem.common.known_attributes import KnownAttributes
from fem.common.names import as_names
from fem.common.numbers import is_number, shown
from fem.model.free_body_flexibility import flexibility_of

from ..bases.basis import Basis
from ..bases.constraint_modes import held_modes, with_constraint_modes
from ..bases.eigenmodes import free_modes
from ..bases.following_modes import following_modes
from ..bases.interfaces import Averaged, AveragedInterfaces
from ..bases.selection import combine
from ..bases.static_modes import Loads, craig_chang, inertia_modes, listed_loads, static_modes
from ..body.inertia import FloatArray
from .accuracy import Frequencies, ritz_modes

#: eigenmodes up to this many times the highest frequency of interest: the usual rule of component mode synthesis
CUTOFF_FACTOR = 2.0
#: intended relative error of the free body's frequencies of interest
FREQUENCY_TOLERANCE = 0.01
#: shapes of rotation below this part of the others' strain (root of energy) are left out: stiff and negligible
STRAIN_TOLERANCE = 0.01
#: number of modes at most; a body with more is slow (its C5 holds 9 N^2 numbers)
MAX_MODES = 100
#: number of modes of the first attempt
FIRST_MODES = 8


@dataclass(frozen=True, eq=False, repr=False)
class Recommendation(KnownAttributes):
    """A proposed basis and the reasons for it, the result of :func:`recommend`.

    Functions that take a basis also take a recommendation.

    Attributes
    ----------
    basis : Basis
        The basis.
    reasons : tuple of str
        The reasons, in sentences.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> proposal = modal.recommend(bar, ("x0", "x1"), f_max_hz=500.0)
    >>> modal.reduce(bar, proposal, name="bar")
    <ReducedBody 'bar': 20 base functions, 78.5 kg, frame MeanDisplacement, stiffened (Green's strain)>
    """

    basis: Basis
    reasons: tuple[str, ...]

    def __repr__(self) -> str:
        """Return the report, which is meant to be read."""
        return self.report()

    def report(self) -> str:
        """Return the proposal and its reasons as text.

        Returns
        -------
        str
            Several lines, to print.
        """
        return "\n".join(
            [f"{self.basis.kind}: {self.basis.N} base functions", *(f"  - {r}" for r in self.reasons)]
        )


@check_arguments
def recommend(
    structure: fem.Structure,
    interfaces: str | Sequence[str],
    *,
    f_max_hz: float,
    loads: Loads = (),
    follow: Sequence[str] = (),
) -> Recommendation:
    """Propose a basis for a body with given interfaces and frequencies of interest.

    The proposal is compared with the full model: modes are added until the free body's frequencies up to ``f_max_hz``
    are right within 1 %; if they are not, the reasons say so. For every ``f_max_hz``, however low, the body bends
    correctly by its own inertia in acceleration and rotation. :meth:`modal.ReducedBody.report` gives further measures
    of accuracy.

    Parameters
    ----------
    structure : fem.Structure
        The structure.
    interfaces : sequence of str
        Node sets at which joints or forces act. They are averaged: a joint holds their mean motion, and they deform. A
        set that is clamped all along, such as the four edges of a plate, needs
        ``modal.craig_bampton(interface=modal.Rigid())`` instead.
    f_max_hz : float, Hz
        Highest frequency of interest.
    loads : load, sequence or mapping
        Further loads on the body, as for :func:`modal.static_modes`; their static shapes are added.
    follow : sequence of str, optional
        Node sets along a line on which a contact moves, in their order; the shapes of :func:`modal.following_modes` for
        forces across it are added.

    Returns
    -------
    Recommendation
        The basis and the reasons for it.

    Raises
    ------
    InputError
        A set is unknown, or ``f_max_hz`` is not positive or lies above 100 modes.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modal.recommend(bar, ("x0", "x1"), f_max_hz=500.0).basis
    <Basis: 26 fields, Craig-Bampton, averaged interfaces + inertia modes, 'x0', 'x1' held, interfaces 'x0', 'x1'>
    """
    names = as_names(interfaces)
    if not is_number(f_max_hz) or not f_max_hz > 0:
        raise InputError(f"f_max_hz is {shown(f_max_hz)}; give the highest frequency of interest, in Hz")
    without_rotation = [name for name in names if not fem.interface(structure, name).has_rotation]
    model = _Model(structure, names, without_rotation)
    number = model.number(f_max_hz)
    if number > MAX_MODES:
        raise InputError(_too_many("the free body", f"{number} modes up to {f_max_hz:.4g} Hz", f_max_hz))
    exact = _up_to(model.free_hz, f_max_hz, model.limit(6), "the free body", f_max_hz, number + 1)
    reasons: list[str] = []
    if exact[0] > f_max_hz:
        reasons.append(
            f"the lowest frequency of the free body, {exact[0]:.5g} Hz, is above {f_max_hz:g} Hz: it follows its loads "
            "without vibrating. If its deflection is of no interest, fb.RigidBody is sufficient"
        )
    basis, notes, highest, error = _accurate(model, exact, f_max_hz)
    reasons += notes
    if exact[0] <= f_max_hz:
        reasons.append(_accuracy(f_max_hz, error))
    if exact[-1] <= f_max_hz:
        reasons.append(
            f"the mesh has {structure.n} unknowns; beyond {len(exact)} modes ({exact[-1]:.3g} Hz) it does not "
            f"represent the part: refine it, or lower f_max_hz = {f_max_hz:g}"
        )
    if loads is not None and (not isinstance(loads, Sized) or len(loads)):
        extra = _under_loads(structure, names, without_rotation, loads)
        basis = combine(basis, extra)
        reasons.append(
            f"{_count(extra.N, 'static shape')} of the loads on the body ({listing(extra.labels)}): exact at rest"
        )
    else:
        reasons.append(
            "no loads other than those at the interfaces are given; pass loads= for pressure, line loads and the like, "
            "follow=stations for a contact that moves along a line"
        )
    if len(follow):
        extra = following_modes(structure, follow)
        basis = combine(basis, extra)
        reasons.append(
            f"{_count(extra.N, 'static shape')} for forces at {len(follow)} stations, exact for a contact at rest at "
            "one of them. If their frequencies make the integration slow, keep the shape where the contact is alone: "
            "fb.FollowingShapes(name, joint)"
        )
        highest = float(np.sqrt(ritz_modes(basis)[0][-1])) / (2 * np.pi)
    matters = max(f_max_hz, float(exact[0]))
    if highest > 10 * matters:
        reasons.append(
            f"its highest frequency is about {highest:.3g} Hz; if this makes the integration slow, use "
            f"modal.lower(body, ceiling_hz={5 * matters:.3g}, matter_hz={matters:.3g})"
        )
    return Recommendation(basis, tuple(reasons))


def _accurate(model: _Model, exact: FloatArray, f_max_hz: float) -> tuple[Basis, list[str], float, float]:
    """Return the first proposal with accurate free frequencies ``exact`` up to ``f_max_hz`` Hz, or the third one.

    With its reasons, its highest frequency in Hz, and its error.
    """
    reach = CUTOFF_FACTOR
    for _ in range(3):
        basis, notes = _proposal(model, reach * f_max_hz, f_max_hz)
        squares, _modes = ritz_modes(basis)
        error = np.inf  # fewer modes than the full model has
        if len(squares) >= (exact <= f_max_hz).sum():
            found = Frequencies(np.sqrt(squares[: len(exact)]) / (2 * np.pi), exact[: len(squares)])
            error = found.up_to(f_max_hz)
        if error <= FREQUENCY_TOLERANCE:
            break
        reach *= 1.5
    return basis, notes, float(np.sqrt(squares[-1])) / (2 * np.pi), error


def _accuracy(f_max_hz: float, error: float) -> str:
    said = f"the free body's frequencies up to {f_max_hz:g} Hz are right within {percent_at_most(error)}"
    if not np.isfinite(error):
        said = f"it has fewer modes below {f_max_hz:g} Hz than the free body"
    return (
        said if error <= FREQUENCY_TOLERANCE else said + ": less accurate than intended, see modal.accuracy"
    )


class _Model:
    """The full model, factorised once, with the modes computed so far."""

    def __init__(self, structure: fem.Structure, names: tuple[str, ...], without_rotation: list[str]) -> None:
        self.structure, self.names, self.without_rotation = structure, names, without_rotation
        self.flexible = flexibility_of(structure)  # held, and found again by all that follows
        self.frames: AveragedInterfaces | None = None
        if names and not without_rotation:
            self.frames = Averaged().model(structure, names)
        self.held: tuple[FloatArray, FloatArray] = np.zeros(0), np.zeros((structure.n, 0))
        self.free: tuple[FloatArray, FloatArray] = np.zeros(0), np.zeros((structure.n, 0))

    def limit(self, n_held: int) -> int:
        """Return the number of modes that the mesh can represent: a third of its unknowns."""
        massive = int((self.structure.M.diagonal() > 0).sum())
        return max((min(massive, self.structure.n) - n_held) // 3, 0)

    def number(self, hz: float) -> int:
        """Return the number of modes of the free body up to ``hz``, or 0 where a few modes show that it is small.

        They are counted by one factorisation (see :func:`fem.count_below`), which costs less than to compute them.
        """
        limit = self.limit(6)
        if limit <= MAX_MODES or self.free_hz(FIRST_MODES)[-1] * (MAX_MODES / FIRST_MODES) ** 0.5 > hz:
            return 0
        try:
            return fem.count_below(self.structure.K, self.structure.M, (2 * np.pi * hz) ** 2) - 6
        except InputError:  # a solver that can't count
            return 0

    def free_hz(self, n: int) -> FloatArray:
        """Return Hz (n,) of the free body."""
        if n > len(self.free[0]):
            self.free = free_modes(self.structure, n)
        return self.free[0][:n]

    def held_hz(self, n: int) -> FloatArray:
        """Return Hz (n,) with all frames held."""
        assert self.frames is not None
        if n > len(self.held[0]):
            self.held = held_modes(self.structure, self.frames, n)
        return self.held[0][:n]


def _up_to(
    modes: Callable[[int], FloatArray],
    ceiling: float,
    limit: int,
    what: str,
    f_max_hz: float,
    first: int = FIRST_MODES,
) -> FloatArray:
    """Return frequencies up to ``ceiling`` Hz and the next one, of ``modes(n)``; ``limit`` of them at most.

    ``first``: number of modes of the first attempt, if more than a few.
    """
    n = min(max(FIRST_MODES, first), limit, MAX_MODES)
    while n:
        hz = modes(n)
        if hz[-1] > ceiling or n == limit:
            return np.asarray(hz[: int((hz <= ceiling).sum()) + 1])
        if n == MAX_MODES:
            asked = f", which asks for those up to {ceiling:g} Hz" if ceiling != f_max_hz else ""
            raise InputError(
                _too_many(what, f"{MAX_MODES} modes up to {hz[-1]:.4g} Hz already", f_max_hz, asked)
            )
        n = min(2 * n, limit, MAX_MODES)
    return np.zeros(0)


def _too_many(what: str, has: str, f_max_hz: float, asked: str = "") -> str:
    return (
        f"{what} has {has} and f_max_hz is {f_max_hz:g} Hz{asked}: more than {MAX_MODES} are too many for a body "
        "that is to be simulated. Give the highest frequency of interest in the machine, in Hz"
    )


def _proposal(model: _Model, ceiling: float, f_max_hz: float) -> tuple[Basis, list[str]]:
    structure, names = model.structure, model.names
    if model.frames is not None:
        return _held_proposal(model, ceiling, f_max_hz)
    n = len(_up_to(model.free_hz, ceiling, model.limit(6), "the free body", f_max_hz))
    if model.without_rotation:
        turning, notes = _turning(structure, inertia_modes(structure))
        return combine(craig_chang(structure, names, n_normal=n), turning), [
            f"{listing(model.without_rotation)} can't carry a moment, so no frame can be held there: residual "
            "attachment modes of unit forces (and moments where possible), exact for slow loads at the interfaces",
            notes,
            f"{_count(n, 'mode')} of the free body, up to {model.free_hz(n)[-1]:.4g} Hz",
        ]
    hz, shapes = model.free[0][:n], model.free[1][:, :n]
    labels = tuple(f"eigenmode {k + 1}, {f:.5g} Hz" for k, f in enumerate(hz))
    free = Basis(structure, shapes, labels, kind="free eigenmodes", frequencies_hz=hz)
    turning, notes = _turning(structure, inertia_modes(structure))
    return combine(free, turning), [f"no interfaces: {_count(n, 'free mode')}, up to {hz[-1]:.4g} Hz", notes]


def _held_proposal(model: _Model, ceiling: float, f_max_hz: float) -> tuple[Basis, list[str]]:
    frames, names = model.frames, model.names
    assert frames is not None
    limit = model.limit(frames.n_held)
    # held, the body has at most six more modes up to there than free (the rigid motions), and not many fewer
    first = model.number(ceiling) + 7
    hz = _up_to(model.held_hz, ceiling, limit, "the body with its interfaces held", f_max_hz, first)
    below = int((hz <= ceiling).sum())
    exact = "six of them are the rigid motions, which reduce takes out"
    if len(names) == 1:
        exact = "the rigid motions, which reduce takes out; a second interface would add static shapes"
    inertial, turning = _turning(
        model.structure, inertia_modes(model.structure, interfaces=names, rotation=True)
    )
    moving = sum("acceleration" in label for label in inertial.labels)
    reasons = [
        f"{6 * len(names)} constraint modes of {listing(names)} (averaged): {exact}",
        f"{_count(moving, 'static shape')} under its own inertia as it accelerates, interfaces held: with these, loads "
        "at the interfaces that change slowly are exact, deflections and stresses",
        turning,
        f"{_count(below, 'mode')} with the interfaces held, up to {ceiling:.4g} Hz"
        if below
        else f"no mode with the interfaces held is below {ceiling:.4g} Hz",
    ]
    hz, shapes = model.held
    basis = with_constraint_modes(model.structure, frames, hz[:below], shapes[:, :below])
    return combine(basis, inertial), reasons


def _turning(structure: fem.Structure, inertial: Basis) -> tuple[Basis, str]:
    """Return inertia modes without those rotations that hardly strain the body, and a sentence on the others."""
    strain = np.sqrt(
        np.maximum(np.einsum("ni,ni->i", inertial.Phi, structure.elastic_forces(inertial.Phi)), 0.0)
    )
    turns = np.array([label.startswith("rotation") for label in inertial.labels], dtype=bool)
    slight = turns & (strain < STRAIN_TOLERANCE * strain[turns].max(initial=0.0))
    kept = tuple(label for label, out in zip(inertial.labels, slight, strict=True) if not out)
    said = f"{_count(int((turns & ~slight).sum()), 'static shape')} under the forces of its own rotation, "
    if slight.any():
        left = listing(label for label, out in zip(inertial.labels, slight, strict=True) if out)
        said += (
            f"without {left}, which strain it by less than {100 * STRAIN_TOLERANCE:g} % of the others and are stiff: "
            "steady rotation is accurate to that, relative to the axis with the largest strain; "
            "modal.inertia_modes includes them"
        )
    else:
        said += "with which steady rotation is exact"
    return Basis(structure, inertial.Phi[:, ~slight], kept, inertial.interfaces, inertial.kind), said + (
        " (to first order: stiffening comes on top)"
    )


def _count(n: int, what: str) -> str:
    return f"{n} {what}{'s' * (n != 1)}"


def _under_loads(
    structure: fem.Structure, names: tuple[str, ...], without_rotation: list[str], loads: Loads
) -> Basis:
    """Return the shapes of loads with all frames held, or of the free body where they can't be held."""
    if not names or without_rotation:
        return static_modes(structure, loads)
    listed = listed_loads(loads)
    forces = np.column_stack([fem.load_vector(structure, load) for load in listed.values()])
    shapes = Averaged().model(structure, names).inverse(forces)
    return Basis(structure, shapes, tuple(listed), kind="static modes, interfaces held")
