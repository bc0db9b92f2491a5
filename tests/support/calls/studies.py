"""Valid calls of studies and their results."""

import tempfile
from pathlib import Path

import flexbody as fb

from .parts import NOWHERE, Calls, Parts


def calls(p: Parts) -> Calls:
    """Return the arguments of a valid call by the name of what is called."""
    ranges = dict(ranges={"crank.mass": (1.0, 2.0)}, n_samples=4, seed=1)
    masses = {"crank.mass": [1.0, 2.0]}
    folder = Path(tempfile.mkdtemp(prefix="study"))
    described = dict(
        build=p.pendulum, variants=fb.Grid(masses), quantities={"speed": ("velocity", "crank")},
        analysis=_simulated, store=folder / "study.zarr", bodies=None, units={"speed": "m/s"},
    )  # fmt: skip
    study = fb.Study(**described)
    run = dict(self=study, client=None, workers=1, processes=False, show_progress=False)
    found = study.run(processes=False)
    named, film = dict(self=found, quantity="speed"), dict(path=NOWHERE + ".gif", variants=None, options={})
    over = dict(over="crank.mass", path=NOWHERE + ".png", at=None, title=None)
    return {
        **{f"fb.{kind}": ranges for kind in ("Random", "LatinHypercube", "Sobol")},
        **{f"fb.StudyResult.{name}": named for name in ("values", "numbers", "smallest", "largest")},
        "fb.Grid": dict(axes=masses),
        "fb.OneAtATime": dict(base={"crank.mass": 1.0}, changes=masses),
        "fb.VariantList": dict(rows=[{"crank.mass": 1.0}]),
        "fb.Study": described,
        "fb.Study.run": run,
        "fb.Study.result": dict(self=study, k=0),
        "fb.StudyResult.animate": named | film,
        "fb.StudyResult.plot": named | over,
        "fb.StudyResult.table": dict(self=found, sort_by="speed"),
        "fb.StudyResult.unit": dict(self=found, name="speed"),
    }


def _simulated(machine: fb.System) -> fb.Result:
    return fb.simulate(machine, 1e-4, step=5e-5, show_progress=False)
