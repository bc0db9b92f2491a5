"""Equilibrium of plane rods of any shape under dead loads, without approximation: an independent program.

Kirchhoff's rod with stretch, along its own length s: with the internal force (H, V) on the face towards +s and the
couple M about z,

    x' = (1 + e) cos t   y' = (1 + e) sin t   t' = kappa_0 + M / EI   M' = (1 + e) (H sin t - V cos t)
    e = (H cos t + V sin t) / EA

(H, V) is constant between loads. A rod is a chain of pieces, each an arc; the start is pinned or clamped, the end is
pinned. Shooting from the start with an adaptive integrator of order 8, the loads brought up in steps.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve


@dataclass(frozen=True)
class Piece:
    """An arc of a length (m) and curvature (1/m), with a corner (rad) before it and a dead load (N) at its end."""

    length: float
    curvature: float = 0.0
    corner: float = 0.0
    load: tuple[float, float] = (0.0, 0.0)


class Rod:
    """A rod from the origin, at first in the direction ``angle`` (rad)."""

    def __init__(self, pieces, angle: float, EI: float, EA: float, clamped: bool = False) -> None:
        self.pieces, self.angle, self.EI, self.EA, self.clamped = tuple(pieces), angle, EI, EA, clamped

    def shoot(self, unknown, factor: float):
        """Return the states (x, y, t, M) at the ends of all pieces, from (turn or couple, H, V) at the start."""
        first, H, V = unknown
        turn, M = (0.0, first) if self.clamped else (first, 0.0)
        state, ends = np.array([0.0, 0.0, self.angle + turn, M]), []
        for piece in self.pieces:
            state[2] += piece.corner

            def slope(s, y, H=H, V=V, bend=piece.curvature):
                c, d = np.cos(y[2]), np.sin(y[2])
                long = 1 + (H * c + V * d) / self.EA
                return [long * c, long * d, bend + y[3] / self.EI, long * (H * d - V * c)]

            state = solve_ivp(slope, (0, piece.length), state, "DOP853", rtol=1e-10, atol=1e-13).y[:, -1]
            ends.append(state.copy())
            H, V = H - factor * piece.load[0], V - factor * piece.load[1]
        return np.array(ends)

    def solve(self, steps: int = 4) -> np.ndarray:
        """Return the displacements (pieces, 2) of the ends of all pieces, m; the end is pinned where it is drawn."""
        drawn = self.shoot((0.0, 0.0, 0.0), 0.0)
        size = np.array([1.0 if not self.clamped else self.EI, self.EI, self.EI])

        def miss(x, factor):
            end = self.shoot(x * size, factor)[-1]
            return [*(end[:2] - drawn[-1, :2]), end[3] / self.EI]

        x = np.zeros(3)
        for k in range(steps):
            x, _, found, why = fsolve(miss, x, args=((k + 1) / steps,), full_output=True, xtol=1e-12)
            if found != 1 and np.abs(miss(x, (k + 1) / steps)).max() > 1e-9:
                raise RuntimeError(why)
        return (self.shoot(x * size, 1.0) - drawn)[:, :2]
