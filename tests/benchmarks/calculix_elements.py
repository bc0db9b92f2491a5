"""Frequencies of solids against CalculiX, and what makes them differ: the points at which it integrates.

    python tests/benchmarks/calculix_elements.py --ccx ccx

A clamped bar of each element type, its first eight frequencies: the largest relative difference from ours as it is, and
from ours with CalculiX' points. CalculiX 2.20 takes 2 points in C3D6, 9 in C3D15, 4 for the mass of C3D10, and
integrates C3D8 fully; with these the differences are its printed digits.
"""

import argparse
import subprocess
import tempfile
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import scipy

import fem
from fem.elements.quadrature import Rule, triangle_3, wedge
from fem.elements.solid import solid

STEEL = fem.Isotropic(E=2.1e11, nu=0.3, rho=7850.0)
CENTRE = Rule(np.array([[1 / 3, 1 / 3]]), np.array([0.5]))
NEAR, FAR = 0.138196601125011, 0.585410196624968
TET_4 = Rule(np.array([[NEAR] * 3, *(NEAR + (FAR - NEAR) * np.eye(3))]), np.full(4, 1 / 24))
#: element: CalculiX' type, its rules of the stiffness and mass
TYPES = {
    "hex8": ("C3D8", None),
    "hex20": ("C3D20", None),
    "tet10": ("C3D10", TET_4),
    "wedge6": ("C3D6", wedge(CENTRE, 2)),
    "wedge15": ("C3D15", wedge(triangle_3(), 3)),
}


def deck(mesh, kind):
    """The bar as an input file."""
    lines = [
        "*NODE, NSET=ALL",
        *(f"{k},{x:.12g},{y:.12g},{z:.12g}" for k, (x, y, z) in enumerate(mesh.points, 1)),
    ]
    lines.append(f"*ELEMENT, TYPE={kind}, ELSET=E")
    for number, nodes in enumerate(mesh.blocks[0].nodes + 1, 1):
        words = [str(number), *map(str, nodes)]
        lines.append(",\n".join(",".join(words[k : k + 15]) for k in range(0, len(words), 15)))
    lines += ["*NSET, NSET=X0", *(f"{k}," for k in mesh.node_sets["x0"] + 1)]
    lines += ["*MATERIAL, NAME=S", "*ELASTIC", f"{STEEL.E},{STEEL.nu}", "*DENSITY", f"{STEEL.rho}"]
    lines += [
        "*SOLID SECTION, ELSET=E, MATERIAL=S",
        "*BOUNDARY",
        "X0,1,3",
        "*STEP",
        "*FREQUENCY",
        "8",
        "*END STEP",
    ]
    return "\n".join([*lines, ""])


def theirs(ccx, mesh, kind):
    """Frequencies in Hz that CalculiX prints."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "bar.inp").write_text(deck(mesh, kind))
        subprocess.run([ccx, "bar"], cwd=folder, check=True, capture_output=True)
        text = (Path(folder) / "bar.dat").read_text().split("P A R T I C I P")[0]
    rows = [line.split() for line in text.splitlines()]
    return np.array([float(row[3]) for row in rows if len(row) == 5 and row[0].isdigit()])


def ours(mesh, property, count):
    """Our frequencies in Hz, of dense matrices: with few points the mass may be singular."""
    bar = fem.assemble(mesh, property)
    free = np.setdiff1d(np.arange(bar.n), (3 * mesh.node_sets["x0"][:, None] + np.arange(3)).ravel())
    K, M = (A.toarray()[np.ix_(free, free)] for A in (bar.K, bar.M))
    values = scipy.linalg.eigvalsh(K, M + 1e-12 * M.max() * np.eye(len(M)), subset_by_index=(0, count - 1))
    return np.sqrt(values) / (2 * np.pi)


@contextmanager
def integrated(element, rule):
    """Integrate the stiffness and mass of an element by a rule; None leaves its own."""
    names = ("stiffness_quadrature", "quadrature")
    own = {name: getattr(element, name) for name in names}
    solid._gradients.cache_clear()
    try:
        for name in names if rule else ():
            object.__setattr__(element, name, rule)
        yield
    finally:
        for name in names:
            object.__setattr__(element, name, own[name])
        solid._gradients.cache_clear()


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--ccx", default="ccx", help="CalculiX' program")
    ccx = parser.parse_args().ccx
    print(f"{'type':<8}{'ours':>12}{'its points':>12}")
    for kind, (name, rule) in TYPES.items():
        mesh = fem.box((1.0, 0.1, 0.1), (8, 2, 2), kind)
        expected = theirs(ccx, mesh, name)
        plain, exact = fem.Solid(STEEL), fem.Solid(STEEL, brick=fem.FullIntegration())
        found = [ours(mesh, plain, len(expected))]
        with integrated(fem.ELEMENTS[kind], rule):
            found.append(ours(mesh, exact, len(expected)))
        print(f"{name:<8}" + "".join(f"{np.abs(one / expected - 1).max():12.1e}" for one in found))


if __name__ == "__main__":
    main()
