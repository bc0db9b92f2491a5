"""Shape functions, quadrature and faces of every element."""

import itertools
from math import factorial

import numpy as np
import pytest

from fem.elements import ELEMENTS, FACES

ALL = [*ELEMENTS.values(), *FACES.values()]
INSIDE = np.array([[0.21, 0.13, 0.37], [0.05, 0.42, 0.11], [0.3, 0.3, 0.2]])
every_element = pytest.mark.parametrize("element", ALL, ids=lambda e: e.name)


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
def test_gradients_are_the_derivatives_of_the_shape_functions(element):
    xi, h = INSIDE[:, : element.dim], 1e-3
    for k in range(element.dim):
        e = h * np.eye(element.dim)[k]
        # Richardson's extrapolation is exact for polynomials up to degree 4; degrees here go to 4: rounding
        # only
        one = (element.N(xi + e) - element.N(xi - e)) / (2 * h)
        two = (element.N(xi + 2 * e) - element.N(xi - 2 * e)) / (4 * h)
        assert np.allclose(element.dN(xi)[:, :, k], (4 * one - two) / 3, atol=1e-11)


def exact_integral(element, powers):
    if is_simplex(element):  # Dirichlet's formula
        return np.prod([factorial(p) for p in powers]) / factorial(sum(powers) + element.dim)
    return np.prod([(1 + (-1) ** p) / (p + 1) for p in powers])


# what must be exact: products of shape functions times det J of a straight element, and more on tetrahedra,
# whose mass is exact on curved elements too; of a product rule the degree counts in each coordinate
DEGREES = {
    "tet4": (2, 0),
    "tet10": (7, 5),
    "hex8": (5, 3),
    "hex20": (7, 5),
    "tri3": (2, 0),
    "tri6": (7, 2),
    "quad4": (5, 3),
    "quad8": (7, 5),
}


@every_element
def test_quadrature_is_exact_for_the_polynomials_it_is_meant_for(element):
    full, stiff = DEGREES[element.name]
    for rule, degree in ((element.quadrature, full), (element.stiffness_quadrature, stiff)):
        assert (rule.weights > 0).all()
        for powers in itertools.product(range(degree + 1), repeat=element.dim):
            if is_simplex(element) and sum(powers) > degree:
                continue
            value = rule.weights @ np.prod(rule.points**powers, axis=1)
            assert value == pytest.approx(exact_integral(element, powers), abs=1e-14)


@pytest.mark.parametrize("element", ELEMENTS.values(), ids=lambda e: e.name)
def test_faces_enclose_the_reference_element(element):
    """Divergence theorem: a third of the flux of x through the faces, normals outwards, is the volume."""
    face = FACES[element.face]
    N, dN = face.N(face.quadrature.points), face.dN(face.quadrature.points)
    flux = 0.0
    for nodes in element.faces:
        x = element.nodes[list(nodes)]
        normal = np.cross(*np.einsum("ia,qib->bqa", x, dN))
        flux += face.quadrature.weights @ np.einsum("qa,qa->q", N @ x, normal)
    assert flux / 3 == pytest.approx(element.quadrature.weights.sum(), rel=1e-13)


@pytest.mark.parametrize("element", [e for e in ALL if e.order == 2], ids=lambda e: e.name)
def test_middle_nodes_lie_between_the_ends_of_their_edge(element):
    a, b = np.array(element.edges).T
    assert np.array_equal(element.nodes[element.n_corners :], (element.nodes[a] + element.nodes[b]) / 2)


@pytest.mark.parametrize("element", FACES.values(), ids=lambda e: e.name)
def test_drawing_triangles_cover_the_face_once(element):
    corners = element.nodes[np.array(element.triangles)]
    areas = np.linalg.det(corners[:, 1:] - corners[:, :1]) / 2
    assert (areas > 0).all()
    assert areas.sum() == pytest.approx(element.quadrature.weights.sum(), rel=1e-14)
