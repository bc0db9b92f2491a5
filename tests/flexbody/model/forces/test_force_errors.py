"""Force elements given wrongly, and laws that fail: errors in words, with the user's names; results in files."""

from dataclasses import replace

import numpy as np
import pytest
from support.elements import NAMES, STEEL, element

import fem
import flexbody as fb
from flexbody.model.forces import Between

BODY = fb.RigidBody("body", mass=2.0, inertia=(0.1, 0.2, 0.25), center=(1, 0, 0))
OTHER = fb.RigidBody("other", mass=2.0, inertia=(0.1, 0.2, 0.25), center=(2, 0, 0))
TIPPED = replace(BODY, markers={"tip": (1.5, 0, 0)})
LINE = fb.Line(fb.GROUND, BODY)
BEAM = fem.Beam(STEEL, fem.Circle(0.02))


def with_law(law, line=LINE):
    return fb.ForceElement("mount", line, law)


@pytest.mark.parametrize(
    ("build", "says"),
    [
        (lambda: with_law(fb.Linear(-1.0)), r"ForceElement 'mount': stiffness is -1.0; .* not below zero"),
        (lambda: with_law(fb.Linear(force="3 N")), r"'mount': force is '3 N'; .* number or a function of time"),
        (lambda: with_law(800.0), r"'mount': law is 800.0; give a law such as Linear"),
        (lambda: with_law(fb.Linear(1.0), BODY), r"'mount': along is .*; give a Line\(first, second\)"),
        (lambda: with_law(fb.Linear(1.0), fb.Line(fb.GROUND, BODY, free_length=-0.1)), r"free_length is -0.1"),
        (lambda: with_law(fb.Linear(1.0), fb.Line(OTHER, BODY)), r"uses body 'other', which is not among"),
        (
            lambda: with_law(fb.Linear(1.0), fb.Line(fb.GROUND, BODY, first_point=(1, 0, 0))),
            r"two ends coincide as drawn",
        ),
        (lambda: with_law(fb.SpringTable([0, 1, 1], [0, 1, 2])), r"x must increase .* 1 is followed by 1"),
        (lambda: with_law(fb.SpringTable([0, 1], [0, 1, 2])), r"x has the shape \(2,\) and force has \(3,\)"),
        (lambda: with_law(fb.SmoothSpringTable([0, 1, 2], [0, 1, 2])), r"at least 4 numbers"),
        (lambda: with_law(fb.DamperTable([0, np.nan], [0, 1])), r"rate and force must hold finite numbers"),
        (lambda: with_law(fb.ViscoElastic(1.0, [(1.0, 0.0)])), r"branches .* pairs \(stiffness, relaxation time\)"),
        (lambda: with_law(fb.ViscoElastic(1.0, [(1.0, 0.1)], start=[1, 2])), r"start is \[1, 2\]; it must be a number"),
        (lambda: with_law(fb.ElectricMotor(1.0, 0.0, 1.0, voltage=5.0)), r"resistance is 0.0; .* above zero"),
        (
            lambda: with_law(fb.ElectricMotor(1.0, 1.0, 1.0, voltage=None)),
            r"voltage is None; .* number or a function of time",
        ),
        (
            lambda: with_law(fb.PositionServo(1.0, 1.0, 1.0, gain=5.0, target=0.0, limit=0)),
            r"limit is 0; .* voltage above zero",
        ),
        (
            lambda: with_law(fb.HydraulicCylinder(1.0, 1.0, flow=0.0, start=None)),
            r"stationary pressure is not determined",
        ),
        (lambda: with_law(fb.UserLaw(3.0)), r"force is 3.0; it must be a function"),
        (lambda: with_law(fb.UserLaw(lambda t, x, v: x, start=(1.0,))), r"has start= of states but no rates="),
        (lambda: with_law(fb.UserLaw(lambda t, x, v, z: x, lambda *a: (0,))), r"has rates= of states but no start="),
        (
            lambda: fb.Bushing("mount", fb.GROUND, BODY, stiffness=3.0, point=(1, 0, 0)),
            r"stiffness is 3.0; give six values",
        ),
        (
            lambda: fb.Bushing("mount", fb.GROUND, BODY, stiffness=np.ones(6)),
            r"Bushing 'mount' has no position; give point=",
        ),
        (
            lambda: fb.Bushing("mount", fb.GROUND, BODY, stiffness=np.triu(np.ones((6, 6))), point=(1, 0, 0)),
            r"stiffness is not symmetric: entry \(0, 1\) is 1 and entry \(1, 0\) is 0",
        ),
        (
            lambda: fb.Bushing("mount", fb.GROUND, BODY, stiffness=-np.ones(6), point=(1, 0, 0)),
            r"not positive semidefinite",
        ),
        (
            lambda: fb.Bushing(
                "mount", fb.GROUND, BODY, stiffness=np.ones(6), point=(1, 0, 0), axes=np.ones((3, 3))
            ),
            r"(?s)axes is .* three perpendicular unit vectors",
        ),
        (
            lambda: fb.Bushing("mount", fb.GROUND, BODY, stiffness=np.ones(6), second_point=(1, 0, 0)),
            r"Bushing 'mount' has no position; give point=",
        ),
        (
            lambda: fb.Bushing("mount", fb.GROUND, TIPPED["tip"], stiffness=np.ones(6), second_point=(5, 5, 5)),
            r"has the point \(5, 5, 5\) and the named frame body\['tip'\]; give only one",
        ),
        (
            lambda: fb.Bushing("mount", TIPPED["tip"], TIPPED["tip"], stiffness=np.ones(6), point=(5, 5, 5)),
            r"has point=\(5, 5, 5\), but both ends have positions of their own: body\['tip'\], body\['tip'\]. Leave",
        ),
        (
            lambda: with_law(fb.Linear(1.0), Between(fb.GROUND, BODY)),
            r"'mount': .*Between.* has 6 deformations, but .*Linear.* is a law of one deformation; give a Line",
        ),
        (
            lambda: with_law(fb.Bushing("b", fb.GROUND, BODY).force_law({})),
            r"'mount': .*Line has one deformation, but .* is a law of 6 deformations; give a Between",
        ),
        (lambda: fb.MasslessBeam("rod", fb.GROUND, BODY, beam=3.0), r"beam is 3.0; give a fem.Beam"),
        (lambda: fb.MasslessBeam("rod", fb.GROUND, BODY, beam=BEAM, first_point=(1, 0, 0)), r"two ends coincide"),
        (lambda: fb.MasslessBeam("rod", fb.GROUND, BODY, beam=replace(BEAM, up=(1, 0, 0))), r"'rod': .*up"),
    ],
)  # fmt: skip
def test_bad_input(build, says):
    with pytest.raises(fb.InputError, match=says):
        fb.System([BODY], (), [build()])


