"""The built-in laws of force elements, as addresses for compiled code and as functions of arrays.

Each is a function ``law(t, u, x, rate, z, p, out)``:

- t: time, s;
- u (1,) or more: the input at t (a voltage, a pressure, a force);
- x, rate (m,): deformations of the element and their rates, one or six;
- z (nz,): states;
- p: parameters of the law;
- out (m + nz + 3,): forces F against growing deformations, the rates of the states, then stored energy U (J),
  dissipated and input power (W), with ``F . rate = dU/dt + dissipated - input``.

The equations are in ``force_laws.cpp``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import numpy as np

from fem.common.compiled import address, function, library

_names: list[str] = []
_piece = function("flexbody_piece", "input", "int", "real", "reals")


def law_address(name: str) -> int:
    """Return the address of the built-in law ``name``, of type ForceLaw in law.hpp."""
    return address(f"flexbody_law_{name}")


def slope_address(law: int) -> int:
    """Return the address of the slope of the built-in law at an address, 0 if it has none: see ``force_laws.hpp``."""
    return _slopes().get(law, 0)


@cache
def _slopes() -> dict[int, int]:
    """Return the addresses of slopes by those of their laws."""
    return {law_address(name): address(f"flexbody_law_{name}_slope") for name in names(with_slope=True)}


def names(with_slope: bool = False) -> list[str]:
    """Return the names of all built-in laws, or of those whose stiffness and damping have a function of their own."""
    return [name for name in _names if not with_slope or hasattr(library(), f"flexbody_law_{name}_slope")]


def _law(name: str) -> Callable[..., None]:
    _names.append(name)
    law = function(f"flexbody_law_{name}", "real", *("input",) * 5, "reals")
    law.__name__ = name
    return law


#: ``F = k x + d x. + u``, Koppens (4.3); p = (k, d)
linear = _law("linear")
#: stops at both ends of a range, Hunt and Crossley; p = (lower and upper end, k, n, d)
stop = _law("stop")
#: dry friction of given size; p = (sliding and static friction, Stribeck velocity, viscous, regularisation velocity)
friction = _law("friction")
#: dry friction that follows a reaction; p as FrictionNumber in ``kinds.hpp``, u = (normal force, rate of the other
#: coordinate along which the same surfaces slide)
reaction_friction = _law("reaction_friction")
#: the force by which teeth separate their wheels; p as SeparationNumber in ``kinds.hpp``, u = (force, 0)
separation = _law("separation")
#: a spring beside Maxwell branches, Sol (3.4.4); p = (k, d, n, then k_i and tau_i of each), z = the dashpots' strokes
viscoelastic = _law("viscoelastic")
#: a piston under the pressure u, which pushes apart, Sol (3.5.6); p = (area,)
pressure = _law("pressure")
#: a piston on oil; p = (area A, stiffness of the oil E/V, leakage c), z = pressure, u = flow
cylinder = _law("cylinder")
#: a direct-current motor, Sol (3.5.7)-(3.5.8); p = (c, R, L), z = current, u = voltage
motor = _law("motor")
#: a motor under control of its position, Sol (3.5.9); p = (c, R, L, b, b1, limit), u = the set-point
servo = _law("servo")
#: ``F = f(x) + d x.``; p = (d, f as for :func:`piece`)
table = _law("table")
#: ``F = k x + f(x.)``; p = (k, f as for :func:`piece`)
rate_table = _law("rate_table")
#: ``F = K x + D x. + f(x)``; p = (K (36,), D (36,), for each component 0 or where its table is in p, tables)
bushing = _law("bushing")
#: ``U = y K y / 2`` with ``y = x`` but ``y_0 = x_0 + x S x / 2``; p = (K (36,), S (36,), beta), damping beta K y.
beam = _law("beam")
#: a user's law recorded as operations; p = (n, the user's numbers (n,), m, nz, number of operations no, operations
#: (no, 4) as in tape.py with their constants, the rows that give the results (m + nz + 3,)); inputs are t (from 0
#: on), u, x, x., z, the user's numbers
recorded = _law("recorded")

#: a user's law that is called back; p = (the address of a function, that of its doubles, both as the bits of a double,
#: nz), see force_laws.cpp
called_back = _law("called_back")


def piece(p, first: int, x: float) -> tuple[float, float]:
    """Return the value and integral at ``x`` of a function in cubic pieces.

    Parameters
    ----------
    p : array_like
        From ``first`` on: n, breaks (n,), coefficients (n + 1, 5). In piece i, from break i - 1 (the first piece
        belongs to the first break), the function is ``a + b s + c s^2 + d s^3`` with s = x - break; the fifth
        coefficient is the integral up to the break.
    first : int
        Offset of the function in ``p``.
    x : float
        Argument.

    Returns
    -------
    tuple of float
        Value and integral.
    """
    out = np.empty(2)
    _piece(p, first, x, out)
    return float(out[0]), float(out[1])
