"""Python and C++ describe the shared structures and names of kinds alike."""

import re
from pathlib import Path
from typing import get_args, get_origin

import numpy as np
import pytest

from fem.common import compiled
from fem.common.hdf5 import writing
from fem.common.structures import Mould, Reals1, Structure
from fem.core.compiler import Variant, find_compiler
from flexbody.core import kinds, structures
from flexbody.files.datasets import allocated

CORE = Path(structures.__file__).parent
HEADERS = ("layout.hpp", "work.hpp", "alpha_state.hpp", "tree.hpp", "explicit_state.hpp")
CLASSES = {
    name: kind
    for name, kind in vars(structures).items()
    if isinstance(kind, type) and issubclass(kind, Structure)
}
del CLASSES["Structure"]


def _code(header):
    return re.sub(r"//.*", "", (CORE / "data" / header).read_text(encoding="utf-8"))


def _python(kind):
    """Return a field's type as C++ spells it, without const and with double for Real."""
    if get_origin(kind) is not None:
        _, entry, *dimensions = get_args(kind)
        number = "double" if entry.__name__ == "float64" else "Index"
        return f"Array<{', '.join([number, *map(str, dimensions)])}>"
    return {float: "double", int: "Index"}.get(kind) or f"{kind.__name__}*"


def _structures():
    """Return the fields of all structures in the headers, and which structures are templates."""
    found, templates = {}, set()
    for header in HEADERS:
        for template, name, body in re.findall(
            r"(template <class Real>\s*)?struct (\w+) \{(.*?)\n\};", _code(header), re.S
        ):
            fields = [" ".join(field.split()) for field in body.split(";")]
            pairs = [
                field.replace("const ", "").replace("<Real>", "").replace("Real", "double").rsplit(" ", 1)
                for field in fields
                if field
            ]
            found[name] = [(field, kind) for kind, field in pairs]
            templates.update([name] if template else [])
    return found, templates


def test_both_know_the_same_structures():
    assert len(CLASSES) > 5
    assert set(_structures()[0]) == set(CLASSES)


@pytest.mark.parametrize("name", CLASSES)
def test_fields_have_the_same_names_types_and_order(name):
    slots = CLASSES[name]._slots
    assert _structures()[0][name] == [(field, _python(kind)) for field, (kind, _) in slots.items()]


def test_fields_lie_at_the_same_places(tmp_path):
    templates = _structures()[1]
    lines = [f'#include "{(CORE / "data" / header).as_posix()}"' for header in HEADERS]
    lines += ["#include <cstddef>", "using namespace flexbody;"]
    for name, kind in CLASSES.items():
        there = f"{name}<double>" if name in templates else name
        lines.append(f'static_assert(sizeof({there}) == {8 * kind._words}, "{name}");')
        lines += [
            f'static_assert(offsetof({there}, {field}) == {8 * word}, "{name}.{field}");'
            for field, (_, word) in kind._slots.items()
        ]
    source = tmp_path / "sizes.cpp"
    source.write_text("\n".join(lines) + "\n")
    done = find_compiler(Variant()).compile(source, tmp_path / "sizes.o", [*Variant().flags, "-Werror"])
    assert done.returncode == 0, done.stderr


def test_kinds_have_the_same_numbers():
    code = _code("kinds.hpp")
    there = {}
    for body in re.findall(r"enum \w+ : Index \{(.*?)\};", code, re.S):
        there.update({name: int(number) for name, number in re.findall(r"(\w+) = (\d+)", body)})
    there.update(
        {name: float(value) for name, value in re.findall(r"constexpr \w+ (\w+) = ([\d.e+-]+);", code)}
    )
    here = {name: value for name, value in vars(kinds).items() if name.isupper()}
    assert len(there) > 50
    assert {name: here.get(name) for name in there} == there
    assert set(here) - set(there) <= {"RECORD"}  # a size, not a kind


def _unaligned(values):
    """The same array at an address that is no multiple of 8."""
    memory = np.zeros(8 * len(values) + 8, dtype=np.uint8)
    shifted = memory[1 : 1 + 8 * len(values)].view(np.float64)
    shifted[:] = values
    assert not shifted.flags.aligned
    return shifted


class Pair(Structure):
    """One array."""

    values: Reals1


def test_arrays_that_are_not_aligned_are_copied_or_refused():
    """Such as those that are mapped from a file: to read them as numbers is undefined in C++."""
    read, write = compiled._CONVERTERS["input"], compiled._CONVERTERS["reals"]
    values = _unaligned([1.0, 2.0])
    assert read(values) % 8 == 0
    assert Pair(values=values).values.flags.aligned
    with pytest.raises(TypeError, match="not aligned"):
        write(values)
    read_only = np.zeros(2)
    read_only.flags.writeable = False
    with pytest.raises(TypeError, match="read-only"):
        write(read_only)


def test_arrays_in_files_are_aligned(tmp_path):
    with writing(tmp_path / "file.h5", "result", 1) as file:
        offsets = [allocated(file, name, (3,)) for name in ("a", "name of another length", "c")]
    assert [offset % 8 for offset in offsets] == [0, 0, 0]


class _Sample(Structure):
    """A structure with two arrays that share memory, one without entries, and both kinds of numbers."""

    whole: Reals1
    half: Reals1
    nothing: Reals1
    length: float
    count: int


def test_structures_of_a_mould_have_equal_values_and_memory_of_their_own():
    whole = np.arange(5.0)
    model = _Sample(whole=whole, half=whole[3:], nothing=np.zeros(0), length=0.5, count=7)
    mould = Mould(model)
    whole[:] = -1.0  # what is cast has the values that the model had when the mould was made
    first, second = mould.cast(), mould.cast()
    first.half[0], first.length = 9.0, 2.0
    assert first.whole.tolist() == [0, 1, 2, 9, 4], "arrays that share memory in the model do so here"
    assert (second.whole.tolist(), second.half.tolist()) == ([0, 1, 2, 3, 4], [3, 4])
    assert (second.length, second.count, second.nothing.shape) == (0.5, 7, (0,))
    for made in (first, second):
        word = _Sample._slots["half"][1]
        assert made.memory()[0][word : word + 2].tolist() == [made.half.ctypes.data, 2]


def test_a_filled_mould_has_its_own_values_and_the_places_of_the_first():
    model = _Sample(whole=np.arange(5.0), half=np.zeros(2), nothing=np.zeros(0), length=0.5, count=7)
    mould = Mould(model)
    other = mould.filled(half=np.array([8.0, 9.0]), nothing=np.zeros(0))
    assert (other.cast().half.tolist(), other.cast().whole.tolist()) == ([8, 9], [0, 1, 2, 3, 4])
    assert mould.cast().half.tolist() == [0, 0]
    with pytest.raises(TypeError, match=r"_Sample.half has the shape \(2,\), not \(1,\)"):
        mould.filled(half=np.zeros(1))


def test_a_replaced_structure_shares_the_other_arrays():
    model = _Sample(whole=np.ones(2), half=np.ones(1), nothing=np.zeros(0), length=0.5, count=7)
    other = model.replaced(half=np.zeros(3), count=8)
    assert other.whole is model.whole
    assert (other.half.shape, other.length, other.count) == ((3,), 0.5, 8)
    assert (model.half.shape, model.count) == ((1,), 7)
    with pytest.raises(TypeError, match="wrong"):
        model.replaced(wrong=1)
