"""The numbers of a study as a Dataset, as a table, as curves and maps; the extreme variants, also as films."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from fem.common.arguments import check_arguments
from fem.common.errors import InputError

from ..view.displayed import Film
from .curves import plot_study
from .films import film_of
from .numbers import Numbers, label
from .store import VARIANT, extra, variable

if TYPE_CHECKING:
    import pandas
    import xarray
    from matplotlib.figure import Figure


class StudyResult(Numbers):
    """The numbers of all variants of a study, which are read from its store when they are used.

    Attributes
    ----------
    store : Store
        The store.
    variants : Variants
        The variants; ``variants.values(k)`` gives the parameters of one.
    quantities : collection of str
        Names of the quantities.
    result : callable
        Function of the number of a variant that computes its result again.
    """

    def __repr__(self) -> str:
        """Return the numbers of variants, and the quantities."""
        to_do, done, failed = self.store.counts
        left = f", {to_do} to do" if to_do else ""
        return f"<StudyResult: {done} variants done, {failed} failed{left}; {', '.join(list(self.quantities)[:8])}>"

    def to_xarray(self) -> xarray.Dataset:
        """Return the numbers as an xarray Dataset, whose values are read when they are used.

        Returns
        -------
        xarray.Dataset
            Parameters are coordinates. The dimension is "variant"; of a :class:`Grid`, each parameter is a dimension.
        """
        found = self.store.dataset()
        if self.variants.shape is None:
            return found
        names = [variable(name) for name in self.parameters]
        if len(names) == 1:  # their product is the list itself
            return found.swap_dims({VARIANT: names[0]})
        units = {name: found[name].attrs for name in names}
        found = found.set_index({VARIANT: names})  # type: ignore[dict-item]
        found = found.unstack(VARIANT).transpose(*names, ...)
        for name in names:
            found[name].attrs = units[name]
        return found

    @check_arguments
    def table(self, sort_by: str | None = None) -> pandas.DataFrame:
        """Return the parameters and the quantities that are numbers as a table.

        Parameters
        ----------
        sort_by : str, optional
            Parameter or quantity by which the variants are sorted, the smallest first.

        Returns
        -------
        pandas.DataFrame
            A row for each variant, with its error if variants have failed. Labels have units.

        Raises
        ------
        fem.InputError
            There is no such parameter or quantity, or it is an array.
        """
        columns = {label(self, name): values for name, values in self.parameters.items()}
        columns |= {
            label(self, name): self.values(name)
            for name in self.quantities
            if not self.store.shape(variable(name))
        }
        if self.errors:
            columns["error"] = self.store.read("error").astype(object)
        if sort_by is not None and label(self, sort_by) not in columns:
            raise InputError(f"the table can't be sorted by {sort_by!r}, which is an array; name a number")
        found = extra("xarray").Dataset({name: (VARIANT, values) for name, values in columns.items()})
        table = found.to_dataframe().rename_axis(VARIANT)
        return table if sort_by is None else table.sort_values(label(self, sort_by))

    @check_arguments
    def smallest(self, quantity: str) -> int:
        """Return the number of the variant with the smallest value of a quantity.

        Parameters
        ----------
        quantity : str
            Its name.

        Returns
        -------
        int
            Number of the variant, from 0.
        """
        return int(np.nanargmin(self._some(quantity)))

    @check_arguments
    def largest(self, quantity: str) -> int:
        """Return the number of the variant with the largest value of a quantity.

        Parameters
        ----------
        quantity : str
            Its name.

        Returns
        -------
        int
            Number of the variant, from 0.
        """
        return int(np.nanargmax(self._some(quantity)))

    def _some(self, quantity: str) -> np.ndarray:
        found = self.numbers(quantity)
        if not np.isfinite(found).any():
            raise InputError(f"no variant has a value of {quantity!r}; look at .errors")
        return found

    @check_arguments
    def plot(
        self,
        quantity: str,
        over: str | Sequence[str] | None = None,
        path: str | os.PathLike | None = None,
        *,
        at: Mapping[str, Any] | None = None,
        title: str | None = None,
    ) -> Figure:
        """Plot a quantity over one parameter, or as a map over two.

        Parameters
        ----------
        quantity : str
            The quantity, a number.
        over : str or sequence of str, optional
            One parameter or two; by default those that vary, if they are one or two.
        path : path_like, optional
            File to write: .png, .pdf, .svg or .jpg.
        at : dict, optional
            Values at which other parameters are held. Over one parameter, there is a curve for each combination of
            others that are not.
        title : str, optional
            Title; by default none.

        Returns
        -------
        matplotlib.figure.Figure
            The figure.

        Raises
        ------
        fem.InputError
            A name is unknown, or other parameters of a grid vary in a map and are not held.
        """
        return plot_study(self, quantity, over, path, at or {}, title)

    @check_arguments(own=("options",))
    def animate(
        self, path: str | os.PathLike, quantity: str, variants: Sequence[int] | None = None, **options: Any
    ) -> Film:
        """Write a film of the variants with the smallest and the largest value of a quantity, side by side.

        Parameters
        ----------
        path : path_like
            File to write: .mp4 or .gif.
        quantity : str
            The quantity, a number, which stands above each machine.
        variants : sequence of int, optional
            Numbers of other variants to show, at most four.
        **options : optional
            Those of :func:`animate`: scale, colour, limits, fps, slow_motion, n_frames, view, size, trace, forces,
            show_progress.

        Returns
        -------
        Film
            The path of the film.

        Raises
        ------
        fem.InputError
            There is no such quantity, variant or option.
        """
        chosen = [self.smallest(quantity), self.largest(quantity)] if variants is None else list(variants)
        return film_of(self, path, quantity, chosen, options)
