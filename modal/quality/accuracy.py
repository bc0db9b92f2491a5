"""The accuracy of a basis or of a reduced body, compared with the finite-element model it was made from."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import FlexbodyWarning, InputError, in_percent, listing, percent, percent_at_most
from fem.common.known_attributes import KnownAttributes
from fem.common.names import as_names, with_match
from fem.common.numbers import is_count
from fem.common.short_repr import short_repr
from fem.model.free_body_flexibility import RigidMotion, flexibility_of

from ..bases.basis import Basis, Proposal, basis_of
from ..bases.constraint_modes import held_modes
from ..bases.eigenmodes import free_modes
from ..bases.interfaces import Averaged, Rigid, RigidInterfaces
from ..body.inertia import FloatArray
from ..body.reduced_body import Marker, ReducedBody
from ..body.rigid_motion import elastic_motion, mean_motion, motion_at, rigid_mass
from ..reduction.reduce import DEPENDENCE_TOLERANCE, reduce
from .interface_effect import InterfaceEffect, tied_eigenmodes

_AXES = "Fx Fy Fz Mx My Mz"


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Frequencies of the reduced and of the full model, in pairs of ascending order."""

    reduced_hz: FloatArray  # (n,)
    full_hz: FloatArray  # (n,)

    __repr__ = short_repr

    @property
    def error(self) -> FloatArray:
        """(n,) relative errors; not negative except by round-off (Rayleigh-Ritz)."""
        return self.reduced_hz / self.full_hz - 1

    def up_to(self, f_max_hz: float) -> float:
        """Return the largest error of the frequencies up to ``f_max_hz`` Hz of the full model; 0 if there are none."""
        return float(self.error[self.full_hz <= f_max_hz].max(initial=0.0))

    def within(self, error: float = 0.01) -> float:
        """Return the full model's frequency, Hz, up to which all errors are at most ``error``; 0: none.

        If all are within it, this is the last frequency that was compared.
        """
        wrong = np.flatnonzero(self.error > error)
        right = self.full_hz[: wrong[0]] if len(wrong) else self.full_hz
        return float(right[-1]) if len(right) else 0.0


