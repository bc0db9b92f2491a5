"""Stresses of a result: against bars and beams worked out by hand, and against the finite-element model itself."""

import tracemalloc

import numpy as np
import pytest
from support.every import STEEL, straight

import fem
import flexbody as fb
import modal

pytestmark = pytest.mark.slow  # together a second or more

PLAIN = fem.Isotropic(E=210e9, nu=0.0, rho=7850.0)
SECTION = fem.Rectangle(0.1, 0.1)


def smooth(t, over):
    """A step from 0 to 1 with continuous acceleration."""
    s = min(t / over, 1.0)
    return s**3 * (10 - 15 * s + 6 * s**2)


FAMILIES = {
    "hex8": fem.Solid(STEEL),
    "quad4": fem.Shell(STEEL, 0.1),
    "line2": fem.Beam(STEEL, SECTION, up=(0, 0, 1)),
}


@pytest.fixture(scope="module", params=list(FAMILIES))
def cantilever(request):
    """1 m long, 0.1 m wide and deep, 1 kN at its end put on slowly, ten times longer than the first period."""
    structure = fem.assemble(straight(request.param, 20), FAMILIES[request.param])
    basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=2)
    reduced = modal.reduce(structure, basis, markers=("all",) if request.param == "hex8" else ())
    body = fb.FlexibleBody("arm", reduced, origin=(0.0, 0.0, 0.5), damping_ratio=0.5)
    root = fb.Fixed("root", fb.GROUND, body["x0"])
    load = fb.PointForce("load", body["x1"], lambda t: (0.0, 0.0, -1000.0 * smooth(t, 0.12)))
    return structure, fb.simulate(fb.System([body], [root], [load]), 0.15, step=5e-4)


def test_a_cantilever_bends_slowly(cantilever):
    """F (L - x) c / I at its outermost fibres, in tension above, with 3/2 F / A of shear added on beams.

    Within 0.5 %: what is left of the vibration (1 / (omega T))^2 = 3e-4, means over elements of 0.05 m.
    """
    structure, result = cantilever
    kind = structure.groups[0].kind
    for x in (0.3, 0.5, 0.7):
        bending = 1000.0 * (1.0 - x) * 0.05 / (0.1**4 / 12)
        # as drawn: the mesh's origin lies at (0, 0, 0.5); the solid reaches from there 0.1 up
        found = result.stress("arm", at=(x, 0.0, 0.6 if kind == "hex8" else 0.5), times=0.15)
        assert found.tensors.shape[:2] == found.von_mises.shape == (1, len(found.nodes))
        if kind == "line2":
            shear = 1.5 * 1000.0 / 0.01
            mises, largest = np.sqrt(bending**2 + 3 * shear**2), bending / 2 + np.hypot(bending / 2, shear)
            np.testing.assert_allclose(found.von_mises, mises, rtol=5e-3)
            np.testing.assert_allclose(found.principal[..., 0], largest, rtol=5e-3)
            np.testing.assert_allclose(np.abs(found.section_forces[..., 4]), 1000.0 * (1.0 - x), rtol=5e-3)
            np.testing.assert_allclose(np.abs(found.section_forces[..., 2]), 1000.0, rtol=5e-3)
        else:
            assert found.tensors[0, :, 0].max() == pytest.approx(bending, rel=5e-3)
            axis = found.principal_axes[0, found.tensors[0, :, 0].argmax(), 0]
            assert abs(axis[0]) > 0.99


@pytest.mark.parametrize("cantilever", ["hex8"], indirect=True)  # of which the surface's points are nodes
def test_as_the_structure_itself(cantilever):
    """The stresses of the last state: those of fem.stress for u = Phi alpha."""
    structure, result = cantilever
    recovery = result.system.bodies[0].turned.recovery
    nodes = np.unique(structure.mesh.surface())
    assert len(nodes) == structure.mesh.n_nodes  # one element across: no node inside
    u = np.zeros((structure.mesh.n_nodes, 3))
    u[nodes] = recovery.Phi @ result.alpha("arm")[-1]
    exact = fem.stress(structure, u.ravel())
    found = result.stress("arm", at="all", times=result.t[-1])
    size = exact.von_mises.max()
    np.testing.assert_allclose(found.von_mises[0], exact.von_mises[found.nodes], atol=1e-8 * size)
    np.testing.assert_allclose(found.tensors[0], exact.solid[found.nodes], atol=1e-8 * size)


