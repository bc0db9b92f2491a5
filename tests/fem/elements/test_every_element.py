"""What holds for every element, over one list of them."""

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.transform import Rotation
from support.every import STEEL, bent, cases, eccentric, straight
from support.rates import rate

import fem
from fem.analysis.geometric_stiffness import internal_forces

EVERY = pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)


SOLIDS = [case for case in cases() if case.kind in fem.ELEMENTS]
LIGHT = fem.Isotropic(E=210e9, nu=0.0, rho=7850.0)


def assembled(case, **options):
    return fem.assemble(bent(case.kind), case.property, **options)


def skew(a):
    return np.array([[0, -a[2], a[1]], [a[2], 0, -a[0]], [-a[1], a[0], 0]])


@EVERY
def test_six_rigid_modes_and_no_more(case):
    """A truss's nodes have their bars in all directions here; the middle ones of line3 are held by its definition."""
    structure = assembled(case)
    K = structure.K.toarray()
    np.testing.assert_allclose(K, K.T, atol=1e-14 * K.max())
    scale = 1 / np.sqrt(K.diagonal())
    values = np.linalg.eigvalsh(K * np.outer(scale, scale))
    assert np.abs(values[:6]).max() < 1e-9  # thin shells: bending over membrane stiffness is (t/L)^2 = 1e-4
    assert values[6] > 1e-7
    R = structure.rigid_modes()
    assert np.abs(scale[:, None] * (K @ R)).max() < 1e-9 * np.abs(R / scale[:, None]).max()


@pytest.mark.parametrize("case", SOLIDS, ids=lambda case: case.name)
def test_mass_of_solids_follows_from_the_samples(case):
    """M = sum w S'S over the element's own mass points, where the assembly has compiled loops of its own."""
    structure = assembled(case)
    freedoms, (group,) = structure.freedoms, structure.groups
    X = structure.mesh.points[group.nodes]
    samples = case.property.samples(case.kind, X)
    dofs = freedoms.of_elements(group.nodes, case.property.freedoms)
    M = np.zeros((structure.n, structure.n))
    for e, at in enumerate(dofs):
        S = samples.shape[e].reshape(-1, len(at))
        M[np.ix_(at, at)] += S.T @ (np.repeat(samples.weights[e], 3)[:, None] * S)
    np.testing.assert_allclose(structure.M.toarray(), M, atol=1e-12 * M.max())


@EVERY
def test_kinetic_energy_of_a_known_velocity(case):
    """A parallelepiped of edges B that turns and stretches uniformly, v = a + A r: by hand, over its volume V.

    2 T = rho (V |a|^2 + 2 a.A s + tr(A J A')), s = V c, J = V (c c' + B B' / 12), c the centre. Elements hold such
    fields exactly; the sections of beams and the thickness of shells keep their shape.
    """
    rng = np.random.default_rng(7)
    turn = Rotation.from_rotvec([0.4, -0.7, 0.5]).as_matrix()
    a, A, spin = rng.normal(size=3), rng.normal(size=(3, 3)), rng.normal(size=3)
    its, sizes, skewed = case.property, [1.0, 0.1, 0.1], np.eye(3)
    if case.kind in fem.ELEMENTS:
        skewed = np.array([[1, 0.3, -0.2], [0.1, 1, 0.4], [0, 0.2, 1]])
    elif case.kind in fem.elements.FACES:
        sizes[2], skewed[:2, :2] = its.thickness, [[1, 0.3], [0.1, 1]]
        A = skew(spin) + turn @ np.diag([1, 1, 0]) @ (A + A.T) @ np.diag([1, 1, 0]) @ turn.T
    elif hasattr(its, "section"):
        sizes[1:], its = (0.02, 0.03), replace(its, up=tuple(turn[:, 2]))
        A = skew(spin) + 0.7 * np.outer(turn[:, 0], turn[:, 0])
    else:
        sizes[1:] = 0.0, 0.0
    B = turn @ skewed @ np.diag(sizes)
    mesh = straight(case.kind, 3)
    x, y, z = mesh.points.T
    x = np.interp(x, [0, 1 / 3, 2 / 3, 1], [0, 0.2, 0.7, 1])  # elements of three lengths
    points = np.column_stack([x, y, z]) @ (turn @ skewed).T + np.array([0.3, -0.2, 0.5])
    structure = fem.assemble(replace(mesh, points=points), its)
    middle = np.array([0.5, 0, 0] if case.kind.startswith("line") else [0.5, 0.05, 0.05])
    middle[2] *= case.kind in fem.ELEMENTS
    c = turn @ skewed @ middle + np.array([0.3, -0.2, 0.5])
    V = np.linalg.det(B) if sizes[1] else its.area
    J = V * (np.outer(c, c) + B @ B.T / 12)
    exact = its.material.rho * (V * a @ a + 2 * V * a @ A @ c + np.trace(A @ J @ A.T))
    v = np.hstack([a + points @ A.T, np.tile(spin, (len(points), 1))])[:, : its.freedoms].ravel()
    assert v @ structure.M @ v == pytest.approx(exact, rel=1e-12)


