"""Runs for ParaView: a .pvd series with the surfaces of all bodies, with displacements and stresses."""

from __future__ import annotations

import os
import re
import secrets
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import quoteattr

import numpy as np
from numpy.typing import ArrayLike

from fem.common.errors import FileError, InputError
from fem.common.files import check_place, new_file, path_of
from fem.common.progress import progress
from fem.elements.solid.stress import tensor
from modal.body.stress_modes import StressModes

from .geometry.parts import Flexible, Part
from .geometry.poses import Pose, Poses
from .geometry.scale import drawn_factor
from .scenes.check import checked_result
from .scenes.machine import Scene, scene_of

#: Largest number of states that are written if no times are given.
MAX_STATES = 200
#: Order of the components of a symmetric tensor in VTK.
VTK_ORDER = ((0, 0), (1, 1), (2, 2), (0, 1), (1, 2), (0, 2))


def write_paraview(
    result: Any,
    path: str | os.PathLike,
    *,
    times: ArrayLike | None = None,
    scale: float = 1.0,
    show_progress: bool | None = None,
) -> Path:
    """Write a run as a series for ParaView: a .pvd file and a folder of the same name.

    Parameters
    ----------
    result : Result or State
        The result of a run, or a state.
    path : path_like
        File to write, .pvd; ParaView opens this file.
    times : array_like, optional
        Times within the run, s; by default up to 200 of the stored times.
    scale : float, optional
        Factor on the drawn deformation of flexible bodies.
    show_progress : bool, optional
        Whether to show a progress bar; by default only in a terminal.

    Returns
    -------
    pathlib.Path
        The path of the .pvd file.

    Raises
    ------
    fem.InputError
        For another file ending, and for times outside the run.
    fem.FileError
        If the files can't be written.

    Notes
    -----
    Each body is a block with its name, and so is each spring, rod and force element that is drawn between bodies. A
    block is the surface at its position at each time (m, inertial base); rigid bodies and springs look as in pictures.
    The points have these fields:

    * ``displacement`` from the drawn configuration, m;
    * for flexible bodies ``deformation`` relative to the chord of their joints, m;
    * for flexible bodies with stress modes ``von_mises``, ``principal_1``, ``principal_3`` and the tensor ``stress``,
      Pa, inertial components in the order xx, yy, zz, xy, yz, xz of VTK; nan if unknown.

    Displacement and deformation are true values for every ``scale``. File and folder appear when they are complete and
    replace older ones; an error or an interrupt leaves nothing.

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
    ...     series = fb.write_paraview(result, Path(folder, "pendulum.pvd"), times=[0.0, 0.5])
    ...     len(list(Path(folder, "pendulum").glob("*.vtm")))
    2
    """
    path = path_of(path)
    if path.suffix.lower() != ".pvd":
        raise InputError(f"can't write a series for ParaView to {path}: the ending must be .pvd")
    check_place(path)
    result = checked_result(result, "write_paraview")
    moments = _moments(result, times)
    factor = drawn_factor(scale, "the factor on the deformation")
    scene = scene_of(result, factor)
    blocks = _blocks(result, scene)
    with (
        _new_folder(path.with_suffix("")) as folder,
        progress(len(moments), "writing", unit="states", show=show_progress) as bar,
    ):
        for k, moment in enumerate(moments):
            poses = scene.motion.at(moment)
            files = [f"{block.file}-{0 if block.still else k:05d}.vtu" for block in blocks]
            for block, file in zip(blocks, files, strict=True):
                if not (block.still and k):
                    block.write(folder / file, poses)
            (folder / f"{k:05d}.vtm").write_text(_state(blocks, files), encoding="utf-8")
            bar.update(1)
    with new_file(path) as partial:
        partial.write_text(_collection(path.stem, moments), encoding="utf-8")
    return path


@dataclass(frozen=True, eq=False)
class _Block:
    """The parts that move with one body, or the symbol of a force element between bodies."""

    number: int
    name: str
    parts: Sequence[Part]
    drawn: np.ndarray  # (n, 3) points in the drawn configuration, m
    still: bool
    flexible: Flexible | None  # the part that deforms
    modes: StressModes | None  # of the part that deforms

    @property
    def file(self) -> str:
        """The name as part of a file name, with its number, which makes it unique."""
        return f"{self.number:02d}-" + re.sub(r"[^A-Za-z0-9_]+", "_", self.name)[:40]

    def write(self, path: Path, poses: Poses) -> None:
        """Write the block at these poses."""
        import meshio

        points = [part.points(poses) for part in self.parts]
        start = np.cumsum([0, *map(len, points)])
        triangles = [part.surface.triangles + at for part, at in zip(self.parts, start, strict=False)]
        true = np.concatenate([part.true_points(poses) for part in self.parts])
        data: dict[str, np.ndarray] = {"displacement": true - self.drawn}
        if self.flexible is not None:
            data |= self._of_flexible(self.flexible, poses)
        mesh = meshio.Mesh(np.concatenate(points), [("triangle", np.concatenate(triangles))], point_data=data)
        meshio.write(path, mesh, file_format="vtu", binary=True, compression="zlib")

    def _of_flexible(self, part: Flexible, poses: Poses) -> dict[str, np.ndarray]:
        """Return the fields of a flexible body."""
        pose, source = poses[part.body], part.surface.source
        fields = {"deformation": ((part.relative @ pose.alpha) @ pose.Q.T)[source]}
        if self.modes is not None:
            for what in ("von_mises", "principal_1", "principal_3"):
                fields[what] = self.modes.on_surface(what, pose.alpha)[source]
            full = tensor(self.modes.stress(pose.alpha[None], self.modes.drawn[:, 0])[0])
            turned = pose.Q @ full @ pose.Q.T
            fields["stress"] = np.stack([turned[:, i, j] for i, j in VTK_ORDER], axis=1)[source]
        return fields


