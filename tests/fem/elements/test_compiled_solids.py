"""The compiled functions of solids against each other, and at their edges."""

import subprocess
import sys

import numpy as np
import pytest

import fem
from fem.core.compiler import Variant

STEEL = fem.Isotropic(E=2.1e11, nu=0.3, rho=7850.0)


def _elements(kind, rng):
    """Two bent elements, (2, nn, 3)."""
    reference = fem.ELEMENTS[kind].nodes
    return 0.1 * reference + 2e-3 * rng.standard_normal((2, *reference.shape))


@pytest.mark.parametrize("kind", fem.ELEMENTS)
@pytest.mark.parametrize("brick", [fem.FullIntegration(), fem.IncompatibleModes(), fem.MeanDilatation()])
def test_products_of_the_geometric_stiffness_are_those_of_its_matrices(kind, brick):
    rng = np.random.default_rng(3)
    X, solid = _elements(kind, rng), fem.Solid(STEEL, brick=brick)
    nd = 3 * X.shape[1]
    u, Phi = 1e-4 * rng.standard_normal((2, nd, 3)), rng.standard_normal((2, nd, 4))
    found = solid.geometric_products(kind, X, u, Phi)
    K_G = [solid.geometric(kind, X, u[:, :, k]) for k in range(3)]
    expected = np.einsum("ein,keij,ejm->knm", Phi, K_G, Phi)
    np.testing.assert_allclose(found, expected, rtol=1e-10, atol=1e-10 * abs(expected).max())


@pytest.mark.parametrize(("n", "N"), [(0, 4), (3, 0), (0, 0)])
def test_without_displacements_there_are_no_products(n, N):
    X = _elements("hex8", np.random.default_rng(3))
    found = fem.Solid(STEEL).geometric_products("hex8", X, np.zeros((2, 24, n)), np.zeros((2, 24, N)))
    assert found.shape == (n, N, N)


@pytest.mark.slow
@pytest.mark.skipif(bool(Variant.chosen().sanitize), reason="sanitizers end the process themselves")
def test_where_there_is_no_memory_the_process_ends_and_says_how_much():
    code = (
        "import numpy as np\n"
        "from fem.common.tall_matrices import _inner\n"
        "_inner(0, 10**13, 0, np.zeros(0), False, np.zeros(0), True, np.zeros(0))\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode != 0
    assert "flexbody core: there is no memory for 2560000000000000 numbers of 8 bytes" in done.stderr
