"""The value that dynamics gets, and its file."""

import copy
import dataclasses
import os
import pickle

import h5py
import numpy as np
import pytest
from numpy.polynomial import Polynomial
from scipy.spatial.transform import Rotation

import fem
import modal
from modal.body.store import ARRAYS

R = Rotation.from_rotvec([0.3, -1.1, 2.0]).as_matrix()


@pytest.fixture
def body():
    f = modal.assumed.quintic()
    return modal.assumed.beam(
        length=0.7, mass=1.3, EI=(40.0, 90.0), EA=7.0, polar_inertia=0.02, y=f[:2], z=f[1:3],
        x=[Polynomial([0, 1.0, 2.0])], frame=modal.Chord("start", "end"), markers={"a/b": 0.1}, name="beam",
    )  # fmt: skip


def same(one, other, exact=True):
    compare = np.testing.assert_array_equal if exact else (
        lambda a, b: np.testing.assert_allclose(a, b, rtol=1e-12, atol=1e-12)
    )  # fmt: skip
    for name in ARRAYS:
        compare(getattr(one, name), getattr(other, name))
    assert (one.name, one.frame, one.mass, one.mean, one.notes) == (
        other.name, other.frame, other.mass, other.mean, other.notes,
    )  # fmt: skip
    assert dict(one.provenance) == dict(other.provenance)
    assert list(one.markers) == list(other.markers)
    for key, marker in one.markers.items():
        for name in ("point", "Phi", "B", "has_rotation"):
            compare(getattr(marker, name), getattr(other.markers[key], name))
    for name in ("points", "Phi", "triangles"):
        compare(getattr(one.recovery, name), getattr(other.recovery, name))


