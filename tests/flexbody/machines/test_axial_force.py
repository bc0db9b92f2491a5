"""Koppens' pinned beam and slider-crank under both frames (1989, 5.3, figs. 5.7-5.10), and with stiffening."""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from reference import machines, nonlinear_rod, slider_crank
from support.rods import IN_PLANE, rod

import flexbody as fb
import modal

p = slider_crank
FRAMES = {
    "mean": modal.MeanDisplacement(),
    "built in": modal.FixedPoint("start"),
    "chord": modal.Chord("start", "end"),
}
PERIOD, SAG, GRAVITY = 7.58e-3, 60.3e-6, 9.81  # s and of the length, as printed


def rms(found, exact):
    return np.sqrt(np.mean((found - exact) ** 2) / np.mean(exact**2))


@functools.cache
def reduced(frame, stiffening):
    """Craig-Bampton on both ends: four bending modes in each plane, one of stretch, one of twist."""
    structure = rod(12)
    basis = modal.craig_bampton(structure, ("start", "end"), n_normal=4)
    choice = modal.AxialModes() if stiffening == "axial" else stiffening
    return modal.reduce(structure, basis, frame=FRAMES[frame], markers=("middle",), stiffening=choice)


def exact(t, force):
    """Deflection of the middle of a pinned beam let go at rest under its weight, with tension ``force`` (N), m.

    A sum of sines, omega_n^2 = (n pi / l)^4 EI / rho A + (n pi / l)^2 F / rho A.
    """
    line, v = p.RHO * p.AREA, np.zeros_like(t)
    for n in range(1, 12, 2):
        k = n * np.pi / p.LENGTH
        square = (k**4 * p.EI + k**2 * force) / line
        v += 4 * GRAVITY / (n * np.pi * square) * np.sin(n * np.pi / 2) * (1 - np.cos(np.sqrt(square) * t))
    return v


def pinned(body, force):
    """Times and deflection of the middle over three periods of the beam of fig. 5.7."""
    beam = fb.FlexibleBody("beam", body)
    hinge = fb.Revolute("hinge", fb.GROUND, beam["start"], axis="z")
    guide = fb.PointOnLine("guide", fb.GROUND, beam["end"], axis="x")
    pull = fb.PointForce("pull", beam["end"], (force, 0, 0))
    system = fb.System([beam], [hinge, guide], [pull], gravity=(0, -GRAVITY, 0))
    integrator = fb.GeneralizedAlpha(step=3 * PERIOD / 1500)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.RedundantConstraintWarning)
        if body.frame.startswith("FixedPoint") and body.axial is None:
            warnings.simplefilter("ignore", fb.FlexbodyWarning)  # the warning has its own test
        result = fb.simulate(
            system, 3 * PERIOD, integrator=integrator, output_step=PERIOD / 50, show_progress=False
        )
    return result.t, -result.position(beam["middle"])[:, 1]


