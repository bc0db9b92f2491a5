"""Still pictures and films of a result."""

from __future__ import annotations

import functools
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import InputError, called
from fem.common.files import new_file, path_of
from fem.common.progress import progress

from ..rotation import finite, is_count
from .geometry.camera import Camera, camera_for
from .geometry.poses import Poses
from .geometry.scale import round_factor
from .geometry.scale import words as quantity
from .geometry.shading import Painter
from .render import films, opengl
from .render.caption import Caption, machine_title
from .render.panes import Panes, grid, views_of
from .render.software import SoftwareRenderer
from .render.web import write_page
from .scenes.given import shown
from .scenes.machine import Scene, scene_of
from .scenes.tones import tones_of
from .symbols.arrows import Arc, Arrow

STILLS = (".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp")
#: how many moments of the run are looked at to fit the camera
SAMPLES = 48


class Renderer(Protocol):
    """Draws parts at poses."""

    def image(self, poses: Poses) -> np.ndarray:
        """Return the picture, (height, width, 3) bytes."""

    def close(self) -> None:
        """Free what is held."""


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
) -> np.ndarray:
    """Draw a machine at one moment of a result, or in a state, and write the picture if ``path`` is given.

    time : s; the end of the run where not given. scale : factor on the drawn deformation, or "auto".
    view : "motion" (along the normal of the plane of motion), "x", "-x", "y", "-y", "z", "-z" (where the
    camera stands), "iso", or a direction to look along (3,); or a list of up to four of these, side by side.
    trace : bodies or frames whose paths are drawn. forces : joints, drives, couplings, constraints, loads and force
    elements whose forces (on their second body) are drawn as arrows, moments as round ones, by object or name; True for
    all. size : pixels.

    colour : of flexible bodies: "deformation" out of the chord of their joints, where not given; "von_mises",
    "principal_1", "principal_3", a component of stress in the body's base such as "xx"; "plain". The colours
    hold for the whole run: they end at the largest value, or, where a few points lie far above the others, at what
    99.5 % of the points stay below all the time; then the picture says how large the largest is. limits : where the
    colours begin and end instead, SI units.

    Returns the picture (height, width, 3), bytes. Raises InputError for an unknown ending, view or colour, a time
    outside the run, or stresses of bodies that have no stress modes.
    """
    if path is not None and path_of(path).suffix.lower() not in STILLS:
        raise InputError(f"can't write {path}: the ending must be one of {', '.join(STILLS)}")
    result = shown(result, "picture")
    t = np.asarray(result.t, dtype=float)
    moment = t[-1] if time is None else time
    if not (finite(moment) and t[0] <= moment <= t[-1]):
        asked = f"{moment:g} s" if finite(moment) else called(moment)
        raise InputError(f"time: the run holds {t[0]:g} s to {t[-1]:g} s, not {asked}")
    stage = Stage(result, scale, view, size, trace, title, colour=colour, limits=limits, forces=forces)
    with stage.renderer() as renderer:
        image = stage.frame(renderer, float(moment))
    if path is not None:
        write_still(path, image)
    return image


def _frames(t: np.ndarray, fps: float, slow_motion: float | None, n_frames: int | None) -> tuple[int, float]:
    """Return the number of a film's frames and how long (s) the motion is that they show."""
    if slow_motion is not None and not (finite(slow_motion) and slow_motion > 0):
        raise InputError(
            f"slow_motion is {called(slow_motion)}; give how many seconds of film one of the run lasts"
        )
    if n_frames is not None and not (is_count(n_frames) and n_frames > 1):
        raise InputError(f"n_frames is {called(n_frames)}; give a whole number, two or more")
    span = float(t[-1] - t[0]) if len(t) else 0.0
    if span <= 0:
        raise InputError("the result holds one moment only; there is no motion to film (picture() draws it)")
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
) -> Path:
    """Write a film of a run; the ending of ``path`` says which kind: .mp4, .gif, or .html.

    An .html page holds everything in one file and needs no network: turn, zoom and stop the machine in a browser.

    slow_motion : how many seconds of film one second of the run lasts; where not given, the film lasts six
    seconds, or as long as the run if that is 2 to 30 s. n_frames : number of frames, instead. Others as in
    :func:`picture`. The deformation's factor and the slow motion stand in the film.

    Returns the path. The file appears when it is complete; an error or interrupt leaves nothing. Raises
    InputError before any work for an unknown ending, view or an empty run.
    """
    path = path_of(path)
    films.check(path, fps, (".html",))
    result = shown(result, "animate")
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


def write_still(path: str | os.PathLike, image: np.ndarray) -> None:
    """Write a picture (height, width, 3); the file appears when it is complete."""
    from PIL import Image

    with new_file(path) as partial:
        Image.fromarray(image).save(partial)


