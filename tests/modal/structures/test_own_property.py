"""A property that is written here alone: it is assembled, stressed, drawn and reduced without a line elsewhere."""

from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
import pytest

import fem
import modal
from fem.elements.property import Property, Samples
from fem.model.outer_surface import outer_surfaces

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)


@dataclass(frozen=True)
class Rod(Property):
    """A bar of two nodes: what :class:`fem.Truss` is, in its shortest form."""

    material: fem.Isotropic
    area: float

    kinds: ClassVar = ("line2",)
    freedoms: ClassVar = 3

    def axes(self, X):
        chord = X[:, 1] - X[:, 0]
        length = np.linalg.norm(chord, axis=1)
        return length, np.concatenate([-chord, chord], axis=1) / length[:, None]

    def check(self, kind, X):
        pass

    def stiffness(self, kind, X):
        length, b = self.axes(X)
        return (self.material.E * self.area / length)[:, None, None] * b[:, :, None] * b[:, None]

    def samples(self, kind, X, lumped=False):
        mass = self.material.rho * self.area * self.axes(X)[0]
        xi = np.array([0.5 - np.sqrt(1 / 12), 0.5 + np.sqrt(1 / 12)])
        N = np.stack([1 - xi, xi], axis=1)
        shape = np.einsum("qa,ij->qiaj", N, np.eye(3)).reshape(2, 3, 6)
        return Samples(N @ X, np.outer(mass, [0.5, 0.5]), np.tile(shape, (len(X), 1, 1, 1)))

    def geometric(self, kind, X, u):
        length, b = self.axes(X)
        across = np.eye(3) - b[:, :3, None] * b[:, None, :3]
        force = self.area * self.stress(kind, X, u)[:, 0]
        K = np.einsum("ab,eij->eaibj", [[1, -1], [-1, 1]], (force / length)[:, None, None] * across)
        return K.reshape(-1, 6, 6)

    def strain(self, kind, X, u):
        length, b = self.axes(X)
        return np.repeat((np.einsum("ei,ei->e", b, u) / length)[:, None], 2, axis=1)

    def stress(self, kind, X, u, load=None):
        return self.material.E * self.strain(kind, X, u)

    @property
    def line_section(self):
        return fem.Circle(2 * np.sqrt(self.area / np.pi))


@dataclass(frozen=True)
class Membrane(Property):
    """A plane triangle of constant strain in the plane x, y, which resists stretching and shear in its plane only."""

    material: fem.Isotropic
    thickness: float

    kinds: ClassVar = ("tri3",)
    freedoms: ClassVar = 3

    @property
    def faces_at(self):
        return -0.5 * self.thickness, 0.5 * self.thickness

    @property
    def law(self):
        E, nu = self.material.E, self.material.nu
        return E / (1 - nu**2) * np.array([[1, nu, 0], [nu, 1, 0], [0, 0, (1 - nu) / 2]])

    def gradients(self, X):
        """Areas (ne,) and gradients (ne, 3, 2) of the shape functions."""
        J = X[:, 1:, :2] - X[:, :1, :2]
        dN = np.linalg.inv(J) @ np.array([[-1.0, 1, 0], [-1, 0, 1]])
        return np.linalg.det(J) / 2, np.swapaxes(dN, 1, 2)

    def strains(self, X):
        """B (ne, 3, 9): xx, yy and xy from the nodes."""
        _, g = self.gradients(X)
        B = np.zeros((len(X), 3, 3, 3))
        B[:, 0, :, 0] = B[:, 2, :, 1] = g[..., 0]
        B[:, 1, :, 1] = B[:, 2, :, 0] = g[..., 1]
        return B.reshape(-1, 3, 9)

    def check(self, kind, X):
        if np.ptp(X[..., 2]) > 0:
            raise fem.InputError("this membrane lies in a plane z = constant")

    def stiffness(self, kind, X):
        B = self.strains(X)
        weight = self.thickness * self.gradients(X)[0]
        return np.swapaxes(B, 1, 2) @ self.law @ B * weight[:, None, None]

    def samples(self, kind, X, lumped=False):
        N = np.full((3, 3), 1 / 6) + np.eye(3) / 2
        mass = self.material.rho * self.thickness * self.gradients(X)[0]
        shape = np.einsum("qa,ij->qiaj", N, np.eye(3)).reshape(3, 3, 9)
        return Samples(N @ X, np.outer(mass, np.full(3, 1 / 3)), np.tile(shape, (len(X), 1, 1, 1)))

    def geometric(self, kind, X, u):
        area, g = self.gradients(X)
        xx, yy, xy = np.moveaxis(self.in_plane(X, u), 1, 0)
        sigma = np.stack([np.stack([xx, xy], 1), np.stack([xy, yy], 1)], 1)
        scalar = g @ sigma @ np.swapaxes(g, 1, 2) * (self.thickness * area)[:, None, None]
        return np.einsum("eij,ab->eiajb", scalar, np.eye(3)).reshape(-1, 9, 9)

    def in_plane(self, X, u):
        return np.einsum("ab,ebd,ed->ea", self.law, self.strains(X), u)

    def strain(self, kind, X, u):
        e = np.einsum("ead,ed->ea", self.strains(X), u)
        found = np.zeros((len(X), 3, 2, 6))
        found[..., [0, 1, 5]] = e[:, None, None]
        return found

    def stress(self, kind, X, u, load=None):
        found = np.zeros((len(X), 3, 2, 6))
        found[..., [0, 1, 5]] = self.in_plane(X, u)[:, None, None]
        return found


