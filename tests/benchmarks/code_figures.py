"""Figures of the code by package: sizes, imports, types, docstrings: ``code_figures.py [folder of a checkout]``."""

from __future__ import annotations

import ast
import statistics
import sys
from collections import Counter, defaultdict
from collections.abc import Iterable
from functools import cache
from pathlib import Path

ROOT = Path(sys.argv[1]).resolve() if len(sys.argv) > 1 else Path(__file__).resolve().parents[2]
PACKAGES = ("fem", "modal", "flexbody")
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def module(path: Path) -> str:
    parts = path.relative_to(ROOT).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


FILES = {module(path): path for package in PACKAGES for path in sorted((ROOT / package).rglob("*.py"))}
TREES = {name: ast.parse(path.read_text(encoding="utf-8")) for name, path in FILES.items()}


def source(name: str, node: ast.ImportFrom) -> str:
    """Return the absolute name of the module that an import takes names from."""
    package = name.split(".") if FILES[name].name == "__init__.py" else name.split(".")[:-1]
    base = package[: len(package) - node.level + 1] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


@cache
def behind(name: str, imported: str) -> str | None:
    """Return the file that defines an imported name; behind the face of a package."""
    if f"{name}.{imported}" in FILES:
        return f"{name}.{imported}"
    if name not in FILES or FILES[name].name != "__init__.py":
        return name if name in FILES else None
    for node in TREES[name].body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == imported:
                    return behind(source(name, node), alias.name)
    return name


def imports(name: str, top: bool) -> set[str]:
    """Return the own files that a file imports: at its top, or anywhere."""
    nodes = TREES[name].body if top else list(ast.walk(TREES[name]))
    found = {
        behind(source(name, node), alias.name)
        for node in nodes
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }
    return {other for other in found if other} - {name}


@cache
def floors(name: str) -> int:
    """Return the length of the longest chain of files of the package that begins with a file."""
    same = [other for other in imports(name, True) if other.split(".")[0] == name.split(".")[0]]
    return 1 + max((floors(other) for other in same if FILES[other].name != "__init__.py"), default=0)


def circles() -> list[set[str]]:
    """Return the groups of files that import each other in circles, imports in functions and for types included."""
    below = {name: imports(name, False) for name in FILES if FILES[name].name != "__init__.py"}
    groups: list[set[str]] = []
    for name in below:
        if not any(name in group for group in groups):
            group = {other for other in _reached(below, name) if name in _reached(below, other)}
            groups += [group] if group else []
    return groups


def _reached(below: dict[str, set[str]], name: str) -> set[str]:
    """Return all files that a file needs."""
    reached: set[str] = set()
    left = [name]
    while left:
        new = (below[left.pop()] & below.keys()) - reached
        reached |= new
        left += new
    return reached


def hidden(name: str) -> tuple[int, int]:
    """Return the numbers of own imports inside functions, and under TYPE_CHECKING."""
    tree, counts = TREES[name], [0, 0]
    typed = {
        id(node)
        for block in ast.walk(tree)
        if isinstance(block, ast.If) and "TYPE_CHECKING" in ast.unparse(block.test)
        for node in ast.walk(block)
    }
    top = {id(node) for node in tree.body}
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.ImportFrom)
            and id(node) not in top
            and source(name, node).split(".")[0] in PACKAGES
        ):
            counts[id(node) in typed] += 1
    return counts[0], counts[1]


def length(function: ast.AST) -> int:
    """Return the lines of a function without its docstring."""
    body = function.body
    doc = body[0] if isinstance(body[0], ast.Expr) and isinstance(body[0].value, ast.Constant) else None
    return function.end_lineno - function.lineno + 1 - (doc.end_lineno - doc.lineno + 1 if doc else 0)


def scopes(tree: ast.Module) -> list[ast.AST]:
    """Return a module and its public classes."""
    return [tree, *(node for node in tree.body if isinstance(node, ast.ClassDef) and not _private(node))]


def _private(node: ast.AST) -> bool:
    return not isinstance(node, (*FUNCTIONS, ast.ClassDef)) or node.name.startswith("_")


def rooms(package: str) -> int:
    """Return the longest chain of rooms (folders of a package) in which each imports the next."""
    below = defaultdict(set)
    for name in FILES:
        parts = name.split(".")
        if parts[0] == package and len(parts) > 2:
            near = {other.split(".")[1] for other in imports(name, False) if other.split(".")[0] == package}
            below[parts[1]] |= near - {parts[1]}

    def depth(room: str, above: tuple[str, ...] = ()) -> int:
        return 1 + max(
            (depth(other, (*above, room)) for other in below[room] if other not in above), default=0
        )

    return max(map(depth, list(below)), default=1)


