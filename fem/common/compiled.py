"""Functions of the compiled core, called with numpy arrays and :class:`fem.common.structures.Structure`."""

from __future__ import annotations

import ctypes
import logging
import os
import platform
from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np

from ..core.build import BuildError, Core, Variant, build, stamp_in
from .errors import FlexbodyError
from .structures import contiguous

logger = logging.getLogger("flexbody.compile")


class CoreError(FlexbodyError, RuntimeError):
    """The compiled core can't be loaded; the message gives the file, the reason and the remedy."""


@cache
def library() -> ctypes.CDLL:
    """Return the compiled core; where its C++ sources are here and were edited, it is built first.

    FLEXBODY_CHECK=1 and FLEXBODY_SANITIZE=address,undefined in the environment choose libraries that check.
    Raises :class:`CoreError`.
    """
    try:
        variant = Variant.chosen()
    except BuildError as error:
        raise CoreError(str(error)) from error
    return load(Core(variant=variant))


def load(core: Core) -> ctypes.CDLL:
    """Return the library of this tree, as :func:`library` does."""
    fault = core.fault()
    if fault and core.sources():
        try:
            build(core, logger.warning)
        except BuildError as error:
            raise CoreError(
                f"the compiled core {core.library} {fault}, and it can't be built: {error}"
            ) from error
        fault = core.fault()
    if fault:
        raise CoreError(f"the compiled core {core.library} {fault}; {_mend(core)}")
    runtime = core.variant.runtime
    if runtime and runtime not in os.environ.get("LD_PRELOAD", ""):
        raise CoreError(
            f"{core.library} needs {runtime}.so to be loaded before Python; start Python by: "
            f"env $(python -m fem.core --sanitize {','.join(core.variant.sanitize)}) python"
        )
    try:
        loaded = ctypes.CDLL(str(core.library))
        loaded.fem_core_sources.restype = ctypes.c_char_p
        stamp = stamp_in(loaded.fem_core_sources())
    except (OSError, AttributeError) as error:
        machine = f"{platform.system()} {platform.machine()}"
        raise CoreError(f"the compiled core can't be loaded on {machine}: {error}; {_mend(core)}") from error
    logger.debug("loaded %s: %s", core.library, stamp)
    return loaded


def _mend(core: Core) -> str:
    if core.sources():
        return f"remove that file: it is built anew when it is needed, or by: pip install -e {core.root}"
    return "repair the installation by: pip install --force-reinstall --no-deps flexbody"


def function(name: str, *kinds: str, result: type | None = None) -> Callable:
    """Return a function of the compiled core, found when it is first called.

    Parameters
    ----------
    name : str
        Its name in the library.
    *kinds : str
        Of each argument. ``struct``: a :class:`fem.common.structures.Structure`; ``real`` and ``int``: a number.
        ``reals``, ``singles``, ``ints``, ``bytes``: an array that is written (float64, float32, int64, uint8,
        C-contiguous), in C++ a pointer. ``input`` and ``indices``: an array of floats or of whole numbers that is only
        read, in C++ ``const double*`` and ``const Index*``; it is copied if it is of another type or not C-contiguous.
        The sizes of arrays are other arguments.
    result : type, optional
        int, float or bool; None for a function that returns nothing.

    Returns
    -------
    callable
        Takes as many arguments as there are kinds. It raises :class:`CoreError` if the core can't be loaded and
        TypeError for another number of arguments, or for an array to be written that is not of its kind.

    Raises
    ------
    KeyError
        There is no such kind.
    """
    converters = [_CONVERTERS[kind] for kind in kinds]
    found: list[Any] = []

    def call(*arguments):
        if not found:
            found.append(_find(name, kinds, result))
        if len(arguments) != len(converters):
            raise TypeError(f"{name} takes {len(converters)} arguments, not {len(arguments)}")
        value = found[0](*[convert(x) for convert, x in zip(converters, arguments, strict=True)])
        return bool(value) if result is bool else value

    call.__name__ = name
    return call


def _find(name: str, kinds: tuple[str, ...], result: type | None):
    entry = getattr(library(), name)
    entry.argtypes = [_TYPES.get(kind, ctypes.c_void_p) for kind in kinds]
    restypes: dict[Any, Any] = {None: None, float: ctypes.c_double}
    entry.restype = restypes.get(result, ctypes.c_int64)
    return entry


def address(name: str) -> int:
    """Return the address of a function of the compiled core, as a number."""
    return ctypes.cast(getattr(library(), name), ctypes.c_void_p).value or 0


def _address(x: np.ndarray) -> int:
    """Return the address of an array that compiled code may write into; ``x.ctypes.data`` takes four times as long."""
    return ctypes.addressof(ctypes.c_char.from_buffer(x.data)) if x.size else x.ctypes.data


def _written(kind: type) -> Callable[[np.ndarray], int]:
    """Return a function that gives the address of an array of one kind, into which compiled code may write."""
    dtype = np.dtype(kind)

    def address_of(x: np.ndarray) -> int:
        if x.dtype != dtype or not x.flags.carray:  # contiguous, aligned, writeable
            raise TypeError(
                f"compiled code writes into a contiguous array of {dtype} here, not {x.dtype} {x.strides}"
                f"{'' if x.flags.writeable else ', read-only'}{'' if x.flags.aligned else ', not aligned'}"
            )
        return _address(x)

    return address_of


class _Input(int):
    """An address that keeps its array alive during the call."""


def _read(kind: type) -> Callable[[Any], int]:
    """Return a function that gives the address of an array of one kind, which compiled code only reads."""
    dtype = np.dtype(kind)

    def address_of(x) -> int:
        if type(x) is np.ndarray and x.dtype == dtype and x.flags.carray:  # the caller keeps it alive
            return _address(x)
        array = contiguous(x, dtype)
        kept = _Input(array.ctypes.data)
        kept.array = array  # type: ignore[attr-defined]
        return kept

    return address_of


_CONVERTERS: dict[str, Callable] = {
    "struct": attrgetter("address"), "real": float, "int": int, "input": _read(np.float64), "indices": _read(np.int64),
    "reals": _written(np.float64), "singles": _written(np.float32), "ints": _written(np.int64),
    "bytes": _written(np.uint8),
}  # fmt: skip
_TYPES = {"real": ctypes.c_double, "int": ctypes.c_int64}
