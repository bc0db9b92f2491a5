"""Stress modes of every element: sums of them against the stresses of the structure itself, and exact fields."""

import os
import pickle

import h5py
import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.every import STEEL, bent, cases, eccentric, straight
from support.mixed import CELLS, LINES, POINTS, SHELLS, SOLIDS

import fem
import modal
from fem.model.free_body_flexibility import RigidMotion
from modal.body.stress_modes import BOTTOM, LINE, SOLID, TOP, measured

pytestmark = pytest.mark.slow  # together a second or more

R = Rotation.from_rotvec([0.3, -1.1, 2.0]).as_matrix()
#: beams beside their nodes are bent too by what pulls these
PULLED = [*cases(), *(case for case in eccentric() if not case.kind.startswith("line"))]
EVERY = pytest.mark.parametrize("case", [*cases(), *eccentric()], ids=lambda case: case.name)


def body_of(structure, *fields, frame=None, **options):
    basis = modal.Basis(structure, np.column_stack(fields), tuple(map(str, range(len(fields)))))
    return modal.reduce(structure, basis, frame=frame, stiffening=False, **options)


def alpha_of(structure, body, marker, u):
    """The modal coordinate (1, 1) of u in a body of one base function: its strain energy, the sign at a marker."""
    e = RigidMotion(structure).elastic(u)
    moved = (fem.interface(structure, marker).T @ e)[:3]
    return np.sign(moved @ body.markers[marker].Phi[:, 0]) * np.sqrt([[e @ (structure.K @ e) / body.K[0, 0]]])


def cornered(mesh):
    corner = int(np.argmax(mesh.points[:, 0]))
    return fem.Mesh(mesh.points, mesh.blocks, {**mesh.node_sets, "corner": np.array([corner])}, name="thing")


def random_motion(structure, seed=3):
    return 1e-5 * (
        np.random.default_rng(seed).normal(size=structure.n) + structure.rigid_modes() @ np.full(6, 10.0)
    )


@EVERY
def test_the_stresses_of_the_structure(case):
    """Of any displacement in the basis, rigid motion included: as fem.stress, within round-off.

    alpha comes from the strain energy of the whole, the square of K's entries' round-off.
    """
    structure = fem.assemble(cornered(bent(case.kind)), case.property)
    u = random_motion(structure)
    body = body_of(structure, u, markers=("corner",))
    modes, exact = body.stress_modes, fem.stress(structure, u)
    alpha = alpha_of(structure, body, "corner", u)
    size = np.nanmax(exact.von_mises)
    found = np.full(structure.mesh.n_nodes, -np.inf)
    np.maximum.at(found, modes.nodes, modes.measure("von_mises", alpha)[0])
    kept = np.unique(modes.nodes)
    np.testing.assert_allclose(found[kept], exact.von_mises[kept], atol=1e-8 * size)
    solid, line = modes.side == SOLID, modes.side == LINE
    np.testing.assert_allclose(
        modes.stress(alpha)[0][solid], exact.solid[modes.nodes[solid]], atol=1e-8 * size
    )
    if case.kind.startswith("line") and case.property.freedoms == 6:
        forces = modes.section_forces(alpha)[0][line].reshape(-1, 2, 6)
        expected = exact.section_forces(case.kind)
        np.testing.assert_allclose(forces, expected, atol=1e-8 * np.abs(expected).max())


@pytest.mark.parametrize("case", PULLED, ids=lambda case: case.name)
def test_a_bar_that_is_pulled(case):
    """u = e (x, -nu y, -nu z): E e along x and nothing else, in every family, at every point."""
    mesh = straight(case.kind, 3)
    structure = fem.assemble(cornered(mesh), case.property)
    e, nu = 1e-4, STEEL.nu
    field = mesh.points * np.array([e, -nu * e, -nu * e])
    u = np.zeros(structure.freedoms.n_motions)
    for k in range(3):
        u[structure.freedoms.first[:-1] + k] = field[:, k]
    body = body_of(structure, u, markers=("corner",))
    modes, alpha = body.stress_modes, alpha_of(structure, body, "corner", u)
    expected = STEEL.E * e
    close = {"rtol": 0, "atol": 1e-7 * expected}  # the condition of incompatible modes and of small strains
    for what, value in (("von_mises", 1), ("principal_1", 1), ("principal_2", 0), ("principal_3", 0)):
        np.testing.assert_allclose(modes.measure(what, alpha), value * expected, **close, err_msg=what)
        np.testing.assert_allclose(body.stress_modes.on_surface(what, alpha[0]), value * expected, **close)
    tensors = modes.stress(alpha)[0]
    lines = modes.side == LINE
    np.testing.assert_allclose(tensors[~lines], np.eye(6)[[0] * (~lines).sum()] * expected, **close)
    assert np.isnan(tensors[lines]).all()


