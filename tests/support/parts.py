"""Koppens' round rod (1989, section 5.2) divided into parts that are reduced by themselves and joined."""

from __future__ import annotations

import functools
import itertools
from dataclasses import replace

import numpy as np
from reference.nonlinear_rod import corner

import fem
import flexbody as fb
import modal

from .frames import line
from .rods import LENGTH, rod


@functools.cache
def arch(rise: float, elements: int = 24):
    """The rod as a circular arc over its chord along x, ``rise`` m high, of straight elements."""
    half = 2 * np.arctan(2 * rise / LENGTH)
    radius = LENGTH / 2 / np.sin(half)
    angle = half * (1 - 2 * np.arange(elements + 1) / elements)
    points = np.zeros((elements + 1, 3))
    points[:, 0] = LENGTH / 2 - radius * np.sin(angle)
    points[:, 1] = radius * (np.cos(angle) - np.cos(half))
    straight = rod(elements)
    return fem.assemble(replace(straight.mesh, points=points), straight.material)


@functools.cache
def bent(height: float = 0.008):
    """An unsymmetric rod: straight to a corner beside the chord, and straight back, half as far."""
    mesh = line([(0, 0, 0), (*corner(height), 0), (LENGTH, 0, 0)], 12, {"middle": np.array([9])})
    return fem.assemble(mesh, rod(12).material)


@functools.cache
def parts(n: int, n_normal: int, stiffening: bool, whole=None):
    """Reduced bodies of ``n`` equal parts, each on its two ends and ``n_normal`` modes; "middle" is a marker.

    ``whole``: a structure along x; the straight rod of 12 elements by default.
    """
    whole = whole or rod(12)
    reduced = []
    for part in fem.divide(whole.mesh, "x", n):
        structure = fem.assemble(part, whole.material)
        ends = [name for name in part.node_sets if name in ("start", "end") or name.startswith("cut")]
        basis = modal.craig_bampton(structure, ends, n_normal=n_normal)
        markers = [name for name in ("middle",) if name in part.node_sets]
        reduced.append(modal.reduce(structure, basis, markers=markers, stiffening=stiffening))
    return reduced


def joined(reduced, spin=0.0, origin=(0.0, 0.0, 0.0), velocity=(0.0, 0.0, 0.0)):
    """Bodies that move as one rigid rod, ``spin`` about z, ``velocity`` of the origin; and what joins them."""
    bodies = []
    for one in reduced:
        speed = np.asarray(velocity) + np.cross((0, 0, spin), one.origin)
        bodies.append(
            fb.FlexibleBody(
                one.name, one, origin=origin, velocity=tuple(speed), angular_velocity=(0, 0, spin)
            )
        )
    joints = [
        fb.Fixed(f"cut {k}", first[f"cut {k}"], second[f"cut {k}"])
        for k, (first, second) in enumerate(itertools.pairwise(bodies), start=1)
    ]
    return bodies, joints
