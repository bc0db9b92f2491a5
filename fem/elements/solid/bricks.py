"""Forms of the linear brick: what it does against locking, as internal fields that are eliminated in the element.

Fields in the reference element, as `fem/core/solid_fields.hpp` takes them: gradients (q, m, 3) of internal
displacements, and internal volume strains (q, v), at q points xi (q, 3).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from ..property import FloatArray


class Brick(ABC):
    """Base class: the form of hex8.

    Attributes
    ----------
    internal : bool
        Whether there are internal fields.
    """

    internal: ClassVar[bool] = True

    @abstractmethod
    def modes(self, points: FloatArray) -> FloatArray:
        """Return the gradients of the internal displacements.

        Parameters
        ----------
        points : numpy.ndarray
            Points of the reference element, (q, 3).

        Returns
        -------
        numpy.ndarray
            Gradients, (q, m, 3).
        """

    @abstractmethod
    def volume_strains(self, points: FloatArray) -> FloatArray:
        """Return the internal volume strains.

        Parameters
        ----------
        points : numpy.ndarray
            Points of the reference element, (q, 3).

        Returns
        -------
        numpy.ndarray
            Volume strains, (q, v).
        """


@dataclass(frozen=True)
class IncompatibleModes(Brick):
    """Nine internal displacements and three internal volume strains: the brick bends like a beam.

    Notes
    -----
    The displacements are (1 - xi_k^2) along each axis (QM6: Wilson et al. 1973 in the form of Taylor, Beresford and
    Wilson 1976, which passes the patch test on distorted bricks), the volume strains xi_k xi_l (Simo, Armero and
    Taylor 1993). A brick that is a parallelepiped bends exactly like a beam, and nu near 0.5 costs a regular mesh a
    few per cent. The advantage decreases as bricks become trapezoidal (MacNeal 1987): use hex20 or hex27 there,
    hex27 with nu near 0.5. Stresses include the internal fields.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> fem.Solid(steel).brick
    IncompatibleModes()
    """

    def modes(self, points: FloatArray) -> FloatArray:
        """Return the gradients (q, 9 / 3, 3) of 1 - xi_k^2."""
        return -2.0 * points[:, :, None] * np.eye(3)

    def volume_strains(self, points: FloatArray) -> FloatArray:
        """Return xi_k xi_l, (q, 3)."""
        return _pairs(points)


@dataclass(frozen=True)
class MeanDilatation(Brick):
    """The volume strain is that of the element's mean (B-bar, Hughes 1980), as in C3D8 of Abaqus.

    Notes
    -----
    It doesn't lock with nu near 0.5, but is as stiff in bending as the plain brick: on a mesh of few bricks through
    the thickness use :class:`IncompatibleModes`. Seven internal volume strains span all that have no mean; eliminated,
    they leave an isotropic material the mean alone. Other materials get the strains of least energy among those with
    the same mean of the volume strain.

    References
    ----------
    T. J. R. Hughes, Generalization of selective integration procedures to anisotropic and nonlinear media, Int. J.
    Numer. Methods Eng. 15 (1980), 1413-1418, eqs. (5) to (10).

    Examples
    --------
    >>> import fem
    >>> rubber = fem.Isotropic(E=3e6, nu=0.4999, rho=1100.0)
    >>> fem.Solid(rubber, brick=fem.MeanDilatation()).brick
    MeanDilatation()
    """

    def modes(self, points: FloatArray) -> FloatArray:
        """Return no displacements, (q, 0, 3)."""
        return np.zeros((len(points), 0, 3))

    def volume_strains(self, points: FloatArray) -> FloatArray:
        """Return xi_k, xi_k xi_l and xi_1 xi_2 xi_3, (q, 7)."""
        return np.concatenate([points, _pairs(points), points.prod(axis=1, keepdims=True)], axis=1)


@dataclass(frozen=True)
class FullIntegration(Brick):
    """The compatible displacement alone, fully integrated: an upper bound of every frequency, far too stiff in bending.

    Examples
    --------
    >>> import fem
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1), "hex8"), fem.Solid(steel, brick=fem.FullIntegration())).n
    60
    """

    internal: ClassVar[bool] = False

    def modes(self, points: FloatArray) -> FloatArray:
        """Return no displacements, (q, 0, 3)."""
        return np.zeros((len(points), 0, 3))

    def volume_strains(self, points: FloatArray) -> FloatArray:
        """Return no volume strains, (q, 0)."""
        return np.zeros((len(points), 0))


def _pairs(points: FloatArray) -> FloatArray:
    """Return xi_1 xi_2, xi_2 xi_3, xi_3 xi_1, (q, 3)."""
    return points[:, [1, 2, 0]] * points[:, [2, 0, 1]]
