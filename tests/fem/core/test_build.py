"""The compiled core is built, found to be stale, mended or refused: on a small tree of sources of its own."""

import importlib.util
import logging
import os
import shutil
import subprocess
import sys
import timeit
import zipfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import SimpleNamespace

import pytest

from fem.common.compiled import CoreError, library, load
from fem.core import compiler
from fem.core.build import Core, build
from fem.core.compiler import ZIG, BuildError, Variant, sanitizers

pytestmark = pytest.mark.slow

ROOT = Path(__file__).resolve().parents[3]
KEPT = ("build.py", "compiler.py", "hatch_build.py", "sources.cpp", "export.hpp")
ONE = '#include "../../fem/core/export.hpp"\nFLEXBODY_EXPORT long flexbody_one() { return 1; }\n'
TWO = '#include "../../fem/core/export.hpp"\n#include "two.hpp"\nFLEXBODY_EXPORT long flexbody_two() { return TWO; }\n'


@pytest.fixture
def tree(tmp_path, monkeypatch):
    """A checkout with two small sources."""
    monkeypatch.delenv("FLEXBODY_WERROR", raising=False)
    root = tmp_path / "tree"
    (root / "fem" / "core").mkdir(parents=True)
    for name in KEPT:
        shutil.copy(ROOT / "fem" / "core" / name, root / "fem" / "core")
    core = root / "flexbody" / "core"
    core.mkdir(parents=True)
    (core / "one.cpp").write_text(ONE)
    (core / "two.cpp").write_text(TWO)
    (core / "two.hpp").write_text("constexpr long TWO = 2;\n")
    (core / "structures.py").write_text("#: what both sides know\n")
    return root


@pytest.fixture
def package(tree):
    """The same as it is installed: the library without its sources."""
    build(Core(tree))
    for source in Core(tree).files(".cpp", ".hpp"):
        source.unlink()
    return tree


@pytest.fixture
def no_compiler(monkeypatch, tmp_path):
    """A machine without a compiler, nor ziglang."""
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(compiler.importlib.util, "find_spec", lambda name: None)


def _built(root):
    """Return what a build says, if it has something to do."""
    lines = []
    build(Core(root), lines.append)
    return lines


def test_it_is_built_at_its_first_use_and_says_so_once(tree, caplog):
    with caplog.at_level(logging.WARNING):
        assert load(Core(tree)).flexbody_two() == 2
        assert load(Core(tree)).flexbody_one() == 1
    (record,) = caplog.records
    assert "compiled 3 of 3 files" in record.message


def test_an_edit_compiles_only_what_depends_on_it(tree):
    assert "compiled 3 of 3 files" in _built(tree)[0]
    assert not _built(tree)
    one, two = tree / "flexbody/core/one.cpp", tree / "flexbody/core/two.hpp"
    objects = {path.name: path.stat().st_mtime_ns for path in Core(tree).folder.glob("*.o")}
    one.write_text(ONE.replace("1;", "11;"))
    assert "compiled 2 of 3 files" in _built(tree)[0]  # it and sources.cpp
    two.write_text("constexpr long TWO = 22;\n")
    loaded = load(Core(tree))
    assert (loaded.flexbody_one(), loaded.flexbody_two()) == (11, 22)
    after = {path.name: path.stat().st_mtime_ns for path in Core(tree).folder.glob("*.o")}
    assert len(after) == 3
    assert not set(objects) & set(after)


def test_another_compiler_call_compiles_everything(tree, monkeypatch):
    build(Core(tree))
    (tree / "flexbody/core/one.cpp").write_text(ONE + "static void unused() {}\n")
    (line,) = _built(tree)
    assert "unused" in line  # a warning is passed on
    monkeypatch.setenv("FLEXBODY_WERROR", "1")
    (tree / "flexbody/core/two.hpp").write_text("constexpr long TWO = 3;\n")
    with pytest.raises(BuildError, match="unused"):
        build(Core(tree))


def test_a_source_with_an_error_is_named(tree):
    (tree / "flexbody/core/one.cpp").write_text("int f() { return nothing; }\n")
    with pytest.raises(CoreError, match=r"is missing, and it can't be built(.|\n)*one\.cpp:1:(.|\n)*nothing"):
        load(Core(tree))


def test_what_needs_the_cpp_library_is_not_linked(tree):
    (tree / "flexbody/core/one.cpp").write_text(
        ONE + "FLEXBODY_EXPORT void* f(long n) { return new long[n]; }\n"
    )
    with pytest.raises(BuildError, match="can't link"):
        build(Core(tree))


def test_many_that_want_it_at_once_build_it_once(tree):
    lines = []
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: build(Core(tree), lines.append), range(8)))
    assert len(lines) == 1
    assert Core(tree).fault() is None


