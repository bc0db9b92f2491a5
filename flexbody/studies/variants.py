"""Sets of variants that are listed: grids, lists, one parameter at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called, listing
from fem.common.foreseen import check_memory
from fem.common.names import with_match
from fem.common.numbers import LARGEST

#: bytes that a value of a parameter takes
VALUE_BYTES = 32.0
#: types of numpy of a parameter: numbers, and flags
NUMBERS = "iufb"
#: bytes of a name; a folder can have a name of 255 bytes
LONGEST_NAME = 200
#: what a name must be, for messages
NAMES_ARE = "of at most 200 characters that begin with neither '.' nor '__'"


class Variants:
    """A set of variants: values of parameters by name. Base class of all sets."""

    @property
    def columns(self) -> dict[str, np.ndarray]:
        """The values of each parameter by name, (n,)."""
        raise NotImplementedError

    @property
    def n(self) -> int:
        """Number of variants."""
        return len(next(iter(self.columns.values())))

    @property
    def shape(self) -> tuple[int, ...] | None:
        """Number of values of each parameter, in a set of all their combinations; None in others."""
        return None

    def __repr__(self) -> str:
        """Return the number of variants and the ranges of the parameters."""
        ranges = [f"{name} {range_of(values)}" for name, values in list(self.columns.items())[:8]]
        return f"<{type(self).__name__} of {self.n} variants: {', '.join(ranges)}>"

    def values(self, k: int) -> dict[str, Any]:
        """Return the values of variant ``k`` as numbers and texts of Python.

        Parameters
        ----------
        k : int
            Number of the variant, from 0.

        Returns
        -------
        dict
            The value of each parameter by name.
        """
        return {name: _plain(column[k]) for name, column in self.columns.items()}


def _plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def range_of(values: np.ndarray) -> str:
    """Return the range of a parameter's values in words."""
    if values.dtype.kind not in NUMBERS:
        return listing(dict.fromkeys(values), 4)
    low, high = values.min(), values.max()
    return f"{low:g}" if low == high else f"{low:g} to {high:g}"


def column(name: str, values: Any) -> np.ndarray:
    """Return the values of a parameter as an array (n,); raise InputError unless they are all numbers or all texts."""
    try:
        found = np.array(list(values)) if not isinstance(values, str | Mapping) else np.array(None)
    except (TypeError, ValueError):
        found = np.array(None)
    numbers = found.dtype.kind in NUMBERS and (np.abs(found.astype(float)) <= LARGEST).all()
    texts = found.dtype.kind == "U" and all(isinstance(value, str) for value in values)
    if found.ndim != 1 or not len(found) or not (numbers or texts):
        raise InputError(
            f"parameter {name!r} is {called(values)}; give a list of finite numbers, or of texts, that is not empty"
        )
    return found if numbers else found.astype(object)


def check_names(owner: str, given: Mapping[str, Any]) -> None:
    """Raise InputError for names that parameters can't have, or if there are no parameters."""
    if not given:
        raise InputError(
            f"{owner} has no parameter; give their values by name, such as {{'length': [0.3, 0.4]}}"
        )
    if wrong := [name for name in given if not can_be_name(name)]:
        raise InputError(
            f"{owner}: {listing(wrong)} can't be names of parameters; give texts such as 'length', {NAMES_ARE}"
        )


def can_be_name(name: Any) -> bool:
    """Return whether a parameter or quantity can have this name: it is also the name of a folder of the store."""
    return (
        isinstance(name, str)
        and name.strip() == name
        and name.isprintable()
        and 0 < len(name.encode()) <= LONGEST_NAME
        and not name.startswith((".", "__"))
    )


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Grid(Variants):
    """All combinations of the values of several parameters; the last parameter changes fastest.

    Parameters
    ----------
    axes : dict of str
        The values of each parameter, numbers or texts, by its name.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Grid({"length": [0.3, 0.4, 0.5], "rate": [100.0, 150.0]})
    <Grid of 6 variants: length 0.3 to 0.5, rate 100 to 150>
    """

    axes: Mapping[str, Any]

    def __post_init__(self) -> None:
        check_names("Grid", self.axes)
        axes = {name: column(name, values) for name, values in self.axes.items()}
        for name, values in axes.items():
            if len(set(values.tolist())) < len(values):
                raise InputError(f"Grid: parameter {name!r} has a value twice; give each value once")
        check_memory(
            prod(map(len, axes.values())),
            VALUE_BYTES * len(axes),
            "the variants of the grid",
            "give fewer values",
        )
        object.__setattr__(self, "axes", axes)

    @property
    def shape(self) -> tuple[int, ...]:
        """Number of values of each parameter."""
        return tuple(map(len, self.axes.values()))

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """The values of each parameter by name, (n,)."""
        grids = np.meshgrid(*self.axes.values(), indexing="ij")
        return {name: grid.ravel() for name, grid in zip(self.axes, grids, strict=True)}


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class VariantList(Variants):
    """Variants one by one.

    Parameters
    ----------
    rows : sequence of dict
        The values of all parameters of each variant, numbers or texts, by name.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.VariantList([{"length": 0.3, "rate": 100.0}, {"length": 0.4, "rate": 150.0}])
    <VariantList of 2 variants: length 0.3 to 0.4, rate 100 to 150>
    """

    rows: Sequence[Mapping[str, Any]]

    def __post_init__(self) -> None:
        rows = list(self.rows)
        if not rows:
            raise InputError("VariantList has no variants; give a list of dicts")
        check_names("VariantList", rows[0])
        for k, row in enumerate(rows):
            if set(row) != set(rows[0]):
                raise InputError(
                    f"VariantList: variant {k} has the parameters {listing(row)}, and variant 0 has "
                    f"{listing(rows[0])}; give each variant the same parameters"
                )
        object.__setattr__(self, "rows", rows)
        self.columns  # noqa: B018 (checked now)

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """The values of each parameter by name, (n,)."""
        return {name: column(name, [row[name] for row in self.rows]) for name in self.rows[0]}


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class OneAtATime(Variants):
    """A base variant, and variants in each of which one parameter has another value.

    Parameters
    ----------
    base : dict of str
        The values of all parameters of the first variant, numbers or texts, by name.
    changes : dict of str
        Further values of parameters, each tried alone, by name.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.OneAtATime({"length": 0.3, "rate": 100.0}, {"length": [0.25, 0.35], "rate": [150.0]})
    <OneAtATime of 4 variants: length 0.25 to 0.35, rate 100 to 150>
    """

    base: Mapping[str, Any]
    changes: Mapping[str, Any]

    def __post_init__(self) -> None:
        check_names("OneAtATime", self.base)
        if unknown := [name for name in self.changes if name not in self.base]:
            raise InputError(
                f"OneAtATime changes {with_match(unknown, self.base)}, "
                f"and base has {listing(self.base)} only; add the rest"
            )
        changes = {name: column(name, values) for name, values in self.changes.items()}
        object.__setattr__(self, "changes", changes)
        self.columns  # noqa: B018 (checked now)

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """The values of each parameter by name, (n,)."""
        rows = [dict(self.base)]
        rows += [{**self.base, name: value} for name, values in self.changes.items() for value in values]
        return {name: column(name, [_plain(row[name]) for row in rows]) for name in self.base}
