"""What base functions and their rigid-body conditions do to Koppens' planar slider-crank (1989, 5.2-5.4).

``reference.slider_crank`` integrates the same machine by quadrature, without C1..C8: "quintic" is the right linear
answer, "cantilever" the one of a frame that is built into the rod at the crank pin.
"""

import functools
import warnings
from dataclasses import replace

import numpy as np
import pytest
from reference import machines, slider_crank
from support.rods import IN_PLANE, PINNED, rod

import fem
import flexbody as fb
import modal

T_END = slider_crank.T_END
SOFT = fb.GeneralizedAlpha(rho_inf=0.5, rtol=1e-5)


def machine(reduced, kind="sine"):
    """Koppens' machine with another rod; both kinds start with the velocities of a rigid one."""
    system, read = machines.koppens_slider_crank(kind)
    body = system.body("rod")
    origin = np.asarray(reduced.origin)[0]
    spin = -slider_crank.SPEED * slider_crank.RATIO
    placed = replace(
        body,
        reduced=reduced,
        alpha_dot=None,
        velocity=(0, slider_crank.SPEED * slider_crank.CRANK + spin * origin, 0),
        angular_velocity=(0, 0, spin),
    )
    return replace(system, bodies=[placed if b.name == "rod" else b for b in system.bodies]), read


def deflection(reduced, t_end=T_END):
    system, read = machine(reduced)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", fb.FlexbodyWarning)
        result = fb.simulate(
            system, t_end, integrator=SOFT, output_step=slider_crank.OUTPUT_STEP, show_progress=False
        )
    return read(result)["deflection"]


def exact(kind):
    """The independent program, whose tolerance is far below all of those here."""
    return slider_crank.solution(kind, rtol=1e-7).deflection


def apart(one, two):
    return float(np.abs(one - two).max() / np.abs(two).max())


@functools.cache
def cantilever(modes, frame):
    """The rod on its cantilever modes from the mesh, in the frame that is asked for."""
    structure = rod(8, 30.0)
    basis = modal.eigenmodes(structure, {"start": "all", **IN_PLANE}, n=modes)
    return modal.reduce(structure, basis, frame=frame, markers=("start", "middle", "end"), stiffening=False)


def drawn(body):
    """x (m,) of the drawn sections along the rod, from the body's origin, and their mean deflections (m,N)."""
    points, Phi = body.recovery.points, body.recovery.Phi[:, 1]
    x, section = np.unique(points[:, 0].round(9), return_inverse=True)
    return x, np.array([Phi[section == k].mean(axis=0) for k in range(len(x))])


MEAN, FIXED = modal.MeanDisplacement(), modal.FixedPoint("start")


class TestCantileverModes:
    """5.4.2, figs. 5.17 and 5.19."""

    @pytest.mark.slow
    def test_converge_to_the_right_answer_under_the_mean_displacement_condition(self):
        """Each mode more brings the answer nearer, down to 1 % with five: none of them looks like the pinned rod."""
        errors = [apart(deflection(cantilever(n, MEAN)), exact("quintic")) for n in (2, 3, 5)]
        assert errors[1] < 0.7 * errors[0]
        assert errors[2] < 0.5 * errors[1]
        assert errors[2] < 0.015

    @pytest.mark.slow
    def test_do_not_without_it(self):
        """They converge to the linear theory of a built-in frame (nearer with each mode), twice as far out."""
        found = deflection(cantilever(5, FIXED))
        assert apart(found, exact("cantilever")) < 0.05
        assert apart(found, exact("quintic")) > 1
        assert np.abs(found).max() > 2 * np.abs(exact("quintic")).max()

    def test_c1_c2_c6_vanish(self):
        """The mean displacement and rotation of the rod as drawn: sections every 1/64 of its length, trapezoids (error
        of order 1/64^2 of the slopes' change, 1e-3); the body's own C1, C2, C6 are set to zero there."""
        body = cantilever(3, MEAN)
        assert body.mean
        x, v = drawn(body)
        size, length = np.abs(v).max(), slider_crank.LENGTH
        assert abs(np.trapezoid(x, x)) < 1e-9 * length**2
        assert np.abs(np.trapezoid(v, x, axis=0)).max() < 1e-3 * size * length
        assert np.abs(np.trapezoid(x[:, None] * v, x, axis=0)).max() < 1e-3 * size * length**2
        body = cantilever(3, FIXED)
        assert not body.mean
        x, v = drawn(body)
        line = slider_crank.MASS / length
        # e_2 of the first and e_3 of the second, about the clamp
        np.testing.assert_allclose(
            body.C2[:, 1], line * np.trapezoid(v, x, axis=0), atol=1e-3 * line * size * length
        )
        np.testing.assert_allclose(
            body.C6[:, 2], line * np.trapezoid(x[:, None] * v, x, axis=0), atol=1e-3 * line * size * length**2
        )
        assert np.abs(body.C2).max() > 0.1 * line * size * length

    @pytest.mark.slow
    def test_prescribed_components_of_both_ends_are_the_chord(self):
        """Pins held, spin held at the start: the frame of fig. 5.5. In the plane it is the chord."""
        prescribed = modal.Prescribed({"start": ("x", "y", "z", "rx"), "end": ("y", "z")})
        one, two = (deflection(cantilever(4, frame)) for frame in (prescribed, modal.Chord("start", "end")))
        # one program, one step control: only round-off in the base functions differs
        assert apart(one, two) < 1e-3
        assert apart(one, exact("quintic")) < 0.05


