"""Point masses, springs, rigid and averaging connections."""

from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.optimize
from support.frames import STEEL, joined, line

import fem

CIRCLE = fem.Circle(0.02)
BEAM = fem.Beam(STEEL, CIRCLE)
EI = STEEL.E * np.pi * 0.02**4 / 64


def block(divisions=(2, 1, 1), size=(0.2, 0.1, 0.1), element="hex8"):
    return fem.box(size, divisions, element)


def rigid_energy(structure):
    """Largest strain energy of a unit rigid motion over that of a unit motion of any unknown."""
    R = structure.rigid_modes()
    return np.abs(R.T @ (structure.K @ R)).max() / structure.K.diagonal().max()


class TestPointMass:
    def test_brings_mass_centre_and_inertia(self):
        """By the parallel axis theorem, on a beam's end, an eye of a solid and a reference node."""
        tensor = np.array([[0.3, 0.02, -0.01], [0.02, 0.25, 0.03], [-0.01, 0.03, 0.2]])
        cases = [
            (line([(0, 0, 0), (1, 0.2, 0)], 3), BEAM, "end", ()),
            (block(), STEEL, "x1", ()),
            (block(), STEEL, "hub", (fem.Averaged("hub", "x1", at=(0.3, 0.1, 0.0)),)),
            (block(), STEEL, "hub", (fem.Rigid("hub", "x1", at=(0.3, 0.1, 0.0)),)),
        ]
        for mesh, material, at, parts in cases:
            bare = fem.assemble(mesh, material)
            loaded = fem.assemble(mesh, material, parts=[fem.PointMass(at, 2.0, tensor), *parts])
            place = fem.interface(loaded, at).point
            mass = bare.mass + 2.0
            center = (bare.mass * bare.center + 2.0 * place) / mass
            expected = bare.inertia + tensor
            for m, r in ((bare.mass, bare.center - center), (2.0, place - center)):
                expected = expected + m * (r @ r * np.eye(3) - np.outer(r, r))
            assert loaded.mass == pytest.approx(mass, rel=1e-13)
            np.testing.assert_allclose(loaded.center, center, atol=1e-14)
            np.testing.assert_allclose(loaded.inertia, expected, rtol=1e-12, atol=1e-14)
            R = loaded.rigid_modes(center)
            np.testing.assert_allclose((R.T @ (loaded.M @ R))[3:, 3:], expected, rtol=1e-11, atol=1e-14)

    @pytest.mark.parametrize("tensor", [np.diag([0.3, 0.25, 0.2]), np.diag([0.0, 0.2, 0.2])])
    def test_inertia_without_mass(self, tensor):
        """Adds its tensor to the inertia about any point, and nothing to mass, centre and weight."""
        mesh, part = line([(0, 0, 0), (1, 0.2, 0)], 3), fem.PointMass("end", 0.0, tensor)
        bare, loaded = (fem.assemble(mesh, BEAM, parts=parts) for parts in ((), (part,)))
        assert loaded.mass == pytest.approx(bare.mass, rel=1e-12)
        np.testing.assert_allclose(loaded.center, bare.center, atol=1e-12)
        np.testing.assert_allclose(loaded.inertia, bare.inertia + tensor, rtol=1e-12, atol=1e-12)
        weights = [fem.load_vector(s, fem.Gravity((0, 0, -9.81))) for s in (bare, loaded)]
        np.testing.assert_allclose(*weights, atol=1e-10 * np.abs(weights[0]).max())

    def test_inertia_without_mass_at_the_end_of_a_shaft(self):
        """Free torsion of a clamped shaft with a disk: ``b tan b = i`` with i the shaft's inertia over the disk's."""
        length, disk = 0.8, 2e-4
        section = fem.Circle(0.02)
        mesh = line([(0, 0, 0), (length, 0, 0)], 40, {"all": np.arange(41)})
        parts = [fem.PointMass("end", 0.0, (disk, disk / 2, disk / 2))]
        shaft = fem.assemble(mesh, fem.Beam(STEEL, section), parts=parts)
        held = {"start": "all", "all": ("x", "y", "z", "ry", "rz")}
        own = STEEL.rho * section.polar * length
        b = scipy.optimize.brentq(lambda x: x * np.tan(x) - own / disk, 1e-6, np.pi / 2 - 1e-6)
        G = STEEL.E / (2 * (1 + STEEL.nu))
        exact = b / length * np.sqrt(G * section.J / (STEEL.rho * section.polar)) / (2 * np.pi)
        found = fem.vibration(shaft, held, n=1).frequencies_hz[0]
        error = (b / 40) ** 2 / 24  # of linear elements with consistent mass
        assert found == pytest.approx(exact, rel=1.1 * error)

    @pytest.mark.parametrize(
        ("mass", "inertia"), [(0.0, None), (0.0, (0.0, 0.0, 0.0)), (-1.0, (1.0, 1.0, 1.0))]
    )
    def test_refuses_neither_mass_nor_inertia(self, mass, inertia):
        with pytest.raises(fem.InputError, match="must be positive, or zero with moments of inertia alone"):
            fem.PointMass("end", mass, inertia)

    @pytest.mark.parametrize("values", [(1.0, 0.1, 0.1), (-1.0, 2.0, 2.0)])
    def test_refuses_what_no_body_has(self, values):
        with pytest.raises(fem.InputError, match="principal moments"):
            fem.PointMass("end", 1.0, values)

    def test_inertia_needs_a_rotation(self):
        mesh = block().select("corner", nearest=(0, 0, 0))
        with pytest.raises(fem.InputError, match=r"needs the rotation of the node set 'corner'"):
            fem.assemble(mesh, STEEL, parts=[fem.PointMass("corner", 1.0, (0.1, 0.1, 0.1))])
        assert fem.assemble(mesh, STEEL, parts=[fem.PointMass("corner", 1.0)]).mass > 1.0


