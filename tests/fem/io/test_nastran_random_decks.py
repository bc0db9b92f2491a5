"""Random small decks, printed and read again: the same structure as the part by hand, whatever the form of the deck."""

import numpy as np
import pytest
from support.fem_meshes import irregular
from support.nastran import CARDS, card, nodes_in_order, read

import fem

S = fem.Isotropic(210e9, 0.3, 7850.0)


class Deck:
    """A deck whose cards come in any order, each in any format."""

    def __init__(self, seed):
        self.rng = np.random.default_rng(seed)
        self.cards = []

    def add(self, *fields):
        plain = not any(isinstance(field, float) for field in fields)
        forms = ("small", "large", "free") if plain else ("large", "free")
        self.cards.append(card(*fields, form=self.rng.choice(forms)))

    def text(self):
        order = self.rng.permutation(len(self.cards))
        return "$ random\n" + "".join(self.cards[k] for k in order)

    def systems(self):
        """Systems of each kind with random places and directions, numbers 11 to 13; the second stands on the first."""
        self.known = {0: ("R", np.zeros(3), np.eye(3))}
        for number, letter in ((11, "R"), (12, "C"), (13, "S")):
            axes = np.linalg.qr(self.rng.normal(size=(3, 3)))[0]
            axes *= np.linalg.det(axes)
            origin = self.rng.uniform(-3, 3, 3)
            base = 11 if number == 12 else 0
            _, o, R = self.known[base]
            points = [origin, origin + 2 * axes[2], origin + axes[0] + 0.3 * axes[2]]
            self.add(f"CORD2{letter}", number, base, *(float(x) for p in points for x in R @ (p - o)))
            self.known[number] = (letter, origin, axes)

    def coordinates(self, number, point):
        """Coordinates of a point in a system: the inverse of the manual's formulas."""
        letter, origin, axes = self.known[number]
        x, y, z = axes @ (point - origin)
        if letter == "R":
            return [x, y, z]
        angle = np.degrees(np.arctan2(y, x))
        if letter == "C":
            return [np.hypot(x, y), angle, z]
        return [np.linalg.norm([x, y, z]), np.degrees(np.arccos(z / np.linalg.norm([x, y, z]))), angle]

    def system(self, number):
        """A system as one of ours."""
        letter, origin, axes = self.known[number]
        kind = {"R": fem.CoordinateSystem, "C": fem.CylindricalSystem, "S": fem.SphericalSystem}[letter]
        return kind(origin, axes)

    def grids(self, ids, points):
        """Grid points in random systems; returns the numbers of their displacement systems."""
        displacement = self.rng.choice([0, 11, 12, 13], len(points))
        for number, cd, point in zip(ids, displacement, points, strict=True):
            cp = int(self.rng.choice([0, 11, 12, 13]))
            self.add("GRID", number, cp or None, *map(float, self.coordinates(cp, point)), int(cd))
        return displacement

    def mass(self, number, grid, point, offset, tensor):
        """A mass of 5 kg, its offset and inertia tensor (global) in a random system."""
        frame = int(self.rng.choice([0, 11, 12, 13]))
        R = self.system(frame).axes_at(point)
        own = R @ tensor @ R.T
        self.add("CONM2", number, grid, frame, 5.0, *map(float, R @ offset), None, float(own[0, 0]), float(-own[1, 0]),
                 float(own[1, 1]), float(-own[2, 0]), float(-own[2, 1]), float(own[2, 2]))  # fmt: skip


