"""Shape functions, quadrature and faces of every element."""

import itertools
from math import factorial

import numpy as np
import pytest

import fem
from fem.elements import FACES
from fem.elements.quadrature import gauss
from fem.elements.solid.pyramids import collapsed

ALL = [*fem.ELEMENTS.values(), *FACES.values()]
INSIDE = np.array([[0.21, 0.13, 0.37], [0.05, 0.42, 0.11], [0.3, 0.3, 0.2]])
every_element = pytest.mark.parametrize("element", ALL, ids=lambda e: e.name)
every_solid = pytest.mark.parametrize("element", fem.ELEMENTS.values(), ids=lambda e: e.name)


def is_simplex(element):
    return element.n_corners == element.dim + 1


@every_element
def test_shape_functions_are_one_at_their_node_and_zero_at_the_others(element):
    assert np.allclose(element.N(element.nodes), np.eye(element.n_nodes), atol=1e-14)


@every_element
def test_shape_functions_represent_complete_polynomials_of_their_order(element):
    xi = INSIDE[:, : element.dim]
    for powers in itertools.product(range(element.order + 1), repeat=element.dim):
        if sum(powers) <= element.order:
            interpolated = element.N(xi) @ np.prod(element.nodes**powers, axis=1)
            assert np.allclose(interpolated, np.prod(xi**powers, axis=1), atol=1e-14)


@every_element
def test_shape_functions_sum_to_one(element):
    xi = INSIDE[:, : element.dim]
    assert np.allclose(element.N(xi).sum(axis=1), 1.0, rtol=0, atol=1e-14)
    assert np.allclose(element.dN(xi).sum(axis=1), 0.0, rtol=0, atol=1e-14)


@every_element
def test_gradients_are_the_derivatives_of_the_shape_functions(element):
    xi, h = INSIDE[:, : element.dim], 1e-30
    for k in range(element.dim):
        # a complex step has no cancellation: exact to rounding (Squire and Trapp 1998)
        derivative = element.N(xi + 1j * h * np.eye(element.dim)[k]).imag / h
        assert np.allclose(element.dN(xi)[:, :, k], derivative, rtol=0, atol=1e-14)


def even(power):
    """Integral of x^p over [-1, 1]."""
    return (1 + (-1) ** power) / (power + 1)


def simplex(powers):
    """Dirichlet's formula over the triangle or tetrahedron with unit legs."""
    return np.prod([factorial(p) for p in powers]) / factorial(sum(powers) + len(powers))


def exact_integral(element, powers):
    if is_simplex(element):
        return simplex(powers)
    if element.name.startswith("wedge"):
        return simplex(powers[:2]) * even(powers[2])
    if element.name.startswith("pyramid"):  # x^i y^j z^k = a^i b^j z^k (1 - z)^(i + j + 2), a beta integral
        i, j, k = powers
        return even(i) * even(j) * factorial(k) * factorial(i + j + 2) / factorial(i + j + k + 3)
    return np.prod([even(p) for p in powers])


def is_within(element, powers, degree):
    """Whether a rule of this degree must integrate a monomial."""
    if is_simplex(element):
        return sum(powers) <= degree
    if element.name.startswith("wedge"):  # (degree in the triangle, degree over the height)
        return sum(powers[:2]) <= degree[0] and powers[2] <= degree[1]
    if element.name.startswith("pyramid"):  # (in a and b each, over the height)
        return max(powers[:2]) <= degree[0] and sum(powers) <= degree[1]
    return True  # of a product rule the degree counts in each coordinate


# what must be exact: products of shape functions times det J of an element with straight sides, and more on
# tetrahedra, whose mass is exact on curved elements too
DEGREES = {
    "tet4": (2, 0),
    "tet10": (7, 5),
    "hex8": (5, 3),
    "hex20": (7, 5),
    "hex27": (7, 5),
    "wedge6": ((3, 5), (2, 3)),
    "wedge15": ((7, 7), (5, 5)),
    "pyramid5": ((5, 3), (3, 1)),
    "pyramid13": ((7, 5), (5, 3)),
    "tri3": (2, 0),
    "tri6": (7, 2),
    "quad4": (5, 3),
    "quad8": (7, 5),
    "quad9": (7, 5),
}


@every_element
def test_quadrature_is_exact_for_the_polynomials_it_is_meant_for(element):
    full, stiff = DEGREES[element.name]
    for rule, degree in ((element.quadrature, full), (element.stiffness_quadrature, stiff)):
        assert (rule.weights > 0).all()
        checked = 0
        for powers in itertools.product(range(np.max(degree) + 1), repeat=element.dim):
            if is_within(element, powers, degree):
                value = rule.weights @ np.prod(rule.points**powers, axis=1)
                assert value == pytest.approx(exact_integral(element, powers), abs=1e-14)
                checked += 1
        assert checked


