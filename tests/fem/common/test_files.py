"""New files appear only when complete: plain ones and HDF5."""

import os

import h5py
import pytest

import fem
from fem.common.files import new_file
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
    with pytest.raises(failure), new_file(path) as partial:
        partial.write_text("half")
        raise failure
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
    with pytest.raises(KeyboardInterrupt), writing(tmp_path / "a.h5", "result", version=1) as file:
        file["t"] = [0.0]
        raise KeyboardInterrupt
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


def test_a_file_without_an_entry_is_incomplete(tmp_path):
    path = tmp_path / "a.h5"
    with writing(path, "result", version=1):
        pass
    with pytest.raises(fem.FileError, match="incomplete"), reading(path, "result", 1) as file:
        file["t"]
