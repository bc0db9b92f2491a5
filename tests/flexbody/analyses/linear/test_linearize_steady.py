"""Small motions about steady motion, with nonholonomic constraints and without, against known exponents."""

import numpy as np
import pytest

import flexbody as fb

G = 9.81


def rolling(name, body, r, axis="y"):
    """A disc touches the plane z = 0 and rolls on it."""
    return [fb.Rolling(name, fb.Plane(fb.GROUND), fb.Wheel(body, r, axis=axis))]


def moving(linear):
    """Eigenvalues that are not zero, both of a conjugate pair."""
    values = linear.eigenvalues[linear.eigenvalues != 0]
    return np.sort_complex(np.concatenate([values, values[values.imag > 0].conj()]))


def wheel(speed, share, r=0.3, m=1.2):
    """An upright disc (share 1/2) or hoop (1) that rolls along x; axial inertia share m r^2, half of it across."""
    C = share * m * r * r
    body = fb.RigidBody("wheel", m, (C / 2, C, C / 2), center=(0, 0, r), velocity=(speed, 0, 0),
                        angular_velocity=(0, speed / r, 0))  # fmt: skip
    return fb.System([body], rolling("wheel", body, r), gravity=(0, 0, -G))


@pytest.mark.parametrize(("share", "critical"), [(0.5, 3.0), (1.0, 4.0)], ids=["disc", "hoop"])
def test_a_wheel_that_rolls_upright(share, critical):
    """(A + m r^2) lean.. + ((C + m r^2) C n^2 / A - m g r) lean = 0; stable above v^2 = g r / 3 of a thin disc,
    g r / 4 of a hoop (Neimark and Fufaev, Dynamics of Nonholonomic Systems, ch. VI; Routh, Advanced Rigid Dynamics)."""
    r = 0.3
    C, A = share, share / 2  # over m r^2
    for factor in (0.5, 0.99, 1.01, 2.0):
        speed = factor * np.sqrt(G * r / critical)
        linear = fb.linearize(wheel(speed, share), fb.AsDrawn())
        square = ((C + 1) * C * (speed / r) ** 2 / A - G / r) / (A + 1)
        exact = np.sqrt(complex(-square)) * np.array([-1, 1])
        # beside the critical speed squares cancel to 2 % of themselves
        np.testing.assert_allclose(moving(linear), np.sort_complex(exact), rtol=1e-7, atol=1e-9)
        assert linear.stable == (factor > 1)
        # elsewhere along both ways, and turned about its axle
        assert np.sum(linear.eigenvalues == 0) == 3
        assert linear.rolling is not None
        assert linear.rolling.N.shape == (5, 3)


def sleigh(u, inertia, a=0.4, m=2.0):
    body = fb.RigidBody("sleigh", m, inertia, center=(a, 0, 0), velocity=(u, 0, 0),
                        markers={"blade": (0, 0, 0), "tip": (1.0, 0, 0)})  # fmt: skip
    ice = fb.Planar("ice", fb.GROUND, body, point=(0, 0, 0))
    blade = fb.Constraint("blade", [body["blade"]], velocity=lambda t, p: p.R[:, 1] @ p.v)
    push = fb.PointMoment("push", body, (0, 0, 0))
    return fb.System([body], [ice, blade], [push])


@pytest.mark.parametrize("u", [1.3, -1.3], ids=["forwards", "backwards"])
@pytest.mark.parametrize("inertia", [(0.3, 0.3, 0.3), (0.2, 0.25, 0.3)], ids=["ball", "body"])
def test_chaplygins_sleigh(u, inertia):
    """(J + m a^2) w. = -m a u w about straight motion: stable with the centre before the blade."""
    linear = fb.linearize(sleigh(u, inertia), fb.AsDrawn())
    exact = -2.0 * 0.4 * u / (0.3 + 2.0 * 0.16)
    np.testing.assert_allclose(moving(linear), [exact], rtol=1e-9)
    assert linear.stable == (u > 0)
    assert "3 degrees of freedom of position, 2 of velocity" in repr(linear)


