"""What is wrong with a MED file is named by its mesh, family and elements: it has no lines."""

import re

import h5py
import meshio
import numpy as np
import pytest

import fem
from fem.io.med_check import check_med

BAR = fem.box((1.0, 0.1, 0.1), (4, 1, 1), "tet4")


@pytest.fixture
def path(tmp_path):
    """A bar with two families of nodes, as meshio writes it: 20 nodes, 24 tetrahedra."""
    family = np.zeros(BAR.n_nodes, int)
    family[BAR.nodes_of("x0")], family[BAR.nodes_of("x1")] = 1, 2
    mesh = meshio.Mesh(BAR.points, [("tetra", BAR.blocks[0].nodes)], point_data={"point_tags": family})
    mesh.point_tags = {1: ["root"], 2: ["tip"]}
    mesh.write(tmp_path / "bar.med")
    return tmp_path / "bar.med"


def step(file):
    (found,) = file["ENS_MAA/mesh"].values()
    return found


def replaced(group, name, values):
    del group[name]
    group[name] = values


def point_at_nothing(file):
    nodes = step(file)["MAI/TE4/NOD"]
    nodes[1] = 99  # the first node of the second element: MED has all first nodes first


def copied(file):
    file.copy("ENS_MAA/mesh", file["ENS_MAA"], "other")


def not_finite(file):
    step(file)["NOE/COO"][3] = np.nan


FAULTS = {
    "another node": (point_at_nothing, "mesh 'mesh': the TE4 element 2 of 24 has the node 99, and .* 1 to 20"),
    "coordinates": (lambda f: replaced(step(f)["NOE"], "COO", np.zeros(59)), "mesh 'mesh': 59 coordinates are not"),
    "not finite": (not_finite, "mesh 'mesh': the coordinates of 1 nodes are not finite, the first is node 4 of 20"),
    "no nodes": (lambda f: step(f)["NOE"].pop("COO"), r"mesh 'mesh': it has no nodes \(NOE/COO\)"),
    "elements": (lambda f: replaced(step(f)["MAI/TE4"], "NOD", np.ones(7, int)), "7 nodes are not those of TE4"),
    "families": (lambda f: replaced(step(f)["NOE"], "FAM", [0, 0]), "its 20 nodes have 2 numbers of families"),
    "number": (lambda f: f["FAS/mesh/NOEUD/FAM_1_root"].attrs.pop("NUM"), "family 'FAM_1_root': it has no number"),
    "group": (lambda f: f["FAS/mesh/NOEUD/FAM_2_tip/GRO"].pop("NOM"), "family 'FAM_2_tip': the names of its groups"),
    "no mesh": (lambda f: f.pop("ENS_MAA"), "holds no mesh"),
    "two meshes": (copied, "holds 2 meshes, 'mesh', 'other', and one can be read; write each to a file"),
}  # fmt: skip


@pytest.mark.parametrize("what", FAULTS)
def test_what_is_wrong_is_named(what, path):
    damage, told = FAULTS[what]
    assert check_med(path) == []
    with h5py.File(path, "r+") as file:
        damage(file)
    with pytest.raises(fem.FileError, match=f"^{re.escape(str(path))}.*{told}"):
        fem.read_mesh(path)  # before gmsh is needed


def test_groups_that_are_lost_are_doubted(path):
    with h5py.File(path, "r+") as file:
        del file["FAS/mesh/NOEUD/FAM_2_tip"]
    assert check_med(path) == [
        "mesh 'mesh': nodes are of the families '2', which it does not hold: groups are lost"
    ]


@pytest.mark.parametrize("content", [b"", b"hello", None])
def test_what_is_no_med_file(content, path):
    path.write_bytes(path.read_bytes()[:900] if content is None else content)
    with pytest.raises(fem.FileError, match=r"is not a MED file, which is of HDF5, or it was cut off"):
        fem.read_mesh(path)
