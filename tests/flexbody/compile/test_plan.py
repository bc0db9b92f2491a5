"""Where the numbers of a body, a joint and a row stand in the arrays of a compiled system."""

import numpy as np
import pytest
from support.varied import MACHINES

import flexbody as fb
import modal
from flexbody.compile.plan import Plan, make_plan
from flexbody.core.equations import place
from flexbody.core.kinds import C8, D, K


@pytest.fixture(scope="module")
def system() -> fb.System:
    """A driven crank (and slider: nothing moves here), a rod with four modes and a slider: sizes 6, 10 and 6."""
    reduced = modal.assumed.beam(0.5, mass=0.4, EI=30.0, polar_inertia=1e-5, y=modal.assumed.quintic())
    crank = fb.RigidBody("crank", 1.0, (1e-3, 2e-3, 2e-3), center=(0.1, 0, 0), velocity=(0, 0.1, 0))
    ends = {"start": (0.2, 0, 0), "end": (0.7, 0, 0)}
    rod = fb.FlexibleBody("rod", reduced, place=ends, damping_ratio=0.02, alpha=(1e-3, 0, 0, 0))
    slider = fb.RigidBody("slider", 0.5, (1e-3,) * 3, center=(0.7, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, crank, point=(0, 0, 0), axis="z")
    guide = fb.Prismatic("guide", fb.GROUND, slider, point=(0.7, 0, 0), axis="x")
    joints = [
        hinge,
        fb.Revolute("pin", crank, rod["start"], axis="z"),
        fb.Spherical("ball", rod["end"], slider),
        guide,
        fb.Drive("motor", hinge, rate=3.0),
        fb.Drive("stroke", guide, value=lambda t: 3.0 * t),
    ]
    return fb.System([crank, rod, slider], joints)


@pytest.fixture(scope="module")
def plan(system) -> Plan:
    return make_plan(system)


def places(slices, size):
    """Return how often each number of a vector is named."""
    found = np.zeros(size, dtype=int)
    for one in slices:
        found[one] += 1
    return found


@pytest.mark.parametrize("name", MACHINES)
def test_bodies_share_out_the_vectors(name):
    plan = make_plan(MACHINES[name]()[0])
    bodies = range(plan.n_bodies)
    assert (places(map(plan.velocities, bodies), plan.n_velocities) == 1).all()
    parts = [part(b) for b in bodies for part in (plan.translation, plan.rotation, plan.modal_velocities)]
    assert (places(parts, plan.n_velocities) == 1).all()
    assert (places(map(plan.modal, bodies), plan.n_modes) == 1).all()
    for b in bodies:
        assert plan.rigid(b) == slice(plan.translation(b).start, plan.rotation(b).stop)


def test_sizes(system, plan):
    assert (plan.n_bodies, plan.n_modes, plan.n_velocities) == (3, 4, 22)
    assert plan.n_rows == 5 + 5 + 3 + 5 + 1 + 1
    assert plan.velocities(plan.body_index["rod"]) == slice(6, 16)
    assert plan.modal_velocities(plan.body_index["rod"]) == slice(12, 16)


def test_rows_have_an_owner(system, plan):
    rows = [plan.rows[joint.name] for joint in system.joints]
    assert (places(rows, plan.n_rows) == 1).all()
    for joint, own in zip(system.joints, rows, strict=True):
        assert {plan.row_owner(k) for k in range(own.start, own.stop)} == {joint.label}
    with pytest.raises(IndexError, match="out of range"):
        plan.row_owner(plan.n_rows)


def test_the_drawn_state(system, plan):
    c, q, alpha, v = plan.start()
    crank, rod, slider = system.bodies
    np.testing.assert_array_equal(c, [crank.start, rod.start, slider.start])
    np.testing.assert_array_equal(q, [[1, 0, 0, 0]] * 3)
    np.testing.assert_array_equal(alpha[plan.modal(1)], (1e-3, 0, 0, 0))
    np.testing.assert_array_equal(v[plan.translation(0)], (0, 0.1, 0))
    assert not v[plan.velocities(1)].any()


def test_coefficients_of_a_body(system, plan):
    rod = system.bodies[1]
    np.testing.assert_array_equal(plan.coefficient(C8, 1), rod.turned.C8)
    np.testing.assert_array_equal(plan.coefficient(K, 1), rod.turned.K)
    np.testing.assert_array_equal(plan.coefficient(D, 1), rod.damping)


def test_modes_of_a_frame(system, plan):
    """In the drawn configuration: displacement and rotation of the rod's end in each mode."""
    c, q, alpha, _ = plan.start()
    W = plan.work()
    place(plan.layout, W, 0.0, c, q, 0 * alpha)
    marker = system.bodies[1].turned.markers["end"]
    frame = next(f for f in plan.frames["ball"] if plan.layout.frame_body[f] == 1)
    np.testing.assert_array_equal(plan.frame_modes(W, frame), np.concatenate([marker.Phi, marker.B]))


def test_translations_are_rotated_and_nothing_else(plan):
    rng = np.random.default_rng(0)
    Q = np.linalg.qr(rng.normal(size=(plan.n_bodies, 3, 3)))[0]
    x = rng.normal(size=(plan.n_velocities, 2))
    given = x.copy()
    out = plan.turn_translations(Q, x)
    np.testing.assert_array_equal(x, given)
    moved = np.flatnonzero((out != x).any(axis=1))
    assert moved.tolist() == [*range(3), *range(6, 9), *range(16, 19)]
    np.testing.assert_array_equal(out[6:9], Q[1] @ x[6:9])


def test_prescribed_values_have_the_order_of_the_layout(system, plan):
    assert [item.name for item, _ in plan.relations] == ["motor", "stroke"]
    assert plan.prescribed(0.5) == pytest.approx([1.5, 1.5], rel=1e-15)  # one product and one sum


def test_the_jacobian_has_entries_where_rows_meet_bodies(system, plan):
    """Each row has an entry for every velocity of the bodies that it constrains, once."""
    rows, columns = plan.pattern
    assert len(set(zip(rows.tolist(), columns.tolist(), strict=True))) == len(rows)
    bodies = {"hinge": [0], "pin": [0, 1], "ball": [1, 2], "guide": [2], "motor": [0], "stroke": [2]}
    for joint, touched in bodies.items():
        expected = np.concatenate([np.r_[plan.velocities(b)] for b in touched])
        for k in range(plan.rows[joint].start, plan.rows[joint].stop):
            assert sorted(columns[rows == k]) == expected.tolist()


def test_another_description_is_refused(system):
    with pytest.raises(fb.InputError, match=r"description is 'absolute'; give fb.Absolute\(\)"):
        make_plan(system, description="absolute")


def test_machines_that_share_a_layout_have_their_own_numbers():
    """Work arrays of machines one after the other and in threads are, bit by bit, those of machines alone."""
    from concurrent.futures import ThreadPoolExecutor

    from flexbody.compile import rows, work_arrays

    def memory(build) -> list[bytes]:
        plan = make_plan(build())
        return [array.tobytes() for array in plan.work().memory()[1:]]  # the first holds addresses

    def pendulum(mass: float, modes: int, joint: type) -> fb.System:
        arm = fb.RigidBody("arm", mass, (mass, 2.0, 3.0), center=(0.5, 0, 0))
        beam = fb.FlexibleBody("beam", modal.assumed.beam(1.0, mass=mass, EI=30.0, polar_inertia=1e-5,
                                                          y=modal.assumed.quintic()[:modes]))  # fmt: skip
        hinge = joint("hinge", fb.GROUND, arm, point=(0, 0, 0), axis="z")
        return fb.System([arm, beam], [hinge, fb.Spherical("ball", arm, beam["start"])])

    builds = [lambda f=MACHINES[name]: f()[0] for name in ("with_states", "geared")]
    for mass in (1.0, 2.0):
        for joint in (fb.Revolute, fb.Prismatic):  # five rows each: equal sizes, other rows
            for modes in (1, 2):
                builds.append(lambda m=mass, n=modes, j=joint: pendulum(m, n, j))

    alone = []
    for build in builds:
        work_arrays._blank.cache_clear()
        rows._row_places.cache_clear()
        alone.append(memory(build))
    assert len(set(map(tuple, alone))) >= 2 + 4, "masses and modes must be seen in the arrays"
    assert [memory(build) for build in builds] == alone
    with ThreadPoolExecutor(4) as threads:
        assert list(threads.map(memory, builds[::-1])) == alone[::-1]
    assert work_arrays._blank.cache_info().hits > 0, "nothing was shared"
