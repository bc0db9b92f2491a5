"""Structures from the matrices of other programs: formats, orders of unknowns, units, checks."""

import re
import sys
import types
from types import SimpleNamespace

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp
from support import output4

import fem
from fem.io.matrices.files import read_matrices

pytestmark = pytest.mark.slow  # together a second or more

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)


@pytest.fixture(scope="module")
def bar():
    mesh = fem.box((1.0, 0.1, 0.06), (3, 1, 1))
    return fem.assemble(mesh, STEEL)


@pytest.fixture(scope="module")
def shell():
    """Six unknowns a node, rotary inertia by a mass matrix that couples nodes."""
    points = [[x, y, 0.1 * x * x] for x in np.linspace(0, 1, 4) for y in (0.0, 0.2)]
    quads = [[2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1] for i in range(3)]
    return fem.assemble(fem.Mesh(points, (fem.Block("quad4", quads),)), fem.Shell(STEEL, 0.02))


def labels_of(structure):
    count = structure.freedoms.count
    return [(i + 1, k + 1) for i in range(len(count)) for k in range(count[i])]


def same(a, b, digits=1e-14):
    for name in ("K", "M"):
        A, B = (getattr(s, name).toarray() for s in (a, b))
        assert np.abs(A - B).max() <= digits * np.abs(B).max(), name
    np.testing.assert_allclose(a.mass, b.mass, rtol=max(digits, 1e-13))
    np.testing.assert_allclose(a.center, b.center, atol=1e-12 + digits)
    np.testing.assert_allclose(a.inertia, b.inertia, atol=(1e-13 + digits) * np.abs(b.inertia).max())
    g = fem.Gravity((1.0, 2.0, -3.0)), fem.Centrifugal((1.0, -2.0, 3.0), about=(0.1, 0.2, 0.3))
    for load in g:
        f, expected = fem.load_vector(a, load), fem.load_vector(b, load)
        np.testing.assert_allclose(f, expected, atol=(1e-12 + digits) * np.abs(expected).max())


# ---- formats -------------------------------------------------------------------------------------------------


def coordinate(A, path, triangle=True):
    A = A.tocoo()
    rows = [
        f"{i + 1} {j + 1} {v:.16e}"
        for i, j, v in zip(*A.coords, A.data, strict=True)
        if not triangle or j <= i
    ]
    path.write_text("\n".join(rows) + "\n")


def matrix_input(A, labels, path):
    A = A.tocoo()
    rows = [
        f"{labels[i][0]},{labels[i][1]}, {labels[j][0]},{labels[j][1]}, {v:.16e}"
        for i, j, v in zip(*A.coords, A.data, strict=True)
        if j <= i
    ]
    path.write_text("\n".join(rows) + "\n")


@pytest.mark.parametrize("triangle", [True, False])
def test_coordinates_of_abaqus(bar, triangle, tmp_path):
    for name, A in (("K", bar.K), ("M", bar.M)):
        coordinate(A, tmp_path / f"{name}.mtx", triangle)
    same(fem.from_matrices(tmp_path / "K.mtx", tmp_path / "M.mtx", bar.mesh), bar)


def test_matrix_input_of_abaqus_in_any_order_of_nodes(shell, tmp_path):
    labels = [(100 - node, k) for node, k in labels_of(shell)]
    for name, A in (("K", shell.K), ("M", shell.M)):
        matrix_input(A, labels, tmp_path / f"{name}.mtx")
    found = fem.from_matrices(
        str(tmp_path / "K.mtx"), tmp_path / "M.mtx", shell.mesh.points, node_ids=100 - np.arange(1, 9)
    )
    same(found, shell)
    assert found.mesh.nodes_of("99").tolist() == [0]


def test_stiffness_and_mass_of_calculix(bar, tmp_path):
    coordinate(bar.K, tmp_path / "bar.sti")
    coordinate(bar.M, tmp_path / "bar.mas")
    (tmp_path / "bar.dof").write_text("\n".join(f"{node}.{k}" for node, k in labels_of(bar)))
    same(fem.from_matrices(tmp_path / "bar.sti", tmp_path / "bar.mas", bar.mesh), bar)


