"""The flat arrays that every kernel works on: one fixed signature for all systems.

``Layout`` describes a system and never changes during a run; ``Work`` is scratch. They are filled by
:mod:`flexbody.layout`, the only place that knows offsets.
"""

from typing import NamedTuple

import numpy as np

#: kinds of constraint rows
POINT = 0  # e_a(first) . (r_second - r_first) = s(t)
ATTITUDE = 1  # e_a(first) . e_b(second) = 0
ANGLE = 2  # the angle about e_z(first) from e_x(first) to e_x(second) is phi(t)
COUPLING = 3  # a sum of joint coordinates times factors is s(t)
HOLONOMIC = 4  # a user's function of time and frames is zero
VELOCITY = 5  # a user's function that is linear in the velocities of frames is zero (nonholonomic)

#: kinds of joint coordinates, see :mod:`flexbody.kernels.coordinate`
TRANSLATION, ROTATION, TILT, LENGTH = 0, 1, 2, 3

#: laws of springs and of other force elements along a length or a joint coordinate
LINEAR, FRICTION, STOP = 0, 1, 2
#: friction that follows the joint's reaction, see :mod:`flexbody.kernels.rubbing`
RUB = 3

#: kinds of loads
FORCE_INERTIAL, FORCE_BODY, MOMENT_INERTIAL, MOMENT_BODY = 0, 1, 2, 3

#: geometries of force elements, see :mod:`flexbody.kernels.element`
LINE, ALONG, BETWEEN = 0, 1, 2
#: how the states of force laws are found
GIVEN, STEPPED, RELAXED = 0, 1, 2

#: columns of ``Layout.coefficient_at``
C1, C2, C3, C4, C5, C6, C7, C8, K, D, AXIAL = range(11)


class Layout(NamedTuple):
    """A system as flat arrays. nb bodies, na modal coordinates, nf frames, nr constraint rows, ns springs, ne force
    elements with nx deformations; m = nr + ns + nx rows of the iteration matrix.

    A row acts on at most ``width`` bodies: 2, or more where joints are coupled. Rows between more than two frames
    (and those of the later kinds) list these frames as their legs.
    """

    gravity: np.ndarray  # (3,) m/s^2
    length: np.ndarray  # (1,) characteristic length of the system, m
    body_mass: np.ndarray  # (nb,) kg
    body_size: np.ndarray  # (nb,) radius of gyration of each body, m
    body_modes: np.ndarray  # (nb,) number of modal coordinates N
    body_mean: np.ndarray  # (nb,) 1 where C1, C2 and C6 vanish
    alpha_at: np.ndarray  # (nb + 1,) offsets into alpha
    v_at: np.ndarray  # (nb + 1,) offsets into v = (c', omega, alpha') of each body
    body_axial: np.ndarray  # (nb,) number of axial modes whose force is in the strain energy
    axial_at: np.ndarray  # (nb,) offsets into Work.axial
    coefficient_at: np.ndarray  # (nb, 11) offsets of C1..C8, K, D, AXIAL
    # AXIAL: direction (N) and quadratic T (N,N) of each axial mode
    coefficients: (
        np.ndarray
    )  # C1 (3) C2 (N,3) C3 (3,3) C4 (N,3,3) C5 (N,3,3,N) C6 (N,3) C7 (N,N,3) C8 K D (N,N)
    frame_body: np.ndarray  # (nf,) body, -1 for the ground
    frame_x: np.ndarray  # (nf, 3) position from the body's reference point, m
    frame_A: np.ndarray  # (nf, 3, 3) axes of the undeformed frame (columns), body base
    frame_at: np.ndarray  # (nf + 1,) offsets: Phi (3, N) and B (3, N) of each frame
    frame_modes: np.ndarray
    frame_term_at: np.ndarray  # (nf + 1,) offsets: the second-order terms of each frame, none for most
    term_direction: np.ndarray  # (nt, 6) what a unit of alpha' S alpha / 2 adds to place and rotation vector
    term_at: np.ndarray  # (nt,) offsets of S (N, N) in term_value
    term_value: np.ndarray
    term_row: np.ndarray  # (nt,) offsets of S alpha in Work.term
    row_kind: np.ndarray  # (nr,)
    row_frame: (
        np.ndarray
    )  # (nr, 5) first and second frame (of its legs the first and the last), axis of each, drive or -1
    row_scale: np.ndarray  # (nr,) 1 for lengths, the characteristic length for angles
    row_side_at: (
        np.ndarray
    )  # (m + 1,) offsets into the sides: moving frames that a row (spring, deformation) acts on
    side_frame: np.ndarray  # (*,)
    side_body: np.ndarray  # (*,)
    side_slot: np.ndarray  # (*,) where in Work.slope: 2 k and 2 k + 1 for the frames of row k; legs follow
    side_block: np.ndarray  # (*,) offset of the block in Work.G that the side adds to
    elimination: np.ndarray  # (m,) the rows in the order in which they are eliminated; see elimination.py
    body_row_at: np.ndarray  # (nb + 1,) offsets into body_row
    body_row: np.ndarray  # (*,) the rows at each body, by their place in the elimination
    body_block_at: np.ndarray  # (nb + 1,) offsets in Work.G of each body's blocks, one row after the other
    body_pair_at: np.ndarray  # (nb + 1,) offsets into pair
    pair: np.ndarray  # (*,) where in Work.S the products of a body's rows go, lower triangle
    panel_row_at: np.ndarray  # (np + 1,) the panels' rows, by their place in the elimination
    panel_at: (
        np.ndarray
    )  # (np + 1,) offsets in Work.S: a panel's own rows and those below, over its own columns
    below_at: np.ndarray  # (np + 1,) offsets into below
    below: np.ndarray  # (*,) the rows below each panel
    update_at: np.ndarray  # (np + 1,) offsets into update
    update: np.ndarray  # (*,) where in Work.S the products of a panel's rows below go, lower triangle
    diagonal_at: np.ndarray  # (m,) offsets in Work.S of the diagonal, in the order of the elimination
    more: (
        np.ndarray
    )  # joint coordinates, couplings and users' constraints, see :mod:`flexbody.kernels.packed`
    more_value: np.ndarray
    drive_value: np.ndarray  # (nd, 2) value at t = 0 and rate, used where there is no law
    drive_law: np.ndarray  # (nd,) address of the law, 0 for none
    spring_frame: np.ndarray  # (ns, 10) frames, law, joint coordinate (-1: its length), see rubbing.py
    spring_value: (
        np.ndarray
    )  # (ns, 11) LINEAR: stiffness, damping, free length, actuator force; others: see force.py, rubbing.py
    spring_law: np.ndarray  # (ns,) address of the actuator's force law, 0 for none
    load_frame: np.ndarray  # (nl, 2) frame and kind
    force_frame: np.ndarray  # (ns + nx, 2) frames of springs and of the elements' deformations
    element: np.ndarray  # (ne, 11) force elements: see the columns in element.py
    element_value: np.ndarray  # input, reference of each deformation, the law's numbers of each element
    load_value: np.ndarray  # (nl, 3) N or Nm
    load_law: np.ndarray  # (nl,) address of the law, 0 for none
    matrix_at: np.ndarray  # (nb + 1,) offsets of each body's (6 + N)^2 matrix


