"""Loads on each body from all that a result gives of joints, couplings and force elements; rates by differences.

Nothing here uses the program's equations: sums of forces and moments, places of their points, and how gears split.
"""

from __future__ import annotations

import numpy as np
from scipy.linalg import eigh

import flexbody as fb
from flexbody.model.joints.base import Joint


def slope(t: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Derivative over equal steps at t[2:-2], five-point differences: h^4/30 of the fifth derivative."""
    a, b, d, e = values[:-4], values[1:-3], values[3:-1], values[4:]
    return (a - 8 * b + 8 * d - e) / (12 * (t[1] - t[0]))


class Loads:
    """Force and moment about ``at`` on every body: lists of (at, force, moment), (nt, 3) each, by the body's name.

    ``frames``: the same by the names of the frames on flexible bodies where the loads come in.
    """

    def __init__(self, result: fb.Result) -> None:
        self.result = result
        self.on: dict[str, list] = {body.name: [] for body in result.system.bodies}
        self.on["ground"] = []
        for connection in result.system.joints:
            self._connection(connection)
        for force in result.system.forces:
            self._force(force)

    def add(self, side, at, force, moment) -> None:
        name = side.body.name
        frame = side.name if isinstance(side, fb.BodyFrame) else None
        self.on[name].append((at, force, moment, frame))

    def _connection(self, connection) -> None:
        result = self.result
        wrench = result.reaction(connection)
        if isinstance(connection, Joint | fb.Drive):
            joint = connection.joint if isinstance(connection, fb.Drive) else connection
            at = result.position(joint)
            self.add(joint.second, at, wrench.force, wrench.moment)
            self.add(joint.first, at, -wrench.force, -wrench.moment)
        elif isinstance(connection, fb.Gear | fb.Rack) and connection.pressure_angle is not None:
            self._teeth(connection, wrench)
        elif isinstance(connection, fb.Gear | fb.Rack | fb.Coupler):
            self._coupling(connection, wrench)
        elif isinstance(connection, fb.Rolling):
            for side in connection.sides():
                load = result.reaction(connection, body=side.body.name)
                self.add(side, self._at(connection, side), load.force, load.moment)
        elif connection.name == "rope":
            self._rope(connection, wrench)
        else:  # a function of one frame
            self.add(connection.sides()[0], self._place(connection.sides()[0]), wrench.force, wrench.moment)

    def _at(self, rolling, side) -> np.ndarray:
        """The point of a shape on its body over time."""
        shape = rolling.first if rolling.first.side is side else rolling.second
        return self.result.position(side if shape.point is None else (side, shape.point))

    def _teeth(self, connection, wrench) -> None:
        """Action and reaction at the pitch point: one wrench on both wheels, and nothing on their carrier."""
        first, second = (term.joint for term in connection.uses())
        at = self.result.position(second)
        self.add(second.second, at, wrench.force, wrench.moment)
        self.add(first.second, at, -wrench.force, -wrench.moment)

    def _coupling(self, connection, wrench) -> None:
        """Every coordinate gets the same load over its factor, along the axis of its joint: z or what slides."""
        result = self.result
        (terms,) = connection.couplings
        loads = []
        for term in terms:
            e = axis(result, term.joint)
            whole, none = term.factor * e, np.zeros_like(e)
            loads.append((none, whole) if term.which == "angle" else (whole, none))
        last = np.concatenate(loads[-1], axis=1)
        size = np.einsum("ti,ti->t", np.hstack([wrench.force, wrench.moment]), last) / np.sum(last**2, axis=1)
        np.testing.assert_allclose(np.hstack([wrench.force, wrench.moment]), size[:, None] * last, atol=1e-8)
        for term, (force, moment) in zip(terms, loads, strict=True):
            at = result.position(term.joint)
            self.add(term.joint.second, at, size[:, None] * force, size[:, None] * moment)
            self.add(term.joint.first, at, -size[:, None] * force, -size[:, None] * moment)

    def _rope(self, connection, wrench) -> None:
        """A rope pulls with one force at its ends, bob and nut, and with both at the eye of the hub."""
        bob, hub, nut = (side.body for side in connection.sides())
        eye = self._place(hub) + 0.2 * self.result.rotation(hub)[:, :, 2]
        directions = [self._place(end) - eye for end in (bob, nut)]
        directions = [d / np.linalg.norm(d, axis=1)[:, None] for d in directions]
        pull = np.einsum("ti,ti->t", wrench.force, directions[1])[:, None]  # on the last
        none = np.zeros_like(eye)
        for end, d in zip((bob, nut), directions, strict=True):
            self.add(end, self._place(end), pull * d, none)
            self.add(hub, eye, -pull * d, none)

    def _force(self, force) -> None:
        result = self.result
        if isinstance(force, fb.PointForce | fb.PointMoment):
            self._load(force)
            return
        history = result.element(force.name)
        for side, at, load in zip(*ends(result, force), (history.first, history.second), strict=True):
            self.add(side, at, load[:, :3], load[:, 3:])

    def value(self, load) -> np.ndarray:
        """A point force or moment over time, inertial, (nt, 3)."""
        value = np.array(
            [load.value(t) if callable(load.value) else load.value for t in self.result.t], float
        )
        if load.follows:
            value = np.einsum("tij,tj->ti", self.result.rotation(load.at), value)
        return value

    def _load(self, load) -> None:
        value = self.value(load)
        at, none = self._place(load.at), np.zeros_like(value)
        self.add(load.at, at, *((value, none) if isinstance(load, fb.PointForce) else (none, value)))

    def _place(self, side) -> np.ndarray:
        return self.result.position(side)


def axis(result: fb.Result, joint: Joint) -> np.ndarray:
    """The z axis of a joint's first frame over time, (nt, 3)."""
    drawn = joint.frame_axes()[:, 2]
    side = joint.first
    if side.body is fb.GROUND:
        return np.tile(drawn, (len(result.t), 1))
    return result.rotation(side) @ drawn


def ends(result: fb.Result, force) -> tuple[list, list]:
    """Both sides of a force element, and the points where its loads come in, (nt, 3) each."""
    geometry = getattr(force, "along", force)
    if isinstance(force, fb.Contact):
        shapes = (force.first, force.second)
        return [shape.side for shape in shapes], [result.position(shape.side) for shape in shapes]
    joint = getattr(geometry, "joint", None)
    if joint is not None:
        second = result.position(joint)
        # the loads of a coordinate are about each frame's own point
        rigid = not isinstance(joint.first, fb.BodyFrame)
        first = result.position((joint.first.body, joint.point) if rigid else joint.first)
        return [joint.first, joint.second], [first, second]
    points = [getattr(geometry, f"{which}_point", None) for which in ("first", "second")]
    if isinstance(geometry, fb.Bushing):  # both ends at one point, unless it has two
        point, second = geometry.point, geometry.second_point
        points = [point, point if second is None else second]
    places = []
    sides = [geometry.first, geometry.second]
    for side, point in zip(sides, points, strict=True):
        if isinstance(side, fb.BodyFrame):
            places.append(result.position(side))
        elif side.body is fb.GROUND:
            places.append(
                np.tile(np.asarray(point if point is not None else np.zeros(3), float), (len(result.t), 1))
            )
        else:
            places.append(result.position(side if point is None else (side, point)))
    return sides, places


def rigid_residual(result: fb.Result, body: fb.RigidBody, loads: Loads) -> tuple[np.ndarray, float]:
    """Newton's and Euler's equations about the centre, (nt - 4, 6), N and Nm, and the largest load in them."""
    r, w, Q = result.position(body), result.angular_velocity(body), result.rotation(body)
    inertia = np.asarray(body.inertia, float)
    J = np.einsum("tij,jk,tlk->til", Q, np.diag(inertia) if inertia.ndim == 1 else inertia, Q)
    momentum, spin = body.mass * result.velocity(body), np.einsum("tij,tj->ti", J, w)
    force = np.tile(body.mass * np.asarray(result.system.gravity, float), (len(r), 1))
    moment, size = np.zeros_like(r), np.abs(force).max()
    for at, f, m, _ in loads.on[body.name]:
        force = force + f
        moment = moment + m + np.cross(at - r, f)
        size = max(size, np.abs(f).max(), np.abs(m).max())
    change = np.hstack([slope(result.t, momentum), slope(result.t, spin)])
    return change - np.hstack([force, moment])[2:-2], size


def flexible_residual(
    result: fb.Result, body: fb.FlexibleBody, loads: Loads, cloud
) -> tuple[np.ndarray, float]:
    """D'Alembert's equations of a body of point masses, (nt - 4, 6 + N), and the largest load in them.

    Sums over the points, and for each base function the work of inertia, elasticity, damping and loads; a load at a
    frame moves it by its ``Phi``, a moment turns it by ``exp(B alpha)``, whose rate is ``T(B alpha) B alpha'``.
    """
    t, c, Q, alpha = result.t, result.position(body), result.rotation(body), result.alpha(body)
    turned = np.einsum("tij,tpj->tpi", Q, cloud.x + np.einsum("pkn,tn->tpk", cloud.Phi, alpha))
    r = c[:, None] + turned
    w, rate = result.angular_velocity(body), result.alpha_dot(body)
    along = np.einsum("tij,pjn->tpin", Q, cloud.Phi)
    v = result.velocity(body)[:, None] + np.cross(w[:, None], turned) + np.einsum("tpin,tn->tpi", along, rate)
    inertia = cloud.mass[:, None] * (slope(t, v) - np.asarray(result.system.gravity, float))
    r, along = r[2:-2], along[2:-2]
    force, moment = inertia.sum(axis=1), np.cross(r - c[2:-2, None], inertia).sum(axis=1)
    modal = np.einsum("tpin,tpi->tn", along, inertia) + alpha[2:-2] @ cloud.K
    modal += rate[2:-2] @ modal_damping(cloud, body.damping_ratio)
    size = np.abs(inertia).max()
    for at, f, m, name in loads.on[body.name]:
        marker = cloud.body().markers[name]
        place = result.position(body[name])
        about = (m + np.cross(at - place, f))[2:-2]
        force = force - f[2:-2]
        moment = moment - about - np.cross((place - c)[2:-2], f[2:-2])
        local = np.einsum("tji,tj->ti", Q[2:-2], f[2:-2]), np.einsum("tji,tj->ti", Q[2:-2], about)
        tangent = np.array([left_tangent(marker.B @ a) for a in alpha[2:-2]])
        modal -= local[0] @ marker.Phi + np.einsum("tij,jn,ti->tn", tangent, marker.B, local[1])
        size = max(size, np.abs(f).max(), np.abs(m).max())
    return np.hstack([force, moment, modal]), float(size)


def modal_damping(cloud, ratio: float) -> np.ndarray:
    """Damping (N, N) of one ratio for all free modes of ``K`` on the mass matrix of the free body, Rayleigh's quotient.

    As :class:`flexbody.FlexibleBody` states: D = M V diag(2 zeta omega) V' M with (K, M) of its base functions.
    """
    M = np.einsum("p,pki,pkj->ij", cloud.mass, cloud.Phi, cloud.Phi)
    squares, V = eigh(cloud.K, M)
    return M @ V @ np.diag(2 * ratio * np.sqrt(squares)) @ V.T @ M


def left_tangent(phi: np.ndarray) -> np.ndarray:
    """T with ``spin = T phi.`` of the rotation exp(phi), in the base that it turns from."""
    angle = np.linalg.norm(phi)
    K = np.cross(np.eye(3), phi)
    if angle < 1e-6:
        return np.eye(3) + K / 2
    return np.eye(3) + (1 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * K @ K


def relative_power(result: fb.Result, connection, joint: Joint) -> tuple[np.ndarray, float]:
    """Power (nt,) of a reaction in the motion of a joint's second frame relative to its first, and its size."""
    wrench = result.reaction(connection)
    first = joint.first
    if first.body is fb.GROUND:
        v, w = result.velocity(joint), frame_spin(result, joint.second)
    else:
        v = result.velocity(joint, relative_to=first)
        w = frame_spin(result, joint.second) - frame_spin(result, first)
    power = np.einsum("ti,ti->t", wrench.force, v) + np.einsum("ti,ti->t", wrench.moment, w)
    size = np.abs(wrench.force).max() + np.abs(wrench.moment).max()
    return power, float(size)


def frame_spin(result: fb.Result, side) -> np.ndarray:
    """Angular velocity of a side, with its deformation, (nt, 3)."""
    return np.zeros((len(result.t), 3)) if side.body is fb.GROUND else result.angular_velocity(side)
