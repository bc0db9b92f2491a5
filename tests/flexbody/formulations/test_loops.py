"""The relative description of machines with loops, couplings, and constraints that no hinge holds."""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pytest
import scipy
from reference import andrews, attia, bricard, four_bar, machines
from support import cases, linkages, varied, zoo
from support.joints import CASES, JOINTS, joint, sides
from support.pairs import pairwise
from support.random_machines import random_machine

import flexbody as fb
from flexbody.core.equations import place
from flexbody.results.reactions import multipliers_of

pytestmark = pytest.mark.slow  # together a second or more

#: The error control of a run; both descriptions follow the same motion to ten times that.
RTOL = 1e-10
TOLERANCE = 10 * RTOL
ARRAYS = ("c", "q", "v", "vdot", "all_alpha", "law_states")


def run(machine, description, t_end=0.1, rtol=RTOL, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        return fb.simulate(
            machine, t_end, integrator=fb.Explicit(rtol=rtol), description=description, show_progress=False,
            **{"output_step": t_end / 4, **options},
        )  # fmt: skip


def check_same(one, other):
    """Motion and reactions agree; redundant constraints share reactions by least norm, whichever rows were kept."""
    found = {name: (getattr(one, name), getattr(other, name)) for name in ARRAYS}
    found["multipliers"] = multipliers_of(one), multipliers_of(other)
    for name, (expected, value) in found.items():
        size = 1.0 + np.abs(expected).max(initial=0.0)
        np.testing.assert_allclose(value, expected, atol=TOLERANCE * size, err_msg=name)


def thrown(bodies):
    """The bodies that are not the ground, each with a velocity of its own."""
    rng = np.random.default_rng(4)
    return [
        replace(body, velocity=rng.normal(size=3), angular_velocity=rng.normal(size=3))
        for body in bodies
        if body is not fb.GROUND
    ]


def closing(result):
    """Number of the rows that close loops."""
    return len(result.plan.formulation.arrays["closing"])


@pytest.mark.parametrize(("kind", "between"), CASES)
def test_every_joint_as_the_cut_joint_of_free_bodies(kind, between):
    """All bodies hang on free joints, so that the joint is cut, and its rows hold free coordinates.

    With the joint as a hinge the same accelerations come from the recursion along the tree, in the global description
    from constraints of all joints.
    """
    first, second = sides(between)
    connection = joint(kind, first, second)
    machine = fb.assemble(fb.System(thrown((first, second)), [connection], gravity=(3.0, -9.0, 5.0))).machine
    cut = run(machine, fb.Relative(base=[body.name for body in machine.bodies]), t_end=0.05)
    assert closing(cut) == len(connection.rows)
    check_same(run(machine, fb.Absolute(), t_end=0.05), cut)
    if connection.carries:
        hinged = run(machine, fb.Relative(), t_end=0.05)
        assert closing(hinged) == 0
        check_same(hinged, cut)


def ring(kind, between, order):
    """A body on a ball joint, one on a plane, and the joint ``kind`` between both; some freedom is left."""
    first, second = sides(between)
    connection = joint(kind, first, second)
    a = first["q"] if isinstance(first, fb.FlexibleBody) else first
    b = second["p"] if isinstance(second, fb.FlexibleBody) else second
    joints = [
        fb.Spherical("left", fb.GROUND, a, point=(0.0, 0.0, 0.2)),
        fb.PointOnPlane("right", fb.GROUND, b, point=(0.1, 0.1, 0.2), axis=(0.2, 0.5, 1.0)),
        connection,
    ]
    system = fb.System(thrown((first, second))[::order], joints[::order], gravity=(3.0, -9.0, 5.0))
    return fb.assemble(system).machine


CLOSING = [kind for kind in JOINTS if kind is not fb.Floating]
RINGS = [
    pytest.param(kind, first + second, order, id=f"{kind.__name__}-{first}{second}{order}")
    for kind, first, second, order in pairwise(CLOSING, "rfs", "rfs", (1, -1))
]


@pytest.mark.parametrize(("kind", "between", "order"), RINGS)
def test_every_joint_closes_a_loop(kind, between, order):
    """Every joint as the cut joint of a loop between rigid, flexible and stiffened bodies, in both orders."""
    machine = ring(kind, between, order)
    cut = run(machine, fb.Relative(cut=["j"]), t_end=0.05)
    assert closing(cut) == len(machine.joint("j").rows)
    check_same(run(machine, fb.Absolute(), t_end=0.05), cut)


@pytest.mark.parametrize("seed", range(12))
def test_random_machines(seed):
    machine = random_machine(seed)
    check_same(run(machine, fb.Absolute(), t_end=0.05), run(machine, fb.Relative(), t_end=0.05))


@pytest.mark.parametrize("seed", range(12, 36))
def test_many_random_machines(seed):
    test_random_machines(seed)


def test_attias_linkage():
    """Cut at C and F as in the paper: motion and forces against its equations in five coordinates."""
    result = run(linkages.attia_linkage(), fb.Relative(cut=["C", "F"]), t_end=1.0, rtol=1e-11)
    assert closing(result) == 4
    exact, rates = attia.Linkage().solution(result.t)
    np.testing.assert_allclose(np.column_stack([result.coordinate(pin) for pin in "OABDE"]), exact, atol=1e-8)
    np.testing.assert_allclose(
        np.column_stack([result.coordinate_rate(pin) for pin in "OABDE"]), rates, atol=1e-7
    )
    for pin in (
        attia.FORCES_0
    ):  # of the first body on the second: half a unit of the last of five (C, F: eight) digits
        digits = 6e-9 if pin in "CF" else 6e-6
        np.testing.assert_allclose(result.reaction(pin).force[0], [*attia.FORCES_0[pin], 0], atol=digits)


def test_andrews_squeezer():
    """Nine digits of the state at 0.03 s, as in the global description; andrews.py is good to 1e-15.

    1e-9 of the angles (rad), of the largest rate and of the largest force.
    """
    case = cases.squeezer()
    found = case.read(run(case.system, fb.Relative(), t_end=case.t_end, rtol=1e-11))
    np.testing.assert_allclose(found["position"][-1], andrews.Q_END, rtol=0, atol=1e-9)
    np.testing.assert_allclose(found["velocity"][-1], andrews.QDOT_END, rtol=0, atol=1e-9 * 1400)
    size = np.abs(andrews.LAMBDA_END).max()
    np.testing.assert_allclose(found["reaction"][-1], andrews.LAMBDA_END, rtol=0, atol=1e-9 * size)


def test_bricard():
    """Five rows close the loop, of which one is redundant; the angles against bricard.solution (2e-9)."""
    result = run(linkages.bricard(), fb.Relative(), t_end=3.0, output_step=0.05)
    assert closing(result) == 5
    found = np.column_stack([result.coordinate(f"hinge {k}") for k in range(6)])
    np.testing.assert_allclose(found, bricard.solution(result.t), atol=1e-7)


@pytest.mark.parametrize("windows", [2, pytest.param(10, marks=pytest.mark.slow)])
def test_row_of_four_bars_with_redundant_joints(windows):
    """IFToMM A02 to 0.4 s, before the cranks lie flat; three rows of each window are redundant.

    Exact: the mechanism falls as one pendulum (four_bar.first_joint). rtol of 3 m, and ten for the growth of errors.
    """
    system, read = machines.four_bar_machine(windows, redundant=True)
    result = run(system, fb.Relative(), t_end=0.4, rtol=1e-9)
    assert closing(result) == 5 * windows
    where, _ = four_bar.first_joint(result.t, windows)
    assert np.abs(read(result)["position"] - where).max() < 3e-8


@pytest.mark.parametrize("name", varied.MACHINES)
def test_machines_of_all_kinds(name):
    """Flexible loops, stiffened bodies, redundant constraints, rolling, gears, racks, couplers and states of laws."""
    machine, t_end = varied.MACHINES[name]()
    check_same(run(machine, fb.Absolute(), t_end=0.2 * t_end), run(machine, fb.Relative(), t_end=0.2 * t_end))


@functools.cache
def everything(name, description):
    make = {"rigid": zoo.rigid, "floating": lambda: zoo.rigid(grounded=False), "flexible": zoo.flexible}[name]
    return run(make(), description, t_end=0.02)


@pytest.mark.parametrize("name", ["rigid", "floating", "flexible"])
def test_every_class_of_joints_couplings_and_forces(name):
    """Every joint, gear, rack, coupler, drive and force in one machine, with friction that follows reactions.

    The four parts of the energy as well, relative to the energy of the machine.
    """
    one, other = everything(name, fb.Absolute()), everything(name, fb.Relative())
    assert closing(other) > 0
    check_same(one, other)
    for part in ("kinetic", "strain", "input", "dissipated"):
        expected, found = getattr(one.energy, part), getattr(other.energy, part)
        np.testing.assert_allclose(
            found, expected, atol=TOLERANCE * np.abs(one.energy.total).max(), err_msg=part
        )


def test_constraints_stay_closed():
    """Loops are as exact as in the global description, to the square of a step's error; hinges to round-off."""
    machine = random_machine(3)
    result = run(machine, fb.Relative(), rtol=1e-6)
    plan, W = result.plan, result.plan.work()
    loop = plan.formulation.arrays["closing"]
    hinge = np.setdiff1d(np.arange(plan.n_rows), loop)
    assert len(loop)
    assert len(hinge)
    for k, t in enumerate(result.t):
        place(plan.layout, W, t, result.c[k], result.q[k], result.all_alpha[k])
        assert np.abs(W.phi[loop]).max() < 1e-8 * plan.layout.length
        assert np.abs(W.phi[hinge]).max() < 1e-13 * plan.layout.length


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
@pytest.mark.parametrize(
    "integrator",
    [
        fb.Explicit(rtol=1e-6),
        fb.Explicit(),
        fb.Explicit(rtol=1e-10),
        fb.SciPy(),
        fb.SciPy(scipy.integrate.LSODA),
        fb.SciPy(scipy.integrate.BDF, rtol=1e-6),
    ],
    ids=repr,
)
def test_no_run_takes_another_branch_behind_a_flat_parallelogram(integrator, description):
    """It lies flat at 0.05 s, where both branches meet: a run goes on as a parallelogram, or stops there by its name.

    The exact motion is a uniform rotation, since the cranks have no load and the coupler only moves on a circle.
    """
    angle, rate, crank, span = 0.1, -2.0, 1.0, 2.0
    out, across = np.array([np.cos(angle), np.sin(angle), 0]), np.array([-np.sin(angle), np.cos(angle), 0])
    motion = {"velocity": 0.5 * rate * crank * across, "angular_velocity": (0, 0, rate)}
    arms = [
        fb.RigidBody(f"arm {k}", 1.0, (0.1,) * 3, center=(k * span, 0, 0) + 0.5 * crank * out, **motion)
        for k in range(2)
    ]
    coupler = fb.RigidBody(
        "coupler", 1.0, (0.4,) * 3, center=(span / 2, 0, 0) + crank * out, velocity=rate * crank * across
    )
    joints = [
        fb.Revolute("A", fb.GROUND, arms[0], point=(0, 0, 0)),
        fb.Revolute("B", arms[0], coupler, point=crank * out),
        fb.Revolute("C", coupler, arms[1], point=(span, 0, 0) + crank * out),
        fb.Revolute("D", fb.GROUND, arms[1], point=(span, 0, 0)),
    ]
    machine = fb.System([*arms, coupler], joints)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            found = fb.simulate(
                machine,
                0.5,
                integrator=integrator,
                description=description,
                output_step=0.01,
                show_progress=False,
            )
        except fb.ConvergenceError as error:
            found, stopped = error.result, str(error)
        else:
            stopped = ""
    assert not stopped or "singular position" in stopped
    assert found.t[-1] == pytest.approx(angle / -rate if stopped else 0.5, abs=1e-3)
    turned = angle + rate * found.t
    exact = np.stack([span / 2 + crank * np.cos(turned), crank * np.sin(turned)], axis=1)
    # at the tolerance 1e-6 of a step the position where both branches meet adds up to a thousand times as much
    np.testing.assert_allclose(found.position("coupler")[:, :2], exact, atol=1e-3)
