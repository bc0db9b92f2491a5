"""Straight beams from assumed base functions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import InputError

from ..body.axial_energy import AxialEnergy
from ..body.inertia import FloatArray
from ..body.reduced_body import Marker, Recovery, ReducedBody
from ..reduction.axial_modes import AxialModes
from ..reduction.frames import Field, ReferenceFrame, checked, inertia_in
from .polynomials import (
    Function,
    check_independent,
    derivatives,
    guarded,
    quadrature,
)

#: a property along the beam: a number, or a function of s
Along = float | Function

_MIN_POINTS = 96  # Gauss-Legendre points at least: exact to degree 191, sines to the 20th to rounding


@check_arguments(own=("frame",))
def beam(
    length: float,
    *,
    mass: float | None = None,
    rho: float | None = None,
    area: Along | None = None,
    EI: Along | tuple[Along, Along] | None = None,
    EA: Along | None = None,
    polar_inertia: float = 0.0,
    y: Sequence[Any] = (),
    z: Sequence[Any] = (),
    x: Sequence[Any] = (),
    frame: ReferenceFrame | None = None,
    markers: Mapping[str, float] | None = None,
    stiffening: AxialModes | bool | None = None,
    name: str = "beam",
) -> ReducedBody:
    """Return a straight Bernoulli-Euler beam along e_1 whose deflections are sums of given functions.

    The base functions of the body are the functions of ``y``, then ``z``, then ``x``. They are not orthogonalised, so
    that the modal coordinates alpha (m) are their coefficients. See :mod:`modal.assumed` for the forms of a function.

    Parameters
    ----------
    length : float, m
        Length.
    mass : float, kg, optional
        Mass of a uniform beam; or give ``rho`` and ``area``.
    rho : float, kg/m^3, optional
        Density.
    area : float or function of s, m^2, optional
        Area of the cross section.
    EI : float, function of s, or a pair, N m^2, optional
        Bending stiffness in y (EI_3) and in z (EI_2), one for both or a pair.
    EA : float or function of s, N, optional
        Axial stiffness, needed with ``x``.
    polar_inertia : float, kg m^2
        Moment of inertia of the whole beam about its axis. Zero, as in Koppens, leaves the beam's spin without
        inertia.
    y, z, x : sequence of functions
        Deflections along e_2, e_3 and e_1.
    frame : rigid-body condition, optional
        :class:`MeanDisplacement` by default; Unchanged and Chord measure x from s = 0.
    markers : mapping of str to float, optional
        Further markers {name: s in m}; "start", "middle" and "end" exist. They turn with the slopes.
    stiffening : AxialModes or False, optional
        ``AxialModes()`` includes the axial force of the functions ``x`` in the strain energy, (C.21) completed
        (:mod:`modal.reduction.axial_modes`). There are no second-order terms for analytic functions. False is linear
        theory without later warnings.
    name : str
        Name of the body.

    Returns
    -------
    ReducedBody
        The body.

    Raises
    ------
    InputError
        A property is missing, not positive, or given twice; a function is not of an allowed form; functions depend on
        each other, add up to a rigid motion, or have more waves than can be integrated.

    Notes
    -----
    The strain energy is Koppens (3.3): EI v''^2 / 2 + EA u'^2 / 2, integrated over s. The rotary inertia of the cross
    sections is neglected.

    Examples
    --------
    >>> import modal
    >>> rod = modal.assumed.beam(0.3, mass=0.1, EI=12.7, y=modal.assumed.quintic(), name="rod")
    >>> rod.frequencies_hz.round(1)
    array([ 246.3,  693.5, 2438.1, 4973.9])
    """
    frame = checked(frame)
    if not (np.isfinite(length) and length > 0):
        raise InputError(f"beam '{name}' has the length {length}; it must be a positive number of metres")
    bases = [_Direction(name, axis, functions, length) for axis, functions in ((1, y), (2, z), (0, x))]
    s, weights = _points(name, bases, length)
    K = _stiffness(name, bases, EI, EA, s, weights)
    raw = _field(name, length, bases, s, weights * _line_mass(name, length, mass, rho, area, s), markers)
    check_independent(f"beam '{name}' (counted from 0: y, z, x)", raw, K)
    shaped, origin = frame.impose(raw)
    inertia = inertia_in(frame, shaped)
    inertia["C3"] = inertia["C3"] + np.diag([polar_inertia, 0.0, 0.0])
    turn = shaped.markers["start"].B - raw.markers["start"].B
    # drawn with this radius
    radius = 0.02 * length
    if area is not None:
        radius = float(np.sqrt(_along(area, s, f"beam '{name}': area").mean() / np.pi))
    return ReducedBody(
        name=name,
        frame=frame.label,
        origin=origin,
        **inertia,
        K=K,
        axial=_axial_energy(name, stiffening, bases, K, EA, s, weights, turn),
        linear=stiffening is False,
        markers=shaped.markers,
        surface=_surface(frame, bases, length, radius, raw),
        provenance={"basis": f"assumed modes of a beam: {len(y)} in y, {len(z)} in z, {len(x)} axial"},
    )


def _field(
    name: str,
    length: float,
    bases: list[_Direction],
    s: FloatArray,
    mass: FloatArray,
    markers: Mapping[str, float] | None,
) -> Field:
    """Return the functions as given, at the points s with the masses (kg) there, and the markers."""
    places = {"start": 0.0, "middle": 0.5 * length, "end": float(length), **(markers or {})}
    return Field(
        points=_axis(s),
        Phi=_displacements(bases, s),
        mass=scipy.sparse.diags_array(mass).tocsr(),
        markers=_markers(name, length, bases, places),
    )


def _axial_energy(
    name: str,
    stiffening: Any,
    bases: list[_Direction],
    K: FloatArray,
    EA: Any,
    s: FloatArray,
    weights: FloatArray,
    turn: FloatArray,
) -> AxialEnergy | None:
    """Return the axial energy of the axial functions, if requested; ``turn`` (3, N) is the rotation of the frame."""
    if stiffening is None or stiffening is False:
        return None
    n = bases[2].N
    if stiffening != AxialModes():
        raise InputError(
            f"beam '{name}': stiffening={stiffening!r} is not possible; analytic functions take modal.AxialModes() or "
            "False. For second-order terms reduce beam elements with modal.reduce"
        )
    if n == 0:
        raise InputError(
            f"beam '{name}' has no axial functions to carry an axial force; give x=, or stiffening=False"
        )
    A = np.linalg.inv(np.linalg.cholesky(K[-n:, -n:])).T
    force = (weights * _along(EA, s, f"beam '{name}': EA"))[:, None] * (bases[2].slopes(s) @ A)
    slopes = _rotations(bases, s)[:, 1:] + turn[1:]  # -w' about e_2, v' about e_3
    quadratic = np.einsum("mA,mki,mkj->Aij", force, slopes, slopes, optimize=True)
    return AxialEnergy(A.T @ K[-n:], 0.5 * (quadratic + quadratic.transpose(0, 2, 1)))


class _Direction:
    """The base functions along one axis, and their derivatives with respect to s."""

    def __init__(self, name: str, axis: int, functions: Sequence[Any], length: float) -> None:
        self.axis = axis
        order = 1 if axis == 0 else 2
        label = "xyz"[axis]
        self.parts = [
            derivatives(f, order, length, f"function {label}[{k}] of beam '{name}'")
            for k, f in enumerate(functions)
        ]
        self.N = len(self.parts)

    def _table(self, order: int, s: FloatArray) -> FloatArray:
        columns = [np.broadcast_to(np.asarray(part[order](s), dtype=float), s.shape) for part in self.parts]
        return np.array(columns).reshape(self.N, len(s)).T

    def values(self, s: FloatArray) -> FloatArray:
        return self._table(0, s)

    def slopes(self, s: FloatArray) -> FloatArray:
        return self._table(1, s)

    def curvatures(self, s: FloatArray) -> FloatArray:
        return self._table(2, s)


def _points(name: str, bases: list[_Direction], length: float) -> tuple[FloatArray, FloatArray]:
    """Return s and weights that integrate the products of all base functions along each axis."""
    rules = [quadrature(base.parts, length, _MIN_POINTS, f"beam '{name}'") for base in bases if base.N]
    if not rules:
        raise InputError(f"beam '{name}' has no base functions; give y=, z= or x=")
    return max(rules, key=lambda rule: len(rule[0]))


def _along(value: Along, s: FloatArray, what: str) -> FloatArray:
    given = guarded(value, what)(s) if callable(value) else value
    return np.broadcast_to(np.asarray(given, dtype=float), s.shape)


def _line_mass(name: str, length: float, mass: Any, rho: Any, area: Any, s: FloatArray) -> FloatArray:
    if mass is not None and rho is None and area is None:
        value = np.full(s.shape, float(mass) / length)
    elif mass is None and rho is not None and area is not None:
        value = float(rho) * _along(area, s, f"beam '{name}': area")
    else:
        raise InputError(f"beam '{name}' needs its mass, or rho and area, not both")
    if not (np.isfinite(value).all() and value.min() > 0):
        raise InputError(f"beam '{name}' has the mass per length {value.min():g} kg/m; it must be positive")
    return value


def _stiffness(
    name: str, bases: list[_Direction], EI: Any, EA: Any, s: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return the stiffness against bending in y and z and against stretch, (N,N)."""
    EI_y, EI_z = EI if isinstance(EI, tuple) else (EI, EI)
    parts = (
        _block(name, "EI of the y functions", EI_y, bases[0].curvatures(s), s, weights),
        _block(name, "EI of the z functions", EI_z, bases[1].curvatures(s), s, weights),
        _block(name, "EA of the x functions", EA, bases[2].slopes(s), s, weights),
    )
    return np.asarray(scipy.linalg.block_diag(*parts))


