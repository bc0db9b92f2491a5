"""Strips, wires and sheets of any slenderness: frequencies by the thin-beam formula, and what is really loose.

Free-free bending of a thin beam: (beta l)^2 sqrt(E I / (rho A l^4)) / 2 pi with cos(beta l) cosh(beta l) = 1, that is
4.7300 and 7.8532 (Timoshenko, Young and Weaver, Vibration Problems in Engineering, 1974, art. 5.11).
"""

import numpy as np
import pytest

import fem
import flexbody as fb
import modal

BETA = np.array([4.730040744862704, 7.853204624095838])
STEEL = fem.Isotropic(E=2.1e11, nu=0.3, rho=7850.0)


def thin_beam_hz(length, thickness):
    """Return the first two frequencies of bending."""
    return BETA**2 / (2 * np.pi * length**2) * np.sqrt(STEEL.E * thickness**2 / (12 * STEEL.rho))


def solid(length, width, thickness, n=20, across=1):
    return fem.assemble(fem.box((length, width, thickness), (n, across, 1), "hex20"), STEEL)


def sheet(length, width, thickness, n=20, across=2):
    """A sheet of shells, with its ends x0 and x1."""
    points = [(length * i / n, width * j / across, 0.0) for i in range(n + 1) for j in range(across + 1)]
    first = [i * (across + 1) + j for i in range(n) for j in range(across)]
    quads = [(k, k + across + 1, k + across + 2, k + 1) for k in first]
    ends = {"x0": list(range(across + 1)), "x1": list(range(n * (across + 1), len(points)))}
    return fem.assemble(fem.Mesh(points, [fem.Block("quad4", quads)], ends), fem.Shell(STEEL, thickness))


def wire(length, side, n=20):
    """A wire of beams, not along an axis."""
    points = np.linspace(0, 1, n + 1)[:, None] * (length * np.array([2.0, -1.0, 2.0]) / 3)
    mesh = fem.Mesh(points, [fem.Block("line2", [(k, k + 1) for k in range(n)])], {"x0": [0], "x1": [n]})
    return fem.assemble(mesh, fem.Beam(STEEL, fem.Rectangle(side, side)))


PARTS = {
    "strip, L/t = 100": (solid, 0.3, 0.03, 0.003),
    "strip, L/t = 600": (solid, 0.3, 0.03, 0.0005),
    "strip, L/t = 5000": (solid, 1.0, 0.05, 0.0002),
    "wire, L/t = 1000": (solid, 2.0, 0.002, 0.002),
    "wire, L/t = 5000": (solid, 5.0, 0.001, 0.001),
    "sheet, L/t = 2000": (sheet, 1.0, 0.1, 0.0005),
    "sheet, L/t = 5000": (sheet, 1.0, 0.1, 0.0002),
    "beams, L/t = 5000": (wire, 5.0, 0.001),
}


#: one of each kind is enough in the quick lane
SLOW = ("strip, L/t = 100", "strip, L/t = 600", "wire, L/t = 1000", "sheet, L/t = 5000")


@pytest.fixture(
    scope="module",
    params=[pytest.param(name, marks=[pytest.mark.slow] if name in SLOW else []) for name in PARTS],
)
def part(request):
    make, *size = PARTS[request.param]
    return make(*size), thin_beam_hz(size[0], size[-1])


def bending(frequencies, exact):
    """Return the frequencies that are nearest to the exact ones."""
    return np.array([frequencies[np.argmin(np.abs(frequencies - f))] for f in exact])


def test_a_slender_part_is_reduced(part):
    structure, exact = part
    full = fem.vibration(structure, n=6)
    np.testing.assert_allclose(bending(full.frequencies_hz, exact), exact, rtol=0.02)
    reduced = modal.reduce(structure, modal.recommend(structure, ("x0", "x1"), f_max_hz=3 * exact[0]))
    np.testing.assert_allclose(bending(reduced.frequencies_hz, exact), exact, rtol=0.02)
    # Rayleigh and Ritz: never below the full model's but for rounding, and 1 % above as recommend promises
    assert -1e-6 < reduced.frequencies_hz[0] / full.frequencies_hz[0] - 1 < 0.01
    assert "frequencies" in str(reduced.report(structure))


