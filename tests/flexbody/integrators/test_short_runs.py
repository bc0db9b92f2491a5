"""The default method of short runs in which something vibrates beside the motion."""

import re

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq
from support.frames import line

import fem
import flexbody as fb
import modal

G = 9.81


def default(machine, t_end, **options):
    return fb.simulate(machine, t_end, show_progress=False, **options)


def sled():
    """A sled that slides along x at 1 m/s."""
    body = fb.RigidBody("sled", 10.0, (0.1,) * 3, velocity=(1.0, 0, 0))
    return body, fb.Prismatic("rail", fb.GROUND, body, point=(0, 0, 0), axis="x")


def box_on_sled(stiffness, damping=0.0):
    """A box of 10 kg on a mount on a sled; it is let go and sags by m g / k, which is its amplitude."""
    carrier, rail = sled()
    box = fb.RigidBody("box", 10.0, (0.1,) * 3, center=(0, 0, 0.3), velocity=(1.0, 0, 0))
    six, lost = (stiffness,) * 3 + (0.01 * stiffness,) * 3, (damping,) * 3 + (0.0,) * 3
    mount = fb.Bushing("mount", carrier, box, stiffness=six, damping=lost, point=(0, 0, 0.3))
    return fb.System([carrier, box], [rail], [mount], gravity=(0, 0, -G))


@pytest.mark.parametrize(("k", "t_end"), [(1e4, 5.0), (1e5, 1.0), (1e5, 5.0), (1e6, 5.0), (1e7, 1.0)])
def test_a_box_on_a_mount_on_a_sled(k, t_end):
    """z = -(m g / k) (1 - cos(w t)), w^2 = k / m: 16 to 250 periods with amplitudes of 2e-3 to 1e-5 of the way.

    The explicit method is off by 1e-6 of the amplitude in each of 250 periods at most. Its tolerance is relative to the
    way: below a thousandth of that it is a hundredth of the usual one, which is off by 4e-3 at 1e7 N/m.
    """
    m = 10.0
    found = default(box_on_sled(k), t_end)
    assert found.statistics.method.startswith("Explicit(rtol=")
    assert "it resolves the vibrations, of which an implicit method would leave" in found.statistics.why
    amplitude, w = m * G / k, np.sqrt(k / m)
    z = found.position("box")[:, 2] - 0.3
    assert np.abs(z + amplitude * (1 - np.cos(w * found.t))).max() < 3e-4 * amplitude
    assert 0.0 < found.statistics.choice_seconds < found.statistics.cpu_seconds


def test_states_that_miss_the_peaks_of_a_vibration_are_told():
    """The force of a mount is m g (1 - cos(w t)), twice its weight at the peaks; with 20 states in a period of the
    fastest vibration of the mount they are there to 1.3 %, 1 - cos(pi / 20)."""
    machine, weight = box_on_sled(1e6), 10.0 * G

    def peak(**options):
        found = default(machine, 1.0, **options)
        force = np.linalg.norm(found.element("mount").force[:, :3], axis=1)
        return force.max() / (2.0 * weight), found.statistics.why

    _, why = peak()
    step = float(re.search(r"miss peaks of .* \(output_step=(.*) shows", why)[1])
    shown, why = peak(output_step=step)
    assert "miss peaks" not in why
    assert 1.0 - 0.013 < shown < 1.001


def test_a_rod_clamped_to_a_sled():
    """Euler-Bernoulli: w = sum_n (g c_n / w_n^2) phi_n (1 - cos(w_n t)), with c_n = int phi_n / int phi_n^2.

    1 m of steel of 10 mm: 28 periods at 2e-3 of the way. Rotary inertia lowers each w_n^2 by Rayleigh's quotient. 20
    elements are off by (b h)^4 / 720, 1e-8, and the modes leave out less than 1e-3 of the deflection; the implicit
    method is off by 10 %.
    """
    length, r, t_end = 1.0, 0.005, 4.0
    steel = fem.Isotropic(E=2e11, nu=0.3, rho=7850.0)
    beam = fem.Beam(steel, fem.Circle(2 * r), shear=False)
    structure = fem.assemble(line([(0, 0, 0), (length, 0, 0)], 20), beam)
    reduced = modal.reduce(
        structure, modal.craig_bampton(structure, ("start",), n_normal=4), markers=("end",)
    )
    carrier, rail = sled()
    place = {"start": (0, 0, 0), "end": (length, 0, 0)}
    rod = fb.FlexibleBody("rod", reduced, place=place, velocity=(1.0, 0, 0))
    clamp = fb.Fixed("clamp", carrier, rod["start"])
    found = default(fb.System([carrier, rod], [rail, clamp], gravity=(0, 0, -G)), t_end)
    assert found.statistics.method.startswith("Explicit(rtol="), found.statistics.why
    expected, x = np.zeros_like(found.t), np.linspace(0, length, 4001)
    for n in range(1, 3):
        b = brentq(lambda x: np.cos(x) * np.cosh(x) + 1, (n - 0.5) * np.pi - 0.6, (n - 0.5) * np.pi + 0.6)
        s = (np.cosh(b) + np.cos(b)) / (np.sinh(b) + np.sin(b))
        y = b * x / length
        phi = np.cosh(y) - np.cos(y) - s * (np.sinh(y) - np.sin(y))
        slope = b / length * (np.sinh(y) + np.sin(y) - s * (np.cosh(y) - np.cos(y)))
        square = np.trapezoid(phi**2, x)
        rotary = r**2 / 4 * np.trapezoid(slope**2, x) / square
        w = (b / length) ** 2 * np.sqrt(2e11 * r**2 / 4 / 7850.0 / (1 + rotary))
        factor = np.trapezoid(phi, x) / (square * (1 + rotary))
        expected -= G * factor / w**2 * phi[-1] * (1 - np.cos(w * found.t))
    error = found.position(("rod", "end"))[:, 2] - expected
    assert np.abs(error).max() < 0.01 * np.abs(expected).max()