def test_what_a_moment_on_the_sleigh_does():
    """w = M / ((J + m a^2) s + m a u); across its way the tip, 1 m before the blade, has w + u w / s."""
    u = 1.3
    plant = fb.linearize(sleigh(u, (0.3, 0.3, 0.3)), fb.AsDrawn()).state_space(
        velocities=["sleigh"], accelerations=["sleigh"]
    )
    assert plant.A.shape == (5, 5)
    frequency = np.array([0.05, 0.3, 2.0])
    s = 2j * np.pi * frequency
    w = 1 / ((0.3 + 2.0 * 0.16) * s + 2.0 * 0.4 * u)
    response = plant.response(frequency)
    channel = plant.inputs.index("push moment z")
    across = 0.4 * w + u * w / s
    for what, exact in (("velocity", across), ("acceleration", s * across)):
        np.testing.assert_allclose(
            response[:, plant.outputs.index(f"sleigh {what} y"), channel], exact, rtol=1e-8
        )


def bicycle(v):
    """The benchmark bicycle (z up, y to the left): J. P. Meijaard, J. M. Papadopoulos, A. Ruina, A. L. Schwab,

    Proc. R. Soc. A 463 (2007) 1955, table 1.
    """
    w, c, tilt = 1.02, 0.08, np.pi / 10

    def inertia(xx, yy, zz, xz=0.0):
        return np.array([[xx, 0, -xz], [0, yy, 0], [-xz, 0, zz]])

    def body(name, mass, tensor, x, z, radius=np.inf):
        return fb.RigidBody(name, mass, tensor, center=(x, 0, z), velocity=(v, 0, 0),
                            angular_velocity=(0, v / radius, 0))  # fmt: skip

    rear = body("rear", 2.0, inertia(0.0603, 0.12, 0.0603), 0, 0.3, 0.3)
    frame = body("frame", 85.0, inertia(9.2, 11, 2.8, 2.4), 0.3, 0.9)
    fork = body("fork", 4.0, inertia(0.05892, 0.06, 0.00708, -0.00756), 0.9, 0.7)
    front = body("front", 3.0, inertia(0.1405, 0.28, 0.1405), w, 0.35, 0.35)
    joints = [
        fb.Revolute("hub", frame, rear, point=(0, 0, 0.3), axis="y"),
        fb.Revolute("axle", fork, front, point=(w, 0, 0.35), axis="y"),
        fb.Revolute("head", frame, fork, point=(w + c, 0, 0), axis=(-np.sin(tilt), 0, np.cos(tilt))),
        *rolling("rear", rear, 0.3),
        *rolling("front", front, 0.35),
    ]
    return fb.System([rear, frame, fork, front], joints, gravity=(0, 0, -G))


#: of the same paper, (A 24): of lean and steering
MASS = np.array([[80.81722, 2.31941332208709], [2.31941332208709, 0.29784188199686]])
K0 = np.array([[-80.95, -2.59951685249872], [-2.59951685249872, -0.80329488458618]])
K2 = np.array([[0, 76.59734589573222], [0, 2.65431523794604]])
C1 = np.array([[0, 33.86641391492494], [-0.85035641456978, 1.68540397397560]])


@pytest.mark.parametrize("v", [0.0, 1.0, 5.0, 9.0])
def test_the_benchmark_bicycle(v):
    """Weave, capsize and castering: unstable, stable (at 5 m/s), unstable; at rest it falls in two ways."""
    linear = fb.linearize(bicycle(v), fb.AsDrawn())
    K = G * K0 + v * v * K2
    A = np.block([[np.zeros((2, 2)), np.eye(2)], [-np.linalg.solve(MASS, K), -np.linalg.solve(MASS, v * C1)]])
    # the paper's matrices have 14 digits; differences leave 1e-10 of the stiffness
    np.testing.assert_allclose(moving(linear), np.sort_complex(np.linalg.eigvals(A)), rtol=1e-7, atol=1e-8)
    assert linear.stable == (v == 5.0)
    if v == 5.0:  # table 2
        table = [-14.07838969279822, -0.775341882195845 - 4.46486771378823j,
                 -0.775341882195845 + 4.46486771378823j, -0.322866429004087]  # fmt: skip
        np.testing.assert_allclose(moving(linear), np.sort_complex(np.array(table)), rtol=1e-8)