@pytest.mark.parametrize("kind", ["tet10", "hex8", "quad4", "line2"])
def test_turned_with_the_body(kind):
    """sigma -> R sigma R'; what has no direction stays; nothing is copied."""
    case = next(c for c in cases() if c.kind == kind)
    structure = fem.assemble(cornered(bent(kind)), case.property)
    body = body_of(structure, random_motion(structure, 1), random_motion(structure, 2), markers=("corner",))
    modes, turned = body.stress_modes, body.turned(R).stress_modes
    alpha = np.array([[1.0, -0.4], [0.3, 2.0]])
    assert np.shares_memory(turned.tensors, modes.tensors) or not modes.tensors.size
    np.testing.assert_allclose(turned.points, modes.points @ R.T, atol=1e-14)
    components = ((0, 5, 4), (5, 1, 3), (4, 3, 2))
    before, after = (
        np.array([[m.stress(alpha)[..., k] for k in row] for row in components]) for m in (modes, turned)
    )
    size = np.nanmax(modes.measure("von_mises", alpha))
    np.testing.assert_allclose(after, np.einsum("ia,jb,ab...->ij...", R, R, before), atol=1e-12 * size)
    for what in ("von_mises", "principal_1", "principal_3"):
        np.testing.assert_allclose(turned.measure(what, alpha), modes.measure(what, alpha), atol=1e-12 * size)
    back = turned.turned(R.T)
    np.testing.assert_allclose(back.stress(alpha), modes.stress(alpha), atol=1e-12 * size)


def test_principal_stresses_and_their_directions():
    """Against eigenvalues of tensors written out by hand; sigma v = s v, v orthonormal."""
    structure = fem.assemble(cornered(bent("hex20")), fem.Solid(STEEL))
    body = body_of(structure, random_motion(structure, 1), random_motion(structure, 2)).turned(R)
    modes, alpha = body.stress_modes, np.array([[1.0, 0.5], [-2.0, 0.1]])
    xx, yy, zz, yz, xz, xy = np.moveaxis(modes.stress(alpha), -1, 0)
    full = np.moveaxis(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]), (0, 1), (-2, -1))
    values = np.linalg.eigvalsh(full)[..., ::-1]
    found, axes = modes.principal_axes(alpha)
    size = np.abs(values).max()
    np.testing.assert_allclose(found, values, atol=1e-12 * size)
    for k in range(3):
        np.testing.assert_allclose(
            modes.measure(f"principal_{k + 1}", alpha), values[..., k], atol=1e-12 * size
        )
    np.testing.assert_allclose(
        np.einsum("...ij,...kj->...ki", full, axes), found[..., None] * axes, atol=1e-11 * size
    )
    np.testing.assert_allclose(
        axes @ np.swapaxes(axes, -1, -2), np.broadcast_to(np.eye(3), axes.shape), atol=1e-12
    )
    deviator = full - np.trace(full, axis1=-2, axis2=-1)[..., None, None] / 3 * np.eye(3)
    mises = np.sqrt(1.5 * (deviator**2).sum(axis=(-2, -1)))
    np.testing.assert_allclose(modes.measure("von_mises", alpha), mises, atol=1e-12 * size)