def _block(
    name: str, what: str, value: Any, strain: FloatArray, s: FloatArray, weights: FloatArray
) -> FloatArray:
    """Return int value strain_i strain_j ds: the second variation of (3.3)."""
    if strain.shape[1] == 0:
        return np.zeros((0, 0))
    if value is None:
        raise InputError(f"beam '{name}' needs {what}")
    rigidity = _along(value, s, f"beam '{name}': {what}")
    if not (np.isfinite(rigidity).all() and rigidity.min() > 0):
        raise InputError(f"beam '{name}': {what} is {rigidity.min():g}; it must be positive")
    K = (strain.T * (weights * rigidity)) @ strain
    return 0.5 * (K + K.T)


def _axis(s: FloatArray) -> FloatArray:
    points = np.zeros((len(s), 3))
    points[:, 0] = s
    return points


def _displacements(bases: list[_Direction], s: FloatArray) -> FloatArray:
    Phi = np.zeros((len(s), 3, sum(base.N for base in bases)))
    start = 0
    for base in bases:
        Phi[:, base.axis, start : start + base.N] = base.values(s)
        start += base.N
    return Phi


def _rotations(bases: list[_Direction], s: FloatArray) -> FloatArray:
    y, z, x = bases
    B = np.zeros((len(s), 3, y.N + z.N + x.N))
    B[:, 2, : y.N] = y.slopes(s)  # a deflection along e_2 turns about e_3 by v' ...
    B[:, 1, y.N : y.N + z.N] = -z.slopes(s)  # ... and one along e_3 about e_2 by -w'
    return B


