"""Universal files: what they hold beside nodes, elements and groups is told, and systems are not passed over."""

from importlib.util import find_spec

import numpy as np
import pytest

import fem
from fem.io.raw import RawMesh
from fem.io.universal import check_universal

needs_gmsh = pytest.mark.skipif(find_spec("gmsh") is None, reason="gmsh reads universal files")


def dataset(number, *lines):
    return "\n".join(["    -1", f"{number:6d}", *lines, "    -1", ""])


def nodes(system=1):
    places = [(0, 0, 0), (1, 0, 0), (0, 1, 0), (0, 0, 1)]
    lines = []
    for k, x in enumerate(places, start=1):
        lines.append(f"{k:10d}{system:10d}{1:10d}{11:10d}")
        lines.append("".join(f"{v:25.16E}".replace("E", "D") for v in x))
    return dataset(2411, *lines)


CELL = dataset(
    2412, "".join(f"{v:10d}" for v in (1, 111, 1, 1, 7, 4)), "".join(f"{v:10d}" for v in (1, 2, 3, 4))
)


def units(code, words):
    one = f"{1.0:25.17E}".replace("E", "D")
    return dataset(164, f"{code:10d}{words:<20}{2:10d}", one * 3, one)


def system(label, kind, origin=(0.0, 0.0, 0.0)):
    rows = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), origin]
    return dataset(
        2420, f"{1:10d}", "part", f"{label:10d}{kind:10d}{0:10d}", f"CS{label}",
        *("".join(f"{v:25.16E}".replace("E", "D") for v in row) for row in rows),
    )  # fmt: skip


def noted(folder, text, units="SI"):
    """What is noted of a file, without gmsh."""
    (folder / "part.unv").write_text(text)
    raw = RawMesh(np.empty((0, 3)), [])
    check_universal(folder / "part.unv", raw, units)
    return raw


@needs_gmsh
def test_nodes_in_the_global_system(tmp_path):
    (tmp_path / "part.unv").write_text(system(1, 0) + nodes() + CELL + dataset(2414, "1", "results"))
    mesh = fem.read_mesh(tmp_path / "part.unv")
    assert mesh.volume == pytest.approx(1 / 6, rel=1e-12)
    assert ([one.what for one in mesh.left_out], mesh.doubts) == (["dataset 2414"], ())


@pytest.mark.parametrize(
    ("its", "words"),
    [
        (system(5, 1), "cylindrical"),
        (system(5, 2), "spherical"),
        (system(5, 0, (0.0, 0.0, 1.0)), "turned or shifted"),
    ],
)
def test_nodes_in_other_systems_are_refused(its, words, tmp_path):
    """gmsh takes their coordinates for global ones."""
    text = its + nodes(system=5) + CELL
    line = its.count("\n") + 3
    with pytest.raises(
        fem.FileError, match=rf"line {line}: nodes stand in the coordinate system 5, which is {words}"
    ):
        noted(tmp_path, text)


@pytest.mark.parametrize(
    ("code", "given", "mend"),
    [
        (5, "SI", "units='mm' would be right"),
        (7, "mm", "units='inch' would be right"),
        (2, "SI", "scale the points"),
    ],
)
def test_units_of_the_file_are_compared(code, given, mend, tmp_path):
    (doubt,) = noted(tmp_path, units(code, "units") + nodes() + CELL, given).doubts
    assert mend in doubt


@pytest.mark.parametrize(("code", "given"), [(1, "SI"), (5, "mm"), (9, "mm")])
def test_units_that_fit_give_no_doubt(code, given, tmp_path):
    assert not noted(tmp_path, units(code, "units") + nodes() + CELL, given).doubts


def test_other_datasets_are_told(tmp_path):
    raw = noted(tmp_path, nodes() + CELL + dataset(2414, "1", "results") + dataset(1710, "1", "steel"))
    line = (nodes() + CELL).count("\n") + 2
    assert [(one.what, one.lines) for one in raw.left_out.all()] == [
        ("dataset 2414", (str(line),)), ("dataset 1710", (str(line + 5),))
    ]  # fmt: skip