@pytest.mark.parametrize("symmetry", ["symmetric", "general"])
def test_matrix_market(bar, symmetry, tmp_path):
    for name, A in (("K", bar.K), ("M", bar.M)):
        scipy.io.mmwrite(tmp_path / f"{name}.mtx", A, symmetry=symmetry, precision=17)
    same(fem.from_matrices(tmp_path / "K.mtx", tmp_path / "M.mtx", bar.mesh), bar)


@pytest.mark.parametrize("symmetry", ["symmetric", "general"])
def test_matrix_market_by_columns(bar, symmetry, tmp_path):
    """A dense matrix, with comments and empty lines; SciPy's writer and reader are the reference."""
    scipy.io.mmwrite(
        tmp_path / "K.mtx", bar.K.toarray(), symmetry=symmetry, precision=17, comment="one\n\ntwo"
    )
    file = read_matrices(tmp_path / "K.mtx")
    expected = scipy.io.mmread(tmp_path / "K.mtx")
    np.testing.assert_array_equal(file.pick("K", "stiffness", None).toarray(), expected)


MARKET = "%%MatrixMarket matrix coordinate real symmetric\n% of the bar\n2 2 3\n1 1 2.0\n2 1 -1.0\n2 2 2.0\n"


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        (
            "-1.0",
            "-1.0\0\0",
            r"line 5: '2 1 -1.0.*' is not a row of 3 numbers",
        ),  # SciPy's reader ends the process
        ("-1.0", "x", "line 5: '2 1 x' is not a row"),
        ("2 1 -1.0\n", "", "line 3: 3 entries are announced, and 2 follow: the file was cut off or damaged"),
        ("2 1 -1.0", "3 1 -1.0", r"entry 2: \[3.0, 1.0\] is not a row and a column of 2"),
        ("2 1 -1.0", "1.5 1 -1.0", r"entry 2: \[1.5, 1.0\] is not a row"),
        ("2 2 3", "99999999999 99999999999 3", "3 entries for 99999999999 rows: it is damaged"),
        ("2 2 3", "2 3 3", "line 3: '2 3 3' does not give the numbers of rows"),
        ("real", "complex", "the matrix is complex and symmetric; stiffness and mass are real"),
        ("coordinate", "table", "line 1: .* does not say"),
    ],
)
def test_a_damaged_matrix_market_file_is_named_by_its_line(old, new, said, tmp_path):
    (tmp_path / "K.mtx").write_text(MARKET.replace(old, new, 1))
    with pytest.raises(fem.FileError, match=said):
        read_matrices(tmp_path / "K.mtx")


def test_harwell_boeing_with_the_mapping_of_ansys(shell, tmp_path):
    for name, A in (("K", shell.K), ("M", shell.M)):
        scipy.io.hb_write(tmp_path / f"{name}.hb", sp.csc_array(A))
        names = ["UX", "UY", "UZ", "ROTX", "ROTY", "ROTZ"]
        lines = [f"{i + 1:10d} {node:10d} {names[k - 1]}" for i, (node, k) in enumerate(labels_of(shell))]
        (tmp_path / f"{name}.mapping").write_text("\n".join([" Matrix Eqn     Node   DOF", *lines]))
    same(fem.from_matrices(tmp_path / "K.hb", tmp_path / "M.hb", shell.mesh), shell, 1e-12)


HARWELL = "bar                                                                     K\n" + (
    f"{3:14d}{1:14d}{1:14d}{1:14d}\nRSA{'':11s}{2:14d}{2:14d}{3:14d}{0:14d}\n"
    f"{'(3I4)':16s}{'(3I4)':16s}{'(1P,3D12.4)':20s}\n"
    "   1   3   4\n   1   2   2\n  2.0000D+00 -1.0000D+00  2.0000D+00\n"
)


