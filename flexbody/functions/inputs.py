"""Inputs: numbers that a program sets while a machine moves; see :class:`flexbody.Stepper`."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import partial, singledispatch
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from fem.common.arguments import check_arguments
from fem.common.errors import InputError

from .pieces import Corner


class Signal:
    """A linear combination of inputs and a constant: the result of arithmetic with an :class:`Input`.

    Where a number is needed, it has its value with all inputs at their initial values.
    """

    __array_priority__ = 1000.0  # products with NumPy arrays then call __rmul__

    def __init__(self, parts: tuple[tuple[Input, np.ndarray], ...], constant: ArrayLike = 0.0) -> None:
        self.parts, self.constant = parts, np.asarray(constant, dtype=float)

    def value(self, inputs: Mapping[str, np.ndarray]) -> np.ndarray:
        """Return the value for given values of the inputs.

        Parameters
        ----------
        inputs : mapping of str to numpy.ndarray
            Values of the inputs by name.

        Returns
        -------
        numpy.ndarray
            Value, () or (3,).
        """
        return self.constant + sum(factor * inputs[part.name] for part, factor in self.parts)

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the inputs."""
        return tuple(dict.fromkeys(part.name for part, _ in self.parts))

    def __add__(self, other) -> Signal:
        other = signal(other)
        return Signal(self.parts + other.parts, self.constant + other.constant)

    def __mul__(self, factor: ArrayLike) -> Signal:
        factor = np.asarray(factor, dtype=float)
        return Signal(tuple((p, f * factor) for p, f in self.parts), self.constant * factor)

    def __neg__(self) -> Signal:
        return self * -1.0

    def __sub__(self, other) -> Signal:
        return self + -signal(other)

    def __rsub__(self, other) -> Signal:
        return signal(other) - self

    def __truediv__(self, divisor: float) -> Signal:
        return self * (1.0 / divisor)

    __radd__, __rmul__ = __add__, __mul__

    def __array__(self, dtype=None, copy=None) -> np.ndarray:
        return np.asarray(self.value({part.name: part.initial_value for part, _ in self.parts}), dtype=dtype)

    def __float__(self) -> float:
        return float(self.__array__())

    def __repr__(self) -> str:
        return " + ".join(f"{factor} * Input({part.name!r})" for part, factor in self.parts)


@check_arguments
class Input(Signal):
    """A number or three components that :class:`flexbody.Stepper` sets while the machine moves.

    An input replaces a number in a load, in the force of an actuator or in the rate of a drive, by itself or in
    arithmetic. It can't be used in a function of time, where it has no value.

    Parameters
    ----------
    name : str
        Name of the input. Inputs with the same name are one input.
    initial : array_like, optional
        Initial value: a number, or three components (3,).

    Raises
    ------
    fem.InputError
        If the name is empty or the value is not a number or three components.

    Notes
    -----
    All analyses except :class:`flexbody.Stepper`, such as ``fb.simulate``, use the initial value.

    Examples
    --------
    >>> import flexbody as fb
    >>> torque = fb.Input("torque", initial=0.0)
    >>> arm = fb.RigidBody("arm", mass=1.0, inertia=(1e-3, 0.03, 0.03))
    >>> motor = fb.PointMoment("motor", arm, (0, 0, torque))
    """

    def __init__(self, name: str, initial: ArrayLike = 0.0) -> None:
        if not (isinstance(name, str) and name):
            raise InputError(f"Input: name is {name!r}; give a string, such as 'torque'")
        try:
            value = np.array(initial, dtype=float)
        except (TypeError, ValueError):
            value = np.zeros(0)
        if value.shape not in ((), (3,)) or not np.isfinite(value).all():
            raise InputError(f"Input '{name}': initial is {initial!r}; give a number or three components")
        value.flags.writeable = False
        self.name, self.initial_value = name, value
        super().__init__(((self, np.ones(())),))

    def __repr__(self) -> str:
        return f"Input({self.name!r}, initial={self.initial_value.tolist()})"


@singledispatch
def signal(value: Any) -> Signal:
    """Return a number, components (some of which may be inputs), or a signal as a signal."""
    return Signal((), value)


@signal.register
def _(value: Signal) -> Signal:
    return value


@signal.register(tuple)
@signal.register(list)
def _(value: Sequence) -> Signal:
    units = np.eye(len(value))
    return sum((signal(x) * unit for x, unit in zip(value, units, strict=True)), Signal((), 0.0))


