"""What a reader left out of a mesh, and why."""

from __future__ import annotations

from dataclasses import dataclass

from ..common.arguments import check_arguments

#: number of lines that are kept of each card or keyword
NOTED_LINES = 5


@check_arguments
@dataclass(frozen=True)
class LeftOut:
    """Cards or keywords of a file that are not part of the mesh.

    Parameters
    ----------
    what : str
        The card or keyword, such as "FORCE" or "*PLASTIC".
    why : str
        Why it was left out.
    count : int
        How often it stands in the file.
    lines : tuple of str
        Lines of the first ones, with the file before them if it is an included one.

    Examples
    --------
    >>> import fem
    >>> print(fem.LeftOut("FORCE", "loads are given to fem.static", 2, ("12", "13")))
    2 FORCE, lines 12, 13: loads are given to fem.static
    """

    what: str
    why: str
    count: int = 1
    lines: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Return one line for the report."""
        more = ", ..." if self.count > len(self.lines) else ""
        place = f", line{'s' * (self.count > 1)} {', '.join(self.lines)}{more}" if self.lines else ""
        return f"{self.count} {self.what}{place}: {self.why}"


class Omissions:
    """Collects what a reader leaves out: one :class:`LeftOut` for each card or keyword and reason."""

    def __init__(self) -> None:
        self._found: dict[tuple[str, str], tuple[int, list[str]]] = {}

    def add(self, what: str, why: str, line: str = "", count: int = 1) -> None:
        """Note ``count`` cards or keywords at a line."""
        before, lines = self._found.get((what, why), (0, []))
        if line and len(lines) < NOTED_LINES:
            lines.append(line)
        self._found[what, why] = (before + count, lines)

    def __bool__(self) -> bool:
        return bool(self._found)

    def all(self) -> tuple[LeftOut, ...]:
        """Return what was noted, in the order of the file."""
        return tuple(LeftOut(what, why, n, tuple(lines)) for (what, why), (n, lines) in self._found.items())
