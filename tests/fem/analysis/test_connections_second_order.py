"""Buckling with loads that connections hand on: arms, chains of arms, springs that push."""

from functools import partial

import numpy as np
import pytest
import scipy.linalg
from scipy.optimize import brentq
from scipy.spatial.transform import Rotation
from support.frames import STEEL, joined, line

import fem
from fem.mesh.surface import face_mass

BEAM = fem.Beam(STEEL, fem.Circle(0.02), shear=False)
EI = STEEL.E * np.pi * 0.02**4 / 64


def head_load(EI, length, h):
    """Dead load at the top of a rigid head of height h on a clamped column: k h tan(k l) = 1, P = EI k^2.

    w = A (sin kx - kx) + B (1 - cos kx), with EI w''(l) = -P h w'(l) and EI w''' + P w' = 0 at the column's end.
    """
    if h == 0:
        return EI * (np.pi / 2 / length) ** 2
    low, high = (1e-6, np.pi / 2 - 1e-9) if h > 0 else (np.pi / 2 + 1e-9, np.pi - 1e-9)
    return EI * (brentq(lambda a: a * h / length * np.tan(a) - 1, low, high) / length) ** 2


@pytest.mark.parametrize("kind", [fem.Averaged, partial(fem.Averaged, components=("x", "y", "z")), fem.Rigid])
@pytest.mark.parametrize("h", [0.5, 0.0, -0.5])
def test_a_head_beyond_and_below_the_end(kind, h):
    """2 %: the clamped end of the solid can't contract (+1 %), shear (-0.1 %); without the arm it is a factor 2."""
    a = 0.05
    mesh = fem.box((1.0, a, a), (10, 1, 1), "hex20", origin=(0, -a / 2, -a / 2))
    structure = fem.assemble(mesh, STEEL, parts=[kind("head", "x1", at=(1 + h, 0, 0))])
    factors = fem.buckling(structure, "x0", fem.Force("head", (-1, 0, 0)), n=2, positive=True).factors
    np.testing.assert_allclose(factors, head_load(STEEL.E * a**4 / 12, 1.0, h), rtol=0.02)


def test_a_chain_of_arms_is_one_arm():
    """A rigid head on a rigid neck on a beam's end: the load's whole arm counts; 2e-4: eight cubic elements."""
    mesh = joined(
        line([(0, 0, 0), (1, 0, 0)], 8), fem.box((0.1, 0.02, 0.02), (1, 1, 1), "hex8"), (1.3, -0.01, -0.01)
    )
    mesh = mesh.select("block", box=((1.2, -1, -1), (2, 1, 1)))
    properties = {"line2": BEAM, "hex8": STEEL}
    chain = [fem.Rigid("neck", "block", at=(1.2, 0, 0)), fem.Rigid("tie", "neck", reference="end")]
    one = [fem.Rigid("tie", "block", reference="end")]
    for parts in (chain, one):
        structure = fem.assemble(mesh, properties, parts=parts)
        load = fem.Force("b_x1", (-1, 0, 0))
        factors = fem.buckling(structure, "start", load, n=2, positive=True).factors
        np.testing.assert_allclose(factors, head_load(EI, 1.0, 0.4), rtol=2e-4)


def test_a_spring_that_pushes_on_an_arm():
    """A preloaded spring holds the head at its top: its force on the arm counts as a load's does.

    The spring's foot is pushed by a moved support; it is so long that it hardly turns.
    """
    h, far = 0.5, 1e4
    points = [[1 + h, 0, 0], [1 + h + far, 0, 0]]
    column = line([(0, 0, 0), (1, 0, 0)], 8)
    mesh = fem.Mesh(
        np.vstack([column.points, points]),
        (*column.blocks, fem.Block("line2", [[9, 10]])),
        {**column.node_sets, "top": [9], "foot": [10]},
        element_sets={"column": np.arange(8), "thread": np.array([8])},
    )
    properties = {"column": BEAM, "thread": fem.Truss(STEEL, 1e-12)}
    parts = [fem.Rigid("head", "top", reference="end"), fem.Spring("top", "foot", 1e3)]
    with pytest.warns(fem.FlexbodyWarning, match="km long"):
        structure = fem.assemble(mesh, properties, parts=parts)
    supports = {"start": "all", "foot": {"x": -1.0, "y": 0.0, "z": 0.0}}
    solution = fem.static(structure, supports)
    push = -solution.reaction("foot", about=(0, 0, 0))[0][0]
    assert push == pytest.approx(1e3, rel=1e-3)
    held = solution.held
    pick = np.ix_(held.free, held.free)
    K_G = fem.geometric_stiffness(structure, solution.u).toarray()[pick]
    factor = 1 / scipy.linalg.eigvalsh(-K_G, structure.K.toarray()[pick])[-1]
    assert factor * push == pytest.approx(head_load(EI, 1.0, h), rel=1e-3)


