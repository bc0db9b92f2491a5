"""The equations of a whole system in the global description: residual, iteration matrix, energies.

``M vdot + bias + G^T lambda = loads`` and ``Phi(q, t) = 0``, Koppens (4.20) with Lagrange multipliers.
"""

from __future__ import annotations

import numpy as np

from fem.common.compiled import function

from .structures import Layout, Work

_place = function("flexbody_place", "struct", "struct", "real", "input", "input", "input")
_move = function("flexbody_move", "struct", "struct", "input", "input")
_blocks = function("flexbody_blocks", "struct", "struct")
_residual = function("flexbody_residual", "struct", "struct", "real", "input", "input", "input", "input")
_matrices = function("flexbody_matrices", "struct", "struct", "real", "real", "real", "reals")
_masses = function("flexbody_masses", "struct", "struct")
_velocity_residual = function("flexbody_velocity_residual", "struct", "struct", "input", "reals")
_biases = function("flexbody_biases", "struct", "struct", "real", "reals")
_dense = function("flexbody_dense", "struct", "struct", "reals", "reals")


def place(L: Layout, W: Work, t: float, c, q, alpha) -> None:
    """Evaluate all bodies, frames and constraint rows (residuals and directions) at a position.

    Parameters
    ----------
    L, W : Layout, Work
        The compiled machine and its work arrays.
    t : float
        Time, s.
    c, q, alpha : numpy.ndarray
        Positions (nb, 3), m, Euler parameters (nb, 4) and modal coordinates (na,).
    """
    _place(L, W, t, c, q, alpha)


def move(L: Layout, W: Work, alpha, v) -> None:
    """Evaluate the velocities and bias accelerations of all frames, and the deformations and rates of elements.

    ``alpha`` (na,), ``v`` (nv,); needs :func:`place`.
    """
    _move(L, W, alpha, v)


def blocks(L: Layout, W: Work) -> None:
    """Write the Jacobian of rows and elements by the velocities of the bodies to ``W.G``.

    Needs :func:`place`, :func:`move` and, for the elements, :func:`matrices`, which combines their rows.
    """
    _blocks(L, W)


def residual(L: Layout, W: Work, t: float, alpha, v, vdot, multipliers) -> None:
    """Set ``W.residual = M vdot + bias - loads + G^T lambda``, Koppens (4.20), and ``W.power`` (dissipated, input), W.

    ``alpha`` (na,), ``v`` and ``vdot`` (nv,), ``multipliers`` (nr,); needs :func:`place` and :func:`move`.
    """
    _residual(L, W, t, alpha, v, vdot, multipliers)


def matrices(
    L: Layout, W: Work, mass: float, damping: float, stiffness: float, compliance: np.ndarray
) -> None:
    """Set ``W.matrix`` to ``mass M + damping D + stiffness K`` of each body, and ``compliance`` (m - nr,).

    The compliance of a deformation is one over ``stiffness dF/dx + damping dF/dx'``, or -1 if that is not
    positive. Needs :func:`move` and, for force elements, :func:`residual`.
    """
    _matrices(L, W, mass, damping, stiffness, compliance)


def masses(L: Layout, W: Work) -> None:
    """Set ``W.matrix`` to the mass matrices of the bodies (lower triangles), and ``W.G``; needs :func:`place`."""
    _masses(L, W)


def velocity_residual(L: Layout, W: Work, v, out: np.ndarray) -> None:
    """Set ``out`` (nr,) to ``G v + Phi_t``, v (nv,); needs :func:`place`."""
    _velocity_residual(L, W, v, out)


def biases(L: Layout, W: Work, t: float, out: np.ndarray) -> None:
    """Set ``out`` (nr,) to the bias of each row, ``Phi'' = G vdot + out``; needs :func:`place` and :func:`move`."""
    _biases(L, W, t, out)


def dense(L: Layout, W: Work, mass_matrix: np.ndarray, jacobian: np.ndarray) -> None:
    """Set the dense mass matrix (nv, nv) and Jacobian (nr, nv), for starts, checks and reports; needs :func:`place`."""
    _dense(L, W, mass_matrix, jacobian)
