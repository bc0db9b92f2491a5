"""Springs round massless bodies: condensed networks against closed forms and SciPy."""

import numpy as np
import pytest
from scipy import integrate, optimize

import flexbody as fb
from flexbody.view.geometry.motion import Motion

INERTIA = (0.01, 0.01, 0.01)
DOWN = (0, 0, -9.81)
HOW = {
    "absolute": {},
    "relative": {"description": fb.Relative()},
    "explicit": {"integrator": fb.Explicit(rtol=1e-9)},
    "explicit and relative": {"integrator": fb.Explicit(rtol=1e-9), "description": fb.Relative()},
}


def hanging(springs, **more):
    """Return a block that moves up and down, its springs, and the machine."""
    block = fb.RigidBody("block", 2.0, INERTIA, center=(0, 0, -1))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, -1), axis="z")
    return block, fb.System([block], [guide], springs(block), gravity=DOWN, **more)


def two_in_line(block):
    knot = fb.MasslessBody("knot", center=(0, 0, -0.5))
    return [
        fb.SpringDamper("upper", fb.GROUND, knot, stiffness=3000.0),
        fb.SpringDamper("lower", knot, block, stiffness=6000.0),
    ]


def run(machine, t_end, **how):
    return fb.simulate(machine, t_end, output_step=0.01, show_progress=False, **how)


@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
def test_two_springs_in_line_are_one_softer_spring(how):
    """1/k = 1/3000 + 1/6000, and the knot makes two thirds of the way."""
    block, machine = hanging(two_in_line)
    _, single = hanging(lambda body: [fb.SpringDamper("one", fb.GROUND, body, stiffness=2000.0)])
    found, expected = run(machine, 0.3, **how), run(single, 0.3, **how)
    # the same equations up to round-off, which the rate of the knot's differences multiplies by 1e5
    assert np.abs(found.position(block) - expected.position(block)).max() < 1e-12
    assert (
        found.statistics.steps == expected.statistics.steps
    )  # the condensed stiffness is in the iteration matrix
    assert found.statistics.iterations == expected.statistics.iterations
    speed = expected.velocity(block)[:, 2]
    assert np.abs(found.velocity("knot")[:, 2] - 2 / 3 * speed).max() < 1e-9
    pull = expected.element("one").force
    assert np.abs(found.element("upper").force - pull).max() < 1e-8
    assert np.abs(found.element("lower").force - pull).max() < 1e-8
    assert found.energy.balance_error == pytest.approx(expected.energy.balance_error, abs=1e-12)


def test_stationary_states_and_frequencies_of_springs_in_line():
    block, machine = hanging(two_in_line)
    rest = fb.equilibrium(machine).result
    assert rest.position(block)[-1, 2] == pytest.approx(-1 - 2.0 * 9.81 / 2000.0, abs=1e-10)
    assert rest.position("knot")[-1, 2] == pytest.approx(-0.5 - 2.0 * 9.81 / 3000.0, abs=1e-10)
    frequency = fb.linearize(rest).frequencies_hz
    assert frequency == pytest.approx([np.sqrt(2000.0 / 2.0) / (2 * np.pi)], rel=1e-7)


# places: anchors A, B, C, D; bodies P, Q; knots M, N
PLACES = {
    "A": (0.0, 0.0, 0.0), "B": (1.0, 0.2, 0.3), "C": (0.1, 0.3, -1.8), "D": (1.2, -0.5, -2.0),
    "P": (0.2, 0.1, -0.8), "Q": (0.9, -0.3, -0.9), "M": (0.3, 0.0, -0.4), "N": (0.8, 0.1, -0.5),
}  # fmt: skip
#: ends, stiffness (N/m), and free length as a part of the drawn one: all springs stay in tension
NET = {
    "AM": (3000.0, 0.9), "BN": (2000.0, 0.9), "MN": (4000.0, 0.9), "MP": (2500.0, 0.9), "NQ": (1500.0, 0.9),
    "CP": (800.0, 0.7), "DQ": (900.0, 0.7),
}  # fmt: skip
MASSES = {"P": 2.0, "Q": 1.0}


