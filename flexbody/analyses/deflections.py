"""Deflections of flexible bodies, and a warning where they are too large for the theory of small deformations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from fem.common.errors import warn

from ..compile.plan import Plan
from ..model.flexible_body import FlexibleBody
from .control_loops import control_loops
from .growth import Swings

#: deflections relative to the length of the body, and rotations inside it (rad), above which there is a warning
LARGEST_DEFLECTION, LARGEST_ROTATION = 0.1, 0.2
#: the other markers are seen from so many of a body's markers
SEEN_FROM = 8


@dataclass(frozen=True)
class Deflection:
    """The largest deflection (m) and rotation (rad) inside one body, relative to its length (m)."""

    body: str
    distance: float
    rotation: float
    length: float

    @property
    def share(self) -> float:
        """The size relative to what the theory can bear: one is its limit."""
        return max(self.distance / (LARGEST_DEFLECTION * self.length), self.rotation / LARGEST_ROTATION)

    def __str__(self) -> str:
        return (
            f"body '{self.body}' is deflected by {self.distance:.3g} m ({100 * self.distance / self.length:.3g} % of "
            f"its length), with rotations of {self.rotation:.2g} rad inside it"
        )


class _Rows:
    """What modal coordinates do inside a body: markers as seen from the frames of other markers.

    The deflection of one marker seen from another, ``u_i - u_j - theta_j x (x_i - x_j)``, does not depend on the
    reference frame of the body, to first order.
    """

    def __init__(self, body: FlexibleBody, modes: slice) -> None:
        self.body, self.modes = body, modes
        markers = [(*body.marker(name), body.marker_has_rotation(name)) for name in body.marker_names]
        seen_from = [marker for marker in markers if marker[3]][:SEEN_FROM]
        points, turns = [], []
        for xi, Phi_i, B_i, turning in markers:
            for xj, Phi_j, B_j, _ in seen_from:
                points.append(Phi_i - Phi_j - np.cross(B_j, (xi - xj)[:, None], axis=0))
                turns += [B_i - B_j] if turning else []
        if not seen_from:
            points = [Phi for _, Phi, _, _ in markers]
        none = np.zeros((0, 3, body.n_modes))
        self.points, self.turns = (np.array(rows) if rows else none for rows in (points, turns))
        extent = np.ptp(np.array([np.zeros(3), *(x for x, *_ in markers)]), axis=0)
        gyration = np.sqrt(max(body.size**2 - 2 * float(body.mass_center @ body.mass_center), 0.0))
        self.length = max(float(np.linalg.norm(extent)), 2 * float(gyration))
        # the share that one unit of each modal coordinate can have at most
        self.weights = np.maximum(
            np.linalg.norm(self.points, axis=1).max(axis=0, initial=0.0) / (LARGEST_DEFLECTION * self.length),
            np.linalg.norm(self.turns, axis=1).max(axis=0, initial=0.0) / LARGEST_ROTATION,
        )

    def at(self, alpha: np.ndarray) -> Deflection:
        """Return the deflection with the modal coordinates (N,)."""
        distance, rotation = (
            float(np.linalg.norm(rows @ alpha, axis=1).max(initial=0.0)) for rows in (self.points, self.turns)
        )
        return Deflection(self.body.name, distance, rotation, self.length)


class DeflectionWatch:
    """Looks at the modal coordinates of a run, and warns once of deflections that are too large."""

    def __init__(self, plan: Plan) -> None:
        self._system = plan.system
        self._rows = [
            _Rows(body, plan.modal(plan.body_index[body.name])) for body in plan.system.flexible_bodies
        ]
        self._weights = np.zeros(plan.n_modes)
        for rows in self._rows:
            self._weights[rows.modes] = rows.weights
        self.first: tuple[float, Deflection] | None = None
        self.largest: tuple[float, Deflection] | None = None
        self._swings = Swings(plan.n_modes)

    def deflections(self, alpha: np.ndarray) -> list[Deflection]:
        """Return the deflections of all flexible bodies with the modal coordinates (na,)."""
        return [rows.at(alpha[rows.modes]) for rows in self._rows]

    def look(self, t: float, alpha: np.ndarray) -> bool:
        """Take note of the modal coordinates (na,) at ``t`` (s), and return whether they are too large."""
        if not self._rows:
            return False
        self._swings.add(alpha)
        if not np.abs(alpha) @ self._weights > 1.0:  # a bound of the shares
            return False
        found = max(self.deflections(alpha), key=lambda one: one.share)
        if not found.share > 1.0:
            return False
        if self.first is None:
            self.first = (t, found)
        if self.largest is None or found.share > self.largest[1].share:
            self.largest = (t, found)
        return True

    def warn(self, inputs: Mapping[str, np.ndarray] | None = None) -> None:
        """Warn if deflections were too large at some time; control loops are named if the deflections grow.

        Parameters
        ----------
        inputs : mapping of str to numpy.ndarray, optional
            The values of the inputs of a machine that is stepped.
        """
        if self.first is None or self.largest is None:
            return
        (t, found), (t_most, most) = self.first, self.largest
        loops = control_loops(self._system, inputs or {}) if self._swings.grow(self._weights) else ""
        blamed = f". The deflections grow. {loops}" if loops else ""
        more = f"; the largest: {most}, at t = {t_most:.6g} s" if t_most > t else ""
        warn(
            f"{found}, at t = {t:.6g} s{more}. A body should stay below {100 * LARGEST_DEFLECTION:.0f} % of its length "
            f"and {LARGEST_ROTATION} rad, because its deformation is taken as small. Divide it in shorter bodies "
            f"(fem.divide for a mesh), or check its loads and its stiffness{blamed}"
        )
