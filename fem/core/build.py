"""Builder of the compiled core: one shared library from the C++ files of ``fem/core`` and ``flexbody/core``.

It is called by the build of the package (``hatch_build.py``), by :mod:`fem.common.compiled` after changes of the
sources, and from the command line (``python -m fem.core --help``). The library has a plain C interface and needs the
C library only, so that one library serves every version of Python. Objects are stored in ``build/core`` under a hash
of everything that they depend on.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import platform
import re
import struct
import sys
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

from .compiler import BuildError, Compiler, Variant, find_compiler, is_set, sanitizers, settings

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = ("fem/core", "flexbody/core")
#: these are not called through the library's interface
BUILDERS = {"build.py", "compiler.py", "hatch_build.py"}

_INCLUDE = re.compile(rb'^[ \t]*#[ \t]*include[ \t]+"([^"]+)"', re.MULTILINE)
_STAMP = re.compile(rb"flexbody core: sources ([0-9a-f]{16}), interface ([0-9a-f]{16})")


class Stamp(NamedTuple):
    """The sources of a library as hashes: C++ files and flags, and the Python files that contain its interface."""

    sources: str
    interface: str

    def __str__(self) -> str:
        """Return the text that a library contains."""
        return f"flexbody core: sources {self.sources}, interface {self.interface}"


class Core(NamedTuple):
    """A tree of sources, or an installed package, with its library."""

    root: Path = ROOT
    variant: Variant = Variant()

    @property
    def library(self) -> Path:
        """File of the library."""
        before, after = {"win32": ("", ".dll"), "darwin": ("lib", ".dylib")}.get(sys.platform, ("lib", ".so"))
        variant = f"-{self.variant.name}" if self.variant.name else ""
        return self.root / "fem" / "core" / f"{before}flexbody{variant}{after}"

    @property
    def folder(self) -> Path:
        """Folder of its objects."""
        return self.root / "build" / "core" / (self.variant.name or "normal")

    def files(self, *endings: str) -> list[Path]:
        """Return the files of the core with these endings, in a fixed order."""
        return sorted(
            path for folder in FOLDERS for end in endings for path in (self.root / folder).rglob(f"*{end}")
        )

    def sources(self) -> list[Path]:
        """Return the C++ files to compile; an installed package has none."""
        return self.files(".cpp")

    def stamp(self) -> Stamp:
        """Return the stamp of a library of the present files."""
        return Stamp(self._sources_hash(), self._interface_hash())

    def _sources_hash(self) -> str:
        machine = f"{sys.platform} {platform.machine()} {self.variant.flags}"
        return _hash(self.root, self.files(".cpp", ".hpp"), machine)

    def _interface_hash(self) -> str:
        return _hash(self.root, [path for path in self.files(".py") if path.name not in BUILDERS])

    def fault(self) -> str | None:
        """Return the fault of the library, or None; this takes some milliseconds and loads nothing."""
        try:
            content = self.library.read_bytes()
        except OSError as error:
            return (
                "is missing" if isinstance(error, FileNotFoundError) else f"can't be read ({error.strerror})"
            )
        if not _is_complete(content):
            return "is cut short"
        stored = stamp_in(content)
        if stored is None:
            return "is not a library of flexbody"
        if self.sources():
            return (
                None
                if stored.sources == self._sources_hash()
                else "was built from other sources than those here"
            )
        if self.files(".py") and stored.interface != self._interface_hash():
            return "belongs to another version than the Python files around it"
        return None


def _hash(root: Path, files: list[Path], salt: str = "") -> str:
    digest = hashlib.sha256(salt.encode())
    for path in files:
        content = path.read_bytes()
        digest.update(f"{path.relative_to(root).as_posix()} {len(content)} ".encode() + content)
    return digest.hexdigest()[:16]


def stamp_in(content: bytes) -> Stamp | None:
    """Return the stamp of a library from its bytes."""
    found = _STAMP.search(content)
    return Stamp(found[1].decode(), found[2].decode()) if found else None


def _is_complete(content: bytes) -> bool:
    """Return whether a library file is complete; Linux would end a process that loads an incomplete one."""
    if len(content) < 64:
        return False
    if content[:6] != b"\x7fELF\x02\x01":  # other systems look for themselves
        return True
    (start,), (size, count) = struct.unpack_from("<Q", content, 32), struct.unpack_from("<HH", content, 54)
    if start + size * count > len(content):
        return False
    segments = [struct.unpack_from("<IIQQQQ", content, start + size * k) for k in range(count)]
    return all(offset + length <= len(content) for _, _, offset, _, _, length in segments)


def build(core: Core, say: Callable[[str], object] = lambda line: None) -> Path:
    """Build everything that is not up to date and return the file of the library; ``say`` reports it in one line.

    Processes and threads that build at the same time wait for each other. Raises :class:`BuildError`.
    """
    try:
        with _alone(core.root / "build" / "core" / "lock"):
            for _ in range(5):  # again, where somebody edits meanwhile
                stamp = core.stamp()
                if not core.fault() and stamp_in(core.library.read_bytes()) == stamp:
                    break
                _build(core, stamp, say)
    except OSError as error:
        raise BuildError(f"{error.filename or core.folder}: {error.strerror or error}") from error
    return core.library


def _build(core: Core, stamp: Stamp, say: Callable[[str], object]) -> None:
    start = time.perf_counter()
    compiler = find_compiler(core.variant)
    version = compiler.version
    flags = core.variant.flags + ["-Werror"] * is_set("FLEXBODY_WERROR")
    core.folder.mkdir(parents=True, exist_ok=True)

    def compile(source: Path) -> Object:
        own = [f'-DFLEXBODY_SOURCES="{stamp}"'] if source.name == "sources.cpp" else []
        return _compile(core, source, compiler, version, flags + own)

    sources = sorted(core.sources(), key=lambda path: -path.stat().st_size)  # long ones first
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        objects = list(pool.map(compile, sources))
    said = "\n".join(one.said for one in objects if one.said)
    if any(one.failed for one in objects):
        raise BuildError(f"{version} refuses the sources; correct them:\n{said}")
    files = [one.file for one in objects]
    partial = core.folder / core.library.name
    done = compiler.link(files, partial, core.variant)
    if done.returncode:
        raise BuildError(f"{version} can't link the library:\n{done.stderr.strip()}")
    os.replace(partial, core.library)
    for path in set(core.folder.glob("*.o")) - set(files):
        path.unlink()
    seconds, count = time.perf_counter() - start, sum(one.new for one in objects)
    line = (
        f"built {core.library.name} in {seconds:.1f} s: compiled {count} of {len(files)} files with {version}"
    )
    say("\n".join(filter(None, [line, said])))


class Object(NamedTuple):
    """An object file, with the output of the compiler, and whether it was compiled now and failed."""

    file: Path
    new: bool = False
    said: str = ""
    failed: bool = False


def _compile(core: Core, source: Path, compiler: Compiler, version: str, flags: list[str]) -> Object:
    name = "-".join(source.relative_to(core.root).with_suffix("").parts)
    call = f"{compiler} {version} {platform.machine()} {flags}"
    while True:
        key = _key(source, call)
        out = core.folder / f"{name}-{key}.o"
        if out.exists():
            return Object(out)
        partial = core.folder / f"{name}.part"
        done = compiler.compile(source, partial, flags)
        if _key(source, call) != key:  # somebody edits meanwhile
            continue
        if done.returncode == 0:
            os.replace(partial, out)
        return Object(out, True, done.stderr.strip(), done.returncode != 0)


def _key(source: Path, call: str) -> str:
    """Return a hash of a source, of all our files that it includes, and of the compiler command."""
    digest, waiting = hashlib.sha256(call.encode()), [source.resolve()]
    for path in waiting:
        content = path.read_bytes()
        digest.update(content)
        for found in _INCLUDE.findall(content):
            header = (path.parent / found.decode()).resolve()
            if header not in waiting and header.exists():
                waiting.append(header)
    return digest.hexdigest()[:16]


@contextmanager
def _alone(path: Path) -> Iterator[None]:
    """Wait until no other thread or process holds the lock of this path."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab") as file:
        if sys.platform == "win32":
            import msvcrt

            while True:
                try:
                    file.seek(0)
                    msvcrt.locking(file.fileno(), msvcrt.LK_LOCK, 1)
                    break
                except OSError:  # it waits for ten seconds only
                    continue
        else:
            import fcntl

            fcntl.flock(file, fcntl.LOCK_EX)
        yield


def main(arguments: list[str] | None = None) -> int:
    """Build the library, and print the environment variables with which Python uses it."""
    parser = argparse.ArgumentParser(
        prog="python -m fem.core",
        description="Build flexbody's compiled core. Tests with a library that checks: "
        "env $(python -m fem.core --sanitize address,undefined) python -m pytest tests/flexbody",
    )
    parser.add_argument("--check", action="store_true", help="check every index of an array")
    parser.add_argument(
        "--sanitize", default="", metavar="NAMES", help="address, undefined, thread (needs g++)"
    )
    options = parser.parse_args(arguments)
    try:
        variant = Variant(options.check, sanitizers(options.sanitize))
        core = Core(variant=variant)
        build(core, lambda line: sys.stderr.write(f"{line}\n"))
        sys.stderr.write(f"{core.library.name} is up to date\n")
        sys.stdout.write("".join(f"{setting}\n" for setting in settings(variant)))
    except BuildError as error:
        sys.stderr.write(f"{error}\n")
        return 1
    return 0