def test_a_lower_triangle_in_fields_of_fortran(tmp_path):
    (tmp_path / "K.hb").write_text(HARWELL)
    A = read_matrices(tmp_path / "K.hb").pick("K", "stiffness", None).toarray()
    assert A.tolist() == [[2.0, -1.0], [-1.0, 2.0]]


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("RSA", "CSA", "line 3: the matrix is complex; stiffness and mass are real"),
        ("RSA", "PSA", "line 3: a matrix of the type 'PSA' is not read"),
        (
            "   1   2   2\n",
            "   1   2  22\n",
            r"entry 3 stands in row 22 of 2",
        ),  # SciPy's reader ended the process
        (
            "   1   2   2\n",
            "   1   2   x\n",
            r"line 6: '   1   2   x' does not hold numbers in the format \(3I4\)",
        ),
        ("   1   3   4\n", "   1   5   4\n", "do not rise from 1 to 4"),
        ("-1.0000D+00", "        nan", r"line 7: .* does not hold numbers"),
        ("  2.0000D+00 -1.0000D+00  2.0000D+00\n", "", "line 6: the file ends here"),
        ("(3I4)", "3I4", "line 4: '3I4 .* does not give the formats"),
        ("(3I4)", "(1I4)", r"line 4: 3 numbers in the format \(1I4\) do not fill 1 lines"),
        ("             2             2", "             2             3", "2 rows and 3 columns"),
    ],
)
def test_a_damaged_harwell_boeing_file_is_named_by_its_line(old, new, said, tmp_path):
    (tmp_path / "K.hb").write_text(HARWELL.replace(old, new, 1))
    with pytest.raises(fem.FileError, match=said):
        read_matrices(tmp_path / "K.hb")


def dmig(matrices, labels, width):
    """Bulk data with symmetric DMIG matrices, of which each pair of entries is written once, in either triangle."""
    out = ["$ superelement"]
    for name, A in matrices.items():
        A = A.toarray()
        fields = [name, "0", "6", "2", "0", "", "", ""]
        out.append(
            ",".join(["DMIG", *fields]) if width == 0 else f"DMIG    {name:<8}{0:8d}{6:8d}{2:8d}{0:8d}"
        )
        for j, (node, k) in enumerate(labels):
            rows = [i for i in range(len(A)) if A[i, j] and (i == j or (i + j) % 2 == (i < j))]
            if width == 16:
                out.append(f"DMIG*   {name:<16}{node:16d}{k:16d}")
                out += [f"*       {labels[i][0]:16d}{labels[i][1]:16d}{A[i, j]:16.9E}" for i in rows]
                continue
            entries = [
                [str(labels[i][0]), str(labels[i][1]), f"{A[i, j]:.13E}".replace("E", "D"), ""] for i in rows
            ]
            data = [name, str(node), str(k), "", *(field for entry in entries for field in entry)]
            out.append(",".join(["DMIG", *data[:8], "+"]))
            out += [",".join(["+", *data[at : at + 8]]) for at in range(8, len(data), 8)]
    return "\n".join([*out, "GRID,1,,0.,0.,0.", ""])


@pytest.mark.parametrize(("width", "digits"), [(0, 1e-12), (16, 1e-8)])
def test_dmig_of_nastran(shell, width, digits, tmp_path):
    path = tmp_path / "part.pch"
    path.write_text(dmig({"KAAX": shell.K, "MAAX": shell.M}, labels_of(shell), width))
    same(fem.from_matrices(path, points=shell.mesh), shell, digits)


def test_grid_points_beside_dmig_are_its_points(shell, tmp_path):
    """Rows of grid points with displacement axes of their own (CD) are turned into the basic axes."""
    x, about = shell.mesh.points, np.array([-0.5, 0.3, 0.0])
    B, cards = np.eye(shell.n), ["CORD2C,5,,-0.5,0.3,0.,-0.5,0.3,1.,+", "+,1.,0.3,0."]
    for k, (point, turned) in enumerate(
        zip(x, [True, True, False, True, False, False, True, True], strict=True)
    ):
        cards.append(
            f"GRID,{k + 1},,{','.join(f'{v:.13g}' if '.' in f'{v:.13g}' else f'{v:.13g}.' for v in point)}"
        )
        if turned:
            r = (point - about)[:2] / np.hypot(*(point - about)[:2])
            axes = np.array([[*r, 0], [-r[1], r[0], 0], [0, 0, 1]])  # radial, tangential, axial
            cards[-1] += ",5"
            B[6 * k : 6 * k + 3, 6 * k : 6 * k + 3] = B[6 * k + 3 : 6 * k + 6, 6 * k + 3 : 6 * k + 6] = axes
    path = tmp_path / "part.pch"
    B = sp.csr_array(B)
    text = dmig({"KAAX": B @ shell.K @ B.T, "MAAX": B @ shell.M @ B.T}, labels_of(shell), 0)
    path.write_text(text.replace("GRID,1,,0.,0.,0.", "\n".join(cards)))
    same(fem.from_matrices(path), shell, 1e-11)
    path.write_text(text.replace("GRID,1,,0.,0.,0.", "\n".join(cards[2:])))
    with pytest.raises(fem.FileError, match=r"line \d+: there is no coordinate system 5"):
        fem.from_matrices(path)


