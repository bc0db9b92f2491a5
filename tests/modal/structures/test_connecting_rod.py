"""The connecting rod of the main job, from its mesh to a reduced body."""

from pathlib import Path

import numpy as np
import pytest
from support.bars import STEEL

import fem
import modal

MESH = Path(__file__).parents[3] / "meshes" / "conrod.msh"
EYES = ("big_end", "small_end")


@pytest.fixture(scope="module")
def rod():
    return fem.assemble(fem.read_mesh(MESH), STEEL)


@pytest.fixture(scope="module")
def body(rod):
    basis = modal.craig_bampton(rod, interfaces=EYES, n_normal=8)
    return modal.reduce(rod, basis, frame=modal.MeanDisplacement(), markers=("middle",), name="rod")


def test_its_numbers(rod, body):
    assert body.N == 14  # 12 constraint modes and 8 normal modes, less 6 rigid motions
    assert body.mass == pytest.approx(7850.0 * rod.mesh.volume, rel=1e-6)
    assert set(body.markers) == {*EYES, "middle"}
    np.testing.assert_allclose(body.C3, rod.inertia, rtol=1e-9, atol=1e-9 * np.trace(rod.inertia))
    arm = body.markers["small_end"].point - body.markers["big_end"].point
    low, high = rod.mesh.bounding_box
    assert 0.5 * (high - low).max() < np.linalg.norm(arm) < (high - low).max()


def test_the_reduced_rod_has_the_full_models_lowest_frequencies(rod, body):
    """From above; eight normal modes reach well beyond the first four, whose error is then below 0.1 %."""
    full = modal.eigenmodes(rod, n=4).frequencies_hz
    error = body.frequencies_hz[:4] / full - 1
    assert (error > -1e-8).all()
    assert (error < 1e-3).all()


@pytest.mark.slow
def test_rigid_eyes_make_it_stiffer(rod):
    effect = modal.interface_effect(rod, EYES, n=4)
    assert (effect.increase > 0).all()
    assert effect.increase.max() > 0.01


def test_its_file_is_small(body, tmp_path):
    """A few thousand surface nodes with 14 base functions each; the core alone is a few hundred kilobytes."""
    path = body.save(tmp_path / "rod.h5")
    assert path.stat().st_size < 6e6
    loaded = modal.load(path)
    np.testing.assert_array_equal(loaded.C7, body.C7)
