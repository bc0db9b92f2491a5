"""Pictures and films of meshes, structures, solutions and base functions."""

from __future__ import annotations

import os
from dataclasses import replace
from functools import singledispatch
from typing import Annotated, Any

import numpy as np
from numpy.typing import ArrayLike

import fem
import modal
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.files import check_file, new_file, path_of
from fem.common.progress import progress

from ..analyses.linear.minimal_coordinates import Reduced
from .displayed import PICTURE_ENDINGS, SCALE, Film, Picture
from .geometry.camera import Camera, camera_for
from .geometry.shading import Painter
from .render import films
from .render.caption import Caption
from .render.software import SoftwareRenderer
from .scenes.elements import Drawing, Options, of_mesh, of_structure
from .scenes.solutions import of_body, of_mode, of_static
from .stage import Renderer, checked_size, opened, seen_by

#: Number of pixels from which a part is visible.
VISIBLE_PIXELS = 4


@check_arguments
def picture_mesh(
    what: Any,
    path: str | os.PathLike | None = None,
    *,
    colour: str | ArrayLike | None = None,
    mode: int | None = None,
    scale: Annotated[float | None, SCALE] = None,
    limits: tuple[float, float] | None = None,
    sets: tuple[str, ...] | str | None = None,
    supports: Any = (),
    loads: Any = (),
    edges: bool | None = None,
    view: str | ArrayLike = "iso",
    size: tuple[int, int] = (1280, 720),
    title: str | None = None,
) -> Picture:
    """Draw a mesh, a structure, a solution or a base function, and write the picture if ``path`` is given.

    Parameters
    ----------
    what : fem.Mesh, fem.Structure, fem.Static, fem.Modes, fem.Buckling or modal.ReducedBody
        The object to draw; solutions are the results of :func:`fem.static`, :func:`fem.vibration` and
        :func:`fem.buckling`.
    path : path_like, optional
        File to write: .png, .jpg, .jpeg, .tif, .tiff or .bmp.
    colour : str or array_like, optional
        For a mesh or structure: "kind" (of elements), "property" or "plain"; the default shows what differs. For a
        solution: "displacement" (magnitude; default), "x", "y", "z", or "plain"; for a static solution also
        "von_mises", "principal_1", "principal_3", "xx", "yy", "zz", "yz", "xz", "xy", "jump" (:attr:`fem.Stress.jump`),
        or an array with one value for each node.
    mode : int, optional
        Index of the mode or base function in the arrays of ``what``, from 0; captions count modes from 1.
    scale : float, optional
        Factor on the drawn displacements; None, the default, chooses a round number that makes them visible.
    limits : tuple of float, optional
        Values at both ends of the colour scale, (low, high), SI units; for example to exclude the stress of a sharp
        corner.
    sets : tuple of str or str, optional
        Names of the node sets to colour. By default those of a mesh that no connection of its file uses; on a structure
        or solution only if nothing else is distinguished by colour.
    supports, loads : optional
        As in :func:`fem.static`. Cones show fixed displacements, plates show fixed rotations, and arrows show loads.
    edges : bool, optional
        Whether to draw all element edges; by default not on solutions.
    view, size
        As in :func:`flexbody.picture`, with one view.
    title : str, optional
        Title; by default the name of the mesh.

    Returns
    -------
    Picture
        The pixels, (height, width, 3), bytes: an array of NumPy, which a notebook displays.

    Raises
    ------
    fem.InputError
        If the object can't be drawn in this way.

    Notes
    -----
    Structures show their sections and thicknesses, point masses (balls), springs (coils), and rigid and averaging
    connections (spiders). Supports of a file in turned axes are cones along these. Shells show the stress of the
    visible side, and beams show the stress of each fibre. Unknown values are grey. The legend names what is visible,
    and the note what is not.

    Examples
    --------
    >>> import fem
    >>> import flexbody as fb
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> solution = fem.static(bar, "x0", fem.Force("x1", (0.0, 0.0, -1000.0)))
    >>> image = fb.picture_mesh(solution, colour="von_mises", supports="x0", size=(320, 180))
    >>> image.shape
    (180, 320, 3)
    """
    check_file(path, PICTURE_ENDINGS)
    options = Options(colour, mode, scale, limits, sets, supports, loads, edges)
    stage = _Stage(drawing_of(what, options), view, size, title, 0.0)
    renderer = stage.renderer()
    try:
        image = Picture(stage.frame(renderer, 1.0))
    finally:
        renderer.close()
    if path is not None:
        image.save(path)
    return image


