"""One small tree of exceptions and warnings, shared by the three packages.

A message says what is wrong, where (the user's own name for it), with which numbers, and how to mend it.
"""


class FlexbodyError(Exception):
    """Anything that this toolkit raises on purpose."""


class InputError(FlexbodyError, ValueError):
    """What was asked for can't be done: names the thing, the numbers and the mend."""


class FileError(InputError):
    """A file is missing, of an unknown format, damaged, or not one of ours."""


class MeshError(InputError):
    """A mesh can't be a body: no solids, inverted elements, loose parts, unknown sets."""


class ConstraintError(InputError):
    """The joints contradict each other or the given positions."""


class ConvergenceError(FlexbodyError, RuntimeError):
    """A computation did not converge: says when, where and what to try."""


class FlexbodyWarning(UserWarning):
    """Something that the user should know; the computation goes on."""


class RedundantConstraintWarning(FlexbodyWarning):
    """Some reactions are not determined by the equations of motion."""


def listing(names, limit: int = 12) -> str:
    """Return names as a readable list for a message: ``'a', 'b', 'c'`` (cut after ``limit``)."""
    names = [repr(str(name)) for name in names]
    if not names:
        return "none"
    more = f" and {len(names) - limit} more" if len(names) > limit else ""
    return ", ".join(names[:limit]) + more
