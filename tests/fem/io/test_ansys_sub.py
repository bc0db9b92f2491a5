"""Superelements of ANSYS (.sub), written by the published description (``tests/support/ansys_sub.py``)."""

import re

import numpy as np
import pytest
from support.ansys_sub import INTEGERS, sub

import fem
from fem.io.matrices.files import read_matrices

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
ALL = (1, 2, 3, 4, 5, 6)


@pytest.fixture(scope="module")
def bar():
    return fem.assemble(fem.box((1.0, 0.1, 0.06), (3, 1, 1)), STEEL)


@pytest.fixture(scope="module")
def shell():
    points = [[x, y, 0.1 * x * x] for x in np.linspace(0, 1, 4) for y in (0.0, 0.2)]
    quads = [[2 * i, 2 * i + 2, 2 * i + 3, 2 * i + 1] for i in range(3)]
    return fem.assemble(fem.Mesh(points, (fem.Block("quad4", quads),)), fem.Shell(STEEL, 0.02))


def file_of(structure, ids=None, **options):
    """The bytes of a file of a structure whose nodes have the numbers ``ids``, in ascending order of these."""
    n = structure.mesh.n_nodes
    unknowns = ALL[: structure.n // n]
    ids = list(range(1, n + 1)) if ids is None else list(ids)
    order = np.argsort(ids)
    rows = (len(unknowns) * order[:, None] + np.arange(len(unknowns))).ravel()
    given = options.pop("matrices", {"K": structure.K.toarray(), "M": structure.M.toarray()})
    labels = [(ids[k], c) for k in order for c in unknowns]
    return sub(
        {name: A[np.ix_(rows, rows)] for name, A in given.items()},
        [ids[k] for k in order],
        structure.mesh.points[order],
        unknowns,
        labels,
        **options,
    )


def frequencies(K, M):
    inverse = np.linalg.inv(np.linalg.cholesky(M))
    return np.sqrt(np.linalg.eigvalsh(inverse @ K @ inverse.T)[6:]) / (2 * np.pi)


@pytest.mark.parametrize("rows", ["whole", "lower", "upper"])
@pytest.mark.parametrize(("order", "packed"), [("<", False), ("<", True), (">", False)])
def test_matrices_nodes_and_frequencies_are_those_that_were_written(bar, rows, order, packed, tmp_path):
    (tmp_path / "part.sub").write_bytes(file_of(bar, rows=rows, order=order, packed=packed))
    found = fem.from_matrices(tmp_path / "part.sub")
    for name in ("K", "M"):
        A, B = (getattr(s, name).toarray() for s in (found, bar))
        assert np.abs(A - B).max() <= 1e-15 * np.abs(B).max()
    np.testing.assert_array_equal(found.mesh.points, bar.mesh.points)
    np.testing.assert_allclose(found.mass, bar.mass, rtol=1e-12)
    if rows == "whole":
        expected = frequencies(bar.K.toarray(), bar.M.toarray())[:4]  # by NumPy
        np.testing.assert_allclose(fem.vibration(found, n=4).frequencies_hz, expected, rtol=1e-8)


def test_numbers_of_nodes_are_kept_and_points_may_be_given(shell, tmp_path):
    ids = [70, 3, 999, 12, 500, 8, 41, 42]
    (tmp_path / "part.sub").write_bytes(file_of(shell, ids))
    for points in ({}, {"points": shell.mesh.points, "node_ids": ids}):
        found = fem.from_matrices(tmp_path / "part.sub", **points)
        assert found.mesh.nodes_of("999").tolist() == [found.mesh.node_ids.tolist().index(999)]
        at = {k: found.mesh.points[i].tolist() for i, k in enumerate(found.mesh.node_ids.tolist())}
        assert at == {k: shell.mesh.points[i].tolist() for i, k in enumerate(ids)}
        np.testing.assert_allclose(found.inertia, shell.inertia, rtol=1e-9, atol=1e-9 * shell.inertia.max())


@pytest.mark.parametrize("kinds", [32, 64])
def test_rows_that_are_numbered_by_all_kinds_of_unknowns(kinds, bar, shell, tmp_path):
    for structure in (bar, shell):
        (tmp_path / "part.sub").write_bytes(file_of(structure, kinds=kinds))
        found = fem.from_matrices(tmp_path / "part.sub")
        assert np.abs(found.K - structure.K).max() <= 1e-15 * np.abs(structure.K).max()
        np.testing.assert_array_equal(found.mesh.points, structure.mesh.points)


def test_nodes_with_turned_axes(shell, tmp_path):
    """Angles THXY, THYZ, THZX: about z, then the new x, then the new y; rows are along the axes of the nodes."""
    n, rng = shell.mesh.n_nodes, np.random.default_rng(3)
    angles = rng.uniform(-180, 180, (n, 3)) * (rng.random(n) < 0.6)[:, None]
    T = np.zeros((shell.n, shell.n))
    for k, (xy, yz, zx) in enumerate(np.radians(angles)):
        axes = [np.eye(3)[0], np.eye(3)[1], np.eye(3)[2]]
        for angle, i in ((xy, 2), (yz, 0), (zx, 1)):  # Rodrigues' formula about an axis of the system itself
            u = axes[i]
            axes = [
                np.cos(angle) * e + np.sin(angle) * np.cross(u, e) + (1 - np.cos(angle)) * (u @ e) * u
                for e in axes
            ]
        for first in (6 * k, 6 * k + 3):
            T[first : first + 3, first : first + 3] = axes
    given = {name: T @ getattr(shell, name).toarray() @ T.T for name in "KM"}
    (tmp_path / "part.sub").write_bytes(file_of(shell, angles=angles, matrices=given))
    found = fem.from_matrices(tmp_path / "part.sub")
    for name in ("K", "M"):
        A, B = (getattr(s, name).toarray() for s in (found, shell))
        assert np.abs(A - B).max() <= 1e-14 * np.abs(B).max()


def test_reduction_with_coordinates_of_modes(bar, tmp_path):
    """Craig and Bampton's reduction: modes are the last rows, at a node of their own; frequencies are NumPy's."""
    K, M = bar.K.toarray(), bar.M.toarray()
    ends = np.concatenate([bar.mesh.nodes_of("x0"), bar.mesh.nodes_of("x1")])
    b = (3 * np.sort(ends)[:, None] + np.arange(3)).ravel()
    i = np.setdiff1d(np.arange(bar.n), b)
    values, modes = np.linalg.eig(np.linalg.solve(M[np.ix_(i, i)], K[np.ix_(i, i)]))
    modes = modes[:, np.argsort(values)[:4]]
    B = np.zeros((bar.n, len(b) + 4))
    B[b, np.arange(len(b))] = 1.0
    B[np.ix_(i, range(len(b)))] = -np.linalg.solve(K[np.ix_(i, i)], K[np.ix_(i, b)])
    B[np.ix_(i, range(len(b), len(b) + 4))] = modes
    K, M = B.T @ K @ B, B.T @ M @ B
    nodes = np.sort(ends) + 1
    labels = [(node, c) for node in nodes for c in (1, 2, 3)] + [(101, 1), (101, 2), (101, 3), (102, 1)]
    points = np.vstack([bar.mesh.points[np.sort(ends)], np.zeros((2, 3))])
    data = sub({"K": K, "M": M}, [*nodes, 101, 102], points, (1, 2, 3), labels, modes=4)
    (tmp_path / "part.sub").write_bytes(data)
    found = fem.from_matrices(tmp_path / "part.sub")
    assert (found.mesh.n_nodes, found.freedoms.internal) == (16, 4)
    np.testing.assert_allclose(fem.vibration(found, n=4).frequencies_hz, frequencies(K, M)[:4], rtol=1e-7)
    np.testing.assert_allclose(found.mass, bar.mass, rtol=1e-9)
    data = sub({"K": K, "M": M}, [*nodes, 101, 102], points, (1, 2, 3), labels, modes=5)
    (tmp_path / "part.sub").write_bytes(data)
    with pytest.raises(fem.FileError, match="the last 5 rows are not those of its modes"):
        fem.from_matrices(tmp_path / "part.sub")


def test_damping_and_stress_stiffening_are_told(bar, tmp_path):
    K, M = bar.K.toarray(), bar.M.toarray()
    (tmp_path / "part.sub").write_bytes(file_of(bar, matrices={"K": K, "M": M, "D": 1e-5 * K, "S": 0.1 * K}))
    with pytest.warns(fem.FlexbodyWarning) as told:
        found = fem.from_matrices(tmp_path / "part.sub")
    said = " ".join(str(one.message) for one in told)
    assert "damping matrix 'D' is not read" in said
    assert "stress stiffening matrix is not used; give that of a preload to fem.preloaded" in said
    assert np.abs(found.K.toarray() - K).max() <= 1e-15 * K.max()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"i1": 9}, "sparse matrices, which are not read; write its matrices as text"),
        ({"i1": 4}, "not a .sub file: its second header begins with 4"),
        ({"i2": 0}, "0 rows"),
        ({"i2": 131}, "132 items instead of 131"),
        ({"i3": 3}, "3 matrices and names 'K', 'M'"),
        ({"i11": 0}, "2 matrices and names 'M'"),
        ({"i21": 1}, "moved by SETRAN or SESYMM"),
        ({"i22": 5}, "byte 20: the record of row 1 of K"),
        ({"i22": 0}, "byte 0: the record of row 1 of K does not hold real numbers"),
        ({"i31": 10**9}, "byte 4000000000: the record of the unknowns of a node lies outside the file"),
        ({"i39": 1}, "thermal"),
        ({"i44": 132}, "132 modes among 132 rows"),
        ({"i45": 2}, "plane or axisymmetric"),
        ({"i9": 17}, "byte 768: the record of the nodes has 44 items instead of 17"),
    ],
)
def test_what_is_not_read_is_refused_by_name(bar, options, said, tmp_path):
    (tmp_path / "part.sub").write_bytes(file_of(bar, **options))
    with pytest.raises(fem.FileError, match=f"part.sub.*({said})"):
        fem.from_matrices(tmp_path / "part.sub")