@pytest.mark.usefixtures("no_compiler")
def test_without_a_compiler_the_error_says_what_was_tried_and_the_mend(tree):
    with pytest.raises(CoreError, match="is missing") as caught:
        load(Core(tree))
    for part in (
        "libflexbody",
        "is missing",
        "g++ (is not there)",
        "ziglang",
        'pip install -e ".[dev]"',
        ZIG,
    ):
        assert part in str(caught.value)


def test_a_stale_library_is_not_used_where_it_can_not_be_built(tree, request):
    build(Core(tree))
    (tree / "flexbody/core/two.hpp").write_text("constexpr long TWO = 3;\n")
    request.getfixturevalue("no_compiler")
    with pytest.raises(CoreError, match="was built from other sources than those here"):
        load(Core(tree))


def test_an_old_compiler_is_passed_over(tree, monkeypatch, tmp_path):
    old = tmp_path / "c++-old"
    old.write_text("#!/bin/sh\nexit 1\n")
    old.chmod(0o755)
    monkeypatch.setenv("CXX", str(old))
    found, tried = compiler.local_compiler()
    assert tried[0] == f"{old} (does not compile C++20)"
    assert found is None or found.command[0] != str(old)


def test_an_installed_library_is_used_as_it_is(package, monkeypatch):
    monkeypatch.setenv("PATH", "")
    assert load(Core(package)).flexbody_two() == 2


def _cut(content):
    return content[: len(content) // 2]


def _of_another_machine(content):
    return content[:18] + b"\xf3\x00" + content[20:]  # RISC-V


def _without_stamp(content):
    return content.replace(b"flexbody core: sources", b"something else: source")


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="damages a library in the format of Linux")
@pytest.mark.parametrize(
    ("damage", "message"),
    [
        (None, "is missing"),
        (lambda content: b"", "is cut short"),
        (_cut, "is cut short"),
        (lambda content: content[:700], "is cut short"),
        (_without_stamp, "is not a library of flexbody"),
        (lambda content: b"not a library" * 100, "is not a library of flexbody"),
        (_of_another_machine, "can't be loaded on Linux"),
    ],
)
def test_a_damaged_library_is_refused(package, damage, message):
    file = Core(package).library
    content = file.read_bytes()
    file.unlink()
    if damage is not None:
        file.write_bytes(damage(content))
    with pytest.raises(CoreError, match=message) as caught:
        load(Core(package))
    assert str(file) in str(caught.value)
    assert "pip install --force-reinstall --no-deps flexbody" in str(caught.value)


def test_a_library_of_another_version_is_refused(package):
    (package / "flexbody/core/structures.py").write_text("#: of another version\n")
    with pytest.raises(CoreError, match="another version than the Python files"):
        load(Core(package))


def test_a_damaged_library_is_built_anew_where_the_sources_are(tree):
    file = build(Core(tree))
    file.write_bytes(_cut(file.read_bytes()))
    assert load(Core(tree)).flexbody_two() == 2


def test_libraries_that_check_lie_beside_the_normal_one(tree, monkeypatch):
    (tree / "flexbody/core/two.hpp").write_text(
        "#ifdef FLEXBODY_CHECK\nconstexpr long TWO = 20;\n#else\nconstexpr long TWO = 2;\n#endif\n"
    )
    assert load(Core(tree)).flexbody_two() == 2
    monkeypatch.setenv("FLEXBODY_CHECK", "1")
    checked = Core(tree, Variant.chosen())
    assert load(checked).flexbody_two() == 20
    assert checked.library.parent == Core(tree).library.parent
    assert Core(tree).fault() is None


def test_sanitizers_are_named_and_need_their_runtime(tree, monkeypatch):
    assert sanitizers("undefined, address") == ("address", "undefined")
    assert sanitizers("") == ()
    monkeypatch.setenv("FLEXBODY_SANITIZE", "adress")
    with pytest.raises(BuildError, match="unknown sanitizers 'adress'"):
        Variant.chosen()
    core = Core(tree, Variant(sanitize=("address",)))
    try:
        build(core)
    except BuildError as error:
        pytest.skip(str(error))
    monkeypatch.delenv("LD_PRELOAD", raising=False)
    with pytest.raises(CoreError, match=r"needs libasan\.so to be loaded before Python"):
        load(core)
    (preload,) = (setting for setting in compiler.settings(core.variant) if setting.startswith("LD_PRELOAD="))
    code = f"import ctypes; print(ctypes.CDLL({str(core.library)!r}).flexbody_two())"
    environment = {**os.environ, "LD_PRELOAD": preload.partition("=")[2], "ASAN_OPTIONS": "detect_leaks=0"}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True)
    assert done.stdout == "2\n", done.stderr