class TestSpring:
    def test_between_two_points_is_a_truss(self):
        """One stiffness EA/L along the line: the truss between the same nodes."""
        mesh = line([(0, 0, 0), (0.3, 0.4, 1.2)], 1)
        truss = fem.assemble(mesh, fem.Truss(STEEL, 1e-4))
        both = line([(0, 0, 0), (0.3, 0.4, 1.2)], 1)
        spring = fem.assemble(
            both, fem.Truss(STEEL, 1e-20), parts=[fem.Spring("start", "end", STEEL.E * 1e-4 / 1.3)]
        )
        np.testing.assert_allclose(
            spring.K.toarray(), truss.K.toarray(), atol=1e-9 * truss.K.diagonal().max()
        )

    def test_to_ground_along_its_own_axes(self):
        """A free beam on two springs at one end: u = F/k along each axis, by hand."""
        mesh = line([(0, 0, 0), (1, 0, 0)], 2)
        turn = scipy.spatial.transform.Rotation.from_rotvec([0.3, -0.2, 0.5]).as_matrix()
        k = np.array([1e3, 2e3, 3e3, 40.0, 50.0, 60.0])
        structure = fem.assemble(mesh, BEAM, parts=[fem.Spring("start", None, k, axes=turn)])
        f = np.zeros(structure.n)
        wrench = np.array([1.0, 2.0, 3.0, 0.1, 0.2, 0.3])
        f[:6] = wrench
        u = np.linalg.solve(structure.K.toarray(), f)[:6]
        expected = np.concatenate(
            [turn.T @ (turn @ wrench[:3] / k[:3]), turn.T @ (turn @ wrench[3:] / k[3:])]
        )
        np.testing.assert_allclose(u, expected, rtol=1e-6)  # the condition of K is 1e9

    def test_between_frames_apart_lets_rigid_motions_pass(self):
        mesh = joined(line([(0, 0, 0), (1, 0, 0)], 2), line([(0, 0, 0), (0, 1, 0)], 2), (1.2, 0.3, 0.1))
        spring = fem.Spring("end", "b_start", [1e6, 2e6, 3e6, 4e5, 5e5, 6e5])
        structure = fem.assemble(mesh, BEAM, parts=[spring])
        assert rigid_energy(structure) < 1e-14
        zero = np.linalg.eigvalsh(structure.K.toarray()) < 1e-9 * structure.K.diagonal().max()
        assert zero.sum() == 6

    def test_a_block_on_springs(self):
        """Six springs k under a block: sag m g / k_z, and omega^2 = k_z / m for the bounce; by hand."""
        mesh = block((1, 1, 1), (1.0, 1.0, 1.0))
        mount = fem.Spring("z0", None, [2e6, 2e6, 1e6, 1e6, 1e6, 1e6])
        structure = fem.assemble(mesh, STEEL, parts=[mount])
        m = structure.mass
        solution = fem.static(structure, loads=fem.Gravity())
        assert solution.at("z0")[2] == pytest.approx(-m * 9.81 / 1e6, rel=1e-6)
        assert solution.relief is None
        found = fem.vibration(structure, n=6).frequencies_hz  # the block itself is 1e4 times as stiff
        assert np.abs(found / (np.sqrt(1e6 / m) / (2 * np.pi)) - 1).min() < 1e-3

    def test_springs_and_supports_together(self):
        """A beam on a spring at one end and a support of z at the other; without rotation it is no mechanism."""
        mesh = line([(0, 0, 0), (1, 0, 0)], 2)
        mount = fem.Spring("start", None, [1e5, 1e5, 1e5, 1e3, 1e3, 1e3])
        structure = fem.assemble(mesh, BEAM, parts=[mount])
        solution = fem.static(structure, {"end": ("z",)}, fem.Force("end", (0, 100, 0)))
        # sideways nothing but the spring: F / k, F L / k_r turns it, and the beam bends
        expected = 100 * (1 / 1e5 + 1 / 1e3 + 1 / (3 * EI) + 1 / (STEEL.E / 2.6 * np.pi * 1e-4 * 6 / 7))
        assert solution.at("end")[1] == pytest.approx(expected, rel=1e-3)
        weak = fem.assemble(mesh, BEAM, parts=[fem.Spring("start", None, [1e5, 1e5, 1e5, 0, 0, 0])])
        with pytest.raises(fem.InputError, match="springs to the ground included"):
            fem.static(weak, (), fem.Force("end", (0, 100, 0)))

    def test_a_body_of_a_machine_has_no_springs_to_the_ground(self):
        import modal

        structure = fem.assemble(block((2, 1, 1)), STEEL, parts=[fem.Spring("x0", None, [1e6] * 6)])
        with pytest.raises(fem.InputError, match=r"connect it to the ground by fb.SpringDamper"):
            modal.craig_bampton(structure, ("x1",), n_normal=2)

    def test_a_crowd_of_nodes_is_refused(self, monkeypatch):
        """Coupling all with all would fill the matrices; the limit is lowered here to a face of nine nodes."""
        monkeypatch.setattr(fem.model.parts, "MAX_COUPLED_NODES", 8)
        mesh = block((1, 2, 2))
        with pytest.raises(fem.InputError, match="acts on 9 nodes"):
            fem.assemble(mesh, STEEL, parts=[fem.Spring("x0", None, [1e6] * 6)])
        with pytest.raises(fem.InputError, match="point mass at 'x0' acts on 9 nodes"):
            fem.assemble(mesh, STEEL, parts=[fem.PointMass("x0", 1.0)])

    def test_bad_ones(self):
        mesh = line([(0, 0, 0), (1, 0, 0)], 1)
        for stiffness, words in (
            (1e3, "no such line"),
            ([1, 2, 3], "six"),
            ([-1, 0, 0, 0, 0, 0], "negative"),
        ):
            with pytest.raises(fem.InputError, match=words):
                fem.assemble(mesh, BEAM, parts=[fem.Spring("start", None, stiffness)])


