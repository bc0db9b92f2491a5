"""Assumed modes: base functions from analytic expressions, for straight beams and rectangular plates; Koppens 3.2.

::

    rod = modal.assumed.beam(length=0.3, rho=7870.0, area=2.83e-5, EI=12.7, y=modal.assumed.quintic())
    wing = modal.assumed.plate((0.4, 0.2), 0.002, steel, w=modal.assumed.products(along, across))

A function is given over s in [0, length] (m, from the beam's start), or over the natural coordinate
xi = 2 s / length - 1 in [-1, 1] when wrapped in :class:`Natural`. It may be a numpy polynomial, a sympy
expression of one symbol, or a tuple (f, f', f'') of functions of arrays, since exact derivatives are needed.
:func:`quintic`, :func:`sines` and :func:`beam_modes` return such functions.
"""

from .beams import beam
from .plates import plate, products
from .polynomials import End, Natural, beam_modes, quintic, sines

__all__ = ["End", "Natural", "beam", "beam_modes", "plate", "products", "quintic", "sines"]
