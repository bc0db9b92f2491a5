"""A flat face on an open arc: motion against the equations of a rocking plate, ends, and starts that touch nowhere."""

import numpy as np
import pytest
import scipy.integrate
from support.state import evaluated

import fem
import flexbody as fb
from flexbody.compile.plan import make_plan
from flexbody.core.rotation import turned_euler

G, R, H, MASS, INERTIA = (
    9.81,
    0.8,
    0.85,
    2.0,
    0.03,
)  # radius of the arc; with the height of the plate's centre
FIRST, LAST, BEGIN = -0.6, 0.7, 0.1  # angles of the ends and of the drawn contact, rad
STATE = (BEGIN, 0.12, 0.7, -0.5)  # angle, offset of the centre along the face (m), and their rates


def normal(angle):
    return np.array([np.sin(angle), 0.0, np.cos(angle)])


def along(angle):
    return np.array([np.cos(angle), 0.0, -np.sin(angle)])


def arc(first=FIRST, last=LAST):
    return [R * normal(angle) for angle in np.linspace(first, last, 15)]


def plate(**options):
    """A plate that slides and rocks on the arc in the plane y = 0, without friction."""
    angle, offset, turn, slide = STATE
    centre = H * normal(angle) + offset * along(angle)
    speed = (H * turn + slide) * along(angle) - offset * turn * normal(angle)
    body = fb.RigidBody(
        "plate", MASS, (INERTIA,) * 3, center=centre, velocity=speed, angular_velocity=(0, turn, 0)
    )
    options = {
        "points": arc(),
        "point": R * normal(angle) + 0.3 * along(angle),
        "normal": -normal(angle),
    } | options
    face = fb.FaceOnGuideway("face", fb.GROUND, body, **options)
    plane = fb.Planar("plane", fb.GROUND, body, point=centre, axis="y")
    return fb.System([body], [face, plane], gravity=(0, 0, -G))


def accelerations(state):
    """Lagrange's equations of T = m ((H w + v)^2 + (u w)^2) / 2 + I w^2 / 2 and V = m g (H cos a - u sin a)."""
    a, u, w, v = state
    mass = [[MASS * (H**2 + u**2) + INERTIA, MASS * H], [MASS * H, MASS]]
    force = [
        MASS * (G * (H * np.sin(a) + u * np.cos(a)) - 2 * u * v * w),
        MASS * (u * w**2 + G * np.sin(a)),
    ]
    return np.linalg.solve(mass, force)


def rocking(t):
    """Angle, offset, their rates, and the force on the plate along its normal at the times t."""
    found = scipy.integrate.solve_ivp(
        lambda _, y: [*y[2:], *accelerations(y)], (0.0, t[-1]), STATE, t_eval=t, rtol=1e-11, atol=1e-12
    )
    a, u, w, v = found.y
    turn = np.array([accelerations(y)[0] for y in found.y.T])
    return found.y, MASS * (G * np.cos(a) - v * w - u * turn - (H * w + v) * w)


@pytest.mark.parametrize("description", [fb.Absolute(), fb.Relative()], ids=["absolute", "relative"])
@pytest.mark.parametrize(
    ("integrator", "error"),
    [(fb.Explicit(), 1e-7), (fb.GeneralizedAlpha(), 1e-4), (fb.Automatic(), 1e-4)],  # of rtol 1e-8 and 1e-5
    ids=["explicit", "implicit", "automatic"],
)
def test_a_plate_slides_and_rocks_on_an_arc(integrator, error, description):
    """Place, contact and normal force follow the equations of two coordinates, up to near the end of the arc."""
    found = fb.simulate(
        plate(), 0.43, integrator=integrator, description=description, output_step=0.01, show_progress=False
    )
    (a, u, _, _), force = rocking(found.t)
    assert a[-1] > 0.95 * LAST - 0.05
    np.testing.assert_allclose(found.coordinate("face"), R * (a - BEGIN), atol=error)
    centre = [H * normal(x) + y * along(x) for x, y in zip(a, u, strict=True)]
    np.testing.assert_allclose(found.position("plate"), centre, atol=error)
    pressed = np.einsum("ti,ti->t", found.reaction("face").force, [normal(x) for x in a])
    np.testing.assert_allclose(pressed, force, atol=100 * error * MASS * G)
    assert found.energy.balance_error < error


@pytest.mark.parametrize("integrator", [fb.Explicit(), fb.GeneralizedAlpha()], ids=["explicit", "implicit"])
def test_the_end_of_the_arc_is_told_and_its_event_ends_the_run(integrator):
    """The message prints the event; it ends the run when the angle of the equations reaches that of the end."""
    with pytest.raises(fem.ConvergenceError, match="has left the end of its line") as told:
        fb.simulate(plate(), 2.0, integrator=integrator, show_progress=False)
    event = eval(str(told.value).rpartition("before: ")[2], {"fb": fb})
    found = fb.simulate(plate(), 2.0, integrator=integrator, events=[event], show_progress=False)
    reached = scipy.integrate.solve_ivp(
        lambda _, y: [*y[2:], *accelerations(y)],
        (0, 1),
        STATE,
        rtol=1e-11,
        atol=1e-12,
        events=lambda _, y: y[0] - LAST,
    )
    assert found.t[-1] == pytest.approx(reached.t_events[0][0], abs=3e-4)  # s; the contact moves at 3 m/s
    assert found.coordinate("face")[-1] == pytest.approx(R * (LAST - BEGIN), abs=1e-5)


def test_a_face_may_start_at_an_end():
    """The contact is drawn at the first point, to which the spline is tangent within 1e-6, and moves inward."""
    found = fb.simulate(plate(points=arc(BEGIN, LAST)), 0.43, output_step=0.01, show_progress=False)
    np.testing.assert_allclose(found.coordinate("face"), R * (rocking(found.t)[0][0] - BEGIN), atol=1e-4)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"normal": -normal(LAST + 0.2)}, r"touches the line nowhere.*at the end, .* where 11\.46 degrees"),
        (
            {"normal": -normal(FIRST - 0.1)},
            r"touches the line nowhere.*at the beginning, .* where 5\.73 degrees",
        ),
        ({"normal": normal(BEGIN)}, "on the hollow side of the line"),
        ({"points": [(0, 0, R), (1, 0, R)], "up": "y", "normal": "-z"}, "does not bulge at"),
    ],
    ids=["beyond the end", "before the beginning", "hollow side", "straight line"],
)
def test_a_face_that_touches_nowhere_is_refused(options, message):
    with pytest.raises(fem.InputError, match=message):
        plate(**options)


@pytest.mark.parametrize("turn", [0.02, 0.4])
def test_a_line_goes_on_with_the_curvature_of_its_end(turn):
    """Beyond the end p + b t - b^2 n / (2 R) is along a face turned by d where b = R tan(d); d. is 1 rad/s."""
    plan = make_plan(plate(points=arc(BEGIN - 0.5, BEGIN)))
    c, q, alpha, v = plan.start()
    turned_euler(q[0].copy(), np.array([0.0, turn, 0.0]), q[0])
    v[:] = 0.0
    v[4] = 1.0
    W = evaluated(plan, (c, q, alpha, v, 0 * v))
    expected = [R * np.tan(turn), R / np.cos(turn) ** 2, 2 * R * np.tan(turn) / np.cos(turn) ** 2]
    found = W.path[0, :3] - [0.5 * R, 0.0, 0.0]
    np.testing.assert_allclose(found, expected, rtol=2e-4)  # the spline's curvature at its end
