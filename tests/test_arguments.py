"""Wrong values in the arguments of every public function, class and method: refused in words, before any work.

The long version, with any number of calls and any seed, is ``tests/benchmarks/wrong_arguments.py``.
"""

import inspect
import math
import re
from collections import Counter

import numpy as np
import pytest
from support.calls import calls
from support.equal_values import equal_arguments
from support.public import made_by_users, methods
from support.wrong_values import is_nowhere_right, outcome, tries

import fem
import modal

PUBLIC = {**made_by_users(), **methods()}
#: their valid calls name files that are not there
OF_FILES = (
    "read_mesh",
    "load",
    "load_result",
    "animate",
    "animate_mode",
    "plot",
    "plot_stress",
    "write_paraview",
    "save",
    "export",
    "read_sid",
)
#: what refuses nothing: numpy's own indices, and what only our functions make
UNCHECKED = {"fem.Element", "modal.assumed.End", "fb.Picture.__getitem__"}

pytestmark = pytest.mark.skipif(
    not hasattr(__import__("signal"), "SIGALRM"), reason="a hang is ended by a signal"
)


def test_every_public_callable_has_a_valid_call():
    assert set(calls()) == set(PUBLIC)
    assert {name for name, arguments in calls().items() if arguments is None} == UNCHECKED


def test_every_public_callable_checks_its_arguments():
    def is_checked(target):
        call = target.__init__ if inspect.isclass(target) else target
        return hasattr(call, "arguments") or hasattr(target, "problems") or target.__name__ == "System"

    assert {name for name, target in PUBLIC.items() if not is_checked(target)} == UNCHECKED


def test_every_annotation_is_understood():
    targets = [target.__init__ if inspect.isclass(target) else target for target in PUBLIC.values()]
    rules = [target.arguments.rules for target in targets if hasattr(target, "arguments")]
    assert len(rules) > 150


def test_valid_calls_are_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused = {
        name: said
        for name, arguments in calls().items()
        if arguments is not None and (said := outcome(name, PUBLIC[name], arguments))[0] != "taken"
    }
    assert {name: said for name, said in refused.items() if not name.endswith(OF_FILES)} == {}
    assert {said[0] for said in refused.values()} == {"refused"}


@pytest.mark.slow
def test_equal_values_of_other_types_are_taken(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    refused, count = {}, 0
    for name, arguments in calls().items():
        if arguments is None or name.endswith(OF_FILES):
            continue
        for argument, value in equal_arguments(PUBLIC[name], arguments):
            count += 1
            if (said := outcome(name, PUBLIC[name], {**arguments, argument: value}))[0] != "taken":
                refused[f"{name}({argument}={value!r:.60})"] = said
    assert refused == {}
    assert count > 800


ENDLESS = [
    ("fb.Equilibrium", dict(load_steps=10**12), "load_steps is 1e.12; at 0.0001 s each at least"),
    ("fb.Linearization.motion", dict(frames=10**12), "frames would be 1e.12 and need"),
    (
        "fb.simulate",
        dict(t_end=1.0, step=None, output_step=1.1e-9),
        "(output times|stored states) would be 9.09e.08",
    ),
    ("modal.assumed.beam_modes", dict(n=10**12), "give at most 100000"),
]


@pytest.mark.parametrize(("name", "given", "said"), ENDLESS, ids=lambda x: x if isinstance(x, str) else "")
def test_endless_work_is_refused_with_numbers(name, given, said, monkeypatch):
    monkeypatch.setattr("fem.common.foreseen._physical_memory", lambda: 16e9)
    kind, text = outcome(name, PUBLIC[name], {**calls()[name], **given})
    assert kind == "refused"
    assert re.search(said, text)


ONCE_MISSED = [
    ("fb.MasslessBody", dict(name="\0"), "name must be text"),
    ("fb.Rail", dict(side=True), "side is True; give a body or GROUND"),
    ("fb.Surface", dict(triangles=(math.nan, 0, 0)), "triangles must be numbers of its"),
    ("fb.UserLaw", dict(components=np.full(3, math.nan)), "components is array"),
    ("fb.belt_grip", dict(spans=np.zeros((0, 3))), "all spans of one endless belt"),
    ("fb.belt_grip", dict(spans=set()), "all spans of one endless belt"),
    ("fem.from_matrices", dict(K=[1, [2, 3]]), "the stiffness matrix is list"),
    ("fem.from_matrices", dict(dofs=[1, [2, 3]]), "`dofs=` are whole numbers"),
    ("fb.SciPy", dict(rtol=2**63), "rtol is 9.22337e.18, more than the whole motion"),
]


@pytest.mark.parametrize(
    ("name", "given", "said"), ONCE_MISSED, ids=lambda x: x if isinstance(x, str) else ""
)
def test_values_that_were_taken_or_failed_once_are_refused(name, given, said):
    kind, text = outcome(name, PUBLIC[name], {**calls()[name], **given})
    assert (kind, bool(re.search(said, text))) == ("refused", True), text


def test_users_functions_that_fail_are_named():
    shapes = modal.assumed.quintic()
    with pytest.raises(fem.InputError, match="beam 'arm': EI of the y functions fails: ZeroDivisionError"):
        modal.assumed.beam(1.0, mass=1.0, EI=lambda s: 1 / 0, y=shapes, name="arm")
    with pytest.raises(fem.InputError, match=r"beam 'arm': area returns 'x' for an array of .* numbers"):
        modal.assumed.beam(1.0, rho=1.0, area=lambda s: "x", EI=1.0, y=shapes, name="arm")


def test_wrong_values_are_refused_in_words(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    count, wrong = Counter(), []
    for name, target, arguments, changed in tries(seed=1, singles=5, several=1):
        kind, said = outcome(name, target, arguments)
        count[kind] += 1
        silent = kind == "taken" and any(map(is_nowhere_right, changed.values()))
        if silent or kind not in ("taken", "refused", "python"):
            wrong.append(f"{name}({changed!r:.200}): {kind} {said}")
    assert wrong == []
    assert sum(count.values()) > 1300
    assert count["refused"] > 0.8 * sum(count.values())
