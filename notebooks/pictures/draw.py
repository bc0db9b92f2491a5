"""Draw the pictures of the README anew, each from a script of the README, a notebook or a benchmark.

    python notebooks/pictures/draw.py [NAME ...]

NAME is a picture without its ending, such as ``slider_crank``; without names all are drawn. ``work_precision`` and
``falling_chain`` measure processor times for some minutes: draw them on a computer that does nothing else.
"""

from __future__ import annotations

import json
import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

FOLDER = Path(__file__).resolve().parent
ROOT = FOLDER.parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "tests" / "benchmarks")]

import fem
import flexbody as fb

#: Number of colours of stored plots; it keeps files small. Colour bars need all of theirs.
COLOURS = 64
PLOTS = ("rotating_beam_frequencies", "work_precision", "falling_chain")
#: Outputs of the README's scripts that are not needed here.
WRITTEN = re.compile(
    r"^(fb\.(plot|animate|picture|picture_mesh|write_paraview)|result\.save|table\.plot)\(.*$", re.MULTILINE
)


def readme_script(sign: str) -> dict[str, Any]:
    """Run the script of the README that contains ``sign``, without its files, and return its names."""
    scripts = re.findall(r"```python\n(.*?)```", (ROOT / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (script,) = (script for script in scripts if sign in script)
    names: dict[str, Any] = {}
    exec(WRITTEN.sub("", script), names)
    return names


def slider_crank() -> np.ndarray:
    """Draw the README's slider-crank where its rod is bent most."""
    result = readme_script('"slider_crank.h5"')["result"]
    title = "Slider-crank with a flexible connecting rod"
    return fb.picture(
        result, time=4.92e-3, scale=100, colour="von_mises", view="iso", size=(1200, 600), title=title
    )


def connecting_rod_stress() -> np.ndarray:
    """Draw the README's connecting rod under tension."""
    steel = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
    rod = fem.assemble(fem.read_mesh(ROOT / "meshes" / "conrod.msh"), steel)
    load = fem.Force("small_end", (20e3, 0, 0))
    pulled = fem.static(rod, "big_end", load)
    return fb.picture_mesh(
        pulled, colour="von_mises", loads=load, size=(1200, 560), title="Connecting rod pulled with 20 kN"
    )


def servo_arm() -> np.ndarray:
    """Draw the README's arm while its servo accelerates it, with all forces."""
    names = readme_script("robot = fb.System")
    return fb.picture(
        names["result"],
        time=0.07,
        scale=50,
        forces=True,
        trace=(names["load"],),
        size=(1200, 675),
        title="An arm that a servo motor turns",
    )


def rotating_beam_frequencies() -> np.ndarray:
    """Draw the first figure of the notebook about the rotating beam."""
    notebook = json.loads((ROOT / "notebooks" / "04_rotating_beam.ipynb").read_text(encoding="utf-8"))
    names: dict[str, Any] = {"display": lambda *shown: None}
    for cell in notebook["cells"]:
        if cell["cell_type"] != "code":
            continue
        source = "".join(cell["source"])
        exec(re.sub(r"^%.*$", "", source, flags=re.MULTILINE), names)
        if "plt.subplots" in source:
            break
    figure = names["figure"]
    figure.set_dpi(82)
    figure.canvas.draw()
    return np.asarray(figure.canvas.buffer_rgba())[:, :, :3]


def work_precision() -> np.ndarray:
    """Draw the benchmark of the integrators."""
    from work_precision import draw, measure_all

    path = FOLDER / "work_precision.png"
    draw(measure_all(), str(path))
    return np.asarray(Image.open(path).convert("RGB"))


def falling_chain() -> np.ndarray:
    """Draw the benchmark of the relative description, beside the other programs that are installed."""
    from falling_chain import fall_table

    path = FOLDER / "falling_chain.png"
    fall_table(str(path))
    return np.asarray(Image.open(path).convert("RGB"))


PICTURES: dict[str, Callable[[], np.ndarray]] = {
    draw.__name__: draw
    for draw in (
        slider_crank,
        connecting_rod_stress,
        servo_arm,
        rotating_beam_frequencies,
        work_precision,
        falling_chain,
    )
}


def main(names: list[str]) -> None:
    """Draw the pictures with these names, or all."""
    import matplotlib

    matplotlib.use("Agg")
    os.chdir(ROOT)
    for name in names or PICTURES:
        image = Image.fromarray(np.asarray(PICTURES[name]()))
        path = FOLDER / f"{name}.png"
        if name in PLOTS:
            image = image.quantize(COLOURS, dither=Image.Dither.NONE)
        image.save(path, optimize=True)
        print(f"{path.relative_to(ROOT)}: {path.stat().st_size / 1e3:.0f} kB")


if __name__ == "__main__":
    main(sys.argv[1:])
