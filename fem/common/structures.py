"""Structures of named arrays and numbers that Python fills and compiled code reads by address.

A subclass of :class:`Structure` lists its fields with their types, in the order of the C++ structure of the same
name: ``float`` and ``int`` are numbers (8 bytes each), the arrays below are C-contiguous and lie in memory as
pointer and shape, another structure as its address. A test compares both descriptions.
"""

from __future__ import annotations

from copy import copy
from typing import Annotated, Any, ClassVar, Self, get_args, get_origin, get_type_hints

import numpy as np

# number of dimensions; more numbers say the lengths of the last ones: Annotated[Reals2, 5] is of the shape (*, 5)
Reals1 = Annotated[np.ndarray, np.float64, 1]
Reals2 = Annotated[np.ndarray, np.float64, 2]
Reals3 = Annotated[np.ndarray, np.float64, 3]
Vectors = Annotated[Reals2, 3]
Matrices = Annotated[Reals3, 3, 3]
Ints1 = Annotated[np.ndarray, np.int64, 1]
Ints2 = Annotated[np.ndarray, np.int64, 2]

#: bytes at whose multiples arrays in one block begin
ALIGNMENT = 64


def contiguous(x: Any, dtype: Any) -> np.ndarray:
    """Return ``x`` as a C-contiguous, aligned array; a copy if it is not one."""
    array = np.ascontiguousarray(x, dtype=dtype)
    return (
        array if array.flags.aligned else array.copy()
    )  # an array that is mapped from a file may lie anywhere


class Structure:
    """Base of structures shared with compiled code; see the module.

    Arrays are filled in place; they can't be exchanged, because compiled code holds their addresses.
    """

    _fields: ClassVar[tuple[str, ...]] = ()
    _slots: ClassVar[dict[str, tuple[Any, int]]] = {}  # kind and first word of each field
    _arrays: ClassVar[dict[str, tuple[Any, int, tuple[int, ...]]]] = {}  # type, dimensions, the last lengths
    _words: ClassVar[int] = 0

    def __init_subclass__(cls) -> None:
        cls._fields, cls._arrays, cls._slots, word = (), {}, {}, 0

        def number(name: str, place: int, kind: type):
            def read_real(self):
                return self._reals.item(place)

            def write_real(self, value):
                self._reals[place] = value

            def read_integer(self):
                return self._integers.item(place)

            def write_integer(self, value):
                self._integers[place] = value

            return property(read_real, write_real) if kind is float else property(read_integer, write_integer)

        for name, kind in get_type_hints(cls, include_extras=True).items():
            if get_origin(kind) is ClassVar or name.startswith("_"):
                continue
            cls._fields += (name,)
            cls._slots[name] = (kind, word)
            if kind in (float, int):
                setattr(cls, name, number(name, word, kind))
            if get_origin(kind) is Annotated:
                dtype, dimensions, *last = get_args(kind)[1:]
                cls._arrays[name] = (dtype, dimensions, tuple(last))
                word += dimensions
            word += 1
        cls._words = word

    def __init__(self, **values: Any) -> None:
        missing = [name for name in self._fields if name not in values]
        if missing or len(values) > len(self._fields):
            unknown = [name for name in values if name not in self._fields]
            raise TypeError(f"{type(self).__name__}: missing {missing}, unknown {unknown}")
        self._enter(np.zeros(self._words, dtype=np.int64), values)

    def _enter(self, memory: np.ndarray, values: dict[str, Any]) -> None:
        """Take the memory of all words, and the values of fields."""
        self._integers, self._reals = memory, memory.view(np.float64)
        attributes = vars(self)  # (arrays and structures can't be set as attributes)
        for name, value in values.items():
            kind, word = self._slots[name]
            if name in self._arrays:
                value = self._fitting(name, value)
                memory[word : word + 1 + value.ndim] = value.ctypes.data, *value.shape
            elif kind is float or kind is int:
                setattr(self, name, value)
                continue
            else:
                memory[word] = value.address
            attributes[name] = value
        self.address: int = memory.ctypes.data

    def _fitting(self, name: str, value: Any) -> np.ndarray:
        """Return the value of a field as compiled code reads it."""
        dtype, dimensions, last = self._arrays[name]
        array = contiguous(value, dtype)
        if array.ndim != dimensions or array.shape[dimensions - len(last) :] != last:
            shape = ", ".join(["*"] * (dimensions - len(last)) + [str(n) for n in last])
            raise TypeError(f"{type(self).__name__}.{name} has the shape ({shape}), not {array.shape}")
        return array

    def __setattr__(self, name: str, value: Any) -> None:
        if name in self._slots and self._slots[name][0] not in (float, int):
            raise TypeError(
                f"{type(self).__name__}.{name} is filled in place: compiled code holds its address"
            )
        object.__setattr__(self, name, value)

    @classmethod
    def empty_shapes(cls) -> dict[str, tuple[int, ...]]:
        """Return for each array the shape without any rows."""
        shapes = {}
        for name in cls._fields:
            _, dimensions, *last = get_args(cls._slots[name][0])[1:]
            shapes[name] = (0,) * (dimensions - len(last)) + tuple(last)
        return shapes

    def replaced(self, **values: Any) -> Self:
        """Return a structure with other values of some fields; it shares the other arrays."""
        if unknown := [name for name in values if name not in self._fields]:
            raise TypeError(f"{type(self).__name__}: unknown {unknown}")
        other = object.__new__(type(self))
        vars(other).update({name: x for name, x in vars(self).items() if name in self._fields})
        other._enter(self._integers.copy(), values)
        return other

    def take(self, other: Self) -> None:
        """Take all values of another structure, and share its arrays, where compiled code reads them at each call."""
        self._integers[:] = other._integers
        vars(self).update({name: x for name, x in vars(other).items() if name in self._fields})

    def memory(self) -> tuple[np.ndarray, ...]:
        """Return all arrays of the structure: its own numbers and those of inner structures."""
        out = [self._integers]
        for name in self._fields:
            value = getattr(self, name)
            if isinstance(value, Structure):
                out.extend(value.memory())
            elif isinstance(value, np.ndarray):
                out.append(value)
        return tuple(out)