class TestTurned:
    def test_to_and_fro(self, body):
        same(body.turned(R).turned(R.T), body, exact=False)

    def test_as_if_the_points_had_been_turned(self):
        """Against the integrals of turned points and base functions."""
        from modal.body.inertia import integrals

        rng = np.random.default_rng(1)
        x, Phi = rng.normal(size=(6, 3)), rng.normal(size=(6, 3, 3))
        mass = np.diag(rng.uniform(1, 2, 6))
        kinds = dict(name="", frame="Unchanged", origin=np.ones(3), K=np.eye(3), mean=False)
        body = modal.ReducedBody(**kinds, **integrals(x, Phi, mass).as_dict()).turned(R)
        expected = integrals(x @ R.T, np.einsum("ab,nbi->nai", R, Phi), mass)
        for name, value in expected.as_dict().items():
            np.testing.assert_allclose(getattr(body, name), value, rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(body.origin, R @ np.ones(3))

    def test_markers_and_surface(self, body):
        turned = body.turned(R)
        marker, old = turned.markers["a/b"], body.markers["a/b"]
        np.testing.assert_allclose(marker.point, R @ old.point)
        np.testing.assert_allclose(marker.Phi, R @ old.Phi)
        np.testing.assert_allclose(marker.B, R @ old.B)
        np.testing.assert_allclose(turned.recovery.points[7], R @ body.recovery.points[7])
        np.testing.assert_allclose(turned.recovery.Phi[7], R @ body.recovery.Phi[7])

    def test_frequencies_stay(self, body):
        np.testing.assert_allclose(body.turned(R).frequencies_hz, body.frequencies_hz, rtol=1e-12)

    @pytest.mark.parametrize("bad", [np.diag([1, 1, -1]), 2 * np.eye(3), np.eye(2), np.full((3, 3), np.nan)])
    def test_only_rotations(self, body, bad):
        with pytest.raises(fem.InputError, match="the rotation"):
            body.turned(bad)


class TestValue:
    def test_arrays_are_read_only(self, body):
        with pytest.raises(ValueError, match="read-only"):
            body.C8[0, 0] = 1
        with pytest.raises(TypeError, match="does not support item assignment"):
            body.markers["new"] = None

    def test_faults_are_listed_together(self, body):
        with pytest.raises(fem.InputError, match=r"'beam'.*mass is 0 kg.*K is not symmetric"):
            dataclasses.replace(body, mass=0, K=body.K + np.eye(5, k=1))
        with pytest.raises(fem.InputError, match=r"C4 of body 'beam' has the shape"):
            dataclasses.replace(body, C4=body.C2)
        with pytest.raises(fem.InputError, match="not finite"):
            dataclasses.replace(body, C6=np.full_like(body.C6, np.nan))
        with pytest.raises(fem.InputError, match="mean is set"):
            dataclasses.replace(body, mean=True)

    def test_an_unknown_marker_is_named(self, body):
        with pytest.raises(fem.InputError, match=r"no marker 'tip'.*'start', 'middle', 'end', 'a/b'"):
            body.marker("tip")

    def test_copies_and_pickles(self, body, tmp_path):
        same(pickle.loads(pickle.dumps(body)), body)
        same(copy.deepcopy(modal.load(body.save(tmp_path / "rod.h5"))), body)

    def test_report(self, body):
        text = body.report()
        for part in ("beam: 5 base functions", "1.3 kg", "Chord(start, end)", "Hz", "'a/b'"):
            assert part in text


class TestFile:
    def test_round_trip_to_the_bit(self, body, tmp_path):
        path = body.save(tmp_path / "rod.h5")
        same(modal.load(path), body)
        assert os.listdir(tmp_path) == ["rod.h5"]

    def test_a_body_without_surface(self, body, tmp_path):
        bare = dataclasses.replace(body, surface=None)
        assert modal.load(bare.save(tmp_path / "rod.h5")).recovery is None

    def test_turned_after_loading(self, body, tmp_path):
        path = body.save(tmp_path / "rod.h5")
        same(modal.load(path).turned(R).turned(R), body.turned(R).turned(R), exact=False)

    def test_a_loaded_body_saved_over_its_own_file(self, body, tmp_path):
        path = body.save(tmp_path / "rod.h5")
        modal.load(path).save(path)
        same(modal.load(path), body)

    def test_the_surface_is_read_when_asked_for(self, body, tmp_path):
        path = body.save(tmp_path / "rod.h5")
        loaded = modal.load(path)
        other = dataclasses.replace(body, name="other")
        other.save(path)
        with pytest.raises(fem.FileError, match="was replaced"):
            _ = loaded.recovery
        path.unlink()
        with pytest.raises(fem.FileError, match="no file"):
            _ = loaded.recovery

    def test_what_it_is_stands_in_it(self, body, tmp_path):
        with h5py.File(body.save(tmp_path / "rod.h5")) as file:
            assert file.attrs["kind"] == "reduced body"
            assert file.attrs["schema_version"] == 3
            assert file.attrs["units"].startswith("SI")
            assert file["core/C7"].shape == (5, 5, 3)

    def test_truncated_anywhere(self, body, tmp_path):
        path = body.save(tmp_path / "rod.h5")
        content = path.read_bytes()
        for share in (0.0, 0.1, 0.5, 0.9, 0.99):  # more leaves all but the checksum of 48 bytes
            path.write_bytes(content[: int(share * len(content))])
            with pytest.raises(fem.FileError, match=r"rod.h5"):
                modal.load(path)

    def test_changed_numbers_are_noticed(self, body, tmp_path):
        path = body.save(tmp_path / "rod.h5")
        content = bytearray(path.read_bytes())
        place = content.index(body.C5.tobytes()[:64])
        content[place + 6] ^= 1
        path.write_bytes(content)
        with pytest.raises(fem.FileError, match="damaged"):
            modal.load(path)

    def test_foreign_files(self, body, tmp_path):
        path = tmp_path / "rod.h5"
        with pytest.raises(fem.FileError, match="no file"):
            modal.load(path)
        path.write_text("*Node\n1, 0, 0, 0\n")
        with pytest.raises(fem.FileError, match="not an HDF5 file"):
            modal.load(path)
        with h5py.File(path, "w") as file:
            file["x"] = 1
        with pytest.raises(fem.FileError, match="does not hold a flexbody reduced body"):
            modal.load(path)
        body.save(path)
        with h5py.File(path, "a") as file:
            del file["core/C5"]
        with pytest.raises(fem.FileError, match="damaged"):
            modal.load(path)
        body.save(path)
        with h5py.File(path, "a") as file:
            file.attrs["schema_version"] = 99
        with pytest.raises(fem.FileError, match="newer"):
            modal.load(path)

    def test_nothing_half_written_stays(self, body, tmp_path, monkeypatch):
        path = body.save(tmp_path / "rod.h5")
        before = path.read_bytes()
        monkeypatch.setattr("modal.body.store._identity", lambda core: 1 / 0)
        with pytest.raises(ZeroDivisionError, match="division by zero"):
            dataclasses.replace(body, name="other").save(path)
        assert path.read_bytes() == before
        assert os.listdir(tmp_path) == ["rod.h5"]
        with pytest.raises(fem.FileError, match="does not exist"):
            body.save(tmp_path / "nowhere" / "rod.h5")