@pytest.mark.parametrize("text", ["3.+5", "3.0E+05", "3.D5", "3.+05", "300000."])
def test_reals_of_nastran(text):
    from fem.io.matrices.nastran import real

    assert real(text) == 3e5


def test_archives_of_numpy_and_scipy(shell, tmp_path):
    np.savez(tmp_path / "both.npz", K=shell.K.toarray(), M=shell.M.toarray(), points=shell.mesh.points)
    same(fem.from_matrices(tmp_path / "both.npz"), shell)
    for name, A in (("K", shell.K), ("M", shell.M)):
        sp.save_npz(tmp_path / f"{name}.npz", A)
    same(fem.from_matrices(tmp_path / "K.npz", tmp_path / "M.npz", shell.mesh), shell)


def test_a_stiffness_alone_is_not_taken_as_the_mass_too(shell, tmp_path):
    sp.save_npz(tmp_path / "K.npz", shell.K)
    for K in (shell.K, tmp_path / "K.npz"):
        with pytest.raises(fem.InputError, match="M= is missing"):
            fem.from_matrices(K, points=shell.mesh)


def test_libraries_that_are_missing_are_named(tmp_path):
    for name, library in (("part.full", "ansys-mapdl-reader"), ("part.op2", "pyyeti")):
        (tmp_path / name).write_bytes(b"1")
        with pytest.raises(fem.FileError, match=library):
            fem.from_matrices(tmp_path / name, points=[[0, 0, 0]])


class FullFile:
    """What ansys-mapdl-reader (0.56) gives for a ``.full``: upper triangles, components from 0, supports apart.

    On its own example (HexBeam, SOLID186, clamped at one end) K and the element of ours agree to 3e-13, and M to 2e-12
    with the 14 points that ANSYS takes there; the first six frequencies with our exact mass to 2e-6.
    """

    def __init__(self, structure, held=()):
        self.structure, self.const = structure, np.array(held, dtype=np.int32).reshape(-1, 2)

    def load_km(self, sort):
        assert sort
        nodes, components = np.repeat(np.arange(1, self.structure.mesh.n_nodes + 1), 3), np.arange(3)
        labels = np.column_stack([nodes, np.tile(components, self.structure.mesh.n_nodes)]).astype(np.int32)
        return labels, *(sp.csc_matrix(sp.triu(A)) for A in (self.structure.K, self.structure.M))


def test_full_files_of_ansys(bar, tmp_path, monkeypatch):
    (tmp_path / "part.full").write_bytes(b"1")
    library = types.ModuleType("ansys.mapdl")
    library.reader = SimpleNamespace(read_binary=lambda path: FullFile(bar))
    monkeypatch.setitem(sys.modules, "ansys", types.ModuleType("ansys"))
    monkeypatch.setitem(sys.modules, "ansys.mapdl", library)
    found = fem.from_matrices(tmp_path / "part.full", points=bar.mesh)
    for A, B in ((found.K, bar.K), (found.M, bar.M)):
        assert abs(A - B).max() <= 1e-15 * abs(B).max()
    library.reader.read_binary = lambda path: FullFile(bar, [[7, 1], [7, 2], [9, 0]])
    with pytest.raises(
        fem.FileError, match=r"written with supports.* 3 held motions of 2 nodes .*UY of node 7.*DDELE"
    ):
        fem.from_matrices(tmp_path / "part.full", points=bar.mesh)