class TestRigid:
    def test_an_arm_is_a_beams_offset(self):
        """A beam held 0.1 m beside its nodes: by ``offset``, and by rigid arms from other nodes."""
        offset = fem.assemble(line([(0, 0, 0), (1, 0, 0)], 1), fem.Beam(STEEL, CIRCLE, offset=(0.1, 0.0)))
        mesh = line([(0, 0.1, 0), (1, 0.1, 0)], 1)
        arms = [fem.Rigid("a", "start", at=(0, 0, 0)), fem.Rigid("b", "end", at=(1, 0, 0))]
        rigid = fem.assemble(mesh, BEAM, parts=arms)
        assert rigid.n == 12
        scale = offset.K.diagonal().max()
        np.testing.assert_allclose(rigid.K.toarray(), offset.K.toarray(), atol=1e-12 * scale)
        np.testing.assert_allclose(rigid.M.toarray(), offset.M.toarray(), atol=1e-12 * offset.mass)

    def test_all_nodes_move_as_one(self):
        mesh = block((3, 2, 2))
        structure = fem.assemble(mesh, STEEL, parts=[fem.Rigid("hub", "x0", at=(-0.1, 0.05, 0.05))])
        assert rigid_energy(structure) < 1e-13
        u = np.random.default_rng(0).normal(size=structure.n)
        hub = structure.mesh.node_sets["hub"][0]
        moved, turned = structure.displacements(u)[hub], structure.rotations(u)[hub]
        nodes = mesh.node_sets["x0"]
        expected = moved + np.cross(turned, structure.mesh.points[nodes] - structure.mesh.points[hub])
        np.testing.assert_allclose(structure.displacements(u)[nodes], expected, atol=1e-12)

    def test_a_loaded_arm_turns_over(self):
        """A rigid post on a rotational spring k under a dead force P at the height L: critical at P L = k, exactly."""
        mesh = block((1, 1, 1), (0.1, 0.1, 0.5)).select("top", plane=((0, 0, 0.5), (0, 0, 1)))
        mesh = mesh.select("all", box=((-1, -1, -1), (1, 1, 1)))
        k = 1000.0
        foot = [
            fem.Rigid("foot", "all", at=(0.05, 0.05, 0)),
            fem.Spring("foot", None, [1e9, 1e9, 1e9, k, 2 * k, 1e6]),
        ]
        structure = fem.assemble(mesh, STEEL, parts=foot)
        load = fem.Force("top", (0, 0, -1.0))
        u = np.linalg.solve(structure.K.toarray(), fem.load_vector(structure, load))
        K_G = fem.geometric_stiffness(structure, u, load).toarray()
        critical = 1 / scipy.linalg.eigvalsh(-K_G, structure.K.toarray())
        np.testing.assert_allclose(sorted(critical[critical > 0])[:2], [k / 0.5, 2 * k / 0.5], rtol=1e-7)
        # 1e-7: the other springs, 1e6 times as stiff, give way a little

    def test_what_contradicts_is_refused(self):
        mesh = block()
        with pytest.raises(
            fem.InputError, match=r"rigid connection 'a' and .*rigid connection 'b'|both prescribe"
        ):
            fem.assemble(mesh, STEEL, parts=[fem.Rigid("a", "x0"), fem.Rigid("b", "y0")])
        with pytest.raises(fem.InputError, match="has a node set of this name"):
            fem.assemble(mesh, STEEL, parts=[fem.Rigid("x0", "x1")])
        with pytest.raises(fem.MeshError, match="no node set 'nowhere'"):
            fem.assemble(mesh, STEEL, parts=[fem.Rigid("a", "nowhere")])
        bars = line([(0, 0, 0), (1, 0, 0)], 1)
        ring = [fem.Rigid("p", "start", reference="end"), fem.Rigid("q", "end", reference="start")]
        with pytest.raises(fem.InputError, match="circle"):
            fem.assemble(bars, BEAM, parts=ring)


