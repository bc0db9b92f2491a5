"""What is shown of an object is short: any public class, also where the object holds much."""

import inspect

import pytest
from support.specimens import specimens

import fem
import flexbody as fb
import modal

CHARACTERS, LINES = 1000, 15


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    return specimens(tmp_path_factory.mktemp("specimens"))


def _public():
    """Return the classes that users make objects of, or are handed objects of, by their names."""
    for package in (fem, modal, fb):
        for name in (*package.__all__, *package.RESULT_TYPES):
            kind = getattr(package, name)
            if inspect.isclass(kind) and not issubclass(kind, BaseException) and kind is not fem.Factor:
                yield f"{package.__name__}.{name}", kind


def test_there_is_an_object_of_every_public_class(shown):
    kinds = {type(thing) for thing in shown}
    assert not [name for name, kind in _public() if kind not in kinds]


def test_every_representation_is_short_and_says_what_it_is(shown):
    texts = [(type(thing).__name__, repr(thing)) for thing in shown]
    assert not {name: len(text) for name, text in texts if len(text) > CHARACTERS}
    assert not {name: text.count("\n") + 1 for name, text in texts if text.count("\n") >= LINES}
    assert not [name for name, text in texts if " object at 0x" in text]


def test_numbers_have_units(shown):
    """The results that are looked at most say their largest values."""
    texts = {type(thing).__name__: repr(thing) for thing in shown}
    assert all(unit in texts["Wrench"] for unit in (" N,", " N m"))
    assert texts["Energy"].count(" J") == 5
    assert texts["Peak"].count(" Pa") == 1
    assert " kg" in texts["ReducedBody"]
