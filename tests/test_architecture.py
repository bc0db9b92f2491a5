"""The house rules that a machine can check: who imports whom, sizes, words for the reader."""

import ast
import importlib
import inspect
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
PACKAGES = ("fem", "modal", "flexbody")
FILES = sorted(path for package in PACKAGES for path in (ROOT / package).rglob("*.py"))


@cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


@cache
def _nodes(path: Path) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(_tree(path)))


def _trees() -> Iterator[tuple[Path, ast.Module]]:
    return ((path, _tree(path)) for path in FILES)


def _name(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


def _module(path: Path) -> list[str]:
    parts = list(path.relative_to(ROOT).with_suffix("").parts)
    return parts[:-1] if parts[-1] == "__init__" else parts


def _source(path: Path, node: ast.ImportFrom) -> str:
    """Return the absolute name of the module or package that an import in a file takes names from."""
    package = _module(path) if path.name == "__init__.py" else _module(path)[:-1]
    base = package[: len(package) - node.level + 1] if node.level else []
    return ".".join([*base, *([node.module] if node.module else [])])


@cache
def _imports(path: Path) -> frozenset[str]:
    """Return the absolute names of all modules that a file imports, wherever in the file."""
    found = set()
    for node in _nodes(path):
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = _source(path, node)
            found.add(module)
            found.update(f"{module}.{alias.name}" for alias in node.names)
    return frozenset(found)


def test_there_is_something_to_check():
    assert len(FILES) > 10
    assert {_name(path).split("/")[0] for path in FILES} == set(PACKAGES)


def test_nothing_imports_upward():
    above = {"fem": {"modal", "flexbody"}, "modal": {"flexbody"}, "flexbody": set()}
    wrong = [
        f"{_name(path)} imports {name}"
        for path in FILES
        for name in _imports(path)
        if name.split(".")[0] in above[_module(path)[0]]
    ]
    assert not wrong


def test_warnings_are_issued_in_one_place():
    """So that they name the line of the user's program, however deep the call is."""
    found = {_name(path) for path in FILES if "warnings.warn(" in path.read_text(encoding="utf-8")}
    assert found == {"fem/common/errors.py"}


#: the rooms of each package in order: each imports only what stands before it
ROOMS = {
    "fem": ("core", "common", "properties", "elements", "mesh", "solvers", "model", "io", "analysis"),
    "modal": ("body", "bases", "reduction", "assumed", "quality"),
    "flexbody": (
        "_packages", "core", "functions", "model", "formulations", "compile", "equations",
        "integrators", "results", "files", "analyses", "view", "demo", "studies", "__init__", "__main__",
    ),
}  # fmt: skip
#: pictures are imported when they are asked for, and the command line imports what a command needs
LATE = {"flexbody/__init__.py", "flexbody/__main__.py"}


def _room(path: Path) -> str:
    return path.relative_to(ROOT).with_suffix("").parts[1]


MODULES = {".".join(_module(path)): path for path in FILES}


def _own_imports(path: Path) -> set[Path]:
    """Return the files of our own packages that a file imports, at any place in it."""
    return {MODULES[name] for name in _imports(path) if name in MODULES} - {path}


def _file_behind(module: str, name: str) -> Path | None:
    """Return the file of our own packages from which a name comes; behind a package's face the file that defines it."""
    path = MODULES.get(f"{module}.{name}") or MODULES.get(module)
    if path is None or path.name != "__init__.py":
        return path
    for node in _tree(path).body:
        if isinstance(node, ast.ImportFrom):
            for alias in node.names:
                if (alias.asname or alias.name) == name:
                    return _file_behind(_source(path, node), alias.name)
    return None


@cache
def _needed(path: Path) -> frozenset[Path]:
    """Return the files that a file imports, and those behind the faces of packages that it imports from."""
    nodes = [node for node in _nodes(path) if isinstance(node, ast.ImportFrom)]
    behind = {_file_behind(_source(path, node), alias.name) for node in nodes for alias in node.names}
    return frozenset((behind | _own_imports(path)) - {None, path})


def test_every_room_is_in_the_list():
    found = {package: {_room(path) for path in FILES if _module(path)[0] == package} for package in PACKAGES}
    assert found["flexbody"] == set(ROOMS["flexbody"])
    assert found["fem"] - {"__init__"} == set(ROOMS["fem"])
    assert found["modal"] - {"__init__"} == set(ROOMS["modal"])


#: folders of tests that are no rooms: whole models and machines, with known answers
WHOLE = {"fem": {"structures"}, "modal": {"structures"}, "flexbody": {"machines"}}


@pytest.mark.parametrize("package", PACKAGES)
def test_tests_stand_where_the_code_stands(package):
    """A folder of tests has the name of the room that it tests; only what no room owns stands outside."""
    folders = {
        path.parent.relative_to(ROOT / "tests") for path in (ROOT / "tests" / package).rglob("test_*.py")
    }
    rooms = [folder for folder in folders if folder.parts[1:] and folder.parts[1] not in WHOLE[package]]
    assert len(rooms) > 3
    assert all((ROOT / folder).is_dir() for folder in rooms)


@pytest.mark.parametrize("package", PACKAGES)
def test_every_room_has_tests(package):
    """A room is a folder of a package with Python files; the folders inside a room are part of it."""
    tests = ROOT / "tests" / package
    rooms = {_room(path) for path in FILES if path.parent.parent == ROOT / package}
    tested = {path.relative_to(tests).parts[0] for path in tests.rglob("*/test_*.py")}
    assert len(rooms) > 3
    assert not rooms - tested


def test_no_room_imports_a_later_one():
    wrong = []
    for path in FILES:
        package = _module(path)[0]
        order = (*ROOMS[package], "__init__")
        own = [other for other in _own_imports(path) if _module(other)[0] == package]
        later = [other for other in own if order.index(_room(other)) > order.index(_room(path))]
        # what lies in a package finds the package itself among its imports
        wrong += [f"{_name(path)} imports {_name(other)}" for other in later if _room(other) != "__init__"]
    assert not wrong


#: rooms of the longest chain in which each imports the next, at most
FLOORS = 12


def _room_name(path: Path) -> str:
    return "/".join(_module(path)[:2])


@cache
def _rooms_from(room: str) -> tuple[str, ...]:
    """Return the longest chain of rooms of the same package that begins with a room."""
    files = [path for path in FILES if _room_name(path) == room and _name(path) not in LATE]
    needed = {_room_name(other) for path in files for other in _needed(path)} - {room, *PACKAGES}
    below = sorted(other for other in needed if other.split("/")[0] == room.split("/")[0])
    return (room, *max((_rooms_from(other) for other in below), key=len, default=()))


@pytest.mark.parametrize("package", PACKAGES)
def test_the_rooms_stand_on_few_floors(package):
    """A room stands one floor above the highest room that it imports from."""
    rooms = {_room_name(path) for path in FILES if _module(path)[0] == package} - {package}
    longest = max((_rooms_from(room) for room in sorted(rooms)), key=len)
    assert 3 < len(longest) <= FLOORS, "\n".join(longest)


#: for each folder with folders in it: from which of its other folders each imports
INSIDE = {
    "fem/elements": {"beam": set(), "shell": set(), "solid": set(), "truss": set()},
    "fem/io": {"abaqus": set()},
    "flexbody/model": {"joints": set(), "forces": {"joints"}},
    "flexbody/analyses": {"linear": set()},
    "flexbody/view": {
        "geometry": set(), "symbols": {"geometry"}, "scenes": {"geometry", "symbols"},
        "render": {"geometry", "scenes"}, "plots": {"geometry", "scenes"},
    },
}  # fmt: skip


@cache
def _parts_below(folder: Path) -> dict[str, set[str]]:
    """Return for each file and folder in a folder from which others of them it imports; the folder's face left out."""

    def part(path: Path) -> str:
        return path.relative_to(folder).with_suffix("").parts[0]

    below: dict[str, set[str]] = {}
    for path in FILES:
        if folder in path.parents and path != folder / "__init__.py":
            near = [other for other in _needed(path) if folder in other.parents and other.stem != "__init__"]
            below.setdefault(part(path), set()).update({part(other) for other in near} - {part(path)})
    return below


def test_folders_inside_rooms_have_an_order():
    depth = len(ROOT.parts) + 2  # a package and a room
    found = {_name(path.parent.parent) for path in FILES if len(path.parent.parts) > depth}
    assert found == set(INSIDE)
    for name, folders in INSIDE.items():
        below = _parts_below(ROOT / name)
        assert {folder: below[folder] & folders.keys() for folder in folders} == folders


@pytest.mark.parametrize("name", INSIDE)
def test_files_and_folders_inside_a_room_import_in_no_circle(name):
    """A folder counts as one: none of its files imports a file outside that imports another of its files."""
    below = dict(_parts_below(ROOT / name))
    while free := [part for part, others in below.items() if not others & below.keys()]:
        for part in free:
            del below[part]
    assert not below


#: files of flexbody/core that compute the equations of motion of one description
OF_A_DESCRIPTION = {
    "alpha", "body", "elimination", "equations", "explicit", "mass_metric", "external",
    "reaction_friction", "readers", "tangent", "followed_coordinates", "tree",
}  # fmt: skip


def test_the_equations_are_reached_through_their_formulation():
    wrong = [
        f"{_name(path)} imports {_name(other)}"
        for path in FILES
        if _module(path)[0] == "flexbody" and _room(path) not in ("core", "formulations")
        for other in _own_imports(path)
        if _name(other).startswith("flexbody/core/") and other.stem in OF_A_DESCRIPTION
    ]
    assert not wrong


def test_what_all_formulations_share_knows_none_of_them():
    """In flexbody/core, the structures and functions that any description uses import no file of one description."""
    core = [path for path in FILES if _name(path).startswith("flexbody/core/")]
    shared = [path for path in core if path.stem not in OF_A_DESCRIPTION]
    assert {path.stem for path in core} >= OF_A_DESCRIPTION
    assert len(shared) > 10
    assert not [
        f"{_name(path)} imports {_name(other)}"
        for path in shared
        for other in _needed(path)
        if other.stem in OF_A_DESCRIPTION and _name(other).startswith("flexbody/core/")
    ]


def test_every_question_to_a_formulation_is_asked():
    """The interface has no method that nothing above calls."""
    asked = {
        node.attr
        for path in FILES
        if _module(path)[0] == "flexbody" and _room(path) not in ("core", "formulations")
        for node in _nodes(path)
        if isinstance(node, ast.Attribute)
    }
    parts = [ROOT / f"flexbody/formulations/{name}.py" for name in ("instant", "readers", "time_loops")]
    methods = {node.name for part in parts for node in _nodes(part) if isinstance(node, ast.FunctionDef)}
    assert len(methods) > 20
    assert methods <= asked


def test_imports_go_in_no_circle():
    """Imports inside functions and for types count, and so do the faces of packages inside rooms."""
    below = {path: _own_imports(path) for path in FILES if _name(path) not in LATE}
    while free := [path for path, others in below.items() if not others & below.keys()]:
        for path in free:
            del below[path]
    assert not {
        _name(path): [_name(other) for other in others & below.keys()] for path, others in below.items()
    }


#: files of the longest chain in which each imports the next, at most
LONGEST_CHAIN = 18


@cache
def _chain_below(path: Path) -> tuple[str, ...]:
    """Return the longest chain of files of the same package that begins with a file; faces of packages left out."""
    nodes = [node for node in _tree(path).body if isinstance(node, ast.ImportFrom)]
    behind = {_file_behind(_source(path, node), alias.name) for node in nodes for alias in node.names}
    own = {other for other in behind - {None, path} if _module(other)[0] == _module(path)[0]}
    return (_name(path), *max((_chain_below(other) for other in sorted(own)), key=len, default=()))


@pytest.mark.parametrize("package", PACKAGES)
def test_chains_of_imports_are_short(package):
    """A reader of one file needs few files below it.

    If this fails, the message shows the chain. Look for a file in it that imports the next for one small thing: give
    that type or helper a file of its own lower in its room, move it to the file that owns the question, or pass what
    is needed as an argument. Do not import inside functions, and do not merge files.
    """
    files = [path for path in FILES if _module(path)[0] == package and path.name != "__init__.py"]
    longest = max((_chain_below(path) for path in files), key=len)
    assert len(longest) <= LONGEST_CHAIN, "\n".join(longest)


def _not_at_the_top(path: Path) -> Iterator[tuple[int, str]]:
    """Return line and module of each import inside a function or a condition."""
    top = {id(node) for node in _tree(path).body}
    for node in _nodes(path):
        if isinstance(node, ast.Import) and id(node) not in top:
            yield from ((node.lineno, alias.name) for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and id(node) not in top:
            yield node.lineno, _source(path, node)


def test_own_modules_are_imported_at_the_top():
    """Not inside functions, and not for types alone: each such import hides an arrow."""
    assert not [
        f"{_name(path)}:{line} imports {module}"
        for path in FILES
        if _name(path) not in LATE
        for line, module in _not_at_the_top(path)
        if module.split(".")[0] in PACKAGES
    ]


#: modules that are imported when they are needed. SciPy is none of them: it loads its parts by itself.
IMPORTED_LATE = {
    # slow: each takes 10 ms (xml) to 1 s (matplotlib) after an import of flexbody, and not every script needs it
    "h5py", "imageio_ffmpeg", "importlib", "matplotlib", "meshio", "PIL", "pyvista", "tqdm", "vtkmodules", "xml",
    # not installed with the package: users' extras
    "ansys", "numba", "pandas", "pyyeti", "sympy", "xarray", "zarr",
    # not part of Python on all systems
    "fcntl", "msvcrt", "resource",
}  # fmt: skip


def test_others_modules_are_imported_at_the_top_unless_they_are_slow():
    inner = [
        (f"{_name(path)}:{line} imports {module}", module.split(".")[0])
        for path in FILES
        if _name(path) not in LATE
        for line, module in _not_at_the_top(path)
    ]
    assert not [place for place, module in inner if module not in IMPORTED_LATE]
    assert {module for _, module in inner} >= IMPORTED_LATE  # none is in the list that needs not be


def test_libraries_neither_print_nor_exit():
    def calls(path):
        return (ast.unparse(node.func) for node in _nodes(path) if isinstance(node, ast.Call))

    wrong = [
        f"{_name(path)} calls {call}"
        for path in FILES
        for call in calls(path)
        if call in {"print", "exit", "quit", "sys.exit", "os._exit", "breakpoint"}
        and _name(path) not in {"flexbody/__main__.py"}
    ]
    assert not wrong


def test_the_pictures_use_no_global_state():
    wrong = [_name(path) for path in FILES if any("pyplot" in name for name in _imports(path))]
    assert not wrong


def test_the_library_never_imports_gmsh():
    """Its program does, which runs in a process of its own and is imported by nothing."""
    assert [_name(path) for path in FILES if "gmsh" in _imports(path)] == ["fem/io/mesher.py"]
    assert not [_name(path) for path in FILES if any("mesher" in name for name in _imports(path))]


def _docstring_lines(path: Path) -> int:
    """Return how many lines of a file are docstrings."""
    lines = 0
    for node in _nodes(path):
        if isinstance(
            node, ast.Module | ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
        ) and ast.get_docstring(node):
            lines += node.body[0].end_lineno - node.body[0].lineno + 1
    return lines


def test_a_file_holds_one_concept():
    """Without its docstrings a file has at most 600 lines; those above 350 are told, for a reader to judge."""
    lengths = {
        _name(path): len(path.read_text(encoding="utf-8").splitlines()) - _docstring_lines(path)
        for path in FILES
    }
    print({name: n for name, n in lengths.items() if n > 350})
    assert not {name: n for name, n in lengths.items() if n > 600}


def _length(function) -> int:
    """Return a function's lines without its docstring."""
    lines = function.end_lineno - function.lineno + 1
    first = function.body[0]
    if (
        isinstance(first, ast.Expr)
        and isinstance(first.value, ast.Constant)
        and isinstance(first.value.value, str)
    ):
        lines -= first.end_lineno - first.lineno + 1
    return lines


def test_a_function_does_one_thing():
    lengths = {
        f"{_name(path)}: {node.name}": _length(node)
        for path in FILES
        for node in _nodes(path)
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    }
    assert not {name: n for name, n in lengths.items() if n > 60}


def test_every_module_says_what_it_is():
    assert not [_name(path) for path, tree in _trees() if not ast.get_docstring(tree)]


@pytest.mark.parametrize("package", PACKAGES)
def test_what_is_exported_is_documented(package):
    module = importlib.import_module(package)
    things = {name: getattr(module, name) for name in (*module.__all__, *module.RESULT_TYPES)}
    wrong = []
    for name, thing in things.items():
        if inspect.isclass(thing):
            wrong += [
                f"{name}.{key}"
                for key, value in vars(thing).items()
                if not key.startswith("_") and inspect.isfunction(value) and not inspect.getdoc(value)
            ]
        if (inspect.isclass(thing) or callable(thing)) and not inspect.getdoc(thing):
            wrong.append(name)
        if inspect.isclass(thing) and (thing.__doc__ or "").startswith(f"{thing.__name__}("):
            wrong.append(f"{name} (a dataclass without a docstring of its own)")
    assert not wrong


def test_the_core_is_small_and_knows_nothing_of_python():
    """At most a fifth of the code is C++; it has a plain C interface, no exceptions and no run-time types."""
    sources = [path for name in ("fem", "flexbody") for path in (ROOT / name / "core").rglob("*.[ch]pp")]
    texts = [path.read_text(encoding="utf-8") for path in sources]
    assert len(sources) > 40
    compiled, python = (
        sum(text.count("\n") for text in part) for part in (texts, [p.read_text() for p in FILES])
    )
    assert compiled <= 0.2 * (compiled + python)
    words = ("Python.h", "throw ", "try {", "dynamic_cast", "std::vector", "std::string", "static Buffer")
    assert not [
        (path.name, word) for path, text in zip(sources, texts, strict=True) for word in words if word in text
    ]