def pyramid(its):
    """A triangle of bars, and three bars from it to a point above."""
    points = [[0, 0, 0], [1, 0, 0], [0, 1, 0], [0.2, 0.3, 1.0]]
    sets = {"feet": [0, 1, 2], "top": [3]}
    return fem.assemble(
        fem.Mesh(points, (fem.Block("line2", [[0, 3], [1, 3], [2, 3], [0, 1], [1, 2], [2, 0]]),), sets), its
    )


def sheet(its, n=4):
    """A plate of 1 m by 1 m in triangles."""
    x, y = np.meshgrid(np.linspace(0, 1, n + 1), np.linspace(0, 1, n + 1), indexing="ij")
    points = np.column_stack([x.ravel(), y.ravel(), 0 * x.ravel()])
    k = ((n + 1) * np.arange(n)[:, None] + np.arange(n)).reshape(-1, 1)
    quads = k + np.array([0, n + 1, n + 2, 1])
    triangles = np.concatenate([quads[:, [0, 1, 2]], quads[:, [0, 2, 3]]])
    sets = {"left": points[:, 0] == 0, "right": points[:, 0] == 1, "all": np.ones(len(points), bool)}
    sets = {name: np.flatnonzero(chosen) for name, chosen in sets.items()}
    return fem.assemble(fem.Mesh(points, (fem.Block("tri3", triangles),), sets | {"corner": [0]}), its)


def test_a_rod_is_a_truss():
    own, ours = pyramid(Rod(STEEL, 1e-4)), pyramid(fem.Truss(STEEL, 1e-4))
    load = [fem.Force("top", (100.0, 50.0, -1000.0)), fem.Gravity(), fem.LineLoad("line2", (0.0, 3.0, 0.0))]
    found, expected = (fem.static(structure, "feet", load) for structure in (own, ours))
    np.testing.assert_allclose(found.u, expected.u, rtol=1e-12)
    np.testing.assert_allclose(found.stress.von_mises, expected.stress.von_mises, rtol=1e-12)
    np.testing.assert_allclose(own.M.toarray(), ours.M.toarray(), atol=1e-15)
    K_G = [fem.geometric_stiffness(s, u.u, load).toarray() for s, u in ((own, found), (ours, expected))]
    np.testing.assert_allclose(*K_G, atol=1e-9 * np.abs(K_G[1]).max())


def test_a_rod_is_drawn_by_its_section():
    own, ours = (outer_surfaces(pyramid(its(STEEL, 1e-4))) for its in (Rod, fem.Truss))
    np.testing.assert_allclose(own[0].points, ours[0].points, atol=1e-15)
    np.testing.assert_array_equal(own[0].triangles, ours[0].triangles)