@EVERY
@pytest.mark.parametrize("lumped", [False, True])
def test_mass_centre_and_inertia(case, lumped):
    """Those of the mass points are those that M gives to rigid motions."""
    structure = assembled(case, lumped=lumped)
    R = structure.rigid_modes(structure.center)
    rigid = R.T @ (structure.M @ R)
    expected = np.zeros((6, 6))
    expected[:3, :3] = structure.mass * np.eye(3)
    expected[3:, 3:] = structure.inertia
    np.testing.assert_allclose(rigid, expected, atol=1e-11 * structure.mass)
    mesh, points = structure.mesh, structure.mesh.points
    if case.kind.startswith("line"):
        nodes = mesh.blocks[0].nodes
        size = np.linalg.norm(points[nodes[:, 1]] - points[nodes[:, 0]], axis=1).sum()
        size *= case.property.section.A if hasattr(case.property, "section") else case.property.area
    elif case.kind in fem.elements.FACES:
        faces = replace(mesh, node_sets={"all": np.arange(mesh.n_nodes)})
        size = fem.interface(faces, "all").area * case.property.thickness
    else:
        size = mesh.volume
    # the area of a warped or curved shell has a root in it: its points against more here
    curved = case.kind in fem.elements.FACES and case.kind != "tri3"
    assert structure.mass == pytest.approx(STEEL.rho * size, rel=1e-3 if curved else 1e-12)


