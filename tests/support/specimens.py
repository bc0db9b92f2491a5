"""An object of every public class of fem, modal and flexbody, large ones where a class can hold much."""

import warnings
from dataclasses import replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

import fem
import flexbody as fb
import modal
from flexbody.equations.consistent_start import consistent_start

from . import elements, rods, zoo
from .joints import CAMS, GUIDEWAYS, JOINTS, joint, sides

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
#: frequencies: more than are shown
MANY = 20


def specimens(folder: Path) -> list[Any]:
    """Return the objects; files are written to ``folder``."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fem.FlexbodyWarning)
        bar = _bar()
        reduced = modal.reduce(bar, modal.craig_bampton(bar, ("x0", "x1"), n_normal=8), name="bar")
        studies = _studies(folder)
        return [
            *_of_fem(bar),
            *_of_modal(bar, reduced),
            *_descriptions(),
            *_results(reduced, folder),
            *studies,
        ]


def _bar() -> fem.Structure:
    return fem.assemble(fem.box((1.0, 0.1, 0.1), (12, 1, 1)), STEEL)


def _of_fem(bar: fem.Structure) -> list[Any]:
    many = {f"a set of nodes {k}": np.arange(k + 1) for k in range(bar.mesh.n_nodes)}
    mesh = fem.Mesh(bar.mesh.points, bar.mesh.blocks, many, name="bar with many sets")
    push = fem.Force("x1", (-1e3, 0.0, 0.0))
    static = fem.static(bar, {"x0": "all"}, push)
    ply = fem.Orthotropic(E=(40e9, 10e9, 10e9), G=(4e9, 4e9, 4e9), nu=(0.3, 0.3, 0.3), rho=1800.0)
    section = fem.ISection(0.2, 0.1, web=0.0056, flange=0.0085, radius=0.012)
    curve = [(float(x), float(x**2), 0.0) for x in np.linspace(0, 1, 50)]
    return [
        bar, mesh, bar.mesh.blocks[0], static, static.stress, STEEL, ply, push, section, fem.ELEMENTS["hex20"],
        fem.vibration(bar, n=MANY), fem.buckling(bar, "x0", push, n=6), fem.interface(bar, "x0"),
        fem.factorise(bar.K + 1e6 * bar.M), fem.assemble(mesh, STEEL),
        fem.Anisotropic(STEEL.stiffness, 7850.0), fem.Layer(ply, 1e-3), fem.LayeredShell([fem.Layer(ply, 1e-3)] * 50),
        fem.FullIntegration(), fem.IncompatibleModes(), fem.MeanDilatation(), fem.Membrane(STEEL, 0.01),
        fem.ShearPanel(STEEL, 0.01), fem.GeneralShell(np.eye(6), np.eye(2), 0.01, 80.0),
        fem.Solid(STEEL), fem.Shell(STEEL, 0.01), fem.Beam(STEEL, section), fem.Truss(STEEL, 1e-4),
        fem.CoordinateSystem(), fem.CylindricalSystem(), fem.SphericalSystem(), fem.LeftOut("FORCE", "a load"),
        fem.Pardiso(), fem.Cholmod(), fem.Mumps(), fem.SuperLU(), fem.FirstSide(),
        fem.Rigid("eye", "x0"), fem.Averaged("eye", "x0"), fem.Tie("x0", "x1"),
        fem.Equation("mean", [(str(k), "x", 0.1) for k in range(20)]),
        fem.PointMass("x0", 2.0, inertia=(1.0, 1.0, 1.0)),
        fem.Spring("x0", "x1", np.diag(np.linspace(1e6, 2e6, 6))), fem.Gravity((0, 0, -9.81)),
        fem.Centrifugal((0, 0, 10.0)), fem.Pressure("x1", 1e5), fem.Traction("x1", (1.0, 0, 0)),
        fem.LineLoad("x1", curve[0]), fem.EdgeLoad("x1", curve[0]), fem.Bearing("x1", (1.0, 0.0, 0.0)),
    ]  # fmt: skip


def _of_modal(bar: fem.Structure, body: modal.ReducedBody) -> list[Any]:
    rod = rods.rod(12)
    sides = modal.craig_bampton(rod, ("start", "end"), n_normal=8)
    axial = modal.reduce(rod, sides, stiffening=modal.AxialModes(), name="rod")
    shapes = modal.StationShapes(np.eye(9), {"z": tuple("abcdefgh")}, {"z": np.eye(8, 9)})
    return [
        shapes,
        sides, body, body.marker("x0"), body.recovery, body.stress_modes, axial, axial.axial, modal.AxialModes(),
        modal.accuracy(bar, body, n=MANY), modal.interface_effect(bar, ("x0", "x1"), n=MANY), modal.lumping(rod, sides),
        modal.recommend(bar, ("x0", "x1"), f_max_hz=5000.0), modal.stress_error(bar, body),
        modal.Averaged(), modal.Rigid(), modal.MeanDisplacement(), modal.Chord("x0", "x1"), modal.FixedPoint("x0"),
        modal.Prescribed({"x0": "all"}), modal.Unchanged(),
    ]  # fmt: skip


def _descriptions() -> list[Any]:
    machines = [zoo.rigid(), zoo.flexible()]
    made: list[Any] = [x for m in machines for x in (m, *m.bodies, *m.joints, *m.forces)]
    made += [joint(kind, *sides("rr")) for kind in JOINTS]
    line = np.linspace((0, 0, 0), (1, 0, 0), 200)
    made += [kind("rail", *sides("gr"), points=line, point=(0.5, 0, 0)) for kind in GUIDEWAYS]
    made.append(fb.FollowingShapes("shapes", [made[-1]] * 30))
    circle = fb.profile([1.0] * 200, axis="y")
    made += [kind("cam", *sides("gr"), points=circle, closed=True, point=(0, 0, 1)) for kind in CAMS]
    made += [*elements.PASSIVE.values(), *elements.ACTIVE.values()]
    long = np.linspace(-1, 1, 200)
    axle = next(x for x in made if isinstance(x, fb.Revolute))
    tables = [kind(long, 3 * long) for kind in (fb.SpringTable, fb.SmoothSpringTable, fb.DamperTable)]
    mount = fb.Bushing("mount", *sides("rr"), point=(0, 0, 0), stiffness=[tables[0]] * 6, damping=np.eye(6))
    branches = [(float(k), 0.1 * k) for k in range(1, 100)]
    return [
        *made, *tables, mount, fb.ViscoElastic(20.0, branches), fb.Along(axle), fb.Line(*sides("rr")),
        fb.Between(*sides("rr")),
        fb.Contacts("many", [fb.Sphere(fb.GROUND, 0.1)] * 60, stiffness=1.0),
        fb.SurfaceContact("mesh", _surface(), fb.Plane(fb.GROUND), stiffness=1.0), _surface(),
        fb.Controller(
            "servo", fb.Along(axle), fb.PID(1.0, limits=(-1, 1)), acts_on=fb.Along(axle), target=np.sin, period=0.1
        ),
        fb.PID(1.0, 2.0, 3.0), fb.LinearControl(np.eye(9), np.eye(9), np.eye(9), np.eye(9)), fb.UserControl(max),
        fb.PointAlong(sides("rr")[0], (0, 0, 1)), fb.TurnAbout(sides("rr")[0], (0, 0, 1)), fb.Rate(fb.Along(axle)),
        fb.Plane(fb.GROUND), fb.Sphere(fb.GROUND, 0.1), fb.Cylinder(fb.GROUND, 0.1, 0.2), fb.Box(fb.GROUND, (1, 2, 3)),
        fb.HollowCylinder(fb.GROUND, 0.1, 0.2), _teeth(),
        fb.BeltSpan("belt", *_wheels(), (0.1, 0.2), stiffness=1e5),
        fb.Wheel(fb.GROUND, 0.3, rim=0.02), fb.Rolling("tyre", fb.Plane(fb.GROUND), fb.Wheel(sides("rr")[1], 0.3)),
        fb.Rail(fb.GROUND, line, radius=0.01), fb.Cone(fb.GROUND, 0.4, 0.05),
        fb.Coulomb(0.3), fb.Creep(1e6, 1e6, mu=0.3),
        fb.Input("push", 0.5), fb.Coupler("train", [(axle, 1.0)] * 40),
        fb.HingeJoint("own", *sides("rr"), pose=lambda t, a: ((a, 0, 0), np.eye(3))),
        fb.GROUND, fb.MasslessBody("knot", center=(0, 0, 1)), fb.AsDrawn(), fb.QuasiStatic(), fb.Equilibrium(),
        fb.Absolute(), fb.Relative(), fb.Mixed(relative=["bar"]), fb.Points(), fb.AutomaticDescription(),
        fb.equivalent_particles(1.0, (1, 0), 2.0, second=(2, 0)),
        fb.Event("e", abs, direction=fb.Falling(), then=fb.Mark()), fb.Rising(), fb.Falling(), fb.Mark(), fb.EndRun(),
        fb.Rebound(0.8), fb.Switch(on=["brake"], off=[f"motor {k}" for k in range(40)]),
        fb.Chord(), fb.Automatic(), fb.GeneralizedAlpha(), fb.Explicit(), fb.SciPy(), fb.Sundials(),
        fb.Partitioned(),
        fb.Baumgarte(20.0),
        fb.Hybrid(),
    ]  # fmt: skip


def _surface() -> fb.Surface:
    return fb.Surface(fb.RigidBody("rock", 1.0, (1, 1, 1)), np.eye(3), np.eye(3))


def _marked() -> Any:
    event = fb.Event("half a second", lambda state: state.t - 0.5)
    machine = fb.System([fb.RigidBody("stone", 1.0, (1, 1, 1))])
    return fb.simulate(machine, 1.0, events=[event], show_progress=False).events[0]


def _controlled() -> fb.Result:
    table = fb.RigidBody("table", 1.0, (1, 1, 1))
    spin = fb.TurnAbout(table, (0, 0, 1))
    governor = fb.Controller("governor", spin, fb.PID(1.0), acts_on=spin)
    return fb.simulate(fb.System([table], forces=[governor]), 0.1, show_progress=False)


def _driven() -> fb.State:
    table = fb.RigidBody("table", 1.0, (1, 1, 1))
    axle = fb.Revolute("axle", fb.GROUND, table, point=(0, 0, 0), axis="z")
    return fb.simulate(fb.System([table], [axle]), 0.1, show_progress=False).state(0.0)


def _results(reduced: modal.ReducedBody, folder: Path) -> list[Any]:
    beam = fb.FlexibleBody("beam", reduced)
    clamp = fb.Fixed("clamp", fb.GROUND, beam["x0"])
    push = fb.PointForce("push", beam["x1"], (fb.Input("push", 10.0), 0, 0))
    spring = fb.SpringDamper("spring", fb.GROUND, beam["x1"], stiffness=10.0, first_point=(2, 0, 0))
    machine = fb.System([beam], [clamp], [push, spring], gravity=(0, 0, -9.81))
    result = fb.simulate(machine, 1.0, step=1e-2, output_step=1e-2, show_progress=False)
    state = fb.equilibrium(machine)
    small = fb.linearize(state)
    stepper = fb.Stepper(machine)
    stress = result.stress(beam)
    diagram = fb.campbell(machine, [0.0], axis="x")
    many = np.arange(60 * 14.0).reshape(60, 14)
    large = replace(diagram, rates=np.linspace(0, 100, 60), frequencies_hz=many)
    assembled = fb.assemble(_drawn_apart())
    film = fb.animate(result, folder / "a.gif", n_frames=2, size=(160, 90), show_progress=False)
    return [
        machine, beam["x1"], fb.inertia_forces(_driven()),
        _marked(), _controlled().element("governor"),
        result, result.statistics, result.energy, result.body_energy(beam), state,
        result.reaction(clamp), state.reaction(clamp), result.element(spring), stress, stress.peak(), stepper,
        _touching(), _slipping(),
        stepper.save(), result.table({f"column {k}": result.t for k in range(200)}), small,
        small.state_space(), fb.mobility(machine),
        large, film, fb.topology(machine), assembled, *assembled.gaps[:1], *assembled.moves[:1],
        fb.picture(result, size=(160, 90)), small.motion(0), state.result, result.plan, consistent_start(result.plan),
    ]  # fmt: skip


def _wheels() -> list[fb.Revolute]:
    """The joints of two wheels."""
    bodies = [fb.RigidBody(name, 1.0, (1.0, 1.0, 1.0)) for name in ("one", "two")]
    return [fb.Revolute(b.name, fb.GROUND, b, point=(x, 0, 0)) for b, x in zip(bodies, (0, 1), strict=True)]


def _teeth() -> fb.ToothContact:
    """Two wheels with backlash."""
    return fb.ToothContact("teeth", fb.Gear("gear", *_wheels(), ratio=2.0), backlash=1e-4, stiffness=1e8)


def _touching() -> fb.ContactHistory:
    """The history of a ball on the ground."""
    ball = fb.RigidBody("ball", 1.0, (1.0, 1.0, 1.0))
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e5)
    return fb.simulate(fb.System([ball], forces=[floor]), 1e-3, show_progress=False).element("floor")


def _slipping() -> fb.SlipHistory:
    """The history of a ball that slides on the ground."""
    ball = fb.RigidBody("ball", 1.0, (4e-3, 4e-3, 4e-3), center=(0, 0, 0.1), velocity=(1, 0, 0))
    lane = fb.Rolling("lane", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), slip=fb.Coulomb(0.3))
    return fb.simulate(fb.System([ball], [lane], gravity=(0, 0, -9.81)), 1e-3, show_progress=False).element(
        "lane"
    )


def _studies(folder: Path) -> list[Any]:
    """Return sets of variants, a study and its result."""
    many = {f"parameter {k}": (0.0, 1.0) for k in range(40)}
    grid = fb.Grid({"crank.mass": np.linspace(1.0, 2.0, 3)})
    crank = fb.RigidBody("crank", 1.0, (1.0, 1.0, 1.0), angular_velocity=(0, 0, 1.0))
    study = fb.Study(
        fb.System([crank]),
        grid,
        {"speed": ("velocity", "crank")},
        analysis=lambda m: fb.simulate(m, 1e-3),
        store=folder / "s.zarr",
    )
    return [
        grid, fb.VariantList([{"a": 1.0}] * 50), fb.OneAtATime({"a": 1.0}, {"a": [2.0]}), fb.Random(many, 100),
        fb.LatinHypercube(many, 100), fb.Sobol(many, 64), study, study.run(processes=False),
    ]  # fmt: skip


def _drawn_apart() -> fb.System:
    """Twelve bars in a chain, each hinge of which is drawn a millimetre open."""
    ones = (1e-3, 1e-3, 1e-3)
    bars = [fb.RigidBody(f"bar {k}", 1.0, ones, center=(k + 0.5, 0, 0)) for k in range(12)]
    bars = [replace(bar, markers={"a": (k, 0, 0), "b": (k + 1.001, 0, 0)}) for k, bar in enumerate(bars)]
    first = fb.Revolute("hinge 0", fb.GROUND, bars[0], point=(0, 0, 0), axis="y")
    pairs = enumerate(pairwise(bars), start=1)
    return fb.System(bars, [first, *(fb.Spherical(f"hinge {k}", a["b"], b["a"]) for k, (a, b) in pairs)])
