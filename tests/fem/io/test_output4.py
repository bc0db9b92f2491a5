"""OUTPUT4 files of Nastran, text and binary, in all their forms."""

import numpy as np
import pytest
import scipy
from support.output4 import binary, text

import fem
from fem.io.matrices.output4 import read_op4

STEEL = fem.Isotropic(E=210e9, nu=0.3, rho=7850.0)
FORMS = ["dense", "sparse", "bigmat"]


@pytest.fixture(scope="module")
def bar():
    return fem.assemble(fem.box((1.0, 0.1, 0.06), (3, 1, 1), "hex8"), STEEL)


@pytest.mark.parametrize("form", FORMS)
def test_text(bar, form, tmp_path):
    path = tmp_path / "part.op4"
    path.write_text(text({"KAA": bar.K, "MAA": bar.M}, form))
    for pair in ((path,), ((path, "KAA"), (path, "MAA"))):
        found = fem.from_matrices(*pair, points=bar.mesh)
        np.testing.assert_allclose(found.K.toarray(), bar.K.toarray(), rtol=1e-15, atol=1e-6)
        np.testing.assert_allclose(found.M.toarray(), bar.M.toarray(), rtol=1e-15, atol=1e-15)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(
    ("order", "word", "single"), [("<", 4, False), (">", 4, True), ("<", 8, False), (">", 8, True)]
)
def test_binary(bar, form, order, word, single, tmp_path):
    path = tmp_path / "part.op4"
    path.write_bytes(binary({"KAA": bar.K, "LONGNAME": bar.M}, form, order, word, single))
    found = read_op4(path).matrices
    rounding = 1e-7 if single and word == 4 else 0
    for name, exact in (("KAA", bar.K), ("LONGNAME", bar.M)):
        np.testing.assert_allclose(found[name].toarray(), exact.toarray(), rtol=rounding, atol=0)


def test_external_superelements_of_nastran(bar, tmp_path):
    """EXTSEOUT with MATOP4: the punch file of the same name has the order of rows, the grid points and their axes."""
    import modal

    body = modal.reduce(bar, modal.craig_bampton(bar, ("x0", "x1"), n_normal=2), stress=False)
    given = fem.from_matrices(body.export(tmp_path / "bar.npz"))
    turn = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # axes of system 10, as rows
    B = scipy.sparse.block_diag([np.eye(6), turn, turn, np.eye(given.n - 12)], format="csr")
    matrices = {"KXX": B @ given.K @ B.T, "MXX": B @ given.M @ B.T, "MEE1": np.ones((1, 1))}
    matrices = {name: scipy.sparse.csr_array(A) for name, A in matrices.items()}
    (tmp_path / "part.op4").write_text(text(matrices, "dense"))
    inner = "".join(f",{501 + k},0" for k in range(given.n - 12))
    cards = [
        "DTI,SELOAD,1,2",
        "CORD2R,10,,0.,0.,0.,0.,1.,0.",
        ",0.,0.,1.",
        f"EXTRN,3,123456,11,123456{inner}",
    ]
    for number, point, system in zip((3, 11), given.mesh.points, ("", 10), strict=True):
        cards.append(f"GRID,{number},,{','.join(f'{x:.12f}' for x in point)},{system}")
    (tmp_path / "part.pch").write_text("\n".join(["$TITLE = part", *cards, ""]))
    found = fem.from_matrices(tmp_path / "part.op4")
    assert found.mesh.node_ids.tolist() == [3, 11]
    np.testing.assert_allclose(found.mesh.points, given.mesh.points, atol=1e-12)
    np.testing.assert_allclose(found.K.toarray(), given.K.toarray(), atol=1e-12 * abs(given.K).max())
    np.testing.assert_allclose(found.M.toarray(), given.M.toarray(), atol=1e-12 * abs(given.M).max())
    (tmp_path / "part.pch").write_text("\n".join([*cards, "EXTRN,x,1", ""]))
    with pytest.raises(fem.FileError, match=r"part.pch, line 7: field 2 holds 'X'"):
        fem.from_matrices(tmp_path / "part.op4")


def test_wide_headers_and_matrices_that_are_passed_over(tmp_path):
    """A header for many columns ends with |I16; its records stay as they are. Rectangular matrices are no structure."""
    path = tmp_path / "part.op4"
    lines = [f"{2:16d}{3:16d}{2:8d}{1:8d}{'RECT':<8}1p,3e23.16|I16", f"{1:8d}{1:8d}{1:8d}", f"{5.0:23.16E}"]
    lines += [f"{3:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]
    path.write_text("\n".join([*lines, ""]))
    with pytest.raises(fem.FileError, match=r"part\.op4 holds no real square matrix"):
        read_op4(path)
    lines += [f"{1:16d}{-1:16d}{2:8d}{2:8d}{'K':<8}1p,3d23.16|I16", f"{1:8d}{0:8d}{4:8d}", f"{3:8d}{1:8d}"]
    lines += [f"{7.0:23.16E}".replace("E", "D"), f"{2:8d}{1:8d}{1:8d}", f"{1.0:23.16E}"]
    path.write_text("\n".join([*lines, ""]))
    assert read_op4(path).matrices["K"].toarray().tolist() == [[7.0]]


def test_damaged_files_give_matrices_or_one_error(bar, tmp_path):
    path = tmp_path / "part.op4"
    rng = np.random.default_rng(6)
    for form in FORMS:
        data = binary({"K": bar.K}, form)
        for cut in rng.integers(4, len(data) - 1, 15):
            path.write_bytes(data[:cut])
            with pytest.raises(fem.FileError, match=r"part\.op4: this is not a complete OUTPUT4 file"):
                read_op4(path)
            damaged = bytearray(data)
            damaged[cut] ^= 1 << int(rng.integers(8))
            path.write_bytes(damaged)
            try:
                read_op4(path)
            except fem.FileError as error:
                assert "part.op4" in str(error)  # noqa: PT017 (any other error fails)