@every_solid
def test_faces_enclose_the_reference_element(element):
    """Divergence theorem: a third of the flux of x through the faces, normals outwards, is the volume."""
    flux = 0.0
    for nodes, kind in zip(element.faces, element.face_kinds, strict=True):
        face = FACES[kind]
        N, dN = face.N(face.quadrature.points), face.dN(face.quadrature.points)
        x = element.nodes[list(nodes)]
        normal = np.cross(*np.einsum("ia,qib->bqa", x, dN))
        flux += face.quadrature.weights @ np.einsum("qa,qa->q", N @ x, normal)
    assert flux / 3 == pytest.approx(element.quadrature.weights.sum(), rel=1e-13)


@every_solid
def test_on_a_face_the_element_is_that_surface_element(element):
    """What makes mixed meshes fit: on each face the shape functions are those of its kind, the others zero."""
    for nodes, kind in zip(element.faces, element.face_kinds, strict=True):
        face = FACES[kind]
        inside = np.array([[0.21, 0.13], [0.05, 0.42], [0.3, 0.3]])
        on_face = face.N(inside) @ element.nodes[list(nodes)]
        expected = np.zeros((len(inside), element.n_nodes))
        expected[:, list(nodes)] = face.N(inside)
        assert np.allclose(element.N(on_face), expected, rtol=0, atol=1e-14)


VTK = {
    "tet4": "Tetra",
    "tet10": "QuadraticTetra",
    "hex8": "Hexahedron",
    "hex20": "QuadraticHexahedron",
    "hex27": "TriQuadraticHexahedron",
    "wedge6": "Wedge",
    "wedge15": "QuadraticWedge",
    "pyramid5": "Pyramid",
    "pyramid13": "QuadraticPyramid",
}


@every_solid
def test_nodes_stand_in_the_order_of_vtk(element):
    """VTK's own cells say where their nodes are, in [0, 1]^3."""
    vtk = pytest.importorskip("vtk")
    cell = getattr(vtk, f"vtk{VTK[element.name]}")()
    theirs = np.array([cell.GetParametricCoords()[i] for i in range(3 * element.n_nodes)]).reshape(-1, 3)
    ours = element.nodes.copy()
    if element.name.startswith("hex"):
        ours = (1 + ours) / 2
    elif element.name.startswith("wedge"):
        ours[:, 2] = (1 + ours[:, 2]) / 2
    elif element.name.startswith("pyramid"):
        # a cube whose upper side collapses
        ab, z = collapsed(element.nodes)
        ours = np.hstack([(1 + ab) / 2, z])
        ours[4], theirs[4, :2] = (0, 0, 1), 0
    assert np.allclose(ours, theirs, rtol=0, atol=1e-15)


def test_the_gradients_of_the_pyramid_depend_on_the_way_to_the_apex():
    """They are constant along each ray; what is returned at the apex is their mean over the base."""
    pyramid = fem.ELEMENTS["pyramid5"]
    a, b, z = 0.3, -0.7, np.array([0.0, 0.5, 1 - 1e-12])
    ray = np.stack([a * (1 - z), b * (1 - z), z], axis=1)
    along = pyramid.dN(ray)
    assert np.allclose(along, along[0], rtol=0, atol=1e-3)  # 1 - z has four digits left at the last point
    assert np.allclose(along[1], along[0], rtol=0, atol=1e-15)
    square, weights = gauss(2, 2)
    base = pyramid.dN(np.hstack([square, np.zeros((4, 1))]))
    mean = np.einsum("q,qia->ia", weights, base) / 4
    assert np.allclose(pyramid.dN(np.array([[0.0, 0.0, 1.0]]))[0], mean, rtol=0, atol=1e-15)
    assert not np.allclose(along[0], mean, rtol=0, atol=0.1)


@pytest.mark.parametrize("element", [e for e in ALL if e.order == 2], ids=lambda e: e.name)
def test_middle_nodes_lie_between_the_ends_of_their_edge(element):
    expected = [element.nodes[list(group)].mean(axis=0) for group in element.middles]
    assert np.array_equal(element.nodes[element.n_corners :], expected)
    assert len({frozenset(group) for group in element.middles}) == len(expected)


@pytest.mark.parametrize("element", FACES.values(), ids=lambda e: e.name)
def test_drawing_triangles_cover_the_face_once(element):
    corners = element.nodes[np.array(element.triangles)]
    areas = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 2
    assert (areas > 0).all()
    assert areas.sum() == pytest.approx(element.quadrature.weights.sum(), rel=1e-14)