def disc_in_a_circle(more=0.0, lean=0.3, R=2.0, m=1.2, r=0.3):
    """A thin disc that leans inwards and rolls in a circle (see test_rolling); ``more``: rate of its lean, rad/s."""
    A, C, s, c = m * r**2 / 4, m * r**2 / 2, np.sin(lean), np.cos(lean)
    W = np.sqrt(m * G * r * s / (c * (C * R / r + A * s + m * r * R)))
    axis, up = np.array([c, 0, s]), np.array([-s, 0, c])
    spin = W * (np.array([0, 0, 1.0]) - s * axis) - W * R / r * axis + more * np.array([0, 1.0, 0])
    inertia = A * np.eye(3) + (C - A) * np.outer(axis, axis)
    disc = fb.RigidBody("disc", m, inertia, center=(R, 0, r * c), velocity=np.cross(spin, r * up),
                        angular_velocity=spin)  # fmt: skip
    return fb.System([disc], rolling("disc", disc, r, axis), gravity=(0, 0, -G)), W


def test_a_disc_that_rolls_in_a_circle_wobbles_as_its_mode_says():
    machine, W = disc_in_a_circle()
    linear = fb.linearize(machine, fb.AsDrawn())
    slow, fast = linear.eigenvalues[linear.eigenvalues != 0]
    # seen from the turning base, a circle about another centre goes round with its rate
    assert slow == pytest.approx(1j * W, rel=1e-7)
    run = fb.simulate(disc_in_a_circle(1e-5)[0], 4.0, integrator=fb.Explicit(rtol=1e-11), show_progress=False)
    height = run.position("disc")[:, 2]
    base = np.column_stack([np.ones_like(run.t), np.cos(fast.imag * run.t), np.sin(fast.imag * run.t)])
    left = base @ np.linalg.lstsq(base, height, rcond=None)[0] - height
    # to second order in the wobble, 1e-5 of it, and the integrator's error
    assert np.abs(left).max() < 1e-5 * np.ptp(height)
    # the state of a run does as well, as accurately as the run is
    after = fb.linearize(fb.simulate(machine, 0.5, show_progress=False))
    np.testing.assert_allclose(after.eigenvalues[-2:].imag, [slow.imag, fast.imag], rtol=1e-4)
    assert np.abs(after.eigenvalues.real).max() < 1e-4
    shape = linear.motion(len(linear.eigenvalues) - 1, frames=20)
    assert np.ptp(shape.position("disc")[:, 2]) > 0


@pytest.mark.parametrize("which", [0, 1], ids=["slow", "fast"])
def test_a_top_that_precesses_nutates(which):
    """No constraint of velocities at all: about steady precession, w^2 = V''/I1 with Routh's potential

    V = (p - P cos)^2 / (2 I1 sin^2) + m g l cos (H. Goldstein, Classical Mechanics, 5-7).
    """
    lean, spin, m, length, I3, across = 0.5, 200.0, 2.0, 0.2, 0.01, 0.02
    I1, s, c = across + m * length**2, np.sin(lean), np.cos(lean)
    W = np.sort(np.roots([I1 * c, -I3 * spin, m * G * length]))[which]
    axis = np.array([s, 0, c])
    w = spin * axis + W * s * np.array([-c, 0, s])
    top = fb.RigidBody("top", m, across * np.eye(3) + (I3 - across) * np.outer(axis, axis), center=length * axis,
                       velocity=np.cross(w, length * axis), angular_velocity=w)  # fmt: skip
    machine = fb.System([top], [fb.Spherical("tip", fb.GROUND, top, point=(0, 0, 0))], gravity=(0, 0, -G))
    linear = fb.linearize(machine, fb.AsDrawn())
    P = I3 * spin
    # V' = 0 makes p - P cos = I1 W sin^2
    second = (P * s) ** 2 - 4 * P * I1 * W * s**2 * c + P * I1 * W * s**2 * c
    second = second / (I1 * s**2) + 3 * I1 * W**2 * c**2 + I1 * W**2 * s**2 - m * G * length * c
    np.testing.assert_allclose(linear.eigenvalues[-1].imag, np.sqrt(second / I1), rtol=1e-8)
    assert linear.stable


