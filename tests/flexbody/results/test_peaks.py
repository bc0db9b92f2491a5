"""The largest forces of a run between its stored states: against a closed form, in files and in plots."""

import numpy as np
import pytest
import scipy.integrate
import scipy.optimize

import fem
import flexbody as fb
import modal
from flexbody.model.events import Onset

MASS, HEIGHT, STIFFNESS, GRAVITY = 1.0, 0.1, 1e7, 9.81


def falling(**options) -> fb.System:
    """A ball that falls on the ground by HEIGHT; Hertz's law with the default exponent 3/2, without losses."""
    ball = fb.RigidBody("ball", MASS, (4e-3,) * 3, center=(0, 0, 0.1 + HEIGHT))
    floor = fb.Contact("floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=STIFFNESS, **options)
    return fb.System([ball], forces=[floor], gravity=(0, 0, -GRAVITY))


def largest_force() -> float:
    """The force at the deepest place d, by the energy: m g (h + d) = k d^2.5 / 2.5."""

    def left(d: float) -> float:
        return MASS * GRAVITY * (HEIGHT + d) - STIFFNESS * d**2.5 / 2.5

    return STIFFNESS * scipy.optimize.brentq(left, 1e-6, 1e-1) ** 1.5


@pytest.fixture(scope="module")
def run():
    return fb.simulate(falling(), 0.2, output_step=0.01, show_progress=False)


def test_the_peak_is_that_of_the_closed_form_where_no_state_shows_it(run):
    """0.5 %: half a step, of about a tenth of the contact, beside the top of half a sine."""
    history = run.element("floor")
    assert np.abs(history.force).max() < 0.5 * largest_force()
    assert history.peak.force == pytest.approx(largest_force(), rel=5e-3)
    # falls for sqrt(2 h / g), and touches for half of about 2.94 d / v (Hertz; Johnson, Contact Mechanics, 11.24)
    deepest = (largest_force() / STIFFNESS) ** (1 / 1.5)
    touch = np.sqrt(2 * HEIGHT / GRAVITY)
    assert history.peak.t == pytest.approx(touch + 1.47 * deepest / (GRAVITY * touch), abs=2e-4)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()])
def test_the_explicit_method_finds_the_same_peak(description):
    """Between its long steps too; a hundred times its tolerance, which the blow multiplies."""
    other = fb.simulate(
        falling(), 0.2, output_step=0.01, integrator=fb.Explicit(rtol=1e-8), description=description,
        show_progress=False,
    )  # fmt: skip
    assert other.element("floor").peak.force == pytest.approx(largest_force(), rel=1e-6)


#: A body of 1 kg on a spring of 1e4 N/m with a speed of 1 m/s: 100 rad/s and 100 N, v sqrt(k m).
PACE, TOP = 100.0, 100.0


def vibrating() -> fb.System:
    body = fb.RigidBody("body", 1.0, (0.01,) * 3, velocity=(1, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    spring = fb.SpringDamper(
        "spring", fb.GROUND, body, stiffness=1e4, first_point=(-1, 0, 0), free_length=1.0
    )
    return fb.System([body], [guide], [spring])


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()])
@pytest.mark.parametrize(("turned", "error"), [(0.5, 1e-8), (1.0, 2e-6), (1.5, 2e-6), (2.0, 1e-4)])
def test_explicit_steps_find_the_top_of_a_vibration_between_them(description, turned, error):
    """So many radians in each step, whose ends miss the top by up to 4 %.

    The interpolation of order 7 has an error of about (w h)^8 / 8! / 2^8 of the amplitude in the middle of a step:
    4e-10, 1e-7, 2.5e-6, 2.5e-5; the steps themselves have a similar one.
    """
    integrator = fb.Explicit(step=turned / PACE)
    run = fb.simulate(
        vibrating(), 5 / PACE, integrator=integrator, description=description, show_progress=False
    )
    history = run.element("spring")
    assert abs(history.peak.force) == pytest.approx(TOP, rel=error)
    quarters = history.peak.t * PACE / (0.5 * np.pi)
    assert quarters == pytest.approx(1.0 if history.peak.force > 0 else 3.0, abs=5e-3)
    assert np.abs(history.force).max() < (1 - 2e-3) * TOP


