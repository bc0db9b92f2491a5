"""The numbers of a study: parameters and quantities of all variants, read from its store."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, listing
from fem.common.known_attributes import KnownAttributes
from fem.common.names import with_match

from .store import DONE, FAILED, Store, variable
from .variants import Variants


@dataclass(frozen=True, eq=False, repr=False)
class Numbers(KnownAttributes):
    """The numbers of all variants of a study, which are read from its store when they are used.

    Attributes
    ----------
    store : Store
        The store.
    variants : Variants
        The variants.
    quantities : collection of str
        Names of the quantities.
    result : callable
        Function of the number of a variant that computes its result again.
    """

    store: Store
    variants: Variants
    quantities: Collection[str]
    result: Callable[[int], Any]

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """The values of each parameter by name, (n,)."""
        return self.variants.columns

    @property
    def done(self) -> np.ndarray:
        """Whether each variant was computed without an error, (n,)."""
        return self.store.status == DONE

    @property
    def errors(self) -> dict[int, str]:
        """The errors of the variants that have failed, by number."""
        words = self.store.read("error")
        return {int(k): str(words[k]) for k in np.flatnonzero(self.store.status == FAILED)}

    @property
    def warnings(self) -> dict[int, str]:
        """The warnings of the variants that gave some, by number."""
        words = self.store.read("warnings")
        return {int(k): str(words[k]) for k in np.flatnonzero(words != "")}

    @check_arguments
    def unit(self, name: str) -> str:
        """Return the unit of a parameter or quantity.

        Parameters
        ----------
        name : str
            Its name.

        Returns
        -------
        str
            The unit; "" if none was given.

        Raises
        ------
        fem.InputError
            There is no such parameter or quantity.
        """
        if name not in (*self.parameters, *self.quantities):
            names = [*self.parameters, *self.quantities]
            raise InputError(f"this study has no {with_match(name, names)}; it has {listing(names)}")
        return self.store.unit(variable(name))

    @check_arguments
    def values(self, quantity: str) -> np.ndarray:
        """Return a quantity of all variants.

        Parameters
        ----------
        quantity : str
            Its name.

        Returns
        -------
        numpy.ndarray
            The values, (n, ...); not a number where a variant has failed.

        Raises
        ------
        fem.InputError
            There is no such quantity.
        """
        if quantity not in self.quantities:
            raise InputError(
                f"this study has no quantity {with_match(quantity, self.quantities)}; it has {listing(self.quantities)}"
            )
        return self.store.read(variable(quantity))

    @check_arguments
    def numbers(self, quantity: str) -> np.ndarray:
        """Return a quantity that is one number of each variant.

        Parameters
        ----------
        quantity : str
            Its name.

        Returns
        -------
        numpy.ndarray
            The values, (n,).

        Raises
        ------
        fem.InputError
            There is no such quantity, or it is an array.
        """
        found = self.values(quantity)
        if found.ndim > 1:
            raise InputError(
                f"quantity {quantity!r} is an array {found.shape[1:]}; name one that is a number"
            )
        return found


def label(found: Numbers, name: str) -> str:
    """Return the name of a parameter or quantity with its unit."""
    unit = found.unit(name)
    return f"{name} ({unit})" if unit else name


def worded(found: Numbers, name: str, value: Any) -> str:
    """Return a value of a parameter or quantity with its name and unit."""
    number = f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)
    return f"{name} {number} {found.unit(name)}".strip()


def caption(found: Numbers, k: int, quantity: str) -> str:
    """Return the first parameters of a variant that vary and the value of a quantity, for pictures."""
    varying = [name for name, values in found.parameters.items() if len(set(values.tolist())) > 1]
    words = [worded(found, name, found.parameters[name][k]) for name in varying[:3]]
    return f"{', '.join(words)}: {worded(found, quantity, found.numbers(quantity)[k])}"
