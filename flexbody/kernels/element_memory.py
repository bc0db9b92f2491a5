"""What force elements keep in ``Work.element``: one array, because each one costs in every call that passes it on.

It begins with how the states of laws are found (GIVEN, STEPPED, RELAXED), the factor of their rates in an implicit
step, the time of the latest evaluation, and the numbers of deformations, states and elements; then of the latest
evaluation that was not finite its time, the element (counted from 1), its first deformation and its rate.
"""

import numpy as np

from fem.common.jit import jit

from .arrays import RELAXED

HEAD = 10


def new_memory(nx: int, starts: np.ndarray, ne: int) -> np.ndarray:
    """Return the array for nx deformations and ne elements, with states (nz,) at the start (NaN: not given)."""
    nz = len(starts)
    out = np.zeros(HEAD + 15 * nx + 3 * nz + 3 * ne)
    out[0], out[3:6] = RELAXED, (nx, nz, ne)
    element_z(out)[0] = np.nan_to_num(starts)
    return out


@jit(inline="always")
def element_x(memory):
    """Return deformations, their rates, forces: (3, nx)."""
    nx = int(memory[3])
    return memory[HEAD : HEAD + 3 * nx].reshape(3, nx)


@jit(inline="always")
def element_direction(memory):
    """Return the derivatives of the deformations by r_first, theta_first, r_second, theta_second: (nx, 4, 3)."""
    nx = int(memory[3])
    return memory[HEAD + 3 * nx : HEAD + 15 * nx].reshape(nx, 4, 3)


@jit(inline="always")
def element_z(memory):
    """Return states of laws, their rates, what an implicit step knows of them: (3, nz)."""
    at, nz = HEAD + 15 * int(memory[3]), int(memory[4])
    return memory[at : at + 3 * nz].reshape(3, nz)


@jit(inline="always")
def element_power(memory):
    """Return stored energies (J), dissipated and input powers (W): (ne, 3)."""
    at, ne = HEAD + 15 * int(memory[3]) + 3 * int(memory[4]), int(memory[5])
    return memory[at : at + 3 * ne].reshape(ne, 3)
