"""A valid call of every function, class and method that scripts may call, with an example of each argument."""

from functools import cache

from . import analyses, fem, modal, model, results, studies
from .parts import Calls, parts


@cache
def calls() -> Calls:
    """Return the arguments of a valid call by the name of what is called; "self" is the object of a method."""
    p = parts()
    return {
        name: given
        for room in (fem, modal, model, analyses, results, studies)
        for name, given in room.calls(p).items()
    }
