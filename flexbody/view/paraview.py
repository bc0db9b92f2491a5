"""Runs for ParaView: one VTKHDF file with the surfaces of all bodies, with displacements and stresses."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError
from fem.common.files import check_place, path_of
from fem.common.hdf5 import writing
from fem.common.progress import progress
from fem.elements.solid.stress import von_mises
from modal.body.stress_modes import StressModes

from .fast_motion import doubt_of
from .geometry.parts import Flexible, Part
from .geometry.poses import Pose, Poses
from .geometry.scale import drawn_factor
from .loops import closing
from .scenes.check import checked_result
from .scenes.machine import Scene, scene_of
from .vtkhdf import Blocks, rounded

#: Largest number of states that are written if no times are given.
MAX_STATES = 100
#: The components of a symmetric tensor in VTK, xx, yy, zz, xy, yz, xz, among ours.
VTK_ORDER = np.array([0, 1, 2, 5, 3, 4])
#: Accuracy of positions and of fields, of the largest coordinate or value of a block at the same time.
POSITION_ACCURACY, FIELD_ACCURACY = 2e-6, 5e-4


@check_arguments(own=("times",))
def write_paraview(
    result: Any,
    path: str | os.PathLike,
    *,
    times: ArrayLike | None = None,
    scale: float = 1.0,
    show_progress: bool | None = None,
) -> Path:
    """Write a run for ParaView: one file with all bodies at all times.

    Parameters
    ----------
    result : Result or State
        The result of a run, or a state.
    path : path_like
        File to write, .vtkhdf; ParaView 5.13 or newer opens it.
    times : array_like, optional
        Times within the run, s; by default up to 100 of the stored times. Between these the motion is interpolated as
        in :func:`picture`.
    scale : float, optional
        Factor on the drawn deformation of flexible bodies.
    show_progress : bool, optional
        Whether to show a progress bar; by default only in a terminal.

    Returns
    -------
    pathlib.Path
        The path of the file.

    Raises
    ------
    fem.InputError
        For another file ending, and for times outside the run.
    fem.FileError
        If the file can't be written.

    Notes
    -----
    Each body is a block with its name, and so is each spring, rod and force element that is drawn between bodies; a
    slash in a name is written ``|``. A block is the surface at its position at each time (m, inertial base); rigid
    bodies, flexible bodies without a surface (as from SID files) and springs look as in pictures. The points have these
    fields:

    * ``displacement`` from the drawn configuration, m;
    * for flexible bodies ``deformation`` relative to the joints that hold the body, m;
    * for flexible bodies with stress modes ``von_mises`` and the tensor ``stress``, Pa, inertial components in the
      order xx, yy, zz, xy, yz, xz of VTK; nan if unknown. ParaView's filter Tensor Principal Invariants computes
      principal stresses from it.

    Displacement and deformation are true values for every ``scale``. The file holds positions to 2e-6, and fields to
    5e-4, of the largest value of their block at the same time. It appears when it is complete and replaces an older
    one; an error or an interrupt leaves nothing. The format is VTKHDF (https://docs.vtk.org), which h5py and VTK read
    too.

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
    ...     fb.write_paraview(result, Path(folder, "pendulum.vtkhdf"), times=[0.0, 0.5]).name
    'pendulum.vtkhdf'
    """
    path = path_of(path)
    if path.suffix.lower() != ".vtkhdf":
        raise InputError(f"can't write a run for ParaView to {path}: the ending must be .vtkhdf")
    check_place(path)
    result = checked_result(result, "write_paraview")
    moments = _moments(result, times)
    factor = drawn_factor(scale, "the factor on the deformation")
    scene = scene_of(result, factor, close=closing(result))
    doubt_of(scene.motion, moments, scene.extent, "the run for ParaView")
    with (
        writing(path, "run for ParaView", 1) as file,
        progress(len(moments), "writing", unit="states", show=show_progress) as bar,
    ):
        blocks = _blocks(result, scene)
        places = Blocks(file, moments)
        surfaces = [
            places.add(block.name, block.triangles, len(block.drawn), block.fields, block.still)
            for block in blocks
        ]
        for k, moment in enumerate(moments):
            poses = scene.motion.at(moment)
            for block, surface in zip(blocks, surfaces, strict=True):
                if not (block.still and k):
                    surface.write(k, *block.at(poses))
            bar.update(1)
    return path


@dataclass(frozen=True, eq=False)
class _Block:
    """The parts that move with one body, or the symbol of a force element between bodies."""

    name: str
    parts: Sequence[Part]
    still: bool
    flexible: Flexible | None  # the part that deforms, the only one of its block
    modes: StressModes | None  # of the part that deforms
    poses: Poses  # of the drawn configuration
    triangles: np.ndarray = field(init=False)
    # of each part: one of its drawn points for each point of the body
    firsts: list[np.ndarray] = field(init=False)
    drawn: np.ndarray = field(init=False)  # (n, 3) points in the drawn configuration, m

    def __post_init__(self) -> None:
        triangles, firsts, start = [], [], 0
        for part in self.parts:  # pictures have the points at sharp edges twice
            _, first, number = np.unique(part.surface.source, return_index=True, return_inverse=True)
            triangles.append(start + number[part.surface.triangles])
            firsts.append(first)
            start += len(first)
        object.__setattr__(self, "triangles", np.concatenate(triangles))
        object.__setattr__(self, "firsts", firsts)
        object.__setattr__(self, "drawn", self._once([part.points(self.poses) for part in self.parts]))

    @property
    def fields(self) -> dict[str, int]:
        """The names of the fields, with their numbers of components."""
        known = {"displacement": 3}
        if self.flexible is not None:
            known["deformation"] = 3
        if self.modes is not None:
            known |= {"von_mises": 1, "stress": 6}
        return known

    def at(self, poses: Poses) -> tuple[np.ndarray, dict[str, np.ndarray]]:
        """Return the points and the fields at these poses."""
        points, true = (
            self._once([getattr(part, which)(poses) for part in self.parts])
            for which in ("points", "true_points")
        )
        data = {"displacement": true - self.drawn}
        if self.flexible is not None:
            data |= self._of_flexible(self.flexible, poses)
        return rounded(points, POSITION_ACCURACY), {
            name: rounded(values, FIELD_ACCURACY) for name, values in data.items()
        }

    def _once(self, points: Sequence[np.ndarray]) -> np.ndarray:
        """Return the points of the parts, (n, 3); a point that is drawn several times stands there once."""
        return np.concatenate([x[first] for first, x in zip(self.firsts, points, strict=True)])

    def _of_flexible(self, part: Flexible, poses: Poses) -> dict[str, np.ndarray]:
        """Return the fields of a flexible body."""
        pose, used = poses[part.body], part.surface.source[self.firsts[0]]
        fields = {"deformation": ((part.relative @ pose.alpha) @ pose.Q.T)[used]}
        if self.modes is not None:
            rows = self.modes.drawn[used, 0]
            stress = self.modes.turned(pose.Q).stress(pose.alpha[None], rows)[0]
            sections = len(self.modes.forces) > 0  # of beams and trusses, which have no tensors
            fields["von_mises"] = (
                self.modes.on_surface("von_mises", pose.alpha)[used] if sections else von_mises(stress)
            )
            fields["stress"] = stress[:, VTK_ORDER]
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
        part = flexible.get(name)
        modes = None if part is None else result.system.body(name).turned.stress_modes
        found.append(_Block(name, members, name == "ground", part, modes, drawn))
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
