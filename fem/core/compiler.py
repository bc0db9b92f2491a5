"""The C++ compiler of the core and its flags, for each variant of the library."""

from __future__ import annotations

import importlib.util
import os
import platform
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NamedTuple

ZIG = "ziglang==0.17.1"  # a compiler as a package, for a machine that has none

#: -ffp-contract=off gives the same digits on every machine; without exceptions and RTTI there is no C++ library to link
FLAGS = [
    "-std=c++20", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden", "-Wall", "-Wextra",
]  # fmt: skip
FAST = ["-O3", "-fno-math-errno", "-g0"]  # no symbols for debuggers, which zig would add
DEBUG = ["-O1", "-g"]
LINES = ["-O0", "-g1"]  # the sanitizers name lines; all of a debugger's symbols would take twice as long
if sys.platform != "win32":
    FLAGS.append("-fPIC")
#: what is linked: the C library and nothing else, so that whatever else is used is an error of the linker
LIBRARIES = {"linux": ["-nodefaultlibs", "-lm", "-lc", "-lgcc", "-Wl,-z,defs"], "win32": ["-static"]}
ZIG_LIBRARIES = {"linux": ["-nostdlib", "-lm", "-lc", "-Wl,-z,defs"]}
MACOS = "11.0"  # the oldest that the library runs on


class BuildError(Exception):
    """The library cannot be built; the message gives the cause and the remedy."""


class Variant(NamedTuple):
    """The kind of library: the normal one, one that checks every index, or one with sanitizers of the compiler."""

    check: bool = False
    sanitize: tuple[str, ...] = ()

    @classmethod
    def chosen(cls) -> Variant:
        """Return the variant of FLEXBODY_CHECK=1 and FLEXBODY_SANITIZE=address,undefined in the environment."""
        return cls(is_set("FLEXBODY_CHECK"), sanitizers(os.environ.get("FLEXBODY_SANITIZE", "")))

    @property
    def name(self) -> str:
        """Names of its parts, joined by hyphens; empty for the normal library."""
        return "-".join(["check"] * self.check + list(self.sanitize))

    @property
    def flags(self) -> list[str]:
        """Compiler flags."""
        flags = FLAGS + (LINES if self.sanitize else DEBUG if self.check else FAST)
        if self.check:
            flags.append("-DFLEXBODY_CHECK")
        if self.sanitize:
            flags += [self.sanitizing, "-fno-sanitize-recover=all", "-fno-omit-frame-pointer"]
        return flags

    @property
    def sanitizing(self) -> str:
        """Flag of the sanitizers for compiler and linker."""
        return f"-fsanitize={','.join(self.sanitize)}"

    @property
    def runtime(self) -> str:
        """Library of the sanitizers that must be loaded first, or empty."""
        return next((f"lib{name[0]}san" for name in self.sanitize if name in ("address", "thread")), "")


def sanitizers(text: str) -> tuple[str, ...]:
    """Return the names of sanitizers in a text, separated by commas."""
    names = tuple(sorted({name.strip() for name in text.split(",")} - {""}))
    if names not in ((), ("address",), ("undefined",), ("address", "undefined"), ("thread",)):
        raise BuildError(f"unknown sanitizers {text!r}: take address, undefined, address,undefined or thread")
    return names


def is_set(name: str) -> bool:
    """Return whether an environment variable is set, and not to 0."""
    return os.environ.get(name, "") not in ("", "0")


class Compiler(NamedTuple):
    """A C++ compiler and its command."""

    command: tuple[str, ...]
    is_zig: bool = False

    @property
    def flags(self) -> list[str]:
        """Flags for the target machine: all machines of its kind, not only the present one."""
        if sys.platform == "darwin":
            machine = {"arm64": "aarch64"}.get(platform.machine(), platform.machine())
            return (
                ["-target", f"{machine}-macos.{MACOS}"] if self.is_zig else [f"-mmacosx-version-min={MACOS}"]
            )
        return ["-mcpu=baseline"] if self.is_zig else []

    def compile(self, source: Path, out: Path, flags: list[str]) -> subprocess.CompletedProcess[str]:
        """Compile a file."""
        return run([*self.command, *self.flags, *flags, "-c", str(source), "-o", str(out)])

    def link(self, objects: list[Path], out: Path, variant: Variant) -> subprocess.CompletedProcess[str]:
        """Link a library."""
        command, libraries = [*self.command], LIBRARIES.get(sys.platform, [])
        if (
            self.is_zig
        ):  # its C driver, which leaves its C++ library out; -O2 for the parts that it adds itself
            command, libraries = [self.command[0], "cc", "-O2"], ZIG_LIBRARIES.get(sys.platform, [])
        if variant.sanitize:  # their runtimes bring their own libraries
            libraries = [variant.sanitizing]
        return run([*command, *self.flags, "-shared", "-o", str(out), *map(str, objects), *libraries])

    def says(self, *arguments: str) -> str:
        """Return the output of the compiler."""
        return run([*self.command, *arguments]).stdout.strip()

    @property
    def version(self) -> str:
        """Version of the compiler."""
        said = self.says("--version").partition("\n")[0]
        return f"zig c++, {said}" if self.is_zig else said


