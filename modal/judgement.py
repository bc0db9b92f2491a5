"""How good a basis or a reduced body is, against the finite-element model that it came from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg

import fem
from fem.common.errors import InputError, listing
from fem.flexibility import Flexibility, RigidMotion

from .basis import Basis
from .comparison import InterfaceEffect, interface_effect
from .inertia import FloatArray
from .reduced_body import ReducedBody
from .reduction import DEPENDENT, reduce
from .shifting import rigid_mass
from .static import craig_bampton


@dataclass(frozen=True, eq=False)
class Frequencies:
    """Frequencies of the reduced and of the full model, k-th beside k-th."""

    reduced_hz: FloatArray  # (n,)
    full_hz: FloatArray  # (n,)

    @property
    def error(self) -> FloatArray:
        """(n,) as a fraction; not below zero but for round-off (Rayleigh-Ritz)."""
        return self.reduced_hz / self.full_hz - 1

    def up_to(self, f_max: float) -> float:
        """Return the largest error of those whose full model's frequency is at most ``f_max`` Hz; 0 without any."""
        return float(self.error[self.full_hz <= f_max].max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Judgement:
    """What :func:`judge` found.

    ``free`` and ``held``: frequencies of the free body, and with all interface frames held (None without interfaces).
    ``static_error`` {interface: (3,) or (6,)}: part of the deflection under unit forces and moments, balanced by the
    body's inertia, that is missing. ``effective_mass`` (k,6): parts of the body's mass and moments of inertia about
    its centre that the modes with held interfaces move along and about x, y, z. ``match`` (n,n): |phi' M psi| of the
    full model's free modes (rows) and the reduced one's; of a basis only. ``rigid``: what rigid interfaces would do,
    or in ``without_rigid`` why it is not known.
    """

    name: str
    N: int
    free: Frequencies
    held: Frequencies | None
    static_error: dict[str, FloatArray]
    effective_mass: FloatArray
    match: FloatArray | None
    rigid: InterfaceEffect | None
    without_rigid: str
    notes: tuple[str, ...]

    def report(self) -> str:
        """Return it as text."""
        lines = [f"{self.name}: {self.N} base functions"]
        lines += _table("free body", self.free)
        if self.held is not None:
            lines += _table("interfaces held", self.held)
            if not len(self.held.reduced_hz):
                lines.append(
                    "  interfaces held: no modes at all; vibration between the interfaces is missing"
                )
        if self.static_error:
            lines.append("  static: part of the deflection under unit loads that is missing [%]")
            lines.append(
                "  " + " " * 16 + "".join(f"{axis:>9}" for axis in ("Fx", "Fy", "Fz", "Mx", "My", "Mz"))
            )
            lines += [f"    {name:14.14s}" + _percent(errors) for name, errors in self.static_error.items()]
        if len(self.effective_mass):
            total = self.effective_mass.sum(axis=0)
            lines.append("  effective masses, interfaces held [% of the body's]")
            lines += [
                f"    {row:14.14s}" + _percent(values)
                for row, values in (("together", total), *_largest(self.effective_mass))
            ]
        if self.match is not None:
            best = ", ".join(f"{value:.4f}" for value in self.match.max(axis=1))
            lines.append(
                f"  each free mode of the full model beside the one most like it (1: the same): {best}"
            )
        if self.rigid is not None:
            worst = self.rigid.increase.max()
            lines.append(
                f"  rigid in place of averaged interfaces would raise the frequencies by up to {100 * worst:.2f} %"
            )
        elif self.without_rigid:
            lines.append(f"  rigid against averaged interfaces: {self.without_rigid}")
        return "\n".join([*lines, *(f"  {note}" for note in self.notes)])


def judge(
    structure: fem.Structure,
    reduced: Basis | ReducedBody,
    interfaces: Sequence[str] | None = None,
    n: int = 8,
) -> Judgement:
    """Return how well a basis or a reduced body stands for ``structure``: its lowest ``n`` frequencies, and statics.

    ``interfaces``: those of the basis by default. Costs two factorisations and 2 n modes of the full model, and half
    as much again for rigid interfaces. InputError if ``reduced`` belongs to another structure.
    """
    body = reduced if isinstance(reduced, ReducedBody) else reduce(structure, reduced, stiffening=False)
    if abs(body.mass - structure.mass) > 1e-9 * structure.mass:
        raise InputError(
            f"body '{body.name}' weighs {body.mass:.6g} kg and the structure {structure.mass:.6g} kg: it was made from "
            "another one"
        )
    named = _interfaces_of(reduced) if interfaces is None else dict.fromkeys(interfaces, "averaged")
    unknown = [name for name in named if name not in body.markers]
    if unknown:
        raise InputError(
            f"body '{body.name}' has no interfaces {listing(unknown)}; it has {listing(body.markers)}"
        )
    small = _Small(body)
    n = min(n, body.N, max((structure.n - 6 * (1 + len(named))) // 3, 1))
    free_modes = fem.vibration(structure, n)
    free = Frequencies(small.free_hz()[:n], free_modes.frequencies_hz)
    turning = [name for name in named if body.markers[name].has_rotation]
    held, effective = None, np.zeros((0, 6))
    if turning and len(turning) == len(named):
        kind = next(iter(named.values()))
        hz, effective = small.held(turning)
        count = min(n, len(hz))
        full = craig_bampton(structure, turning, count, kind).frequencies_hz
        held = Frequencies(hz[:count], full)
    rigid, why = _rigid(structure, turning, n)
    return Judgement(
        name=body.name,
        N=body.N,
        free=free,
        held=held,
        static_error=_static_errors(structure, small, list(named)),
        effective_mass=effective,
        match=_match(reduced, free_modes.shapes) if isinstance(reduced, Basis) else None,
        rigid=rigid,
        without_rigid=why,
        notes=body.notes,
    )


class _Small:
    """A reduced body as a free linear model: rigid motion about its centre, and modes without mean motion.

    In whatever frame the body was reduced: with Phi_i less its mean rigid motion, R (R' M R)^-1 R' M Phi_i, the mass
    matrix is block diagonal.
    """

    def __init__(self, body: ReducedBody) -> None:
        self.body = body
        rigid, coupled = rigid_mass(body)
        self.center = np.asarray(body.C1) / body.mass
        mean = np.linalg.pinv(rigid, rcond=1e-13, hermitian=True) @ coupled.T  # (6,N) about the origin
        self.mean = mean
        M = np.asarray(body.C8) - coupled @ mean
        self.M = 0.5 * (M + M.T)
        to_center = _carried(self.center)  # of the origin's motion to the centre's
        inverse = np.linalg.inv(to_center)
        self.rigid = inverse.T @ rigid @ inverse

    def rows(self, name: str) -> tuple[FloatArray, FloatArray]:
        """Return the motion of a marker (3 or 6) by the rigid motion (.., 6) and by the modes (.., N)."""
        marker = self.body.markers[name]
        count = 6 if marker.has_rotation else 3
        modes = np.vstack([marker.Phi, marker.B]) - _carried(marker.point) @ self.mean
        return _carried(marker.point - self.center)[:count], modes[:count]

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


def _carried(arm: FloatArray) -> FloatArray:
    """Return (6,6): motion at ``arm`` from a point's rigid motion there, displacement + rotation cross arm."""
    carried = np.eye(6)
    carried[:3, 3:] = np.cross(np.eye(3), arm).T
    return carried


def _static_errors(structure: fem.Structure, small: _Small, names: Sequence[str]) -> dict[str, FloatArray]:
    """Return 1 - reduced / full deflection under each unit load along itself, in inertia relief."""
    if not names:
        return {}
    flexible = Flexibility(structure)
    errors = {}
    for name in names:
        _, modes = small.rows(name)
        T = fem.interface(structure, name).T[: len(modes)]
        full = (T @ flexible.relieved(T.T.toarray())).diagonal()
        found = np.einsum("ki,ik->k", modes, np.linalg.solve(small.body.K, modes.T))
        errors[name] = 1 - found / full
    return errors


def ritz_modes(basis: Basis) -> tuple[FloatArray, FloatArray]:
    """Return omega^2 (N',) and the free modes (unknowns, N') that a basis gives, mass-orthonormal, elastic only."""
    structure = basis.structure
    Phi = RigidMotion(structure).elastic(basis.Phi)
    size = np.sqrt(np.maximum(np.einsum("ui,ui->i", basis.Phi, structure.inertia_forces(basis.Phi)), 1e-300))
    Phi = Phi / size
    values, vectors = np.linalg.eigh(Phi.T @ structure.inertia_forces(Phi))
    keep = values > DEPENDENT * values[-1]
    Phi = Phi @ (vectors[:, keep] / np.sqrt(values[keep]))
    squares, Z = np.linalg.eigh(Phi.T @ (structure.K @ Phi))
    return squares, Phi @ Z


def _match(basis: Basis, full: FloatArray) -> FloatArray:
    """Return |phi' M psi| (n,n) of the full model's free modes phi and those of the basis psi."""
    _, modes = ritz_modes(basis)
    n = min(full.shape[1], modes.shape[1])
    return np.abs(full[:, :n].T @ basis.structure.inertia_forces(modes[:, :n]))


def _rigid(structure: fem.Structure, names: Sequence[str], n: int) -> tuple[InterfaceEffect | None, str]:
    if not names:
        return None, ""
    try:
        return interface_effect(structure, names, n), ""
    except InputError as error:
        return None, str(error)


def _interfaces_of(reduced: Basis | ReducedBody) -> dict[str, str]:
    """Return {name: kind} of the interfaces."""
    if isinstance(reduced, Basis):
        return {interface.name: interface.kind for interface in reduced.interfaces}
    known = reduced.provenance.get("interfaces", "")
    kinds = ("averaged", "rigid")
    return {name: kind for name in reduced.markers for kind in kinds if f"{name} ({kind})" in known}


def _percent(values: FloatArray) -> str:
    """Return a row of per cents; what is round-off is written 0."""
    return "".join(f"{100 * value * (abs(value) > 1e-8):9.3g}" for value in values)


def _table(title: str, both: Frequencies) -> list[str]:
    if not len(both.full_hz):
        return []
    head = f"  {title:20s} full [Hz]  reduced [Hz]   error [%]"
    rows = zip(both.full_hz, both.reduced_hz, both.error, strict=True)
    return [head, *(f"    {k:3d} {a:22.6g} {b:13.6g} {100 * e:11.3g}" for k, (a, b, e) in enumerate(rows, 1))]


def _largest(effective: FloatArray) -> list[tuple[str, FloatArray]]:
    """Return the modes that move a tenth of the mass or more in some direction."""
    large = np.flatnonzero(effective.max(axis=1) >= 0.1)
    return [(f"mode {k + 1}", effective[k]) for k in large[:8]]