def net():
    """Return two bodies between seven springs with two knots, so that one network has four outer ends."""
    at = {name: np.array(place) for name, place in PLACES.items()}
    sides = {name: fb.RigidBody(name, mass, INERTIA, center=at[name]) for name, mass in MASSES.items()}
    sides |= {name: fb.MasslessBody(name, center=at[name]) for name in "MN"}
    springs = [
        fb.SpringDamper(
            name, sides.get(name[0], fb.GROUND), sides[name[1]], stiffness=k,
            free_length=part * np.linalg.norm(at[name[0]] - at[name[1]]),
            first_point=at[name[0]] if name[0] in "ABCD" else None,
        )
        for name, (k, part) in NET.items()
    ]  # fmt: skip
    return fb.System([sides["P"], sides["Q"]], [], springs, gravity=DOWN)


def pulls(at):
    """Return the forces of all springs on the ends at these places."""
    out = {name: np.zeros(3) for name in at}
    for (i, j), (k, part) in NET.items():
        d = at[j] - at[i]
        length = np.linalg.norm(d)
        force = k * (length - part * np.linalg.norm(np.subtract(PLACES[j], PLACES[i]))) * d / length
        out[i], out[j] = out[i] + force, out[j] - force
    return out


def by_scipy(t):
    """Return the places of bodies and knots over time, each (nt, 3), and the rate of M; a root gives the knots."""
    fixed = {name: np.array(PLACES[name]) for name in "ABCD"}
    last = np.array([PLACES["M"], PLACES["N"]]).ravel()

    def places(x):
        nonlocal last

        def unbalanced(y):
            forces = pulls(fixed | {"P": x[:3], "Q": x[3:6], "M": y[:3], "N": y[3:]})
            return np.concatenate([forces["M"], forces["N"]])

        last = optimize.root(unbalanced, last, tol=1e-12).x
        return fixed | {"P": x[:3], "Q": x[3:6], "M": last[:3], "N": last[3:]}

    def rates(t, y):
        forces = pulls(places(y))
        pull = np.concatenate([forces[name] / mass + DOWN for name, mass in MASSES.items()])
        return np.concatenate([y[6:], pull])

    start = np.concatenate([PLACES["P"], PLACES["Q"], np.zeros(6)])
    found = integrate.solve_ivp(rates, (0, t[-1]), start, method="DOP853", rtol=1e-9, atol=1e-11, t_eval=t)
    every = [places(y) for y in found.y.T]
    # the rate of a knot: its place while the bodies go on for a moment
    h = 1e-6
    ahead, behind = ([places(y[:6] + s * h * y[6:])["M"] for y in found.y.T] for s in (1, -1))
    rate = (np.array(ahead) - np.array(behind)) / (2 * h)
    return {name: np.array([at[name] for at in every]) for name in "PQMN"}, rate


def test_a_network_of_many_ends_moves_as_scipy_says():
    machine = net()
    results = {name: run(machine, 0.3, **how) for name, how in HOW.items()}
    expected, rate = by_scipy(results["absolute"].t)
    for name, result in results.items():
        tolerance = 2e-9 if "explicit" in name else 1e-4  # rtol of both; 0.2 m of motion at rtol 1e-5
        for what, place in expected.items():
            assert np.abs(result.position(what) - place).max() < tolerance, (name, what)
    # Newton's iteration knows how each end moves all others
    steps = run(machine, 0.3, integrator=fb.GeneralizedAlpha()).statistics
    assert steps.iterations < 1.5 * steps.steps
    exact = results["explicit"]
    assert exact.energy.balance_error < 1e-8
    assert np.abs(exact.velocity("M") - rate).max() < 1e-6  # round-off of SciPy's root over h