def motor_cart(speed, voltage):
    """A cart on two wheels with a motor each, drawn as it runs straight; its centre lies over the axle."""
    r, c, R, L = 0.1, 0.2, 1.5, 0.05
    chassis = fb.RigidBody("chassis", 8.0, (0.2, 0.3, 0.4), center=(0, 0, r), velocity=(speed, 0, 0))
    bodies, joints, motors = [chassis], [fb.Planar("floor", fb.GROUND, chassis, point=(0, 0, r))], []
    for name, y in (("left", 0.25), ("right", -0.25)):
        wheel = fb.RigidBody(name, 0.5, (0.002, 0.004, 0.002), center=(0, y, r), velocity=(speed, 0, 0),
                             angular_velocity=(0, speed / r, 0))  # fmt: skip
        axle = fb.Revolute(f"axle {name}", chassis, wheel, point=(0, y, r), axis="y")

        def slip(t, frame, body, side=(name == "left")):
            v = body.v - r * np.array([body.w[1], -body.w[0], 0])
            return [frame.R[:, 0] @ v, frame.R[:, 1] @ v] if side else [frame.R[:, 0] @ v]

        bodies.append(wheel)
        joints += [axle, fb.Constraint(f"rolling {name}", [chassis, wheel], velocity=slip)]
        law = fb.ElectricMotor(c, R, L, voltage=voltage, start=None)
        motors.append(fb.ForceElement(f"motor {name}", fb.Along(axle), law))
    return fb.System(bodies, joints, motors), (r, c, R, L)


def test_motors_in_wheels():
    """At the speed U/c no current flows. Forwards each motor drives half of the cart, in a turn its moment of inertia:

    (L s + R) J s + c^2 = 0 with J = (M/2) r^2 + Jw, and Jw + Jz r^2 / (2 (b/2)^2) of all bodies about the middle.
    """
    machine, (r, c, R, L) = motor_cart(0.1 * 4.0 / 0.2, 4.0)
    linear = fb.linearize(machine, fb.AsDrawn())
    forwards = 9.0 / 2 * r**2 + 0.004
    turning = 0.004 + (0.4 + 2 * (0.002 + 0.5 * 0.25**2)) * r**2 / (2 * 0.25**2)
    exact = np.concatenate([np.roots([L * J, R * J, c * c]) for J in (forwards, turning)])
    np.testing.assert_allclose(moving(linear), np.sort_complex(exact), rtol=1e-7)
    assert linear.law.names == ("motor left current", "motor right current")


def test_a_cart_that_speeds_up_is_not_steady():
    """Bodies move as in a steady motion for the moment; the current does not stay."""
    slow, _ = motor_cart(1.0, 4.0)
    laws = [fb.ElectricMotor(0.2, 1.5, 0.05, voltage=4.0, start=0.0)] * 2
    motors = [fb.ForceElement(f.name, f.along, law) for f, law in zip(slow.forces, laws, strict=True)]
    with pytest.raises(fb.InputError, match="not a steady motion"):
        fb.linearize(fb.System(slow.bodies, slow.joints, motors), fb.AsDrawn())


def skate(**options):
    body = fb.RigidBody("skate", 1.0, (0.1, 0.1, 0.1), velocity=(2.0, 0, 0), angular_velocity=(0, 0, 0.5))
    plane = fb.Planar("ice", fb.GROUND, body, point=(0, 0, 0), axis="z")
    edge = fb.Constraint("edge", [body], velocity=lambda t, a: a.R[:, 1] @ a.v)
    return fb.System([body], [plane, edge], **options)


