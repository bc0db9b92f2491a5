"""Graphs that tell round-off from motion, keep constants clear of the frame, and leave no reaction out."""

import numpy as np
import pytest

import flexbody as fb
import modal
from flexbody.results.round_off import is_round_off, sizes_of
from flexbody.view.plots.graphs import limits


def wheel(**options) -> fb.RigidBody:
    return fb.RigidBody(
        "wheel", **{"mass": 2.0, "inertia": (0.1, 0.1, 0.2), "center": (0.5, 0, 0), **options}
    )


def run_of(body, joints=(), forces=(), **options) -> fb.Result:
    return fb.simulate(fb.System([body], joints, forces, **options), 1.0, step=0.02)


def hinged(body) -> fb.Revolute:
    return fb.Revolute("hinge", fb.GROUND, body, point=(0, 0, 0))


def axes_of(result, **options) -> dict:
    return {ax.get_ylabel().replace("\n", " "): ax for ax in fb.plot(result, **options).axes}


def height(line) -> float:
    """What part of its graph's height a curve fills."""
    low, high = line.axes.get_ylim()
    return float(np.ptp(line.get_ydata())) / (high - low)


def shaken(result, size: float):
    """Return a run whose multipliers, modal coordinates and velocities differ by noise of a relative size."""
    from dataclasses import replace

    rng = np.random.default_rng(1)
    noise = lambda x, scale: x + size * scale * rng.uniform(-1, 1, x.shape)  # noqa: E731
    return replace(
        result,
        multipliers=noise(result.multipliers, 2.0 * 9.81),
        c=noise(result.c, 1e-4),  # lengths are known to far more digits
        energies=noise(result.energies, 2.0 * 9.81),
    )


@pytest.mark.parametrize("gravity", [(0, 0, 0), (-9.81, 0, 0)])
def test_round_off_lies_flat(gravity):
    """A pendulum at rest: noise of 1e-12 of weight and energy is a straight line; of 1e-6 it is seen as what it is."""
    body = wheel()
    rest = run_of(body, [hinged(body)], gravity=(9.81, 0, 0))  # hangs along x
    for label, ax in axes_of(shaken(rest, 1e-12)).items():
        assert max(height(line) for line in ax.lines) < 1e-6, label
    axes = axes_of(shaken(rest, 1e-6))
    assert max(height(line) for line in axes["energy balance (relative)"].lines) > 0.5
    asked = axes_of(
        shaken(rest, 1e-12), show=[("reaction", "hinge"), ("velocity", "wheel"), ("moment", "hinge")]
    )
    assert len(asked) == 3
    for label, ax in asked.items():
        assert max(height(line) for line in ax.lines) < 1e-6, label


def test_small_things_that_are_no_round_off_are_drawn():
    """A machine of a micron, and nanometres of one of a metre."""
    body = wheel(mass=1e-9, inertia=(1e-21, 1e-21, 2e-21), center=(1e-6, 0, 0))
    system = fb.System([body], [hinged(body)], gravity=(0, -9.81, 0))
    tiny = fb.simulate(system, 2e-3, step=2e-5)  # it swings at 1 / sqrt(l / g), 3 kHz
    for label, ax in axes_of(tiny).items():
        assert max(height(line) for line in ax.lines) > 0.3, label
    body = wheel()
    run = run_of(body, [hinged(body)], gravity=(0, -9.81, 0))
    figure = fb.plot(run, show=[("displacement", "wheel", {"relative_to": fb.GROUND})])
    assert height(figure.axes[0].lines[0]) > 0.5
    assert not is_round_off(1e-9, "m", sizes_of(run)["m"])


def test_sizes():
    """Weight, or mass times acceleration where there is none: of a body that turns, centripetal."""
    body = wheel(angular_velocity=(0, 0, 4), velocity=(0, 2, 0))
    free = sizes_of(run_of(body, [hinged(body)]))
    assert free["N"] == pytest.approx(2.0 * 0.5 * 4**2, rel=1e-3)  # in steps of 0.02 s
    assert free["m/s"] == pytest.approx(2.0, rel=1e-6)
    heavy = sizes_of(run_of(wheel(), gravity=(0, 0, -9.81)))
    assert heavy["N"] == pytest.approx(2.0 * 9.81, rel=1e-6)