@check_arguments
def animate_mode(
    what: Any,
    path: str | os.PathLike,
    mode: int = 0,
    *,
    colour: str | None = None,
    scale: Annotated[float | None, SCALE] = None,
    period: float = 2.0,
    cycles: int | None = None,
    fps: float = 25.0,
    edges: bool = False,
    view: str | ArrayLike = "iso",
    size: tuple[int, int] = (1280, 720),
    title: str | None = None,
    show_progress: bool | None = None,
) -> Film:
    """Write a film of an oscillating mode of vibration or buckling, or of a base function.

    Parameters
    ----------
    what : fem.Modes, fem.Buckling or modal.ReducedBody
        The result of :func:`fem.vibration` or :func:`fem.buckling`, or a reduced body.
    path : path_like
        File to write: .mp4 or .gif.
    mode : int, optional
        Index of the mode or base function in the arrays of ``what``, from 0; captions count modes from 1.
    colour, scale, edges, view, size, title
        As in :func:`picture_mesh`.
    period : float, optional
        Duration of one cycle in the film, s.
    cycles : int, optional
        Number of cycles; by default one in a .gif, which repeats itself, and three in an .mp4.
    fps : float, optional
        Frames per second.
    show_progress : bool, optional
        Whether to show a progress bar; by default only in a terminal.

    Returns
    -------
    Film
        The path of the film, a :class:`pathlib.Path`; a notebook displays the film.

    Notes
    -----
    The last frame leads on to the first. The file appears when it is complete; an error or an interrupt leaves no file.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> import fem
    >>> import flexbody as fb
    >>> steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    >>> bar = fem.assemble(fem.box((1.0, 0.1, 0.1), (4, 1, 1)), steel)
    >>> modes = fem.vibration(bar, n=2, supports="x0")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     film = fb.animate_mode(modes, Path(folder, "mode.gif"), mode=1, period=0.5, fps=8, size=(160, 90))
    ...     film.name
    'mode.gif'
    """
    path = Film(path_of(path))
    films.check(path, fps)
    if isinstance(what, fem.Mesh | fem.Structure | fem.Static):
        raise InputError(
            f"a {type(what).__name__} has no modes to film; give the result of fem.vibration or fem.buckling, or a "
            "reduced body"
        )
    n = round(period * fps) if np.isfinite(period) else 0
    repeats = (1 if path.suffix.lower() == ".gif" else 3) if cycles is None else cycles
    if n < 4 or repeats < 1:
        raise InputError(
            f"period = {period} s, cycles = {repeats}: a cycle needs at least four frames, and a film one cycle"
        )
    options = Options(colour, mode, scale, edges=edges)
    stage = _Stage(drawing_of(what, options), view, size, title, -1.0)
    swing = np.sin(2 * np.pi * np.arange(n) / n)
    renderer = stage.renderer()
    try:
        with (
            new_file(path) as partial,
            films.writer(partial, size, fps) as write,
            progress(n, "filming", unit="frames", show=show_progress) as bar,
        ):
            cycle = []
            for amplitude in swing:
                cycle.append(stage.frame(renderer, float(amplitude)))
                write(cycle[-1])
                bar.update(1)
            for _ in range(repeats - 1):
                for image in cycle:
                    write(image)
    finally:
        renderer.close()
    return path


@singledispatch
def drawing_of(what: Any, options: Options) -> Drawing:
    """Return the drawing of a mesh, a structure, a solution or a reduced body.

    Raises
    ------
    fem.InputError
        If the object can't be drawn in this way.
    """
    raise InputError(
        f"a {type(what).__name__} can't be drawn; give a fem.Mesh, a fem.Structure, the result of fem.static, "
        "fem.vibration or fem.buckling, or a modal.ReducedBody (a machine's run: fb.picture)"
    )


drawing_of.register(fem.Mesh, of_mesh)
drawing_of.register(fem.Structure, of_structure)
drawing_of.register(fem.Static, of_static)
drawing_of.register(modal.ReducedBody, of_body)


@drawing_of.register
def _(what: Reduced, options: Options) -> Drawing:
    raise InputError(
        "the modes of a linearization are motions of a whole machine; use fb.animate(linearization.motion(0), ...) or "
        "fb.picture(linearization.motion(0), ...), each for the first mode"
    )


@drawing_of.register
def _(what: fem.Modes, options: Options) -> Drawing:
    return of_mode(what, options, lambda k: f"mode {k + 1}: {what.frequencies_hz[k]:.5g} Hz")


@drawing_of.register
def _(what: fem.Buckling, options: Options) -> Drawing:
    return of_mode(what, options, lambda k: f"buckling mode {k + 1}: load factor {what.factors[k]:.5g}")


class _Stage:
    """A drawing with its camera and texts; the camera sees the shape at the amplitudes 1 and ``swing``."""

    def __init__(
        self, drawing: Drawing, view, size: tuple[int, int], title: str | None, swing: float
    ) -> None:
        self.size = checked_size(size)
        self.drawing = drawing
        words = drawing.name if title is None else title
        self.caption = Caption(words, drawing.note, drawing.scale, drawing.legend)
        self.camera = self._camera(view, swing)
        hidden = self._hidden()
        if hidden:
            legend = {name: colour for name, colour in drawing.legend.items() if name not in hidden}
            note = ", ".join(filter(None, [drawing.note, f"not visible from here: {listing(hidden, 4)}"]))
            self.caption = replace(self.caption, note=note, legend=legend)
            self.camera = self._camera(view, swing)

    def _camera(self, view, swing: float) -> Camera:
        """Return the camera that sees all parts beside the texts."""
        drawing = self.drawing
        clouds = [part.points(drawing.poses(a)) for part in drawing.parts for a in (1.0, swing)]
        camera = camera_for(view, None, np.array([0.0, 0.0, 1.0]))
        return camera.fitted(clouds, self.size, self.caption.boxes(self.size, False))

    def _hidden(self) -> list[str]:
        """Return the names in the legend whose parts are all hidden by others."""
        named: dict[str, int] = {
            part.label: 0 for part in self.drawing.parts if part.label in self.drawing.legend
        }
        if not named:
            return []
        painters = seen_by(self.camera, [Painter(part) for part in self.drawing.parts])
        counts = SoftwareRenderer(painters, self.camera, self.size, 1).pixels(self.drawing.poses())
        for part, count in zip(self.drawing.parts, counts.tolist(), strict=True):
            if part.label in named:
                named[part.label] += count
        return [name for name, count in named.items() if count < VISIBLE_PIXELS]

    def renderer(self) -> Renderer:
        """Return a renderer, to be closed after use."""
        painters = [Painter(part, self.drawing.scale) for part in self.drawing.parts]
        return opened(seen_by(self.camera, painters), self.camera, self.size)

    def frame(self, renderer: Renderer, amplitude: float) -> np.ndarray:
        """Return the finished picture with the shape at this amplitude."""
        return self.caption.on(renderer.image(self.drawing.poses(amplitude)), "")
