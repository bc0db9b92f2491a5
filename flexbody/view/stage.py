"""A scene with its cameras, colours and texts, ready to be drawn."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

import numpy as np

from fem.common.errors import InputError, called, listing
from fem.common.numbers import is_count

from ..analyses.linear.mode_motion import ModeMotion
from ..model.flexible_body import FlexibleBody
from .fast_motion import doubt_of, turns_of
from .geometry.camera import Box, Camera, camera_for
from .geometry.poses import Poses
from .geometry.scale import drawn_factor, round_factor
from .geometry.shading import Painter
from .loops import closing
from .render import opengl
from .render.blocks import BAR_FONT
from .render.caption import Caption
from .render.lettering import SMALLEST_FONT, line
from .render.scale_arrows import BASE, CIRCLE, GAP, LEFT, ROOM, PlacedArrow
from .render.software import SoftwareRenderer
from .render.subviews import Subviews, grid, views_of
from .scenes.colouring import colouring_of
from .scenes.machine import Scene, scene_of

#: Largest deformation that scale=None draws, relative to the size of its body.
VISIBLE_FRACTION = 0.05
#: Width of a letter of a scale arrow's value, relative to the height of the picture.
LETTER_WIDTH = 0.0135
#: Number of instants of the run that the camera is fitted to.
CAMERA_SAMPLES = 48
#: Number of points of a part up to which the camera is fitted to all of them.
CAMERA_POINTS = 5000


class Renderer(Protocol):
    """Draws parts of a picture at poses."""

    def image(self, poses: Poses) -> np.ndarray:
        """Return the picture, (height, width, 3) bytes."""

    def close(self) -> None:
        """Release the resources of the renderer."""


def opened(painters: list[Painter], camera: Camera, size: tuple[int, int]) -> Renderer:
    """Return the fastest renderer on this computer; close it after use."""
    kind = opengl.OpenGLRenderer if opengl.accelerated() else SoftwareRenderer
    return kind(painters, camera, size)


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return the size (width, height) in pixels.

    Raises
    ------
    fem.InputError
        If the size is not two whole numbers of at least 64.
    """
    if np.shape(size) != (2,) or not all(map(is_count, size)) or min(size) < 64:
        raise InputError(f"size is {called(size)}; give (width, height) in pixels, both at least 64")
    return int(size[0]), int(size[1])


