"""Degrees of freedom: the unknowns that determine the displacements and rotations of the nodes.

Every node has three displacements, and three rotations where a beam, a shell or a reference node needs them:
its *motions*. Rigid and averaging connections make some motions depend on others; the independent ones are the
unknowns ``u`` of a structure, and ``motions = L u``.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import scipy

from ..common.errors import InputError
from ..common.names import as_names, with_match
from ..common.numbers import is_number, shown

#: names of the motions of a node
NAMES = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True, eq=False)
class Freedoms:
    """Degrees of freedom: motions of the nodes and the unknowns that determine them.

    ``count`` (n,) is 3 or 6 for each node; the motions of node i start at ``first[i]``; ``L`` (motions, unknowns)
    gives them from the unknowns, None where all motions are unknowns; ``free`` (unknowns,) lists the motions
    that are unknowns. ``internal`` coordinates of a superelement are the last motions; they belong to no node and
    vanish in rigid motions.
    """

    count: np.ndarray
    L: scipy.sparse.csr_array | None = None
    free: np.ndarray | None = None
    internal: int = 0

    @cached_property
    def first(self) -> np.ndarray:
        """Number of the first motion of each node, and of all motions, (n + 1,)."""
        return np.concatenate([[0], np.cumsum(self.count)]).astype(np.int64)

    @property
    def n_motions(self) -> int:
        """Number of motions."""
        return int(self.first[-1]) + self.internal

    @property
    def n(self) -> int:
        """Number of unknowns."""
        return self.n_motions if self.L is None else self.L.shape[1]

    @property
    def simple(self) -> bool:
        """Whether the unknowns are three displacements for each node."""
        return self.L is None and not self.internal and bool((self.count == 3).all())

    def motions(self, u: np.ndarray) -> np.ndarray:
        """Return all motions (motions, ...) of the nodes for unknowns u (unknowns, ...)."""
        return u if self.L is None else np.asarray(self.L @ u)

    def onto_unknowns(self, forces: np.ndarray) -> np.ndarray:
        """Return the generalized forces (unknowns, ...) of forces on all motions of the nodes (motions, ...)."""
        return forces if self.L is None else np.asarray(self.L.T @ forces)

    def of_elements(self, nodes: np.ndarray, freedoms: int) -> np.ndarray:
        """Return the motions ``(ne, nn * freedoms)`` of elements with nodes (ne, nn), node by node."""
        return (self.first[nodes][:, :, None] + np.arange(freedoms)).reshape(len(nodes), -1)

    def of_nodes(self, nodes: np.ndarray) -> np.ndarray:
        """Return all motions of nodes, node by node."""
        nodes = np.asarray(nodes)
        starts, counts = self.first[nodes], self.count[nodes]
        offset = np.arange(counts.sum()) - np.repeat(np.cumsum(counts) - counts, counts)
        return np.repeat(starts, counts) + offset

    def unknowns(self, motions: np.ndarray) -> np.ndarray:
        """Return the unknowns of motions, -1 for dependent ones."""
        if self.free is None:
            return motions
        number = np.full(self.n_motions, -1)
        number[self.free] = np.arange(len(self.free))
        return number[motions]

    def name(self, unknown: int, points: np.ndarray, ids: np.ndarray) -> str:
        """Return an unknown in words: direction, number and position of its node; ``ids`` (n,) are the numbers."""
        motion = int(unknown if self.free is None else self.free[unknown])
        if motion >= self.first[-1]:
            return f"internal coordinate {motion - int(self.first[-1]) + 1}"
        node = int(np.searchsorted(self.first, motion, side="right")) - 1
        place = ", ".join(f"{value:.6g}" for value in points[node])
        return f"{NAMES[motion - self.first[node]]} of node {ids[node]} at ({place}) m"

    @cached_property
    def translation(self) -> scipy.sparse.csr_array:
        """Displacements of the nodes from the unknowns, (3n, unknowns)."""
        return self._select(0)

    @cached_property
    def rotation(self) -> scipy.sparse.csr_array:
        """Rotations of the nodes from the unknowns, (3n, unknowns); zero rows for nodes that have none."""
        return self._select(3)

    def _select(self, offset: int) -> scipy.sparse.csr_array:
        nodes = np.flatnonzero(self.count > offset)
        rows = (3 * nodes[:, None] + np.arange(3)).ravel()
        columns = (self.first[nodes][:, None] + offset + np.arange(3)).ravel()
        shape = (3 * len(self.count), self.n_motions)
        picked = scipy.sparse.csr_array(
            scipy.sparse.coo_array((np.ones(len(rows)), (rows, columns)), shape=shape)
        )
        return picked if self.L is None else scipy.sparse.csr_array(picked @ self.L)


def all_motions(n: int) -> Freedoms:
    """Return three displacements for each of n nodes, all unknown."""
    return Freedoms(np.full(n, 3))


@dataclass(frozen=True, eq=False)
class Following:
    """Dependent motions: ``motions`` (k,) = ``matrix`` (k, j), dense or sparse, @ motions ``of`` (j,)."""

    what: str
    motions: np.ndarray
    of: np.ndarray
    matrix: np.ndarray | scipy.sparse.csr_array


def dependent(count: np.ndarray, rules: list[Following], ids: np.ndarray | None = None) -> Freedoms:
    """Return the degrees of freedom under rules, which may depend on each other but not in a circle.

    ``ids`` (n,): numbers of the nodes for messages, 0, 1, 2, ... by default.
    """
    plain = Freedoms(count)
    if not rules:
        return plain
    n = plain.n_motions
    owner: dict[int, str] = {}
    for rule in rules:
        twice = [int(k) for k in rule.motions if int(k) in owner]
        if twice:
            node = int(np.searchsorted(plain.first, twice[0], side="right")) - 1
            raise InputError(
                f"{rule.what} and {owner[twice[0]]} both prescribe node {node if ids is None else ids[node]}; a node "
                "can follow one connection only"
            )
        owner.update({int(k): rule.what for k in rule.motions})
    follows = np.zeros(n, bool)
    follows[list(owner)] = True
    D = _stacked(rules, follows, n)
    for _ in range(len(rules) + 1):
        leaning = np.unique(D.tocoo().coords[1])
        if not follows[leaning].any():
            break
        D = scipy.sparse.csr_array(D @ D)
    else:
        raise InputError(
            f"the connections {', '.join(rule.what for rule in rules)} follow each other in a circle"
        )
    free = np.flatnonzero(~follows)
    return Freedoms(count, scipy.sparse.csr_array(D[:, free]), free)


def _stacked(rules: list[Following], follows: np.ndarray, n: int) -> scipy.sparse.csr_array:
    kept = scipy.sparse.csr_array(scipy.sparse.identity(n, format="csr"))
    kept.data[follows] = 0.0
    entries = [scipy.sparse.coo_array(rule.matrix) for rule in rules]
    rows = [rule.motions[its.coords[0]] for rule, its in zip(rules, entries, strict=True)]
    columns = [rule.of[its.coords[1]] for rule, its in zip(rules, entries, strict=True)]
    values = np.concatenate([its.data for its in entries])
    added = scipy.sparse.coo_array((values, (np.concatenate(rows), np.concatenate(columns))), shape=(n, n))
    total = scipy.sparse.csr_array(kept + scipy.sparse.csr_array(added))
    total.eliminate_zeros()
    return total


def components(names: Mapping[str, float] | str | tuple[str, ...], what: str) -> dict[str, float]:
    """Return held components and their values: "all", "x", ("x", "rz"), or {"x": 1e-3}; checked."""
    if isinstance(names, Mapping):
        if strange := [value for value in names.values() if not is_number(value)]:
            raise InputError(
                f"{what} prescribes a value that is not a number, or not finite: {shown(strange[0])}"
            )
        table = {str(key): float(value) for key, value in names.items()}
    else:
        listed = as_names(names)
        table = dict.fromkeys(NAMES if "all" in listed else listed, 0.0)
    wrong = [name for name in table if name not in NAMES]
    if wrong or not table:
        raise InputError(
            f"{what} names the components {with_match(wrong, NAMES)}; allowed are {', '.join(NAMES)}, or "
            "'all'"
        )
    return table