def test_peaks(cantilever):
    """The largest of all places at each time, computed in parts, as of the whole array."""
    _, result = cantilever
    whole = result.stress("arm")
    peak = whole.peak()
    np.testing.assert_allclose(peak.value, whole.von_mises.max(axis=1), rtol=1e-12)
    assert peak.largest == peak.value.max()
    assert peak.when == result.t[peak.value.argmax()]
    at = result.stress("arm", at=int(peak.node[-1]), times=[result.t[-1]])
    assert at.von_mises.max() == pytest.approx(peak.value[-1], rel=1e-12)
    low, high = whole.range("principal_1")
    np.testing.assert_allclose(high, whole.principal[:, :, 0].max(axis=0), rtol=1e-12)
    np.testing.assert_allclose(low, whole.principal[:, :, 0].min(axis=0), rtol=1e-12)
    third = whole.peak("principal_3")
    np.testing.assert_allclose(third.value, whole.principal[:, :, 2].min(axis=1), rtol=1e-12)
    assert third.largest == third.value.min()


@pytest.mark.parametrize("kind", ["hex20", "line2"])
def test_a_rotating_bar(kind):
    """Free, about its middle: rho Omega^2 (L^2 - r^2) / 2, with the static shapes of rotation among the modes.

    It starts with the stretch of its speed. Between the points where its stresses are best, a parabola is followed
    by straight lines: within (h / L)^2 / 6 = 1/600 of the largest for quadratic elements with L = 10 h; beams with
    linear stretch say at each end what is the mean of an element, h / (2 L) of r off.
    """
    n, omega, half = 20, 60.0, 0.5
    its = fem.Solid(PLAIN) if kind == "hex20" else fem.Beam(PLAIN, SECTION, up=(0, 0, 1))
    structure = fem.assemble(straight(kind, n), its)
    basis = modal.combine(modal.inertia_modes(structure), modal.eigenmodes(structure, n=3))
    reduced = modal.reduce(structure, basis)
    # the centrifugal force on the modes, about z: w . C4 . w, Koppens (2.37)
    alpha = np.linalg.solve(reduced.K, omega**2 * np.asarray(reduced.C4)[:, 2, 2])
    body = fb.FlexibleBody("bar", reduced, angular_velocity=(0, 0, omega), alpha=alpha)
    result = fb.simulate(fb.System([body]), 0.02, step=1e-4)
    stress = result.stress("bar")
    r = stress.points[:, 0]
    expected = PLAIN.rho * omega**2 * (half**2 - r**2) / 2
    most = expected.max()
    found = stress.measure("principal_1")
    if kind == "hex20":
        np.testing.assert_allclose(stress.measure("xx")[-1], expected, atol=most / 400)
        across = PLAIN.rho * omega**2 * 0.1**2 / 12  # the same error with one element of 0.1 m across
        np.testing.assert_allclose(found[-1], expected, atol=most / 400 + across)
    else:
        ends = found[-1].reshape(-1, 2).mean(axis=1)
        middle = r.reshape(-1, 2).mean(axis=1)
        exact = PLAIN.rho * omega**2 * (half**2 - middle**2) / 2
        np.testing.assert_allclose(ends, exact, atol=most / 400)
    peak = stress.peak()
    # a beam's middle element has its mean, (h / r)^2 / 3 less than the middle with h = 1/n and r = half
    off = most / 400 + across if kind == "hex20" else most / (n * half) ** 2 / 3
    assert peak.largest == pytest.approx(most, abs=off)
    assert abs(peak.where[0]) <= 1.01 / n


def test_without_shapes_for_it_the_stress_of_rotation_is_missing():
    """Bending modes alone: the docs say so. (And the stress does not come from the stiffening terms.)"""
    structure = fem.assemble(straight("line2", 20), fem.Beam(PLAIN, SECTION, up=(0, 0, 1)))
    reduced = modal.reduce(structure, modal.eigenmodes(structure, n=2))
    body = fb.FlexibleBody("bar", reduced, angular_velocity=(0, 0, 60.0))
    result = fb.simulate(fb.System([body]), 0.01, step=1e-4)
    assert result.stress("bar").peak().largest < 1e-3 * PLAIN.rho * 60.0**2 * 0.5**2 / 2


