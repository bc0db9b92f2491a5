"""Still pictures and films of a result."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called
from fem.common.files import check_file, new_file, path_of
from fem.common.numbers import is_number
from fem.common.progress import progress

from .displayed import PICTURE_ENDINGS, SCALE, Film, Picture
from .film_times import frames_of
from .peak_state import with_state_of_peak
from .render import films
from .render.web import write_page
from .scenes.check import checked_result
from .stage import Stage


@check_arguments(own=("colour",))
def picture(
    result: Any,
    path: str | os.PathLike | None = None,
    *,
    time: float | None = None,
    scale: Annotated[float | None, SCALE] = 1.0,
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
        Time of the picture, s; by default the end of the run. Between stored states what is drawn is interpolated (see
        Notes); but at the time of a peak, ``result.element(name).peak.t``, the state is computed again where ``forces``
        are drawn.
    scale : float or None, optional
        Factor on the drawn deformation; None makes it visible. Bodies that a flexible body carries follow it.
    colour : str, optional
        Colour of flexible bodies: "deformation" (default; displacement relative to the joints that hold the body, such
        as the chord between two joints or the tangent at a clamp), "von_mises", "principal_1", "principal_3", a stress
        component in the base of the body such as "xx", or "plain".
    limits : array_like, optional
        Values at both ends of the colour scale, (2,), SI units.
    view : str, array_like or sequence, optional
        "motion" (default; along the normal of the plane of motion), "x", "-x", "y", "-y", "z", "-z" (position of the
        camera), "iso", or a viewing direction (3,). A list of up to four views gives several views side by side.
    size : tuple of int, optional
        Width and height, pixels.
    trace : tuple, optional
        Bodies or frames whose paths are drawn, each in its own colour, which the legend names; long paths are thin,
        pale and behind the machine. Dots show stored states between which a path is not known.
    forces : sequence or bool, optional
        Joints, drives, couplings, constraints, loads and force elements whose forces on their second body are drawn as
        arrows, and whose moments are drawn as curved arrows. Give objects or names, or True for all but the small ones.
        Arrows start at the point of action; scale arrows show a round force and moment at the time of a picture, or of
        the whole film.
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
    Between stored states bodies move by their stored positions, velocities and accelerations, relative to the bodies
    that carry them; several turns between two states are found, and joints that close loops hold. Where the motion is
    not certain, as of vibrations that are faster than the states are stored, the picture is a guess; a note in it and a
    warning say so. Forces turn with their body where they have done so between both states.

    All flexible bodies have the same factor on their deformation, which the picture names. Of a body without a mesh the
    size follows from its inertia; a note gives the factor if it is drawn smaller, as beside much smaller bodies.

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
    if not (is_number(moment) and t[0] <= moment <= t[-1]):
        asked = f"{moment:g} s" if is_number(moment) else called(moment)
        raise InputError(f"time: the run goes from {t[0]:g} s to {t[-1]:g} s, which does not include {asked}")
    moment = float(moment)
    if forces:
        result = with_state_of_peak(result, moment)
    stage = Stage(
        result, scale, view, size, trace, title, colour=colour, limits=limits, forces=forces, time=moment
    )
    with stage.renderer() as renderer:
        image = Picture(stage.frame(renderer, moment))
    if path is not None:
        image.save(path)
    return image


@check_arguments(own=("colour",))
def animate(
    result: Any,
    path: str | os.PathLike,
    *,
    scale: Annotated[float | None, SCALE] = 1.0,
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
    The film shows the factor on the deformation and the slow motion. A note in it and a warning tell where a body turns
    by more than half a turn from frame to frame, so that it seems to turn backwards, with the ``slow_motion`` that it
    needs. The file appears when it is complete; an error or
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
    n_frames, span = frames_of(np.asarray(result.t, dtype=float), fps, slow_motion, n_frames)
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
        n_frames=n_frames,
    )
    moments = stage.moments
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