def test_rigid_motions_cost_no_energy(part):
    """Beside the first mode: what rounding leaves of their energy has one digit more than the machine's."""
    structure, _ = part
    R = structure.rigid_modes()
    energy = np.abs(np.einsum("ij,ij->j", R, structure.elastic_forces(R)))
    mass = np.einsum("ij,ij->j", R, structure.inertia_forces(R))
    first = (2 * np.pi * fem.vibration(structure, n=1).frequencies_hz[0]) ** 2
    assert (energy <= 1e-9 * first * mass).all()


def test_static_sag_of_a_slender_cantilever():
    """The tip sags by rho A g l^4 / (8 E I) under its weight, where the assembled matrix passes for singular.

    The clamped end can't contract, which costs less than 1 %.
    """
    length, side = 5.0, 0.001
    structure = solid(length, side, side, 60)
    tip = fem.static(structure, "x0", fem.Gravity((0.0, 0.0, -9.81))).at("x1")[2]
    exact = -STEEL.rho * 9.81 * length**4 / (8 * STEEL.E * side**2 / 12)
    assert tip == pytest.approx(exact, rel=0.01)


@pytest.mark.parametrize("kind", [modal.Averaged(), modal.Rigid()], ids=str)
def test_base_functions_with_either_interface(part, kind):
    structure, exact = part
    body = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=6, interface=kind))
    np.testing.assert_allclose(bending(body.frequencies_hz, exact), exact, rtol=0.03)


def test_a_wire_swings_and_turns():
    structure = wire(5.0, 0.001)
    body = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=2))
    rod = fb.FlexibleBody("rod", body)
    pin = fb.Revolute("pin", fb.GROUND, rod["x0"], axis="y")
    swing = fb.simulate(fb.System(bodies=[rod], joints=[pin], gravity=(0.0, 0.0, -9.81)), t_end=0.02)
    turning = fb.System(bodies=[rod], joints=[pin, fb.Drive("drive", pin, rate=0.5)])
    for result in (swing, fb.simulate(turning, t_end=0.02)):
        assert np.abs(result.energy.balance_error).max() < 1e-5


def test_a_part_that_is_loose_is_refused():
    """The same strip in two pieces that do not touch, and one that hangs on its bolts' line only."""
    half = solid(0.5, 0.05, 0.0002).mesh
    points = np.vstack([half.points, half.points + [0.6, 0.0, 0.0]])
    nodes = half.blocks[0].nodes
    apart = fem.Mesh(points, [fem.Block("hex20", np.vstack([nodes, nodes + len(half.points)]))])
    with pytest.raises(fem.FlexbodyError, match=r"parts|connected|loose"):
        fem.assemble(apart, STEEL)


def test_a_hinge_is_refused():
    """Two wires of trusses and beams of the same slenderness that meet in a pin: nothing holds the second."""
    n = 20
    points = [(5.0 * k / n, 0.0, 0.0) for k in range(n + 1)]
    mesh = fem.Mesh(
        points,
        [fem.Block("line2", [(k, k + 1) for k in range(n)])],
        {"x0": [0], "x1": [n]},
        element_sets={"stiff": list(range(n - 1)), "pinned": [n - 1]},
    )
    structure = fem.assemble(
        mesh, {"stiff": fem.Beam(STEEL, fem.Rectangle(0.001, 0.001)), "pinned": fem.Truss(STEEL, 1e-6)}
    )
    with pytest.raises(fem.FlexbodyError, match=r"nothing holds|is not accurate|converged"):
        fem.vibration(structure, n=2)


def test_what_hangs_by_a_thread_too_soft_to_count_is_refused():
    """A strip whose second half is held by a spring 1e-22 as stiff as its elements."""
    half = solid(0.5, 0.05, 0.0002).mesh
    points = np.vstack([half.points, half.points + [0.6, 0.0, 0.0]])
    nodes = half.blocks[0].nodes
    sets = {"end": half.node_sets["x1"], "start": half.node_sets["x0"] + len(half.points)}
    mesh = fem.Mesh(points, [fem.Block("hex20", np.vstack([nodes, nodes + len(half.points)]))], sets)
    with pytest.raises(fem.FlexbodyError, match=r"nothing holds|is not accurate|loose|converged"):
        fem.vibration(fem.assemble(mesh, STEEL, parts=[fem.Spring("end", "start", np.eye(6) * 1e-12)]), n=2)