def test_a_file_without_mass_says_that_it_is_missing(bar, tmp_path):
    (tmp_path / "part.sub").write_bytes(file_of(bar, matrices={"K": bar.K.toarray()}))
    with pytest.raises(fem.InputError, match="M= is missing"):
        fem.from_matrices(tmp_path / "part.sub")


def test_other_files_and_compressed_records_are_refused(bar, tmp_path):
    path = tmp_path / "part.sub"
    path.write_bytes(b"CCCC, not a binary file of ANSYS")
    with pytest.raises(fem.FileError, match="not a binary file of ANSYS"):
        read_matrices(path)
    data = bytearray(file_of(bar))
    data[4 * 104 : 4 * 105] = (INTEGERS | 1 << 29).to_bytes(4, "little")  # the flag of zlib
    path.write_bytes(data)
    with pytest.raises(fem.FileError, match=r"byte 412: .* is compressed.*/FCOMP,SUB,0"):
        read_matrices(path)


def test_unsymmetric_matrices_are_refused(bar, tmp_path):
    K = bar.K.toarray()
    K[0, 5] += 0.01 * K.max()
    (tmp_path / "part.sub").write_bytes(file_of(bar, matrices={"K": K, "M": bar.M.toarray()}, i10=1))
    with pytest.raises(fem.InputError, match="not symmetric"):
        fem.from_matrices(tmp_path / "part.sub")