@pytest.mark.slow
@EVERY
def test_turning_the_model_turns_nothing_else(case):
    """Frequencies of the model in another place and orientation."""
    structure = assembled(case)
    n = min(4, (structure.n - 6) // 3)
    turn = Rotation.from_rotvec([1.0, 0.3, -0.6]).as_matrix()
    mesh = replace(structure.mesh, points=structure.mesh.points @ turn.T + np.array([1.0, 2.0, 3.0]))
    its = case.property
    if hasattr(its, "up"):
        its = replace(its, up=tuple(turn @ its.up))
    turned = fem.assemble(mesh, its)
    found = fem.vibration(turned, n=n).frequencies_hz
    np.testing.assert_allclose(found, fem.vibration(structure, n=n).frequencies_hz, rtol=1e-7)


@EVERY
def test_uniform_stretch_is_exact(case):
    """The patch test in its simplest form: pulled by one end on rollers, u = x p / E on a regular bar."""
    mesh = straight(case.kind, 3)
    structure = fem.assemble(mesh, case.property)
    supports = {"x0": ("x",), "all": ("y", "z")} if case.kind.startswith("line") else {"x0": "x"}
    if case.property.freedoms == 6:
        supports["all"] = (
            ("y", "z", "rx", "ry", "rz") if case.kind.startswith("line") else ("z", "rx", "ry", "rz")
        )
    if not case.kind.startswith("line"):
        corner = int(np.flatnonzero((np.abs(mesh.points) < 1e-12).all(axis=1))[0])
        other = int(np.flatnonzero(np.isclose(mesh.points, (0, 0.1, 0)).all(axis=1))[0])
        mesh = replace(
            mesh, node_sets={**mesh.node_sets, "corner": np.array([corner]), "other": np.array([other])}
        )
        structure = fem.assemble(mesh, case.property)
        supports |= (
            {"corner": ("y", "z"), "other": ("z",)} if case.property.freedoms == 3 else {"corner": "y"}
        )
    force = 1e5
    solution = fem.static(structure, supports, fem.Force("x1", (force, 0, 0)))
    its = case.property
    area = {"Solid": 0.01, "Shell": 0.1 * 0.01, "Truss": 1e-3, "Beam": 0.02 * 0.03}[type(its).__name__]
    expected = mesh.points[:, 0] * force / (area * STEEL.E)
    # a force spread by the mean of the nodes is no uniform stress on quadratic faces: their traction is
    if case.kind in fem.ELEMENTS:
        solution = fem.static(structure, supports, fem.Traction("x1", (force / area, 0, 0)))
    elif case.kind in ("tri6", "quad8", "quad9"):
        solution = fem.static(structure, supports, fem.EdgeLoad("x1", (force / 0.1, 0, 0)))
    np.testing.assert_allclose(solution.displacement[:, 0], expected, atol=1e-9 * expected.max())
    np.testing.assert_allclose(solution.stress.von_mises, force / area, rtol=1e-7)
    ((_, strain),) = solution.strain  # xx of solids and shells, extension of beams and trusses
    along = strain if strain.ndim == 2 else strain[..., 0]
    np.testing.assert_allclose(along, force / (area * STEEL.E), rtol=1e-7)


@pytest.mark.parametrize("case", [*cases(), *eccentric()], ids=lambda case: case.name)
def test_geometric_stiffness_turns_the_forces(case):
    """Turning a stressed element turns the forces on its nodes: K_G (theta x x) = theta x f, moments by half.

    (Nodal rotations are rotation vectors: a constant nodal moment is semitangential.) Translations need nothing. In
    any state, but for line3: its middle nodes stay in the middle, since the forces that hold them there are none of
    the theory's.
    """
    structure = assembled(case)
    theta = np.array([0.3, -0.2, 0.4])
    u = np.random.default_rng(3).normal(size=structure.n) * 1e-3
    if case.kind == "line3":
        u = (structure.mesh.points @ np.random.default_rng(3).normal(size=(3, 3))).ravel() * 1e-3
    K_G = fem.geometric_stiffness(structure, u).toarray()
    scale = np.abs(K_G).max()
    np.testing.assert_allclose(K_G, K_G.T, atol=1e-12 * scale)
    R = structure.rigid_modes((0, 0, 0))
    np.testing.assert_allclose(K_G @ R[:, :3], 0, atol=1e-11 * scale)
    force = internal_forces(structure, u)
    first, count = structure.freedoms.first, structure.freedoms.count
    turned = np.zeros(structure.n)
    for node, at in enumerate(first[:-1]):
        turned[at : at + 3] = skew(theta) @ force[at : at + 3]
        if count[node] == 6:
            turned[at + 3 : at + 6] = 0.5 * skew(theta) @ force[at + 3 : at + 6]
    np.testing.assert_allclose(K_G @ (R[:, 3:] @ theta), turned, atol=1e-9 * np.abs(force).max())


@EVERY
def test_weight_and_lumped_mass(case):
    for lumped in (False, True):
        structure = assembled(case, lumped=lumped)
        f = fem.load_vector(structure, fem.Gravity((0, 0, -9.81)))
        total = structure.rigid_modes((0, 0, 0)).T @ f
        moment = np.cross(structure.center, (0, 0, -9.81 * structure.mass))
        np.testing.assert_allclose(total[:3], (0, 0, -9.81 * structure.mass), atol=1e-9 * structure.mass)
        np.testing.assert_allclose(total[3:], moment, atol=1e-9 * structure.mass)
        values = np.linalg.eigvalsh(structure.M.toarray())
        assert values.min() > -1e-12 * values.max()


@pytest.mark.slow
@pytest.mark.parametrize("case", cases(LIGHT), ids=lambda case: case.name)
def test_rate_of_longitudinal_waves(case):
    """Fixed-free bar, all motions but those along x held: omega = pi/2 sqrt(E/rho) / L exactly; fitted order."""
    exact = np.sqrt(210e9 / 7850.0) / 4
    errors, counts = [], (4, 8, 16)
    for n in counts:
        mesh = straight(case.kind, n)
        structure = fem.assemble(mesh, case.property)
        across = ("y", "z") if case.property.freedoms == 3 else ("y", "z", "rx", "ry", "rz")
        modes = fem.vibration(structure, {"x0": ("x",), "all": across}, n=1)
        errors.append(modes.frequencies_hz[0] / exact - 1)
    assert (np.array(errors) > 0).all()  # consistent mass, compatible displacements: from above
    # the bricks become shorter and shorter; pyramids, whose apex is in the middle of a brick, gain by that on the way
    gain = 0.5 if case.kind.startswith("pyramid") else 0.0
    assert case.order - 0.25 < rate(counts, errors) < case.order + 0.25 + gain


@pytest.mark.parametrize("case", [case for case in cases(LIGHT) if case.bending], ids=lambda case: case.name)
def test_rate_of_bending_waves(case):
    """A simply supported beam or strip bends as sin(k x), k = pi / L, exactly; nu = 0, shear factor 5/6; fitted order.

    With shear stiffness S, rotary inertia rho I (Timoshenko 1921) and w^2 = omega^2::

        rho I rho A / S w^4 - (rho A + k^2 (rho I + rho A E I / S)) w^2 + k^4 E I = 0
    """
    its = case.property
    depth, k = getattr(its, "thickness", 0.003), np.pi
    if hasattr(its, "up"):
        # slender: under its inertia an element's middle sags by shear too, h^2 / S against h^4 / E I
        its = replace(its, up=(0, 0, 1), section=fem.Rectangle(0.02, depth))
    inertia, E, rho = depth**2 / 12, LIGHT.E, LIGHT.rho  # of unit area
    S = 5 / 6 * E / 2 if getattr(its, "shear", True) else np.inf
    squares = np.roots(
        [rho**2 * inertia / S, -rho - k**2 * (rho * inertia + rho * E * inertia / S), k**4 * E * inertia]
    )
    exact = np.sqrt(squares.min()) / (2 * np.pi)
    errors, counts = [], (4, 8, 16)
    for n in counts:
        structure = fem.assemble(straight(case.kind, n), its)
        supports = {"x0": ("z",), "x1": ("z",), "all": ("x", "y", "rx", "rz")}
        errors.append(fem.vibration(structure, supports, n=1).frequencies_hz[0] / exact - 1)
    assert (np.array(errors) > 0).all()
    assert rate(counts, errors) == pytest.approx(case.bending, abs=0.25)
