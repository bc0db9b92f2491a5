"""The laws of force elements: ``law(t, u, x, rate, z, p, out)``, one signature for all.

t : time, s. u : the input (a voltage, a pressure, a force) at t. x, rate : deformations of the element and their
rates, one or six. z : states. p : the law's numbers. out : forces F against growing deformations, then the states'
rates, then stored energy U (J), dissipated and input power (W), with ``F . rate = dU/dt + dissipated - input``.

They work on arrays as well as on the pointers of a compiled law.
"""

from fem.common.jit import jit


def linear(t, u, x, rate, z, p, out):
    """``F = k x + d x. + u``, Koppens (4.3); p = (k, d)."""
    out[0] = p[0] * x[0] + p[1] * rate[0] + u[0]
    out[1] = 0.5 * p[0] * x[0] * x[0]
    out[2] = p[1] * rate[0] * rate[0]
    out[3] = -u[0] * rate[0]


@jit
def piece(p, first, x):
    """Return value and integral at ``x`` of a function in cubic pieces; its numbers begin at ``p[first]``.

    (n, breaks (n,), coefficients (n + 1, 5)): in piece i, from break i - 1 on (the first one belongs to the first
    break), ``a + b s + c s^2 + d s^3`` with s = x - break, and the integral up to the break.
    """
    n = int(p[first])
    low, high = 0, n  # the piece lies after `low` breaks
    while low < high:
        middle = (low + high) // 2
        if x < p[first + 1 + middle]:
            high = middle
        else:
            low = middle + 1
    at = first + 1 + n + 5 * low
    s = x - p[first + max(low, 1)]
    value = p[at] + s * (p[at + 1] + s * (p[at + 2] + s * p[at + 3]))
    whole = p[at + 4] + s * (p[at] + s * (p[at + 1] / 2 + s * (p[at + 2] / 3 + s * p[at + 3] / 4)))
    return value, whole


def viscoelastic(t, u, x, rate, z, p, out):
    """A spring beside Maxwell branches; p = (k, d, n, then k_i and tau_i of each), z = strokes of the dashpots.

    ``F = k x + d x. + sum k_i (x - z_i)``, ``z_i. = (x - z_i) / tau_i``: Sol (3.4.4), generalized Maxwell model.
    """
    n = int(p[2])
    force, energy, lost = p[0] * x[0] + p[1] * rate[0], 0.5 * p[0] * x[0] * x[0], p[1] * rate[0] * rate[0]
    for i in range(n):
        k, tau = p[3 + 2 * i], p[4 + 2 * i]
        stretch = x[0] - z[i]
        force += k * stretch
        energy += 0.5 * k * stretch * stretch
        lost += k * stretch * stretch / tau
        out[1 + i] = stretch / tau
    out[0] = force
    out[1 + n] = energy
    out[2 + n] = lost
    out[3 + n] = 0.0


def pressure(t, u, x, rate, z, p, out):
    """A piston of area p[0] under the pressure u, which pushes apart, Sol (3.5.6)."""
    out[0] = -p[0] * u[0]
    out[1] = out[2] = 0.0
    out[3] = p[0] * u[0] * rate[0]


def cylinder(t, u, x, rate, z, p, out):
    """A piston on oil: p = (area A, stiffness of the oil E/V, leakage c), z = pressure, u = flow.

    ``z. = E/V (u - A x. - c z)``, ``F = -A z``; the oil stores ``z^2 V / 2 E``.
    """
    out[0] = -p[0] * z[0]
    out[1] = p[1] * (u[0] - p[0] * rate[0] - p[2] * z[0])
    out[2] = 0.5 * z[0] * z[0] / p[1]
    out[3] = p[2] * z[0] * z[0]
    out[4] = u[0] * z[0]


