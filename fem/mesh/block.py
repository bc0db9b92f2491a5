"""Elements of one kind, as a mesh holds them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..common.arguments import check_arguments
from ..common.errors import InputError, MeshError, listing
from ..common.names import with_match
from ..elements import SHAPES
from .places import Places


@check_arguments
@dataclass(frozen=True, eq=False)
class Block:
    """Elements of one kind.

    Parameters
    ----------
    element : str
        Kind of the elements, such as "hex20", "quad4" or "line2".
    nodes : array of int (ne, nn)
        Nodes of each element, counted from 0.
    ids : array of int (ne,), optional
        Numbers of the elements in the file; 1, 2, ... by default.
    places : Places, optional
        Lines of the elements in the file, which readers of decks give for messages.

    Raises
    ------
    InputError
        The kind is unknown, or the numbers do not fit.
    MeshError
        The nodes are not whole numbers of the shape (ne, nn).

    Examples
    --------
    >>> import fem
    >>> fem.Block("line2", [[0, 1], [1, 2]])
    <Block of 2 line2>
    """

    element: str
    nodes: np.ndarray
    ids: np.ndarray = field(default_factory=lambda: np.empty(0, np.int64))
    places: Places | None = None

    def __post_init__(self) -> None:
        """Check the shape and make both arrays read-only."""
        if not isinstance(self.element, str) or self.element not in SHAPES:
            raise InputError(
                f"there is no element {with_match(self.element, SHAPES)}; there are {listing(SHAPES, None)}"
            )
        nodes = _whole(self.nodes, f"the nodes of {self.element} elements")
        nn = SHAPES[self.element].n_nodes
        if nodes.size == 0:
            nodes = nodes.reshape(0, nn)
        if nodes.ndim != 2 or nodes.shape[1] != nn:
            raise MeshError(
                f"a {self.element} has {nn} nodes: nodes= must be one row of {nn} for each element, (ne, {nn}), not "
                f"{nodes.shape}"
            )
        ids = _whole(self.ids, f"the numbers of {self.element} elements")
        ids = ids if ids.size else np.arange(1, len(nodes) + 1)
        if ids.shape != (len(nodes),):
            raise InputError(f"{len(nodes)} {self.element} elements have {ids.size} numbers")
        for name, value in (("nodes", nodes), ("ids", ids)):
            value.setflags(write=False)
            object.__setattr__(self, name, value)

    def moved(self, nodes: np.ndarray, rows: Any = slice(None)) -> Block:
        """Return some of the elements, or all, on other nodes: with their numbers and places.

        Parameters
        ----------
        nodes : numpy.ndarray
            Nodes of these elements, (k, nn).
        rows : index
            Which elements, as an index of an array; all by default.

        Returns
        -------
        Block
            The elements.
        """
        places = None if self.places is None else self.places[rows]
        return Block(self.element, nodes, self.ids[rows], places)

    def __len__(self) -> int:
        """Return the number of elements."""
        return len(self.nodes)

    def __repr__(self) -> str:
        """Return one line."""
        return f"<Block of {len(self)} {self.element}>"


def blocks_of(value: Any, what: str) -> tuple[Block, ...]:
    """Return one block or several as a tuple; InputError for anything else."""
    if not isinstance(value, Block | Iterable):
        raise InputError(f"{what} must hold fem.Block(kind, nodes), not {value!r}")
    blocks = (value,) if isinstance(value, Block) else tuple(value)
    for block in blocks:
        if not isinstance(block, Block):
            raise InputError(f"{what} must hold fem.Block(kind, nodes), not {type(block).__name__}")
    return blocks


def _whole(value: Any, what: str) -> np.ndarray:
    """Return a new array of whole numbers; MeshError for anything else."""
    try:
        array = np.array(value)
    except ValueError:  # rows of different lengths
        raise MeshError(f"{what} must be rows of one length") from None
    if array.size and array.dtype.kind not in "iu":
        raise MeshError(f"{what} must be whole numbers, not {array.dtype.name}")
    return array.astype(np.int64)
