"""Attia's description: equivalent particles and joint coordinates; the global description has the same motion."""

import functools

import numpy as np
import pytest
from reference import attia
from support import linkages

import flexbody as fb
from flexbody.formulations.equivalent_particles import spatial_particles

RUN = {"integrator": fb.Explicit(rtol=1e-10), "show_progress": False}


def inertia_about_first(found):
    return float(np.einsum("ij,ik,jk->", found.mass, found.x, found.x))


@pytest.mark.parametrize("second_mass", [None, 0.2, 1.0, 2.0])
def test_three_particles_have_mass_center_and_inertia(second_mass):
    """Attia (1), which they are found from in closed form: round-off. With 2 kg the third mass is negative."""
    found = fb.equivalent_particles(
        3.0, (2.3553, 0.66517), 23.97, second=(3.59976, 0), second_mass=second_mass
    )
    assert found.mass.sum() == pytest.approx(3.0, rel=1e-14)
    np.testing.assert_allclose(
        found.mass.sum(axis=0) @ found.x, 3.0 * np.array([2.3553, 0.66517]), rtol=1e-12
    )
    assert inertia_about_first(found) == pytest.approx(23.97, rel=1e-12)


def test_a_rod_follows_its_ends():
    """Not uniform: 2 kg, 3 m, center at 1.2 m, 5 kg m^2 about the end; with his m2 and m3 exchanged: 9.5 kg m^2."""
    found = fb.equivalent_particles(2.0, (1.2, 0), 5.0, second=(3.0, 0))
    assert len(found.x) == 2
    assert found.mass.sum(axis=0) @ found.x[:, 0] == pytest.approx(2.0 * 1.2, rel=1e-14)
    assert inertia_about_first(found) == pytest.approx(5.0, rel=1e-14)


def test_the_published_body_2_is_refused():
    """Its 6 kg m^2 about A are less than the mass times the square of the distance of the center: table 2."""
    center = (2.35530, 0.66517)
    with pytest.raises(
        fb.InputError, match=r"6 - 3 \* 5\.98\d+ = -11\.97 kg m\^2, which no body has.*give 23\.9697"
    ):
        fb.equivalent_particles(3.0, center, 6.0, second=(3.59976, 0), second_mass=1.0)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"second": (0.0, 0.0)}, "coincides with the first"),
        ({"second": (0.0, 2.0), "second_mass": 0.5}, "leaves no place for the third"),
        ({"center": (1.0, 0.0, 0.0)}, "two numbers"),
    ],
)
def test_particles_that_are_not_possible(given, said):
    with pytest.raises(fb.InputError, match=said):
        fb.equivalent_particles(
            **{"mass": 1.0, "center": (1.0, 0.0), "inertia": 2.0, "second": (2.0, 0.0)} | given
        )


@pytest.mark.parametrize("flat", [False, True])
def test_four_particles_have_mass_center_and_inertia(flat):
    axes = np.linalg.qr(np.random.default_rng(0).normal(size=(3, 3)))[0]
    E = axes @ np.diag([0.3, 0.2, 0.0 if flat else 0.1]) @ axes.T
    center = axes @ [0.4, -0.2, 0.0 if flat else 0.1]
    J = np.trace(E) * np.eye(3) - E
    found, shared = spatial_particles(2.0, center, J)
    m, arms = np.diag(found.mass), found.x - center
    assert shared
    assert m.min() > 0
    np.testing.assert_allclose(found.x[0], 0, atol=1e-15)
    np.testing.assert_allclose(m @ found.x, 2.0 * center, atol=1e-14)
    np.testing.assert_allclose((m * arms.T) @ arms, E, atol=1e-14)


@functools.cache
def attias_run():
    machine = linkages.attia_linkage(fb.Revolute)
    with pytest.warns(fb.RedundantConstraintWarning, match="6 of the 35"):  # of the plane
        return fb.simulate(machine, 0.25, description=fb.Points(cut=["C", "F"]), output_step=0.05, **RUN)


def test_attias_linkage_has_his_particles():
    """His mass matrix with the masses of body 2 that a central inertia of 6 kg m^2 gives, in eight digits."""
    particles = attias_run().plan.formulation.particles
    assert len(particles.x) == 8
    assert particles.normal is not None
    # O, A, B, D, E, then C, the third particle of A-B-D, F
    diagonal = [1 / 6, 0.71397496, 4 / 3, 1 / 3, 2 / 3, 1 / 3, 1.45269171, 1 / 3]
    found = np.sort(np.diag(particles.mass))
    np.testing.assert_allclose(found, np.sort(diagonal), atol=6e-9)
    couples = np.sort(particles.mass[np.triu_indices(8, 1)])[-4:]
    np.testing.assert_allclose(couples, [1 / 12, 1 / 6, 1 / 6, 1 / 6], atol=1e-12)


def test_attias_linkage_moves_as_he_says():
    """Accelerations and forces of pins at the start to the digits of the reference, then the motion."""
    result = attias_run()
    found = [result.coordinate_acceleration(pin)[0] for pin in "OABDE"]
    np.testing.assert_allclose(found, attia.ACCELERATIONS_0, atol=6e-9)
    for pin, force in attia.FORCES_0.items():
        digits = 6e-9 if pin in "CF" else 6e-6
        np.testing.assert_allclose(result.reaction(pin).force[0], [*force, 0], atol=digits)
    exact, _ = attia.Linkage().solution(result.t)
    turned = np.array([result.coordinate(pin) for pin in "OABDE"]).T
    np.testing.assert_allclose(turned, exact, atol=1e-8)  # 1e-10 in each of some ten steps; reference 1e-11