@pytest.mark.parametrize(
    ("method", "error"),
    # the error of the parabola's place, about (w h)^3 / 100 rad, counts in its square; those of the steps are smaller
    [
        (scipy.integrate.DOP853, 1e-5),
        (scipy.integrate.RK45, 1e-5),
        (scipy.integrate.Radau, 1e-6),
        (scipy.integrate.LSODA, 1e-5),
        (None, 1e-4),
    ],
)
def test_steps_of_other_programs_find_the_top_of_a_vibration_inside_them(method, error):
    """Outputs leave the steps long; their ends miss the top by up to 4e-3 at a tolerance of 1e-8."""
    if method is None:
        pytest.importorskip("sksundae", reason="Sundials needs it")
    integrator = fb.SciPy(method, rtol=1e-8) if method else fb.Sundials(rtol=1e-8)
    run = fb.simulate(vibrating(), 5 / PACE, integrator=integrator, output_step=5 / PACE, show_progress=False)
    peak = run.element("spring").peak
    assert abs(peak.force) == pytest.approx(TOP, rel=error)
    assert peak.t * PACE / (0.5 * np.pi) == pytest.approx(1.0 if peak.force > 0 else 3.0, abs=2e-2)
    assert np.abs(run.element("spring").force).max() < 0.97 * TOP


def test_a_steady_vibration_costs_no_more_evaluations():
    """A step takes 13; 2 % more for the few tops of 63 at which the stages leave open whether they are higher."""
    run = fb.simulate(vibrating(), 2.0, integrator=fb.Explicit(step=1 / PACE), show_progress=False)
    assert run.statistics.iterations < 1.02 * 13 * run.statistics.steps


def test_moments_between_frames_have_their_peaks_between_explicit_steps():
    """A body that turns with w on a bushing of K: w sqrt(K J), at a radian per step."""
    body = fb.RigidBody("body", 1.0, (0.01,) * 3, angular_velocity=(0, 0, 0.1))
    mount = fb.Bushing(
        "mount", fb.GROUND, body, point=(0, 0, 0), stiffness=(1e4, 1e4, 1e4, 100.0, 100.0, 100.0)
    )
    run = fb.simulate(
        fb.System([body], forces=[mount]),
        5 / PACE,
        integrator=fb.Explicit(step=1 / PACE),
        show_progress=False,
    )
    peak = run.element("mount").peak_moment
    assert peak.force == pytest.approx(0.1 * np.sqrt(100.0 * 0.01), rel=2e-6)
    assert np.linalg.norm(run.element("mount").force[:, 3:], axis=1).max() < (1 - 2e-3) * peak.force


