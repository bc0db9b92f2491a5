"""Stresses: scalar measures, and extrapolation from the Gauss points of a solid to its nodes.

Voigt order xx, yy, zz, yz, xz, xy in the last axis.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Annotated

import numpy as np

from ...common.arguments import check_arguments
from ...common.values import components
from .. import ELEMENTS
from ..quadrature import Rule, conical, gauss, pyramid, triangle_3, wedge
from .hexahedra import CUBE
from .hexahedra import linear as products_on
from .pyramids import collapsed
from .tetrahedra import linear as on_tetrahedra
from .wedges import linear as on_wedges

_WORDS = "stresses with six components xx, yy, zz, yz, xz, xy"
_STRESS = components(6, f"finite {_WORDS}")
_ANY_STRESS = components(6, _WORDS, finite=False)


def tensor(voigt: np.ndarray) -> np.ndarray:
    """Return symmetric tensors (..., 3, 3) of stresses (..., 6)."""
    return np.asarray(voigt, dtype=float)[..., np.array([[0, 5, 4], [5, 1, 3], [4, 3, 2]])]


@check_arguments
def von_mises(stress: Annotated[np.ndarray, _ANY_STRESS]) -> np.ndarray:
    """Return the von Mises equivalent stress, sqrt(3/2 s:s) with the deviator s.

    Parameters
    ----------
    stress : array (..., 6), Pa
        Components xx, yy, zz, yz, xz, xy.

    Returns
    -------
    array (...,), Pa
        Equivalent stress.

    Examples
    --------
    >>> import fem
    >>> float(fem.von_mises([100.0, 0, 0, 0, 0, 0]))
    100.0
    """
    xx, yy, zz, yz, xz, xy = np.moveaxis(np.asarray(stress, dtype=float), -1, 0)
    normal = (xx - yy) ** 2 + (yy - zz) ** 2 + (zz - xx) ** 2
    return np.sqrt(0.5 * normal + 3.0 * (yz**2 + xz**2 + xy**2))


@check_arguments
def principal(stress: Annotated[np.ndarray, _STRESS]) -> np.ndarray:
    """Return the principal stresses, the largest (most tensile) first.

    Parameters
    ----------
    stress : array (..., 6), Pa
        Components xx, yy, zz, yz, xz, xy.

    Returns
    -------
    array (..., 3), Pa
        Principal stresses.

    Examples
    --------
    >>> import fem
    >>> fem.principal([0, 0, 0, 0, 0, 50.0]).round(9) + 0.0
    array([ 50.,   0., -50.])
    """
    return np.linalg.eigvalsh(tensor(stress))[..., ::-1]


def principal_axes(stress: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Return principal stresses (..., 3), the largest first, and their directions (..., 3, 3) as rows, unit vectors."""
    values, vectors = np.linalg.eigh(tensor(stress))
    return values[..., ::-1], np.swapaxes(vectors, -1, -2)[..., ::-1, :]


def _tetrahedron_4() -> Rule:
    """Symmetric 4-point rule of degree 2 (Hammer, Marlowe and Stroud 1956)."""
    a = (5.0 - np.sqrt(5.0)) / 20.0
    return Rule(np.vstack([np.full(3, a), a + (1.0 - 4.0 * a) * np.eye(3)]), np.full(4, 1.0 / 24.0))


def _constant(xi: np.ndarray) -> np.ndarray:
    """Return 1 at each point (q, 1)."""
    return np.ones((len(np.atleast_2d(xi)), 1))


def _on_pyramids(xi: np.ndarray) -> np.ndarray:
    """Return 1, a, b, a b at points (q, 3): the strains of the pyramid do not depend on the height."""
    a, b = collapsed(xi)[0].T
    return np.stack([np.ones_like(a), a, b, a * b], axis=1)


def _on_quadratic_pyramids(xi: np.ndarray) -> np.ndarray:
    """Return 1, a, b, a b at points (q, 3), each times 1 and h = 1 - z; 1, a h, b h, h are linear in x, y, z."""
    field = _on_pyramids(xi)
    return np.hstack([field, field * (1.0 - np.atleast_2d(xi)[:, 2:])])


_CUBES = (gauss(2, 3), products_on(CUBE)[0])
_WEDGES = (wedge(triangle_3(), 2), on_wedges)
#: where stresses are evaluated, and the functions that are put through them
_FIELDS: dict[str, tuple[Rule, Callable[[np.ndarray], np.ndarray]]] = {
    "tet4": (conical(1, 3), _constant),
    "tet10": (_tetrahedron_4(), on_tetrahedra),
    "hex8": _CUBES,
    "hex20": _CUBES,
    "hex27": _CUBES,
    "wedge6": _WEDGES,
    "wedge15": _WEDGES,
    "pyramid5": (pyramid(2, 1), _on_pyramids),
    "pyramid13": (pyramid(2, 2), _on_quadratic_pyramids),
}


@cache
def recovery(kind: str) -> tuple[np.ndarray, np.ndarray]:
    """Return the points (q, 3) at which a solid's stresses are best, and E (nn, q): nodes = E @ points.

    At the points of the rule one order below full integration (Barlow 1976) the stresses of quadratic elements are as
    accurate as linear fields. A field is put through these values: linear in tetrahedra, trilinear in bricks, linear
    times linear in wedges, bilinear along the rays from the apex in pyramids (at the apex, where the strain has no
    limit, its mean). The values at the nodes are therefore exact if the stress in the element is linear.
    """
    rule, field = _FIELDS[kind]
    return rule.points, field(ELEMENTS[kind].nodes) @ np.linalg.inv(field(rule.points))
