"""Modes of structures with motions that have no mass, up to all that there are, against dense matrices."""

import numpy as np
import pytest
import scipy.linalg
from scipy import sparse
from support.frames import STEEL, line
from support.shell_meshes import grid

import fem
import modal
from fem.analysis.eigen import lowest_modes
from fem.model.free_body_flexibility import HeldFlexibility
from fem.model.supports import held_by
from fem.properties.material import NO_MASS


def plate(n, offset=0.0):
    """A square cantilever plate of n x n quadrilaterals, lumped."""
    points, quads = grid("quad4", n, n)
    left = np.flatnonzero(points[:, 0] == 0)
    mesh = fem.Mesh(points, (fem.Block("quad4", quads),), {"start": left}, name="plate")
    return fem.assemble(mesh, fem.Shell(STEEL, 0.01, offset=offset), lumped=True)


def beam(n, end, lumped):
    thin = fem.Beam(STEEL, fem.Circle(0.02), rotary=False)
    return fem.assemble(line([(0, 0, 0), end], n), thin, lumped=lumped)


def dense(structure):
    """All finite eigenvalues of the structure held at "start"; from M x = mu K x, as M is singular."""
    held = held_by(structure, "start")
    pick = np.ix_(held.free, held.free)
    K, M = structure.K.toarray()[pick], structure.M.toarray()[pick]
    units = 1 / np.sqrt(K.diagonal())
    mu = scipy.linalg.eigvalsh(M * np.outer(units, units), K * np.outer(units, units))[::-1]
    return 1 / mu[mu > 1e-13 * mu[0]]


#: rotations without mass are single unknowns in the first three, combinations with displacements in the others
STRUCTURES = {
    "plate": lambda: plate(3),
    "two lumped elements": lambda: beam(2, (1, 0, 0), True),
    "oblique, lumped": lambda: beam(3, (1, 2, 3), True),
    "offset plate": lambda: plate(3, 0.01),
    "oblique without rotary inertia": lambda: beam(1, (1, 0.5, 0.3), False),
    "two of these": lambda: beam(2, (1, 0.5, 0.3), False),
}


@pytest.mark.parametrize("case", STRUCTURES)
def test_up_to_all_modes(case):
    structure = STRUCTURES[case]()
    expected = dense(structure)
    held = held_by(structure, "start")
    body = HeldFlexibility(structure, held.held)
    for n in sorted({1, 2, 3, len(expected) // 2, len(expected) - 1, len(expected)}):
        found, X = lowest_modes(
            structure.K, structure.inertia_forces, n, inverse=body.solve, unloaded=body.unloaded
        )
        # the condition of K, some 1e7, times rounding
        np.testing.assert_allclose(found, expected[:n], rtol=1e-8)
        np.testing.assert_allclose(X.T @ structure.inertia_forces(X), np.eye(n), atol=1e-8)
        # the shapes too where there is no mass
        units = 1 / np.sqrt(structure.K.diagonal()[held.free])[:, None]
        forces = structure.inertia_forces(X) * found
        residual = np.linalg.norm(units * (structure.K @ X - forces)[held.free], axis=0)
        assert (residual < 1e-7 * np.linalg.norm(units * forces[held.free], axis=0)).all()
    with pytest.raises(fem.InputError, match=f"only {len(expected)} positive eigenvalues"):
        lowest_modes(structure.K, structure.inertia_forces, len(expected) + 1, inverse=body.solve)


def test_most_modes_of_a_lumped_plate():
    """100 of 126: rounding in the rotations would grow a thousandfold every ten steps or so."""
    structure = plate(6)
    modes = fem.vibration(structure, "start", n=100)
    expected = np.sqrt(dense(structure)[:100]) / (2 * np.pi)
    np.testing.assert_allclose(modes.frequencies_hz, expected, rtol=1e-8)
    forces = structure.inertia_forces(modes.shapes) * (2 * np.pi * modes.frequencies_hz) ** 2
    held = held_by(structure, "start")
    units = 1 / np.sqrt(structure.K.diagonal()[held.free])[:, None]
    residual = np.linalg.norm(units * (structure.K @ modes.shapes - forces)[held.free], axis=0)
    assert (residual < 1e-7 * np.linalg.norm(units * forces[held.free], axis=0)).all()


def test_the_residual_knows_no_units():
    """Rotations counted in units that make moments 1000 times as large as forces, or as small."""
    structure = beam(3, (1, 0, 0), True)
    held = held_by(structure, "start").free
    wrong = 1 + 1e-5 * (np.arange(len(held)) % 2)
    words = set()
    for length in (1.0, 1e-3, 1e3):
        scale = np.tile([1.0, 1.0, 1.0, length, length, length], structure.mesh.n_nodes)[held]
        K = sparse.csr_array(structure.K[held][:, held].multiply(np.outer(scale, scale)))
        M = sparse.csr_array(structure.M[held][:, held].multiply(np.outer(scale, scale)))
        solve = fem.factorise(K).solve
        found, _ = lowest_modes(K, M, 4, inverse=solve)
        np.testing.assert_allclose(found, dense(structure)[:4], rtol=1e-9)
        with pytest.raises(fem.ConvergenceError, match=r"is not accurate: residual [1-9]") as caught:
            lowest_modes(K, M, 2, inverse=lambda f, solve=solve: wrong * solve(wrong * f))
        words.add(str(caught.value))
    assert len(words) == 1


def test_a_body_without_density_is_refused():
    bar = fem.assemble(
        line([(0, 0, 0), (1, 0, 0)], 2), fem.Beam(fem.Isotropic(2e11, 0.3, 1e-30), fem.Circle(0.02))
    )
    with pytest.raises(fem.InputError, match=r"has no mass \(3.1.e-34 kg\): its materials need a density"):
        fem.vibration(bar, n=2)
    with pytest.raises(fem.InputError, match="has no mass"):
        modal.reduce(bar, modal.craig_bampton(bar, ("start", "end"), n_normal=0))


def test_a_point_mass_on_parts_without_density_is_told():
    light = fem.Isotropic(E=210e9, nu=0.3, rho=NO_MASS)  # as readers give it for none
    mesh = fem.box((1.0, 0.1, 0.1), (4, 1, 1)).select("start", plane=((0, 0, 0), (1, 0, 0)))
    mesh = mesh.select("end", plane=((1, 0, 0), (1, 0, 0)))
    parts = [fem.Averaged("tip", "end", at=(1, 0.05, 0.05)), fem.PointMass("tip", 2.0)]
    body = fem.assemble(mesh, light, parts=parts)
    for n, supports in ((1, ()), (7, ()), (7, "start")):
        with pytest.raises(fem.FlexbodyError, match="unknowns have no mass: has every material its density"):
            fem.vibration(body, n=n, supports=supports)
