"""The examples in the docstrings of modal run and give what they show."""

import doctest
import importlib
import pkgutil

import pytest

import modal

MODULES = [module.name for module in pkgutil.walk_packages(modal.__path__, "modal.")]


@pytest.mark.parametrize("name", MODULES)
def test_examples(name):
    found = doctest.testmod(importlib.import_module(name))
    assert found.failed == 0


def test_every_public_function_has_an_example():
    functions = [getattr(modal, name) for name in modal.__all__ if name[0].islower() and name != "assumed"]
    assert not [f.__name__ for f in functions if ">>>" not in (f.__doc__ or "")]
