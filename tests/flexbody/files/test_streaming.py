"""A run that writes its states while it goes on: killed, interrupted, failed, complete."""

import os
import re
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import h5py
import numpy as np
import pytest
from reference.machines import koppens_slider_crank, pendulum_machine
from support.chains import four_bars

import fem
import flexbody as fb
import flexbody.files.unfinished_file
import modal
from flexbody.analyses.run import Recording

ARRAYS = ("t", "c", "q", "all_alpha", "v", "vdot", "multipliers", "energies")

#: a pendulum whose law kills the process with SIGKILL at t = 0.3 s, or waits there for ever
VICTIM = """
import os, signal, sys, time
import flexbody as fb
bar = fb.RigidBody("bar", 1.0, (0.25, 0.25, 0.25), center=(0.5, 0, 0))
hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
started = []
def moment(t):
    if started and t > 0.3:
        if sys.argv[2] == "die":
            os.kill(os.getpid(), signal.SIGKILL)
        print("there", flush=True)
        time.sleep(60)
    return (0.0, 0.0, 1.0)
s = sys.modules["flexbody.analyses.simulate"]
begin = s.Recorder.go
def go(self, *args):
    started.append(True)
    begin(self, *args)
s.Recorder.go = go
machine = fb.System([bar], [hinge], [fb.PointMoment("motor", bar, moment)], gravity=(0, -9.81, 0))
fb.simulate(machine, 1.0, step=1e-3, output_step=1e-2, save=sys.argv[1])
"""


def victim(path: Path, how: str) -> subprocess.Popen:
    root = Path(fb.__file__).resolve().parents[1]
    return subprocess.Popen(
        [sys.executable, "-c", VICTIM, str(path), how],
        env={**os.environ, "PYTHONPATH": str(root)},
        stdout=subprocess.PIPE,
        text=True,
    )