@dataclass(frozen=True, eq=False)
class Accuracy(KnownAttributes):
    """Accuracy of a basis or reduced body, the result of :func:`accuracy`.

    Attributes
    ----------
    name : str
        Name of the body.
    N : int
        Number of base functions.
    free, held : Frequencies
        Frequencies of the free body, and with all interface frames held (None without interfaces).
    static_error : dict of str to array (3,) or (6,)
        For each interface the missing fraction of the deflection under unit forces and moments that are balanced by
        the body's inertia.
    static_deflection : dict of str to array (3,) or (6,), m/N and rad/(N m)
        The same deflections of the full model.
    effective_mass : array (k, 6)
        Effective masses of the modes with held interfaces, along and about x, y, z, as fractions of the body's mass
        and moments of inertia about its centre of mass.
    match : array (n, n), optional
        Correlation |phi' M psi| of the full model's free modes (rows) and the reduced ones; for a basis only.
    rigid : InterfaceEffect, optional
        Effect of rigid interfaces on the free frequencies; None where each interface is one node.
    without_rigid : str
        The reason where ``rigid`` is not known.
    kinds : dict of str to str
        "averaged" or "rigid" for each interface.
    notes : tuple of str
        Notes of the reduction.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> found = modal.accuracy(bar, modal.craig_bampton(bar, ("x0", "x1"), n_normal=4), n=4)
    >>> bool(found.free.error.max() < 0.01)
    True
    >>> (100 * found.static_error["x1"]).round(1).tolist()  # missing deflection in per cent
    [25.0, 0.4, 0.4, 25.0, 0.0, 0.0]
    """

    name: str
    N: int
    free: Frequencies
    held: Frequencies | None
    static_error: dict[str, FloatArray]
    static_deflection: dict[str, FloatArray]
    effective_mass: FloatArray
    match: FloatArray | None
    rigid: InterfaceEffect | None
    without_rigid: str
    kinds: dict[str, str]  # of the interfaces: averaged or rigid
    notes: tuple[str, ...]

    def __repr__(self) -> str:
        """Return two lines; :meth:`report` says more."""
        return f"<Accuracy of {self.name!r}: {self.N} base functions\n{self._verdict()}>"

    def report(self) -> str:
        """Return the findings as text, with the name of the body and its notes.

        Returns
        -------
        str
            Several lines, to print.
        """
        head = f"{self.name}: {self.N} base functions"
        return "\n".join([head, *self.lines(), *(f"  {note}" for note in self.notes)])

    def lines(self) -> list[str]:
        """Return the findings as lines of text.

        Returns
        -------
        list of str
            One line each.
        """
        lines = [self._verdict(), *_table("free body", self.free, self.rigid)]
        if self.held is not None:
            lines += _table("interfaces held", self.held)
            if not len(self.held.reduced_hz):
                lines.append(
                    "  interfaces held: no modes at all; vibration between the interfaces is missing"
                )
        if self.static_error:
            lines.append("  static: missing part of the deflection under unit loads [%]")
            lines.append(_row("", _AXES.split()))
            for name, errors in self.static_error.items():
                lines.append(f"    {name:14.14s}" + _percent(errors))
                # a missing part of a negligible deflection does no harm
                sizes = self.static_deflection[name]
                lines.append(_row("nm/N, nrad/N m", [f"{1e9 * value:.3g}" for value in sizes]))
        if len(self.effective_mass):
            total = self.effective_mass.sum(axis=0)
            lines.append(
                "  effective masses and moments of inertia of the modes with interfaces held [% of the body's]"
            )
            lines.append(_row("", _AXES.replace("F", "m").replace("M", "J").split()))
            lines += [
                f"    {row:14.14s}" + _percent(values)
                for row, values in (("together", total), *_largest(self.effective_mass))
            ]
        if self.match is not None:
            best = ", ".join(f"{value:.4f}" for value in self.match.max(axis=1))
            lines.append(
                f"  correlation of each free mode of the full model with the closest reduced one (1: equal): {best}"
            )
        return [*lines, *self._rigid_words()]

    def _verdict(self) -> str:
        said = [f"free {_accurate_range(self.free)}"]
        if self.held is not None and len(self.held.full_hz):
            said.append(f"interfaces held {_accurate_range(self.held)}")
        return f"  frequencies right within 1 %, of those compared: {', '.join(said)}"

    def _rigid_words(self) -> list[str]:
        if self.rigid is None:
            return (
                [f"  rigid against averaged interfaces: {self.without_rigid}"] if self.without_rigid else []
            )
        worst = percent_at_most(self.rigid.increase.max())
        if "rigid" in self.kinds.values():
            return [f"  its interfaces are rigid: that alone raises the free frequencies by up to {worst}"]
        return [f"  rigid in place of averaged interfaces would raise the free frequencies by up to {worst}"]


