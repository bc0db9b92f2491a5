"""Decks of Abaqus written from meshes of ours, and the comparison of what is read with the part made by hand."""

import numpy as np
import pytest

import fem

MATERIAL = "*Material, name=Steel\n*Elastic\n 2.1e11, 0.3\n*Density\n 7850.,\n"


BAR = fem.box((0.4, 0.05, 0.05), (4, 1, 1), "hex8")


LINE = "*Node\n 1, 0., 0., 0.\n 2, 0.6, 0., 0.\n 3, 1.2, 0.3, 0.\n*Nset, nset=x0\n 1\n*Nset, nset=x1\n 3\n"
LINE += "*Element, type=B31, elset=all\n 1, 1, 2\n 2, 2, 3\n"


GRID = fem.Mesh(
    [[x, y, 0.0] for x in (0.0, 0.1, 0.2) for y in (0.0, 0.15)],
    (fem.Block("quad4", [[0, 2, 3, 1], [2, 4, 5, 3]]),),
    {"x0": [0, 1], "x1": [4, 5]},
)


PLY = "*Material, name=ply\n*Elastic, type=LAMINA\n 1.3e11, 1e10, 0.3, 5e9, 4e9, 3e9\n*Density\n 1600.\n"


def read(tmp_path, text, **more):
    """The mesh of a deck."""
    path = tmp_path / "deck.inp"
    path.write_text(text)
    return fem.read_mesh(path, **more)


def rows(lines):
    """Lines of data, one for each of ``lines``."""
    return "".join(", ".join(map(str, line)) + "\n" for line in lines)


def nodes_of(mesh, first=1):
    """The nodes of a mesh, numbered from ``first``."""
    return "*Node\n" + "".join(
        f"{k}, {x:.17g}, {y:.17g}, {z:.17g}\n" for k, (x, y, z) in enumerate(mesh.points, first)
    )


def elements_of(mesh, kind, elset, first=1, start=1):
    """Its elements, numbered from ``start``, at most 16 numbers a line; ``first`` as for the nodes."""
    text = f"*Element, type={kind}, elset={elset}\n"
    number = start
    for block in mesh.blocks:
        for nodes in block.nodes:
            row = [number, *(nodes + first).tolist()]
            lines = [row[k : k + 16] for k in range(0, len(row), 16)]
            text += ",\n".join(", ".join(map(str, line)) for line in lines) + "\n"
            number += 1
    return text


def sets_of(mesh, first=1):
    """Its node sets, one node a line."""
    return "".join(
        f"*Nset, nset={name}\n" + rows([node] for node in nodes + first)
        for name, nodes in mesh.node_sets.items()
    )


def body(mesh, kind="C3D8I", elset="all", section="*Solid Section, elset=all, material=steel\n,\n"):
    """A mesh with its sets and a section, without material."""
    return nodes_of(mesh) + elements_of(mesh, kind, elset) + sets_of(mesh) + section


def in_part(text, name="P", placed=""):
    """The same deck as a part and an instance of it; the material stands behind the assembly."""
    part, outside = text.split("*Material", 1)
    return (
        f"*Heading\n a part\n*Part, name={name}\n{part}*End Part\n*Assembly, name=A\n"
        f"*Instance, name=one, part={name}\n{placed}*End Instance\n*End Assembly\n*Material{outside}"
    )


def face_at(mesh, element, axis, value):
    """The label of the face of a hexahedron (numbered from 1) in a plane across an axis; None if none lies there."""
    kind = fem.ELEMENTS["hex8"]
    nodes = mesh.blocks[0].nodes[element - 1]
    for k, face in enumerate(kind.faces, 1):
        if np.allclose(mesh.points[nodes[list(face)], axis], value):
            return f"S{k}"
    return None


def same(read_one, by_hand, held="x0", at="x1", rtol=1e-9):
    """The same mass, centre, inertia, five frequencies of the free body, and deflection under a force."""
    assert read_one.mass == pytest.approx(by_hand.mass, rel=1e-12)
    np.testing.assert_allclose(read_one.center, by_hand.center, atol=1e-12)
    np.testing.assert_allclose(
        read_one.inertia, by_hand.inertia, rtol=1e-9, atol=1e-9 * by_hand.inertia.max()
    )
    found = [fem.vibration(s, n=5).frequencies_hz for s in (read_one, by_hand)]
    np.testing.assert_allclose(found[0], found[1], rtol=rtol)
    force = fem.Force(at, (10.0, 20.0, 30.0))
    moved = [fem.static(s, held, force).at(at)[:3] for s in (read_one, by_hand)]
    np.testing.assert_allclose(moved[0], moved[1], rtol=rtol)
