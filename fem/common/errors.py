"""The exceptions and warnings of the three packages.

A message says what is wrong, where (the user's own name for it), with which numbers, and how to correct it.
"""

from __future__ import annotations

import sys
import warnings
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class FlexbodyError(Exception):
    """Base class of all errors that this toolkit raises deliberately."""


class InputError(FlexbodyError, ValueError):
    """Invalid input: the message names the object, the numbers and the remedy."""


class FileError(InputError):
    """A file is missing, damaged, of an unknown format, or of another program."""


class MeshError(InputError):
    """An invalid mesh: no elements, inverted elements, disconnected parts, unknown sets."""


class ElementError(InputError):
    """Elements that can't have the property they were given.

    ``said``: the message in pieces, each a text or indices of elements, from 0, within those that were checked.
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
    """Joints that contradict each other or the given positions."""


class ConvergenceError(FlexbodyError, RuntimeError):
    """A computation that did not converge: the message says when, where and what to try."""


class FlexbodyWarning(UserWarning):
    """A warning of this toolkit; the computation continues."""


class RedundantConstraintWarning(FlexbodyWarning):
    """Warning that some reactions are not determined by the equations of motion."""


#: modules whose lines say nothing to a user: ours, and those that stand between two of ours
INTERNAL_MODULES = ("fem", "modal", "flexbody", "contextlib", "functools")


def warn(message: str, category: type[Warning] = FlexbodyWarning) -> None:
    """Issue a warning at the line of the user's own program that called our packages, however deep the call is."""
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


def called(thing: object) -> str:
    """Return the name of an object for a message on wrong input: its short repr, else its kind and name."""
    text = repr(thing)
    if len(text) <= 40 and "\n" not in text:
        return text
    label, name = getattr(thing, "label", None), getattr(thing, "name", None)
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
