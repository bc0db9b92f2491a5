"""Names and sequences that a user gives: one of them, or several; and the known name that an unknown one resembles."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from difflib import SequenceMatcher, get_close_matches
from typing import Any

from .errors import InputError, called

#: least ratio of difflib between an unknown name and one that is suggested, and the number of such names
LEAST_RATIO, SUGGESTIONS = 0.6, 3


def as_names(given: Any) -> tuple[str, ...]:
    """Return one name or several as a tuple of names; InputError for other values."""
    names = (given,) if isinstance(given, str) or not isinstance(given, Iterable) else tuple(given)
    for name in names:
        if not isinstance(name, str):
            raise InputError(f"{called(name)} is not a name; give one as text, or several in a list")
    return names


def as_list(given: Any) -> list[Any]:
    """Return one object or a sequence of them as a list."""
    return list(given) if isinstance(given, Sequence) else [given]


def nearest(name: Any, known: Iterable[str], least: float = LEAST_RATIO) -> list[str]:
    """Return the known names that resemble another one most, whatever the case; several if they do equally."""
    if not isinstance(name, str):
        return []
    folded = {str(one).casefold(): str(one) for one in known}
    found = get_close_matches(name.casefold(), folded, n=SUGGESTIONS, cutoff=least)
    ratios = [SequenceMatcher(None, one, name.casefold()).ratio() for one in found]
    return [folded[one] for one, ratio in zip(found, ratios, strict=True) if ratio == ratios[0]]


def no_attribute(
    module: str,
    name: str,
    known: Iterable[str],
    words: Mapping[str, str],
    others: Mapping[str, Iterable[str]],
) -> AttributeError:
    """Return the error of a package that has no such name, with the name that is meant.

    Parameters
    ----------
    module, name : str
        The package, and the name that was asked for.
    known : iterable of str
        The names of the package.
    words : mapping from str to str
        The names for other words of the field, which stand in lower case.
    others : mapping from str to iterable of str
        Names of other packages, in which the name may be.

    Returns
    -------
    AttributeError
        The error.
    """
    meant = [words[name.lower()]] if name.lower() in words else []
    meant = meant or [f"{other}.{name}" for other, names in others.items() if name in names]
    if not meant and not name.startswith("_"):
        meant = sorted(nearest(name, known))
    hint = f"; did you mean {' or '.join(meant)}?" if meant else ""
    return AttributeError(f"module '{module}' has no attribute '{name}'{hint}")


def with_match(unknown: Any, known: Iterable[str], limit: int = 12) -> str:
    """Return an unknown name or several for a message, each with the known name that it resembles.

    Examples
    --------
    >>> with_match("eyea", ["eyeA", "eyeB"])
    "'eyea' (did you mean 'eyeA'?)"
    >>> with_match(["tip", "Foot"], ["root", "foot"])
    "'tip', 'Foot' (did you mean 'foot'?)"
    """
    several = not isinstance(unknown, str) and isinstance(unknown, Sequence | Set)
    several = several and all(isinstance(name, str) for name in unknown)
    names, known = list(unknown) if several else [unknown], list(known)
    words = []
    for name in names[:limit]:
        meant = " or ".join(map(repr, sorted(nearest(name, known))))
        quoted = repr(name) if isinstance(name, str) else called(name)
        words.append(quoted + (f" (did you mean {meant}?)" if meant else ""))
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return (", ".join(words) or "none") + more