@pytest.mark.parametrize("seed", range(8))
def test_a_random_deck_is_the_part_by_hand(tmp_path, seed):
    deck = Deck(seed)
    rng = deck.rng
    deck.systems()
    mesh = irregular(rng.choice(["tet4", "hex8", "tet10", "wedge15"]), (2, 1, 1))
    (block,) = mesh.blocks
    extra = np.array([[1.7, 0.4, 0.6], [1.9, 0.2, 0.1]])  # a reference node, the end of a bar
    points = np.vstack([mesh.points, extra])
    ids = rng.permutation(rng.choice(np.arange(1, 5000), len(points), replace=False))
    displacement = deck.grids(ids, points)
    numbers = rng.choice(np.arange(1, 9999), len(block) + 3, replace=False)
    for number, nodes in zip(numbers, nodes_in_order(mesh, block), strict=False):
        deck.add(CARDS[block.element], number, 7, *ids[nodes])
    tip, end = ids[-2:]
    members = ids[mesh.nodes_of("x1")]
    deck.add("PSOLID", 7, 3)
    deck.add("MAT1", 3, 210e9, None, 0.3, 7850.0)
    rigid = bool(rng.integers(2))
    if rigid:
        deck.add("RBE2", 5, tip, 123456, *members)
    else:
        deck.add("RBE3", 5, None, tip, 123456, 1.0, 123, *members)
    up = rng.normal(size=3)
    axes = deck.system(int(displacement[-2])).axes_at(points[-2])
    deck.add("CBAR", numbers[-1], 8, tip, end, *map(float, axes @ up))
    deck.add("PBAR", 8, 3, 1e-3, 2e-7, 5e-8, 1e-7, *[None] * 10, 0.7, 0.6)
    offset, tensor = rng.normal(size=3), np.diag([2.0, 3.0, 4.0]) + 0.1
    deck.mass(numbers[-2], tip, points[-2], offset, tensor)
    found = fem.assemble(read(tmp_path, deck.text()))

    kind = fem.Rigid if rigid else fem.Averaged
    more = {} if rigid else {"weights": 1.0}
    whole = fem.Mesh(
        points,
        (block, fem.Block("line2", [[len(points) - 2, len(points) - 1]])),
        {"x1": mesh.nodes_of("x1"), "tip": [len(points) - 2]},
    )
    bar = fem.Beam(S, fem.Section(A=1e-3, Iy=2e-7, Iz=5e-8, J=1e-7, kz=0.7, ky=0.6), up=tuple(up))
    parts = [
        kind("r", "x1", reference="tip", **more),
        fem.PointMass("tip", 5.0, tensor, offset=tuple(offset)),
    ]
    by_hand = fem.assemble(whole, {block.element: S, "line2": bar}, parts=parts)
    assert found.mass == pytest.approx(by_hand.mass, rel=1e-9)
    assert found.center == pytest.approx(by_hand.center, rel=1e-8)
    assert found.inertia == pytest.approx(by_hand.inertia, rel=1e-8)
    # numbers of 16 characters hold 10 digits at least
    exact = fem.vibration(by_hand, n=6).frequencies_hz
    assert fem.vibration(found, n=6).frequencies_hz == pytest.approx(exact, rel=1e-6)
    assert fem.interface(found, str(tip)).point == pytest.approx(points[-2], abs=1e-9)


