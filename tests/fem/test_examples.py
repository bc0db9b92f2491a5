"""The examples in the docstrings of fem run and give what they show."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import fem

MODULES = [
    module.name
    for module in pkgutil.walk_packages(fem.__path__, "fem.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name == "fem.core.hatch_build":
        pytest.importorskip("hatchling")
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_public_name_has_an_example():
    public = {name: getattr(fem, name) for name in (*fem.__all__, *fem.RESULT_TYPES)}
    documented = {
        name: thing for name, thing in public.items() if inspect.isfunction(thing) or inspect.isclass(thing)
    }
    assert not [name for name, thing in documented.items() if ">>>" not in (thing.__doc__ or "")]
