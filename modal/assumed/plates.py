"""Assumed modes of a rectangular plate: products of functions of x and of y; Koppens 3.2."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np
import scipy

import fem
from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.numbers import is_number, numbers
from fem.common.short_repr import in_words
from fem.properties.material import wrong_material

from ..body.inertia import FloatArray
from ..body.reduced_body import Marker, Recovery, ReducedBody
from ..reduction.frames import Field, ReferenceFrame, checked, inertia_in
from .polynomials import Natural, check_independent, derivatives, is_function, quadrature

_MIN_POINTS = (
    64  # Gauss-Legendre points along each side at least: exact to degree 127, sines to the 12th to rounding
)
_SURFACE_POINTS = 25  # points of the drawn surface along each side


@check_arguments(own=("x", "y"))
def products(x: Iterable[Any], y: Iterable[Any]) -> tuple[tuple[Any, Any], ...]:
    """Return all pairs (f, g) of functions of x and of y for :func:`plate`, g varying fastest.

    Parameters
    ----------
    x, y : iterable of functions
        Functions of x and of y, in the forms of :mod:`modal.assumed`.

    Returns
    -------
    tuple of pairs
        The products.

    Raises
    ------
    InputError
        An argument is not a collection of functions, for example their number.

    Examples
    --------
    >>> import modal
    >>> len(modal.assumed.products(modal.assumed.sines(3), modal.assumed.sines(2)))
    6
    """
    for axis, given in (("x", x), ("y", y)):
        if not isinstance(given, Iterable) or isinstance(given, str | bytes):
            raise InputError(
                f"the functions of {axis} are {given!r}; give them themselves, such as modal.assumed.sines(3) or "
                "modal.assumed.beam_modes(3, modal.assumed.End.FREE, modal.assumed.End.FREE)"
            )
    x, y = tuple(x), tuple(y)
    if wrong := [f for f in (*x, *y) if not (isinstance(f, Natural) or is_function(f))]:
        raise InputError(
            f"products: {wrong[0]!r} is not a function; give those of modal.assumed, or your own"
        )
    return tuple((f, g) for f in x for g in y)


@check_arguments(own=("material", "w", "frame"))
def plate(
    size: Sequence[float],
    thickness: float,
    material: fem.Isotropic,
    w: Sequence[tuple[Any, Any]],
    *,
    frame: ReferenceFrame | None = None,
    markers: Mapping[str, Sequence[float]] | None = None,
    rotary: bool = False,
    name: str = "plate",
) -> ReducedBody:
    """Return a rectangular Kirchhoff plate whose deflection along e_3 is a sum of products f(x) g(y).

    The base functions of the body are the products in their order. They are not orthogonalised, so that the modal
    coordinates alpha (m) are their coefficients.

    Parameters
    ----------
    size : (a, b), m
        Sides: 0 <= x <= a, 0 <= y <= b; the middle surface is at z = 0.
    thickness : float, m
        Thickness h.
    material : fem.Isotropic
        Material.
    w : sequence of pairs
        Pairs of functions of x and of y, in the forms of :mod:`modal.assumed` with two derivatives, as
        :func:`products` returns them.
    frame : rigid-body condition, optional
        :class:`MeanDisplacement` by default; Unchanged measures from the corner x = y = 0.
    markers : mapping of str to (x, y), m, optional
        Further markers; "middle" exists. They turn with the slopes, not about the normal.
    rotary : bool
        Whether to include the rotary inertia of the thickness, as two layers.
    name : str
        Name of the body.

    Returns
    -------
    ReducedBody
        The body.

    Raises
    ------
    InputError
        A size or the material is not valid, or products depend on each other, add up to a rigid motion, or have more
        waves than can be integrated.

    Notes
    -----
    The strain energy is D/2 int (w_xx + w_yy)^2 - 2 (1 - nu) (w_xx w_yy - w_xy^2), D = E h^3 / 12 (1 - nu^2). Inertia
    and stiffness are integrated by a quadrature that is adapted to the functions. The middle surface does not
    stretch, and there are no second-order terms.

    Examples
    --------
    >>> import fem, modal
    >>> steel, free = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0), modal.assumed.End.FREE
    >>> along = modal.assumed.beam_modes(3, modal.assumed.End.CLAMPED, free)
    >>> w = modal.assumed.products(along, modal.assumed.beam_modes(2, free, free))
    >>> wing = modal.assumed.plate((0.4, 0.2), 0.002, steel, w, markers={"tip": (0.4, 0.1)})
    >>> wing.N
    6
    """
    frame = checked(frame)
    a, b = _checked(name, size, thickness, material)
    base = _Products(name, w, a, b)
    x, y, weight = base.points()
    K = _stiffness(base, x, y, weight, thickness, material)
    layers = (-thickness / np.sqrt(12), thickness / np.sqrt(12)) if rotary else (0.0,)
    share = material.rho * thickness * weight / len(layers)
    places = {"middle": (a / 2, b / 2), **(markers or {})}
    points, Phi = _layers(base, x, y, layers)
    raw = Field(
        points,
        Phi,
        scipy.sparse.diags_array(np.tile(share, len(layers))).tocsr(),
        _markers(name, base, places, a, b),
    )
    check_independent(f"plate '{name}' (counted from 0)", raw, K)
    shaped, origin = frame.impose(raw)
    return ReducedBody(
        name=name,
        frame=frame.label,
        origin=origin,
        **inertia_in(frame, shaped),
        K=K,
        markers=shaped.markers,
        surface=_surface(frame, base, raw, thickness),
        provenance={
            "basis": f"assumed modes of a plate: {base.N} products of functions of x and y",
            "material": in_words(material),
        },
    )


def _checked(name: str, size: Any, thickness: Any, material: Any) -> tuple[float, float]:
    a, b = numbers(size, (2,), f"the size (a, b) of plate '{name}'")
    faults = []
    if not (a > 0 and b > 0):
        faults.append(f"its sides are {a:g} m and {b:g} m; both must be positive")
    if not (is_number(thickness) and thickness > 0):
        faults.append(f"its thickness is {thickness!r}; it must be a positive number of metres")
    faults += wrong_material(material, orthotropic=False)
    if faults:
        raise InputError(f"plate '{name}' is not valid: " + "; ".join(faults))
    return float(a), float(b)


class _Products:
    """The base functions and their derivatives."""

    def __init__(self, name: str, w: Any, a: float, b: float) -> None:
        pairs = list(w) if isinstance(w, Iterable) else []
        if not pairs or any(not isinstance(pair, tuple) or len(pair) != 2 for pair in pairs):
            raise InputError(
                f"plate '{name}': w= must be pairs (f, g) of functions of x and of y, one at least, as "
                "modal.assumed.products gives them"
            )
        self.name, self.a, self.b, self.N = name, a, b, len(pairs)
        self.pairs = [
            (
                derivatives(f, 2, a, f"function of x of w[{k}] of plate '{name}'"),
                derivatives(g, 2, b, f"function of y of w[{k}] of plate '{name}'"),
            )
            for k, (f, g) in enumerate(pairs)
        ]

    def points(self) -> tuple[FloatArray, FloatArray, FloatArray]:
        """Return x, y and weights (m,) that integrate all products of two base functions."""
        what = f"plate '{self.name}'"
        x, along = quadrature([f for f, _ in self.pairs], self.a, _MIN_POINTS, what)
        y, across = quadrature([g for _, g in self.pairs], self.b, _MIN_POINTS, what)
        grid = np.meshgrid(x, y, indexing="ij")
        return grid[0].ravel(), grid[1].ravel(), np.outer(along, across).ravel()

    def __call__(self, x: FloatArray, y: FloatArray, by_x: int = 0, by_y: int = 0) -> FloatArray:
        """Return the derivatives of all products, (m, N)."""
        columns = [
            np.broadcast_to(np.asarray(f[by_x](x) * g[by_y](y), float), x.shape) for f, g in self.pairs
        ]
        return np.stack(columns, axis=1)


def _stiffness(
    base: _Products, x: FloatArray, y: FloatArray, weight: FloatArray, h: float, material: fem.Isotropic
) -> FloatArray:
    nu, D = material.nu, material.E * h**3 / (12 * (1 - material.nu**2))
    xx, yy, xy = base(x, y, 2, 0), base(x, y, 0, 2), base(x, y, 1, 1)
    moment = xx.T * weight @ (xx + nu * yy) + yy.T * weight @ (yy + nu * xx)
    K = D * (moment + 2 * (1 - nu) * (xy.T * weight @ xy))
    return 0.5 * (K + K.T)


def _layers(
    base: _Products, x: FloatArray, y: FloatArray, heights: Sequence[float]
) -> tuple[FloatArray, FloatArray]:
    """Return points (., 3) at heights z above (x, y) and their displacements (., 3, N): normals stay normal."""
    Phi = np.zeros((len(x), 3, base.N))
    Phi[:, 2] = base(x, y)
    tilt = np.zeros_like(Phi)
    tilt[:, 0], tilt[:, 1] = -base(x, y, 1, 0), -base(x, y, 0, 1)
    points = [np.column_stack([x, y, np.full_like(x, z)]) for z in heights]
    return np.concatenate(points), np.concatenate([Phi + z * tilt for z in heights])


def _markers(
    name: str, base: _Products, places: Mapping[str, Sequence[float]], a: float, b: float
) -> dict[str, Marker]:
    xy = np.array([numbers(place, (2,), f"the place of marker '{key}'") for key, place in places.items()])
    outside = [key for key, (x, y) in zip(places, xy, strict=True) if not (0 <= x <= a and 0 <= y <= b)]
    if outside:
        raise InputError(
            f"plate '{name}' is {a:g} m by {b:g} m; outside of it are the markers {', '.join(outside)}"
        )
    points, Phi = _layers(base, xy[:, 0], xy[:, 1], (0.0,))
    B = np.zeros_like(Phi)
    B[:, 0], B[:, 1] = (
        base(xy[:, 0], xy[:, 1], 0, 1),
        -base(xy[:, 0], xy[:, 1], 1, 0),
    )  # half the curl: (w_y, -w_x)
    return {key: Marker(points[k], Phi[k], B[k]) for k, key in enumerate(places)}


def _surface(frame: ReferenceFrame, base: _Products, raw: Field, h: float) -> Recovery:
    """Return both faces and the rim, for pictures."""
    n = _SURFACE_POINTS
    x, y = (
        g.ravel() for g in np.meshgrid(np.linspace(0, base.a, n), np.linspace(0, base.b, n), indexing="ij")
    )
    points, Phi = _layers(base, x, y, (-h / 2, h / 2))
    bare = scipy.sparse.csr_array((len(points), len(points)))
    mass = scipy.sparse.block_diag([raw.mass, bare]).tocsr()
    both = Field(np.concatenate([raw.points, points]), np.concatenate([raw.Phi, Phi]), mass, raw.markers)
    shaped, _ = frame.impose(both)
    k = np.arange(n * n).reshape(n, n)
    corners = np.stack([k[:-1, :-1], k[1:, :-1], k[1:, 1:], k[:-1, 1:]], axis=-1).reshape(-1, 4)
    rim = np.concatenate([k[:-1, 0], k[-1, :-1], k[:0:-1, -1], k[0, :0:-1]])  # counter-clockwise from above
    along = np.roll(rim, -1)
    sides = np.stack([rim, along, along + n * n, rim + n * n], axis=-1)
    quads = np.concatenate([corners[:, ::-1], corners + n * n, sides])
    m = len(raw.points)
    return Recovery(shaped.points[m:], shaped.Phi[m:], quads[:, [0, 1, 2, 0, 2, 3]].reshape(-1, 3))