class TestOneStaticShape:
    """5.4.1: the shape under a uniform load alone gives what the whole finite-element model gives."""

    @functools.cache  # noqa: B019
    def run(self, elements, lumped=False):
        structure = rod(elements, 1.0, lumped)
        weight = fem.LineLoad("line2", (0, 1.0, 0))
        basis = modal.static_modes(structure, weight, supports=PINNED)
        body = modal.reduce(
            structure,
            basis,
            frame=modal.Chord("start", "end"),
            markers=("start", "middle", "end"),
            stiffening=False,
        )
        return body, deflection(body)

    def test_is_nearly_the_whole_model(self):
        """Indistinguishable in Koppens' figure: the antisymmetric load bends the middle nowhere, and the shape is
        the first mode of the pinned rod to 1 % of its size (the third's part in it, 1/3^5 of the first, comes off)."""
        assert apart(self.run(4)[1], exact("quintic")) < 0.012

    def test_four_lumped_elements_are_visibly_wrong_and_eight_are_right(self):
        """5.4.3, fig. 5.20. The load on the shape is int rho phi, by trapezoids 5 % low with four elements (h^2/12
        times the jump of the slope, 6.4/l, over 0.64 l) and 1.3 % with eight; its mass is right to h^4."""
        consistent = self.run(8)[1]
        four, eight = (apart(self.run(n, lumped=True)[1], consistent) for n in (4, 8))
        load = [(6.4 / n**2 / 12) / 0.64 for n in (4, 8)]
        # the load is nearly all there is: the mass errs by h^4, 1/256 of itself with four elements
        assert four == pytest.approx(load[0], rel=1 / 256)
        assert eight == pytest.approx(load[1], rel=1 / 256)


class TestAxialForce:
    """5.3, figs. 5.7 and 5.8: a pinned beam under its weight and an axial force, four finite elements, all their
    shape functions. One period is 7.58 ms, the sag 60.3e-6 of the length, as printed."""

    PERIOD = 7.58e-3
    SAG = 60.3e-6

    @functools.cache  # noqa: B019
    def sag(self, frame, force):
        """Mean deflection of the middle over three periods, over the length."""
        structure = rod(4, 30.0)
        basis = modal.all_degrees_of_freedom(
            structure, {"start": "all", **IN_PLANE}, interfaces=("start", "middle", "end")
        )
        body = fb.FlexibleBody("beam", modal.reduce(structure, basis, frame=frame, stiffening=False))
        hinge = fb.Revolute("hinge", fb.GROUND, body["start"], axis="z")
        guide = fb.PointOnLine("guide", fb.GROUND, body["end"], axis="x")
        pull = fb.PointForce("pull", body["end"], (force, 0, 0))
        system = fb.System([body], [hinge, guide], [pull], gravity=(0, -9.81, 0))
        with warnings.catch_warnings():
            warnings.simplefilter(
                "ignore", fb.FlexbodyWarning
            )  # the frame, and z of the guide, which is redundant
            result = fb.simulate(
                system, 3 * self.PERIOD, integrator=SOFT, output_step=self.PERIOD / 50, show_progress=False
            )
        return -result.position(body["middle"])[:, 1].mean() / slider_crank.LENGTH

    def test_without_force_both_frames_are_right(self):
        """Three whole periods of the first mode, rounded to three digits; the third mode's share is below 1 %."""
        for frame in (FIXED, modal.Chord("start", "end")):
            assert self.sag(frame, 0.0) == pytest.approx(self.SAG, rel=0.02)

    def test_a_built_in_frame_answers_the_wrong_way(self):
        """Tension bends, compression straightens, the opposite of what happens. The end lies at the distance
        l + theta^2 l/2 in a frame at the angle theta = pi v/l: a spring of -F pi^2/l against EI pi^4/(2 l^3), so that
        the sag is 1/(1 - 2 F/P) times as large, with Euler's load P = 1 395 N (a true beam: 1/(1 + F/P))."""
        free = self.sag(FIXED, 0.0)
        euler = np.pi**2 * slider_crank.EI / slider_crank.LENGTH**2
        for force in (200.0, -200.0):
            # the mean over three periods of the free beam is not that over whole periods here: 10 %
            assert self.sag(FIXED, force) / free == pytest.approx(1 / (1 - 2 * force / euler), rel=0.1)

    def test_a_frame_with_both_ends_on_it_does_not_see_the_force(self):
        chord = modal.Chord("start", "end")
        values = [self.sag(chord, force) for force in (200.0, -200.0)]
        np.testing.assert_allclose(values, self.sag(chord, 0.0), rtol=1e-6)


class TestWarning:
    def test_of_a_built_in_frame_with_a_load_at_the_far_end(self):
        system, _ = machine(cantilever(2, FIXED))
        with pytest.warns(
            fb.FlexbodyWarning, match=r"'rod' is clamped in its frame at 'start'.*'end' by 'wrist'"
        ):
            fb.simulate(system, 1e-4, show_progress=False)

    @pytest.mark.parametrize("frame", [MEAN, modal.Chord("start", "end")], ids=lambda f: f.label)
    def test_not_of_other_frames(self, frame):
        system, _ = machine(cantilever(2, frame))
        with warnings.catch_warnings():
            warnings.simplefilter("error", fb.FlexbodyWarning)
            fb.simulate(system, 1e-4, show_progress=False)

    def test_not_of_a_free_end(self):
        """A cantilever that carries nothing but itself is what the frame is made for."""
        body = fb.FlexibleBody("arm", cantilever(2, FIXED))
        hinge = fb.Revolute("hinge", fb.GROUND, body["start"], axis="z")
        with warnings.catch_warnings():
            warnings.simplefilter("error", fb.FlexbodyWarning)
            fb.simulate(fb.System([body], [hinge]), 1e-4, show_progress=False)
