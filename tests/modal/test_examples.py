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


@pytest.mark.parametrize("package", [modal, modal.assumed], ids=["modal", "assumed"])
def test_every_public_name_has_an_example(package):
    names = (*package.__all__, *getattr(package, "RESULT_TYPES", ()))
    public = {name: getattr(package, name) for name in names if name != "assumed"}
    assert not [name for name, thing in public.items() if ">>>" not in (thing.__doc__ or "")]