def test_a_link_that_is_a_spring_turns_as_a_truss_does():
    """A column pushed through a link of 0.3 m, once a truss and once a spring of the same stiffness."""
    mesh = line([(0, 0, 0), (1, 0, 0)], 8)
    mesh = fem.Mesh(
        np.vstack([mesh.points, [[1.3, 0, 0]]]),
        (*mesh.blocks, fem.Block("line2", [[8, 9]])),
        {**mesh.node_sets, "foot": [9]},
        element_sets={"column": np.arange(8), "link": np.array([8])},
    )
    k = STEEL.E * 1e-4 / 0.3
    supports = {"start": "all", "foot": {"x": -1e-6, "y": 0.0, "z": 0.0}}
    found = []
    for area, parts in ((1e-4, []), (1e-16, [fem.Spring("end", "foot", k)])):
        structure = fem.assemble(mesh, {"column": BEAM, "link": fem.Truss(STEEL, area)}, parts=parts)
        found.append(fem.buckling(structure, supports, [], n=2, positive=True).factors)
    np.testing.assert_allclose(found[1], found[0], rtol=1e-6)


def test_moments_on_a_set_are_semitangential():
    """A strip of solids under end moments about its strong axis: pi sqrt(EI GJ) / L between forks, as for beams.

    The ends turn freely about the weak axis and are held against twist. 3 %: warping of the ends is hindered.
    """
    length, t, h = 2.0, 0.01, 0.1
    mesh = fem.box((length, t, h), (20, 1, 4), "hex20", origin=(0, -t / 2, -h / 2))
    mesh = mesh.select("foot", nearest=(0, -t / 2, 0)).select("other", nearest=(length, -t / 2, 0))
    structure = fem.assemble(mesh, STEEL)
    moment = [fem.Force("x0", moment=(0, -1, 0)), fem.Force("x1", moment=(0, 1, 0))]
    supports = {"x0": "y", "x1": "y", "foot": ("x", "z"), "other": "z"}
    factor = fem.buckling(structure, supports, moment, n=1, positive=True).factors[0]
    GJ = STEEL.E / 2.6 * h * t**3 / 3 * (1 - 0.63 * t / h)
    assert factor == pytest.approx(np.pi / length * np.sqrt(STEEL.E * h * t**3 / 12 * GJ), rel=0.03)


@pytest.mark.parametrize("element", ["hex8", "hex20", "tet10"])
def test_the_rotation_of_a_strained_set_is_that_of_the_closest_rigid_motion(element):
    """u . K_G u of a unit moment on a face is minus the second derivative of the rotation vector about its axis.

    The rotation of the closest rigid motion is Kabsch's, by singular values, with weights int N_i N_j dA; differences
    of fourth order with a step of 1 % of the size. Without stress, K_G is that of the moment alone.
    """
    structure = fem.assemble(fem.box((0.4, 0.1, 0.06), (2, 2, 1), element), STEEL)
    face = fem.interface(structure, "x1")
    (block,) = structure.mesh.faces_of("x1")
    mass, W = face_mass(structure.mesh.points, block), np.zeros(2 * [structure.mesh.n_nodes])
    for nodes, its in zip(block.nodes, mass, strict=True):
        W[np.ix_(nodes, nodes)] += its
    W = W[np.ix_(face.nodes, face.nodes)]
    r, u = structure.mesh.points[face.nodes] - face.point, np.zeros(structure.n)
    u[face.unknowns] = np.random.default_rng(0).normal(size=len(face.unknowns)) * 0.02

    def turned(s):
        y = r + s * u[face.unknowns].reshape(-1, 3)
        y = y - W.sum(axis=0) @ y / W.sum()
        U, _, V = np.linalg.svd(y.T @ W @ r)
        return Rotation.from_matrix(U @ np.diag([1, 1, np.linalg.det(U @ V)]) @ V).as_rotvec()

    h = 0.02
    values = np.array([turned(s * h) for s in (-2, -1, 0, 1, 2)])
    second = np.array([-1, 16, -30, 16, -1]) @ values / (12 * h**2)
    for axis, expected in zip(np.eye(3), second, strict=True):
        load = fem.Force("x1", moment=tuple(axis))
        K_G = fem.geometric_stiffness(structure, np.zeros(structure.n), load)
        assert u @ (K_G @ u) == pytest.approx(-expected, rel=1e-5, abs=1e-7)
