"""The distinct bodies of a study: each is made once, and kept while variants need it."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

import modal

from .fingerprint import fingerprint
from .job import NotMade, body_of
from .variants import Variants

#: a body by its name and its number among the distinct ones of this name
Key = tuple[str, int]


class Geometries:
    """Which variants need which of the distinct bodies.

    Parameters
    ----------
    bodies : dict of callable
        Functions of some of the parameters, by the names of the bodies.
    variants : Variants
        The variants.
    """

    def __init__(self, bodies: Mapping[str, Callable[..., modal.ReducedBody]], variants: Variants) -> None:
        self.functions, self._variants = bodies, variants
        self._parameters = {
            name: [p for p in inspect.signature(function).parameters if p in variants.columns]
            for name, function in bodies.items()
        }
        self._numbers, self._first = {}, {}
        for name, parameters in self._parameters.items():
            codes = [np.unique(variants.columns[p], return_inverse=True)[1].ravel() for p in parameters]
            table = np.array(codes).T.reshape(variants.n, len(parameters))
            _, first, number = np.unique(table, axis=0, return_index=True, return_inverse=True)
            self._numbers[name], self._first[name] = number.ravel(), first

    def keys(self, k: int) -> dict[str, Key]:
        """Return the bodies of variant ``k`` by name."""
        return {name: (name, int(number[k])) for name, number in self._numbers.items()}

    def counts(self, pending: np.ndarray) -> dict[Key, int]:
        """Return how many of the pending variants need each body."""
        return {
            (name, int(which)): int(count)
            for name, number in self._numbers.items()
            for which, count in zip(*np.unique(number[pending], return_counts=True), strict=True)
        }

    def values(self, key: Key) -> dict[str, Any]:
        """Return the parameters of a body by name."""
        name, number = key
        values = self._variants.values(int(self._first[name][number]))
        return {p: values[p] for p in self._parameters[name]}

    def made(self, k: int) -> dict[str, modal.ReducedBody | NotMade]:
        """Return the bodies of variant ``k`` by name, made now."""
        return {name: body_of(self.functions[name], self.values(key)) for name, key in self.keys(k).items()}

    def key_in_store(self, key: Key) -> str:
        """Return the name of a body in a store."""
        return fingerprint([key[0], self.values(key)])