def simulate(law, **options):
    guide = fb.Prismatic("guide", fb.GROUND, BODY, point=(1, 0, 0), axis="x")
    push = fb.PointForce("push", BODY, (20.0, 0, 0))
    system = fb.System([BODY], [guide], [with_law(law), push])
    return fb.simulate(system, 1.0, show_progress=False, **options)


def breaking(t, x, rate):
    if x > 0.5:
        raise RuntimeError("the cable has snapped")
    return 1.0 * x


def breaking_in_python(t, x, rate):
    if x > 0.5:
        raise RuntimeError(f"the cable has snapped at {x:.2f}")
    return 1.0 * x


def undefined(t, x, rate):
    return np.sqrt(0.5 - x)


@pytest.mark.parametrize(
    ("law", "says"),
    [
        (
            breaking,
            r"ForceElement 'mount': the law fails at t = 0.3.* with RuntimeError: the cable has snapped",
        ),
        (breaking_in_python, r"'mount': the law fails at t = 0.3.*deformation 0.5.* snapped at 0.5"),
        (undefined, r"'mount': the law gives nan at t = 0.3.*, deformation 0.5"),
    ],
)
@pytest.mark.parametrize("options", [{}, {"step": 1e-3}, {"integrator": fb.Explicit()}])
def test_laws_that_fail_in_the_run(law, says, options):
    """``x = 5 t^2`` nearly: 0.5 m at 0.32 s. The run so far is kept."""
    with np.errstate(invalid="ignore"), pytest.raises(fb.InputError, match=says) as caught:
        simulate(fb.UserLaw(law), **options)
    assert 0.3 < caught.value.result.t[-1] < 0.35


def test_a_law_that_fails_at_once_is_refused_before_the_run():
    with pytest.raises(fb.InputError, match=r"'mount': the law fails at t = 0 s.*ZeroDivisionError"):
        simulate(fb.UserLaw(lambda t, x, rate: 1.0 / 0))


def test_interrupt_in_a_law():
    drawn = []

    def law(t, x, rate):
        drawn.append(x)
        if t > 0.1 and x != drawn[0]:  # (its values over time are asked before, as drawn)
            raise KeyboardInterrupt
        return float(str(x))

    result = simulate(fb.UserLaw(law))
    assert result.statistics.interrupted
    assert 0.05 < result.t[-1] < 0.5


@pytest.mark.parametrize("name", NAMES)
def test_results_in_files(name, tmp_path):
    """All histories come back: of the program's own laws computed anew, of the user's as they were."""
    joint = fb.Prismatic("guide", fb.GROUND, BODY, point=(1, 0, 0), axis="x")
    moving = fb.RigidBody(
        "free", mass=1.0, inertia=(1, 1, 1), center=(1.3, 0.2, 0.1), velocity=(0.1, 0.2, -0.1)
    )
    system = fb.System([BODY, moving], [joint], [element(name, BODY, moving, (1, 0, 0), (1.3, 0.2, 0.1))])
    result = fb.simulate(system, 0.01, show_progress=False, output_step=1e-3, save=tmp_path / "run.h5")
    loaded = fb.load_result(tmp_path / "run.h5")
    one, other = result.element("e"), loaded.element("e")
    for what in ("force", "deformation", "rate", "state", "first", "second"):
        found, expected = getattr(other, what), getattr(one, what)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max(initial=0))


def test_unknown_elements_list_those_that_exist():
    result = simulate(fb.Linear(10.0))
    with pytest.raises(fb.InputError, match=r"no spring or force element 'spring'; it has 'mount'"):
        result.element("spring")
