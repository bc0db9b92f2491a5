"""Trees of joints of one machine as arrays: those that a user gives, and the one that is cheapest to evaluate."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from ..core.structures import Layout
from ..model.tree import joint_names, spanning_tree
from .tree_arrays import tree_arrays

#: Processor time of the parts of an evaluation, ns: of a speed, of a row that passes a hinge, of an entry of a matrix
#: of rows that meet, and of it for each row that is eliminated. A fit to 33 timings of 12 machines, most of which it
#: meets within a third and all within 45 %; only their ratios count.
SPEED_COST, PASSAGE_COST, ENTRY_COST, ELIMINATION_COST = 300.0, 65.0, 0.9, 0.17
#: A part of the work that another tree must save, because the estimate is rough: it has at most this part of it.
REMAINING_WORK = 0.8
#: Hinges that more rows than these pass are tried as places to cut.
PASSING_ROWS = (6, 12, 24, 48, 96, 192, 384)


class Choice(NamedTuple):
    """What a tree is told, by names, and its arrays."""

    base: tuple[str, ...]
    keep: tuple[str, ...]
    cut: tuple[str, ...]
    arrays: dict[str, np.ndarray]


@dataclass(frozen=True)
class Trees:
    """Trees of one machine.

    Parameters
    ----------
    system : System
        The machine.
    layout : Layout
        Its arrays.
    frames : mapping
        Numbers of the frames of each joint.
    rows : mapping
        Constraint rows of each joint.
    hinges : mapping
        Motions of users' own joints, see :class:`flexbody.model.hinge_functions.HingeMotionLaw`.
    """

    system: Any
    layout: Layout
    frames: Mapping[str, Sequence[int]]
    rows: Mapping[str, slice]
    hinges: Mapping[str, Any]

    def told(self, base: Sequence[Any], keep: Sequence[Any], cut: Sequence[Any]) -> Choice:
        """Return the tree for bodies that hang on free joints, joints of the tree and cut joints.

        Raises
        ------
        fem.InputError
            One of these is not in the machine, or they leave no tree.
        """
        names = tuple(self.system.body(body).name for body in base)
        kept, cuts = (
            tuple(joint_names(self.system, given, what)) for given, what in ((keep, "keep"), (cut, "cut"))
        )
        chosen = {"base": names, "keep": kept, "cut": cuts}
        arrays = tree_arrays(
            self.system.bodies, self.system.joints, chosen, self.layout, self.frames, self.rows, self.hinges
        )
        return Choice(names, kept, cuts, arrays)

    def mixed(self, relative: Sequence[Any], keep: Sequence[Any], cut: Sequence[Any]) -> Choice:
        """Return the tree in which all bodies but those of ``relative`` hang on free joints; see :meth:`told`."""
        inside = {self.system.body(body).name for body in relative}
        return self.told([body for body in self.system.bodies if body.name not in inside], keep, cut)

    def cheapest(self, keep: Sequence[Any], cut: Sequence[Any]) -> Choice:
        """Return the tree along which an evaluation of the accelerations takes the least time; see :meth:`told`.

        Where many closing rows pass a hinge, its body on a free joint, or its joint cut, can be cheaper than the tree
        with the fewest closing rows.
        """
        usual = self.told((), keep, cut)
        redundant = max(0, len(usual.arrays["closing"]) - len(usual.arrays["motion"]))
        others = [(work(other.arrays, redundant), other) for other in self._others(usual)]
        least, other = min(others, key=lambda found: found[0], default=(np.inf, usual))
        return other if least < REMAINING_WORK * work(usual.arrays, redundant) else usual

    def _others(self, usual: Choice) -> Iterator[Choice]:
        """Yield trees that are cut at hinges which many closing rows pass in the usual tree."""
        passing = np.diff(usual.arrays["front_at"])[: len(self.system.bodies)]
        hinges = spanning_tree(
            self.system.bodies, self.system.hinge_joints, keep=usual.keep, cut=usual.cut
        ).hinges
        for limit in (limit for limit in PASSING_ROWS if limit < passing.max(initial=0)):
            over = [
                hinge
                for hinge, number in zip(hinges, passing, strict=True)
                if number > limit and hinge.joint is not None and hinge.joint.name not in usual.keep
            ]
            yield self.told([hinge.outer for hinge in over], usual.keep, usual.cut)
            joints = [hinge.joint.name for hinge in over if hinge.joint is not None]
            yield self.told((), usual.keep, [*usual.cut, *joints])


def work(arrays: Mapping[str, np.ndarray], redundant: int = 0) -> float:
    """Return the estimated time of an evaluation of the accelerations along a tree, ns.

    ``redundant`` : at least so many closing rows follow from others and take no work; where is not known.
    """
    part = 1.0 - redundant / max(len(arrays["closing"]), 1)
    rows, own = part * np.diff(arrays["front_at"]), part * arrays["front_own"]
    passages = rows[: len(arrays["body"])].sum()
    matrices = np.sum(rows**2 * (ENTRY_COST + ELIMINATION_COST * own))
    return float(SPEED_COST * arrays["own_at"][-1] + PASSAGE_COST * passages + matrices)