@pytest.mark.parametrize("value", [3.0, -2e5, 1e-7])
def test_constants_stand_clear_of_the_frame(value):
    body = wheel()
    run = run_of(body, [hinged(body)])
    (ax,) = axes_of(run, show=[{"mine": np.full(len(run.t), value)}]).values()
    line = ax.lines[0].get_ydata()[0]
    low, high = ax.get_ylim()
    assert 0.1 < (line - low) / (high - low) < 0.9
    assert low < 0 < high  # and one sees how far from zero it is


def test_curves_keep_off_the_frame_and_zero_lines_are_seen():
    assert limits([np.array([-1.0, 3.0])], False) == pytest.approx((-1.32, 3.32))
    low, high = limits([np.zeros(3), np.array([1.0, 2.0, 4.0])], True)
    assert low < -0.03 * high
    assert 4.0 < high < 4.6
    assert limits([], True)[0] < 0 < limits([], True)[1]


def test_reactions_of_users_constraints_are_shown():
    """A skate's side force, as large as 2 kg turning at 2 rad/s with 1 m/s; a held attitude as a moment."""
    skate = fb.RigidBody("skate", 2.0, (0.1, 0.1, 0.1), velocity=(1, 0, 0), angular_velocity=(0, 0, 2))
    ice = fb.Planar("ice", fb.GROUND, skate, point=(0, 0, 0))
    edge = fb.Constraint("edge", [skate], velocity=lambda t, a: a.R[:, 1] @ a.v)
    ax = axes_of(run_of(skate, [ice, edge]))["reaction forces (N)"]
    curves = {line.get_label(): line.get_ydata() for line in ax.lines}
    np.testing.assert_allclose(curves["edge"], 2.0 * 2 * 1, rtol=1e-3)  # steps of 0.02 s
    body = wheel(center=(0, 0, 0), angular_velocity=(1, 0, 3))
    hold = fb.Constraint("hold", [body], velocity=lambda t, a: a.w[0] - 1.0)
    axes = axes_of(run_of(body, [hold]))
    assert [line.get_label() for line in axes["reaction moments (N m)"].lines] == ["hold"]


@pytest.mark.parametrize(
    ("how", "label"),
    [
        ((), "displacement in the body's frame (m)"),
        (({"relative_to": fb.Chord()},), "displacement from the chord (m)"),
        ((fb.GROUND,), "displacement from the drawn place (m)"),
        (({"relative_to": "clamp"},), "displacement seen from clamp, inertial components (m)"),
        (({"relative_to": "clamp", "frame": "clamp"},), "displacement seen from clamp (m)"),
    ],
)
def test_the_axis_names_the_reference_of_a_displacement(how, label):
    beam = modal.assumed.beam(0.3, mass=0.1, EI=12.7, polar_inertia=1e-6, y=modal.assumed.quintic())
    rod = fb.FlexibleBody("rod", beam, place={"start": (0, 0, 0), "end": (0.3, 0, 0)})
    result = run_of(rod, [fb.Fixed("clamp", fb.GROUND, rod["start"])])
    assert label in axes_of(result, show=[("displacement", rod, "end", *how)])


def test_curves_with_one_label_do_not_hide_each_other():
    """Force and friction of one contact in one graph have the same label by themselves."""
    ball = fb.RigidBody("ball", 1.0, (4e-3,) * 3, center=(0, 0, 0.1), velocity=(1.0, 0, 0))
    floor = fb.Contact(
        "floor", fb.Plane(fb.GROUND), fb.Sphere(ball, 0.1), stiffness=1e6, dissipation=1.0, mu=0.2
    )
    machine = fb.System([ball], forces=[floor], gravity=(0, 0, -9.81))
    result = fb.simulate(machine, 0.1, show_progress=False)
    (ax,) = fb.plot(result, show=[["floor", ("element", "floor", "friction")]]).axes
    lines = {line.get_label(): line.get_ydata() for line in ax.lines if line.get_marker() != "^"}
    assert set(lines) == {"floor: force", "floor: friction"}
    np.testing.assert_array_equal(lines["floor: force"], result.element("floor").force)
    np.testing.assert_array_equal(lines["floor: friction"], result.element("floor").friction)


def test_default_graphs_name_the_largest_of_many_curves():
    """Those of twenty balls of growing speeds: eight have names, twelve are grey."""
    balls = [fb.RigidBody(f"ball {k}", 1.0, (1e-3,) * 3, velocity=(k + 1.0, 0, 0)) for k in range(20)]
    graph = fb.plot(fb.simulate(fb.System(balls), 1.0, step=0.1, show_progress=False)).axes[0]
    words = [text.get_text() for text in graph.get_legend().get_texts()]
    assert words == [*(f"ball {k} x" for k in range(12, 20)), "12 smaller ones"]
    assert len(graph.lines) == 20