def expected() -> fb.Result:
    """The same machine, not killed."""
    bar = fb.RigidBody("bar", 1.0, (0.25, 0.25, 0.25), center=(0.5, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    motor = fb.PointMoment("motor", bar, lambda t: (0.0, 0.0, 1.0))
    machine = fb.System([bar], [hinge], [motor], gravity=(0, -9.81, 0))
    return fb.simulate(machine, 0.3, step=1e-3, output_step=1e-2)


def same(one: fb.Result, other: fb.Result) -> None:
    for name in ARRAYS:
        np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


def in_a_file(array: np.ndarray) -> bool:
    """Tell whether an array is, or views, one that lies in a mapped file."""
    while array is not None and not isinstance(array, np.memmap):
        array = getattr(array, "base", None)
    return array is not None


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX")
def test_a_killed_run_leaves_all_that_it_stored(tmp_path):
    run = victim(tmp_path / "run.h5", "die")
    assert run.wait(timeout=120) == -signal.SIGKILL
    assert os.listdir(tmp_path) == ["run.unfinished.h5"]
    with pytest.raises(
        fb.FileError, match=r"there is no file .*run\.h5: its run was cut short.*run\.unfinished\.h5"
    ):
        fb.load_result(tmp_path / "run.h5")
    with pytest.warns(
        fb.FlexbodyWarning, match=r"cut short, or still goes on: it holds 31 states to t = 0\.3 s"
    ):
        rest = fb.load_result(tmp_path / "run.unfinished.h5")
    same(rest, expected())
    assert rest.statistics.interrupted
    np.testing.assert_array_equal(rest.reaction("hinge").force, expected().reaction("hinge").force)
    # kept under another name it is a complete result like any other
    rest.save(tmp_path / "saved.h5")
    same(fb.load_result(tmp_path / "saved.h5"), rest)


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="POSIX")
def test_a_run_can_be_read_while_it_goes_on(tmp_path):
    run = victim(tmp_path / "run.h5", "wait")
    try:
        assert run.stdout.readline() == "there\n"
        with pytest.warns(fb.FlexbodyWarning, match="holds 31 states"):
            same(fb.load_result(tmp_path / "run.unfinished.h5"), expected())
    finally:
        run.kill()
        run.wait()


@pytest.mark.parametrize("machine", [pendulum_machine, koppens_slider_crank])
def test_a_complete_run_leaves_its_file_alone(machine, tmp_path):
    """The same numbers as without a file; what is left of an earlier run is replaced."""
    system, _ = machine()
    (tmp_path / "run.h5").write_text("old")
    (tmp_path / "run.unfinished.h5").write_text("older")
    saved = fb.simulate(system, 0.01, step=1e-3, save=tmp_path / "run.h5")
    assert os.listdir(tmp_path) == ["run.h5"]
    same(saved, fb.simulate(system, 0.01, step=1e-3))
    same(saved, fb.load_result(tmp_path / "run.h5"))
    assert not in_a_file(saved.c)


def test_large_results_stay_in_the_file(tmp_path, monkeypatch):
    """Beyond a gigabyte the states are read from the disk as they are needed."""
    monkeypatch.setattr("flexbody.files.unfinished_file.LARGEST_IN_MEMORY", 1000)
    system, _ = pendulum_machine()
    result = fb.simulate(system, 0.01, step=1e-3, save=tmp_path / "run.h5")
    if os.name != "nt":
        assert in_a_file(result.c)
    same(result, fb.load_result(tmp_path / "run.h5"))


def test_an_interrupt(tmp_path, monkeypatch):
    """Ctrl-C: the file is complete as far as the run came."""
    store = Recording.store

    def stop(self, run):
        if run.t > 0.0045 and not stopped:
            stopped.append(run.t)
            raise KeyboardInterrupt
        return store(self, run)

    stopped: list[float] = []
    monkeypatch.setattr(Recording, "store", stop)
    system, _ = pendulum_machine()
    result = fb.simulate(system, 0.05, step=1e-3, save=tmp_path / "run.h5")
    assert result.statistics.interrupted
    np.testing.assert_allclose(result.t, np.arange(6) * 1e-3)
    assert os.listdir(tmp_path) == ["run.h5"]
    same(fb.load_result(tmp_path / "run.h5"), result)


def test_a_law_that_fails(tmp_path):
    """What was computed is in the error and in the file."""
    system, _ = pendulum_machine()

    def moment(t):
        if t > 0.05:
            raise ValueError("no more")
        return (0.0, 0.0, 0.0)

    failing = fb.PointMoment("motor", system.bodies[0], moment)
    machine = fb.System(system.bodies, system.joints, [failing], gravity=system.gravity)
    with pytest.raises(fb.InputError, match="no more") as failed:
        fb.simulate(machine, 0.1, step=1e-3, output_step=0.01, save=tmp_path / "run.h5")
    assert os.listdir(tmp_path) == ["run.h5"]
    same(failed.value.result, fb.load_result(tmp_path / "run.h5"))
    assert failed.value.result.t[-1] >= 0.049


def test_functions_of_time_are_asked_as_the_run_goes_on(tmp_path, monkeypatch):
    """Once for each stored state and never beyond it; a file that is cut short gives their values back."""
    asked: list[float] = []

    def voltage(t):
        asked.append(t)  # can't be compiled: called back
        return 3.0 * np.cos(20.0 * t)

    bar = fb.RigidBody("bar", 1.0, (0.25, 0.25, 0.25), center=(0.5, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="z")
    slide = fb.Prismatic(
        "slide",
        bar,
        ring := fb.RigidBody("ring", 0.1, (0.01,) * 3, center=(0.5, 0, 0)),
        point=(0.5, 0, 0),
        axis="x",
    )
    drive = fb.Drive("drive", slide, value=lambda t: 0.1 * np.sin(5 * t))
    forces = [
        fb.ForceElement("motor", fb.Along(hinge), fb.ElectricMotor(0.5, 1.0, 0.1, voltage=voltage)),
        fb.SpringDamper("jack", fb.GROUND, bar, force=lambda t: 2.0 * t, first_point=(0, 1, 0)),
        fb.PointForce("wind", bar, lambda t: (t, 2.0 * t, 0.0)),
    ]
    machine = fb.System([bar, ring], [hinge, slide, drive], forces, gravity=(0, -9.81, 0))
    begun: list[int] = []
    stored = []
    mark = fb.files.unfinished_file.Stream.mark

    def counted(self, arrays, number):
        begun.append(len(asked))
        mark(self, arrays, number)
        stored.append(asked[begun[-1] :])

    monkeypatch.setattr("flexbody.files.unfinished_file.Stream.mark", counted)
    monkeypatch.setattr(
        "flexbody.files.unfinished_file.save_result", lambda *_: (_ for _ in ()).throw(fb.FileError("later"))
    )
    with pytest.raises(fb.FileError, match="later") as failed:
        fb.simulate(machine, 0.5, step=1e-3, output_step=0.01, save=tmp_path / "run.h5")
    result = failed.value.result
    assert stored == [[t] for t in result.t]
    with pytest.warns(fb.FlexbodyWarning, match="holds 51 states"):
        rest = fb.load_result(tmp_path / "run.unfinished.h5")
    same(rest, result)
    np.testing.assert_array_equal(rest.element("motor").input, result.element("motor").input)
    np.testing.assert_array_equal(rest.element("jack").force, result.element("jack").force)
    np.testing.assert_array_equal(rest.coordinate_rate("slide"), result.coordinate_rate("slide"))
    wind, drive = rest.system.forces[2], rest.system.joints[2]
    np.testing.assert_array_equal([wind.value(t) for t in rest.t], [(t, 2 * t, 0) for t in rest.t])
    np.testing.assert_allclose([drive.value(t) for t in rest.t], 0.1 * np.sin(5 * rest.t), rtol=1e-15)


def test_a_step_that_fails(tmp_path):
    system, _ = pendulum_machine()
    blow = fb.PointForce(
        "blow", system.bodies[0], lambda t: (0.0, 0.0, 0.0) if t < 0.05 else (1e300, 1e300, 0.0)
    )
    machine = fb.System(system.bodies, system.joints, [blow], gravity=system.gravity)
    with pytest.raises(fb.ConvergenceError, match=r"stops at t = 0\.05 s.*not finite") as failed:
        fb.simulate(machine, 0.1, step=1e-3, output_step=0.01, save=tmp_path / "run.h5")
    assert os.listdir(tmp_path) == ["run.h5"]
    same(failed.value.result, fb.load_result(tmp_path / "run.h5"))


def test_the_complete_file_can_not_be_written(tmp_path, monkeypatch):
    """The states stay where they were streamed to, and in the error."""
    system, _ = pendulum_machine()

    def full(*_):
        raise fb.FileError("can't write run.h5: no space left on device")

    monkeypatch.setattr("flexbody.files.unfinished_file.save_result", full)
    with pytest.raises(fb.FileError, match="no space") as failed:
        fb.simulate(system, 0.01, step=1e-3, save=tmp_path / "run.h5")
    assert os.listdir(tmp_path) == ["run.unfinished.h5"]
    with pytest.warns(fb.FlexbodyWarning, match="holds 11 states"):
        same(fb.load_result(tmp_path / "run.unfinished.h5"), failed.value.result)
    assert "unfinished" in failed.value.__notes__[0]


def test_a_place_where_nothing_can_be_written(tmp_path):
    system, _ = pendulum_machine()
    with pytest.raises(fb.FileError, match="does not exist"):
        fb.simulate(system, 0.01, save=tmp_path / "nowhere" / "run.h5")


def test_a_run_that_does_not_fit_on_the_disk_does_not_begin(tmp_path, monkeypatch):
    """1001 states of 25 numbers and more, in two files."""
    monkeypatch.setattr("shutil.disk_usage", lambda folder: (10**9, 10**9, 400_000))
    machine, _ = pendulum_machine()
    fb.simulate(machine, 0.1, step=1e-3, output_step=1e-3, save=tmp_path / "short.h5", show_progress=False)
    with pytest.raises(
        fb.FileError, match=r"needs about 0\.\d+ MB, .* 0\.4 MB free; .* fewer than 1002 states"
    ):
        fb.simulate(machine, 1.0, step=1e-3, output_step=1e-3, save=tmp_path / "run.h5", show_progress=False)
    assert os.listdir(tmp_path) == ["short.h5"]


def machine_at_rest():
    """Nothing but the time changes: the complete file compresses to almost nothing."""
    block = fb.RigidBody("block", 1.0, (1.0, 1.0, 1.0))
    hold = fb.Fixed("hold", fb.GROUND, block, point=(0, 0, 0))
    return fb.System([block], [hold], gravity=(0, 0, -9.81))


def body_with_many_modes():
    """40 base functions of one free body: a long state beside few arrays."""
    structure = fem.assemble(fem.box((1, 0.05, 0.05), (6, 1, 1)), fem.Isotropic(E=2e11, nu=0.3, rho=7850.0))
    bar = modal.reduce(structure, modal.craig_bampton(structure, ("x0", "x1"), n_normal=28))
    return fb.System([fb.FlexibleBody("bar", bar)], [], gravity=(0, 0, -9.81))


#: machine, duration (s), stored states; how many are stored when the run is cut short
SHORT_RUNS = {
    "at rest": (machine_at_rest, 1.0, 2000, (1, 127, 129, 2001)),
    "pendulum": (lambda: pendulum_machine()[0], 2.0, 1000, (1, 129, 500, 1001)),
    "four-bars": (lambda: four_bars(4), 0.1, 100, (1, 101)),
    "slider-crank": (lambda: koppens_slider_crank()[0], 0.06, 600, (1, 99, 601)),
    "many modes": (body_with_many_modes, 1e-3, 20, (1, 7, 21)),
}


@pytest.mark.parametrize("name", SHORT_RUNS)
def test_a_run_that_was_cut_short_takes_no_more_room_than_when_saved(name, tmp_path, monkeypatch):
    """At any time: the same description, and states without what follows from them (docs of unfinished_file)."""
    make, t_end, states, cuts = SHORT_RUNS[name]
    mark = flexbody.files.unfinished_file.Stream.mark
    left, cut = tmp_path / "run.unfinished.h5", tmp_path / "cut.h5"
    sizes = {}

    def look(self, arrays, stored):
        mark(self, arrays, stored)
        if stored in cuts:
            shutil.copy(left, cut)
            with pytest.warns(fb.FlexbodyWarning, match=f"holds {stored} states"):
                found = fb.load_result(cut)
            found.save(tmp_path / "saved.h5")
            sizes[stored] = left.stat().st_size / (tmp_path / "saved.h5").stat().st_size
            cuts_found[stored] = found

    cuts_found: dict[int, fb.Result] = {}
    monkeypatch.setattr("flexbody.files.unfinished_file.Stream.mark", look)
    result = fb.simulate(make(), t_end, output_step=t_end / states, save=tmp_path / "run.h5")
    assert tuple(sizes) == cuts
    assert max(sizes.values()) <= 1.0, sizes
    for stored, found in cuts_found.items():
        for array in ARRAYS:
            np.testing.assert_array_equal(getattr(found, array), getattr(result, array)[:stored])


def cut_short(path: Path, monkeypatch, states: int) -> Path:
    """Return the file of a pendulum's run that ends after so many states."""
    mark = flexbody.files.unfinished_file.Stream.mark

    def stop(self, arrays, stored):
        mark(self, arrays, stored)
        if stored == states:
            raise GeneratorExit("from outside")  # what no part of the program handles

    with monkeypatch.context() as patch:
        patch.setattr("flexbody.files.unfinished_file.Stream.mark", stop)
        with pytest.raises(GeneratorExit, match="from outside"):
            fb.simulate(pendulum_machine()[0], 1.0, step=1e-3, output_step=1e-3, save=path)
    return path.with_name(f"{path.stem}.unfinished{path.suffix}")


def test_damage_is_told(tmp_path, monkeypatch):
    """A bit of the description, of a block, and of a state behind the blocks."""
    left = cut_short(tmp_path / "run.h5", monkeypatch, 700)
    data = left.read_bytes()
    with h5py.File(left) as file:
        table, begin = len(file["states/last"]), int(file["states/blocks"][0])
        last = file["states/last"].id.get_offset()

    def changed(at):
        left.write_bytes(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :])
        return left

    with pytest.raises(fb.FileError, match="damaged: its bytes are not those that were written"):
        fb.load_result(changed(data.index(b"Revolute")))
    length = int.from_bytes(data[begin + 8 : begin + 16], "little")  # of the first block behind its header
    with pytest.warns(fb.FlexbodyWarning, match=f"holds {table} states .*what follows is damaged"):
        fb.load_result(changed(begin + 24 + length + 24 + 50))
    with pytest.warns(fb.FlexbodyWarning, match=f"holds {700 // table * table + 2} states to"):
        fb.load_result(changed(last + 2 * 8 * (2 + 28) + 20))


def test_a_disk_that_becomes_full_during_the_run(tmp_path, monkeypatch):
    """The run ends with one error, and both files hold what was computed."""
    append, appended = flexbody.files.unfinished_file.Stream._append, []

    def full(self, block):
        appended.append(block)
        if len(appended) > 2:
            append(self, block[: len(block) // 2])
            raise OSError(28, "No space left on device")
        append(self, block)

    path = tmp_path / "run.h5"
    monkeypatch.setattr(flexbody.files.unfinished_file.Stream, "_append", full)
    with pytest.raises(
        fb.FileError, match=r"run\.unfinished\.h5: No space left on device; it holds the first \d+ states"
    ) as caught:
        fb.simulate(pendulum_machine()[0], 2.0, step=1e-3, output_step=1e-3, save=path, show_progress=False)
    states = int(re.search(r"first (\d+) states", str(caught.value)).group(1))
    assert 100 < states <= len(caught.value.result.t) < 500
    same(fb.load_result(path), caught.value.result)


def test_a_large_run_fills_the_disk(tmp_path, monkeypatch):
    """Arrays in a temporary file get room ahead of their states."""
    monkeypatch.setattr("flexbody.files.unfinished_file.LARGEST_IN_MEMORY", 1000)
    made = []

    def full(file, offset, size):
        made.append(size)
        if len(made) > 150:
            raise OSError(28, "No space left on device")

    monkeypatch.setattr(flexbody.files.unfinished_file, "make_room", full)
    with pytest.raises(fb.FileError, match="No space left on device; it holds the first") as caught:
        fb.simulate(pendulum_machine()[0], 2.0, step=1e-3, output_step=1e-3, save=tmp_path / "run.h5")
    assert 16 < len(caught.value.result.t) < 500
    assert os.listdir(tmp_path) == ["run.h5"]


def test_streaming_costs_little(tmp_path):
    """Storing a state in the file is storing it in memory: no more than 30 us apiece, plus the file itself."""
    system, _ = pendulum_machine()
    fb.simulate(system, 0.01, step=1e-4, save=tmp_path / "run.h5")

    def cost(**options):
        best = np.inf
        for _ in range(3):
            begun = time.process_time()
            fb.simulate(system, 0.2, step=1e-4, output_step=1e-4, **options)
            best = min(best, time.process_time() - begun)
        return best

    difference = cost(save=tmp_path / "run.h5") - cost()
    assert difference < 0.5 + 2000 * 30e-6