def in_space(closed):
    """A chain of the joints that particles take, a spring, a moment; or with a distance joint and a drive too."""
    rng = np.random.default_rng(3)
    bodies, joints, at = [], [], np.zeros(3)
    before = fb.GROUND
    kinds = {
        fb.Revolute: {"axis": (1, 2, 0.5)}, fb.Spherical: {}, fb.Prismatic: {"axis": (1, 0.2, 0.3)},
        fb.Cylindrical: {"axis": (0.1, 1, 0.2)}, fb.Universal: {"axes": ("x", "z")},
    }  # fmt: skip
    for k, (kind, options) in enumerate(kinds.items()):
        center = at + rng.uniform(0.2, 0.4, 3) * [1, 1, -1]
        axes = np.linalg.qr(rng.normal(size=(3, 3)))[0]
        body = fb.RigidBody(
            f"b{k}", 1.0 + 0.2 * k, axes @ np.diag([0.02, 0.03, 0.04]) @ axes.T, center=center
        )
        joints.append(kind(f"j{k}", before, body, point=at, **options))
        bodies.append(body)
        before, at = body, center + rng.uniform(0.1, 0.3, 3) * [1, -1, -1]
    if closed:
        joints.append(fb.Distance("rod", bodies[1], bodies[4], first_point=bodies[1].center, second_point=at))
        joints.append(fb.Drive("motor", joints[0], value=lambda t: 0.3 * np.sin(3 * t)))
    far = bodies[3].center + [0, 0, 0.3]
    forces = [
        fb.SpringDamper("spring", fb.GROUND, bodies[2], stiffness=200.0, damping=3.0, first_point=(2, 1, -2)),
        fb.SpringDamper("inner", bodies[2], bodies[3], stiffness=500.0, second_point=far),
        fb.PointMoment("moment", bodies[3], (0.3, 0.2, -0.4)),
    ]
    return fb.System(bodies, joints, forces, gravity=(0, 0, -9.81))


@pytest.mark.parametrize("closed", [False, True])
def test_machines_in_space_move_as_in_the_global_description(closed):
    """Accelerations and multipliers at the start to round-off, then to the tolerance of the integrator."""
    machine = in_space(closed)
    found, usual = (
        fb.simulate(machine, 0.1, description=description, output_step=0.05, **RUN)
        for description in (fb.Points(), fb.Absolute())
    )
    for name in ("vdot", "multipliers"):
        exact = getattr(usual, name)
        np.testing.assert_allclose(getattr(found, name)[0], exact[0], atol=1e-11 * np.abs(exact).max())
    for name in ("c", "q", "v", "vdot", "multipliers"):
        exact = getattr(usual, name)
        np.testing.assert_allclose(getattr(found, name), exact, atol=1e-8 * np.abs(exact).max(), err_msg=name)
    assert found.energy.balance_error < 1e-8


def test_a_free_body_keeps_its_momentum():
    body = fb.RigidBody("b", 2.0, (0.1, 0.2, 0.25), angular_velocity=(1, 5, 0.5), velocity=(1, 0, 0))
    machine = fb.System([body], [])
    found, usual = (
        fb.simulate(machine, 0.5, description=description, output_step=0.1, **RUN)
        for description in (fb.Points(), fb.Absolute())
    )
    np.testing.assert_allclose(found.q, usual.q, atol=1e-8)
    np.testing.assert_allclose(found.c, usual.c, atol=1e-12)


def test_what_particles_do_not_take_is_named():
    bar, other = (fb.RigidBody(name, 1.0, (1, 1, 1)) for name in ("bar", "other"))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    table = fb.Planar("table", fb.GROUND, other, point=(0, 0, 0), axis="z")
    rub = fb.BearingFriction("rub", hinge, mu=0.1, radius=0.01)
    machine = fb.System([bar, other], [hinge, table], [rub])
    with pytest.raises(
        fb.InputError, match=r"planar joint 'table'; .*'rub' follows a reaction.*Revolute, Spherical"
    ):
        fb.simulate(machine, 0.1, description=fb.Points(), show_progress=False)


@pytest.mark.parametrize("method", [fb.GeneralizedAlpha(), fb.SciPy()])
def test_other_integrators_are_refused(method):
    bar = fb.RigidBody("bar", 1.0, (1, 1, 1), center=(1, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    with pytest.raises(fb.InputError, match=r"give integrator=fb\.Explicit\(\)"):
        fb.simulate(
            fb.System([bar], [hinge]), 0.1, integrator=method, description=fb.Points(), show_progress=False
        )


def test_the_automatic_integrator_is_explicit():
    bar = fb.RigidBody(
        "bar", 1.0, (1, 1, 1), center=(1, 0, 0), velocity=(0, 0, -1), angular_velocity=(0, 1, 0)
    )
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    result = fb.simulate(
        fb.System([bar], [hinge]), 0.1, output_step=0.05, description=fb.Points(), show_progress=False
    )
    assert result.statistics.method.startswith("Explicit")
    np.testing.assert_allclose(result.coordinate("hinge"), result.t, atol=1e-7)