class TestAveraged:
    def test_leaves_the_body_as_soft_as_it_is(self):
        mesh = block((3, 1, 1))
        bare = fem.assemble(mesh, STEEL)
        tied = fem.assemble(mesh, STEEL, parts=[fem.Averaged("eye", "x1")])
        assert tied.n == bare.n
        np.testing.assert_allclose(tied.K.toarray(), bare.K.toarray(), atol=1e-12 * bare.K.diagonal().max())
        np.testing.assert_allclose(tied.M.toarray(), bare.M.toarray(), atol=1e-14)

    def test_a_load_on_it_is_spread_over_the_set(self):
        """A force beside the set is the same force on the set with its moment."""
        mesh = block((3, 1, 1))
        arm = np.array([0.1, 0.02, -0.03])
        centre = np.array([0.2, 0.05, 0.05])
        tied = fem.assemble(mesh, STEEL, parts=[fem.Averaged("eye", "x1", at=tuple(centre + arm))])
        force, moment = np.array([10.0, 20.0, -5.0]), np.array([1.0, -2.0, 0.5])
        beside = fem.load_vector(tied, fem.Force("eye", force, moment))
        on_it = fem.load_vector(
            fem.assemble(mesh, STEEL), fem.Force("x1", force, moment + np.cross(arm, force))
        )
        np.testing.assert_allclose(beside, on_it, atol=1e-12)

    def test_a_beam_goes_on_where_a_solid_ends(self):
        """Half solid, half beam: the tip of the whole cantilever by beam theory.

        Held by the mean motion of its root, which leaves the section free to contract. 0.5 %: the shear factor of the
        section is 5/6 by one theory and 0.85 by another, worth 2 % of a shear part of 0.2 %; the rest is the mesh's.
        """
        a, L = 0.1, 2.0
        solid = fem.box((L / 2, a, a), (10, 1, 1), "hex20", origin=(0, -a / 2, -a / 2))
        bar = line([(L / 2, 0, 0), (L, 0, 0)], 2)
        mesh = joined(solid, bar)
        section = fem.Rectangle(a, a)
        properties = {"hex20": STEEL, "line2": fem.Beam(STEEL, section)}
        wall = fem.Spring("x0", None, [1e14] * 6)
        structure = fem.assemble(mesh, properties, parts=[fem.Averaged("eye", "x1", reference="b_start")])
        assert rigid_energy(structure) < 1e-12
        parts = [fem.Averaged("eye", "x1", reference="b_start"), wall]
        structure = fem.assemble(mesh, properties, parts=parts)
        u = np.linalg.solve(
            structure.K.toarray(), fem.load_vector(structure, fem.Force("b_end", (0, 0, -1000.0)))
        )
        EI = STEEL.E * a**4 / 12
        GA = STEEL.E / 2.6 * a**2 * 5 / 6
        expected = -1000 * (L**3 / (3 * EI) + L / GA)
        tip = structure.displacements(u)[mesh.node_sets["b_end"][0], 2]
        assert tip == pytest.approx(expected, rel=5e-3)
        assert structure.mass == pytest.approx(STEEL.rho * a * a * L, rel=1e-12)

    def test_reference_among_its_nodes(self):
        mesh = block().select("one", nearest=(0, 0, 0))
        with pytest.raises(fem.InputError, match="one of the nodes"):
            fem.assemble(mesh, STEEL, parts=[fem.Averaged("a", "x0", reference="one")])


