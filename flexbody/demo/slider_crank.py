"""The demonstration: from the mesh of a connecting rod to results and a film of a slider-crank."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

import fem
import modal
from fem.common.errors import FileError, InputError, listing
from fem.common.files import check_folder, path_of
from fem.common.names import with_match

from ..analyses.result import Result
from ..analyses.simulate import simulate
from ..analyses.starts import QuasiStatic
from ..model.drives import Drive
from ..model.flexible_body import FlexibleBody
from ..model.joints.compound_joints import Universal
from ..model.joints.lower_pairs import Prismatic, Revolute, Spherical
from ..model.rigid_body import RigidBody
from ..model.sides import GROUND
from ..model.system import Connection, System
from ..results.displacement import Chord
from ..view import animate, picture, plot, plot_stress
from .conrod import EYES, Rod, default_mesh, rod_of

FILMS = ("mp4", "gif", "html", "none")

#: where the files go by default: the only folder that the demo makes
OWN_FOLDER = Path("flexbody-demo")

LineWriter = Callable[[str, str], None]


@dataclass(frozen=True)
class Settings:
    """Settings of the demonstration.

    Parameters
    ----------
    mesh : pathlib.Path, optional
        Mesh file of a connecting rod; by default the one that is part of flexbody.
    units : str, optional
        Units of the mesh file.
    big_end, small_end : str, optional
        Name of a node set, or a point "x,y,z" (m) near the eye. By default node sets of these names, or the two largest
        parallel holes.
    material : fem.Isotropic, optional
        The material; by default that of the mesh file, or steel.
    out : pathlib.Path, optional
        Folder for the files, which exists; the default, ``flexbody-demo``, is made.
    t_end : float, optional
        Duration of the run, s.
    rate : float, optional
        Angular velocity of the crank, rad/s.
    modes : int, optional
        Number of modes with both eyes fixed, in addition to the static ones.
    film : str, optional
        "mp4", "gif", "html" or "none".
    """

    mesh: Path | None = None
    units: str = "SI"
    big_end: str | None = None
    small_end: str | None = None
    material: fem.Isotropic | None = None
    out: Path = OWN_FOLDER
    t_end: float = 0.06
    rate: float = 150.0
    modes: int = 8
    film: str = "mp4"

    def check(self) -> None:
        """Raise InputError that lists all problems, before any work."""
        found = []
        for what in ("t_end", "rate"):
            value = getattr(self, what)
            if not (np.isfinite(value) and value > 0):
                found.append(f"{what} is {value}; it must be above zero")
        if self.modes < 0:
            found.append(f"modes is {self.modes}; it must not be below zero")
        if self.film not in FILMS:
            found.append(f"film is {with_match(self.film, FILMS)}; it must be one of {listing(FILMS)}")
        if found:
            raise InputError("; ".join(found))
        _check_folder(self.out)


@dataclass
class Report:
    """Results of the demonstration in SI units, and the computing time of each part, s."""

    result: Result
    body: modal.ReducedBody
    files: list[Path] = field(default_factory=list)
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def deflection(self) -> tuple[float, float]:
        """Largest deflection of the middle of the rod from the chord between its eyes (m), and its time (s)."""
        out = self.result.displacement("rod", "middle", relative_to=Chord(*EYES))
        size = np.linalg.norm(out, axis=1)
        return float(size.max()), float(self.result.t[size.argmax()])

    @property
    def reaction(self) -> tuple[float, str]:
        """Largest reaction force (N), and the name of its joint."""
        joints = self.result.system.proper_joints
        sizes = {j.name: float(np.linalg.norm(self.result.reaction(j).force, axis=1).max()) for j in joints}
        name = max(sizes, key=lambda key: sizes[key])
        return sizes[name], name


def run(
    settings: Settings, write_line: LineWriter = lambda what, words: None, show_progress: bool | None = None
) -> Report:
    """Run the demonstration and write its files into ``settings.out``.

    Parameters
    ----------
    settings : Settings
        The settings.
    write_line : callable, optional
        Function that writes a line of the table, ``write_line(name, text)``; by default nothing is written.
    show_progress : bool, optional
        Whether to show progress bars; by default only in a terminal.

    Returns
    -------
    Report
        The results.

    Notes
    -----
    All problems of the input are found before the work starts and before the folder is created. All numbers are
    reported before anything is drawn, and each file as soon as it is complete. The result is written first. After an
    interrupt during the simulation, the results so far are written, without a film.
    """
    settings.check()
    clock = _Clock()
    mesh = fem.read_mesh(settings.mesh or default_mesh(), units=settings.units)
    rod = rod_of(mesh, settings.big_end, settings.small_end, settings.material)
    clock.stop("mesh")
    _write_mesh(rod, write_line)
    body = reduced(rod, settings.modes)
    _write_modes(rod, body, settings.modes, write_line)
    clock.stop("modes")
    system = machine(rod, body, settings.rate)
    result = simulate(system, settings.t_end, start=QuasiStatic(), show_progress=show_progress)
    report = Report(result, body, seconds=clock.seconds)
    _write_motion(report, write_line)
    clock.stop("simulation")
    _write_files(report, settings, write_line, show_progress)
    clock.stop("files")
    write_line("time taken", ", ".join(f"{name} {spent:.1f} s" for name, spent in clock.seconds.items()))
    return report


def reduced(rod: Rod, modes: int, rigid: bool = False, **others: Any) -> modal.ReducedBody:
    """Return the reduced rod: Craig-Bampton with both eyes, in the mean-displacement frame."""
    interface = modal.Rigid() if rigid else modal.Averaged()
    basis = modal.craig_bampton(rod.structure, interfaces=EYES, n_normal=modes, interface=interface)
    frame = modal.MeanDisplacement()
    return modal.reduce(rod.structure, basis, frame=frame, markers=("middle",), name="rod", **others)


def machine(rod: Rod, body: modal.ReducedBody, rate: float) -> System:
    """Return a slider-crank with the rod; the crank is half as long as the rod.

    The axis of the eyes is y, and the slider moves along x. Spherical, universal and prismatic joints leave one degree
    of freedom and no redundant constraints. The crank has the mass of the rod, and the slider half of it.
    """
    big, small = (body.origin + body.markers[name].point for name in EYES)
    line = (small - big) - rod.axis * ((small - big) @ rod.axis)
    length = float(np.linalg.norm(line))
    rotation = np.stack([line / length, rod.axis, np.cross(line / length, rod.axis)])
    r = length / 2
    origin = np.array([r, 0.0, 0.0]) - rotation @ big
    wrist_point = rotation @ small + origin
    crank_inertia = body.mass * r**2 / 4 * np.array([0.05, 1.0, 1.0])
    crank = RigidBody("crank", mass=body.mass, inertia=crank_inertia, center=(r / 3, 0, 0))
    flexible = FlexibleBody("rod", body, origin=origin, rotation=rotation, damping_ratio=0.005)
    side = 0.15 * length
    slider_inertia = body.mass / 2 * side**2 / 6 * np.ones(3)
    slider = RigidBody("slider", mass=body.mass / 2, inertia=slider_inertia, center=wrist_point)
    main = Revolute("main bearing", GROUND, crank, point=(0, 0, 0), axis="y")
    joints: list[Connection] = [
        main,
        Spherical("crank pin", crank, flexible["big_end"]),
        Universal("wrist pin", flexible["small_end"], slider, axes=("y", "z")),
        Prismatic("guide", GROUND, slider, point=wrist_point, axis="x"),
        Drive("drive", main, rate=rate),
    ]
    return System(bodies=[crank, flexible, slider], joints=joints, gravity=(0, 0, -9.81))


def _check_folder(out: Path) -> None:
    """Raise FileError if the files can't be written to ``out``; only the demo's own folder may be missing."""
    try:
        check_folder(out if path_of(out).exists() or out != OWN_FOLDER else out.parent)
    except FileError as error:
        raise FileError(f"--out takes a folder for the files of the demo: {error}") from error


def _write_files(
    report: Report, settings: Settings, write_line: LineWriter, show_progress: bool | None
) -> None:
    """Write the result first, then the reduced body, the plots, a picture and the film; report each file."""
    out, result = settings.out, report.result
    if out == OWN_FOLDER:
        out.mkdir(exist_ok=True)

    def write(name: str, write_to: Callable[[Path], Any]) -> None:
        path = out / name
        write_to(path)
        report.files.append(path)
        write_line("written", str(path))

    write("slider_crank.h5", result.save)
    write("rod.h5", report.body.save)
    title = "Slider-crank with a flexible connecting rod"
    write("slider_crank_plot.png", lambda path: plot(result, path, title=title))
    write("slider_crank_stress.png", lambda path: plot_stress(result, path, title=title))
    drawn: dict[str, Any] = {"scale": None, "colour": "von_mises", "title": title}
    moment = report.deflection[1]
    write("slider_crank.png", lambda path: picture(result, path, time=moment, **drawn))
    if settings.film != "none" and not result.statistics.interrupted:
        film = f"slider_crank.{settings.film}"
        write(film, lambda path: animate(result, path, show_progress=show_progress, **drawn))


def _write_mesh(rod: Rod, write_line: LineWriter) -> None:
    mesh = rod.mesh
    kinds = " and ".join(sorted({block.element for block in mesh.blocks}))
    write_line(
        "mesh",
        f"{mesh.path.name if mesh.path else mesh.name}: {mesh.n_nodes} nodes, {mesh.n_elements} {kinds}",
    )
    big, small = (fem.interface(rod.structure, name).point for name in EYES)
    length = np.linalg.norm(small - big)
    write_line(
        "rod", f"{1e3 * length:.4g} mm between the eyes, {rod.structure.mass:.4g} kg, material: {rod.source}"
    )


def _write_modes(rod: Rod, body: modal.ReducedBody, modes: int, write_line: LineWriter) -> None:
    write_line(
        "degrees of freedom", f"{3 * rod.mesh.n_nodes} in the mesh, {body.N} modal coordinates in the machine"
    )
    shown = min(6, body.N)
    write_line(
        "frequencies",
        ", ".join(f"{f:.5g}" for f in body.frequencies_hz[:shown]) + " Hz (free rod, averaged eyes)",
    )
    rigid = reduced(rod, modes, rigid=True, stiffening=False, stress=False)
    write_line("with rigid eyes", ", ".join(f"{f:.5g}" for f in rigid.frequencies_hz[:shown]) + " Hz")


def _write_motion(report: Report, write_line: LineWriter) -> None:
    result, statistics = report.result, report.result.statistics
    steps = f"{result.t[-1]:.4g} s in {statistics.steps} steps, {statistics.unknowns} unknowns"
    write_line("motion", steps + (" (interrupted)" if statistics.interrupted else ""))
    deflection, when = report.deflection
    write_line(
        "largest deflection", f"{1e3 * deflection:.4g} mm from the chord, mid-span, at {1e3 * when:.3g} ms"
    )
    stress = result.stress("rod").peak()
    write_line("largest stress", f"{stress.largest / 1e6:.4g} MPa (von Mises) at {1e3 * stress.when:.3g} ms")
    force, joint = report.reaction
    write_line("largest reaction", f"{force:.5g} N in the {joint}")
    write_line(
        "energy balance", f"{result.energy.balance_error:.2g} of the largest kinetic and strain energy"
    )


class _Clock:
    """Computing time of consecutive parts, s."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._last = time.perf_counter()

    def stop(self, name: str) -> None:
        """Store the time since the last call under ``name``."""
        now = time.perf_counter()
        self.seconds[name] = now - self._last
        self._last = now
