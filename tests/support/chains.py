"""Rigid bars hinged to each other: chains, trees, rings and rows of four-bars, of any number of bodies."""

from __future__ import annotations

import numpy as np

import flexbody as fb

LENGTH, WIDTH, DENSITY = 0.1, 0.02, 1000.0


def bar(name: str, start, end) -> fb.RigidBody:
    """A square bar between two points in the x-z plane."""
    start, end = np.asarray(start, float), np.asarray(end, float)
    length = float(np.linalg.norm(end - start))
    mass = DENSITY * length * WIDTH**2
    along = np.outer(end - start, end - start) / length**2
    across, spin = mass * (length**2 + WIDTH**2) / 12, mass * WIDTH**2 / 6
    return fb.RigidBody(
        name,
        mass,
        across * (np.eye(3) - along) + spin * along,
        center=(start + end) / 2,
        markers={"end": end},
    )


def hinged(points, pairs, axis="y", gravity=(0, 0, -9.81)) -> fb.System:
    """Bars between ``points[a]`` and ``points[b]`` of each pair; point 0 is on the ground, later ones on earlier bars.

    The bar of pair k is hinged at its first point to the bar that ends there.
    """
    bodies = [bar(f"bar {k}", points[a], points[b]) for k, (a, b) in enumerate(pairs)]
    ends = {b: body for body, (_, b) in zip(bodies, pairs, strict=True)}
    joints = [
        fb.Revolute(f"hinge {k}", ends.get(a, fb.GROUND), body, point=points[a], axis=axis)
        for k, (body, (a, _)) in enumerate(zip(bodies, pairs, strict=True))
    ]
    return fb.System(bodies, joints, gravity=gravity)


def chain(n: int) -> fb.System:
    """A straight chain along x that falls from the horizontal."""
    points = [(LENGTH * k, 0.0, 0.0) for k in range(n + 1)]
    return hinged(points, [(k, k + 1) for k in range(n)])


def tree(levels: int) -> fb.System:
    """A binary tree."""
    points, pairs, tips = [np.zeros(3)], [], [0]
    for level in range(levels):
        new = []
        for tip in tips:
            for side in (-1, 1):
                angle = side * 0.5**level
                points.append(points[tip] + LENGTH * np.array([np.cos(angle), 0, np.sin(angle)]))
                pairs.append((tip, len(points) - 1))
                new.append(len(points) - 1)
        tips = new
    return hinged(points, pairs)


def four_bars(n: int) -> fb.System:
    """A row of n four-bars on revolutes, each with three redundant constraints."""
    bodies, joints = [], []
    for k in range(n):
        A, B, C, D = ((x + k, 0.0, z) for x, z in ((0, 0), (0.1, 0), (0.35, 0.2), (0.3, 0)))
        crank, coupler, rocker = (bar(f"{what} {k}", *ends) for what, ends in
                                  (("crank", (A, B)), ("coupler", (B, C)), ("rocker", (C, D))))  # fmt: skip
        bodies += [crank, coupler, rocker]
        sides = ((fb.GROUND, crank, A), (crank, coupler, B), (coupler, rocker, C), (fb.GROUND, rocker, D))
        joints += [
            fb.Revolute(f"{name}{k}", one, two, point=at, axis="y")
            for name, (one, two, at) in zip("ABCD", sides, strict=True)
        ]
    return fb.System(bodies, joints, gravity=(0, 0, -9.81))