def test_with_stiffening_stress_stays_linear_in_alpha():
    """A cantilever pushed sideways by F and pulled by P = EI / L^2: M = F sinh(k (L - x)) / (k cosh(k L)), k L = 1.

    The tension lowers the root's moment from F L to tanh(1) F L (beam-column theory, Timoshenko and Gere 1961, 1.11).
    Normal modes between held ends take up what the tip's load on a bent beam adds: its error goes with 1 / n.
    """
    section = fem.Rectangle(0.02, 0.02)
    beam = fem.Beam(STEEL, section, up=(0, 0, 1), shear=False)
    structure = fem.assemble(straight("line2", 40), beam)
    error = {}
    for n in (4, 12):
        basis = modal.craig_bampton(structure, ("x0", "x1"), n_normal=n)
        body = fb.FlexibleBody("arm", modal.reduce(structure, basis))
        root = fb.Fixed("root", fb.GROUND, body["x0"])
        load = fb.PointForce("load", body["x1"], (STEEL.E * section.Iy, 0.0, -10.0))
        stress = fb.equilibrium(fb.System([body], [root], [load])).result.stress("arm")
        x = stress.points[:, 0] - stress.points[:, 0].min()
        exact = 10.0 * np.sinh(1.0 - x) / np.cosh(1.0)
        error[n] = np.abs(np.abs(stress.section_forces[0, :, 4]) - exact).max() / 10.0
    assert error[12] < 2e-3
    assert error[12] < error[4] / 2.5


class TestTimes:
    def test_between_stored_times(self, cantilever):
        """A cubic between values and rates: of fourth order in the output step."""
        _, result = cantilever
        t = 0.5 * (result.t[1:] + result.t[:-1])
        stored = result.stress("arm", at="x1")
        for times, rows in ((result.t, slice(None)), (slice(None, None, 10), slice(None, None, 10))):
            found = result.stress("arm", at="x1", times=times).von_mises
            np.testing.assert_allclose(found, stored.von_mises[rows], rtol=1e-12)
        alpha = result.stress("arm", times=t).alpha
        np.testing.assert_allclose(alpha[:, 0], np.interp(t, result.t, result.alpha("arm")[:, 0]), atol=1e-7)

    def test_wrong_questions(self, cantilever):
        _, result = cantilever
        for times in (0.2, -0.01, [[0.1]], "late"):
            with pytest.raises(fb.InputError, match="times"):
                result.stress("arm", times=times)
        for at, words in (
            ("tip", r"no stresses at 'tip'; there are at .*'x0'"),
            (10**6, "no stresses at node 1000000"),
            ((0.0, np.nan, 0.0), "is not a place on body 'arm'"),
            ((500.0, 0.0, 0.0), r"lies .* m from the nearest point of body 'arm'.*, in m"),
            ((1.0, 2.0), "is not a place"),
        ):
            with pytest.raises(fb.InputError, match=words):
                result.stress("arm", at=at)
        with pytest.raises(
            fb.InputError, match=r"'mises' \(did you mean 'von_mises'\?\) is no measure of stress"
        ):
            result.stress("arm").peak("mises")


def test_a_body_without_stress_modes():
    structure = fem.assemble(straight("hex8", 4), STEEL)
    reduced = modal.reduce(structure, modal.eigenmodes(structure, n=2), stress=False)
    result = fb.simulate(fb.System([fb.FlexibleBody("arm", reduced)]), 0.001, step=1e-4)
    with pytest.raises(fb.InputError, match=r"body 'arm' has no stress modes.*stress=True"):
        result.stress("arm")


@pytest.mark.parametrize("cantilever", ["hex8"], indirect=True)
def test_memory_of_histories(cantilever):
    """Peaks over many times take parts of 16 MB of tensors at once, and a few times that; whole fields are refused."""
    _, result = cantilever
    t = np.linspace(0.0, 0.15, 150_000)
    stress = result.stress("arm", times=t)
    with pytest.raises(fb.InputError, match=r"would take .* GB; name a place \(at=\), fewer times"):
        stress.tensors  # noqa: B018
    tracemalloc.start()
    stress.peak()
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100e6 < 48 * len(t) * len(stress.points)


def test_of_a_loaded_result(cantilever, tmp_path):
    _, result = cantilever
    path = tmp_path / "run.h5"
    result.save(path)
    loaded = fb.load_result(path)
    np.testing.assert_array_equal(loaded.stress("arm").peak().value, result.stress("arm").peak().value)
    for one in (result.stress("arm"), result.stress("arm").peak()):
        assert "arm" in repr(one) or "Pa at t =" in repr(one)
