"""Attributes that results lack are told with those that are meant."""

import copy
import inspect
import pickle

import numpy as np
import pytest

import fem
import flexbody as fb
import modal
from fem.common.known_attributes import MEANT, KnownAttributes


@pytest.fixture(scope="module")
def result() -> fb.Result:
    bar = fb.RigidBody("bar", 1.0, (1e-3, 0.03, 0.03), center=(0.3, 0, 0))
    hinge = fb.Revolute("hinge", fb.GROUND, bar, point=(0, 0, 0), axis="y")
    spring = fb.torsion_spring("spring", hinge, stiffness=1.0)
    system = fb.System([bar], [hinge], [spring], gravity=(0, 0, -9.81))
    return fb.simulate(system, 0.1, step=0.01, show_progress=False)


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("time", "'t'"), ("times", "'t'"), ("pos", "'position'"), ("positions", "'position'"),
        ("vel", "'velocity'"), ("omega", "'angular_velocity'"), ("reactions", "'reaction'"),
        ("disp", "'displacement'"), ("forces", "'element' or 'reaction'"), ("accel", "'acceleration'"),
        ("energies_", "'energies'"), ("stats", "'statistics'"),
    ],
)  # fmt: skip
def test_a_result_tells_what_is_meant(result, name, meant):
    with pytest.raises(AttributeError, match=f"^Result has no '{name}'; did you mean {meant}\\?$"):
        getattr(result, name)


def test_other_results_do_too(result):
    state = fb.equilibrium(result.system)
    for owner, name, message in (
        (state, "time", "State has no 'time'; did you mean 't'?"),
        (result.energy, "potential_energy", "Energy has no 'potential_energy'; did you mean 'potential'?"),
        (result.reaction("hinge"), "torque", "Wrench has no 'torque'; did you mean 'moment'?"),
        (result.element("spring"), "torque", "ElementHistory has no 'torque'; did you mean 'force'?"),
        (result.element("spring"), "forces", "ElementHistory has no 'forces'; did you mean 'force'?"),
        (
            fb.linearize(result.system),
            "eigenfrequencies",
            "Linearization has no 'eigenfrequencies'; did you mean",
        ),
        (result.reaction("hinge"), "xyz", "Wrench has no 'xyz'; it has 'force', 'moment'"),
    ):
        with pytest.raises(AttributeError) as caught:
            getattr(owner, name)
        assert str(caught.value).startswith(message)


def test_where_nothing_is_alike_help_is_named(result):
    with pytest.raises(AttributeError, match=r"^Result has no 'qqq'; help\(Result\) lists what it has$"):
        _ = result.qqq
    assert not hasattr(result, "_repr_html_never")


def test_copies_and_files_of_pickle_work(result):
    """Both look for special attributes before the object has any."""
    wrench = result.reaction("hinge")
    for again in (copy.deepcopy(wrench), pickle.loads(pickle.dumps(wrench))):
        np.testing.assert_array_equal(again.force, wrench.force)


def test_an_error_inside_a_property_keeps_its_words():
    class Owner(KnownAttributes):
        @property
        def position(self):
            return [].missing

    with pytest.raises(AttributeError, match="'list' object has no attribute 'missing'"):
        _ = Owner().position


def test_every_type_of_results_does_so():
    """Tuples, arrays and paths have the errors of Python, protocols are no results."""
    others = (tuple, np.ndarray, fb.Film, fb.BodyFrame)
    for package in (fem, modal, fb):
        for name in package.RESULT_TYPES:
            kind = getattr(package, name)
            if (
                not issubclass(kind, others)
                and not inspect.isabstract(kind)
                and not getattr(kind, "_is_protocol", False)
            ):
                assert issubclass(kind, KnownAttributes), name


def test_what_is_meant_is_an_attribute_of_some_result():
    kinds = [getattr(package, name) for package in (fem, modal, fb) for name in package.RESULT_TYPES]
    known = {name for kind in kinds for name in (*dir(kind), *getattr(kind, "__dataclass_fields__", ()))}
    assert {one for several in MEANT.values() for one in several} <= known