def test_files_keep_peaks(run, tmp_path):
    run.save(tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    assert loaded.element("floor").peak == run.element("floor").peak


def test_runs_with_events_keep_the_peaks_of_all_segments():
    """The blow lies in the second of three segments; 0.5 % as above."""
    events = [fb.Event(f"at {t}", lambda state, t=t: state.t - t, then=Onset()) for t in (0.13, 0.16)]
    found = fb.simulate(falling(), 0.2, output_step=0.01, events=events, show_progress=False)
    assert found.element("floor").peak.force == pytest.approx(largest_force(), rel=5e-3)


#: A body with this speed, m/s, is caught by a spring after 20 ms.
SPEED, CAUGHT, SPRING = 3.0, 0.02, 4e6
#: The largest force, v sqrt(k m), and the time from the catch to it, a quarter of a period, s.
FORCE, QUARTER = SPEED * np.sqrt(SPRING * MASS), 0.5 * np.pi * np.sqrt(MASS / SPRING)


def caught() -> fb.System:
    """The spring is not deformed where the body is at the catch."""
    body = fb.RigidBody("body", MASS, (0.01,) * 3, velocity=(SPEED, 0, 0))
    guide = fb.Prismatic("guide", fb.GROUND, body, point=(0, 0, 0), axis="x")
    spring = fb.SpringDamper(
        "spring", fb.GROUND, body, stiffness=SPRING, first_point=(-1, 0, 0), free_length=1 + SPEED * CAUGHT
    )
    return fb.System([body], [guide], [spring])


@pytest.mark.parametrize(
    "integrator", [fb.GeneralizedAlpha(rtol=1e-7), fb.Explicit(rtol=1e-12), fb.SciPy(rtol=1e-12)]
)
def test_a_switched_force_has_its_peak(integrator):
    """Let go before it pulls back by as much; 1 %: a step of a twentieth of a period, half of it beside the top."""
    catch = fb.Event("catch", lambda state: state.t - CAUGHT, then=fb.Switch(on=["spring"]))
    let_go = fb.Event(
        "let go", lambda state: state.t - CAUGHT - 2.5 * QUARTER, then=fb.Switch(off=["spring"])
    )
    found = fb.simulate(
        caught(), 0.05, output_step=0.025, integrator=integrator, events=[catch, let_go],
        switched_off=["spring"], show_progress=False,
    )  # fmt: skip
    peak = found.element("spring").peak
    assert peak.force == pytest.approx(FORCE, rel=1e-2)
    assert peak.t == pytest.approx(CAUGHT + QUARTER, abs=0.1 * QUARTER)


def test_a_peak_behind_the_event_that_ends_the_run_does_not_count():
    """The fixed step in which the event lies goes on to three times the time."""
    catch = fb.Event("catch", lambda state: state.t - CAUGHT, then=fb.Switch(on=["spring"]))
    end = fb.Event("end", lambda state: state.t - CAUGHT - 0.3 * QUARTER, then=fb.EndRun())
    found = fb.simulate(
        caught(), 0.05, step=QUARTER, events=[catch, end], switched_off=["spring"], show_progress=False
    )
    assert found.element("spring").peak.t == pytest.approx(CAUGHT + 0.3 * QUARTER, rel=1e-9)


def test_the_peak_of_a_machine_that_is_stepped():
    """0.5 % as above; a run that is set back to before the blow has none, and finds it again."""
    sim = fb.Stepper(falling(), horizon=0.2)
    sim.advance(0.1)
    before = sim.save()
    assert sim.result().element("floor").peak.force == 0.0
    for _ in range(2):
        sim.advance(0.1)
        assert sim.result().element("floor").peak.force == pytest.approx(largest_force(), rel=5e-3)
        sim.restore(before)
        assert sim.result().element("floor").peak.force == 0.0


def test_the_peaks_of_a_bushing():
    """A body that flies off a bushing with v and turns with w: v sqrt(k m) and w sqrt(k_r J); 1e-3 by rtol."""
    body = fb.RigidBody("body", MASS, (0.01,) * 3, velocity=(0, SPEED, 0), angular_velocity=(0, 0, 2.0))
    mount = fb.Bushing("mount", fb.GROUND, body, point=(0, 0, 0), stiffness=[SPRING] * 3 + [SPRING / 100] * 3)
    integrator = fb.GeneralizedAlpha(rtol=1e-7)
    result = fb.simulate(
        fb.System([body], forces=[mount]), 4 * QUARTER, output_step=2 * QUARTER, integrator=integrator,
        show_progress=False,
    )  # fmt: skip
    found = result.element("mount")
    assert np.abs(found.force).max() < 0.1 * FORCE
    assert found.peak.force == pytest.approx(FORCE, rel=1e-3)
    assert found.peak_moment.force == pytest.approx(2.0 * np.sqrt(SPRING / 100 * 0.01), rel=1e-3)
    marked = [line for ax in fb.plot(result).axes for line in ax.lines if line.get_marker() == "^"]
    assert [float(line.get_xdata()[0]) for line in marked] == [found.peak.t * 1e3, found.peak_moment.t * 1e3]


def dropped(kind: str) -> tuple[fb.System, float]:
    """A body that falls by HEIGHT, and the largest force: as two spheres of many contacts, or as a cube.

    The face of the cube presses by k = 4e6 N/m, 1e8 N/m^3 times its area: m g (h + d) = k d^2 / 2.
    """
    gravity = (0, 0, -GRAVITY)
    if kind == "contacts":
        places = {"a": 0.0, "b": 1.0}
        balls = [
            fb.RigidBody(one, MASS, (4e-3,) * 3, center=(x, 0, 0.1 + HEIGHT)) for one, x in places.items()
        ]
        spheres = [fb.Sphere(ball, 0.1) for ball in balls]
        force = fb.Contacts("touch", spheres, [fb.Plane(fb.GROUND)], stiffness=STIFFNESS)
        return fb.System(balls, forces=[force], gravity=gravity), 2 * largest_force()  # on the ground
    mesh = fem.box((0.2, 0.2, 0.2), (2, 2, 2), origin=(0, 0, HEIGHT))
    if kind == "rigid surface":
        cube = fb.RigidBody("cube", MASS, (0.01,) * 3, center=(0.1, 0.1, 0.1 + HEIGHT))
        surface = fb.Surface.of(cube, mesh)
    else:
        structure = fem.assemble(mesh, fem.Isotropic(E=210e9, nu=0.3, rho=MASS / 8e-3))
        cube = fb.FlexibleBody("cube", modal.reduce(structure, modal.eigenmodes(structure, n=2)))
        surface = fb.Surface.of(cube)
    face = fb.SurfaceContact("touch", surface, fb.Plane(fb.GROUND), stiffness=1e8, exponent=1.0)
    weight, k = MASS * GRAVITY, 4e6
    return fb.System([cube], forces=[face], gravity=gravity), weight + np.sqrt(
        weight**2 + 2 * k * weight * HEIGHT
    )


@pytest.mark.parametrize("kind", ["contacts", "rigid surface", "flexible surface"])
def test_the_peaks_of_contacts_without_a_single_force(kind):
    """0.5 % as above."""
    machine, force = dropped(kind)
    found = fb.simulate(machine, 0.2, output_step=0.01, show_progress=False).element("touch")
    assert np.linalg.norm(found.force_on, axis=2).max() < 0.5 * force
    assert found.peak.force == pytest.approx(force, rel=5e-3)
    assert found.peak_moment is None


def test_the_peak_of_slip_follows_that_of_the_load():
    """A ball slides, and is pressed on by a pulse of 5 ms: mu (m g + F); 0.5 % by the steps on it."""

    def pulse(t):
        return 0, 0, -1000.0 * np.exp(-(((t - 0.025) / 2e-3) ** 2))

    ball = fb.RigidBody("ball", MASS, (4e-3,) * 3, center=(0, 0, 0.1), velocity=(10.0, 0, 0))
    lane = fb.Rolling("lane", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), slip=fb.Coulomb(mu=0.2))
    push = fb.PointForce("push", ball, pulse)
    machine = fb.System([ball], [lane], [push], gravity=(0, 0, -GRAVITY))
    found = fb.simulate(machine, 0.05, output_step=0.01, show_progress=False).element("lane")
    assert np.abs(found.force).max() < 0.1 * 0.2 * 1000.0
    assert found.peak.force == pytest.approx(0.2 * (MASS * GRAVITY + 1000.0), rel=5e-3)


def test_plots_mark_the_peak(run):
    """A triangle at its place with words in the legend, in the default plot and in that of the element."""
    peak = run.element("floor").peak
    for figure in (fb.plot(run), fb.plot(run.element("floor")), fb.plot(run, show=["floor"])):
        (mark,) = (line for ax in figure.axes for line in ax.lines if line.get_marker() == "^")
        np.testing.assert_allclose(np.ravel(mark.get_xydata()), [peak.t * 1e3, peak.force])
        words = [text.get_text() for text in mark.axes.get_legend().get_texts()]
        assert any("between stored states" in text and f"peak {peak.force:.4g} N" in text for text in words)
        assert mark.axes.get_ylim()[1] > peak.force


def test_a_peak_that_a_state_shows_is_not_marked():
    fine = fb.simulate(falling(), 0.2, output_step=1e-4, show_progress=False)
    assert not any(line.get_marker() == "^" for ax in fb.plot(fine).axes for line in ax.lines)