def test_a_lever_without_mass_shares_a_load_by_its_arms():
    bodies = [fb.RigidBody(n, 2.0, INERTIA, center=(x, 0, -1)) for n, x in (("left", -0.3), ("right", 0.15))]
    guides = [fb.Prismatic(f"guide {b.name}", fb.GROUND, b, point=b.center, axis="z") for b in bodies]
    lever = fb.MasslessBody("lever")
    springs = [
        fb.SpringDamper("pivot", fb.GROUND, lever, stiffness=8000.0, first_point=(0, 0, 1)),
        fb.SpringDamper("a", lever, bodies[0], stiffness=4000.0, first_point=(-0.3, 0, 0)),
        fb.SpringDamper("b", lever, bodies[1], stiffness=5000.0, first_point=(0.15, 0, 0)),
    ]
    result = run(fb.System(bodies, guides, springs, gravity=DOWN), 0.1, integrator=fb.Explicit(rtol=1e-9))
    a, b, pivot = (result.element(name).force for name in ("a", "b", "pivot"))
    turned = result.rotation("lever")
    ends = [result.position("lever") + turned @ (x, 0, 0) for x in (-0.3, 0.15)]
    along = [body - end for body, end in zip(map(result.position, bodies), ends, strict=True)]
    down = [force * d[:, 2] / np.linalg.norm(d, axis=1) for force, d in zip((a, b), along, strict=True)]
    about = sum(
        f * np.cross(end - result.position("lever"), d)[:, 1] / np.linalg.norm(d, axis=1)
        for f, end, d in zip((a, b), ends, along, strict=True)
    )
    assert np.abs(about).max() < 1e-8 * np.abs(a).max()
    assert (
        np.abs(down[0] + down[1] + pivot).max() < 1e-6 * pivot.max()
    )  # the pivot's spring is all but upright
    assert a[-1] == pytest.approx(0.5 * b[-1], rel=1e-3)  # arms 0.3 and 0.15 m


def test_two_mounts_behind_each_other_are_one_of_half_the_stiffness():
    arm = fb.RigidBody("arm", 1.0, (0.01, 0.05, 0.05), center=(0.4, 0, 0))
    stiffness = np.array([1e5, 2e5, 3e5, 100.0, 200.0, 300.0])
    middle, at = fb.MasslessBody("middle"), {"point": (0, 0, 0)}
    mounts = [
        fb.Bushing("inner", fb.GROUND, middle, stiffness=2 * stiffness, **at),
        fb.Bushing("outer", middle, arm, stiffness=2 * stiffness, **at),
    ]
    found = fb.linearize(fb.System([arm], forces=mounts))
    expected = fb.linearize(
        fb.System([arm], forces=[fb.Bushing("one", fb.GROUND, arm, stiffness=stiffness, **at)])
    )
    # differences of the forces with a step of 1e-3, squared
    assert found.frequencies_hz == pytest.approx(expected.frequencies_hz, rel=1e-6)


def test_what_pushes_through_a_knot_buckles():
    block = fb.RigidBody("block", 2.0, INERTIA, center=(0, 0, 1))
    guide = fb.Prismatic("guide", fb.GROUND, block, point=(0, 0, 1), axis="z")
    knot = fb.MasslessBody("knot", center=(0, 0, 0.5))
    springs = [
        fb.SpringDamper("lower", fb.GROUND, knot, stiffness=300.0),
        fb.SpringDamper("upper", knot, block, stiffness=600.0),
    ]
    machine = fb.System([block], [guide], springs, gravity=DOWN)
    with pytest.raises(fb.InputError, match=r"'knot' would buckle between the springs 'lower', 'upper'"):
        run(machine, 1.0)


def refused(springs, **more):
    run(hanging(springs, **more)[1], 0.01)


@pytest.mark.parametrize(
    ("springs", "words"),
    [
        pytest.param(
            lambda block: [
                *two_in_line(block)[:1], fb.SpringDamper("lower", two_in_line(block)[0].second, block, damping=1.0)
            ],
            r"'lower' acts on the massless body 'knot', but its force depends on the rate",
            id="a damper",
        ),
        pytest.param(
            lambda block: [fb.SpringDamper("a", fb.GROUND, fb.MasslessBody("knot", center=(0, 0, 1)), stiffness=1.0)],
            "hold no body of the system",
            id="no body",
        ),
        pytest.param(
            lambda block: [*two_in_line(block), fb.SpringDamper("a", fb.MasslessBody("knot"), block, stiffness=1.0)],
            "two massless bodies have the name 'knot'",
            id="one name",
        ),
        pytest.param(
            lambda block: [fb.SpringDamper("s", fb.MasslessBody("block", center=(0, 0, 1)), block, stiffness=1.0)],
            "a body and a massless body have the name 'block'",
            id="name of a body",
        ),
        pytest.param(
            lambda block: [
                *two_in_line(block)[1:],
                fb.ForceElement("upper", fb.Line(fb.GROUND, fb.MasslessBody("knot", center=(0, 0, -0.5))),
                                fb.ViscoElastic(3000.0, [(100.0, 0.1)])),
            ],
            "'upper' acts on the massless body 'knot', but its law has states",
            id="states",
        ),
        pytest.param(
            lambda block: [
                *two_in_line(block),
                fb.Controller("servo", fb.TurnAbout(block, (0, 0, 1)), fb.PID(1.0), acts_on="upper"),
            ],
            "Controller 'servo' gives the input of 'upper', which acts on a massless body",
            id="a controlled spring",
        ),
        pytest.param(
            lambda block: [
                *two_in_line(block),
                fb.Controller("servo", two_in_line(block)[0].geometry, fb.PID(1.0), acts_on=fb.TurnAbout(block, DOWN)),
            ],
            "Controller 'servo' acts on the massless body 'knot', which no joint holds",
            id="a measured knot",
        ),
        pytest.param(
            lambda block: [fb.PointForce("wind", fb.MasslessBody("knot"), (0, 0, 1))],
            "'wind' acts on the massless body 'knot', which no joint holds",
            id="a load",
        ),
        pytest.param(
            lambda block: [fb.SpringDamper("s", fb.MasslessBody("knot", center=(0, 0)), block, stiffness=1.0)],
            "'knot': center must be three",
            id="no point",
        ),
    ],
)  # fmt: skip
def test_what_a_massless_body_cant_have_is_refused(springs, words):
    with pytest.raises(fb.InputError, match=words):
        refused(springs)


