"""What the README shows is what works: its script runs, its commands are the ones that CI runs."""

import re
import runpy
import shutil
import warnings
from pathlib import Path

import numpy as np
import pytest
from support.images import film, picture, shows_something

import flexbody as fb

ROOT = Path(__file__).resolve().parents[1]
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def _blocks(kind):
    return re.findall(rf"^```{kind}\n(.*?)^```", TEXT, flags=re.MULTILINE | re.DOTALL)


@pytest.fixture
def run(tmp_path, monkeypatch, capsys):
    """Return a function that runs a script of the README beside the mesh that it reads, and returns what it prints.

    The scripts share a process, whose packages are loaded, and no names.
    """
    (tmp_path / "meshes").mkdir()
    shutil.copy(ROOT / "meshes" / "conrod.msh", tmp_path / "meshes")
    monkeypatch.chdir(tmp_path)

    def run(number):
        file = tmp_path / "script.py"
        file.write_text(_blocks("python")[number], encoding="utf-8")
        with warnings.catch_warnings():
            warnings.simplefilter("error", fb.FlexbodyWarning)  # such as of energy that a run has lost
            runpy.run_path(str(file), run_name="__main__")
        return capsys.readouterr().out

    return run


@pytest.mark.slow
def test_the_part_by_itself(run, tmp_path):
    """Frequencies ascend; the table buckles by swaying, its legs between free and fixed at the head.

    Legs of EI = E pi (0.04^4 - 0.034^4)/64 and 0.8 m, one end held: pi^2 EI/(4 L^2) for a head that turns and sways,
    pi^2 EI/L^2 for one that sways only.
    """
    from math import pi

    said = run(2)
    first, frequencies, factor = re.fullmatch(
        r"(\d\.\d+ mm, \d+ MPa)\n\[(.*?)\]\n\[(.*?)\]\n", said, re.DOTALL
    ).groups()
    assert first
    hertz = [float(value) for value in frequencies.split()]
    assert hertz == sorted(hertz)
    leg = pi**2 * 210e9 * pi * (0.04**4 - 0.034**4) / 64 / 0.8**2
    assert leg < float(factor) < 4 * leg
    image = picture(tmp_path / "stress.png")
    assert image.shape == (720, 1280, 3)
    assert shows_something(image)


@pytest.mark.slow
def test_modes_and_speed(run, tmp_path):
    """The proposal keeps its promise below 2 kHz, and the blade stiffens as it turns."""
    said = run(1)
    right = re.search(r"frequencies right within 1 %.*: free up to ([\d.]+) Hz", said)
    assert right
    assert float(right[1]) > 2000
    rows = [[float(x) for x in line.split()] for line in said.splitlines()[-3:]]
    assert [row[0] for row in rows] == [0.0, 500.0, 1000.0]
    assert rows[0][1] < rows[1][1] < rows[2][1]
    assert shows_something(picture(tmp_path / "campbell.png"))


@pytest.mark.slow
def test_a_servo_turns_an_arm(run, tmp_path):
    """The arm settles where the gear puts it, but for what its weight asks of the servo.

    2 kg at 0.33 m and 1 kg near 0.1 m take 4.2 N m when the arm stands at 0.97 rad; the servo gives way by
    constant gain / resistance = 8 N m/rad behind a gear of 4: 4.2 / 4 / 8 / 4 = 0.033 rad.
    """
    said = run(3)
    *modes, last = said.splitlines()
    hertz, damping = zip(*(map(float, re.findall(r"\d+\.\d+", line)) for line in modes), strict=True)
    assert list(hertz) == sorted(hertz)
    assert all(0 < ratio <= 1 for ratio in damping)
    angle = float(re.search(r"hinge at (-\d\.\d+) rad", last)[1])
    assert abs(angle + 4.0 / 4.0 - 0.033) < 0.005  # the arm's mass and centre roughly; the last of the swing
    image = picture(tmp_path / "robot.png")
    assert image.shape == (720, 1280, 3)
    assert shows_something(image)
    assert shows_something(picture(tmp_path / "robot_plot.png"))


@pytest.mark.slow
def test_the_script_runs_and_writes_its_files(run, tmp_path):
    said = run(0)
    assert re.fullmatch(r"\d+ N, 0\.\d+ mm, \d+\.\d MPa\nenergy balance \d\.\de-\d+\n", said)
    result = fb.load_result(tmp_path / "slider_crank.h5")
    assert len(result.t) > 100
    assert shows_something(picture(tmp_path / "slider_crank_plot.png"))
    frames = film(tmp_path / "slider_crank.mp4")
    assert frames.shape[1:] == (720, 1280, 3)
    assert len(frames) > 100
    assert (tmp_path / "slider_crank.vtkhdf").stat().st_size < 15e6
    assert all(shows_something(frame) for frame in frames[::50])
    assert (
        np.abs(frames[0].astype(int) - frames[len(frames) // 2]).mean() > 1
    )  # it moves, by more than the coding


@pytest.mark.slow
def test_many_variants(run, tmp_path):
    """The slider has its largest acceleration where crank and rod are in line, r w^2 (1 + r / l)."""
    pytest.importorskip("zarr", reason="the extra studies is not installed")
    last = run(4).splitlines()[-1].split()
    assert [float(x) for x in last[1:3]] == [0.8, 150.0]
    # its weight, across the guide, adds 1e-3 of it at most
    assert float(last[3]) == pytest.approx(0.8 * 0.15 * 150.0**2 * (1 + 0.15 / 0.3), rel=1e-3)
    assert shows_something(picture(tmp_path / "force.png"))


def test_the_two_commands_are_copied_from_one_place():
    run, test = _blocks("sh")
    assert run == "python3 -m venv .venv && .venv/bin/pip install -e . && .venv/bin/flexbody demo\n"
    assert (
        test
        == 'python3 -m venv .venv && .venv/bin/pip install -e ".[test]" && .venv/bin/python -m pytest -n 2\n'
    )
    ci = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    assert '-e ".[test,lint]"' in ci  # the same, and the tools for lint and types
    assert "-m pytest -n 2\n" in ci


def test_links_lead_somewhere():
    links = [link for link in re.findall(r"\]\(([^)]+)\)", TEXT) if "://" not in link]
    assert len(links) >= 4
    assert not [link for link in links if not (ROOT / link).exists()]