def arguments(function: ast.AST) -> list[ast.arg]:
    its = function.args
    return [a for a in (*its.posonlyargs, *its.args, *its.kwonlyargs) if a.arg not in ("self", "cls")]


def share(flags: Iterable[bool]) -> str:
    """Return how many of flags are true, per cent."""
    all_of = list(flags)
    return f"{100 * sum(all_of) / len(all_of):.0f}"


def figures(package: str) -> dict[str, str]:
    """Return the figures of a package in words."""
    names = [name for name in FILES if name.split(".")[0] == package]
    lines = {name: len(FILES[name].read_text(encoding="utf-8").splitlines()) for name in names}
    nodes = {name: list(ast.walk(TREES[name])) for name in names}
    functions = [n for name in names for n in nodes[name] if isinstance(n, FUNCTIONS)]
    sizes = [length(f) for f in functions]
    outer = [n for name in names for scope in scopes(TREES[name]) for n in scope.body if not _private(n)]
    public = [n for n in outer if isinstance(n, FUNCTIONS)]
    calls = Counter(
        n.id if isinstance(n, ast.Name) else n.attr
        for name in names
        for n in nodes[name]
        if isinstance(n, ast.Name | ast.Attribute)
    )
    private = [f.name for f in functions if f.name.startswith("_") and not f.name.endswith("__")]
    given = [a for f in public for a in arguments(f)]
    section = "Parameters\n---"
    docs = [ast.get_docstring(n) or "" for n in outer]
    folders = Counter(str(FILES[name].parent) for name in names if FILES[name].name != "__init__.py")
    inner, typed = (sum(k) for k in zip(*map(hidden, names), strict=True))
    total = sum(lines.values())
    count = sum(
        isinstance(n, ast.Call) and ast.unparse(n.func) == "isinstance" for name in names for n in nodes[name]
    )
    parameters = [len(arguments(f)) for f in functions]
    rings = [ring for ring in circles() if min(ring).split(".")[0] == package]
    return {
        "files / lines": f"{len(names)} / {total / 1e3:.1f}k",
        "median / largest file": f"{statistics.median(lines.values()):.0f} / {max(lines.values())}",
        "files > 400 / >= 600": f"{sum(k > 400 for k in lines.values())} / {sum(k >= 600 for k in lines.values())}",
        "functions > 100 / > 60 / > 40": " / ".join(
            str(sum(k > most for k in sizes)) for most in (100, 60, 40)
        ),
        "median function": f"{statistics.median(sizes):.0f}",
        "private functions with one caller": f"{share(calls[f] == 1 for f in private)} %",
        "functions with > 6 / > 10 parameters": " / ".join(
            str(sum(k > most for k in parameters)) for most in (6, 10)
        ),
        "public docstrings": f"{share(map(bool, docs))} %",
        "arguments of public functions annotated": f"{share(a.annotation is not None for a in given)} %",
        "Parameters sections / doctests": f"{sum(section in d for d in docs)} / {sum('>>>' in d for d in docs)}",
        "modules per folder, median / most": f"{statistics.median(folders.values()):.0f} / {max(folders.values())}",
        "longest import chain of files": str(
            max(floors(name) for name in names if FILES[name].name != "__init__.py")
        ),
        "longest import chain of rooms": str(rooms(package)),
        "imports per module": f"{statistics.mean(len(imports(name, True)) for name in names):.1f}",
        "own imports in functions / under TYPE_CHECKING": f"{inner} / {typed}",
        "import circles (largest)": f"{len(rings)} ({max(map(len, rings), default=0)})",
        "isinstance per 1000 lines": f"{1e3 * count / total:.1f} ({count})",
    }


def main() -> None:
    columns = {package: figures(package) for package in PACKAGES}
    print(f"{'':48}" + "".join(f"{package:>16}" for package in PACKAGES))
    for row in columns["fem"]:
        print(f"{row:48}" + "".join(f"{columns[package][row]:>16}" for package in PACKAGES))
    tests = [path.read_text(encoding="utf-8") for path in (ROOT / "tests").rglob("*.py")]
    lines = sum(text.count("\n") for text in tests)
    code = sum(path.read_text(encoding="utf-8").count("\n") for path in FILES.values())
    print(f"tests: {len(tests)} files, {lines / 1e3:.1f}k lines, {lines / code:.2f} of the code")
    unmatched: dict[str, int] = defaultdict(int)
    for text in tests:
        for node in ast.walk(ast.parse(text)):
            if (
                isinstance(node, ast.Call)
                and isinstance(node.func, ast.Attribute)
                and node.func.attr in ("raises", "warns")
            ):
                unmatched[node.func.attr] += not any(key.arg in ("match", None) for key in node.keywords)
    print("raises / warns without match=:", unmatched["raises"], "/", unmatched["warns"])


if __name__ == "__main__":
    main()