def opened(painters: list[Painter], camera: Camera, size: tuple[int, int]) -> Renderer:
    """Return the renderer that is fastest on this machine, to be closed after use."""
    kind = opengl.OpenGLRenderer if opengl.accelerated() else SoftwareRenderer
    return kind(painters, camera, size)


def checked_size(size: tuple[int, int]) -> tuple[int, int]:
    """Return the size (width, height) in pixels; InputError if it is none."""
    pair = isinstance(size, tuple | list | np.ndarray) and len(size) == 2 and all(map(is_count, size))
    if not pair or min(size) < 64:
        raise InputError(f"size: {called(size)} are no pixels; give (width, height), both 64 or more")
    return int(size[0]), int(size[1])


class Stage:
    """A scene with its camera, colours and words."""

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
    ) -> None:
        self.size = checked_size(size)
        views = views_of(view)
        self.factor = factor = drawn_scale(result, scale)
        self.scene: Scene = scene_of(result, factor, trace, forces)
        tones = tones_of(result, self.scene.flexible, colour, limits)
        enlarged = (
            [f"deformation drawn {factor:g} times as large"] if self.scene.flexible and factor != 1 else []
        )
        note = []
        if slow is not None and abs(slow - 1) > 0.01:
            times = float(f"{max(slow, 1 / slow):.3g}")
            note.append(f"slowed {times:g} times" if slow > 1 else f"hastened {times:g} times")
        arrows = self.scene.arrows
        if arrows.force:
            note.append(f"longest arrow {quantity(arrows.force, 'N')}")
        if arrows.moment:
            note.append(f"longest round arrow {quantity(arrows.moment, 'N m')}")
        if tones.note:
            note.append(tones.note)
        words = machine_title(result.system) if title is None else title
        self.caption = Caption(words, ", ".join([*enlarged, *note]), tones.scale, arrows.legend)
        self.page_caption = Caption(
            words, ", ".join(note), tones.scale, arrows.legend
        )  # the page enlarges by itself
        self.painters = [Painter(tones.on(part), tones.scale) for part in self.scene.parts]
        self.cameras = self._cameras(views)

    def _cameras(self, views: list[Any]) -> list[Camera]:
        """Return a camera for each view, that sees everything in its share of the picture."""
        moments = [self.scene.motion.at(time) for time in self.scene.motion.times(SAMPLES)]
        every = np.concatenate([part.points(poses)[::3] for poses in moments for part in self.scene.parts])
        self.shape, self.sizes = grid(len(views), self.size)
        cameras = []
        for k, (view, size) in enumerate(zip(views, self.sizes, strict=True)):
            last = (k + 1) % self.shape[1] == 0
            margin = self.caption.margin * self.size[1] / size[1] if last else 0.0
            camera = camera_for(view, self.scene.normal, self.scene.up)
            cameras.append(camera.fitted(every, size, margin))
        return cameras

    @contextmanager
    def renderer(self) -> Iterator[Renderer]:
        """Open a renderer, and close it after the block."""
        makers = [
            functools.partial(opened, self._seen_by(camera), camera, size)
            for camera, size in zip(self.cameras, self.sizes, strict=True)
        ]
        renderer = makers[0]() if len(makers) == 1 else Panes(makers, self.shape)
        try:
            yield renderer
        finally:
            renderer.close()

    def _seen_by(self, camera: Camera) -> list[Painter]:
        """Return what a camera sees: arrows in front of everything."""
        nearer = -5 * camera.height * camera.forward
        return [p.moved(nearer) if isinstance(p.part, Arrow | Arc) else p for p in self.painters]

    def frame(self, renderer: Renderer, time: float) -> np.ndarray:
        """Return the finished picture at ``time`` (s)."""
        span = self.scene.motion.t[-1]
        clock = f"t = {time * 1e3:.2f} ms" if span < 1 else f"t = {time:.3f} s"
        return self.caption.on(renderer.image(self.scene.motion.at(time)), clock)


def drawn_scale(result: Any, scale: float | str) -> float:
    """Return the factor on the drawn deformation; "auto" makes it a visible part of the machine's size."""
    if not isinstance(scale, str):
        if not (finite(scale) and scale >= 0):
            raise InputError(
                f"scale: {called(scale)} is no factor for the drawn deformation; give a number or 'auto'"
            )
        return float(scale)
    if scale != "auto":
        raise InputError(f"scale: {scale!r} is no factor for the drawn deformation; give a number or 'auto'")
    scene = scene_of(result)
    factors: list[float] = []
    for part in scene.flexible:
        largest = part.largest(scene.motion.alpha(part.body))
        size = np.linalg.norm(np.ptp(part.x, axis=0))
        if largest > 0:
            factors.append(float(0.05 * size / largest))
    return round_factor(max(1.0, min(factors))) if factors else 1.0