class TestPinnedBeam:
    """Figs. 5.7 to 5.9. 1 % over three periods: steps of 15 microseconds and rotary inertia shift the phase by 3e-3."""

    def test_the_exact_solution_has_the_printed_period_and_sag(self):
        """The sag (5/24) rho l^3 g / E d^2 is half of the largest deflection, at half of the period."""
        t = np.linspace(0, PERIOD, 201)
        v = exact(t, 0.0) / p.LENGTH
        assert v[100] == pytest.approx(
            2 * SAG, rel=5e-3
        )  # the third mode is not yet back: 1/243 of the first
        assert np.mean(v[:-1]) == pytest.approx(SAG, rel=5e-3)
        assert abs(v[200]) < 0.01 * SAG

    @pytest.mark.parametrize("force", [0.0, 200.0, -200.0])
    @pytest.mark.parametrize(
        ("frame", "stiffening"),
        [("mean", True), ("mean", "axial"), ("built in", "axial"), ("chord", "axial")],
    )
    def test_with_stiffening_the_right_thing(self, frame, stiffening, force):
        """Tension straightens and quickens, compression bends and slows, with axial modes under any condition."""
        t, v = pinned(reduced(frame, stiffening), force)
        assert rms(v, exact(t, force)) < 0.01

    @pytest.mark.parametrize("force", [0.0, 200.0, -200.0])
    def test_without_it_a_chord_knows_nothing_of_the_force(self, force):
        t, v = pinned(reduced("chord", False), force)
        assert rms(v, exact(t, 0.0)) < 0.01

    def test_without_it_a_built_in_frame_does_the_opposite(self):
        """Fig. 5.8: deflection and period become smaller under compression and larger under tension, as if there were
        -2 F (see test_base_functions). 1 - cos falls to half of its top at three quarters of the period; 10 % as there,
        for a spring that couples the modes."""
        for force in (200.0, -200.0):
            t, v = pinned(reduced("built in", False), force)
            softer = 1 - 2 * force * p.LENGTH**2 / (np.pi**2 * p.EI)
            assert (v.max() / (2 * SAG * p.LENGTH) > 1.3) if force > 0 else (v.max() < 1.7 * SAG * p.LENGTH)
            top = int(v[: len(t) // 3].argmax())
            after = t[top + int(np.argmax(v[top:] < 0.5 * v.max()))]
            assert after == pytest.approx(0.75 * PERIOD / np.sqrt(softer), rel=0.1)


def deflection(body, slider_factor=1.0, integrator=None, t_end=p.T_END):
    """Of the middle of the slider-crank's rod, started with the speeds of a rigid one."""
    system, read = machines.koppens_slider_crank("sine", slider_factor=slider_factor)
    spin = -p.SPEED * p.RATIO
    placed = replace(
        system.body("rod"),
        reduced=body,
        alpha_dot=None,
        velocity=(0, p.SPEED * p.CRANK + spin * np.asarray(body.origin)[0], 0),
        angular_velocity=(0, 0, spin),
    )
    system = replace(system, bodies=[placed if b.name == "rod" else b for b in system.bodies])
    with warnings.catch_warnings():
        if body.axial is None:
            warnings.simplefilter("ignore", fb.FlexbodyWarning)
        result = fb.simulate(
            system, t_end, integrator=integrator, output_step=p.OUTPUT_STEP, show_progress=False
        )
    return read(result)["deflection"]


@pytest.mark.slow
def test_without_a_slider_the_frames_agree_better():
    """Fig. 5.10: the axial force is what tells them apart. Over three quarters of the time; 3 % of what the independent
    program has, for a basis of five cantilever modes."""
    structure = rod(8, 30.0)
    basis = modal.eigenmodes(structure, {"start": "all", **IN_PLANE}, n=5)
    soft = fb.GeneralizedAlpha(rho_inf=0.5, rtol=1e-5)
    for slider in (1.0, 0.0):
        found, exact = {}, {}
        for frame, kind in (("built in", "cantilever"), ("chord", "sine")):
            markers = ("start", "middle", "end")
            body = modal.reduce(structure, basis, frame=FRAMES[frame], markers=markers, stiffening=False)
            found[kind] = deflection(body, slider, soft, 0.045)
            exact[kind] = p.solution(kind, slider_factor=slider, t_end=0.045, rtol=1e-7).deflection
        apart = [np.abs(x["cantilever"] - x["sine"]).max() / np.abs(x["sine"]).max() for x in (found, exact)]
        assert apart[0] == pytest.approx(apart[1], rel=0.03)
        assert (apart[0] > 1) == (slider == 1.0)
        assert (apart[0] < 0.35) == (slider == 0.0)


@pytest.mark.slow
@pytest.mark.parametrize("frame", ["mean", "chord"])
def test_axial_modes_make_the_frames_agree(frame):
    """Both within the 0.5 % of the nonlinear rod that this theory has."""
    found = deflection(reduced(frame, "axial"), integrator=fb.GeneralizedAlpha(step=2e-5))
    assert rms(found, nonlinear_rod.deflection(6, 2e-5)) < 5e-3


def test_axial_modes_need_no_warning_of_a_built_in_frame():
    """The warning of 5.3 is of linear theory: with stiffening=False the same body has it."""
    for stiffening in (True, False):
        body = fb.FlexibleBody("beam", reduced("built in", "axial"), stiffening=stiffening)
        hinge = fb.Revolute("hinge", fb.GROUND, body["start"], axis="z")
        pull = fb.PointForce("pull", body["end"], (1.0, 0, 0))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            fb.simulate(fb.System([body], [hinge], [pull]), 1e-4, show_progress=False)
        assert any("clamped in its frame" in str(w.message) for w in caught) == (not stiffening)
