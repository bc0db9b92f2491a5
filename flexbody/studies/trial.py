"""Checks before a study runs: extremes of the parameters build machines, and a first variant is computed."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from fem.common.errors import FlexbodyError, InputError, collected_warnings

from ..model.system import System
from ..results.record import Record
from .geometries import Geometries
from .job import Job, NotMade, body_of
from .quantities import all_values, columns_of, unit_of
from .row import Row
from .said import said
from .variants import NUMBERS, Variants

#: variants of which one must be computed without an error
MAX_TRIALS = 5


@dataclass(frozen=True)
class Trial:
    """The first variants, computed in this process.

    Attributes
    ----------
    rows : list of Row
        What they give; only the last is without an error.
    units : dict of str
        Units of the quantities that are given by name.
    bodies : dict
        The bodies that were made, by key.
    compiled : float
        Part of the processor time that the compiled time loop took; 0 if that is not known.
    """

    rows: list[Row]
    units: dict[str, str]
    bodies: dict[Any, Any]
    compiled: float


def in_words(variants: Variants, k: int) -> str:
    """Return number and parameters of a variant for a message."""
    values = ", ".join(f"{name} = {_short(value)}" for name, value in variants.values(k).items())
    return f"variant {k} ({values})"


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else repr(value)


def checked(
    job: Job, variants: Variants, geometries: Geometries, short_run: Callable[[System], Record]
) -> Trial:
    """Check a study, and return its first variants.

    Parameters
    ----------
    job : Job
        What all variants have in common.
    variants : Variants
        The values of the parameters.
    geometries : Geometries
        The bodies that the variants need.
    short_run : callable
        From a machine to a short run of it, in which quantities are looked up by name.

    Raises
    ------
    fem.InputError
        Extreme values of parameters build no machine, a quantity doesn't exist, or the first variants all fail.
    """
    bodies = _bodies_of_first(geometries)
    machine = _check_extremes(job, variants, geometries, bodies)
    _check_names(job, machine, short_run)
    rows: list[Row] = []
    for k in range(min(MAX_TRIALS, variants.n)):
        keys = geometries.keys(k)
        for key in keys.values():
            if key not in bodies:
                bodies[key] = body_of(geometries.functions[key[0]], geometries.values(key))
        row, units, compiled = _tried(job, variants, k, {name: bodies[key] for name, key in keys.items()})
        rows.append(row)
        if not row.error:
            return Trial(rows, units, bodies, compiled)
    raise InputError(
        f"the first {len(rows)} variants all fail; {in_words(variants, 0)}: {rows[0].error}. Correct this, or put "
        "variants that work first"
    )


def _bodies_of_first(geometries: Geometries) -> dict[Any, Any]:
    """Return the bodies of the first variant; raise InputError if one can't be made."""
    found: dict[Any, Any] = {}
    for name, key in geometries.keys(0).items():
        body = body_of(geometries.functions[name], geometries.values(key))
        if isinstance(body, NotMade):
            raise InputError(
                f"body {name!r} of variant 0 ({geometries.values(key)}) can't be made: {body.error}"
            )
        found[key] = body
    return found


def _extremes(variants: Variants) -> Iterator[int]:
    """Yield the first variant, and those with the least and the largest value of each parameter."""
    yield 0
    for values in variants.columns.values():
        if values.dtype.kind in NUMBERS:
            yield from (int(np.argmin(values)), int(np.argmax(values)))
        else:
            yield from map(int, np.unique(values.astype(str), return_index=True)[1])


def _check_extremes(
    job: Job, variants: Variants, geometries: Geometries, bodies: Mapping[Any, Any]
) -> System:
    """Return the first machine; raise InputError for all extreme variants that build none.

    Only variants whose bodies have been made are built.
    """
    wrong: list[str] = []
    first: Any = None
    with collected_warnings():
        for k in dict.fromkeys(_extremes(variants)):
            keys = geometries.keys(k)
            if any(key not in bodies for key in keys.values()):
                continue
            try:
                made = job.machine(variants.values(k), {name: bodies[key] for name, key in keys.items()})
                first = first or made
            except Exception as error:
                wrong.append(f"{in_words(variants, k)} builds no machine: {said(error)}")
    if wrong:
        raise InputError(wrong[0] if len(wrong) == 1 else "no machine is built:\n  - " + "\n  - ".join(wrong))
    return first


def _check_names(job: Job, machine: System, short_run: Callable[[System], Record]) -> None:
    """Raise InputError for all quantities by name that the results of a machine don't have."""
    named = {name: wanted for name, wanted in job.quantities.items() if not callable(wanted)}
    if not named:
        return
    with collected_warnings():
        try:
            result = short_run(machine)
        except FlexbodyError:  # the trial tells what it is
            return
        wrong = []
        for name, wanted in named.items():
            try:
                columns_of(result, wanted)
            except InputError as error:
                wrong.append(f"quantity {name!r}: {error}")
    if wrong:
        raise InputError(
            wrong[0] if len(wrong) == 1 else "quantities do not exist:\n  - " + "\n  - ".join(wrong)
        )


def _tried(
    job: Job, variants: Variants, k: int, bodies: Mapping[str, Any]
) -> tuple[Row, dict[str, str], float]:
    """Return the row of a variant, the units of named quantities, and the part of the compiled loop.

    Raises
    ------
    fem.InputError
        The analysis or a quantity is not possible for any variant.
    """
    results: list[Any] = []

    def analysis(machine: System) -> Any:
        results.append(job.analysis(machine))
        return results[-1]

    row = Job(job.maker, analysis, {}, {}).row(variants.values(k), bodies)
    if row.error:
        return row, {}, 0.0
    result = results[-1]
    try:
        values = all_values(result, job.quantities)
    except InputError as error:
        raise InputError(f"{in_words(variants, k)}: {error}") from error
    units = {name: unit_of(result, wanted) for name, wanted in job.quantities.items()}
    compiled = result.statistics.loop_seconds / max(row.seconds, 1e-9) if isinstance(result, Record) else 0.0
    return Row(values, "", row.warnings, row.seconds), units, min(compiled, 1.0)


def takes_one(function: Any) -> bool:
    """Return whether a function can be called with one argument."""
    try:
        inspect.signature(function).bind(None)
    except TypeError:
        return False
    except ValueError:  # of compiled code, which does not say
        return True
    return True