# ---- unknowns ------------------------------------------------------------------------------------------------


def test_any_order_of_rows(shell):
    order = np.random.default_rng(1).permutation(shell.n)
    labels = np.array(labels_of(shell))[order]
    K, M = (A[order][:, order] for A in (shell.K, shell.M))
    same(fem.from_matrices(K.toarray(), M, shell.mesh, dofs=labels), shell)


def test_nodes_with_three_and_six_unknowns(bar):
    """A reference node with rotations, as of a coupling, and rows of rotations that have neither stiffness nor mass."""
    parts = [fem.Averaged("hub", "x1")]
    whole = fem.assemble(bar.mesh, STEEL, parts=[*parts, fem.PointMass("hub", 2.0, (0.1, 0.2, 0.3))])
    motions = whole.freedoms.L.shape[1]
    assert motions == bar.n  # the hub follows: its mass is in M already
    spring = np.diag([1e6] * 6)
    K = sp.block_diag([bar.K, sp.csr_array(np.zeros((6, 6)))]).tolil()
    M = sp.block_diag([bar.M, sp.csr_array(np.diag([2.0, 2.0, 2.0, 0.1, 0.2, 0.3]))]).tocsr()
    hub = bar.mesh.points[bar.mesh.nodes_of("x1")].mean(axis=0)
    T = np.hstack([-fem.interface(bar, "x1").T.toarray(), np.eye(6)])
    K = sp.csr_array(K.tocsr() + sp.csr_array(T.T @ spring @ T))
    points = np.vstack([bar.mesh.points, hub])
    found = fem.from_matrices(K, M, points, dofs=[*[3] * bar.mesh.n_nodes, 6])
    np.testing.assert_allclose(found.mass, whole.mass)
    np.testing.assert_allclose(found.center, whole.center)
    np.testing.assert_allclose(found.inertia, whole.inertia, atol=1e-12)
    tip = fem.interface(found, str(len(points)))
    assert tip.has_rotation
    assert np.abs(tip.T @ found.rigid_modes(hub) - np.eye(6)).max() < 1e-12
    # rows of rotations without stiffness and mass: the nodes have three unknowns
    empty = sp.csr_array((3 * bar.mesh.n_nodes, 3 * bar.mesh.n_nodes))
    six = sp.block_diag([bar.K, empty]).tocsr(), sp.block_diag([bar.M, empty]).tocsr()
    labels = [*labels_of(bar), *((node, k + 3) for node, k in labels_of(bar))]
    same(fem.from_matrices(*six, bar.mesh, dofs=labels), bar)


def test_files_of_mass_leave_out_rows_without_mass(shell, tmp_path):
    """Rotations about the normal have stiffness alone; nodes have odd numbers, and errors name these."""
    ids = np.array([70, 3, 999, 12, 500000, 8, 41, 42])
    labels = [(int(ids[node - 1]), k) for node, k in labels_of(shell)]
    kept = np.ones(shell.n)
    kept[5::6] = 0.0
    M = sp.csr_array(sp.diags_array(kept) @ shell.M @ sp.diags_array(kept))
    matrix_input(shell.K, labels, tmp_path / "K.mtx")
    matrix_input(M, labels, tmp_path / "M.mtx")
    assert len(read_matrices(tmp_path / "M.mtx").labels) == shell.n - 8
    found = fem.from_matrices(
        tmp_path / "K.mtx", tmp_path / "M.mtx", shell.mesh.points, node_ids=ids, node_sets={"a": [999, 3]}
    )
    assert found.mesh.nodes_of("a").tolist() == [1, 2]
    np.testing.assert_allclose(found.K.toarray(), shell.K.toarray(), rtol=1e-14)
    np.testing.assert_allclose(found.M.toarray(), M.toarray(), rtol=1e-14)
    assert found.freedoms.name(13, found.mesh.points, ids).startswith("y of node 999 at")
    matrix_input(shell.M, [(node + 1, k) for node, k in labels], tmp_path / "M.mtx")
    with pytest.raises(fem.InputError, match="belong to different nodes"):
        fem.from_matrices(tmp_path / "K.mtx", tmp_path / "M.mtx", shell.mesh.points, node_ids=ids)


