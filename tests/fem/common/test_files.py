"""New files appear only when complete: plain ones and HDF5."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import h5py
import numpy as np
import pytest

import fem
from fem.common.files import check_place, check_room, new_file
from fem.common.hdf5 import reading, writing


def test_a_new_file_takes_its_name_after_the_block(tmp_path):
    path = tmp_path / "film.mp4"
    with new_file(path) as partial:
        assert partial.suffix == ".mp4"  # encoders choose their format by it
        partial.write_text("all of it")
        assert not path.exists()
    assert path.read_text() == "all of it"
    assert os.listdir(tmp_path) == ["film.mp4"]


@pytest.mark.parametrize("failure", [ValueError, KeyboardInterrupt, SystemExit])
def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path, failure):
    path = tmp_path / "film.mp4"
    path.write_text("old")
    with pytest.raises(failure, match="in the middle"), new_file(path) as partial:
        partial.write_text("half")
        raise failure("in the middle")
    assert path.read_text() == "old"
    assert os.listdir(tmp_path) == ["film.mp4"]


def test_permissions_are_those_of_any_new_file(tmp_path):
    (tmp_path / "plain").touch()
    with new_file(tmp_path / "ours"):
        pass
    assert (tmp_path / "ours").stat().st_mode == (tmp_path / "plain").stat().st_mode


def test_a_place_that_can_not_be_written_is_refused_before_the_work(tmp_path):
    (tmp_path / "file").touch()
    for path, words in (
        (tmp_path / "none" / "a.h5", "does not exist"),
        (tmp_path, "it is a folder"),
        (tmp_path / "file" / "a.h5", "does not exist"),
    ):
        with pytest.raises(fem.FileError, match=words), new_file(path):
            pytest.fail("the block must not run")


def test_hdf5_comes_back_with_what_it_is(tmp_path):
    path = tmp_path / "a.h5"
    with writing(path, "result", version=2) as file:
        file["t"] = [0.0, 1.0]
    with reading(path, "result", version=2) as file:
        assert list(file["t"]) == [0.0, 1.0]
        assert file.attrs["units"].startswith("SI")
    assert os.listdir(tmp_path) == ["a.h5"]


def test_an_interrupted_hdf5_leaves_nothing(tmp_path):
    stopped = pytest.raises(KeyboardInterrupt, match="in the middle")
    with stopped, writing(tmp_path / "a.h5", "result", version=1) as file:
        file["t"] = [0.0]
        raise KeyboardInterrupt("in the middle")
    assert os.listdir(tmp_path) == []


def test_other_files_are_refused_by_name(tmp_path):
    path = tmp_path / "a.h5"
    with pytest.raises(fem.FileError, match="no file"), reading(path, "result", 1):
        pass
    path.write_text("not HDF5 at all")
    with pytest.raises(fem.FileError, match="not an HDF5 file"), reading(path, "result", 1):
        pass
    with h5py.File(path, "w") as file:
        file["t"] = [0.0]
    with (
        pytest.raises(fem.FileError, match="flexbody result, but something else"),
        reading(path, "result", 1),
    ):
        pass
    with writing(path, "reduced body", version=3):
        pass
    with pytest.raises(fem.FileError, match="but reduced body"), reading(path, "result", 1):
        pass
    with (
        pytest.raises(fem.FileError, match=r"schema version 3.*newer flexbody"),
        reading(path, "reduced body", 2),
    ):
        pass


def test_a_truncated_file_is_damaged(tmp_path):
    path = tmp_path / "a.h5"
    with writing(path, "result", version=1) as file:
        file["t"] = list(range(10_000))
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(fem.FileError, match="damaged"), reading(path, "result", 1):
        pass


SEAL = 48  # bytes: the mark and the checksum at the end of a file


def test_each_changed_bit_is_noticed(tmp_path):
    """Also in arrays and attributes that HDF5 itself has no checksum for."""
    path = tmp_path / "a.h5"
    with writing(path, "result", version=1) as file:
        file["t"] = np.arange(50.0)
        file.attrs["step"] = 1e-3
    data = path.read_bytes()
    for where in np.random.default_rng(5).integers(len(data) - SEAL, size=60):
        changed = bytearray(data)
        changed[where] ^= 1 << int(where % 8)
        path.write_bytes(changed)
        with pytest.raises(fem.FileError, match="damaged"), reading(path, "result", 1) as file:
            pass


def test_each_cut_is_noticed(tmp_path):
    path = tmp_path / "a.h5"
    with writing(path, "result", version=1) as file:
        file["t"] = np.arange(50.0)
    data = path.read_bytes()
    size = len(data) - SEAL
    inside_the_seal = range(
        size + 4, len(data)
    )  # up to three bytes of it are not told from bytes of another program
    for kept in (0, 1, 7, 100, *range(size - 12, size), *inside_the_seal):
        path.write_bytes(data[:kept])
        with pytest.raises(fem.FileError, match="damaged"), reading(path, "result", 1) as file:
            pass


def test_a_file_that_another_program_has_changed_is_read(tmp_path):
    """HDF5 cuts the checksum off when it opens a file to write."""
    path = tmp_path / "a.h5"
    with writing(path, "result", version=1) as file:
        file["t"] = np.arange(5.0)
    with h5py.File(path, "r+") as file:
        file["t"][0] = 7.0
    with reading(path, "result", 1) as file:
        assert file["t"][0] == 7.0


FULL = """
import resource, sys, numpy as np
from fem.common.hdf5 import writing
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
with writing(sys.argv[1], "result", 1) as file:
    for k in range(100):
        file.create_dataset(f"group{k}/t", data=np.random.default_rng(k).normal(size=1000), compression="gzip")
