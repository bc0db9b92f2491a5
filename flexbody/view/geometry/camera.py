"""A camera with parallel projection, which looks along the normal of the plane of motion by default."""

from __future__ import annotations

from dataclasses import dataclass, replace

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
#: Margins left, right, bottom and top, relative to the height of the picture.
MARGINS = (0.05, 0.05, 0.05, 0.11)


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
        self,
        points: np.ndarray,
        size: tuple[int, int],
        right: float = 0.0,
        top: float = 0.0,
        bottom: float = 0.0,
    ) -> Camera:
        """Return the camera moved so that all points (n, 3) are visible, with room for texts.

        Parameters
        ----------
        points : numpy.ndarray
            Points, (n, 3), m.
        size : tuple of int
            Width and height of the picture, pixels.
        right : float, optional
            Additional margin on the right, relative to the height of the picture.
        top, bottom : float, optional
            Least margins above and below, relative to the height of the picture.
        """
        left, right = MARGINS[0], MARGINS[1] + right
        bottom, top = max(MARGINS[2], bottom), max(MARGINS[3], top)
        p = self.project(points)
        low, high = p.min(axis=0), p.max(axis=0)
        width, height = np.maximum(high - low, 1e-12)[:2]
        aspect = size[0] / size[1]
        shown = max(height / (1 - bottom - top), width / (aspect - left - right), 1e-9)
        middle = (low + high) / 2 + shown * np.array([right - left, top - bottom, 0]) / 2
        move = middle[0] * self.right + middle[1] * self.up - middle[2] * self.forward
        return replace(self, center=self.center + move, height=float(shown))


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
