"""The installed wheel does the main job from a foreign folder, with nothing of the checkout in reach."""

import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

import flexbody as fb
import modal

ROOT = Path(__file__).resolve().parents[1]
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)], cwd=ROOT, check=True
    )
    (file,) = folder.glob("flexbody-*.whl")
    return file


@pytest.fixture(scope="module")
def installed(wheel, tmp_path_factory):
    """Install the wheel into a folder of its own; return a function that runs Python or a script with it."""
    site = tmp_path_factory.mktemp("site")
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--target", str(site), str(wheel)]
    subprocess.run(pip, check=True)
    environment = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "PYTHONPATH", "PYTHONHOME")}
    environment["PYTHONPATH"] = str(site)

    def run(*command, cwd):
        return subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, timeout=900)

    run.site = site
    return run


def test_the_wheel_holds_the_three_packages_the_mesh_and_the_licence(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info" not in name} == {"flexbody", "fem", "modal"}
    assert "flexbody/data/conrod.msh" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    # the sources, one compiled core and the demo's mesh; the tests alone would add more than half a megabyte
    assert wheel.stat().st_size < 2_800_000


def test_the_installed_packages_are_the_ones_that_run(installed, tmp_path):
    code = "import flexbody, fem, modal; from flexbody.demo.conrod import default_mesh; "
    code += "from fem.common.compiled import library; "
    code += (
        "print(flexbody.__file__, fem.__file__, modal.__file__, default_mesh(), library()._name, sep='\\n')"
    )
    done = installed(sys.executable, "-c", code, cwd=tmp_path)
    places = done.stdout.split()
    assert len(places) == 5, done.stderr
    assert all(Path(place).is_relative_to(installed.site) for place in places)


def test_the_script_does_the_main_job(installed, tmp_path):
    """The demo writes its files and tells its numbers. A film is drawn as the picture is; it would take as long as all
    the rest."""
    script = next((installed.site / "bin").glob("flexbody*"))
    done = installed(str(script), "demo", "--t-end", "2e-4", "--modes", "0", "--no-film", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert [line[:20].strip() for line in done.stdout.splitlines()] == [
        "mesh", "rod", "degrees of freedom", "frequencies", "with rigid eyes", "motion", "largest deflection",
        "largest stress", "largest reaction", "energy balance", *["written"] * 5, "time taken",
    ]  # fmt: skip
    out = tmp_path / "flexbody-demo"
    assert out.name in done.stdout
    files = {path.name: path.stat().st_size for path in out.iterdir()}
    assert set(files) == {
        "rod.h5", "slider_crank.h5", "slider_crank.png", "slider_crank_plot.png", "slider_crank_stress.png",
    }  # fmt: skip
    assert min(files.values()) > 5_000
    assert os.listdir(tmp_path) == ["flexbody-demo"]
    result = fb.load_result(out / "slider_crank.h5")
    assert result.t[-1] == pytest.approx(2e-4)
    assert result.system.body("rod").n_modes == modal.load(out / "rod.h5").N


def test_the_script_tells_what_a_mesh_holds_and_what_is_wrong(installed, tmp_path):
    mesh = installed.site / "flexbody" / "data" / "conrod.msh"
    done = installed(sys.executable, "-m", "flexbody", "mesh", str(mesh), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "big_end" in done.stdout
    done = installed(sys.executable, "-m", "flexbody", "mesh", "none.msh", cwd=tmp_path)
    assert done.returncode == 2
    assert done.stderr == "flexbody: there is no file none.msh\n"
