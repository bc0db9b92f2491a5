"""OUTPUT4 files of Nastran, text and binary, in all their forms."""

import numpy as np
import pytest
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
