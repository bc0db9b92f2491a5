"""Dampers inside a body: two blocks joined by a spring and a damper, against the closed form of two masses."""

from dataclasses import replace

import numpy as np
import pytest

import fem
import flexbody as fb
import modal

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
#: along x, N/m and N s/m; the block's own stiffness E A / l is 2e4 times as large
SPRING, DAMPER = 1e6, 300.0


@pytest.fixture(scope="module")
def blocks():
    """Return two steel blocks, 0.1 m and 0.3 m long, 0.05 m apart, with a spring and damper along x between them."""
    first = fem.box((0.1, 0.1, 0.1), (1, 1, 1), "hex8")
    second = fem.box((0.3, 0.1, 0.1), (2, 1, 1), "hex8")
    n = first.n_nodes
    points = np.concatenate([first.points, second.points + [0.15, 0, 0]])
    nodes = np.concatenate([first.blocks[0].nodes, second.blocks[0].nodes + n])
    sets = {
        "left": first.nodes_of("x1"),
        "right": second.nodes_of("x0") + n,
        "far": second.nodes_of("x1") + n,
    }
    mesh = fem.Mesh(points, (fem.Block("hex8", nodes),), sets)
    link = fem.Spring("left", "right", (SPRING, 1e9, 1e9, 1e7, 1e7, 1e7), damping=(DAMPER, 0, 0, 0, 0, 0))
    structure = fem.assemble(mesh, STEEL, parts=(link,))
    return modal.reduce(structure, modal.eigenmodes(structure, n=4), markers=("left", "right"), name="blocks")


def test_the_damping_matrix_is_the_power_of_the_damper(blocks):
    """``alpha_dot' D alpha_dot = d (v_right - v_left)^2``, from the motions of the two faces."""
    apart = blocks.marker("right").Phi[0] - blocks.marker("left").Phi[0]
    np.testing.assert_allclose(
        blocks.D, DAMPER * np.outer(apart, apart), rtol=0, atol=1e-9 * np.abs(blocks.D).max()
    )
    assert np.abs(blocks.D).max() > 1


def test_two_blocks_swing_as_two_masses_with_a_damper(blocks):
    """omega = sqrt(k / m), zeta = d / (2 sqrt(k m)) of the reduced mass m = m1 m2 / (m1 + m2)."""
    m1, m2 = 7.85, 23.55
    m = m1 * m2 / (m1 + m2)
    omega, ratio = np.sqrt(SPRING / m), DAMPER / (2 * np.sqrt(SPRING * m))
    k = int(np.argmin(np.abs(blocks.frequencies_hz - omega / (2 * np.pi))))
    body = fb.FlexibleBody("blocks", blocks, alpha=1e-6 * np.eye(blocks.N)[k])
    small = fb.linearize(fb.System(bodies=[body]))
    at = int(np.argmin(np.abs(small.frequencies_hz - omega / (2 * np.pi))))
    # the blocks bend the spring's frequency by their own elasticity, k l / (3 E A) each: 1e-4
    assert small.frequencies_hz[at] == pytest.approx(omega / (2 * np.pi), rel=3e-4)
    assert small.damping_ratios[at] == pytest.approx(ratio, rel=3e-4)
    result = fb.simulate(fb.System(bodies=[body]), t_end=0.05, integrator=fb.GeneralizedAlpha(rtol=1e-7))
    swing = result.alpha(body)[:, k]
    damped = omega * np.sqrt(1 - ratio**2)
    expected = np.exp(-ratio * omega * result.t) * (
        np.cos(damped * result.t) + ratio / np.sqrt(1 - ratio**2) * np.sin(damped * result.t)
    )
    np.testing.assert_allclose(swing / 1e-6, expected, atol=5e-3)
    assert result.energy.balance_error < 1e-3  # 0.9 if the power of the damper were not counted
    assert result.energy.total[-1] < 0.1 * result.energy.total[0]


def test_dampers_are_added_to_the_damping_ratio(blocks):
    plain = fb.FlexibleBody("blocks", replace(blocks, D=None), damping_ratio=0.01).damping
    both = fb.FlexibleBody("blocks", blocks, damping_ratio=0.01).damping
    np.testing.assert_allclose(both - plain, blocks.D, rtol=0, atol=1e-12 * np.abs(both).max())


@pytest.mark.parametrize("ending", [".h5", ".SID_FEM", ".npz"])
def test_dampers_stay_in_files(blocks, ending, tmp_path):
    if ending == ".h5":
        found = modal.load(blocks.save(tmp_path / "b.h5")).D
    elif ending == ".npz":
        found = np.load(blocks.export(tmp_path / "b.npz"))["D"]
    else:
        found = modal.read_sid(blocks.export(tmp_path / "b.SID_FEM")).D
    np.testing.assert_allclose(
        found, blocks.D, rtol=0, atol=1e-11 * np.abs(blocks.D).max()
    )  # 12 digits in SID


def test_the_report_names_the_damped_modes(blocks):
    assert "dampers: damping ratios up to 0.0" in blocks.report()


def test_a_damper_to_the_ground_belongs_to_the_machine():
    bar = fem.box((1.0, 0.1, 0.1), (2, 1, 1), "hex8")
    held = fem.assemble(bar, STEEL, parts=(fem.Spring("x0", None, (0,) * 6, damping=(1.0, 0, 0, 0, 0, 0)),))
    with pytest.raises(fem.InputError, match="dampers to the ground"):
        modal.eigenmodes(held, n=2)


def test_damping_that_would_add_energy_is_refused(blocks):
    with pytest.raises(fem.InputError, match="D is negative for some motion"):
        replace(blocks, D=-blocks.D)
    with pytest.raises(fem.InputError, match=r"the damping .* must not be negative"):
        bar = fem.box((1.0, 0.1, 0.1), (2, 1, 1), "hex8")
        fem.assemble(bar, STEEL, parts=(fem.Spring("x0", "x1", 1e3, damping=-1.0),))