def _markers(
    name: str, length: float, bases: list[_Direction], places: Mapping[str, float]
) -> dict[str, Marker]:
    outside = {key: s for key, s in places.items() if not -1e-12 * length <= s <= length * (1 + 1e-12)}
    if outside:
        raise InputError(f"beam '{name}' is {length:g} m long; the markers {outside} lie outside of it")
    s = np.array([float(value) for value in places.values()])
    Phi = _displacements(bases, s)
    B = _rotations(bases, s)
    points = _axis(s)
    return {key: Marker(points[k], Phi[k], B[k]) for k, key in enumerate(places)}


def _surface(
    frame: ReferenceFrame, bases: list[_Direction], length: float, radius: float, raw: Field
) -> Recovery:
    """Return a round tube about the axis, for pictures: its sections turn with the slopes."""
    stations, sides = 41, 12
    s = np.linspace(0.0, length, stations)
    angle = np.linspace(0.0, 2 * np.pi, sides, endpoint=False)
    spoke = radius * np.array([0 * angle, np.cos(angle), np.sin(angle)]).T  # (sides,3)
    Phi = _displacements(bases, s)[:, None] + np.cross(
        _rotations(bases, s)[:, None], spoke[None, :, :, None], axis=2
    )
    points = (_axis(s)[:, None] + spoke).reshape(-1, 3)
    Phi = Phi.reshape(-1, 3, Phi.shape[-1])
    n, m = len(raw.points), len(points)
    mass = scipy.sparse.block_diag([raw.mass, scipy.sparse.csr_array((m, m))]).tocsr()
    both = Field(np.concatenate([raw.points, points]), np.concatenate([raw.Phi, Phi]), mass, raw.markers)
    shaped, _ = frame.impose(both)
    k, j = np.meshgrid(np.arange(stations - 1), np.arange(sides), indexing="ij")
    here, beside = k * sides + j, k * sides + (j + 1) % sides
    triangles = np.stack([here, beside, here + sides, beside, beside + sides, here + sides], axis=-1)
    return Recovery(shaped.points[n:], shaped.Phi[n:], triangles.reshape(-1, 3))