@pytest.mark.parametrize("seed", range(8))
def test_random_shells_are_those_by_hand(tmp_path, seed):
    """Thicknesses of corners or none, over T or not, offsets; membrane, bending and shear of different materials.

    By hand each element has a property of its own, with the mean of its corners.
    """
    deck = Deck(seed)
    rng = deck.rng
    deck.systems()
    points = np.array([[x, y, 0.1 * x * y] for x in range(4) for y in range(3)]) + rng.uniform(
        -0.1, 0.1, (12, 3)
    )
    quads = np.array(
        [[3 * i + j, 3 * i + j + 3, 3 * i + j + 4, 3 * i + j + 1] for i in range(3) for j in range(2)]
    )
    cells = {"quad4": quads[:4], "tri3": np.vstack([quads[4:][:, [0, 1, 2]], quads[4:][:, [0, 2, 3]]])}
    ids = rng.choice(np.arange(1, 5000), 12, replace=False)
    deck.grids(ids, points)
    steel, others = (210e9, 0.3, 7850.0), {2: (70e9, 0.33, 2700.0), 3: (3e9, 0.4, 1200.0)}
    for number, (E, nu, rho) in {1: steel, **others}.items():
        deck.add("MAT1", number, E, None, nu, rho)
    materials = {number: fem.Isotropic(*its) for number, its in {1: steel, **others}.items()}
    bending, shear = (int(k) for k in rng.integers(1, 4, 2))
    T, factor, area = (float(v) for v in rng.uniform((0.02, 0.5, 0.3), (0.05, 2.0, 0.9)))
    deck.add("PSHELL", 9, 1, T, bending, factor, shear, area)
    options = {"bending_material": materials[bending], "shear_material": materials[shear], "bending_factor": factor,
               "shear_factor": area}  # fmt: skip
    made, number = [], 0
    for rows in cells.values():
        for nodes in rows:
            number += 1
            corners = len(nodes)
            offset = float(rng.choice([0.0, 0.03]))
            flag = int(rng.integers(2))
            given = [float(t) if rng.integers(3) else None for t in rng.uniform(0.5, 2.0, corners)]
            given = (
                [t if flag or t is None else t * T for t in given] if rng.integers(3) else [None] * corners
            )
            tail = [flag or None, *given] if corners == 4 else [None, flag or None, *given]
            deck.add(
                "CQUAD4" if corners == 4 else "CTRIA3", number, 9, *ids[nodes], None, offset, None, *tail
            )
            mean = np.mean([T if t is None else t * T if flag else t for t in given])
            made.append(fem.Shell(materials[1], mean, offset=offset, **options))
    blocks = tuple(fem.Block(kind, rows) for kind, rows in cells.items())
    sets = {str(k): [k] for k in range(len(made))}
    hand = fem.assemble(
        fem.Mesh(points, blocks, element_sets=sets), {str(k): its for k, its in enumerate(made)}
    )
    (tmp_path / "part.bdf").write_text(deck.text())
    mesh = fem.read_mesh(tmp_path / "part.bdf")
    found = fem.assemble(mesh)
    place = [int(np.argmin(np.linalg.norm(mesh.points - x, axis=1))) for x in points]
    np.testing.assert_allclose(mesh.points[place], points, atol=1e-9)
    assert found.mass == pytest.approx(hand.mass, rel=1e-9)
    np.testing.assert_allclose(found.inertia, hand.inertia, rtol=1e-8, atol=1e-9 * hand.inertia.max())
    frequencies = [fem.vibration(each, n=6).frequencies_hz for each in (found, hand)]
    np.testing.assert_allclose(*frequencies, rtol=1e-7)


def _bar(deck, k, ids, points, axes, material):
    """Write a bar from point ``k`` to the next, directed by the last grid point or a vector; return it by hand."""
    rng, third = deck.rng, points[6]
    A, I1, I2, J = (float(v) for v in rng.uniform(1e-3, 2e-3, 4) * (1, 1e-3, 5e-4, 1e-3))
    ends = rng.uniform(-0.2, 0.2, (2, 3)) if rng.integers(2) else np.zeros((2, 3))
    own = [float(v) for e, R in zip(ends, (axes[k], axes[k + 1]), strict=True) for v in R @ e]
    by_point = bool(rng.integers(2))
    direction = rng.normal(size=3)
    orientation = [int(ids[6]), None, None] if by_point else [float(v) for v in axes[k] @ direction]
    pins = str(rng.choice(["", "5", "56"]))
    deck.add("CBAR", 10 + k, 20 + k, int(ids[k]), int(ids[k + 1]), *orientation, None, None, pins or None,
             *(own if ends.any() else []))  # fmt: skip
    deck.add("PBAR", 20 + k, 4, A, I1, I2, J)
    # plane 1 is that of the orientation: I1 resists bending in it, about the section's y axis
    section = fem.Section(A=A, Iy=I1, Iz=I2, J=J)
    up = third - points[k] if by_point else direction
    turns = {"": (), "5": ("rz",), "56": ("ry", "rz")}[pins]  # 5 is about the normal of plane 1
    x = (points[k + 1] - points[k]) / np.linalg.norm(points[k + 1] - points[k])
    y = np.cross(up, x) / np.linalg.norm(np.cross(up, x))
    local = ends @ np.array([x, y, np.cross(x, y)]).T
    return fem.Beam(
        material, section, up=tuple(up), shear=False, offset=tuple(map(tuple, local)),
        releases={"end": turns} if turns else {},
    )  # fmt: skip


