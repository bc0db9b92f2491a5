"""Computation of one variant, and of several in a worker."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import modal
from fem.common.errors import FlexbodyError, InputError, called, collected_warnings

from ..model.system import System
from .making import ByFunction, ByReplacement
from .quantities import all_values
from .row import Row, read_whole
from .said import said

#: the longest text of an error or of warnings that a row keeps
LONGEST_TEXT = 2000


@dataclass(frozen=True)
class NotMade:
    """Stands for a body that could not be made, with the error."""

    error: str


@dataclass(frozen=True)
class Job:
    """What all variants of a study have in common.

    Attributes
    ----------
    maker : ByFunction or ByReplacement
        Makes the machine of a variant.
    analysis : callable
        Function of the machine.
    quantities : dict
        What each variant gives, by name.
    bodies : dict of callable
        Functions of parameters that return reduced bodies, by the name under which the machine's function takes them.
    """

    maker: ByFunction | ByReplacement
    analysis: Callable[[System], Any]
    quantities: Mapping[str, Any]
    bodies: Mapping[str, Callable[..., modal.ReducedBody]]

    def machine(self, values: Mapping[str, Any], bodies: Mapping[str, Any]) -> System:
        """Return the machine of a variant."""
        for name, body in bodies.items():
            if isinstance(body, NotMade):
                raise InputError(f"body {name!r} can't be made: {body.error}")
        found = self.maker.machine({**values, **bodies})
        if not isinstance(found, System):
            raise InputError(f"build returns {called(found)}; it must return a System")
        return found

    def row(self, values: Mapping[str, Any], bodies: Mapping[str, Any]) -> Row:
        """Return what a variant gives; an error is part of the row."""
        cpu = time.thread_time()
        with collected_warnings() as warnings:
            try:
                found, error = all_values(self.analysis(self.machine(values, bodies)), self.quantities), ""
            except (Exception, SystemExit) as raised:  # an exit would end the worker's thread without a word
                found, error = {}, _text(raised)
        words = " | ".join(dict.fromkeys(warnings))[:LONGEST_TEXT]
        return Row(found, error, words, time.thread_time() - cpu)


def _text(error: BaseException) -> str:
    """Return an error for a row, with its kind."""
    words = f"{type(error).__name__}: {error}" if isinstance(error, InputError) else said(error)
    return (" ".join(words.split()) if isinstance(error, FlexbodyError) else words)[:LONGEST_TEXT]


def rows_of(
    job: Job,
    variants: Sequence[Mapping[str, Any]],
    needed: Sequence[Mapping[str, int]],
    bodies: Sequence[Any],
) -> list[Row]:
    """Return the rows of several variants, in a worker.

    Parameters
    ----------
    job : Job
        What all variants have in common.
    variants : sequence of dict
        The values of the parameters of each.
    needed : sequence of dict
        For each variant the numbers in ``bodies`` of those that it needs, by name.
    bodies : sequence
        The bodies.
    """
    return [
        job.row(values, {name: bodies[k] for name, k in numbers.items()})
        for values, numbers in zip(variants, needed, strict=True)
    ]


def body_of(
    function: Callable[..., modal.ReducedBody], values: Mapping[str, Any]
) -> modal.ReducedBody | NotMade:
    """Return the body that a user's function makes of its parameters; what goes wrong is returned too."""
    with collected_warnings():
        try:
            found = function(**values)
        except (Exception, SystemExit) as error:
            return NotMade(said(error))
    if not isinstance(found, modal.ReducedBody):
        return NotMade(
            f"its function returns {called(found)}; it must return a ReducedBody, as modal.reduce does"
        )
    try:
        return read_whole(found)
    except FlexbodyError as error:
        return NotMade(said(error))


def made_body(job: Job, name: str, values: Mapping[str, Any]) -> modal.ReducedBody | NotMade:
    """Return the body of a study with these parameters, in a worker."""
    return body_of(job.bodies[name], values)
