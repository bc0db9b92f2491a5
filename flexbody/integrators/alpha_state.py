"""What a run of the generalized-alpha method carries from step to step, and the step being tried."""

from typing import NamedTuple

import numpy as np

# entries of State.time
T, WANTED, LAST, FACTORED, TRIES, FIRST_TRY, BEFORE, CHANGED, RATE, EARLIER = range(10)
# last entries of State.scale: the largest acceleration that occurred lately, what balanced forces would cause
RECENT, BALANCED = -2, -1


class State(NamedTuple):
    """All that a run carries from step to step."""

    time: (
        np.ndarray
    )  # (10,): t; steps: wanted, last, of the factorisation; failed tries, step of the first one;
    # last step taken; size of the second difference of the accelerations over the last two steps; contraction;
    # step before the last
    c: np.ndarray
    q: np.ndarray
    alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    a: np.ndarray  # the method's own acceleration-like variable
    jerk: np.ndarray  # (vdot - vdot_before) / step
    mean: np.ndarray  # divided difference of v over the last step
    slope: np.ndarray  # over the last two
    curve: np.ndarray  # over the last three
    multipliers: np.ndarray
    multipliers_rate: np.ndarray
    multipliers_curve: np.ndarray
    energy: np.ndarray  # (4,): dissipated and input energy, and their powers at t
    z: (
        np.ndarray
    )  # (6, nz) states of force laws, rates, the method's variable, its slope; largest rates, states
    scale: (
        np.ndarray
    )  # (2 nb + 2,): top speed of motion and deformation of each body; accelerations, see below
    compliance: np.ndarray  # (m - nr,)
    counts: np.ndarray  # (5,) see above
    bad: np.ndarray  # (1,) the row with the largest residual where Newton's iteration failed
    leap: np.ndarray  # (6,) what drives were missed by, see :mod:`flexbody.kernels.leap`


class Trial(NamedTuple):
    """The step being tried."""

    c: np.ndarray
    q: np.ndarray
    alpha: np.ndarray
    v: np.ndarray
    vdot: np.ndarray
    a: np.ndarray
    multipliers: np.ndarray
    delta: np.ndarray  # (nv,) Newton correction
    ydelta: np.ndarray  # (m,)
    increment: np.ndarray  # (nv,)
    p: np.ndarray  # (nv,) correction of the positions, in generalized displacements
    move: np.ndarray  # (nv,) its Newton correction
    miss: np.ndarray  # (nr,) residual of the velocities
