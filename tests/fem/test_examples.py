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
#: the examples of these would need a file, or say nothing that the others do not say
WITHOUT = {"read_mesh", "check_complete"}


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    if name == "fem.core.hatch_build":
        pytest.importorskip("hatchling")
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_public_function_has_an_example():
    functions = [getattr(fem, name) for name in fem.__all__ if inspect.isfunction(getattr(fem, name))]
    missing = {f.__name__ for f in functions if ">>>" not in (f.__doc__ or "")}
    assert missing == WITHOUT