def test_a_rod_is_reduced_with_its_section_forces():
    bodies = []
    for its in (Rod, fem.Truss):
        structure = pyramid(its(STEEL, 1e-4))
        load = {"spread": [fem.Force("top", (0.0, 0.0, 1.0)), fem.LineLoad("line2", (0.0, 1.0, 0.0))]}
        bodies.append(modal.reduce(structure, modal.static_modes(structure, load, supports="feet")))
    own, ours = bodies
    np.testing.assert_allclose(own.K, ours.K, rtol=1e-10)
    forces = [np.abs(body.stress_modes.forces) for body in bodies]
    np.testing.assert_allclose(*forces, atol=1e-8 * forces[1].max())
    (section,) = own.stress_modes.sections
    assert abs(section.A - 1e-4) < 1e-15


def test_a_membrane_is_pulled_and_loaded_along_its_edge():
    structure = sheet(Membrane(STEEL, 0.01))
    supports = {"left": "x", "corner": "y", "all": "z"}
    found = fem.static(structure, supports, fem.EdgeLoad("right", (1e5, 0.0, 0.0)))
    x, y, _ = structure.mesh.points.T
    strain = 1e5 / (0.01 * STEEL.E)
    np.testing.assert_allclose(found.displacement[:, 0], strain * x, atol=1e-9 * strain)
    np.testing.assert_allclose(found.displacement[:, 1], -0.3 * strain * y, atol=1e-9 * strain)
    np.testing.assert_allclose(found.stress.von_mises, 1e7, rtol=1e-9)
    np.testing.assert_allclose(found.stress.jump, 0, atol=1e-2)


def test_a_membrane_is_drawn_with_its_thickness():
    structure = sheet(Membrane(STEEL, 0.01))
    (surface,) = outer_surfaces(structure)
    np.testing.assert_allclose(np.unique(surface.points[:, 2]), [-0.005, 0.005])
    turn = structure.rigid_modes((0, 0, 0))[:, 5]
    moved = surface.displacements(structure, turn)
    np.testing.assert_allclose(moved, np.cross([0, 0, 1.0], surface.points), atol=1e-12)


def coated():
    """A bar of solids whose upper face is coated with membranes."""
    box = fem.box((1.0, 0.2, 0.1), (4, 1, 1), "hex8")
    (face,) = box.faces_of("z1")
    triangles = np.concatenate([face.nodes[:, [0, 1, 2]], face.nodes[:, [0, 2, 3]]])
    mesh = replace(box, blocks=(*box.blocks, fem.Block("tri3", triangles)))
    return fem.assemble(mesh, {"hex8": STEEL, "tri3": Membrane(STEEL, 0.005)})


def test_a_membrane_is_reduced_with_its_stresses():
    structure = coated()
    basis = modal.eigenmodes(structure, n=3)
    body = modal.reduce(structure, basis, markers=("z1",))
    np.testing.assert_allclose(body.frequencies_hz, basis.frequencies_hz, rtol=1e-8)
    modes = body.stress_modes
    for k in range(3):
        full = fem.stress(structure, basis.Phi[:, k]).shell
        found = modes.stress(np.eye(3)[k : k + 1])[0]
        for side in (0, 1):
            at = np.flatnonzero(modes.side == side + 1)
            expected = full[modes.nodes[at], side]
            sign = np.sign((found[at] * expected).sum())
            np.testing.assert_allclose(sign * found[at], expected, atol=1e-6 * np.abs(expected).max())


def test_what_is_no_property_is_refused():
    with pytest.raises(
        fem.InputError,
        match=r"a property fem\.Solid, Shell, LayeredShell, Membrane, ShearPanel, Beam or Truss",
    ):
        pyramid(object())
    with pytest.raises(
        fem.InputError, match=r"can't have a Membrane, which is for 'tri3'; a line2 takes fem\.Beam or"
    ):
        pyramid(Membrane(STEEL, 0.01))


def test_an_initial_stress_is_refused_by_name():
    mesh = fem.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], (fem.Block("tri3", [[0, 1, 2]]),))
    sheet = fem.assemble(mesh, Membrane(fem.Isotropic(210e9, 0.3, 7850.0), 0.01))
    with pytest.raises(fem.InputError, match=r"properties of your own too \(tri3\).* fem\.static"):
        fem.preloaded(sheet, np.zeros((3, 6)))
