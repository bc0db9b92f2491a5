"""Time and memory of reading an ANSYS archive of about 200 000 elements: processor seconds, and the largest memory.

Run it as ``python tests/benchmarks/deck_speed.py [hex8|hex20]``.
"""

import resource
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.ansys_decks import deck, eblock, materials, nblock, types

import fem

DIVISIONS = {"hex8": (100, 50, 40), "hex20": (100, 50, 40)}


def measure(kind: str) -> None:
    """Print the size of the file, and what reading it takes in a process of its own."""
    mesh = fem.box((1.0, 0.5, 0.4), DIVISIONS[kind], kind)
    text = deck(types(mesh.blocks), nblock(mesh.points), eblock(mesh.blocks), materials())
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "large.cdb")
        path.write_text(text)
        import subprocess

        code = f"from tests.benchmarks.deck_speed import read; read({str(path)!r})"
        subprocess.run([sys.executable, "-c", code], check=True, cwd=Path(__file__).resolve().parents[2])


def read(path: str) -> None:
    """Read a deck and print what it took."""
    start, clock = time.process_time(), time.perf_counter()
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    mesh = fem.read_mesh(path)
    used, wall = time.process_time() - start, time.perf_counter() - clock
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    size = Path(path).stat().st_size / 1e6
    print(
        f"{mesh!r}: {size:.0f} MB, {used:.1f} s processor ({wall:.1f} s), {peak / 1e6:.2f} GB, "
        f"{before / 1e6:.2f} GB before"
    )


if __name__ == "__main__":
    for one in sys.argv[1:] or ("hex8",):
        measure(one)
