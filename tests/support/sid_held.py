"""SID files in a frame that is held at an interface, whose terms come from finite elements by sums of their own."""

import numpy as np

import fem
import modal
from modal.body.sid_text import Node, SidText, Taylor, text_of
from modal.reduction.stiffening import _mass_points

EPSILON = np.zeros((3, 3, 3))
EPSILON[[0, 1, 2], [1, 2, 0], [2, 0, 1]] = 1.0
EPSILON[[0, 1, 2], [2, 0, 1], [1, 2, 0]] = -1.0
AXES = np.eye(3)


def six(A):
    """A11, A22, A33, A12 + A21, A23 + A32, A13 + A31."""
    both = A + A.swapaxes(-1, -2)
    return np.stack(
        [A[..., 0, 0], A[..., 1, 1], A[..., 2, 2], both[..., 0, 1], both[..., 1, 2], both[..., 0, 2]], -1
    )


def centrifugal():
    """w~ w~ = w w' - w.w I for w1^2, w2^2, w3^2, w1 w2, w2 w3, w1 w3."""
    parts = [np.outer(e, e) - np.eye(3) for e in AXES]
    for i, j in ((0, 1), (1, 2), (0, 2)):
        parts.append(np.outer(AXES[i], AXES[j]) + np.outer(AXES[j], AXES[i]))
    return parts


def complement(A):
    return np.trace(A, axis1=-2, axis2=-1)[..., None, None] * np.eye(3) - A


class Held:
    """A structure that is held at an interface, and base functions U (unknowns, n) that do not move it.

    ``points``: whether mass points of beams, which turn with their sections, move to second order too.
    """

    def __init__(self, structure, root, names, n_normal, points=True):
        self.structure, self.names = structure, names
        self.frames = {name: fem.interface(structure, name) for name in names}
        self.T = {name: np.asarray(its.T.todense()) for name, its in self.frames.items()}
        R, Phi = (
            structure.rigid_modes(np.zeros(3)),
            modal.craig_bampton(structure, names, n_normal=n_normal).Phi,
        )
        at = self.T[root]
        self.U = (Phi - R @ np.linalg.solve(at @ R, at @ Phi))[:, 6:]  # the six of the root are combinations
        self.root = root
        K = structure.K.toarray()
        self.inverse = np.linalg.inv(np.block([[K, at.T], [at, np.zeros((6, 6))]]))
        self.x, self.mass = structure.cloud.points, structure.cloud.mass.toarray()
        self.S = structure.cloud.displacements(np.eye(structure.n)).reshape(-1, structure.n)
        self.points = points

    def stiffening(self, force, loads=()):
        """U' K_G U of the stresses of a force (unknowns,) that the interface holds."""
        found = self.inverse[:, : len(force)] @ force
        u, reaction = found[: len(force)], -found[len(force) :]
        held = fem.Force(self.root, tuple(reaction[:3]), tuple(reaction[3:]))
        K_G = fem.geometric_stiffness(self.structure, u, [held, *loads])
        return self.U.T @ np.asarray(K_G @ self.U)

    def of_inertia(self, constant, gradient):
        """The same of inertia forces -rho (constant + gradient x)."""
        force = -(self.mass @ (constant + self.x @ gradient.T))
        of_elements = self.stiffening(self.S.T @ force.ravel())
        return of_elements - self.points * _mass_points(self.structure, force[:, :, None], self.U)[0]

    def node(self, name, curved):
        """The node of an interface."""
        moved, nothing = self.T[name] @ self.U, np.zeros(3)
        second = [None, None]
        if curved:
            forces = (
                [fem.Force(name, tuple(e)) for e in AXES],
                [fem.Force(name, (0, 0, 0), tuple(e)) for e in AXES],
            )
            units = [np.r_[e, nothing] for e in AXES], [np.r_[nothing, e] for e in AXES]
            second = [
                -np.stack([self.stiffening(self.T[name].T @ e, [f]) for e, f in zip(*pair, strict=True)])
                for pair in zip(units, forces, strict=True)
            ]
            second = [G.transpose(0, 2, 1) for G in second]
        turned = -np.einsum("abc,cj->ajb", EPSILON, moved[3:])
        values = {
            "origin": Taylor(self.frames[name].point[:, None], moved[:3, :, None]),
            "phi": Taylor(moved[:3], second[0]),
            "psi": Taylor(moved[3:], second[1]),
            "AP": Taylor(np.eye(3), turned),
        }
        return Node(name, values)


def held_text(structure, root, names, n_normal, curved=None, prestress=0.0, points=True):
    """The SID file; ``curved``: nodes with their second order, ``prestress``: part of Ke that stands in ksigma too."""
    held = Held(structure, root, names, n_normal, points)
    x, mass, U = held.x, held.mass, held.U
    n, u = U.shape[1], (held.S @ U).reshape(-1, 3, U.shape[1])
    moment = np.einsum("pq,qai->pai", mass, u)
    L, S = np.einsum("pai,pb->iab", moment, x), np.einsum("pai,pbj->ijab", moment, u)
    C2, C3, C4, C5 = moment.sum(axis=0).T, complement(x.T @ mass @ x), complement(L), complement(S)
    C6, C7 = -np.einsum("abc,ibc->ia", EPSILON, L), np.einsum("abc,ijbc->jia", EPSILON, S)
    K0t = np.stack([held.of_inertia(e, np.zeros((3, 3))) for e in AXES], axis=2)
    K0r = np.stack([held.of_inertia(np.zeros(3), -EPSILON @ e) for e in AXES], axis=2)
    K0w = np.stack([held.of_inertia(np.zeros(3), W) for W in centrifugal()], axis=2)
    rows, columns = [0, 1, 2, 0, 0, 1], [0, 1, 2, 1, 2, 2]
    J, K = C4 + C4.transpose(0, 2, 1), U.T @ np.asarray(structure.K @ U)
    values = {
        "mdCM": Taylor((mass @ x).sum(axis=0)[:, None], C2.T[:, :, None]),
        "J": Taylor(C3[rows, columns][:, None], J[:, rows, columns].T[:, :, None]),
        "Ct": Taylor(C2, K0t),
        "Cr": Taylor(C6, C7 + K0r),
        "Me": Taylor(np.trace(S, axis1=2, axis2=3)),
        "Gr": Taylor(2 * C4.transpose(1, 2, 0).reshape(3, 3 * n)),
        "Ge": Taylor(2 * C7.transpose(0, 2, 1).reshape(n, 3 * n)),
        "Oe": Taylor(-six(C4), -six(C5) + K0w),
        "ksigma": Taylor(np.zeros((n, 1)), (prestress * K)[:, :, None] if prestress else None),
        "Ke": Taylor(K),
        "De": Taylor(np.zeros((n, n))),
    }
    nodes = [held.node(name, name in (names if curved is None else curved)) for name in names]
    return text_of(SidText("held", "held", float(mass.sum()), ["mode"] * n, nodes, values))
