"""Machines with a structure of many loops and with open branches."""

from __future__ import annotations

import math

import numpy as np

import flexbody as fb

#: Half the diagonal of a square, m, and how far every second one is turned.
HALF, ANGLE = 0.1, 0.5


def lattice(columns: int, rows: int, links: int = 0, chains: int = 1, axis=(0, 1, 0)) -> fb.System:
    """Squares that turn against each other on revolutes at their corners; chains of links hang on squares.

    The first square turns about the ground. The lattice has (columns - 1) (rows - 1) loops and moves in a plane.

    links, chains : number of links of each chain, number of chains, at the squares along the lower side.
    axis : of the joints of the chains.
    """
    distance = 2 * HALF * math.cos(ANGLE)

    def corner(i: int, j: int, k: int) -> np.ndarray:
        turn = (ANGLE if (i + j) % 2 == 0 else -ANGLE) + k * math.pi / 2
        return np.array([i * distance + HALF * math.cos(turn), 0.0, j * distance + HALF * math.sin(turn)])

    squares = {
        (i, j): fb.RigidBody(f"s{i},{j}", 1.0, (2e-3, 4e-3, 2e-3), center=(i * distance, 0.0, j * distance))
        for i in range(columns)
        for j in range(rows)
    }
    joints = [fb.Revolute("foot", fb.GROUND, squares[0, 0], point=corner(0, 0, 2), axis="y")]
    for (i, j), square in squares.items():
        for k, other in ((0, (i + 1, j)), (1, (i, j + 1))):
            if other in squares:
                name = f"{square.name}-{squares[other].name}"
                joints.append(fb.Revolute(name, square, squares[other], point=corner(i, j, k), axis="y"))
    bodies = list(squares.values())
    for c in range(chains if links else 0):
        i = (c + 1) * columns // (chains + 1)
        carrier, top = squares[i, 0], corner(i, 0, 3)
        for k in range(links):
            link = fb.RigidBody(f"c{c},{k}", 0.2, (2e-4, 2e-4, 1e-5), center=top - [0, 0, 0.05 + 0.1 * k])
            joints.append(fb.Revolute(f"h{c},{k}", carrier, link, point=top - [0, 0, 0.1 * k], axis=axis))
            bodies.append(link)
            carrier = link
    return fb.System(bodies, joints, gravity=(0, 0, -9.81))


def walker(segments: int, links: int = 0) -> fb.System:
    """A walking machine: segments one behind the other, each with two legs whose feet stand on the ground; an arm.

    Segments hang together on universal joints, legs on revolutes at hip and knee, feet on ball joints: the ball joints
    have the fewest constraints, so that all loops pass the segments.

    links : number of links of an open arm on the last segment, on revolutes about y and z in turn.
    """
    bodies: list[fb.Body] = []
    joints: list[fb.Joint] = []
    for k in range(segments):
        at = np.array([0.3 * k, 0.0, 0.3])
        body = fb.RigidBody(f"segment {k}", 2.0, (5e-3, 0.02, 0.02), center=at)
        if k:
            joints.append(
                fb.Universal(f"waist {k}", bodies[-5], body, point=at - [0.15, 0, 0], axes=("y", "z"))
            )
        bodies.append(body)
        for side in (-1, 1):
            hip, knee, foot = (at + [0, side * y, z] for y, z in ((0.1, 0.0), (0.15, -0.13), (0.15, -0.3)))
            name = f"{k} {'right' if side < 0 else 'left'}"
            thigh = fb.RigidBody(f"thigh {name}", 0.4, (1e-3, 1e-3, 1e-4), center=(hip + knee) / 2)
            shank = fb.RigidBody(f"shank {name}", 0.3, (1e-3, 1e-3, 1e-4), center=(knee + foot) / 2)
            joints += [
                fb.Universal(f"hip {name}", body, thigh, point=hip, axes=("x", "y")),
                fb.Revolute(f"knee {name}", thigh, shank, point=knee, axis="y"),
                fb.Spherical(f"foot {name}", shank, fb.GROUND, point=foot),
            ]
            bodies += [thigh, shank]
    carrier, end = bodies[-5], np.array([0.3 * segments - 0.15, 0.0, 0.3])
    for k in range(links):
        link = fb.RigidBody(f"link {k}", 0.2, (1e-5, 2e-4, 2e-4), center=end + [0.05, 0, 0])
        joints.append(fb.Revolute(f"arm {k}", carrier, link, point=end, axis="yz"[k % 2]))
        bodies.append(link)
        carrier, end = link, end + [0.1, 0, 0]
    return fb.System(bodies, joints, gravity=(0, 0, -9.81))