@check_arguments
def accuracy(
    structure: fem.Structure,
    reduced: Basis | Proposal | ReducedBody,
    *,
    interfaces: str | Sequence[str] | None = None,
    n: int = 8,
) -> Accuracy:
    """Compare a basis or a reduced body with the full model: its lowest frequencies and its static deflections.

    Parameters
    ----------
    structure : fem.Structure
        The structure from which the basis or body was made.
    reduced : Basis, Recommendation or ReducedBody
        The basis or body.
    interfaces : sequence of str, optional
        Interfaces to load and hold; by default those of the basis.
    n : int
        Number of frequencies to compare.

    Returns
    -------
    Accuracy
        The findings; ``report()`` gives them as text.

    Raises
    ------
    InputError
        ``reduced`` belongs to another structure or was turned since, or an interface is unknown.

    Notes
    -----
    This costs two factorisations and 3 n modes of the full model, about twice the time of the reduction. The structure
    keeps these modes: a second basis or body with the same interfaces and ``n`` takes a small part of this time.

    Examples
    --------
    >>> import fem, modal
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> found = modal.accuracy(bar, modal.craig_bampton(bar, ("x0", "x1"), n_normal=4), n=4)
    >>> print(found.lines()[0].strip())
    frequencies right within 1 %, of those compared: free up to 1426.4 Hz, interfaces held up to 1439.9 Hz
    """
    basis, body = _basis_and_body(structure, reduced)
    if abs(body.mass - structure.mass) > 1e-9 * structure.mass:
        raise InputError(
            f"body '{body.name}' weighs {body.mass:.6g} kg and the structure {structure.mass:.6g} kg: it was made from "
            "another one"
        )
    kinds = _kinds_of_interfaces(body)
    named = kinds
    if interfaces is not None:
        named = {name: kinds.get(name, "averaged") for name in as_names(interfaces)}
    unknown = [name for name in named if name not in body.sets]
    if unknown:
        raise InputError(
            f"body '{body.name}' has no interfaces {with_match(unknown, body.sets)}; it has {listing(body.sets)}"
        )
    if not is_count(n):
        raise InputError(f"n is {n!r}; give the number of frequencies to compare, such as 8")
    small = _Small(body)
    inertia = structure.inertia
    if np.abs(small.rigid[3:, 3:] - inertia).max() > 1e-6 * np.abs(inertia).max():
        raise InputError(
            f"body '{body.name}' has other moments of inertia than the structure: it was turned since, or made from "
            "another one. Compare it as it was reduced"
        )
    full = _Full(structure, named, body.markers)
    n = min(n, body.N, max((structure.n - 6 * (1 + len(named))) // 3, 1))
    hz, shapes = full.free(n)
    held, effective = None, np.zeros((0, 6))
    if full.can_be_held:
        reduced_hz, effective = small.held(full.turning)
        count = min(n, len(reduced_hz))
        held = Frequencies(reduced_hz[:count], full.held_hz(count))
    rigid, why = full.rigid_effect(hz)
    deflection = {name: full.deflection(name, body.markers[name]) for name in named}
    return Accuracy(
        name=body.name,
        N=body.N,
        free=Frequencies(small.free_hz()[:n], hz),
        held=held,
        static_error={name: small.static_error(name, u) for name, u in deflection.items()},
        static_deflection=deflection,
        effective_mass=effective,
        match=None if basis is None else _match(basis, shapes),
        rigid=rigid,
        without_rigid=why,
        kinds=named,
        notes=body.notes,
    )


def _basis_and_body(
    structure: fem.Structure, given: Basis | Proposal | ReducedBody
) -> tuple[Basis | None, ReducedBody]:
    """Return the basis that was given, or None, and the body."""
    if isinstance(given, ReducedBody):
        return None, given
    basis = basis_of(given)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FlexbodyWarning)  # the result says the same
        return basis, reduce(structure, basis, stiffening=False)


class _Full:
    """The finite-element model: K factorised free and with held interfaces; the structure keeps its modes."""

    def __init__(
        self, structure: fem.Structure, named: Mapping[str, str], markers: Mapping[str, Marker]
    ) -> None:
        self.structure, self.flexible = structure, flexibility_of(structure)
        self.averaged = "rigid" not in named.values()
        self.turning = [name for name in named if markers[name].has_rotation]
        self.all_turn = bool(self.turning) and len(self.turning) == len(named)
        self.compared = self.turning
        if self.averaged:  # one node with rotations is its own frame, averaged or rigid
            self.compared = [name for name in self.turning if len(structure.mesh.nodes_of(name)) > 1]

    @cached_property
    def stiff(self) -> tuple[RigidInterfaces | None, str]:
        """The compared interfaces as rigid ones, or None and the reason why they can't be (empty without any)."""
        mesh = self.structure.mesh
        if len({int(k) for name in self.compared for k in mesh.nodes_of(name)}) == mesh.n_nodes:
            return None, "the interfaces hold all nodes: rigid ones leave nothing that bends"
        try:
            return (Rigid().model(self.structure, self.compared) if self.compared else None), ""
        except InputError as error:
            return None, str(error)

    @property
    def can_be_held(self) -> bool:
        """Whether the body has modes with all its interfaces held."""
        return self.all_turn and (self.averaged or self.stiff[0] is not None)

    def free(self, n: int) -> tuple[FloatArray, FloatArray]:
        """Return Hz (n,) and shapes (unknowns, n) of the lowest modes of the free body."""
        hz, shapes = self._kept(("free", n), lambda: free_modes(self.structure, n))
        return hz, shapes

    def held_hz(self, n: int) -> FloatArray:
        """Return the lowest frequencies, Hz (n,), with all interfaces held."""
        (hz,) = self._kept(("held", self.averaged, *self.turning, n), lambda: self._find_held(n))
        return np.asarray(hz)

    def _find_held(self, n: int) -> tuple[FloatArray]:
        model = Averaged().model(self.structure, self.turning) if self.averaged else self.stiff[0]
        assert model is not None  # can_be_held
        return (held_modes(self.structure, model, n)[0],)

    def _kept(self, asked: tuple, find: Callable[[], tuple]) -> tuple:
        """Return what the structure keeps under ``asked``; what is not there is found first."""
        modes = self.structure.shared.modes
        if asked not in modes:
            found = find()
            for values in found:
                if isinstance(values, np.ndarray):
                    values.setflags(write=False)  # several results hold them
            modes[asked] = found
        return modes[asked]

    def deflection(self, name: str, marker: Marker) -> FloatArray:
        """Return the deflection of an interface, (3,) or (6,), under each unit load along itself, in inertia relief."""
        T = fem.interface(self.structure, name).T[: 6 if marker.has_rotation else 3]
        return np.asarray((T @ self.flexible.relieved(T.T.toarray())).diagonal())

    def rigid_effect(self, free_hz: FloatArray) -> tuple[InterfaceEffect | None, str]:
        """Return the effect of rigid interfaces on the free frequencies, or the reason why it is not known."""
        n = len(free_hz)
        rigid, why = self._kept(("rigid", *self.compared, n), lambda: self._find_rigid(n))
        return (
            InterfaceEffect(tuple(self.compared), free_hz[: len(rigid)], rigid) if len(rigid) else None
        ), why

    def _find_rigid(self, n: int) -> tuple[FloatArray, str]:
        """Return up to n free frequencies with rigid interfaces, Hz; where there are none, the reason."""
        stiff, why = self.stiff
        if stiff is None:
            return np.zeros(0), why
        n = min(n, (self.structure.n - stiff.n_held) // 3)
        if n < 1:
            return np.zeros(0), "rigid interfaces leave no part of the structure free to vibrate"
        return tied_eigenmodes(self.structure, n, self.compared, stiff).frequencies_hz, ""


class _Small:
    """A reduced body as a free linear model: rigid motion about its centre of mass, and modes without mean motion.

    This holds for every frame of reduction: with Phi_i less its mean rigid motion, R (R' M R)^-1 R' M Phi_i, the mass
    matrix is block diagonal.
    """

    def __init__(self, body: ReducedBody) -> None:
        self.body = body
        rigid, coupled = rigid_mass(body)
        self.center = np.asarray(body.C1) / body.mass
        M = np.asarray(body.C8) - coupled @ mean_motion(body)
        self.M = 0.5 * (M + M.T)
        to_center = motion_at(self.center)  # from the motion of the origin to that of the centre
        inverse = np.linalg.inv(to_center)
        self.rigid = inverse.T @ rigid @ inverse

    def rows(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return the motion of a marker (3 or 6) by the rigid motion (.., 6) and by the modes (.., N)."""
        modes = elastic_motion(self.body, name)
        return motion_at(self.body.markers[name].point - self.center)[: len(modes)], modes

    def free_hz(self) -> FloatArray:
        squares = scipy.linalg.eigh(self.body.K, self.M, eigvals_only=True)
        return np.asarray(np.sqrt(np.maximum(squares, 0)) / (2 * np.pi))

    def held(self, names: Sequence[str]) -> tuple[FloatArray, FloatArray]:
        """Return frequencies (k,) with interfaces held, and effective masses (k,6) as parts of the body's."""
        N = self.body.N
        K = scipy.linalg.block_diag(np.zeros((6, 6)), self.body.K)
        M = scipy.linalg.block_diag(self.rigid, self.M)
        rows = np.vstack([np.hstack(self.rows(name)) for name in names])
        scale = 1 / np.sqrt(np.maximum(M.diagonal(), 1e-300))  # comparable coordinates
        rows = rows * scale
        Z = scale[:, None] * scipy.linalg.null_space(rows / np.linalg.norm(rows, axis=1)[:, None], rcond=1e-9)
        if Z.shape[1] == 0:
            return np.zeros(0), np.zeros((0, 6))
        squares, Y = scipy.linalg.eigh(Z.T @ K @ Z, Z.T @ M @ Z)
        shares = (Z @ Y).T @ M @ np.eye(6 + N, 6)
        inertia = np.maximum(self.rigid.diagonal(), 1e-300)
        return np.sqrt(np.maximum(squares, 0)) / (2 * np.pi), shares**2 / inertia

    def static_error(self, name: str, full: FloatArray) -> FloatArray:
        """Return 1 - reduced / full deflection of a marker under each unit load along itself, (3,) or (6,)."""
        _, modes = self.rows(name)
        found = np.einsum("ki,ik->k", modes, np.linalg.solve(self.body.K, modes.T))
        return np.asarray(1 - found / full)


def ritz_modes(basis: Basis) -> tuple[FloatArray, FloatArray]:
    """Return omega^2 (N',) and the free elastic modes (unknowns, N') of a basis, mass-orthonormal."""
    structure = basis.structure
    Phi = RigidMotion(structure).elastic(basis.Phi)
    size = np.sqrt(np.maximum(np.einsum("ui,ui->i", basis.Phi, structure.inertia_forces(basis.Phi)), 1e-300))
    Phi = Phi / size
    values, vectors = np.linalg.eigh(Phi.T @ structure.inertia_forces(Phi))
    keep = values > DEPENDENCE_TOLERANCE * values[-1]
    Phi = Phi @ (vectors[:, keep] / np.sqrt(values[keep]))
    squares, Z = np.linalg.eigh(Phi.T @ structure.elastic_forces(Phi))
    return squares, Phi @ Z


def _match(basis: Basis, full: FloatArray) -> FloatArray:
    """Return |phi' M psi| (n,n) of the full model's free modes phi and those of the basis psi."""
    _, modes = ritz_modes(basis)
    n = min(full.shape[1], modes.shape[1])
    return np.abs(full[:, :n].T @ basis.structure.inertia_forces(modes[:, :n]))


def _kinds_of_interfaces(body: ReducedBody) -> dict[str, str]:
    """Return {name: kind} of the interfaces, which the provenance of the body names."""
    known = body.provenance.get("interfaces", "").split(", ")
    kinds = ("averaged", "rigid")
    return {name: kind for name in body.markers for kind in kinds if f"{name} ({kind})" in known}


def _percent(values: Iterable[float], width: int = 9) -> str:
    """Return a row of percentages; round-off is written as 0."""
    return "".join(f"{in_percent(value):>{width}}" for value in values)


def _accurate_range(both: Frequencies) -> str:
    right = both.within()
    return f"up to {right:.5g} Hz" if right else f"none (the lowest is {percent(both.error[0])} off)"


def _row(name: str, words: Sequence[str]) -> str:
    return f"    {name:14.14s}" + "".join(f"{word:>9}" for word in words)


def _table(title: str, both: Frequencies, rigid: InterfaceEffect | None = None) -> list[str]:
    if not len(both.full_hz):
        return []
    more = [] if rigid is None else list(rigid.increase)
    head = f"  {title:20s} full [Hz]  reduced [Hz]   error [%]" + "   rigid interfaces [%]" * bool(more)
    lines = [head]
    for k, (full, reduced, error) in enumerate(zip(both.full_hz, both.reduced_hz, both.error, strict=True)):
        line = f"    {k + 1:3d} {full:22.6g} {reduced:13.6g}" + _percent([error], 11)
        lines.append(line + (_percent([more[k]], 23) if k < len(more) else ""))
    return lines


def _largest(effective: FloatArray) -> list[tuple[str, FloatArray]]:
    """Return the modes that move at least a tenth of the mass in some direction."""
    large = np.flatnonzero(effective.max(axis=1) >= 0.1)
    return [(f"mode {k + 1}", effective[k]) for k in large[:8]]
