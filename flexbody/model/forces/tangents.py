"""Two wheels and the common tangents of their circles: lines of action of teeth, spans of belts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ..joints.base import Joint
from ..sides import Body


class Tangents(NamedTuple):
    """Common tangents of two circles as drawn; the C++ side is ``tangents.hpp``.

    Parameters
    ----------
    axes : numpy.ndarray
        Axes as columns, (3, 3): x along the line of centres, of a rack along its normal; z along the axis of the first
        wheel.
    centers : tuple of numpy.ndarray
        Centres of both circles, (3,), m; of a rack one of its points.
    ends : tuple of numpy.ndarray
        Points of the frames of both wheels on their axes, (3,), m.
    radii : tuple of float
        Radii of both circles, m, that of the second below zero for tangents that cross; zero of a rack.
    sense : float
        1, or -1 where the second angle is counted against z.
    outward : float
        1 where a growing thread is a growing deformation, -1 where it is a shrinking one.
    sides : tuple of float
        1 for the tangent on the side of y, -1 for the other one.
    slant : float
        Sine of the base helix angle.
    rack_sine : float
        Cosine of the pressure angle of a rack; 0 for two wheels.
    """

    axes: np.ndarray
    centers: tuple[np.ndarray, np.ndarray]
    ends: tuple[np.ndarray, np.ndarray]
    radii: tuple[float, float]
    sense: float
    outward: float
    sides: tuple[float, ...]
    slant: float = 0.0
    rack_sine: float = 0.0

    def lengths(self) -> np.ndarray:
        """Return the thread along each tangent as drawn, with the sign of the deformation, m."""
        between = self.axes.T @ (self.centers[1] - self.centers[0])
        sides, difference = np.array(self.sides), self.radii[0] - self.radii[1]
        sine = self.rack_sine or difference / between[0]
        free = np.sqrt(1 - sine**2) * between[0]
        wound = -sides * sine * between[1] if self.rack_sine else difference * np.arcsin(sine)
        lengths: np.ndarray = self.outward * np.sqrt(1 - self.slant**2) * (free + wound + 0.0 * sides)
        return lengths

    def numbers(self, undeformed: float) -> list[float]:
        """Return the numbers of the compiled core from SECOND_SENSE on; see ``core/kinds.py``.

        Parameters
        ----------
        undeformed : float
            How much longer the threads are without deformation than as drawn, with the sign of the deformation, m.
        """
        heights = [
            self.axes[:, 2] @ (center - end) for center, end in zip(self.centers, self.ends, strict=True)
        ]
        values = (self.sense, *self.radii, self.outward, self.slant, *heights, self.rack_sine)
        pairs = np.zeros((2, 2))
        pairs[:, : len(self.sides)] = self.sides, self.lengths() + undeformed
        return [float(x) for x in (*values, *pairs.ravel())]


def other_joints(
    held: Sequence[Joint], joints: Mapping[str, Joint], bodies: Mapping[str, Body], label: str
) -> list[str]:
    """Return as sentences which joints of an element are drawn elsewhere than those of the system with these names.

    Parameters
    ----------
    held : sequence of Joint
        The joints that the element was made of.
    joints : mapping of str to Joint
        The joints of the system by name.
    bodies : mapping of str to body
        The bodies of the system by name.
    label : str
        Name of the element in messages.

    Returns
    -------
    list of str
        The sentences; empty if all are the same.
    """
    found = []
    for joint in held:
        pairs = zip(joint.frames(bodies), joints[joint.name].frames(bodies), strict=True)
        if any(a.body != b.body or not np.allclose(a.drawn(bodies), b.drawn(bodies)) for a, b in pairs):
            found.append(
                f"{label} was made of another {joint.label} than that of the system, which is drawn elsewhere; make it "
                "anew of the joints of the system"
            )
    return found