def motor(t, u, x, rate, z, p, out):
    """A direct-current motor: p = (c, R, L), z = current, u = voltage; Sol (3.5.7)-(3.5.8).

    ``L z. = u - R z - c x.``, torque ``c z`` on the second body: the back-e.m.f. takes from the circuit what the
    torque gives (in Sol's equations the sign fits a torque on the element).
    """
    out[0] = -p[0] * z[0]
    out[1] = (u[0] - p[1] * z[0] - p[0] * rate[0]) / p[2]
    out[2] = 0.5 * p[2] * z[0] * z[0]
    out[3] = p[1] * z[0] * z[0]
    out[4] = u[0] * z[0]


def servo(t, u, x, rate, z, p, out):
    """A motor whose voltage is ``b (u - x) - b1 x.`` within +- limit; p = (c, R, L, b, b1, limit), u = the set-point.

    Sol (3.5.9).
    """
    voltage = p[3] * (u[0] - x[0]) - p[4] * rate[0]
    voltage = min(max(voltage, -p[5]), p[5])
    out[0] = -p[0] * z[0]
    out[1] = (voltage - p[1] * z[0] - p[0] * rate[0]) / p[2]
    out[2] = 0.5 * p[2] * z[0] * z[0]
    out[3] = p[1] * z[0] * z[0]
    out[4] = voltage * z[0]


def table(t, u, x, rate, z, p, out):
    """``F = f(x) + d x.``; p = (d, f as for :func:`piece`)."""
    force, energy = piece(p, 1, x[0])
    out[0] = force + p[0] * rate[0]
    out[1] = energy
    out[2] = p[0] * rate[0] * rate[0]
    out[3] = 0.0


def rate_table(t, u, x, rate, z, p, out):
    """``F = k x + f(x.)``; p = (k, f as for :func:`piece`)."""
    force, _ = piece(p, 1, rate[0])
    out[0] = p[0] * x[0] + force
    out[1] = 0.5 * p[0] * x[0] * x[0]
    out[2] = force * rate[0]
    out[3] = 0.0


def bushing(t, u, x, rate, z, p, out):
    """``F = K x + D x. + f(x)``; p = (K (36,), D (36,), for each component 0 or where its table is in p, tables)."""
    energy = lost = 0.0
    for i in range(6):
        elastic = damping = 0.0
        for j in range(6):
            elastic += p[6 * i + j] * x[j]
            damping += p[36 + 6 * i + j] * rate[j]
        energy += 0.5 * elastic * x[i]
        lost += damping * rate[i]
        at = int(p[72 + i])
        if at > 0:
            force, stored = piece(p, at, x[i])
            elastic += force
            energy += stored
        out[i] = elastic + damping
    out[6] = energy
    out[7] = lost
    out[8] = 0.0


def beam(t, u, x, rate, z, p, out):
    """A beam between two frames: ``U = y K y / 2`` with ``y = x`` but the elongation ``y_0 = x_0 + x S x / 2``.

    The second part is what bending takes from the length (with it, axial forces stiffen or buckle the beam).
    p = (K (36,), S (36,), beta); damping forces ``beta K y.``.
    """
    elongation, speed = x[0], rate[0]
    for i in range(6):
        for j in range(6):
            elongation += 0.5 * x[i] * p[36 + 6 * i + j] * x[j]
            speed += rate[i] * p[36 + 6 * i + j] * x[j]
    energy = lost = axial = 0.0
    for i in range(6):
        elastic = p[6 * i] * elongation
        damping = p[6 * i] * speed
        for j in range(1, 6):
            elastic += p[6 * i + j] * x[j]
            damping += p[6 * i + j] * rate[j]
        energy += 0.5 * elastic * (elongation if i == 0 else x[i])
        lost += p[72] * damping * (speed if i == 0 else rate[i])
        out[i] = elastic + p[72] * damping
        if i == 0:
            axial = out[0]
    for i in range(6):
        for j in range(6):
            out[i] += axial * p[36 + 6 * i + j] * x[j]
    out[6] = energy
    out[7] = lost
    out[8] = 0.0