def test_a_massless_body_in_files_and_pictures(tmp_path):
    result = run(hanging(two_in_line)[1], 0.1)
    result.save(tmp_path / "hanging.h5")
    again = fb.load_result(tmp_path / "hanging.h5")
    assert np.array_equal(again.position("knot"), result.position("knot"))
    assert [point.name for point in again.system.massless_bodies] == ["knot"]
    with pytest.raises(fb.InputError, match="acceleration of the massless body 'knot'"):
        result.acceleration("knot")
    shown = Motion(result).at(0.1)["knot"]
    assert shown.c + shown.Q @ (0, 0, -0.5) == pytest.approx(result.position("knot")[-1], abs=1e-12)
    first, last = (np.asarray(fb.picture(result, time=t)) for t in (0.0, 0.1))
    assert (first != last).any(axis=2).sum() > 1000  # pixels


@pytest.mark.parametrize(
    "law",
    [
        fb.UserLaw(lambda t, x, rate: 300.0 * x + 2.0 * np.sin(20.0 * t)),
        fb.Linear(300.0, force=lambda t: 2.0 * np.sin(20.0 * t)),
    ],
    ids=["user law", "input"],
)
def test_the_work_of_an_active_element_in_a_network_is_balanced(law):
    """Its power needs the rate of the knot, which follows from the motion of the block and from the time."""

    def springs(block):
        knot = fb.MasslessBody("knot", center=(0, 0, -0.4))
        return [
            fb.ForceElement("active", fb.Line(fb.GROUND, knot, first_point=(0.4, 0, 0)), law),
            fb.SpringDamper("side", fb.GROUND, knot, stiffness=300.0, first_point=(-1, 0, -0.3)),
            fb.SpringDamper("lower", knot, block, stiffness=600.0),
        ]

    # the block turns back at 0.35 s; explicit steps of rtol 1e-9
    result = run(hanging(springs)[1], 0.5, integrator=fb.Explicit(rtol=1e-9))
    assert result.energy.balance_error < 1e-8


def test_events_dont_switch_springs_of_massless_bodies():
    cut = fb.Event("cut", lambda state: state.t - 0.05, then=fb.Switch(off=["lower"]))
    with pytest.raises(fb.InputError, match="event 'cut' switches 'lower', which acts on a massless body"):
        run(hanging(two_in_line)[1], 0.1, events=[cut])


def test_a_load_that_no_spring_resists_is_named():
    """A constant force pulls the knot of two springs in line aside: it goes away for ever."""

    def springs(block):
        knot = fb.MasslessBody("knot", center=(0, 0, -0.5))
        rope = fb.Bushing("rope", knot, block, stiffness=[0, 0, 6000.0, 0, 0, 0], point=(0, 0, -1))
        return [rope, fb.SpringDamper("aside", fb.GROUND, knot, force=5.0, first_point=(1, 0, -0.5))]

    with pytest.raises(
        fb.InputError, match="load the massless body 'knot' in a direction in which none of them resists"
    ):
        run(hanging(springs)[1], 0.1)