def test_solids_shells_and_beams_together():
    """At every node the largest of what meets there, as fem.stress says; and every drawn point finds its own."""
    blocks = tuple(fem.Block(kind, np.array(nodes)) for kind, nodes in CELLS.items())
    sizes = np.cumsum([0, *(len(block.nodes) for block in blocks)])
    of = {kind: np.arange(a, b) for kind, a, b in zip(CELLS, sizes[:-1], sizes[1:], strict=True)}
    sets = {name: np.concatenate([of[k] for k in kinds]) for name, kinds in
            (("body", SOLIDS), ("skin", SHELLS), ("sticks", LINES))}  # fmt: skip
    mesh = fem.Mesh(POINTS, blocks, {"corner": np.array([13])}, element_sets=sets, name="thing")
    its = {
        "body": fem.Solid(STEEL),
        "skin": fem.Shell(STEEL, 0.01),
        "sticks": fem.Beam(STEEL, fem.Rectangle(0.02, 0.03), up=(0.3, -0.5, 0.8)),
    }
    structure = fem.assemble(mesh, its)
    u = random_motion(structure)
    body = body_of(structure, u, markers=("corner",))
    modes, exact = body.stress_modes, fem.stress(structure, u)
    alpha = alpha_of(structure, body, "corner", u)
    found = np.full(mesh.n_nodes, -np.inf)
    np.maximum.at(found, modes.nodes, modes.measure("von_mises", alpha)[0])
    np.testing.assert_allclose(found, exact.von_mises, atol=1e-8 * exact.von_mises.max())
    assert {int(side) for side in modes.side} == {SOLID, BOTTOM, TOP, LINE}
    first, last = modes.drawn.T
    distance = np.linalg.norm(body.recovery.points - modes.points[first], axis=1)
    tensors = first < modes.n_tensors
    assert distance[tensors].max() <= 0.005 * (1 + 1e-9)  # half the shell's thickness
    np.testing.assert_array_equal(first[tensors], last[tensors])
    assert (last[~tensors] == first[~tensors] + 1).all()
    assert np.isfinite(modes.on_surface("von_mises", alpha[0])).all()


def test_where_materials_meet_each_keeps_its_own():
    """A bar of two materials in series under one axial strain: E e on either side, both at the joint."""
    mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1), "hex8")
    halves = {"soft": np.array([0, 1]), "hard": np.array([2, 3])}
    mesh = fem.Mesh(
        mesh.points, mesh.blocks, {"end": np.flatnonzero(mesh.points[:, 0] == 0)}, element_sets=halves
    )
    soft, hard = fem.Isotropic(E=1e9, nu=0, rho=1.0), fem.Isotropic(E=3e9, nu=0, rho=1.0)
    structure = fem.assemble(mesh, {"soft": soft, "hard": hard})
    u = np.zeros((mesh.n_nodes, 3))
    u[:, 0] = 1e-3 * mesh.points[:, 0]
    body = body_of(structure, u.ravel(), markers=("end",))
    modes, alpha = body.stress_modes, alpha_of(structure, body, "end", u.ravel())
    values = modes.stress(alpha)[0][:, 0]
    middle = np.isclose(mesh.points[modes.nodes, 0], 0.5)
    assert sorted(np.round(values[middle] / 1e6, 6)) == [1.0] * 4 + [3.0] * 4
    drawn = modes.on_surface("xx", alpha[0])
    x = body.recovery.points[:, 0] + body.origin[0]
    np.testing.assert_allclose(drawn[x < 0.49], 1e6, rtol=1e-9)
    np.testing.assert_allclose(drawn[x > 0.51], 3e6, rtol=1e-9)
    faces = drawn[body.recovery.triangles]
    np.testing.assert_allclose(
        np.ptp(faces, axis=1), 0, atol=1.0
    )  # no triangle runs over from one to the other


def test_shells_have_two_sides():
    """A cantilever plate under an end moment: +-6 M / (b t^2) at top and bottom, 30 MPa for 50 N m, 0.1 m, 0.01 m."""
    material = fem.Isotropic(E=210e9, nu=0.0, rho=7850.0)
    structure = fem.assemble(cornered(straight("quad4", 8)), fem.Shell(material, 0.01))
    u = fem.static(structure, "x0", fem.Force("x1", moment=(0, 50.0, 0))).u
    body = body_of(structure, u, markers=("corner", "x0"))
    modes, alpha = body.stress_modes, alpha_of(structure, body, "corner", u)
    xx = modes.stress(alpha)[0][:, 0]
    # a moment about +y pulls what lies at +z: the top, the elements being numbered counter-clockwise about +z
    np.testing.assert_allclose(xx[modes.side == TOP], 30e6, rtol=1e-6)
    np.testing.assert_allclose(xx[modes.side == BOTTOM], -30e6, rtol=1e-6)
    drawn, z = modes.on_surface("xx", alpha[0]), body.recovery.points[:, 2]
    np.testing.assert_allclose(drawn, np.where(z > 0, 30e6, -30e6), rtol=1e-6)
    assert set(modes.rows_of("x0")) == set(
        np.flatnonzero(np.isin(modes.nodes, structure.mesh.node_sets["x0"]))
    )