def test_units_of_matrices(shell):
    """N, mm, t: forces in N, lengths in mm, masses in t, moments in N mm."""
    lever = np.tile([1.0] * 3 + [1e3] * 3, shell.mesh.n_nodes)
    K = shell.K.toarray() * np.outer(lever, lever) * 1e-3  # N/mm
    M = shell.M.toarray() * np.outer(lever, lever) * 1e-3  # t
    same(fem.from_matrices(K, M, 1e3 * shell.mesh.points, units="mm"), shell, 1e-13)


def test_node_sets_by_numbers(bar):
    ids = 10 * (1 + np.arange(bar.mesh.n_nodes))
    end = ids[bar.mesh.nodes_of("x1")]
    found = fem.from_matrices(bar.K, bar.M, bar.mesh.points, node_ids=ids, node_sets={"tip": end})
    assert (found.mesh.nodes_of("tip") == bar.mesh.nodes_of("x1")).all()
    static = fem.static(found, {"10": "all", "20": "all", "30": "all"}, fem.Force("tip", (1.0, 0, 0)))
    assert np.isfinite(static.u).all()


# ---- checks --------------------------------------------------------------------------------------------------


def refused(message, K, M, points, **options):
    with pytest.raises(fem.InputError, match=message):
        fem.from_matrices(K, M, points, **options)


def test_wrong_matrices_are_refused_in_words(bar, shell):
    K, M, x = bar.K, bar.M, bar.mesh.points
    lopsided = K.copy().tolil()
    lopsided[0, 1] += 0.01 * abs(K).max()
    refused(r"not symmetric: entries \(\d+, \d+\)", lopsided.tocsr(), M, x)
    refused("square", K[:5], M, x)
    refused("same unknowns", K, M[:3][:, :3], x)
    refused("not finite", K * np.nan, M, x)
    refused("neither three nor six", K, M, x[:-1])
    refused("supports in the matrices", K + sp.csr_array(sp.diags_array(np.eye(1, bar.n)[0] * 1e8)), M, x)
    refused("points= are missing", K, M, None)
    refused("do points= belong", K, M, x[::-1])
    refused("negative entry", K, -M, x)
    refused("a mass of 0 kg", K, 0 * M, x)
    refused("positions", K, M, "no points")
    refused("lacks", K, M, x, dofs=[(node, k + (k == 3)) for node, k in labels_of(bar)])
    refused("labels two rows", K, M, x, dofs=[(1, 1)] * bar.n)
    refused("does not hold", K, M, x, dofs=[(node + 500, k) for node, k in labels_of(bar)])
    refused("multiplied by 0.001 they fit", shell.K, shell.M, 1e3 * shell.mesh.points)
    refused("complex numbers", K * (1 + 0.02j), M, x)
    refused("one triangle only", sp.triu(K), M, x)
    refused("Is it another matrix, such as a stiffness", K, K, x)
    refused("stand at one place", K, M, np.zeros_like(x))
    refused(r"fem.read_mesh\('bar.inp'\)", K, M, "bar.inp")
    refused("above zero or None, not -3", K, M, x, mass=-3.0)
    i, j = (int(at[(M.tocoo().coords[0] != M.tocoo().coords[1]).argmax()]) for at in M.tocoo().coords)
    coupled = M.tolil()
    coupled[i, j] = coupled[j, i] = 3 * M.diagonal().max()  # M_ij^2 > M_ii M_jj
    refused(
        rf"mass matrix has negative eigenvalues: its entry \(({i + 1}, {j + 1}|{j + 1}, {i + 1})\)",
        K,
        coupled,
        x,
    )


def test_a_stiffness_with_a_negative_eigenvalue_is_named_at_its_first_use(bar):
    values, V = np.linalg.eigh(bar.K.toarray())
    K = bar.K.toarray() - 1.1 * values[6] * np.outer(V[:, 6], V[:, 6])  # the softest elastic motion
    given = fem.from_matrices(K, bar.M, bar.mesh)
    with pytest.raises(fem.InputError, match="number of its negative eigenvalues is 1"):
        fem.vibration(given, n=1)


