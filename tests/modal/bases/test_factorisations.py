"""A structure's stiffness is factorised once for a body, from its basis to its accuracy, and let go with the basis."""

import copy
import gc
import pickle

import numpy as np
import pytest
from support.bars import STEEL

import fem
import modal
from fem.model import free_body_flexibility as flexibility

ENDS = ("x0", "x1")


@pytest.fixture
def structure():
    return fem.assemble(fem.box((0.3, 0.02, 0.03), (6, 1, 1), "hex8"), STEEL)


@pytest.fixture
def made(monkeypatch):
    """Sizes of what was factorised."""
    sizes, factorise = [], flexibility.factorise

    def counted(A, **options):
        sizes.append(A.shape[0])
        return factorise(A, **options)

    monkeypatch.setattr(flexibility, "factorise", counted)
    return sizes


def test_one_for_basis_and_reduction_and_one_more_for_rigid_interfaces(structure, made):
    basis = modal.craig_bampton(structure, ENDS, n_normal=2)
    body = modal.reduce(structure, basis, markers=("y0",))
    assert made == [structure.n - 6]
    body.report(structure)
    held = 3 * sum(len(structure.mesh.nodes_of(name)) for name in ENDS)
    assert made == [structure.n - 6, structure.n - held]


def test_recommending(structure, made):
    modal.recommend(structure, ENDS, f_max_hz=2000.0, loads=fem.Pressure("y1", 1e5))
    assert made == [structure.n - 6]


@pytest.mark.slow
def test_it_goes_with_the_last_basis(structure, made):
    one, other = modal.eigenmodes(structure, n=2), modal.attachment_modes(structure, ENDS)
    assert len(made) == 1
    del one
    gc.collect()
    assert structure.shared.flexibility() is not None
    del other
    gc.collect()
    assert structure.shared.flexibility() is None
    modal.eigenmodes(structure, n=2)
    assert len(made) == 2


@pytest.mark.parametrize(
    "again", [copy.deepcopy, lambda what: pickle.loads(pickle.dumps(what))], ids=["copied", "pickled"]
)
def test_copies_have_none_of_it_and_work(structure, again):
    basis = modal.craig_bampton(structure, ENDS, n_normal=2)
    other = again(basis)
    np.testing.assert_array_equal(other.Phi, basis.Phi)
    assert other.structure.shared.flexibility() is None
    body = modal.reduce(other.structure, other)
    np.testing.assert_allclose(body.K, modal.reduce(structure, basis).K, rtol=1e-9)
