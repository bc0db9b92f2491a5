"""One word for one thing: what the glossary says not to say stands in no text and no name that users read."""

import ast
import importlib
import inspect
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("fem", "modal", "flexbody")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))
GLOSSARY = (ROOT / "flexbody/glossary.md").read_text(encoding="utf-8")
#: words of the first table that concern names of constants alone
CONSTANTS = ("near", "far", "most")
#: what the text below the table permits as a name
PERMITTED_NAMES = {"freedoms", "Freedoms", "dofs"}


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _avoided() -> tuple[str, ...]:
    """Return the words on the right of the first table of "Say this, not that"."""
    section = GLOSSARY.split("## Say this, not that\n")[1]
    table = re.search(r"(?:^\|.*\|\n)+", section, re.MULTILINE)
    rows = table[0].splitlines()[2:] if table else []
    return tuple(word.strip() for row in rows for word in row.strip("|").split("|")[1].split(","))


def _texts(path: Path) -> list[tuple[int, str]]:
    """Return lines and texts of the docstrings and messages of a file, without code in them.

    A message in several pieces, with values between them, is one text.
    """
    found, inside = [], set()
    for node in ast.walk(_tree(path)):
        if isinstance(node, ast.JoinedStr):
            pieces = [part for part in ast.walk(node) if isinstance(part, ast.Constant)]
            inside |= {id(part) for part in pieces}
            parts = [part.value if isinstance(part, ast.Constant) else "..." for part in node.values]
            found.append((node.lineno, "".join(str(part) for part in parts)))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in inside:
            found.append((node.lineno, node.value))
    return [(line, _prose(text)) for line, text in found if " " in text]


def _prose(text: str) -> str:
    """Return a text without code, names of arguments and line ends."""
    text = re.sub(r"``[^`]*``|:\w+:`[^`]*`|`[^`]*`|^\s*(?:>>>|\.\.\.).*$", " ", text, flags=re.MULTILINE)
    text = re.sub(r"^\s*[\w, *]+ : .*$", " ", text, flags=re.MULTILINE)
    return re.sub(r"\s+", " ", text)


def _public_names() -> set[str]:
    """Return the names that users write: of packages, their classes' members, and arguments."""
    found = set()
    for package in PACKAGES:
        module = importlib.import_module(package)
        for name in (*module.__all__, *module.RESULT_TYPES):
            thing = getattr(module, name)
            found.add(name)
            functions = [thing]
            if inspect.isclass(thing):
                members = [key for key in dir(thing) if not key.startswith("_")]
                found |= {*members, *getattr(thing, "__dataclass_fields__", {})}
                functions += [getattr(thing, key) for key in members]
            for function in functions:
                if inspect.isfunction(function) or inspect.ismethod(function):
                    found |= {*inspect.signature(function).parameters}
    return {name for name in found if not name.startswith("_")}


def test_the_glossary_has_the_words():
    assert len(_avoided()) > 20
    assert {"freedoms", "near enough", *CONSTANTS} <= set(_avoided())
    assert all(f"`{name}`" in GLOSSARY for name in PERMITTED_NAMES)


def test_docstrings_and_messages_use_the_words_of_the_glossary():
    words = [word for word in _avoided() if word not in CONSTANTS]
    pattern = re.compile(
        r"(?<!degree of )(?<!degrees of )(?<!\.\.\. of )\b(" + "|".join(map(re.escape, words)) + r")\b",
        re.IGNORECASE,
    )
    assert pattern.search("with two freedoms")
    assert not pattern.search("two degrees of freedom")
    found = [
        f"{path.relative_to(ROOT).as_posix()}:{line}: {match[0]}"
        for path in FILES
        for line, text in _texts(path)
        for match in pattern.finditer(text)
    ]
    assert not found


def _parts(name: str) -> str:
    """Return a name as words: ``all_freedoms`` and ``AllFreedoms`` are "all freedoms"."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])|_", " ", name).lower()


def test_public_names_use_the_words_of_the_glossary():
    words = [word for word in _avoided() if word not in CONSTANTS]
    pattern = re.compile(
        r"(?<!degree of )(?<!degrees of )(?<!\.\.\. of )\b(" + "|".join(map(re.escape, words)) + r")\b"
    )
    names = _public_names()
    assert len(names) > 500
    assert pattern.search(_parts("all_freedoms"))
    assert {name for name in names if pattern.search(_parts(name))} <= PERMITTED_NAMES


def _constants() -> Iterator[tuple[str, str, ast.expr | None]]:
    """Return the file, the name and the value of each constant of a module; of several in a line each."""
    for path in FILES:
        for node in _tree(path).body:
            targets = getattr(node, "targets", [getattr(node, "target", None)])
            value = getattr(node, "value", None)
            for target in targets:
                several = isinstance(target, ast.Tuple) and isinstance(value, ast.Tuple)
                pairs = zip(target.elts, value.elts, strict=True) if several else [(target, value)]
                for name, its in pairs:
                    if isinstance(name, ast.Name) and name.id.isupper():
                        yield path.relative_to(ROOT).as_posix(), name.id, its


def test_constants_have_a_meaning_and_no_adjective():
    pattern = re.compile(rf"(?:{'|'.join(CONSTANTS)})(?: |$)")
    constants = list(_constants())
    assert len(constants) > 500
    assert not [f"{file}: {name}" for file, name, _ in constants if pattern.match(_parts(name).strip())]


def test_small_numbers_say_what_they_limit():
    """A number below 0.02 is a tolerance or a part of something: one word alone says not of what."""
    found = [
        f"{file}: {name}"
        for file, name, value in _constants()
        if not file.startswith("flexbody/view/render/")  # sizes in pictures
        if isinstance(value, ast.Constant) and isinstance(value.value, float) and 0 < value.value < 0.02
        if "_" not in name.strip("_") and name not in {"EPS"}
    ]
    assert not found
