"""What the guide, the glossary and the decision records name exists: files, functions, rooms, quoted code."""

import ast
import importlib
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("fem", "modal", "flexbody")
DOCUMENTS = ("CONTRIBUTING.md", "flexbody/glossary.md", "flexbody/decisions.md")
ENDINGS = (".py", ".cpp", ".hpp", ".md", ".toml", ".yaml", ".cff")
#: words in backticks that are not names of our own: commands, packages of others, options, formulas
FOREIGN = {"modal.py", "pip", "sys.exit"}


def _text(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


def _fences(document: str, kind: str = r"\w*") -> list[str]:
    return re.findall(rf"^```(?:{kind})\n(.*?)^```", _text(document), flags=re.MULTILINE | re.DOTALL)


def _quoted(document: str) -> set[str]:
    """Return what stands in backticks, without blocks of code."""
    text = re.sub(r"^```.*?^```", "", _text(document), flags=re.MULTILINE | re.DOTALL)
    return set(re.findall(r"`([^`\n]+)`", text))


@cache
def _sources() -> dict[str, str]:
    folders = (*PACKAGES, "tests")
    files = [
        p for folder in folders for end in (".py", ".cpp", ".hpp") for p in (ROOT / folder).rglob(f"*{end}")
    ]
    return {
        p.relative_to(ROOT).as_posix(): p.read_text(encoding="utf-8")
        for p in files
        if p.name != Path(__file__).name
    }


@cache
def _code() -> dict[str, str]:
    """Return the sources without comments and docstrings, which may name what has gone."""
    comments = re.compile(r'"""[^"]*(?:"{1,2}[^"]+)*"""|(?<=\s)#[^\n]*|^#:[^\n]*|//[^\n]*', re.M)
    return {path: comments.sub("", text) for path, text in _sources().items()}


@cache
def _words() -> frozenset[str]:
    return frozenset(word for text in _code().values() for word in re.findall(r"[A-Za-z_]\w*", text))


@cache
def _members(name: str) -> frozenset[str] | None:
    """Return the names that the body of a Python class and its bases define; None if there is no such class."""
    for path, text in _code().items():
        if path.endswith(".py") and (head := re.search(rf"^class {name}\b([^:]*):\n", text, re.M)):
            body = re.match(r"(?:[ \t].*\n|\n)*", text[head.end() :])[0]
            own = set(re.findall(r"^\s+(?:def |self\.)?([A-Za-z_]\w*)", body, re.M))
            for base in re.findall(r"\w+", head[1]):
                own |= (_members(base) or frozenset()) if base != name else set()
            return frozenset(own)
    return None


def _path_exists(word: str) -> bool:
    if "/" in word:
        return (ROOT / word).exists()
    return any(path.rsplit("/", 1)[-1] == word for path in _sources()) or (ROOT / word).exists()


def _name_exists(word: str) -> bool:
    """Look a dotted name up: of one of our packages by import, of a class by its definition."""
    first, *rest = word.split(".")
    if first in ("fb", *PACKAGES):
        thing = importlib.import_module("flexbody" if first == "fb" else first)
        path = thing.__name__
        for part in rest:
            path = f"{path}.{part}"
            if not hasattr(thing, part):
                try:
                    importlib.import_module(path)
                except ImportError:
                    return False
            thing = getattr(thing, part)
        return True
    if not rest:
        return first in _words()
    return rest[0] in (_members(first) or ())


def _missing(document: str) -> list[str]:
    wrong = []
    for quoted in sorted(_quoted(document)):
        word = quoted.removesuffix("()")
        if word in FOREIGN:
            continue
        is_path = "/" in word and word.split("/")[0] in (*PACKAGES, "tests", "notebooks", "meshes", ".ci")
        if re.fullmatch(r"[\w./-]+", word) and (is_path or Path(word).suffix in ENDINGS):
            wrong += [] if _path_exists(word) else [quoted]
            continue
        if re.fullmatch(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", word) and not _name_exists(word):
            wrong.append(quoted)
    return wrong


@pytest.mark.parametrize("document", DOCUMENTS)
def test_what_stands_in_backticks_exists(document):
    assert len(_quoted(document)) > 20
    assert not _missing(document)


@pytest.mark.parametrize("document", DOCUMENTS)
def test_links_lead_somewhere(document):
    links = re.findall(r"\]\(([^)]+)\)", _text(document))
    headings = {
        re.sub(r"[^\w -]", "", title.lower()).replace(" ", "-")
        for title in re.findall(r"^#+ (.*)$", _text(document), re.M)
    }
    here = (ROOT / document).parent
    for link in links:
        if link.startswith("#"):
            assert link[1:] in headings, link
        elif "://" not in link:
            assert (here / link).exists(), link


def test_the_quoted_code_is_the_code():
    """A block that begins with the name of a file holds lines of that file, in their order; ... leaves some out."""
    checked = 0
    for block in _fences("CONTRIBUTING.md", "python|cpp"):
        head, *lines = block.splitlines()
        path = re.fullmatch(r"(?:#|//) (\S+)", head)
        assert path, head
        rest = iter([line.strip() for line in _sources()[path[1]].splitlines()])
        for line in lines:
            if line.strip() not in ("", "..."):
                assert line.strip() in rest, f"{path[1]} does not hold, in this order: {line}"
        checked += 1
    assert checked > 10


def test_the_glossary_is_alphabetical():
    terms = re.findall(r"^\*\*(.+?)\.\*\*", _text("flexbody/glossary.md"), re.M)
    assert len(terms) >= 60
    assert terms == sorted(terms, key=lambda term: re.sub(r"[^a-z]", "", term.lower()))


def _rooms_of_the_picture() -> dict[str, list[str]]:
    (picture,) = _fences("CONTRIBUTING.md", "mermaid")
    rooms: dict[str, list[str]] = {package: [] for package in PACKAGES}
    for package, label in re.findall(r'\b(fem|modal|flexbody)_\w+\["([\w/]+)"\]', picture):
        rooms[package].append(label)
    return rooms


def _rooms_of_the_test() -> dict[str, list[str]]:
    """Return the list of rooms in test_architecture.py, empty if it has none."""
    for node in ast.parse(_text("tests/test_architecture.py")).body:
        value = getattr(node, "value", None)
        if isinstance(value, ast.Dict) and {getattr(key, "value", None) for key in value.keys} == set(
            PACKAGES
        ):
            return {name: list(rooms) for name, rooms in ast.literal_eval(value).items()}
    return {}


def test_the_picture_shows_the_rooms_on_disk_in_their_order():
    order = _rooms_of_the_test()
    for package, shown in _rooms_of_the_picture().items():
        folders = {p.parent.name for p in (ROOT / package).glob("*/*.py")}
        assert sorted(shown) == sorted(folders)
        if order:
            assert shown == [room for room in order[package] if room in folders]


def test_every_room_has_its_line():
    rooms = [f"{package}/{room}" for package, shown in _rooms_of_the_picture().items() for room in shown]
    assert re.findall(r"^\| `((?:fem|modal|flexbody)/\w+)` \|", _text("CONTRIBUTING.md"), re.M) == rooms


def test_the_readme_leads_to_the_guides():
    links = set(re.findall(r"\]\(([^)]+)\)", _text("README.md")))
    for document in (*DOCUMENTS, "CITATION.cff", "CHANGELOG.md"):
        assert document in links
        assert (ROOT / document).exists()
