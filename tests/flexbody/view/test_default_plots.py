"""What default plots show: loads of drives and teeth, motions of free bodies; what is zero is said or left out."""

from dataclasses import replace

import numpy as np
import pytest
from matplotlib.backends.backend_agg import FigureCanvasAgg

import flexbody as fb
import modal
from flexbody.results.round_off import sizes_of
from flexbody.view.plots.event_marks import MAX_ROWS, event_labels


def block(name: str = "cart", mass: float = 2.0, **options) -> fb.RigidBody:
    return fb.RigidBody(name, mass, (0.1, 0.1, 0.1), **options)


def rail(body: fb.RigidBody, name: str = "rail") -> fb.Prismatic:
    return fb.Prismatic(name, fb.GROUND, body, point=body.center, axis="x")


def run_of(bodies, joints=(), forces=(), t_end=0.5, **options) -> fb.Result:
    return fb.simulate(fb.System(bodies, joints, forces), t_end, show_progress=False, **options)


def graphs_of(result, **options) -> dict:
    return {" ".join(ax.get_ylabel().split()): ax for ax in fb.plot(result, **options).axes}


def curve_of(ax, name: str) -> np.ndarray:
    (found,) = (line.get_ydata() for line in ax.lines if line.get_gid() == name)
    return found


def test_the_load_of_a_drive_has_the_sign_of_its_work():
    """A slide x = a sin(w t) of 2 kg needs m x'', a wheel with phi = b t^2 needs 2 b J."""
    cart, wheel = block(), block("wheel", center=(0, 1, 0))
    slide, hinge = rail(cart), fb.Revolute("hinge", fb.GROUND, wheel, point=(0, 1, 0), axis="z")
    a, w, b = 0.1, 20.0, -3.0
    drives = [
        fb.Drive("ram", slide, value=lambda t: a * np.sin(w * t)),
        fb.Drive("motor", hinge, value=lambda t: b * t * t),
    ]
    result = run_of([cart, wheel], [slide, hinge, *drives], integrator=fb.GeneralizedAlpha(rtol=1e-8))
    graphs = graphs_of(result)
    force = curve_of(graphs["drive forces (N)"], "ram")
    # 1e-8 of the motion, and differences of the second derivative of a user's function
    np.testing.assert_allclose(force, -2.0 * a * w**2 * np.sin(w * result.t), atol=1e-4 * 2.0 * a * w**2)
    np.testing.assert_allclose(curve_of(graphs["drive moments (N m)"], "motor"), 2 * b * 0.1, rtol=1e-4)


@pytest.mark.parametrize("angle", [np.radians(20.0), None], ids=["teeth", "moments alone"])
def test_gears_show_their_shafts_and_the_force_of_their_teeth(angle):
    """The wheel gets J_2 alpha / i from a driven pinion: F = M / (r_2 cos 20 degrees) at the teeth, else M."""
    ratio, distance, alpha, J = 3.0, 0.2, 40.0, 0.1
    pinion, wheel = block("pinion"), block("wheel", center=(distance, 0, 0))
    shafts = [fb.Revolute(f"{b.name} shaft", fb.GROUND, b, point=b.center, axis="z") for b in (pinion, wheel)]
    gear = fb.Gear("gear", *shafts, ratio=ratio, pressure_angle=angle)
    drive = fb.Drive("motor", shafts[0], value=lambda t: 0.5 * alpha * t * t)
    graphs = graphs_of(run_of([pinion, wheel], [*shafts, gear, drive]))
    assert {line.get_gid() for line in graphs["coordinate (rad)"].lines} == {"pinion shaft", "wheel shaft"}
    moment = J * alpha / ratio
    if angle is None:
        # moments about the axes alone load no bearing
        assert "reaction forces (N)" not in graphs
        found, exact = curve_of(graphs["reaction moments (N m)"], "gear"), moment
    else:
        radius = distance * ratio / (1 + ratio)
        found, exact = (
            curve_of(graphs["reaction forces (N)"], "gear (teeth)"),
            moment / radius / np.cos(angle),
        )
    np.testing.assert_allclose(found[1:], exact, rtol=1e-4)


def test_joints_without_a_load_are_left_out_unless_they_are_named():
    """A spring along the rail loads the rail by nothing; gravity across another one loads that."""
    cart, other = block(center=(0.1, 0, 0)), block("other", center=(0, 1, 0))
    free, loaded = rail(cart), rail(other, "loaded")
    spring = fb.SpringDamper(
        "spring", fb.GROUND, cart, stiffness=200.0, first_point=(1, 0, 0), free_length=0.5
    )
    assert not any(label.startswith("reaction") for label in graphs_of(run_of([cart], [free], [spring])))
    push = fb.PointForce("push", other, (0.0, 3.0, 0.0))
    result = run_of([cart, other], [free, loaded], [spring, push])
    assert {line.get_gid() for line in graphs_of(result)["reaction forces (N)"].lines} == {"loaded"}
    ax = graphs_of(result, show=[("reaction", "rail")])["reaction force (N)"]
    assert [text.get_text() for text in ax.texts] == ["no load"]
    assert len(graphs_of(result, show=[("reaction", "loaded")])["reaction force (N)"].texts) == 0


def test_round_off_beside_forces_of_elements_is_drawn_as_zero():
    """Two springs with 20 kN hold 1 g at rest: the reaction of its rail is noise of 1e-13 of them, 2 nN."""
    cart = block(mass=1e-3)
    springs = [
        fb.SpringDamper(
            name, fb.GROUND, cart, stiffness=4e4, first_point=(x, 0, 0), free_length=0.5
        )
        for name, x in (("left", -1.0), ("right", 1.0))
    ]  # fmt: skip
    result = run_of([cart], [rail(cart)], springs, t_end=1e-3)
    rng = np.random.default_rng(1)
    noise = replace(result, multipliers=2e-9 * rng.uniform(-1, 1, result.multipliers.shape))
    assert np.abs(noise.reaction("rail").force).max() > 1e-9
    ax = graphs_of(noise, show=[("reaction", "rail")])["reaction force (kN)"]
    assert all(not line.get_ydata().any() for line in ax.lines)
    (said,) = (text.get_text() for text in ax.texts)
    assert said.startswith("no load (at most 2e-09 N")