@pytest.mark.parametrize("packed", [False, True])
def test_damaged_files_give_one_error_with_a_place(bar, packed, tmp_path):
    path, rng = tmp_path / "part.sub", np.random.default_rng(8)
    data = file_of(bar, packed=packed)
    places = 0
    for _ in range(60):
        damaged = bytearray(data[: rng.integers(len(data))] if rng.random() < 0.4 else data)
        for at in rng.integers(1 + min(4 * 330, len(damaged) - 1), size=3 if len(damaged) else 0):
            damaged[at] = rng.integers(256)
        path.write_bytes(damaged)
        try:
            read_matrices(path)
        except fem.FileError as error:
            assert path.name in str(error)  # noqa: PT017 (any other error fails)
            places += bool(re.search(r"byte \d+", str(error)))
    assert places > 15


def test_as_a_mesh_it_is_told_who_reads_it(bar, tmp_path):
    (tmp_path / "part.sub").write_bytes(file_of(bar))
    with pytest.raises(fem.FileError, match=r"'\.sub' is not one of .*fem\.from_matrices reads them"):
        fem.read_mesh(tmp_path / "part.sub")


def test_a_reduced_body_of_a_superelement_runs_as_that_of_its_matrices(shell, tmp_path):
    """Base functions, frame and inertia integrals work from the file as from the matrices themselves."""
    import modal

    (tmp_path / "part.sub").write_bytes(file_of(shell))
    ends = ("1", "8")
    bodies = [
        modal.reduce(structure, modal.craig_bampton(structure, ends, n_normal=2))
        for structure in (
            fem.from_matrices(tmp_path / "part.sub"),
            fem.from_matrices(shell.K, shell.M, shell.mesh.points),
        )
    ]
    for name in ("C8", "K"):
        A, B = (np.asarray(getattr(body, name)) for body in bodies)
        np.testing.assert_allclose(np.linalg.eigvalsh(A), np.linalg.eigvalsh(B), rtol=1e-7)
