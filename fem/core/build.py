"""Builds the compiled core: one shared library from the C++ files of ``fem/core`` and ``flexbody/core``."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FLAGS = ["-std=c++20", "-O2", "-fPIC", "-ffp-contract=off", "-fno-exceptions", "-fno-rtti", "-fvisibility=hidden"]
LIBRARY = ROOT / "fem" / "core" / "libflexbody.so"


def build() -> None:
    compiler = os.environ.get("CXX") or shutil.which("c++") or shutil.which("g++")
    flags = FLAGS + ["-Wall", "-Wextra", "-Werror"]
    folder = ROOT / "build" / "core"
    folder.mkdir(parents=True, exist_ok=True)
    sources = sorted([*(ROOT / "fem/core").glob("*.cpp"), *(ROOT / "flexbody/core").glob("*.cpp")])
    headers = [*(ROOT / "fem/core").glob("*.hpp"), *(ROOT / "flexbody/core").glob("*.hpp")]
    newest = max(h.stat().st_mtime for h in headers)

    def compile(source: Path) -> Path:
        out = folder / f"{source.parent.parent.name}-{source.stem}.o"
        if not out.exists() or out.stat().st_mtime < max(newest, source.stat().st_mtime):
            subprocess.run([compiler, *flags, "-c", source, "-o", out], check=True)
        return out

    with ThreadPoolExecutor(2) as pool:
        objects = list(pool.map(compile, sources))
    subprocess.run([compiler, "-shared", "-o", LIBRARY, *objects, "-lm"], check=True)


if __name__ == "__main__":
    build()
    sys.exit(0)
