"""What a user waits for: processor seconds of the demo, of the first script, of importing, reducing and filming.

    python tests/benchmarks/start_cost.py [--repeats 3]

Each row is a process of its own (user and system time together), the median of the repeats, beside what it was with
kernels that numba compiled on first use (0.1.0 of September 2026, two cores) and what is aimed at. Whatever is
installed in the environment counts as installed; nothing is compiled on the way.
"""

from __future__ import annotations

import argparse
import os
import re
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

#: name: seconds before, aim
ROWS = {
    "import flexbody": (1.7, 0.6),
    "first script to its first steps": (10.0, 4.5),
    "craig_bampton + reduce, 24 792 unknowns": (6.9, 2.5),
    "demo, numbers printed": (232.0, 12.0),
    "demo, all files": (259.0, 30.0),
    "film of the demo": (36.0, 10.0),
}

REDUCE = """
import fem, modal, time
rod = fem.assemble(fem.read_mesh("meshes/conrod.msh"), fem.Isotropic(E=210e9, nu=0.3, rho=7850.0))
begun = time.process_time()
basis = modal.craig_bampton(rod, interfaces=("big_end", "small_end"), n_normal=8)
modal.reduce(rod, basis, frame=modal.MeanDisplacement(), markers=("middle",))
print("spent", time.process_time() - begun)
"""

FILM = """
import sys, time
import flexbody as fb
result = fb.load_result(sys.argv[1])
begun = time.process_time()
fb.animate(result, sys.argv[2], scale=100)
import resource
print("spent", time.process_time() - begun + resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime)
"""


def spent(*arguments: str, stop_at: str | None = None) -> tuple[float, str]:
    """Return the processor time of a Python process and what it printed; ``stop_at``: until it prints that."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([sys.executable, *arguments], cwd=ROOT, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    text = ""
    for line in process.stdout:
        text += line
        if stop_at is not None and stop_at in line:
            process.kill()
    process.wait()
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime, text


def first_script() -> str:
    """Return the first Python script of the README, up to a run of a few steps."""
    script = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)[
        0
    ]
    return script.split("force = ")[0].replace("t_end=0.06", "t_end=1e-6")


def number(text: str) -> float:
    """Return the seconds that a process has printed."""
    return float(re.findall(r"spent ([\d.]+)", text)[-1])


def measure(folder: Path) -> dict[str, float]:
    """Return the seconds of each row."""
    demo = ("-m", "flexbody", "demo", "--out")
    for name in ("one", "two"):
        (folder / name).mkdir()
    out = {"import flexbody": spent("-c", "import flexbody")[0]}
    out["first script to its first steps"] = spent("-c", first_script())[0]
    out["craig_bampton + reduce, 24 792 unknowns"] = number(spent("-c", REDUCE)[1])
    out["demo, numbers printed"] = spent("-u", *demo, str(folder / "one"), stop_at="balance")[0]
    out["demo, all files"] = spent(*demo, str(folder / "two"))[0]
    result = next((folder / "two").glob("*slider*.h5"), None) or next((folder / "two").glob("*.h5"))
    out["film of the demo"] = number(spent("-c", FILM, str(result), str(folder / "film.mp4"))[1])
    return out


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=3)
    repeats = parser.parse_args().repeats
    found: dict[str, list[float]] = {name: [] for name in ROWS}
    for _ in range(repeats):
        with tempfile.TemporaryDirectory() as folder:
            for name, seconds in measure(Path(folder)).items():
                found[name].append(seconds)
    print(f"{os.cpu_count()} cores; processor seconds, median of {repeats}")
    print(f"{'':44} {'before':>8} {'aim':>6} {'now':>7}")
    for name, (before, aim) in ROWS.items():
        print(f"{name:44} {before:8.1f} {aim:6.1f} {statistics.median(found[name]):7.2f}")
    print("chains and slider-crank: tests/benchmarks/dynamics_speed.py")


if __name__ == "__main__":
    main()