class Stage:
    """A scene with its cameras, colours and texts."""

    def __init__(
        self,
        result,
        scale,
        view,
        size,
        trace,
        title,
        slow: float | None = None,
        colour=None,
        limits=None,
        forces=(),
        time: float | None = None,
        n_frames: int = 0,
    ) -> None:
        self.size = checked_size(size)
        views = views_of(view)
        self.factor = factor = drawn_scale(result, scale)
        self.time = time  # of a still
        self.scene: Scene = scene_of(result, factor, trace, forces, time, closing(result))
        self.moments = self.scene.motion.times(n_frames)  # of the frames of a film
        colouring = colouring_of(result, self.scene.flexible, colour, limits)
        enlarged = f"deformation ×{factor:g}" if self.scene.flexible and factor != 1 else ""
        arrows = self.scene.arrows
        said = result.caption if isinstance(result, ModeMotion) else ""
        fast = self._fast_motion(result, slow)
        if self.scene.motion.has_unknown_paths:
            fast.append("dots: stored states between which the path is not known")
        notes = [said, _slow_motion(slow), *fast, arrows.note(), colouring.note, *self.scene.notes]
        notes.append(_not_drawn(result, self.scene))
        words, note = title or "", ", ".join(filter(None, notes))
        # the page has a slider for the deformation
        self.page_caption = Caption(words, note, colouring.scale, self.scene.legend)
        self.caption = replace(self.page_caption, note=", ".join(filter(None, [enlarged, note])))
        self.painters = [Painter(colouring.on(part), colouring.scale) for part in self.scene.parts]
        self.views = views
        self.shape, self.sizes = grid(len(views), self.size)
        self.boxes = self.caption.boxes(self.size, True)
        self.cameras = self._cameras(self.boxes)
        self.caption = replace(self.caption, arrows=self._scale_arrows())

    def _fast_motion(self, result: Any, slow: float | None) -> list[str]:
        """Return notes on motions that are too fast for the stored states or for the frames of a film."""
        motion, size = self.scene.motion, self.scene.extent
        if self.time is not None:
            return [doubt_of(motion, np.array([self.time]), size, f"the picture at t = {self.time:.6g} s")]
        if len(self.moments) < 2 or slow is None:
            return []
        frame = float(self.moments[1] - self.moments[0])
        return [doubt_of(motion, self.moments, size, "the film"), turns_of(result, frame, slow)]

    def _cameras(self, boxes: list[Box]) -> list[Camera]:
        """Return a camera for each view that sees all of the scene in its subview, beside the texts in ``boxes``."""
        motion = self.scene.motion
        times = motion.times(CAMERA_SAMPLES) if self.time is None else [self.time]
        moments = [motion.at(time) for time in times]
        clouds = [_some(part.points(poses)) for poses in moments for part in self.scene.parts]
        cameras = []
        for k, (view, (width, height)) in enumerate(zip(self.views, self.sizes, strict=True)):
            x, y = self._corner(k)
            own = [Box(b.left - x, b.top - y, b.right - x, b.bottom - y) for b in boxes]
            if self.scene.arrows.parts:
                room = line(ROOM * self.size[1])
                own.append(Box(0.0, height - room, float(width), float(height)))
            camera = camera_for(view, self.scene.normal, self.scene.up)
            cameras.append(camera.fitted(clouds, (width, height), own))
        return cameras

    def _corner(self, k: int) -> tuple[int, int]:
        """Return the upper left corner of a view in the picture, pixels."""
        row, column = divmod(k, self.shape[1])
        left = sum(width for width, _ in self.sizes[row * self.shape[1] : k])
        return left, sum(height for _, height in self.sizes[column : k : self.shape[1]])

    def _scale_arrows(self) -> tuple[PlacedArrow, ...]:
        """Return the scale arrows of all views, each in the lower left corner of its view."""
        arrows, height = self.scene.arrows, self.size[1]
        found: list[PlacedArrow] = []
        for k, (camera, size) in enumerate(zip(self.cameras, self.sizes, strict=True)):
            left, top = self._corner(k)
            x, y = left / height + LEFT, (top + size[1]) / height - BASE
            if arrows.force:
                value, text = arrows.round_force
                length = value * arrows.length / camera.height * size[1] / height
                found.append(PlacedArrow(x, y, length, text))
                x = (
                    found[-1].end
                    + 4 * GAP
                    + max(LETTER_WIDTH, LETTER_WIDTH / BAR_FONT * SMALLEST_FONT / height) * len(text)
                )
            if arrows.moment:
                value, text = arrows.round_moment
                found.append(PlacedArrow(x + CIRCLE, y, value * arrows.angle, text, curved=True))
        return tuple(found)

    @staticmethod
    def alike(stages: Sequence[Stage]) -> None:
        """Give stages of one size one scale of lengths, and one place for the texts, for pictures side by side."""
        boxes = [box for stage in stages for box in stage.boxes]
        views = list(zip(*(stage._cameras(boxes) for stage in stages), strict=True))
        heights = [max(camera.height for camera in cameras) for cameras in views]
        for k, stage in enumerate(stages):
            own = (cameras[k] for cameras in views)
            stage.cameras = [
                replace(camera, height=height) for camera, height in zip(own, heights, strict=True)
            ]
            stage.caption = replace(stage.caption, arrows=stage._scale_arrows())

    @contextmanager
    def renderer(self) -> Iterator[Renderer]:
        """Open a renderer, and close it after the block."""
        makers = [
            functools.partial(opened, seen_by(camera, self.painters), camera, size)
            for camera, size in zip(self.cameras, self.sizes, strict=True)
        ]
        renderer = makers[0]() if len(makers) == 1 else Subviews(makers, self.shape, self.boxes)
        try:
            yield renderer
        finally:
            renderer.close()

    def frame(self, renderer: Renderer, time: float) -> np.ndarray:
        """Return the finished picture at ``time`` (s)."""
        span = self.scene.motion.t[-1]
        clock = f"t = {time * 1e3:.2f} ms" if span < 1 else f"t = {time:.3f} s"
        return self.caption.on(renderer.image(self.scene.motion.at(time)), clock)


def _some(points: np.ndarray) -> np.ndarray:
    """Return all points (n, 3) of a simple part, and many of a fine mesh."""
    return points[:: len(points) // CAMERA_POINTS + 1]


def seen_by(camera: Camera, painters: list[Painter]) -> list[Painter]:
    """Return the painters for a camera, with the parts of other layers nearer to it or farther from it."""
    nearer = -5 * camera.height * camera.forward
    return [p.moved(p.part.layer * nearer) if p.part.layer else p for p in painters]


def _slow_motion(slow: float | None) -> str:
    """Return a note on a film that lasts ``slow`` times as long as the motion."""
    if slow is None or abs(slow - 1) <= 0.01:
        return ""
    times = float(f"{max(slow, 1 / slow):.3g}")
    return f"{times:g}× {'slow' if slow > 1 else 'fast'} motion"


def _not_drawn(result: Any, scene: Scene) -> str:
    """Return a note on flexible bodies without a surface, which look rigid."""
    drawn = {part.body for part in scene.flexible}
    bodies = [body for body in result.system.bodies if isinstance(body, FlexibleBody) and body.n_modes]
    rigid = [body.name for body in bodies if body.name not in drawn]
    return f"deformation of {listing(rigid, 3)} not drawn: no surface" if rigid else ""


def drawn_scale(result: Any, scale: float | None) -> float:
    """Return the factor on the drawn deformation; None makes it visible relative to the size of the bodies."""
    return drawn_factor(scale, "the factor on the deformation", lambda: _visible_factor(result))


def _visible_factor(result: Any) -> float:
    """Return a round factor that makes the deformation of all flexible bodies visible."""
    scene = scene_of(result)
    factors: list[float] = []
    for part in scene.flexible:
        largest = part.largest(scene.motion.alpha(part.body))
        size = np.linalg.norm(np.ptp(part.x, axis=0))
        if largest > 0:
            factors.append(float(VISIBLE_FRACTION * size / largest))
    return round_factor(max(1.0, min(factors))) if factors else 1.0
