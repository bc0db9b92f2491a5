"""A camera with parallel projection, which looks along the normal of the plane of motion by default."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.names import with_match

#: Viewing directions of the named views.
_NAMED = {
    "x": (-1, 0, 0),
    "-x": (1, 0, 0),
    "y": (0, -1, 0),
    "-y": (0, 1, 0),
    "z": (0, 0, -1),
    "-z": (0, 0, 1),
}
#: Viewing direction of "iso": to the right, forward and up as seen from the front of the machine.
ISO_DIRECTION = (-1.0, 1.2, -0.8)
#: Machines whose depth exceeds this fraction of their width get an oblique view, even if they move in a plane.
DEPTH_LIMIT = 0.5
#: Margin around the parts, relative to the height of the picture.
MARGIN = 0.05
#: Of places in which the parts are nearly as large as in the best, relative to it, the widest is taken.
NEARLY_BEST = 0.98


class Box(NamedTuple):
    """A rectangle in a picture, pixels from its upper left corner."""

    left: float
    top: float
    right: float
    bottom: float

    def overlaps(self, other: Box) -> bool:
        """Return whether two rectangles have a common area."""
        across = self.left < other.right and other.left < self.right
        return across and self.top < other.bottom and other.top < self.bottom


def free_places(size: tuple[int, int], boxes: Sequence[Box]) -> list[Box]:
    """Return the largest rectangles in a picture (width, height), inside its margins, that overlap no box."""
    width, height = size
    edge = MARGIN * height
    sides = (
        {edge, *(box.right for box in boxes)},
        {edge, *(box.bottom for box in boxes)},
        {width - edge, *(box.left for box in boxes)},
        {height - edge, *(box.top for box in boxes)},
    )
    found = [
        Box(left, top, right, bottom)
        for left, top, right, bottom in product(*sides)
        if edge <= left < right <= width - edge and edge <= top < bottom <= height - edge
    ]
    return [place for place in found if not any(place.overlaps(box) for box in boxes)]


@dataclass(frozen=True)
class Camera:
    """A parallel projection.

    Parameters
    ----------
    right, up, forward : numpy.ndarray
        Unit vectors in the inertial base, (3,).
    center : numpy.ndarray
        Point in the middle of the picture, (3,), m.
    height : float, optional
        Height of the visible region, m.
    """

    right: np.ndarray
    up: np.ndarray
    forward: np.ndarray
    center: np.ndarray
    height: float = 1.0

    def project(self, points: np.ndarray) -> np.ndarray:
        """Return the distances from the middle of the picture: right, upward, towards the viewer, (n, 3), m."""
        return (points - self.center) @ np.stack([self.right, self.up, -self.forward], axis=1)

    def fitted(
        self, clouds: Iterable[np.ndarray], size: tuple[int, int], boxes: Sequence[Box] = ()
    ) -> Camera:
        """Return the camera moved so that all points are visible, as large as possible, beside the texts.

        Parameters
        ----------
        clouds : iterable of numpy.ndarray
            Points, (n, 3) each, m.
        size : tuple of int
            Width and height of the picture, pixels.
        boxes : sequence of Box, optional
            The places of texts, which stay free.
        """
        p = np.concatenate([_ends(self.project(points)) for points in clouds])
        low, high = _ends(p)
        width, height = np.maximum(high - low, 1e-12)[:2]
        places = free_places(size, boxes) or free_places(size, ())
        scales = [min((b.right - b.left) / width, (b.bottom - b.top) / height) for b in places]
        good = [b for b, s in zip(places, scales, strict=True) if s >= NEARLY_BEST * max(scales)]
        place = max(good, key=lambda b: (b.right - b.left) * (b.bottom - b.top))
        scale = min((place.right - place.left) / width, (place.bottom - place.top) / height)  # pixels per m
        beside = np.array([size[0] - place.left - place.right, place.top + place.bottom - size[1], 0.0])
        middle = (low + high) / 2 + beside / (2 * scale)
        move = middle[0] * self.right + middle[1] * self.up - middle[2] * self.forward
        return replace(self, center=self.center + move, height=float(max(size[1] / scale, 1e-9)))


def _ends(points: np.ndarray) -> np.ndarray:
    """Return the smallest and the largest coordinates of points, (2, 3)."""
    return np.stack([points.min(axis=0), points.max(axis=0)])


def camera_along(forward: ArrayLike, up: ArrayLike) -> Camera:
    """Return a camera that looks along ``forward``, with ``up`` as close to upward as possible."""
    given = forward
    try:
        forward = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        forward = np.zeros(0)
    size = np.linalg.norm(forward)
    if forward.shape != (3,) or not np.isfinite(size) or size == 0:
        raise InputError(
            f"view is {called(given)}; give a direction of three numbers, or one of {', '.join(_NAMED)}, iso, motion"
        )
    forward = forward / size
    for candidate in (up, (0, 0, 1), (0, 1, 0)):
        upward = np.asarray(candidate, float)
        upward = upward - forward * (forward @ upward)
        if np.linalg.norm(upward) > 0.2 * np.linalg.norm(candidate) > 0:
            break
    upward = upward / np.linalg.norm(upward)
    return Camera(np.cross(forward, upward), upward, forward, np.zeros(3))


def plane_normal(tracks: np.ndarray) -> np.ndarray | None:
    """Return the unit normal of the plane in which points move, or None for a motion in space.

    A motion counts as plane if nothing leaves the plane by more than 2 % of the motion within it, and the depth of the
    points is small compared with their width. If the points move along one line only, or not at all, the plane of the
    points themselves is used.

    Parameters
    ----------
    tracks : numpy.ndarray
        Positions of some points over time, (nt, k, 3), m.
    """
    motion = (tracks - tracks.mean(axis=0)).reshape(-1, 3)
    places = (tracks.mean(axis=0) - tracks.mean(axis=(0, 1))).reshape(-1, 3)
    for cloud in (motion, np.concatenate([motion, places])):
        sizes, axes = (
            np.linalg.svd(cloud, full_matrices=False)[1:] if len(cloud) >= 3 else (np.zeros(3), None)
        )
        if axes is not None and sizes[1] > 0.02 * sizes[0] > 0:
            across, along, depth = np.ptp(tracks.reshape(-1, 3) @ axes.T, axis=0)
            plane = sizes[2] < 0.02 * sizes[1] and depth < DEPTH_LIMIT * max(across, along)
            return axes[2] if plane else None
    return None


def upward(gravity: ArrayLike) -> np.ndarray:
    """Return the upward direction of pictures: against gravity, or z without gravity."""
    g = -np.asarray(gravity, dtype=float)
    size = np.linalg.norm(g)
    return g / size if size > 0 else np.array([0.0, 0.0, 1.0])


def camera_for(view, normal: np.ndarray | None, up: np.ndarray) -> Camera:
    """Return the camera of a view.

    Parameters
    ----------
    view : str or array_like
        "motion", one of the named views, or a viewing direction (3,).
    normal : numpy.ndarray or None
        Normal of the plane of motion; None makes "motion" an oblique view.
    up : numpy.ndarray
        Upward direction, (3,).
    """
    if isinstance(view, str):
        if view == "motion":
            return _along_normal(normal, up) if normal is not None else _oblique(normal, up)
        if view == "iso":
            return _oblique(normal, up)
        if view not in _NAMED:
            raise InputError(
                f"view is {with_match(view, [*_NAMED, 'iso', 'motion'])}; give a direction of three numbers, or one of "
                f"{', '.join(_NAMED)}, iso, motion"
            )
        return camera_along(_NAMED[view], up)
    return camera_along(view, up)


def _oblique(normal: np.ndarray | None, up: np.ndarray) -> Camera:
    """Return a camera that looks from above and from the right."""
    if normal is not None:
        front = _along_normal(normal, up)
    else:
        front = camera_along((0, 0, -1) if abs(up[1]) > 0.7 * np.linalg.norm(up) else (0, 1, 0), up)
    right, forward, above = ISO_DIRECTION
    return camera_along(right * front.right + forward * front.forward + above * front.up, front.up)


def _along_normal(normal: np.ndarray, up: np.ndarray) -> Camera:
    """Return a camera that looks along the normal, from the side where the main axis points to the right."""
    camera = camera_along(normal, up)
    main = np.argmax(np.abs(camera.right))
    return camera if camera.right[main] > 0 else camera_along(-normal, up)