def _blocks(result: Any, scene: Scene) -> list[_Block]:
    flexible = {part.body: part for part in scene.flexible}
    bodies = {body.name for body in result.system.bodies} | {"ground"}
    by_name: dict[str, list[Part]] = {}
    for part, owner in zip(scene.parts, scene.owners, strict=True):
        if part.is_line:
            continue
        name = getattr(part, "body", f"{owner} (between bodies)" if owner in bodies else owner)
        beside = name in flexible and part is not flexible[name]
        by_name.setdefault(f"{name}, pins" if beside else name, []).append(part)
    starts = {body.name: np.asarray(body.start, float) for body in result.system.bodies}
    drawn = {
        name: Pose(starts.get(name, np.zeros(3)), np.eye(3), 0 * pose.alpha)
        for name, pose in scene.motion.at(float(result.t[0])).items()
    }
    found: list[_Block] = []
    for name, members in by_name.items():
        at = np.concatenate([part.points(drawn) for part in members])
        part = flexible.get(name)
        modes = None if part is None else result.system.body(name).turned.stress_modes
        found.append(_Block(len(found), name, members, at, name == "ground", part, modes))
    return found


def _moments(result: Any, times: ArrayLike | None) -> np.ndarray:
    t = np.asarray(result.t, dtype=float)
    if times is None:
        return t[np.unique(np.linspace(0, len(t) - 1, MAX_STATES).astype(int))]
    try:
        found = np.atleast_1d(np.asarray(times, dtype=float))
    except (TypeError, ValueError):
        raise InputError(f"times is {times!r}; give one or several times in s") from None
    if found.ndim != 1 or not len(found) or not np.all((found >= t[0]) & (found <= t[-1])):
        raise InputError(
            f"times is {times!r}; give one or several times of the run, from {t[0]:g} s to {t[-1]:g} s"
        )
    return found


def _state(blocks: Sequence[_Block], files: Sequence[str]) -> str:
    """Return the text of the file of one state, which lists its blocks."""
    rows = [
        f'    <DataSet index="{k}" name={quoteattr(block.name)} file={quoteattr(file)}/>'
        for k, (block, file) in enumerate(zip(blocks, files, strict=True))
    ]
    return _xml("vtkMultiBlockDataSet", "1.0", rows)


def _collection(folder: str, moments: np.ndarray) -> str:
    """Return the text of the file of the series, which lists files and times."""
    rows = [
        f'    <DataSet timestep="{t:.12g}" part="0" file={quoteattr(f"{folder}/{k:05d}.vtm")}/>'
        for k, t in enumerate(moments)
    ]
    return _xml("Collection", "0.1", rows)


def _xml(kind: str, version: str, rows: list[str]) -> str:
    head = ['<?xml version="1.0"?>', f'<VTKFile type="{kind}" version="{version}">', f"  <{kind}>"]
    return "\n".join([*head, *rows, f"  </{kind}>", "</VTKFile>", ""])


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """Yield a new folder that gets the name ``folder`` after the block; it replaces only an older series."""
    if folder.is_file():
        raise FileError(f"can't write the folder {folder}: it is a file; choose another name")
    if folder.is_dir() and any(file.suffix not in (".vtu", ".vtm") for file in folder.iterdir()):
        raise FileError(
            f"the folder {folder} contains other files than a series for ParaView; choose another name"
        )
    partial = folder.with_name(f".{folder.name}-{secrets.token_hex(4)}.part")
    old = partial.with_suffix(".old")
    try:
        partial.mkdir()
        yield partial
        if folder.is_dir():
            os.replace(folder, old)
        os.replace(partial, folder)
    except OSError as error:
        raise FileError(f"can't write {folder}: {error.strerror or error}") from error
    finally:
        for rest in (partial, old):
            shutil.rmtree(rest, ignore_errors=True)
