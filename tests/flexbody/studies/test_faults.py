"""Studies whose workers, scheduler, disk or own process fail: nothing is lost, and nothing is computed twice."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

import flexbody as fb

pytest.importorskip("distributed", reason="the extra studies is not installed")

from flexbody.studies import store as stores
from flexbody.studies.cluster import worker_processes

pytestmark = pytest.mark.slow

N = 12
ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """Address and process of a scheduler of its own, with two worker processes."""
    place = tmp_path_factory.mktemp("cluster") / "scheduler.json"
    command = [sys.executable, "-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", "0"]
    quiet = {**os.environ, "DASK_LOGGING__DISTRIBUTED": "critical"}
    scheduler = subprocess.Popen([*command, "--no-dashboard", "--scheduler-file", str(place)], env=quiet)
    while not place.exists():
        assert scheduler.poll() is None
        time.sleep(0.05)
    address = json.loads(place.read_text())["address"]
    with worker_processes(address, 2):
        yield address, scheduler
    scheduler.kill()
    scheduler.wait()


class Hidden:
    """Holds what a study uses from outside and what may differ between its runs: an object without a dict."""

    __slots__ = ("held",)

    def __init__(self, held):
        self.held = held


def spinning(folder, happens=lambda rate: None, log="computed.txt"):
    """Return a study of a free body by its rate; each variant that is computed adds a line to a file at its end."""
    happening, lines = Hidden(happens), Hidden(Path(folder, log))

    def build(rate):
        happening.held(rate)
        return fb.System([fb.RigidBody("rotor", 1.0, (1.0, 1.0, 1.0), angular_velocity=(0, 0, rate))])

    def energy(result):
        found = result.energy.kinetic[-1]
        with open(lines.held, "a") as file:
            file.write(f"{np.sqrt(2 * found):.0f}\n")
        return found

    variants = fb.Grid({"rate": np.arange(1.0, N + 1)})
    return fb.Study(
        build,
        variants,
        {"energy": energy},
        analysis=lambda machine: fb.simulate(machine, 0.1, step=0.05),
        store=Path(folder, "study.zarr"),
    )


def computed(folder, log="computed.txt"):
    return Counter(int(line) for line in Path(folder, log).read_text().split())


def is_whole(found):
    """Whether every variant has its value: the kinetic energy J w^2 / 2 of the free body."""
    return found.done.all() and np.allclose(
        found.values("energy"), 0.5 * np.arange(1.0, N + 1) ** 2, rtol=1e-12
    )


def test_a_killed_worker_loses_nothing(cluster, tmp_path):
    def kill(rate):
        if rate == 7.0 and not (tmp_path / "killed").exists():
            (tmp_path / "killed").touch()
            os.kill(os.getpid(), signal.SIGKILL)

    found = spinning(tmp_path, kill).run(cluster[0])
    assert (tmp_path / "killed").exists()
    assert is_whole(found)
    # a result that only the killed worker held is computed again; the row is one
    assert len(computed(tmp_path)) == N


def test_a_scheduler_that_goes_stops_the_study_which_then_goes_on(cluster, tmp_path, caplog):
    scheduler = cluster[1].pid

    def kill(rate):
        if rate == 7.0 and not (tmp_path / "killed").exists():
            time.sleep(0.5)  # others are written in between
            (tmp_path / "killed").touch()
            os.kill(scheduler, signal.SIGKILL)

    study = spinning(tmp_path, kill)
    with pytest.raises(
        fb.FlexbodyError, match=r"the cluster is gone.* of 12 variants are in .*run the study again"
    ):
        study.run(cluster[0])
    assert not [r for r in caplog.records if r.name.startswith("distributed")], (
        "one error, no traceback of Dask"
    )
    before = stores.Store.opened(study.store, study._described())
    done = np.flatnonzero(before.status == stores.DONE) + 1
    assert 0 < len(done) < N
    # workers end what they began, and have no one to give it to
    assert is_whole(spinning(tmp_path, kill, "second.txt").run(processes=False))
    assert computed(tmp_path, "second.txt") == Counter(range(1, N + 1)) - Counter(done.tolist())


def test_a_killed_study_goes_on_and_repeats_nothing(tmp_path):
    """The process of the study is killed by its own variant 7; a second one computes those that are not stored."""
    script = tmp_path / "script.py"
    script.write_text(
        f"import sys, os, signal, time; sys.path.insert(0, {str(Path(__file__).parent)!r})\n"
        "from test_faults import spinning\n"
        f"spinning({str(tmp_path)!r}, lambda rate: rate == 7.0 and os.kill(os.getpid(), signal.SIGKILL))"
        ".run(workers=1, processes=False)\n"
    )
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    assert subprocess.run([sys.executable, script], env=environment).returncode == -signal.SIGKILL
    first = computed(tmp_path)
    assert first
    stored = stores.Store.opened(tmp_path / "study.zarr", spinning(tmp_path)._described())
    done = np.flatnonzero(stored.status == stores.DONE) + 1
    assert len(done)
    found = spinning(tmp_path).run(processes=False)
    assert is_whole(found)
    assert all(count == 1 for rate, count in computed(tmp_path).items() if rate in done)


def test_a_second_run_at_the_same_time_is_refused(tmp_path):
    def happens(rate):
        if rate == 7.0:  # the run goes on, and holds the store
            with pytest.raises(fb.FileError, match=r"another run writes to .*study\.zarr; wait for its end"):
                spinning(tmp_path, log="second.txt").run(processes=False)

    assert is_whole(spinning(tmp_path, happens).run(processes=False))
    assert set(computed(tmp_path).values()) == {1}


def test_a_full_disk_is_one_error_and_the_next_run_goes_on(tmp_path, monkeypatch):
    study, put, left = spinning(tmp_path), stores.Store._put, [9]

    def full(*arguments):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device")
        put(*arguments)

    monkeypatch.setattr(stores.Store, "_put", full)
    with pytest.raises(
        fb.FileError, match=r"study\.zarr: No space left on device; what was written before is kept"
    ):
        study.run(processes=False)
    monkeypatch.undo()
    assert is_whole(study.run(processes=False))


def test_a_variable_that_was_begun_only_is_begun_again(tmp_path, monkeypatch):
    """The disk is full, or the process killed, between a description and its checksum."""
    study, seal = spinning(tmp_path), stores.seal

    def full(description):
        if "energy" in description.parent.name:
            raise OSError(28, "No space left on device")
        seal(description)

    monkeypatch.setattr(stores, "seal", full)
    with pytest.raises(fb.FileError, match=r"study\.zarr: No space left on device"):
        study.run(processes=False)
    monkeypatch.undo()
    left = {one.name for one in study.store.iterdir() if "energy" in one.name}
    assert left == {".energy.part"}
    store = stores.Store.opened(study.store, study._described())
    assert set(store.dataset().variables) == {"rate", "status", "error", "warnings", "seconds"}
    assert is_whole(study.run(processes=False))
    assert "energy" in store.dataset().variables


def _json(path):
    """Return the content of a file, None if it is no JSON."""
    try:
        return json.loads(path.read_bytes())
    except ValueError:
        return None


def test_a_damaged_store_is_named_by_its_piece_and_mended_by_removing_it(tmp_path):
    """Each kind of file in turn; flipped values of a quantity were taken, and all else was an error of Zarr."""
    study = spinning(tmp_path)
    study.run(processes=False)
    described = study._described()
    pieces = [path for path in study.store.rglob("*") if path.name in ("0", "zarr.json")]
    assert len(pieces) > 10
    for path in pieces:
        content = path.read_bytes()
        at = len(content) // 2
        path.write_bytes(content[:at])
        with pytest.raises(fb.FileError, match="remove"):
            stores.Store.opened(study.store, described)
        if path.name == "0":
            path.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
            with pytest.raises(fb.FileError, match="damaged"):
                stores.Store.opened(study.store, described)
        if path.name == "zarr.json":
            for k in range(len(content) // 7, len(content), len(content) // 4):
                path.write_bytes(content[:k] + bytes([content[k] ^ 1]) + content[k + 1 :])
                if _json(path) != json.loads(content):
                    with pytest.raises(
                        fb.FileError, match=r"damaged|not the store|schema version|another study"
                    ):
                        stores.Store.opened(study.store, described)
        path.write_bytes(content)
    lost = study.store / "energy" / "c" / "0"
    for damage, words in (
        (lambda: lost.write_bytes(lost.read_bytes()[:-1]), "damaged"),
        (lost.unlink, "missing"),
    ):
        damage()
        with pytest.raises(
            fb.FileError, match=f"the values of 'energy' of variant.* are {words}; remove"
        ) as caught:
            study.run(processes=False)
        for place in re.findall(r"[^ ]*/c/0", str(caught.value)):
            Path(place).unlink(missing_ok=True)
        assert is_whole(study.run(processes=False))
