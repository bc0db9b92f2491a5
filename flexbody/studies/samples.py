"""Sets of variants that are drawn from ranges or distributions: random, Latin hypercube, Sobol."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np
import scipy

from fem.common.arguments import check_arguments
from fem.common.errors import InputError, called
from fem.common.foreseen import check_memory
from fem.common.numbers import floats
from fem.common.values import Count, Rule, in_range

from .variants import VALUE_BYTES, Variants, check_names, column

#: the largest seed of a generator of numpy that is given as one number
Seed = Rule(
    "a whole number from 0",
    "whole numbers from 0",
    lambda x: in_range(0.0, 2.0**63)(x) and float(x).is_integer(),
)


@dataclass(frozen=True, eq=False, repr=False)
class Samples(Variants):
    """Variants drawn from ranges; base class. The parameters are described in :class:`Random`."""

    ranges: Mapping[str, Any]
    n_samples: Annotated[int, Count]
    seed: Annotated[int, Seed] = 0

    def __post_init__(self) -> None:
        kind = type(self).__name__
        check_names(kind, self.ranges)
        for name, given in self.ranges.items():
            ends = None if hasattr(given, "ppf") else floats(given)
            if not hasattr(given, "ppf") and (
                ends is None or ends.shape != (2,) or not np.isfinite(ends).all() or ends[0] >= ends[1]
            ):
                raise InputError(
                    f"{kind}: parameter {name!r} is {called(given)}; give (least, largest), or a distribution of "
                    "scipy.stats"
                )
        check_memory(self.n_samples, VALUE_BYTES * len(self.ranges), "the variants", "give fewer")
        self._check_number()

    def _check_number(self) -> None:
        """Raise InputError if the method can't draw this number of samples."""

    def _unit(self) -> np.ndarray:
        """Return samples in the unit cube, (n, number of parameters)."""
        raise NotImplementedError

    @cached_property
    def columns(self) -> dict[str, np.ndarray]:
        """The values of each parameter by name, (n,)."""
        found = {}
        for (name, given), unit in zip(self.ranges.items(), self._unit().T, strict=True):
            if hasattr(given, "ppf"):  # 0 has no finite value of a normal distribution
                unit = given.ppf(np.clip(unit, 1e-12, 1 - 1e-12))
            else:
                unit = given[0] + (given[1] - given[0]) * unit
            found[name] = column(name, unit)
        return found


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Random(Samples):
    """Independent random samples.

    Parameters
    ----------
    ranges : dict of str
        For each parameter by name the least and the largest value (uniform between them), or a distribution of
        scipy.stats, such as ``scipy.stats.norm(0.4, 0.01)``.
    n_samples : int
        Number of variants.
    seed : int, optional
        Seed of the generator of random numbers: the same seed gives the same variants.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Random({"length": (0.3, 0.5)}, 100).n
    100
    """

    def _unit(self) -> np.ndarray:
        return np.random.default_rng(self.seed).random((self.n_samples, len(self.ranges)))


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class LatinHypercube(Samples):
    """Latin hypercube samples: each parameter has one value in each n-th of its range (scipy.stats.qmc).

    Parameters
    ----------
    ranges : dict of str
        As in :class:`Random`.
    n_samples : int
        Number of variants.
    seed : int, optional
        Seed of the generator of random numbers: the same seed gives the same variants.

    Examples
    --------
    >>> import flexbody as fb
    >>> lengths = fb.LatinHypercube({"length": (0.0, 1.0)}, 4).columns["length"]
    >>> sorted((4 * lengths).astype(int).tolist())
    [0, 1, 2, 3]
    """

    def _unit(self) -> np.ndarray:
        generator = np.random.default_rng(self.seed)
        return scipy.stats.qmc.LatinHypercube(len(self.ranges), rng=generator).random(self.n_samples)


@check_arguments
@dataclass(frozen=True, eq=False, repr=False)
class Sobol(Samples):
    """Scrambled Sobol samples, which fill a space of several parameters evenly (scipy.stats.qmc).

    Parameters
    ----------
    ranges : dict of str
        As in :class:`Random`.
    n_samples : int
        Number of variants, a power of two.
    seed : int, optional
        Seed of the generator of random numbers: the same seed gives the same variants.

    Examples
    --------
    >>> import flexbody as fb
    >>> fb.Sobol({"length": (0.3, 0.5), "rate": (100.0, 150.0)}, 64).n
    64
    """

    def _check_number(self) -> None:
        n = self.n_samples
        if n & (n - 1):
            below = 1 << (int(n).bit_length() - 1)
            raise InputError(
                f"Sobol: n_samples is {n}; it must be a power of two, such as {below} or {2 * below}"
            )

    def _unit(self) -> np.ndarray:
        generator = np.random.default_rng(self.seed)
        return scipy.stats.qmc.Sobol(len(self.ranges), rng=generator).random(self.n_samples)
