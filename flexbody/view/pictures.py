"""Still pictures and films of a result."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.files import check_file, new_file, path_of
from fem.common.numbers import finite, is_count
from fem.common.progress import progress

from .displayed import PICTURE_ENDINGS, Film, Picture
from .geometry.camera import MARGINS, Camera, camera_for
from .geometry.poses import Poses
from .geometry.scale import drawn_factor, round_factor
from .geometry.shading import Painter
from .render import films, opengl
from .render.caption import Caption
from .render.scale_arrows import ROOM, PlacedArrow, placed
from .render.software import SoftwareRenderer
from .render.subviews import Subviews, grid, views_of
from .render.web import write_page
from .scenes.check import checked_result
from .scenes.colouring import colouring_of
from .scenes.machine import Scene, scene_of

#: Largest deformation that scale="auto" draws, relative to the size of its body.
VISIBLE_FRACTION = 0.05
#: Number of instants of the run that the camera is fitted to.
CAMERA_SAMPLES = 48


class Renderer(Protocol):
    """Draws parts of a picture at poses."""

    def image(self, poses: Poses) -> np.ndarray:
        """Return the picture, (height, width, 3) bytes."""

    def close(self) -> None:
        """Release the resources of the renderer."""


def picture(
    result: Any,
    path: str | os.PathLike | None = None,
    *,
    time: float | None = None,
    scale: float | str = 1.0,
    colour: str | None = None,
    limits: ArrayLike | None = None,
    view: str | ArrayLike | Sequence[Any] = "motion",
    size: tuple[int, int] = (1280, 720),
    trace: tuple = (),
    forces: Any = (),
    title: str | None = None,
) -> Picture:
    """Draw a machine at one instant of a result, and write the picture if ``path`` is given.

    Parameters
    ----------
    result : Result or State
        The result of a run, or a state.
    path : path_like, optional
        File to write: .png, .jpg, .jpeg, .tif, .tiff or .bmp.
    time : float, optional
        Time of the picture, s; by default the end of the run.
    scale : float or "auto", optional
        Factor on the drawn deformation; "auto" makes it visible.
    colour : str, optional
        Colour of flexible bodies: "deformation" (default; displacement relative to the chord of their joints),
        "von_mises", "principal_1", "principal_3", a stress component in the base of the body such as "xx", or "plain".
    limits : array_like, optional
        Values at both ends of the colour scale, (2,), SI units.
    view : str, array_like or sequence, optional
        "motion" (default; along the normal of the plane of motion), "x", "-x", "y", "-y", "z", "-z" (position of the
        camera), "iso", or a viewing direction (3,). A list of up to four views gives several views side by side.
    size : tuple of int, optional
        Width and height, pixels.
    trace : tuple, optional
        Bodies or frames whose paths are drawn.
    forces : sequence or bool, optional
        Joints, drives, couplings, constraints, loads and force elements whose forces on their second body are drawn as
        arrows, and whose moments are drawn as curved arrows. Give objects or names, or True for all.
    title : str, optional
        Title; by default none.

    Returns
    -------
    Picture
        The pixels, (height, width, 3), bytes: an array of NumPy, which a notebook displays.

    Raises
    ------
    fem.InputError
        For an unknown file ending, view or colour, for a time outside the run, and for stresses of bodies without
        stress modes.

    Notes
    -----
    The colours hold for the whole run. The colour scale ends at the largest value. If a few points have much larger
    values than the others, it ends at the value that 99.5 % of the points never exceed, and a note in the picture gives
    the largest value.

    Examples
    --------
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> pendulum = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(pendulum, t_end=0.5, show_progress=False)
    >>> image = fb.picture(result, time=0.2, forces=True, size=(320, 180))
    >>> image.shape
    (180, 320, 3)
    """
    check_file(path, PICTURE_ENDINGS)
    result = checked_result(result, "picture")
    t = np.asarray(result.t, dtype=float)
    moment = t[-1] if time is None else time
    if not (finite(moment) and t[0] <= moment <= t[-1]):
        asked = f"{moment:g} s" if finite(moment) else called(moment)
        raise InputError(f"time: the run goes from {t[0]:g} s to {t[-1]:g} s, which does not include {asked}")
    moment = float(moment)
    stage = Stage(
        result, scale, view, size, trace, title, colour=colour, limits=limits, forces=forces, time=moment
    )
    with stage.renderer() as renderer:
        image = Picture(stage.frame(renderer, moment))
    if path is not None:
        image.save(path)
    return image


def _frames(t: np.ndarray, fps: float, slow_motion: float | None, n_frames: int | None) -> tuple[int, float]:
    """Return the number of frames of a film and the duration (s) of the motion that they show."""
    if slow_motion is not None and not (finite(slow_motion) and slow_motion > 0):
        raise InputError(
            f"slow_motion is {called(slow_motion)}; it must be above zero: seconds of film for one second of the run"
        )
    if n_frames is not None and not (is_count(n_frames) and n_frames > 1):
        raise InputError(f"n_frames is {called(n_frames)}; give a whole number, two or more")
    span = float(t[-1] - t[0]) if len(t) else 0.0
    if span <= 0:
        raise InputError(
            "the result has only one instant, so there is no motion to film; use picture() instead"
        )
    slow = slow_motion or (1.0 if 2 <= span <= 30 else 6.0 / span)
    return n_frames or max(2, round(span * slow * fps) + 1), span


def animate(
    result: Any,
    path: str | os.PathLike,
    *,
    scale: float | str = 1.0,
    colour: str | None = None,
    limits: ArrayLike | None = None,
    fps: float = 25.0,
    slow_motion: float | None = None,
    n_frames: int | None = None,
    view: str | ArrayLike | Sequence[Any] = "motion",
    size: tuple[int, int] = (1280, 720),
    trace: tuple = (),
    forces: Any = (),
    title: str | None = None,
    show_progress: bool | None = None,
) -> Film:
    """Write a film of a run.

    Parameters
    ----------
    result : Result
        The result of a run.
    path : path_like
        File to write: .mp4, .gif, or .html. The .html page contains everything in one file and needs no network; the
        machine can be rotated, zoomed and stopped in a browser.
    scale, colour, limits, view, size, trace, forces, title
        As in :func:`picture`.
    fps : float, optional
        Frames per second.
    slow_motion : float, optional
        Seconds of film for one second of the run. By default the film lasts six seconds, or as long as the run if that
        is 2 s to 30 s.
    n_frames : int, optional
        Number of frames, which replaces ``slow_motion``.
    show_progress : bool, optional
        Whether to show a progress bar; by default only in a terminal.

    Returns
    -------
    Film
        The path of the film, a :class:`pathlib.Path`; a notebook displays the film.

    Raises
    ------
    fem.InputError
        For an unknown file ending or view, and for an empty run, before any work.

    Notes
    -----
    The film shows the factor on the deformation and the slow motion. The file appears when it is complete; an error or
    an interrupt leaves no file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import flexbody as fb
    >>> bar = fb.RigidBody("bar", mass=1.0, inertia=(1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    >>> hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    >>> pendulum = fb.System([bar], [hinge], gravity=(0, 0, -9.81))
    >>> result = fb.simulate(pendulum, t_end=0.5, show_progress=False)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     film = fb.animate(result, Path(folder, "pendulum.html"), n_frames=10, show_progress=False)
    ...     film.name
    'pendulum.html'
    """
    path = Film(path_of(path))
    films.check(path, fps, (".html",))
    result = checked_result(result, "animate")
    n_frames, span = _frames(np.asarray(result.t, dtype=float), fps, slow_motion, n_frames)
    stage = Stage(
        result,
        scale,
        view,
        size,
        trace,
        title,
        (n_frames - 1) / fps / span,
        colour=colour,
        limits=limits,
        forces=forces,
    )
    moments = stage.scene.motion.times(n_frames)
    if path.suffix.lower() == ".html":
        with (
            new_file(path) as partial,
            progress(len(stage.painters), "writing", unit="parts", show=show_progress) as bar,
        ):
            film = (moments, fps, bar)
            write_page(
                partial, stage.scene, stage.painters, stage.page_caption, stage.cameras[0], stage.factor, film
            )
        return path
    with (
        new_file(path) as partial,
        stage.renderer() as renderer,
        films.writer(partial, size, fps) as write,
        progress(n_frames, "filming", unit="frames", show=show_progress) as bar,
    ):
        for moment in moments:
            write(stage.frame(renderer, moment))
            bar.update(1)
    return path


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
    ) -> None:
        self.size = checked_size(size)
        views = views_of(view)
        self.factor = factor = drawn_scale(result, scale)
        self.time = time  # of a still
        self.scene: Scene = scene_of(result, factor, trace, forces, time)
        colouring = colouring_of(result, self.scene.flexible, colour, limits)
        enlarged = f"deformation ×{factor:g}" if self.scene.flexible and factor != 1 else ""
        arrows = self.scene.arrows
        notes = [_slow_motion(slow), arrows.note(), colouring.note]
        words, note = title or "", ", ".join(filter(None, notes))
        self.page_caption = Caption(
            words, note, colouring.scale, arrows.legend
        )  # the page has a slider for the deformation
        self.caption = replace(self.page_caption, note=", ".join(filter(None, [enlarged, note])))
        self.painters = [Painter(colouring.on(part), colouring.scale) for part in self.scene.parts]
        self.cameras = self._cameras(views)
        self.caption = replace(self.caption, arrows=self._scale_arrows())

    def _cameras(self, views: list[Any]) -> list[Camera]:
        """Return a camera for each view that sees all of the scene in its subview, beside the texts."""
        motion = self.scene.motion
        times = motion.times(CAMERA_SAMPLES) if self.time is None else [self.time]
        moments = [motion.at(time) for time in times]
        every = np.concatenate([part.points(poses)[::3] for poses in moments for part in self.scene.parts])
        self.shape, self.sizes = grid(len(views), self.size)
        width, height = self.size
        top = self.caption.top(width / height)
        bottom = ROOM if self.scene.arrows.parts else 0.0
        cameras = []
        for k, (view, size) in enumerate(zip(views, self.sizes, strict=True)):
            whole = height / size[1]
            right = self.caption.margin * whole if (k + 1) % self.shape[1] == 0 else 0.0
            above = top * whole if k < self.shape[1] else 0.0
            camera = camera_for(view, self.scene.normal, self.scene.up)
            cameras.append(camera.fitted(every, size, right, above, bottom * whole))
        return cameras

    def _scale_arrows(self) -> tuple[PlacedArrow, ...]:
        """Return the scale arrows of all views."""
        height, columns = self.size[1], self.shape[1]
        found: list[PlacedArrow] = []
        for k, (camera, size) in enumerate(zip(self.cameras, self.sizes, strict=True)):
            row, column = divmod(k, columns)
            left = sum(w for w, _ in self.sizes[row * columns : row * columns + column])
            low = sum(h for _, h in self.sizes[: (row + 1) * columns : columns])
            found += placed(self.scene.arrows, camera, (left / height, low / height), size[1] / height)
        return tuple(found)

    @contextmanager
    def renderer(self) -> Iterator[Renderer]:
        """Open a renderer, and close it after the block."""
        makers = [
            functools.partial(opened, self._seen_by(camera), camera, size)
            for camera, size in zip(self.cameras, self.sizes, strict=True)
        ]
        width, height = self.size
        room = (max(self.caption.top(width / height), MARGINS[3]), self.caption.margin)
        renderer = makers[0]() if len(makers) == 1 else Subviews(makers, self.shape, room)
        try:
            yield renderer
        finally:
            renderer.close()

    def _seen_by(self, camera: Camera) -> list[Painter]:
        """Return the painters for a camera, with the arrows in front of everything."""
        nearer = -5 * camera.height * camera.forward
        return [p.moved(nearer) if p.part.in_front else p for p in self.painters]

    def frame(self, renderer: Renderer, time: float) -> np.ndarray:
        """Return the finished picture at ``time`` (s)."""
        span = self.scene.motion.t[-1]
        clock = f"t = {time * 1e3:.2f} ms" if span < 1 else f"t = {time:.3f} s"
        return self.caption.on(renderer.image(self.scene.motion.at(time)), clock)


def _slow_motion(slow: float | None) -> str:
    """Return a note on a film that lasts ``slow`` times as long as the motion."""
    if slow is None or abs(slow - 1) <= 0.01:
        return ""
    times = float(f"{max(slow, 1 / slow):.3g}")
    return f"{times:g}× {'slow' if slow > 1 else 'fast'} motion"


def drawn_scale(result: Any, scale: float | str) -> float:
    """Return the factor on the drawn deformation; "auto" makes it visible relative to the size of the bodies."""
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
