"""The exceptions and warnings of the three packages.

A message says what is wrong, where (the user's own name for it), with which numbers, and how to correct it.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar


class FlexbodyError(Exception):
    """Base class of all errors that this toolkit raises deliberately.

    Examples
    --------
    >>> import fem
    >>> try:
    ...     fem.Isotropic(E=-1.0, nu=0.3, rho=7850.0)
    ... except fem.FlexbodyError as error:
    ...     print(error)
    this material is not valid: Young's modulus E = -1 Pa must be a positive number
    """


class InputError(FlexbodyError, ValueError):
    """Invalid input: the message names the object, the numbers and the remedy.

    Examples
    --------
    >>> import fem
    >>> try:
    ...     fem.Force("tip", (0.0, 0.0))
    ... except fem.InputError as error:
    ...     print(error)
    the force of 'tip' must be three finite numbers, not (0.0, 0.0)
    """


class FileError(InputError):
    """A file is missing, damaged, of an unknown format, or of another program.

    Examples
    --------
    >>> import fem
    >>> try:
    ...     fem.read_mesh("arm.msh")
    ... except fem.FileError as error:
    ...     print(error)
    there is no file arm.msh
    """


class MeshError(InputError):
    """An invalid mesh: no elements, inverted elements, disconnected parts, unknown sets.

    Examples
    --------
    >>> import fem
    >>> try:
    ...     fem.box((1.0, 0.1, 0.1), (4, 1, 1)).nodes_of("tip")
    ... except fem.MeshError as error:
    ...     print(str(error).split(";")[0])
    mesh 'box' has no node set 'tip'
    """


class ElementError(InputError):
    """Elements that can't have the property they were given.

    ``said``: the pieces of the message, each a text or indices of elements, counted from 0 among those checked.
    """

    def __init__(self, *said: str | Iterable[int]) -> None:
        """Join the pieces."""
        self.said = said
        super().__init__("".join(one if isinstance(one, str) else listing(one, 6) for one in said))

    def named(self, name: Callable[[int], str]) -> InputError:
        """Return the same error with the user's names of the elements, ``name(index)``."""
        pieces = (one if isinstance(one, str) else _few([name(int(k)) for k in one]) for one in self.said)
        return InputError("".join(pieces))


class ConstraintError(InputError):
    """Joints that contradict each other or the given positions.

    Examples
    --------
    >>> import fem
    >>> issubclass(fem.ConstraintError, fem.InputError)
    True
    """


class ConvergenceError(FlexbodyError, RuntimeError):
    """A computation that did not converge: the message says when, where and what to try.

    Examples
    --------
    >>> import fem
    >>> issubclass(fem.ConvergenceError, RuntimeError)
    True
    """


class FlexbodyWarning(UserWarning):
    """A warning of this toolkit; the computation continues.

    Examples
    --------
    >>> import warnings, fem
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("ignore", fem.FlexbodyWarning)
    ...     fem.check_units(fem.box((1.0, 0.1, 0.1), (1, 1, 1)), fem.Isotropic(E=210e3, nu=0.3, rho=7.85e-9))
    """


class RedundantConstraintWarning(FlexbodyWarning):
    """Warning that some reactions are not determined by the equations of motion.

    Examples
    --------
    >>> import fem
    >>> issubclass(fem.RedundantConstraintWarning, fem.FlexbodyWarning)
    True
    """


#: Fractions below this one are not told as numbers.
LEAST_SHARE = 1e-5
#: And those below this one are round-off.
ROUND_OFF_SHARE = 1e-8
#: modules whose lines do not help a user: our own, and those that call them
INTERNAL_MODULES = ("fem", "modal", "flexbody", "contextlib", "functools")


#: the list that collects the warnings of this thread; None where they are shown
_collected: ContextVar[list[str] | None] = ContextVar("collected", default=None)


@contextmanager
def collected_warnings() -> Iterator[list[str]]:
    """Collect the warnings of the block in a list: many like runs would each repeat them.

    Progress bars that were not asked for are not shown in the block. Other threads are not concerned.
    """
    found: list[str] = []
    token = _collected.set(found)
    try:
        yield found
    finally:
        _collected.reset(token)


def collecting() -> list[str] | None:
    """Return the list to which warnings of this thread are added; None if they are shown."""
    return _collected.get()


def warn(message: str, category: type[Warning] = FlexbodyWarning) -> None:
    """Issue a warning at the line of the user's own program that called our packages, however deep the call is."""
    if (found := collecting()) is not None:
        found.append(message)
        return
    frame, level = sys._getframe(1), 2
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] in INTERNAL_MODULES:
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, stacklevel=level)


def listing(names, limit: int | None = 12) -> str:
    """Return names as a readable list for a message: ``'a', 'b', 'c'`` (cut after ``limit``, None for all)."""
    names = [repr(str(name)) for name in names]
    if not names:
        return "none"
    more = f" and {len(names) - limit} more" if limit is not None and len(names) > limit else ""
    return ", ".join(names[:limit]) + more


def percent(share: float) -> str:
    """Return a fraction in percent for a message, such as ``0.25 %``, ``350 %`` or ``below 0.001 %``."""
    if 0.0 < abs(share) < LEAST_SHARE:
        return "below 0.001 %"
    return f"{100 * share:.0f} %" if abs(share) >= 0.995 else f"{100 * share:.2g} %"


def percent_at_most(share: float) -> str:
    """Return a bound in percent for a message, such as ``up to 0.25 %``: 0.001 % for whatever is smaller."""
    return percent(max(share, LEAST_SHARE)) if share > 0.0 else "0 %"


def in_percent(share: float, sign: str = "") -> str:
    """Return a fraction in percent for a table, such as ``0.25`` or ``<0.001``; ``sign`` "+" writes it always."""
    if abs(share) < LEAST_SHARE:
        return "<0.001" if abs(share) > ROUND_OFF_SHARE else "0"
    return f"{100 * share:{sign}.0f}" if abs(share) >= 9.995 else f"{100 * share:{sign}.3g}"


def few(labels, limit: int = 6) -> str:
    """Return the first labels as a list for a message, with the number of all if there are more than ``limit``."""
    labels = list(labels)
    more = f" and {len(labels) - limit} more ({len(labels)} in all)" if len(labels) > limit else ""
    return ", ".join(labels[:limit]) + more


def called(thing: object) -> str:
    """Return the name of an object for a message on wrong input: its short repr, else its kind and name."""
    text = repr(thing)
    label, name = getattr(thing, "label", None), getattr(thing, "name", None)
    summary = text.startswith("<") and isinstance(name, str)
    if len(text) <= 40 and "\n" not in text and not summary:
        return text
    if isinstance(label, str):
        return f"the {label}"
    kind = type(thing).__name__
    return f"the {kind} '{name}'" if isinstance(name, str) else with_article(kind)


def with_article(kind: str) -> str:
    """Return the name of a class or kind after "a" or "an"."""
    return f"{'an' if kind[:1] in 'AEIOaeio' else 'a'} {kind}"


def _few(names: list[str], limit: int = 6) -> str:
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