def inputs_in(value: Any) -> list[Input]:
    """Return the inputs that a value contains: a signal, or components of which some are signals."""
    return _inputs_in.dispatch(type(value))(value)  # (a weak proxy isn't asked: its object may be gone)


@singledispatch
def _inputs_in(value: Any) -> list[Input]:
    return []


@_inputs_in.register
def _(value: Signal) -> list[Input]:
    return [part for part, _ in value.parts]


@_inputs_in.register(tuple)
@_inputs_in.register(list)
def _(value: Sequence) -> list[Input]:
    return [part for x in value for part in inputs_in(x)]


@singledispatch
def inputs_used(function: Callable) -> list[Input]:
    """Return the inputs that a function uses: from its closure, module, default values, or attributes of its object."""
    if not inspect.isroutine(function) and not type(function).__module__.startswith("flexbody"):
        function = getattr(function, "__call__", function)  # noqa: B004 (its code is looked at)
    try:
        names = inspect.getclosurevars(inspect.unwrap(function))
    except (TypeError, ValueError):
        return []
    used = [*names.nonlocals.values(), *names.globals.values()]
    used += getattr(function, "__defaults__", None) or ()
    if inspect.ismethod(function):
        own = getattr(function.__self__, "__dict__", {})
        used += [own[name] for name in function.__func__.__code__.co_names if name in own]
    return list(dict.fromkeys(inputs_in(used)))


@inputs_used.register
def _(function: partial) -> list[Input]:
    return inputs_in([*function.args, *function.keywords.values()]) + inputs_used(function.func)


class SignalReader:
    """A function of time that returns the present value of a signal; the loads of a stepped machine read it.

    The compiled law reads ``memory`` (3,), see :func:`flexbody.functions.function_pointers.signal_law`.
    """

    def __init__(self, source: Signal, inputs: Mapping[str, np.ndarray]) -> None:
        self.source, self.memory = source, np.zeros(3)
        self.shape = np.shape(source.value(inputs))
        self.update(inputs)

    def update(self, inputs: Mapping[str, np.ndarray]) -> None:
        """Update the memory for new values of the inputs."""
        value = self.source.value(inputs)
        if value.ndim:
            self.memory[:] = value
        else:
            self.memory[0] = value

    def __call__(self, t: float):
        """Return the present value, a number or (3,), at any time."""
        return float(self.memory[0]) if self.shape == () else self.memory.copy()


class PiecewiseConstant:
    """A piecewise constant function of time: ``values`` (n,) or (n, 3), each valid up to one of the times ``t``."""

    def __init__(self, t: np.ndarray, values: np.ndarray) -> None:
        self.t, self.values = t, values

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Where it jumps."""
        return _jumps(self.t, self.values, 0)

    def __call__(self, t: float):
        """Return the value at time ``t`` (s); at a jump the value before it."""
        value = self.values[min(int(np.searchsorted(self.t, t)), len(self.t) - 1)]
        return float(value) if np.ndim(value) == 0 else value


class PiecewiseLinear:
    """A coordinate with the values (n,) at the times ``t``, whose rate was ``rates`` (n,) before each of them."""

    def __init__(self, t: np.ndarray, values: np.ndarray, rates: np.ndarray) -> None:
        self.t, self.values, self.rates = t, values, rates

    @property
    def corners(self) -> tuple[Corner, ...]:
        """Where its rate jumps."""
        return _jumps(self.t, self.rates, 1)

    def __call__(self, t: float) -> float:
        """Return the coordinate at time ``t`` (s)."""
        k = min(int(np.searchsorted(self.t, t)), len(self.t) - 1)
        return float(self.values[k] + (t - self.t[k]) * self.rates[k])


def _jumps(t: np.ndarray, values: np.ndarray, order: int) -> tuple[Corner, ...]:
    """Return where values (n,) or (n, 3) jump, each of which is valid up to one of the times ``t``."""
    change = np.linalg.norm(np.diff(values, axis=0).reshape(len(t) - 1, -1), axis=1)
    jumps = (change > 0.0) & (np.diff(t) > 0.0)
    sizes = change if values.ndim > 1 else np.diff(values)
    return tuple(
        Corner(*found)
        for found in zip(t[:-1][jumps].tolist(), jumps.sum() * [order], sizes[jumps].tolist(), strict=True)
    )