def words_of(ax) -> list[str]:
    return [text.get_text() for text in ax.get_legend().get_texts()]


def test_curves_that_coincide_share_a_line_of_the_legend():
    """Balls of two speeds: by default each speed has one entry; curves that a user names stay apart unless equal."""
    speeds = [1.0] * 6 + [2.0, 2.0 * (1 + 1e-3)]
    balls = [fb.RigidBody(f"ball {k}", 1.0, (1e-3,) * 3, velocity=(v, 0, 0)) for k, v in enumerate(speeds)]
    result = fb.simulate(fb.System(balls), 1.0, step=0.1, show_progress=False)
    ax = fb.plot(result).axes[0]
    assert words_of(ax) == ["ball 0 x\n… (6 alike)\nball 5 x", "ball 6 x\nball 7 x"]
    assert len(ax.lines) == 8
    way = {f"ball {k}": result.position(f"ball {k}")[:, 0] for k in (0, 1, 6, 7)}
    assert words_of(fb.plot(result, show=[way]).axes[0]) == ["ball 0\nball 1", "ball 6", "ball 7"]


@pytest.mark.parametrize("kind", [fb.RollerOnGuideway, fb.FaceOnGuideway])
@pytest.mark.parametrize("centre", [(0.0, 0.0), (0.3, -0.2)])
def test_the_force_of_a_cam_is_below_zero_where_it_pulls(kind, centre):
    """An eccentric lifts a tappet; with a flat face by e cos(w t), and it presses by m (g - e w^2 cos(w t))."""
    e, rate, m, (x, z) = 0.01, 60.0, 0.2, centre
    disc = fb.RigidBody("disc", 1.0, (1e-3,) * 3, center=(x + 0.004, 0, z))
    tappet = fb.RigidBody("tappet", m, (1e-5,) * 3, center=(x, 0, z + 0.1))
    circle = np.array(fb.profile(lambda a: (e + 0.03 * np.cos(a), 0.03 * np.sin(a)), axis="y", along="z"))
    line = {"points": circle + [x, 0, z], "closed": True}
    own = {"radius": 0.01} if kind is fb.RollerOnGuideway else {"normal": "-z"}
    top = 0.03 + e + own.get("radius", 0.0)
    cam = kind("cam", disc, tappet, point=(x, 0, z + top), **line, **own)
    shaft = fb.Revolute("shaft", fb.GROUND, disc, point=(x, 0, z), axis="y")
    guide = fb.Prismatic("guide", fb.GROUND, tappet, point=tappet.center, axis="z")
    drive = fb.Drive("turn", shaft, rate=rate)
    system = fb.System([disc, tappet], [shaft, guide, cam, drive], gravity=(0, 0, -9.81))
    result = fb.simulate(system, 0.1, step=1e-3, show_progress=False)
    (ax,) = (ax for ax in fb.plot(result).axes if ax.get_ylabel().startswith("reaction\nforces"))
    (curve,) = (line.get_ydata() for line in ax.lines if line.get_gid().startswith("cam"))
    # Newton's law of the tappet, in the direction of its guide
    pressing = m * (result.acceleration(tappet)[:, 2] + 9.81)
    if kind is fb.FaceOnGuideway:
        closed_form = m * (9.81 - e * rate**2 * np.cos(rate * result.t))
        np.testing.assert_allclose(
            curve, closed_form, atol=1e-3 * m * e * rate**2
        )  # the spline of the circle
    assert np.array_equal(np.sign(curve), np.sign(pressing))
    assert curve.min() < 0 < curve.max()
    assert "cam\n(below zero: pulls)" in words_of(ax)
    assert ax.get_ylim()[0] < curve.min()


def test_a_default_graph_of_nothing_says_how_small_it_is():
    """A tenth of a nanometre in a machine of a metre: a note by default, a curve where it is asked for."""
    slow = wheel(velocity=(1e-10, 0, 0))
    result = fb.simulate(fb.System([slow]), 1.0, step=0.1, show_progress=False)
    (graph,) = (ax for label, ax in axes_of(result).items() if label.startswith("displacement"))
    assert [text.get_text() for text in graph.texts] == ["at most 1e-10 m: drawn as zero"]
    assert max(height(line) for line in graph.lines) < 1e-6
    way = result.position("wheel")[:, 0] - 0.5
    (asked,) = fb.plot(result, show=[{"way": way}]).axes
    assert height(asked.lines[0]) > 0.5