class Mould:
    """Makes structures with the shapes and values of a given one, many times quicker than the first.

    Their arrays lie in one block of memory, whose places are laid out once. Arrays that share memory in the given
    structure do so in these.

    Parameters
    ----------
    model : Structure
        The given structure, without inner structures.
    """

    def __init__(self, model: Structure) -> None:
        self._kind, self._values = type(model), model._integers.copy()
        places: dict[int, int] = {}  # of the memory that arrays view, by its address
        pieces: list[np.ndarray] = []
        self._views: dict[str, tuple[tuple[int, ...], Any, int]] = {}  # shape, type and place of each array
        words = []
        for name in model._arrays:
            array = whole = getattr(model, name)
            while isinstance(whole.base, np.ndarray):
                whole = whole.base
            first = whole.ctypes.data
            if whole.nbytes and first not in places:
                places[first] = sum(map(len, pieces))
                piece = np.zeros(-(-whole.nbytes // ALIGNMENT) * ALIGNMENT, dtype=np.uint8)
                piece[: whole.nbytes] = whole.ravel(order="K").view(np.uint8)
                pieces.append(piece)
            at = places[first] + array.ctypes.data - first if array.nbytes else 0
            word = model._slots[name][1]
            words.append(word)
            self._values[word] = at
            self._views[name] = (array.shape, array.dtype, at)
        self._words = np.array(words, dtype=int)
        self._block = np.concatenate([np.zeros(0, dtype=np.uint8), *pieces])

    def filled(self, **values: np.ndarray) -> Mould:
        """Return a mould with the same places and other values in some arrays, of the same shapes."""
        other = copy(self)
        other._block = self._block.copy()
        for name, value in values.items():
            shape, kind, place = self._views[name]
            if np.shape(value) != shape:
                raise TypeError(f"{self._kind.__name__}.{name} has the shape {shape}, not {np.shape(value)}")
            np.ndarray(shape, kind, other._block, place)[...] = value
        return other

    def cast(self) -> Any:
        """Return a new structure."""
        made, block, memory = object.__new__(self._kind), self._block.copy(), self._values.copy()
        memory[self._words] += block.ctypes.data
        vars(made).update(
            {
                name: np.ndarray(shape, kind, block, place)
                for name, (shape, kind, place) in self._views.items()
            }
        )
        made._enter(memory, {})
        return made