def test_a_skate_in_a_circle():
    """Given by its velocities, or as a machine that turns about the circle's middle: indifferent, it goes on."""
    drawn = fb.linearize(skate(), fb.AsDrawn())
    turning = fb.linearize(skate(), spin=(0, 0, 0.5), about=(0, 4.0, 0))
    for linear in (drawn, turning):
        assert linear.stable
        # a circle about another centre, seen from the turning base
        np.testing.assert_allclose(moving(linear), [-0.5j, 0.5j], atol=1e-9)


def test_what_is_not_steady_is_refused():
    """On a slope a skate that turns speeds up and slows down."""
    with pytest.raises(
        fb.InputError, match=r"'edge' constrains velocities, and this state .* is not a steady motion"
    ):
        fb.linearize(skate(gravity=(3.0, 0, -9.0)), fb.AsDrawn())


def test_drawn_states_belong_to_systems():
    run = fb.simulate(skate(), 0.1, show_progress=False)
    with pytest.raises(fb.InputError, match="goes with a system"):
        fb.linearize(run, fb.AsDrawn())


def rotor(rate):
    """A rotor that spins in a hub on springs."""
    hub = fb.RigidBody("hub", 1.0, (0.01, 0.01, 0.01))
    disc = fb.RigidBody(
        "disc", 5.0, (0.04, 0.04, 0.07), angular_velocity=(0, 0, rate), markers={"rim": (0.2, 0, 0)}
    )
    bearing = fb.Revolute("bearing", hub, disc, point=(0, 0, 0))
    springs = fb.Bushing("springs", fb.GROUND, hub, stiffness=(1e5, 1e5, 1e6, 1e3, 1e3, 1e4), point=(0, 0, 0))
    return fb.System([hub, disc], [bearing], [springs])


def test_a_rotor_that_spins_whirls_in_both_senses():
    """A w^2 -+ C W w - k = 0 (G. Genta, Dynamics of Rotating Systems, 2.5): no warning, though its axes turn fast."""
    A, C, W, k = 0.05, 0.07, 300.0, 1e3
    whirl = np.abs(np.roots([A, C * W, -k]))
    for source in (rotor(W), fb.simulate(rotor(W), 0.02, show_progress=False)):
        linear = fb.linearize(source, fb.AsDrawn()) if isinstance(source, fb.System) else fb.linearize(source)
        found = linear.eigenvalues.imag
        for rate in (*whirl, np.sqrt(1e5 / 6), np.sqrt(1e6 / 6), np.sqrt(1e4 / 0.01)):
            assert np.abs(found - rate).min() < 1e-6 * rate


def test_a_point_on_what_spins_moves_with_its_turning():
    """Of the rim, in the base that does not spin: theta x p, its velocity theta. x p + theta x (s x p), and so on."""
    machine = rotor(300.0)
    rim = machine.body("disc")["rim"]
    linear = fb.linearize(machine, fb.AsDrawn())
    plant = linear.state_space(displacements=[rim], velocities=[rim], accelerations=[rim])
    f, at = len(linear.M), linear.state.plan.layout.v_at[1]
    delta, theta, s, p = linear.Z[at : at + 3], linear.Z[at + 3 : at + 6], [0, 0, 300.0], [0.2, 0, 0]
    place, rate, second = (
        np.cross(theta.T, arm).T for arm in (p, np.cross(s, p), np.cross(s, np.cross(s, p)))
    )
    place = place + delta
    rows = plant.C.reshape(3, 3, 2 * f)
    expected = [
        np.concatenate([place, 0 * place], axis=1),
        np.concatenate([rate, place], axis=1),
        np.concatenate([second, 2 * rate], axis=1) + place @ plant.A[f:],
    ]
    for found, exact in zip(rows, expected, strict=True):
        # differences over 3e-4 rad: their square
        np.testing.assert_allclose(found, exact, atol=1e-7 * np.abs(exact).max())