"""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_a_disk_that_becomes_full_is_one_clean_error(tmp_path):
    """A limit on the size of files stands for the full disk; nothing of HDF5 is said, and nothing is left."""
    ran = subprocess.run(
        [sys.executable, "-c", FULL, str(tmp_path / "a.h5")],
        env={**os.environ, "PYTHONPATH": str(Path(fem.__file__).parents[1])}, capture_output=True, text=True,
    )  # fmt: skip
    assert ran.stderr.splitlines()[-1].endswith(f"FileError: can't write {tmp_path / 'a.h5'}: File too large")
    for word in ("HDF5-DIAG", "h5py", "synchronously", "During handling"):
        assert word not in ran.stderr
    assert os.listdir(tmp_path) == []


def test_a_disk_without_room(tmp_path, monkeypatch):
    monkeypatch.setattr(shutil, "disk_usage", lambda folder: (10**9, 10**9, 3_000_000))
    check_room(tmp_path / "a.h5", 3e6, "")
    with pytest.raises(fem.FileError, match=r"about 4 MB, and .* has 3 MB free; free space, or store less"):
        check_room(tmp_path / "a.h5", 2e6, "store less", copies=2)
    with pytest.raises(fem.FileError, match=r"about 2\.54 GB, and"):
        check_room(tmp_path / "a.h5", 2.544e9, "")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on the size of files")
def test_a_limit_on_the_size_of_files_is_named_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setattr("resource.getrlimit", lambda which: (3_000_000, 3_000_000))
    check_room(tmp_path / "a.h5", 2e6, "", copies=2)  # the limit holds for each file
    with pytest.raises(
        fem.FileError,
        match=r"needs about 4 MB, .* up to 3 MB here \(ulimit -f\); raise this limit, or store less",
    ):
        check_room(tmp_path / "a.h5", 4e6, "store less")


def test_a_message_about_a_place_stands_once(tmp_path):
    with pytest.raises(fem.FileError, match="can't write") as caught:
        check_place(tmp_path / "none" / "a.h5")
    assert str(caught.value).count("can't write") == 1


def test_a_file_without_an_entry_is_incomplete(tmp_path):
    path = tmp_path / "a.h5"
    with writing(path, "result", version=1):
        pass
    with pytest.raises(fem.FileError, match="incomplete"), reading(path, "result", 1) as file:
        file["t"]