def local_compiler() -> tuple[Compiler | None, list[str]]:
    """Return the compiler of the machine, or None, and the commands that were tried without success.

    The compiler must support C++20.
    """
    tried = []
    for command in filter(None, [shlex.split(os.environ.get("CXX", "")), ["c++"], ["g++"], ["clang++"]]):
        if shutil.which(command[0]) is None:
            tried.append(f"{shlex.join(command)} (is not there)")
        elif not _knows_cpp20(command):
            tried.append(f"{shlex.join(command)} (does not compile C++20)")
        else:
            return Compiler(tuple(command)), tried
    return None, tried


def _knows_cpp20(command: list[str]) -> bool:
    program = "#include <type_traits>\ntemplate <class T> requires std::is_arithmetic_v<T> T same(T x) { return x; }\n"
    check = [*command, "-std=c++20", "-fsyntax-only", "-x", "c++", "-"]
    return run(check, program + "double f(double x) { return same(x); }\n").returncode == 0


def find_compiler(variant: Variant) -> Compiler:
    """Return the compiler of the machine, or that of the package ziglang.

    Raises :class:`BuildError` if there is none.
    """
    compiler, tried = local_compiler()
    if variant.sanitize and (
        compiler is None or "Free Software Foundation" not in compiler.says("--version")
    ):
        raise BuildError("sanitizers need g++; install it, or name it by CXX=g++")
    if compiler is not None:
        return compiler
    package = importlib.util.find_spec("ziglang")
    if package is not None and package.origin is not None:
        zig = Path(package.origin).with_name("zig.exe" if sys.platform == "win32" else "zig")
        return Compiler((str(zig), "c++"), is_zig=True)
    raise BuildError(
        f"there is no compiler for C++20; tried {', '.join(tried)} and the package ziglang (is not installed). "
        'Install g++ or clang++; or repeat pip install -e ".[dev]", which brings ziglang where a machine has no '
        f"compiler (pip install {ZIG} brings it alone)"
    )


def settings(variant: Variant) -> list[str]:
    """Return the environment variables with which Python uses the library of this variant."""
    out = ["FLEXBODY_CHECK=1"] * variant.check
    if variant.sanitize:
        out.append(f"FLEXBODY_SANITIZE={','.join(variant.sanitize)}")
    runtime = variant.runtime
    if runtime:
        # the C++ library too: the runtime looks for its exceptions at once, other packages load it later
        says = find_compiler(variant).says
        files = [says(f"-print-file-name={name}.so") for name in (runtime, "libstdc++")]
        if not all(map(os.path.isabs, files)):
            raise BuildError(f"the compiler has no {runtime}.so; install it (it may be a package of its own)")
        out.append(f"LD_PRELOAD={':'.join(map(os.path.realpath, files))}")
        out.append("ASAN_OPTIONS=detect_leaks=0")  # Python itself leaks
    return out


def run(command: list[str], text: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command and return its output."""
    # sanitizers are not for the compiler
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    try:
        # a file, not a pipe: a command that ends without reading would end this process where SIGPIPE is not ignored
        with tempfile.TemporaryFile("w+", encoding="utf-8") as given:
            given.write(text)
            given.seek(0)
            return subprocess.run(
                command, stdin=given, env=environment, check=False,
                capture_output=True, text=True, encoding="utf-8", errors="replace",
            )  # fmt: skip
    except OSError as error:
        return subprocess.CompletedProcess(command, 127, "", f"{command[0]}: {error.strerror}")