MACHINE = """
import flexbody as fb
body = fb.RigidBody("body", 1.0, (1.0, 1.0, 1.0))
{}
fb.simulate(fb.System([body], joints), 0.1)
"""
JOINTS = {
    "chain": 'joints = [fb.Revolute("hinge", fb.GROUND, body, point=(1, 0, 0))]',
    "drive": """hinge = fb.Revolute("hinge", fb.GROUND, body, point=(1, 0, 0))
joints = [hinge, fb.Drive("drive", hinge, value=lambda t: t * t)]""",
    "row": 'joints = [fb.Constraint("row", body, position=lambda t, a: a.r[0])]',
}


@pytest.mark.parametrize("which", JOINTS)
def test_the_packages_are_imported_without_it_and_the_first_call_says_what_is_wrong(which):
    """Also where a user's function would be the first to need it: the fault is none of the function's."""
    environment = {**os.environ, "FLEXBODY_SANITIZE": "adress"}
    code = MACHINE.format(JOINTS[which])
    command = [sys.executable, "-c", code]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
    assert "in simulate" in done.stderr, done.stderr
    last = done.stderr.strip().splitlines()[-1]
    assert last.startswith("fem.common.compiled.CoreError: unknown sanitizers 'adress'")


def test_it_needs_the_c_library_only():
    if shutil.which("ldd") is None or Variant.chosen() != Variant():
        pytest.skip("needs ldd and the normal library")
    done = subprocess.run(["ldd", library()._name], capture_output=True, text=True, check=True)
    names = {Path(line.split()[0]).name.split(".")[0] for line in done.stdout.splitlines()}
    assert names <= {"linux-vdso", "libm", "libc", "ld-linux-x86-64", "ld-linux-aarch64", "ld-musl-x86_64"}


def _hook(tree, monkeypatch):
    """Return the step of the package's build that compiles the core, as hatchling loads it."""
    for name in ("flexbody_build", "flexbody_build.build", "flexbody_build.compiler"):
        monkeypatch.delitem(sys.modules, name, raising=False)
    spec = importlib.util.spec_from_file_location("hatch_build", tree / "fem" / "core" / "hatch_build.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    app = SimpleNamespace(display_info=lambda line: None)
    return module.CoreHook(str(tree), {}, None, None, "", "wheel", app)


def test_a_wheel_holds_the_library_and_an_editable_one_the_compiler(tree, monkeypatch):
    hook = _hook(tree, monkeypatch)
    data = {"dependencies": [], "force_include": {}}
    hook.initialize("standard", data)
    file = Core(tree).library
    assert data["force_include"] == {str(file): f"fem/core/{file.name}"}
    assert data["tag"].startswith("py3-none-")
    assert not data["pure_python"]
    assert not data["dependencies"]
    monkeypatch.delenv("CXX", raising=False)
    monkeypatch.setenv("PATH", "")
    data = {"dependencies": [], "force_include": {}}
    hook.initialize("editable", data)  # the library is up to date: nothing is compiled
    assert hook.dependencies() == [ZIG]
    assert data == {"dependencies": [ZIG], "force_include": {}}


def _project(tree):
    """Make the tree a project that pip can build."""
    for name in ("flexbody", "fem", "modal"):
        (tree / name).mkdir(exist_ok=True)
        (tree / name / "__init__.py").touch()
    (tree / "meshes").mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE", "meshes/conrod.msh", ".gitignore"):
        shutil.copy(ROOT / name, tree / name)


def _wheel(tree, folder, *options, **environment):
    command = [
        sys.executable,
        "-m",
        "pip",
        "wheel",
        "--quiet",
        "--no-deps",
        *options,
        "--wheel-dir",
        str(folder),
    ]
    variables = {k: v for k, v in {**os.environ, **environment}.items() if k != "CXX"}
    done = subprocess.run([*command, str(tree)], env=variables, capture_output=True, text=True)
    if "No matching distribution found" in done.stderr:
        pytest.skip(
            f"a package that the build needs can't be had here: {done.stderr.strip().splitlines()[-1]}"
        )
    assert done.returncode == 0, done.stderr
    (file,) = folder.glob("flexbody-*.whl")
    return file


@pytest.mark.slow
def test_without_a_compiler_the_build_brings_its_own(tree, tmp_path):
    _project(tree)
    wheel = _wheel(tree, tmp_path / "wheels", PATH=str(tmp_path))
    assert wheel.stem.split("-", 2)[2].startswith("py3-none-")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path / "site")
        assert not [name for name in archive.namelist() if name.endswith((".cpp", ".hpp", "hatch_build.py"))]
    assert load(Core(tmp_path / "site")).flexbody_two() == 2


def test_a_look_whether_it_is_up_to_date_takes_little_time():
    library()
    assert (
        min(timeit.repeat(Core(variant=Variant.chosen()).fault, number=1, repeat=5)) < 0.05
    )  # 3 ms on a quiet machine