@pytest.mark.parametrize("seed", range(6))
def test_random_frames_are_those_by_hand(tmp_path, seed):
    """Bars with offsets and hinges, directed by a grid point or a vector; a rod, a spring in turned axes, a mass.

    Offsets and vectors are in the axes of the grid points. Half of the decks have case control, and INCLUDE names the
    file with half of their cards.
    """
    deck = Deck(seed)
    rng, full = deck.rng, bool(seed % 2)
    deck.systems()
    points = rng.uniform(0.3, 3.0, (6, 3))
    ids = rng.choice(np.arange(1, 5000), 7, replace=False)
    third = rng.uniform(4, 6, 3)
    displacement = deck.grids(ids, np.vstack([points, third]))
    axes = [deck.system(int(k)).axes_at(x) for k, x in zip(displacement, [*points, third], strict=True)]
    deck.add("MAT1", 4, 70e9, None, 0.33, 2700.0)
    material = fem.Isotropic(70e9, 0.33, 2700.0)
    blocks, properties, parts = [], {}, []
    for k in range(4):
        properties[f"b{k}"] = _bar(deck, k, ids, [*points, third], axes, material)
        blocks.append([k, k + 1])
    deck.add("CROD", 30, 31, int(ids[0]), int(ids[4]))
    area = float(rng.uniform(1e-4, 2e-4))
    deck.add("PROD", 31, 4, area)
    properties["b4"] = fem.Truss(material, area)
    blocks.append([0, 4])
    stiffness = [float(v) for v in rng.uniform(1e5, 2e5, 3)]
    deck.add("CBUSH", 40, 41, int(ids[5]), None, None, None, None, 11)
    deck.add("PBUSH", 41, "K", *stiffness)
    deck.add("RBE2", 42, int(ids[4]), 123456, int(ids[5]))
    S = deck.system(11)
    parts.append(fem.Spring("p5", None, [*stiffness, 0.0, 0.0, 0.0], axes=S.axes_at(points[5])))
    parts.append(fem.Rigid("tie", "p5", reference="p4"))
    offset = rng.uniform(-0.1, 0.1, 3)
    deck.add("CONM2", 50, int(ids[2]), -1, 3.0, *(float(v) for v in points[2] + offset))
    parts.append(fem.PointMass("p2", 3.0, offset=tuple(offset)))
    text = deck.text()
    if full:
        lines = text.splitlines(keepends=True)
        starts = [k for k, line in enumerate(lines) if line[0].isalpha()]
        cut = starts[len(starts) // 2]
        (tmp_path / "rest.dat").write_text("".join(lines[cut:]))
        text = (
            f"SOL 103\nCEND\nTITLE = random\nBEGIN BULK\n{''.join(lines[:cut])}INCLUDE 'rest.dat'\nENDDATA\n"
        )
    found = fem.assemble(read(tmp_path, text))
    mesh = fem.Mesh(
        points,
        (fem.Block("line2", blocks),),
        {f"p{k}": [k] for k in range(6)},
        element_sets={f"b{k}": [k] for k in range(5)},
    )
    hand = fem.assemble(mesh, properties, parts=parts)
    assert found.mass == pytest.approx(hand.mass, rel=1e-9)
    np.testing.assert_allclose(found.inertia, hand.inertia, rtol=1e-8, atol=1e-9 * hand.inertia.max())
    # the order of grid points is that of their numbers; hinges may leave mechanisms
    for A, B in ((found.K, hand.K), (found.M, hand.M)):
        values = [np.linalg.eigvalsh(each.toarray()) for each in (A, B)]
        np.testing.assert_allclose(*values, rtol=1e-7, atol=1e-9 * values[1].max())
