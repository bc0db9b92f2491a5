"""A camera at infinity: looks along the normal of the plane of motion and sees all of it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called

#: named views: where the camera looks to
_NAMED = {
    "x": (-1, 0, 0),
    "-x": (1, 0, 0),
    "y": (0, -1, 0),
    "-y": (0, 1, 0),
    "z": (0, 0, -1),
    "-z": (0, 0, 1),
}
#: where "iso" looks to: right, forward and up of one who stands before the machine
OBLIQUE = (-1.0, 1.2, -0.8)
#: machines that are deeper than this share of their width are seen obliquely, also if they move in a plane
DEEP = 0.5
#: room around the drawing, in shares of the picture's height: left, right, bottom, top
MARGINS = (0.05, 0.05, 0.05, 0.11)


@dataclass(frozen=True)
class Camera:
    """Parallel projection: ``right``, ``up`` and ``forward`` are unit vectors in the inertial base.

    center : the point (m) in the middle of the picture. height : metres that the picture's height shows.
    """

    right: np.ndarray
    up: np.ndarray
    forward: np.ndarray
    center: np.ndarray
    height: float = 1.0

    def project(self, points: np.ndarray) -> np.ndarray:
        """Return metres to the right, upward and toward the viewer of the picture's middle, (n, 3)."""
        return (points - self.center) @ np.stack([self.right, self.up, -self.forward], axis=1)

    def fitted(self, points: np.ndarray, size: tuple[int, int], right_margin: float = 0.0) -> Camera:
        """Return the camera moved so that all points (n, 3) are seen, with room for words.

        size : picture's width and height in pixels. right_margin : more room at the right.
        """
        left, right, bottom, top = MARGINS
        right += right_margin
        p = self.project(points)
        low, high = p.min(axis=0), p.max(axis=0)
        width, height = np.maximum(high - low, 1e-12)[:2]
        aspect = size[0] / size[1]
        shown = max(height / (1 - bottom - top), width / (aspect - left - right), 1e-9)
        middle = (low + high) / 2 + shown * np.array([right - left, top - bottom, 0]) / 2
        move = middle[0] * self.right + middle[1] * self.up - middle[2] * self.forward
        return replace(self, center=self.center + move, height=float(shown))


def looking(forward: ArrayLike, up: ArrayLike) -> Camera:
    """Return a camera that looks along ``forward`` with ``up`` as nearly upward as possible."""
    given = forward
    try:
        forward = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        forward = np.zeros(0)
    size = np.linalg.norm(forward)
    if forward.shape != (3,) or not np.isfinite(size) or size == 0:
        raise InputError(
            f"view: {called(given)} is no direction; give three numbers, or one of {', '.join(_NAMED)}, iso, motion"
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

    tracks : positions of some points over time, (nt, k, 3), m. A motion counts as plane if nothing leaves the
    plane by more than 2 % of the motion within it, and the points' places are not about as deep as they are wide.
    Where the points move along one line only, or not at all, the plane that the points themselves lie in is taken.
    """
    motion = (tracks - tracks.mean(axis=0)).reshape(-1, 3)
    places = (tracks.mean(axis=0) - tracks.mean(axis=(0, 1))).reshape(-1, 3)
    for cloud in (motion, np.concatenate([motion, places])):
        sizes, axes = (
            np.linalg.svd(cloud, full_matrices=False)[1:] if len(cloud) >= 3 else (np.zeros(3), None)
        )
        if axes is not None and sizes[1] > 0.02 * sizes[0] > 0:
            across, along, depth = np.ptp(tracks.reshape(-1, 3) @ axes.T, axis=0)
            plane = sizes[2] < 0.02 * sizes[1] and depth < DEEP * max(across, along)
            return axes[2] if plane else None
    return None


def upward(gravity: ArrayLike) -> np.ndarray:
    """Return the direction that is up in pictures: against gravity, else z."""
    g = -np.asarray(gravity, dtype=float)
    size = np.linalg.norm(g)
    return g / size if size > 0 else np.array([0.0, 0.0, 1.0])


def camera_for(view, normal: np.ndarray | None, up: np.ndarray) -> Camera:
    """Return the camera of ``view``: "motion", one of the named views, or a direction to look along (3,).

    normal : of the plane of motion, or None, which makes "motion" an oblique view.
    """
    if isinstance(view, str):
        if view == "motion":
            return _along_normal(normal, up) if normal is not None else _oblique(normal, up)
        if view == "iso":
            return _oblique(normal, up)
        if view not in _NAMED:
            raise InputError(
                f"view: there is no view {view!r}; give a direction, or one of {', '.join(_NAMED)}, iso, motion"
            )
        return looking(_NAMED[view], up)
    return looking(view, up)


def _oblique(normal: np.ndarray | None, up: np.ndarray) -> Camera:
    """Look from above and from the right at the plane of motion, or at what stands upright in space."""
    if normal is not None:
        front = _along_normal(normal, up)
    else:
        front = looking((0, 0, -1) if abs(up[1]) > 0.7 * np.linalg.norm(up) else (0, 1, 0), up)
    right, forward, above = OBLIQUE
    return looking(right * front.right + forward * front.forward + above * front.up, front.up)


def _along_normal(normal: np.ndarray, up: np.ndarray) -> Camera:
    """Look along the normal from the side from which the main axis to the right is positive."""
    camera = looking(normal, up)
    main = np.argmax(np.abs(camera.right))
    return camera if camera.right[main] > 0 else looking(-normal, up)
