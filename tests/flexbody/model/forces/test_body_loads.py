"""Distributed loads on moving flexible bodies are the sums of their nodal forces, with their work and stiffening."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

import fem
import flexbody as fb
import modal
from flexbody.results.loads import load_over_time

STEEL = fem.Isotropic(E=2e9, nu=0.3, rho=7850.0)
LOADS = {
    "wind": fem.Pressure("z0", 4e3),
    "sea": [fem.Pressure(side, 1e5) for side in ("x0", "x1", "y0", "y1", "z0", "z1")],
    "shear": [fem.Traction("x1", (1e4, 2e4, -3e4)), fem.Traction("y0", (0.0, 0.0, 5e3))],
    "weight": fem.Gravity((3.0, -2.0, 9.0)),
}


def box(element="hex8", n=(3, 1, 1)) -> fem.Structure:
    return fem.assemble(fem.box((1.0, 0.1, 0.05), n, element=element), STEEL)


def with_node_sets(structure: fem.Structure) -> fem.Structure:
    """The same structure, each node of which is a set."""
    mesh = structure.mesh
    nodes = {f"n{k}": np.array([k]) for k in range(mesh.n_nodes)}
    return fem.assemble(replace(mesh, node_sets={**mesh.node_sets, **nodes}), STEEL)


@pytest.fixture(scope="module")
def reduced() -> modal.ReducedBody:
    structure = with_node_sets(box())
    basis = modal.craig_bampton(structure, ("x0",), n_normal=4)
    markers = [name for name in structure.mesh.node_sets if name.startswith("n")]
    body = modal.reduce(structure, basis, markers=markers, loads=LOADS)
    return body


def machine(reduced, forces_of, size=1.0, **options) -> fb.System:
    """The body on a ball joint, turned, deformed and in rotation at the start."""
    modes = size * 1e-3 * np.arange(1, reduced.N + 1) * (-1.0) ** np.arange(reduced.N)
    turned = Rotation.from_rotvec([0.4, -0.7, 1.1]).as_matrix()
    body = fb.FlexibleBody(
        "body", reduced, rotation=turned, alpha=modes, angular_velocity=(0.5, 1.0, -0.8), **options
    )
    ball = fb.Spherical("ball", fb.GROUND, body["x0"])
    return fb.System([body], [ball], forces_of(body))


def at_nodes(load, factor=1.0, follows=False):
    """The load as a force at each node of the mesh, by its definition; one that follows, on the deformed mesh."""
    structure = box()
    undeformed = fem.load_vector(structure, LOADS[load]).reshape(-1, 3)

    def forces(body):
        nodal = following(structure, load, body) if follows else undeformed
        turned = nodal @ np.asarray(body.rotation).T
        return [
            fb.PointForce(f"f{k}", body[f"n{k}"], force_times(factor, turned[k]), follows=follows)
            for k in range(len(nodal))
        ]

    return forces


def following(structure, load, body):
    """Forces (nodes, 3) on the deformed mesh in the base of the body; tractions and weights turned by its rotations."""
    markers = [body.reduced.markers[f"n{k}"] for k in range(structure.mesh.n_nodes)]
    moved = np.array([marker.Phi @ body.alpha for marker in markers])
    given = LOADS[load] if isinstance(LOADS[load], list) else [LOADS[load]]
    if all(isinstance(part, fem.Pressure) for part in given):
        deformed = fem.assemble(replace(structure.mesh, points=structure.mesh.points + moved), STEEL)
        return fem.load_vector(deformed, given).reshape(-1, 3)
    change = sum(part.stiffness(structure) for part in given) @ moved.ravel()
    return (fem.load_vector(structure, given) + change).reshape(-1, 3)


def force_times(factor, force):
    if not callable(factor):
        return factor * force
    x, y, z = force
    return lambda t: (x * factor(t), y * factor(t), z * factor(t))


@pytest.mark.parametrize("stiffening", [True, False])
@pytest.mark.parametrize("load", LOADS)
def test_a_load_is_the_sum_of_its_nodal_forces(reduced, load, stiffening):
    """Accelerations of a turned, deformed body, which depend on all generalized forces, Koppens (2.31)-(2.33)."""
    options = {"stiffening": stiffening}
    by_frames = machine(reduced, lambda body: fb.body_load("p", body, load, 2.0), **options)
    by_nodes = machine(reduced, at_nodes(load, 2.0), **options)
    unloaded = machine(reduced, lambda body: [], **options)
    found, expected, none = (accelerations(m) for m in (by_frames, by_nodes, unloaded))
    assert np.abs(expected - none).max() > 0.5  # rad/s^2
    np.testing.assert_allclose(found, expected, atol=1e-9 * np.abs(expected - none).max())


def accelerations(system):
    return fb.simulate(system, 1e-9, step=1e-9, show_progress=False).vdot[0]


@pytest.mark.parametrize("stiffening", [True, False])
@pytest.mark.parametrize("load", LOADS)
def test_a_load_follows_the_deformed_mesh(reduced, load, stiffening):
    """The error falls with the square of the deformation: the load is computed to first order in it."""
    errors, fixed = [], []
    for size in (1.0, 0.1):
        options = {"stiffening": stiffening, "size": size}
        follows, keeps = (
            machine(reduced, lambda body: fb.body_load("p", body, load, 2.0, follows=turns), **options)  # noqa: B023
            for turns in (True, False)
        )
        expected = accelerations(machine(reduced, at_nodes(load, 2.0, follows=True), **options))
        errors.append(np.abs(accelerations(follows) - expected).max())
        fixed.append(np.abs(accelerations(keeps) - expected).max())
    assert errors[1] < 1.05e-2 * errors[0] + 1e-9 * np.abs(expected).max()
    assert errors[1] < 0.02 * fixed[1]


def test_a_following_load_over_time(reduced):
    """Both descriptions and two integrators agree; the input is the work of the load."""
    ends = []
    for description in (fb.Absolute(), fb.Relative()):
        for integrator in (fb.Explicit(1e-10), fb.GeneralizedAlpha(rtol=1e-8)):
            result = fb.simulate(
                machine(reduced, lambda body: fb.body_load("p", body, "sea", lambda t: 40.0 * t, follows=True)),
                0.004, integrator=integrator, description=description, output_step=0.002, show_progress=False,
            )  # fmt: skip
            assert result.energy.balance_error < 1e-5
            ends.append(result.alpha("body")[-1])
    for other in ends[1:]:
        np.testing.assert_allclose(other, ends[0], atol=1e-4 * np.abs(ends[0]).max())
    np.testing.assert_allclose(ends[2], ends[0], atol=1e-9 * np.abs(ends[0]).max())


def test_a_factor_as_an_input(reduced):
    """Its gain at rest is the difference of two equilibria."""
    body = fb.FlexibleBody("body", reduced)
    clamp = fb.Fixed("clamp", fb.GROUND, body["x0"])

    def held(factor):
        return fb.equilibrium(
            fb.System([body], [clamp], fb.body_load("p", body, "wind", factor, follows=True))
        )

    space = fb.linearize(held(3.0)).state_space(inputs=["p"], displacements=[body["n7"]])
    assert list(space.inputs) == ["p factor"]
    gain = space.response(0.0)[0].real[:3, 0]
    there, here = (held(3.0 + step).position(body["n7"]) for step in (1e-3, -1e-3))
    np.testing.assert_allclose(gain, (there - here) / 2e-3, atol=1e-5 * np.abs(gain).max())


def test_a_result_knows_a_following_load(reduced, tmp_path):
    """The resultant at the first time in the table, from the file and by its definition; the arrow of a picture."""
    forces = lambda body: fb.body_load("p", body, "wind", lambda t: 2.0 + t, follows=True)  # noqa: E731
    system = machine(reduced, forces, size=0.1)
    result = fb.simulate(system, 1e-3, output_step=5e-4, show_progress=False)
    body = system.body("body")
    turned = result.rotation("body")[0] @ np.asarray(body.rotation)  # the joint closes as the run starts
    expected = 2.0 * turned @ following(box(), "wind", body).sum(axis=0)
    result.save(tmp_path / "run.h5")
    again = fb.load_result(tmp_path / "run.h5")
    for known in (result, again):
        found = load_over_time(known, known.system.loads[0])
        # of second order in the deformation: the resultant of a pressure on an open face
        np.testing.assert_allclose(found[0], expected, atol=1e-5 * np.abs(expected).max())
    kept, read = (load_over_time(one, one.system.loads[0]) for one in (result, again))
    np.testing.assert_allclose(read, kept, rtol=1e-12)


def test_a_load_that_cannot_follow_says_why_also_from_a_file(tmp_path):
    structure = box()
    loads = {"spin": fem.Centrifugal((0.0, 0.0, 100.0))}
    reduced = modal.reduce(structure, modal.craig_bampton(structure, ("x0",), n_normal=2), loads=loads)
    reduced.save(tmp_path / "body.h5")
    for data in (reduced, modal.load(tmp_path / "body.h5").turned(np.eye(3)[[1, 2, 0]])):
        body = fb.FlexibleBody("body", data)
        assert len(fb.body_load("p", body, "spin")) == 2
        with pytest.raises(
            fb.InputError,
            match=r"'spin' of body 'body' can't follow its deformation: Centrifugal does not follow",
        ):
            fb.body_load("p", body, "spin", follows=True)


def test_a_load_moves_a_body_as_its_nodal_forces_do(reduced):
    """A run with a factor over time, in both descriptions, and its energy: the input is the work of the load."""
    factor = lambda t: 1.0 + 40.0 * t  # noqa: E731
    ends = []
    for forces in (lambda body: fb.body_load("p", body, "shear", factor), at_nodes("shear", factor)):
        for description in (fb.Absolute(), fb.Relative()):
            result = fb.simulate(
                machine(reduced, forces), 0.02, integrator=fb.Explicit(1e-10), description=description,
                output_step=0.01, show_progress=False,
            )  # fmt: skip
            assert result.energy.balance_error < 1e-8
            ends.append(result.alpha("body")[-1])
    for other in ends[1:]:
        np.testing.assert_allclose(other, ends[0], atol=1e-9 * np.abs(ends[0]).max())


def test_a_static_deflection_is_that_of_the_finite_elements():
    """A cantilever under pressure, with the static shape of the load among its base functions, linear theory."""
    structure = box("hex20", (4, 1, 1))
    wind = fem.Pressure("z0", 0.5)
    static = modal.static_modes(structure, wind, supports="x0")
    basis = modal.combine(
        modal.craig_bampton(structure, ("x0",), n_normal=2, interface=modal.Rigid()), static
    )
    reduced = modal.reduce(structure, basis, markers=("x1",), loads={"wind": wind})
    body = fb.FlexibleBody("body", reduced, stiffening=False)
    clamp = fb.Fixed("clamp", fb.GROUND, body["x0"])
    state = fb.equilibrium(fb.System([body], [clamp], fb.body_load("wind", body, "wind")))
    exact = fem.static(structure, loads=wind, supports="x0")
    tip = fem.interface(structure, "x1").T @ exact.u
    found = state.position(body["x1"]) - np.array([1.0, 0.05, 0.025])
    # what is left is proportional to the deflection of 3e-6 m, from rotations of that order: linear theory differs
    np.testing.assert_allclose(found, tip[:3], atol=2e-6 * np.abs(tip[2]))
    assert found[2] == pytest.approx(tip[2], rel=1e-6)


def test_loads_are_stored_and_turned(reduced, tmp_path):
    reduced.save(tmp_path / "body.h5")
    loaded = modal.load(tmp_path / "body.h5")
    assert {name: [marker for marker, _ in parts] for name, parts in loaded.loads.items()} == {
        "wind": ["wind"],
        "sea": [f"sea {k}" for k in range(1, 7)],
        "shear": ["shear 1", "shear 2"],
        "weight": ["weight"],
    }
    for name, change in reduced.load_changes.items():
        for before, after in zip(change, loaded.load_changes[name], strict=True):
            np.testing.assert_array_equal(after, before)
    R = Rotation.from_rotvec([0.3, 0.1, -0.6]).as_matrix()
    turned = loaded.turned(R)
    change, after = reduced.load_changes["wind"], turned.load_changes["wind"]
    np.testing.assert_allclose(after.force, R @ change.force, atol=1e-12 * np.abs(change.force).max())
    for name, parts in reduced.loads.items():
        for (_, before), (_, after) in zip(parts, turned.loads[name], strict=True):
            np.testing.assert_allclose(after, R @ before, atol=1e-12)


def test_a_pressure_all_around_has_no_resultant(reduced):
    total = sum(force for _, force in reduced.loads["sea"])
    moments = sum(np.cross(reduced.markers[name].point, force) for name, force in reduced.loads["sea"])
    scale = 1e5 * 0.1
    np.testing.assert_allclose([total, moments], 0.0, atol=1e-10 * scale)


def test_a_line_load_on_a_beam_has_its_resultant_and_deflection():
    line = fem.Mesh(
        points=np.linspace((0, 0, 0), (1.0, 0, 0), 9),
        blocks=[fem.Block("line2", np.column_stack([np.arange(8), np.arange(1, 9)]))],
        node_sets={"root": np.array([0]), "tip": np.array([8])},
    )
    beam = fem.Beam(fem.Isotropic(E=210e9, nu=0.3, rho=7850.0), fem.Rectangle(0.02, 0.01), up=(0, 0, 1))
    structure = fem.assemble(line, beam)
    load = fem.LineLoad("line2", (0.0, 0.0, -30.0))
    basis = modal.craig_bampton(structure, ("root",), n_normal=6)
    reduced = modal.reduce(structure, basis, markers=("tip",), loads={"snow": load})
    ((marker, force),) = reduced.loads["snow"]
    np.testing.assert_allclose(force, (0, 0, -30.0), atol=1e-9)
    np.testing.assert_allclose(reduced.markers[marker].point, 0.0, atol=1e-12)  # from the mass centre
    body = fb.FlexibleBody("beam", reduced, stiffening=False)
    clamp = fb.Fixed("clamp", fb.GROUND, body["root"])
    state = fb.equilibrium(fb.System([body], [clamp], fb.body_load("snow", body, "snow")))
    I = 0.02 * 0.01**3 / 12
    # q l^4 / 8 E I; six modes leave out 1e-4 of it
    assert state.position(body["tip"])[2] == pytest.approx(-30.0 / (8 * 210e9 * I), rel=2e-3)


def test_what_is_missing_is_named(reduced):
    body = fb.FlexibleBody("body", reduced)
    with pytest.raises(fb.InputError, match="body 'body' has no load 'rain'; it has"):
        fb.body_load("p", body, "rain")
    structure = box()
    basis = modal.craig_bampton(structure, ("x0",), n_normal=1)
    with pytest.raises(fb.InputError, match="the load 'x0' has the name of the marker 'x0'"):
        modal.reduce(structure, basis, loads={"x0": fem.Pressure("z0", 1.0)})
    with pytest.raises(fb.InputError, match="the load 'none' is zero"):
        modal.reduce(structure, basis, loads={"none": fem.Pressure("z0", 0.0)})