def test_a_bob_on_a_stiff_spring():
    """Cartesian equations in SciPy: 60 periods beside a swing of 2 m. 1e-3 of the largest stretch."""
    k, m, length, t_end = 1e4, 1.0, 1.0, 2.0
    bob = fb.RigidBody("bob", m, (1e-3,) * 3, center=(length, 0, 0))
    spring = fb.SpringDamper("spring", fb.GROUND, bob, stiffness=k, first_point=(0, 0, 0))
    found = default(fb.System([bob], [], [spring], gravity=(0, 0, -G)), t_end)
    assert found.statistics.method.startswith("Explicit"), found.statistics.why

    def rate(_, y):
        r = np.hypot(*y[:2])
        return [*y[2:], *(-k / m * (r - length) / r * y[:2] - (0, G))]

    exact = solve_ivp(rate, (0, t_end), [length, 0, 0, 0], "DOP853", t_eval=found.t, rtol=1e-11, atol=1e-13).y
    stretch = np.hypot(*exact[:2]) - length
    mine = np.linalg.norm(found.position("bob"), axis=1) - length
    assert np.abs(mine - stretch).max() < 1e-3 * stretch.max()


class TestImplicitStays:
    """Where the explicit method would take many times the work, where nothing rings, and where the run is told so."""

    @pytest.mark.parametrize("k", [1e9, 1e11])
    def test_a_mount_that_is_as_good_as_rigid(self, k):
        """At 1e4 and 1e5 rad/s an explicit method takes 10 and 100 times the steps."""
        told = default(box_on_sled(k), 1.0).statistics
        assert told.method == "GeneralizedAlpha(rtol=1e-05)"
        assert re.search("would cost (at least .* times as much|too much)", told.why), told.why
        assert told.steps < 700  # the 500 states that are stored, and its first steps

    def test_a_damped_mount(self):
        """A tenth of critical damping: after fifty periods the box stands at the sag m g / k; 1e-3 of it."""
        k, m = 1e6, 10.0
        found = default(box_on_sled(k, 0.2 * np.sqrt(k * m)), 5.0)
        told = found.statistics
        assert told.method == "GeneralizedAlpha(rtol=1e-05)"
        assert re.search(r"leaves about (\S+) % of the vibrations unresolved", told.why), told.why
        sag = 0.3 - found.position("box")[found.t > 1.0, 2]
        np.testing.assert_allclose(sag, m * G / k, rtol=1e-3)

    def test_nothing_vibrates(self):
        bob = fb.RigidBody("bob", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
        hinge = fb.Revolute("hinge", fb.GROUND, bob, point=(0, 0, 0), axis="y")
        told = default(fb.System([bob], [hinge], gravity=(0, 0, -G)), 1.0).statistics
        assert told.why == "judged by its beginning the run is short: another method would not save a second"

    def test_a_machine_in_equilibrium(self):
        """What is left of its vibrations is round-off, far below 1e-9 of its size."""
        box = fb.RigidBody("box", 10.0, (0.1,) * 3, center=(0, 0, 0.3))
        six = (1e6,) * 3 + (1e4,) * 3
        mount = fb.Bushing("mount", fb.GROUND, box, stiffness=six, point=(0, 0, 0.2))
        told = default(
            fb.System([box], [], [mount], gravity=(0, 0, -G)), 1.0, start=fb.Equilibrium()
        ).statistics
        assert told.method == "GeneralizedAlpha(rtol=1e-05)", told.why