def test_doubtful_masses_give_a_warning(bar):
    with pytest.warns(fem.FlexbodyWarning, match=r"mean density of 7\.85e-09"):
        fem.from_matrices(bar.K, 1e-12 * bar.M, bar.mesh)
    with pytest.warns(fem.FlexbodyWarning, match="not 80 kg"):
        fem.from_matrices(bar.K, bar.M, bar.mesh, mass=80.0)


@pytest.mark.parametrize("name", ["D", "C", "BAA", "b2gg", "K4XX", "viscous damping"])
def test_damping_that_is_not_read_is_told(name, bar, tmp_path, recwarn):
    arrays = {"K": bar.K.toarray(), "M": bar.M.toarray(), "points": bar.mesh.points}
    for damping, told in ((1e-5 * arrays["K"], True), (0.0 * arrays["K"], False)):
        np.savez(tmp_path / "bar.npz", **arrays, **{name: damping})
        fem.from_matrices(tmp_path / "bar.npz")
        assert any(f"damping matrix '{name}' is not read" in str(w.message) for w in recwarn) == told
        recwarn.clear()


def test_units_that_do_not_fit_are_doubted(bar, recwarn):
    """Steel: 7850 kg/m^3, and sqrt(E / rho) = 5172 m/s; K in N/mm and M in t are each 1e-3 of those in SI."""
    fem.from_matrices(bar.K, bar.M, bar.mesh.points)
    fem.from_matrices(bar.K, bar.M, bar)
    assert not recwarn
    with pytest.warns(fem.FlexbodyWarning, match=r"waves would pass .* faster than in any material"):
        fem.from_matrices(bar.K, 1e-3 * bar.M, bar.mesh.points)
    with pytest.warns(fem.FlexbodyWarning, match=r"density of 7\.85 kg/m\^3, less than a foam"):
        fem.from_matrices(1e-3 * bar.K, 1e-3 * bar.M, bar.mesh)
    with pytest.warns(fem.FlexbodyWarning, match=r"ratio 0\.001\); K is 0\.001 times as stiff.*SI units"):
        fem.from_matrices(1e-3 * bar.K, 1e-3 * bar.M, bar)
    with pytest.warns(
        fem.FlexbodyWarning, match=r"\(ratio 1\.01\)$"
    ):  # masses that are no part of the elements
        fem.from_matrices(bar.K, 1.01 * bar.M, bar)


def test_units_of_few_nodes_in_a_plane_or_on_a_line_are_doubted(recwarn):
    """Two nodes with 2 kg, 0.3 m and 300 m (300 mm) apart, between them a rod of EA = 4.2e7 N with inner motions."""
    for length, doubted in ((0.3, False), (300.0, True)):
        block = 4.2e7 / length * np.diag([1.0, 0, 0, 0, 0, 0])
        K = np.block([[block, -block], [-block, block]])
        M = np.diag([1.0, 1.0, 1.0, 1e-3, 1e-3, 1e-3] * 2)
        fem.from_matrices(K, M, [[0, 0, 0], [length, 0, 0]], dofs=6)
        assert any("less than a wire has" in str(one.message) for one in recwarn) == doubted


def test_retained_nodes_of_a_superelement_do_not_span_its_body(bar, recwarn):
    """Four nodes in a corner; internal coordinates are the motions of the others beside the corner's mean one.

    All 47.1 kg within the hull of the corner, a tetrahedron of 4.2e-5 m^3, would be 1.1e6 kg/m^3.
    """
    x = bar.mesh.points
    places = ([0, 0, 0], [1 / 6, 0, 0], [0, 0.05, 0], [0, 0, 0.03])
    corner = np.array([int(np.argmin(np.linalg.norm(x - place, axis=1))) for place in places])
    kept = (3 * corner[:, None] + np.arange(3)).ravel()
    others = np.setdiff1d(np.arange(bar.n), kept)
    R = bar.rigid_modes()
    X = np.zeros((bar.n, bar.n))
    X[kept, : len(kept)] = np.eye(len(kept))
    X[others, : len(kept)] = R[others] @ np.linalg.pinv(R[kept])
    X[others, len(kept) :] = np.eye(len(others))
    dofs = [(k + 1, c + 1) for k in range(4) for c in range(3)] + [(100 + k, 0) for k in range(len(others))]
    found = fem.from_matrices(X.T @ bar.K @ X, X.T @ bar.M @ X, x[corner], dofs=dofs)
    np.testing.assert_allclose(found.mass, bar.mass)
    assert not recwarn