@pytest.mark.parametrize(
    "section", [fem.Rectangle(0.02, 0.03), fem.Circle(0.03)], ids=["rectangle", "circle"]
)
def test_beams_bend(section):
    """A cantilever with an end force F: F (L - x) c / I at its outermost fibres, drawn there too; shear beside it."""
    beam = fem.Beam(STEEL, section, up=(0, 0, 1))
    structure = fem.assemble(straight("line2", 5), beam)
    force = 400.0
    u = fem.static(structure, "x0", fem.Force("x1", (0, 0, -force))).u
    body = body_of(structure, u, markers=("x0", "x1"))
    modes, alpha = body.stress_modes, alpha_of(structure, body, "x1", u)
    c = 0.015
    x = modes.points[:, 0] + body.origin[0]
    expected = force * (1.0 - x) * c / section.Iy
    shear = section.shear_peak[1] * force / section.A
    largest = expected / 2 + np.sqrt(expected**2 / 4 + shear**2)
    np.testing.assert_allclose(modes.measure("principal_1", alpha)[0], largest, rtol=1e-6)
    mises = np.sqrt(expected**2 + 3 * shear**2)
    np.testing.assert_allclose(modes.measure("von_mises", alpha)[0], mises, rtol=1e-6)
    # on the drawn surface F (L - x) z / I, tension above
    place = body.recovery.points + body.origin
    normal = force * (1.0 - place[:, 0]) * place[:, 2] / section.Iy
    mises = np.sqrt(normal**2 + 3 * shear**2)
    np.testing.assert_allclose(modes.on_surface("von_mises", alpha[0]), mises, atol=1e-6 * mises.max())
    assert np.isnan(modes.on_surface("xx", alpha[0])).all()


