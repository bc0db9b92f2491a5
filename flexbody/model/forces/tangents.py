"""Two wheels and the common tangents of their circles: lines of action of teeth, spans of belts."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, NamedTuple, Self

import numpy as np

from fem.common.errors import InputError

from ...core.kinds import TANGENTS
from ..joints.base import Joint
from ..sides import Body
from .force_element import Element
from .law import ForceLaw


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


class BevelTeeth(NamedTuple):
    """The flanks of bevel gears as drawn: their normals at the pitch point; the C++ side is ``tangents.hpp``.

    Parameters
    ----------
    axes : numpy.ndarray
        Axes as columns, (3, 3): normal of the pitch cones, direction of motion, line in which they touch.
    point : numpy.ndarray
        Pitch point, (3,), m.
    carrier : numpy.ndarray
        Point of the carrier's frame, (3,), m.
    ends : tuple of numpy.ndarray
        Points of the frames of both wheels on their axes, (3,), m.
    spins : tuple of numpy.ndarray
        Axes of both wheels, (3,).
    normals : tuple of numpy.ndarray
        Directions of the force of each flank on the second wheel, (3,).
    radii : tuple of float
        Radii of both wheels at the pitch point times the cosine of the transverse pressure angle, m.
    """

    axes: np.ndarray
    point: np.ndarray
    carrier: np.ndarray
    ends: tuple[np.ndarray, np.ndarray]
    spins: tuple[np.ndarray, np.ndarray]
    normals: tuple[np.ndarray, np.ndarray]
    radii: tuple[float, float]

    def numbers(self, undeformed: float) -> list[float]:
        """Return the numbers of the compiled core from SECOND_SENSE on, see :meth:`Tangents.numbers`."""
        return [1.0, *[0.0] * 7, *[0.0] * 2, undeformed, undeformed]

    def own_numbers(self) -> list[float]:
        """Return the numbers of the compiled core from BEVEL_POINT on.

        Returns
        -------
        list of float
            The numbers.
        """
        places = [self.point - self.carrier, *(end - self.carrier for end in self.ends)]
        vectors = [*places, *self.spins, *self.normals]
        return [float(x) for vector in vectors for x in self.axes.T @ vector]


@dataclass(frozen=True, eq=False)
class TangentLaw(ForceLaw):
    """The law of a force along tangents; base class.

    Parameters
    ----------
    geometry : tuple of float
        The numbers of the tangents, see :meth:`Tangents.numbers`.
    values : tuple of float
        The numbers of the law itself.
    """

    geometry: tuple[float, ...]
    values: tuple[float, ...]

    sets_in: ClassVar = True
    is_input: ClassVar = False

    def numbers(self) -> list[float]:
        """Return the numbers of the tangents from SECOND_SENSE on, then those of the law."""
        return [*self.geometry, *self.values]


class TangentElement(Element):
    """A force element of two wheels along common tangents; base class."""

    kind: ClassVar = TANGENTS
    coordinate: ClassVar = None
    unit: ClassVar = "N"

    @property
    @abstractmethod
    def joints(self) -> tuple[Joint, Joint]:
        """The joints of both wheels; the second may be that of a rack."""

    @abstractmethod
    def tangents(self, bodies: Mapping[str, Body]) -> Tangents | BevelTeeth:
        """Return the tangents as drawn.

        Parameters
        ----------
        bodies : mapping of str to body
            The bodies of the system by name.

        Returns
        -------
        Tangents
            The tangents.

        Raises
        ------
        fem.InputError
            There are none for the joints as drawn.
        """

    def with_joint(self, joint: Joint) -> Self:
        """Return this element: it keeps the joints that it was made of."""
        return self

    def reference(self, drawn: np.ndarray) -> np.ndarray:
        """Return zeros, (count,): threads are counted from the drawn configuration."""
        return np.zeros(self.count)

    def placement_problems(self, joints: Mapping[str, Joint], bodies: Mapping[str, Body]) -> list[str]:
        """Return as sentences why there are no tangents of the drawn wheels, or which joints are drawn elsewhere."""
        try:
            self.tangents(bodies)
        except InputError as error:
            return [f"{self.label}: {error}"]
        found = []
        for joint in self.joints:
            pairs = zip(joint.frames(bodies), joints[joint.name].frames(bodies), strict=True)
            if any(a.body != b.body or not np.allclose(a.drawn(bodies), b.drawn(bodies)) for a, b in pairs):
                found.append(
                    f"{self.label} was made of another {joint.label} than that of the system, which is drawn "
                    "elsewhere; make it anew of the joints of the system"
                )
        return found
