"""Time and memory of reading a Nastran deck of many elements.

    python tests/benchmarks/nastran_reading.py [elements]

Writes a deck of hex8 or tet10 elements in small fields (tet10: continuation lines) to a temporary folder, reads it in a
process of its own, and prints CPU seconds and the largest memory of that process, with that of the bare import.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import fem


def write_deck(path: Path, element: str, count: int) -> int:
    """Write a block of about ``count`` elements; return how many."""
    side = max(1, round((count / (6 if element.startswith("tet") else 1)) ** (1 / 3)))
    mesh = fem.box((1.0, 1.0, 1.0), (side, side, side), element)
    card = {"hex8": "CHEXA", "tet10": "CTETRA"}[element]
    with path.open("w") as file:
        file.write(
            "SOL 101\nCEND\nBEGIN BULK\nMAT1    1       2.1+11          .3      7850.\nPSOLID  1       1\n"
        )
        for k, (x, y, z) in enumerate(mesh.points, start=1):
            file.write(f"GRID    {k:<8}        {x:<8.6f}{y:<8.6f}{z:<8.6f}\n")
        for block in mesh.blocks:
            for number, nodes in zip(block.ids, block.nodes + 1, strict=True):
                first, rest = nodes[:6], nodes[6:]
                file.write(f"{card:<8}{number:<8}1       " + "".join(f"{n:<8}" for n in first) + "\n")
                file.write("+       " + "".join(f"{n:<8}" for n in rest) + "\n")
        file.write("ENDDATA\n")
    return mesh.n_elements


def read(path: Path) -> None:
    """Read a deck and print CPU seconds and memory (MB)."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    start = time.process_time()
    mesh = fem.read_mesh(path)
    used = time.process_time() - start
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"{mesh.n_elements} elements, {mesh.n_nodes} nodes: {used:.2f} s, {peak:.0f} MB ({before:.0f} MB before)"
    )


def main() -> None:
    """Measure hex8 and tet10."""
    parser = argparse.ArgumentParser()
    parser.add_argument("elements", nargs="?", type=int, default=200_000)
    parser.add_argument("--read", type=Path)
    chosen = parser.parse_args()
    if chosen.read:
        read(chosen.read)
        return
    with tempfile.TemporaryDirectory() as folder:
        for element in ("hex8", "tet10"):
            path = Path(folder, f"{element}.bdf")
            write_deck(path, element, chosen.elements)
            print(f"{element}, {path.stat().st_size / 1e6:.0f} MB:", end=" ", flush=True)
            subprocess.run([sys.executable, __file__, "--read", str(path)], check=True)


if __name__ == "__main__":
    main()