@pytest.mark.parametrize("decimals", [6, 12])
def test_matrices_with_few_digits(bar, decimals, recwarn):
    """Digits of a text file: a warning from 1e-8 on, an error from 1e-5 on, of the largest force."""
    rounded = bar.K.copy()
    rounded.data = np.array([float(f"{v:.{decimals}e}") for v in rounded.data])
    again = fem.from_matrices(rounded, bar.M, bar.mesh)
    assert any("resists rigid motions by its rounding" in str(w.message) for w in recwarn) == (decimals == 6)
    np.testing.assert_allclose(again.mass, bar.mass)


@pytest.mark.parametrize("nodes", ["points", "mesh"])
def test_what_needs_elements_says_so(bar, nodes):
    """No stress, and no geometric stiffness of zero, in silence; a given K_G is taken."""
    sets = {} if nodes == "mesh" else {name: bar.mesh.nodes_of(name) + 1 for name in ("x0", "x1")}
    alone = fem.from_matrices(bar.K, bar.M, bar.mesh if nodes == "mesh" else bar.mesh.points, node_sets=sets)
    pull = fem.Force("x1", (1e5, 0, 0))
    solution = fem.static(alone, "x0", pull)
    calls = {
        "stress": lambda: fem.stress(alone, solution.u),
        "strain": lambda: fem.strain(alone, solution.u),
        "geometric stiffness": lambda: fem.geometric_stiffness(alone, solution.u),
        "geometric stiffness that is not given": lambda: fem.preloaded(alone, solution),
        "geometric stiffness that is not": lambda: fem.preloaded(alone, np.ones((alone.mesh.n_nodes, 6))),
        "buckling": lambda: fem.buckling(alone, "x0", pull),
    }
    for what, call in calls.items():
        with pytest.raises(fem.InputError, match=f"{what}.* needs elements, .* known by its matrices alone"):
            call()
    K_G = fem.geometric_stiffness(bar, fem.static(bar, "x0", pull).u)
    same(fem.preloaded(alone, K_G), fem.preloaded(bar, K_G))
    assert "likely wrong  nothing found" in alone.mesh.report()


# ---- damaged files -------------------------------------------------------------------------------------------


def written(bar, shell, folder):
    coordinate(bar.K, folder / "a.mtx")
    matrix_input(bar.K, labels_of(bar), folder / "b.mtx")
    (folder / "c.pch").write_text(dmig({"KAAX": shell.K}, labels_of(shell), 16))
    (folder / "d.op4").write_text(output4.text({"KAA": bar.K}, "sparse"))
    (folder / "e.op4").write_text(output4.text({"KAA": bar.K}, "bigmat"))
    return sorted(folder.iterdir())


def test_random_damage_gives_matrices_or_one_error(bar, shell, tmp_path):
    rng = np.random.default_rng(6)
    for path in written(bar, shell, tmp_path):
        text = path.read_text()
        for _ in range(15):
            damaged = list(text[: rng.integers(len(text))] if rng.random() < 0.5 else text)
            for at in rng.integers(len(damaged), size=min(3, len(damaged))):
                damaged[at] = rng.choice(list("0123456789,.- EDx\n"))
            path.write_text("".join(damaged))
            try:
                read_matrices(path)
            except fem.FileError as error:
                assert re.search(re.escape(path.name), str(error))  # noqa: PT017 (any other error fails)


def test_damaged_lines_are_named(bar, shell, tmp_path):
    for path in written(bar, shell, tmp_path):
        lines = path.read_text().splitlines()
        at = len(lines) // 2
        path.write_text("\n".join([*lines[:at], "9 damaged", *lines[at:]]))
        with pytest.raises(fem.FileError, match=r"line \d+"):
            read_matrices(path)