class Work(NamedTuple):
    """Scratch of the kernels, and what the last evaluation left for others to read."""

    Q: np.ndarray  # (nb, 3, 3)
    D1: np.ndarray  # (nb, 3)
    J: np.ndarray  # (nb, 3, 3)
    D2: np.ndarray  # (na, 3, 3)
    D3: np.ndarray  # (na, 3)
    axial: np.ndarray  # stretch s, shortening h and T alpha (N) of each axial mode
    frame_p: np.ndarray  # (nf, 3) position from the reference point, body base
    frame_r: np.ndarray  # (nf, 3) inertial position
    frame_R: np.ndarray  # (nf, 3, 3) axes (columns), inertial
    frame_rows: np.ndarray  # as Layout.frame_modes, as it stands: Pi (3, N) and T Th (3, N) of each frame
    term: np.ndarray  # S alpha of each second-order term
    frame_v: np.ndarray  # (nf, 3) inertial velocity
    frame_w: np.ndarray  # (nf, 3) inertial angular velocity
    frame_a: np.ndarray  # (nf, 3) acceleration for zero vdot (bias)
    frame_b: np.ndarray  # (nf, 3) angular acceleration for zero vdot (bias)
    active: np.ndarray  # (nr,) 0 for redundant rows, which are left out
    phi: np.ndarray  # (nr,) scaled constraint residuals, m
    phi_t: np.ndarray  # (nr,) their partial time derivative
    more: np.ndarray  # joint coordinates and legged rows, see :mod:`flexbody.kernels.packed`
    slope: np.ndarray  # (2 m + legs, 2, 3) derivative of a row by r and theta of one frame
    direction: (
        np.ndarray
    )  # (m, 4, 3) the same memory: derivative by r_first, theta_first, r_second, theta_second
    frame_load: np.ndarray  # (nf, 6) inertial force and moment of all rows on each frame
    G: np.ndarray  # the Jacobian's blocks, by body; as they were when the iteration matrix was factorised
    residual: np.ndarray  # (nv,)
    spring_length: np.ndarray  # (ns, 2) length and rate
    element: np.ndarray  # force elements, see element_memory.py
    power: np.ndarray  # (2,) dissipated and input, W
    matrix: np.ndarray  # each body's iteration matrix, then its Cholesky factor B
    Y: np.ndarray  # as G: B^-1 G^T
    S: np.ndarray  # Schur complement, then its factor, in panels
    diagonal: np.ndarray  # (m,) its diagonal before elimination, in the order of the elimination
    compliance: np.ndarray  # (m - nr,) of the springs and deformations
    pivot: np.ndarray  # (1,) the smallest pivot over its diagonal
    kept: np.ndarray  # (m,) 0 for rows that are left out, in that order too
    rank: np.ndarray  # (1,)
    right: np.ndarray  # (m,)
    solution: np.ndarray  # (m,)
    other: np.ndarray  # (m,) a second right side
    solutions: np.ndarray  # (m, 2)
    unused: np.ndarray  # (m,)
    scratch: np.ndarray  # (32,)
