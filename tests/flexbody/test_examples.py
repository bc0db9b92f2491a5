"""The examples in the docstrings of flexbody run and give what they show."""

import doctest
import importlib
import inspect
import pkgutil

import pytest

import flexbody as fb

MODULES = [
    module.name
    for module in pkgutil.walk_packages(fb.__path__, "flexbody.")
    if not module.name.endswith("__main__")
]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name.startswith("flexbody.view"):
        pytest.importorskip("matplotlib")
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_public_function_has_an_example():
    functions = [getattr(fb, name) for name in fb.__all__ if inspect.isfunction(getattr(fb, name))]
    missing = {f.__name__ for f in functions if ">>>" not in (f.__doc__ or "")}
    assert not missing