class TestFile:
    @pytest.fixture(params=["tet10", "quad4", "line2"])
    def body(self, request):
        its = {"tet10": fem.Solid(STEEL), "quad4": fem.Shell(STEEL, 0.01)}
        angle = fem.Section(
            A=1e-4, Iy=2e-8, Iz=1e-8, J=1e-9, Iyz=4e-9, points=((0, 0.01), (0.02, 0)), shear_peak=(1.5, 1.7)
        )
        beam = fem.Beam(STEEL, angle, up=(0.3, -0.5, 0.8))
        structure = fem.assemble(cornered(bent(request.param)), its.get(request.param, beam))
        return body_of(
            structure, random_motion(structure, 1), random_motion(structure, 2), markers=("corner",)
        )

    def same(self, one, other):
        alpha = np.array([[0.7, -0.2]])
        for name in ("points", "nodes", "side", "tensors", "forces", "section", "drawn", "drawn_at", "R"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name), err_msg=name)
        np.testing.assert_array_equal(one.measure("von_mises", alpha), other.measure("von_mises", alpha))
        np.testing.assert_array_equal(
            one.on_surface("principal_1", alpha[0]), other.on_surface("principal_1", alpha[0])
        )
        assert list(one.sets) == ["corner"] == list(other.sets)
        np.testing.assert_array_equal(one.rows_of("corner"), other.rows_of("corner"))

    def test_round_trip(self, body, tmp_path):
        for k, thing in enumerate((body, body.turned(R))):
            path = thing.save(tmp_path / f"{k}.h5")
            self.same(modal.load(path).stress_modes, thing.stress_modes)
        turned = modal.load(tmp_path / "0.h5").turned(R).stress_modes
        np.testing.assert_array_equal(turned.stress([[1.0, 2.0]]), thing.stress_modes.stress([[1.0, 2.0]]))
        self.same(pickle.loads(pickle.dumps(body)).stress_modes, body.stress_modes)

    def test_read_only_when_asked_for(self, body, tmp_path, monkeypatch):
        path = body.save(tmp_path / "body.h5")
        monkeypatch.setattr(
            modal.body.store, "read_stress", lambda group: pytest.fail("the stress modes were read")
        )
        loaded = modal.load(path).turned(R)
        assert loaded.recovery.stress is None
        assert len(loaded.recovery.points) == len(body.recovery.points)
        with pytest.raises(pytest.fail.Exception, match="the stress modes were read"):
            loaded.stress_modes  # noqa: B018

    def test_a_file_of_schema_two(self, body, tmp_path):
        """As that schema was: no stress modes, and the version."""
        path = body.save(tmp_path / "body.h5")
        with h5py.File(path, "r+") as file:
            file.attrs["schema_version"] = 2
            del file["recovery/stress"]
        old = modal.load(path)
        assert old.stress_modes is None
        np.testing.assert_array_equal(old.recovery.points, body.recovery.points)
        with pytest.raises(fem.InputError, match=r"'thing' has no stress modes.*stress=True"):
            modal.body.reduced_body.stress_modes_of(old)

    def test_a_damaged_file(self, body, tmp_path):
        path = body.save(tmp_path / "body.h5")
        loaded = modal.load(path)
        with h5py.File(path, "r+") as file:
            del file["recovery/stress/tensors"]
        with pytest.raises(fem.FileError, match="incomplete or damaged"):
            loaded.stress_modes  # noqa: B018
        whole = path.read_bytes()
        path.write_bytes(whole[: len(whole) // 2])
        with pytest.raises(fem.FileError, match="damaged"):
            modal.load(path)
        os.remove(path)
        with pytest.raises(fem.FileError, match="no file"):
            loaded.stress_modes  # noqa: B018


def test_memory_is_that_of_the_surface():
    """48 bytes for each node of the surface and base function; nodes inside count only in named sets."""
    mesh = fem.box((1.0, 0.5, 0.5), (8, 8, 8), "hex8")
    inside = np.flatnonzero((np.abs(mesh.points - mesh.points.mean(axis=0)) < 0.01).all(axis=1))
    assert len(inside) == 1
    structure = fem.assemble(fem.Mesh(mesh.points, mesh.blocks, {"inside": inside}), STEEL)
    basis = modal.eigenmodes(structure, n=3)
    plain, marked = modal.reduce(structure, basis), modal.reduce(structure, basis, markers=("inside",))
    outer = 9**3 - 7**3
    assert plain.stress_modes.tensors.nbytes == 48 * 3 * outer
    assert marked.stress_modes.tensors.nbytes == 48 * 3 * (outer + 1)
    assert f"{48e-6 * 3 * outer:.2g} MB" in repr(plain.stress_modes)
    assert f"stress: modes at {outer} points, {48e-6 * 3 * outer:.2g} MB" in plain.report()
    none = modal.reduce(structure, basis, stress=False)
    assert "stress: none" in none.report()
    assert none.stress_modes is None
    assert len(none.recovery.points) == outer


def test_none_with_axial_modes():
    """Their strain is quadratic in the modal coordinates: no linear stress is given for them."""
    structure = fem.assemble(straight("line2", 4), fem.Beam(STEEL, fem.Rectangle(0.02, 0.03), up=(0, 0, 1)))
    basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=2)
    body = modal.reduce(structure, basis, stiffening=modal.AxialModes())
    assert body.stress_modes is None
    assert len(body.recovery.points)
    with pytest.raises(fem.InputError, match="axial modes"):
        modal.body.reduced_body.stress_modes_of(body)


def test_wrong_questions():
    structure = fem.assemble(cornered(bent("hex8")), fem.Solid(STEEL))
    modes = body_of(structure, random_motion(structure)).stress_modes
    with pytest.raises(
        fem.InputError, match=r"'mises' \(did you mean 'von_mises'\?\) is not a measure of stress"
    ):
        modes.measure("mises", [[1.0]])
    with pytest.raises(fem.InputError, match=r"shape \(1, 2\); it must be \(times, 1\)"):
        modes.stress([[1.0, 2.0]])
    with pytest.raises(fem.InputError, match="no stresses at 'tip'"):
        modes.rows_of("tip")
    assert measured("xy", np.arange(6.0)) == 5.0