def test_a_light_body_in_a_blow_makes_no_force_of_a_heavy_machine_round_off():
    """1 g with 1e8 m/s^2 beside 1 t at rest: the largest force is 100 kN, not 1 t times 1e8 m/s^2."""
    result = run_of([block(mass=1000.0), block("chip", 1e-3)], t_end=1e-3)
    assert sizes_of(result)["N"] <= 1001 * 9.81  # a short run says nothing of forces
    vdot = result.vdot.copy()
    vdot[3, result.plan.translation(1)] = (1e8, 0, 0)
    assert sizes_of(replace(result, vdot=vdot))["N"] == pytest.approx(1e5)


def test_bodies_that_only_turn_show_their_angular_velocities():
    body = block(angular_velocity=(0, 0, 2.0))
    graphs = graphs_of(run_of([body]))
    assert [label for label in graphs if label.startswith(("displacement", "angular"))] == [
        "angular velocity (rad/s)"
    ]
    np.testing.assert_allclose(curve_of(graphs["angular velocity (rad/s)"], "cart z"), 2.0, rtol=1e-9)


def test_names_of_close_events_lie_neither_on_each_other_nor_on_other_lines():
    """As they are drawn: the rectangles of the letters, and the lines up to them."""
    cart = block(velocity=(1.0, 0, 0))
    times = (0.02, 0.021, 0.035, 0.05, 0.2, 0.47, 0.48)
    events = [
        fb.Event(f"light barrier {k}", lambda s, t=t: s.position("cart")[0] - t) for k, t in enumerate(times)
    ]
    figure = fb.plot(run_of([cart], events=events))
    renderer = FigureCanvasAgg(figure).get_renderer()
    figure.draw(renderer)
    texts = [text for text in figure.axes[0].texts if text.get_text()]
    boxes = [text.get_window_extent(renderer) for text in texts]
    assert len(boxes) == len(times)
    for k, box in enumerate(boxes):
        assert box.x1 <= figure.bbox.x1
        assert box.y1 <= figure.bbox.y1
        for other in boxes[:k]:
            assert box.x1 < other.x0 or other.x1 < box.x0 or box.y1 <= other.y0 or other.y1 <= box.y0
        for text, other in zip(texts, boxes, strict=True):  # the line of the other one ends at its letters
            x = figure.axes[0].transData.transform((1e3 * text.xy[0], 0))[0]
            assert other is box or not box.x0 <= x <= box.x1 or other.y0 < box.y0


def test_so_many_names_of_events_take_a_limited_room():
    """Names that repeat are labelled once, with their number; of many at one place ten rows are left."""
    occurred = [fb.Occurrence(f"event {k}", 0.1, "marked", 1) for k in range(30)]
    again = [fb.Occurrence("again", t, "marked", 1) for t in (0.2, 0.3)]
    labels = event_labels([*occurred, *again], (0.0, 1.0))
    assert max(label.row for label in labels) == MAX_ROWS
    assert len(labels) == MAX_ROWS + 2
    assert any("more names" in label.text for label in labels)
    assert [label.text for label in labels if label.t == 0.2] == ["again (2 times)"]


def test_a_cantilever_shows_the_deflection_of_its_tip():
    """Bent by its weight: q l^4 / (8 E I) at the tip; the quintic holds this polynomial of degree four."""
    l, mass, EI = 1.0, 2.0, 300.0
    shape = modal.assumed.quintic()
    beam = modal.assumed.beam(l, mass=mass, EI=EI, polar_inertia=1e-4, y=shape)
    rod = fb.FlexibleBody("rod", beam, place={"start": (0, 0, 0), "end": (l, 0, 0)}, stiffening=False)
    machine = fb.System([rod], [fb.Fixed("clamp", fb.GROUND, rod["start"])], gravity=(0, -9.81, 0))
    figure = fb.plot(fb.equilibrium(machine))
    (ax,) = (ax for ax in figure.axes if ax.get_ylabel() == "deflection from\nthe joint\n(mm)")
    tip = curve_of(ax, "rod, end: y")
    exact = mass * 9.81 * l**3 / (8 * EI)
    # seen along axes that turn with the clamp, whose rotation is of first order
    assert tip == pytest.approx([-1e3 * exact], rel=(exact / l) ** 2)
    assert all(line.get_marker() == "o" for line in ax.lines)  # a state is one instant


def test_components_that_are_round_off_share_an_entry_of_the_legend():
    """A hinge about y in space: the moments about x and z are noise of 1e-12 of that about y."""
    wheel = block("wheel")
    hinge = fb.Revolute("hinge", fb.GROUND, wheel, point=(0, 0, 0), axis="y")
    result = run_of([wheel], [hinge, fb.Drive("motor", hinge, value=lambda t: t * t)])
    rng = np.random.default_rng(1)
    noise = 1e-12 * rng.uniform(-1, 1, result.multipliers.shape)
    shaken = replace(result, multipliers=result.multipliers + noise)
    assert len(set(shaken.reaction("hinge").moment[:, 0])) > 1
    ax = graphs_of(shaken, show=[[("moment", "hinge"), "motor"]])["reaction moment (N m)"]
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["hinge x\nhinge y\nhinge z\nmotor x\nmotor z", "motor y"]
