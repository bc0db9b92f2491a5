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
