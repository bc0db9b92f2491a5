"""A machine in which a body is cut, so that all joints of a loop are hinges of the tree, Koppens (4.25), (4.26)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any, ClassVar

import numpy as np

import modal
from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from modal.body.reduced_body import Marker

from .flexible_body import FlexibleBody
from .joints.base import Connection, Joint
from .joints.coordinates import X, Y, Z
from .joints.lower_pairs import Fixed
from .joints.placed_joint import PlacedJoint
from .joints.rows import TURNS, Free, points
from .rigid_body import RigidBody
from .sides import Body, Side
from .system import System

#: why the closures are always cut
WHY_CUT = "it ties the halves of a body that is cut"
#: arrays of a reduced body that are proportional to its mass or stiffness
EXTENSIVE = ("mass", "C1", "C2", "C3", "C4", "C5", "C6", "C7", "C8", "K", "C5_stiffening", "D")


@dataclass(frozen=True, eq=False)
class BodyCut(Fixed):
    """The place where a body is cut: both halves have one place and one attitude, Koppens (4.25), (4.26)."""

    carries: ClassVar = False
    why_cut: ClassVar = WHY_CUT


@dataclass(frozen=True, eq=False)
class ModesCut(PlacedJoint):
    """Three modal coordinates of both halves of a body that is cut, which are equal."""

    rows: ClassVar = points(X, Y, Z)
    free: ClassVar = TURNS
    carries: ClassVar = False
    why_cut: ClassVar = WHY_CUT


@dataclass(frozen=True, eq=False)
class TwoModesCut(ModesCut):
    """The same of the last two modal coordinates."""

    rows: ClassVar = points(X, Y)
    free: ClassVar = (Free(False, Z), *TURNS)


@dataclass(frozen=True, eq=False)
class OneModeCut(ModesCut):
    """The same of the last modal coordinate."""

    rows: ClassVar = points(X)
    free: ClassVar = (Free(False, Y), Free(False, Z), *TURNS)


#: what ties one, two and three modal coordinates
TIES = (OneModeCut, TwoModesCut, ModesCut)


@check_arguments
def cut_body(machine: System, body: Body | str, joint: Joint | str) -> System:
    """Return a machine in which a body is cut in two halves, one of which a joint holds.

    Parameters
    ----------
    machine : System
        The machine.
    body : Body or str
        The body that is cut.
    joint : Joint or str
        A joint of this body, which holds the second half. All else stays at the first half.

    Returns
    -------
    System
        The machine with the second half "<body> (cut)" and the closure "cut of <body>"; of a flexible body also "modes
        of <body> 1", ..., one for each three modal coordinates. Where a first half is cut again, these are "<body> (cut
        2)", "cut 2 of <body>" and "modes 2 of <body> 1".

    Raises
    ------
    fem.InputError
        The machine has no such body or joint, or the joint is not one of this body.

    Notes
    -----
    In the relative description loops are closed by cut joints (:class:`Relative`) or by bodies that are cut: the joints
    of the loop are then all hinges, so that each has its coordinates among the unknowns, and each closure has the same
    six constraints, ``c = c'`` and ``Q = Q'``, Koppens (4.25), (4.26). A cut joint needs fewer constraints and is
    quicker. Each half has half of the mass, inertia, stiffness and damping. Since both halves move as one body, the
    motion, the reactions and the energy of the machine are those of the whole body; the reaction of the closure is what
    one half carries for the other.

    Examples
    --------
    A four-bar of which all four joints are hinges:

    >>> import flexbody as fb
    >>> crank = fb.RigidBody("crank", 1.0, (1e-3,) * 3, center=(0, 0, 0.1))
    >>> rod = fb.RigidBody("rod", 2.0, (1e-3, 0.02, 0.02), center=(0.2, 0, 0.2))
    >>> rocker = fb.RigidBody("rocker", 1.0, (1e-3,) * 3, center=(0.4, 0, 0.1))
    >>> pairs = [(fb.GROUND, crank, (0, 0, 0)), (crank, rod, (0, 0, 0.2)), (rod, rocker, (0.4, 0, 0.2)),
    ...          (fb.GROUND, rocker, (0.4, 0, 0))]
    >>> pins = [fb.Revolute(f"pin {k}", *two, point=at, axis="y") for k, (*two, at) in enumerate(pairs)]
    >>> cut = fb.cut_body(fb.System([crank, rod, rocker], pins), rod, pins[2])
    >>> [hinge.label for hinge in fb.topology(cut).hinges]
    ["revolute joint 'pin 0'", "revolute joint 'pin 1'", "revolute joint 'pin 3'", "revolute joint 'pin 2'"]
    """
    whole, held = machine.body(body), machine.joint(joint)
    sides = {"first": held.first, "second": held.second} if isinstance(held, Joint) else {}
    mine = [name for name, side in sides.items() if side.body.name == whole.name]
    if not isinstance(held, Joint) or not mine:
        own = [
            one.name
            for one in machine.joints
            if isinstance(one, Joint) and whole.name in (one.first.body.name, one.second.body.name)
        ]
        raise InputError(
            f"{held.label} does not hold body '{whole.name}'; give a joint of this body: {listing(own)}"
        )
    again = _again(machine, whole)
    first, second, ties = _halves(whole, f"{whole.name} (cut{again})")
    change: dict[str, Any] = {mine[0]: _on(sides[mine[0]], second)}
    moved = replace(held, **change)
    closures: list[Connection] = [
        tie(f"modes{again} of {whole.name} {k}", first[name], second[name])
        for k, (name, tie) in enumerate(ties.items(), 1)
    ]
    closures.insert(0, _closure(f"cut{again} of {whole.name}", first, second))
    bodies = [
        part for one in machine.bodies for part in ((first, second) if one.name == whole.name else (one,))
    ]
    joints: list[Connection] = [moved if one.name == held.name else one for one in machine.joints]
    return replace(machine, bodies=bodies, joints=[*joints, *closures])


def _again(machine: System, body: Body) -> str:
    """Return the number that the names of the next cut of a body have: none for the first one."""
    names, k = {one.name for one in machine.bodies}, 1
    while f"{body.name} (cut{f' {k}' if k > 1 else ''})" in names:
        k += 1
    return f" {k}" if k > 1 else ""


def _closure(name: str, first: Body, second: Body) -> BodyCut:
    """Return what holds both halves together: at the center of a rigid body, at a marker of a flexible one."""
    if isinstance(first, RigidBody):
        return BodyCut(name, first, second, point=first.start)
    with_rotation = [marker for marker in first.marker_names if first.marker_has_rotation(marker)]
    if not with_rotation:
        raise InputError(
            f"body '{first.name}' has no marker with a rotation, at which its halves could be tied; give "
            "modal.reduce one with several nodes, or cut a joint instead"
        )
    return BodyCut(name, first[with_rotation[0]], second[with_rotation[0]])


def _on(side: Side, body: Body) -> Side:
    """Return the side on another body."""
    return body[side.name] if side.named else body


def _halves(body: Body, name: str) -> tuple[Body, Body, dict[str, type[ModesCut]]]:
    """Return both halves of a body, and what ties modal coordinates by the markers at which it does."""
    if isinstance(body, RigidBody):
        half = replace(body, mass=0.5 * body.mass, inertia=0.5 * np.asarray(body.inertia, dtype=float))
        return half, replace(half, name=name), {}
    if not isinstance(body, FlexibleBody):
        raise InputError(
            f"body '{body.name}' is a {type(body).__name__}, which can't be cut; cut a joint instead"
        )
    reduced, ties = _half_of(body.reduced)
    half = replace(body, reduced=reduced)
    return half, replace(half, name=name), ties


def _half_of(whole: modal.ReducedBody) -> tuple[modal.ReducedBody, dict[str, type[ModesCut]]]:
    """Return half of a reduced body, with a marker for each three modal coordinates, and what ties these."""
    given = {part.name: getattr(whole, part.name) for part in fields(whole)}
    changed: dict[str, Any] = {
        name: 0.5 * np.asarray(given[name]) for name in EXTENSIVE if given[name] is not None
    }
    changed["mass"] = 0.5 * whole.mass
    if whole.axial is not None:
        share = np.sqrt(0.5)  # of each factor of the energy
        changed["axial"] = modal.AxialEnergy(share * whole.axial.direction, share * whole.axial.quadratic)
    # a marker whose displacement is the modal coordinates, each times its mean displacement
    shares = np.diag(np.sqrt(np.diag(whole.C8) / whole.mass))
    none = np.zeros((3, whole.N))
    markers, ties = dict(whole.markers), {}
    for k in range(0, whole.N, len(TIES)):
        rows, part = none.copy(), shares[k : k + len(TIES)]
        rows[: len(part)] = part
        name = f"modes {k // len(TIES) + 1}"
        markers[name] = Marker(np.zeros(3), rows, none)
        ties[name] = TIES[len(part) - 1]
    return replace(whole, **changed, markers=markers), ties