PINNED = ("x", "y", "z")


class TestAveragedInPart:
    def test_a_beam_turns_where_only_displacements_follow(self):
        """First frequency of a beam clamped and pinned, tan b = tanh b; 0.5 %: its mesh, shear and the solid."""
        mesh = joined(
            fem.box((0.2, 0.1, 0.1), (2, 1, 1), "hex8", origin=(0, -0.05, -0.05)),
            line([(0.2, 0, 0), (1, 0, 0)], 6),
        )
        pin = fem.Averaged("pin", "x1", reference="b_start", components=PINNED)
        structure = fem.assemble(mesh, {"hex8": STEEL, "line2": BEAM}, parts=[pin])
        assert rigid_energy(structure) < 1e-12
        found = fem.vibration(structure, {"x0": "all", "b_end": "all"}, n=1).frequencies_hz[0]
        b = scipy.optimize.brentq(lambda b: np.tan(b) - np.tanh(b), 3.8, 4.2)
        exact = b**2 / 0.8**2 * np.sqrt(EI / (STEEL.rho * CIRCLE.A)) / (2 * np.pi)
        assert found == pytest.approx(exact, rel=5e-3)
        u = np.random.default_rng(0).normal(size=structure.n)
        moved, turned = structure.displacements(u), structure.rotations(u)
        start = mesh.node_sets["b_start"][0]
        assert moved[start] == pytest.approx(moved[mesh.nodes_of("x1")].mean(axis=0), abs=1e-12)
        whole = fem.assemble(mesh, {"hex8": STEEL, "line2": BEAM}, parts=[replace(pin, components="all")])
        assert structure.n == whole.n + 3
        assert np.abs(turned[start]).min() > 1e-3

    def test_a_reference_at_which_nothing_turns_has_no_rotations(self):
        mesh = block((3, 1, 1))
        pinned = fem.assemble(
            mesh, STEEL, parts=[fem.Averaged("eye", "x1", at=(0.3, 0, 0), components=PINNED)]
        )
        whole = fem.assemble(mesh, STEEL, parts=[fem.Averaged("eye", "x1", at=(0.3, 0, 0))])
        assert not fem.interface(pinned, "eye").has_rotation
        loads = [fem.load_vector(one, fem.Force("eye", (1.0, 2.0, 3.0))) for one in (pinned, whole)]
        np.testing.assert_allclose(*loads, atol=1e-14)
        with pytest.raises(fem.InputError, match="rotation"):
            fem.load_vector(pinned, fem.Force("eye", moment=(1.0, 0.0, 0.0)))

    def test_two_nodes_carry_a_point_on_their_line(self):
        """The weighted mean of both on their line; beside it the point would need the rotation about the line."""
        mesh = block().select("edge", box=((0.19, -1, -1), (1, 0.01, 1)))
        foot, head = mesh.nodes_of("edge")
        weights = {str(foot + 1): 3.0, str(head + 1): 1.0}
        part = fem.Averaged("eye", "edge", components=PINNED, weights=weights, at=(0.2, 0, 0.025))
        structure = fem.assemble(mesh, STEEL, parts=[part])
        moved = structure.displacements(np.random.default_rng(0).normal(size=structure.n))
        assert moved[-1] == pytest.approx(0.75 * moved[foot] + 0.25 * moved[head], abs=1e-12)
        for wrong in ({"at": (0.3, 0, 0)}, {"components": "all"}):
            with pytest.raises(fem.InputError, match="needs the rotation of the node set 'edge'"):
                fem.assemble(mesh, STEEL, parts=[replace(part, **wrong)])


def test_weights_of_an_averaging_connection():
    """Closed form: the mean displacement is the weighted mean; three nodes in a plane, the force on the reference."""
    mesh = fem.box((1.0, 1.0, 1.0), (1, 1, 1), "hex8")
    nodes = mesh.nodes_of("x1")
    weights = {str(node + 1): float(k + 1) for k, node in enumerate(nodes)}
    fe = fem.assemble(mesh, STEEL, parts=[fem.Averaged("tip", "x1", at=(1.0, 0.5, 0.5), weights=weights)])
    u = np.random.default_rng(0).normal(size=fe.n)
    moved, turned = fe.displacements(u), fe.rotations(u)[-1]
    w = np.array([*weights.values()])
    centre = w @ mesh.points[nodes] / w.sum()
    mean = w @ moved[nodes] / w.sum()
    assert moved[-1] == pytest.approx(mean + np.cross(turned, [1.0, 0.5, 0.5] - centre), abs=1e-12)
    r, d = mesh.points[nodes] - centre, moved[nodes] - mean
    normal = sum(w[k] * (r[k] @ r[k] * np.eye(3) - np.outer(r[k], r[k])) for k in range(4))
    assert turned == pytest.approx(np.linalg.solve(normal, w @ np.cross(r, d)), abs=1e-12)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ("area", "weights is .area.; give 1.0 for equal"),
        (-1.0, "give 1.0 for equal weights"),
        ({"1": -1.0}, "those of '1' are not"),
        ({"5": 1.0}, "leaves out node"),
    ],
)
def test_wrong_weights(weights, message):
    mesh = fem.box((1.0, 1.0, 1.0), (1, 1, 1), "hex8")
    with pytest.raises(fem.InputError, match=message):
        fem.assemble(mesh, STEEL, parts=[fem.Averaged("tip", "x1", weights=weights)])
