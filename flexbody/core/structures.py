"""The structures that Python and the compiled core share: a system as flat arrays, work arrays, states, settings.

The C++ side is in ``layout.hpp``, ``work.hpp``, ``alpha_state.hpp`` and ``explicit_state.hpp``, with the fields in this
order. :mod:`flexbody.compile.plan` and the integrators fill them. The names of their columns are in ``kinds.hpp`` and
:mod:`flexbody.core.kinds`, where the kinds of columns (RowColumn, ...) are listed by the names of the arrays.
"""

from typing import Annotated

from fem.common.structures import Ints1, Ints2, Matrices, Reals1, Reals2, Reals3, Structure, Vectors


class Layout(Structure):
    """A system as flat arrays.

    Notes
    -----
    There are nb bodies, na modal coordinates, nf frames, nr constraint rows, ne force elements with nx deformations,
    and nz states of force laws. The iteration matrix has m = nr + nx rows.

    A row acts on at most two bodies, or on more if joints are coupled. Rows between more than two frames (and rows of
    the kinds from COUPLING on) list these frames as their legs. A law is a pair: the address of a function and the
    address of its context, both 0 for none.
    """

    gravity: Reals1  # (3,) m/s^2
    length: float  # characteristic length of the system, m
    # bodies
    body_mass: Reals1  # (nb,) kg
    auxiliary_mass: Reals1  # (nb,) kg, of massless bodies, see elimination.hpp; else 0
    body_size: Reals1  # (nb,) radius of gyration of each body, m
    body_modes: Ints1  # (nb,) number of modal coordinates N
    body_mean: Ints1  # (nb,) 1 where C1, C2 and C6 vanish
    alpha_at: Ints1  # (nb + 1,) offsets into alpha
    v_at: Ints1  # (nb + 1,) offsets into v = (c', omega, alpha') of each body
    body_axial: Ints1  # (nb,) number of axial modes whose force is in the strain energy
    axial_at: Ints1  # (nb,) offsets into Work.axial
    coefficient_at: Annotated[Ints2, 11]  # (nb, 11) offsets, see Coefficient
    # C1 (3) C2 (N,3) C3 (3,3) C4 (N,3,3) C5 (N,3,3,N) C6 (N,3) C7 (N,N,3) C8 K D (N,N);
    # AXIAL: direction (N) and quadratic T (N,N) of each axial mode
    coefficients: Reals1
    matrix_at: Ints1  # (nb + 1,) offsets of each body's (6 + N)^2 matrix
    # frames
    frame_body: Ints1  # (nf,) body, -1 for the ground
    frame_x: Vectors  # (nf, 3) position from the body's reference point, m
    frame_A: Matrices  # (nf, 3, 3) axes of the undeformed frame (columns), body base
    frame_at: Ints1  # (nf + 1,) offsets: Phi (3, N) and B (3, N) of each frame
    frame_modes: Reals1
    frame_term_at: Ints1  # (nf + 1,) offsets: the second-order terms of each frame, none for most
    # (nt, 6) what a unit of alpha' S alpha / 2 adds to place and rotation vector
    term_direction: Annotated[Reals2, 6]
    term_at: Ints1  # (nt,) offsets of S (N, N) in term_value
    term_value: Reals1
    term_row: Ints1  # (nt,) offsets of S alpha in Work.term
    # frames that slide along a path, see path.hpp
    frame_path: Ints1  # (nf,) the path of each frame, -1 for those that do not slide
    path: Annotated[Ints2, 11]  # (np, 11) see PathColumn
    # of each path: s as drawn, sizes of a rim or tread (3,), the breaks, coefficients (segments, degree + 1, columns)
    # in rising powers
    path_value: Reals1
    path_term: Annotated[Ints2, 3]  # (*, 3) i, j and component (0 to 2 place, 3 to 5 rotation) of a term
    # constraint rows
    row_kind: Ints1  # (nr,)
    row_frame: Annotated[Ints2, 5]  # (nr, 5) see RowColumn
    row_scale: Reals1  # (nr,) 1 for lengths, the characteristic length for angles
    row_leg_at: Ints1  # (nr + 1,) offsets of each row's legs, for kinds from COUPLING on
    row_part_at: Ints1  # (nr + 1,) offsets of the parts of couplings
    row_operation_at: Ints1  # (nr + 1,) offsets of the recorded operations of users' functions
    row_callback: Ints1  # (nr,) address of a user's function that is called back, 0 for none
    leg_frame: Ints1  # (*,) the frame of each leg
    part: Annotated[Ints2, 3]  # (*, 3) of couplings, see PartColumn
    part_factor: Reals1  # (*,)
    operation: Annotated[Ints2, 3]  # (*, 3) recorded operations of users' functions, see tape.hpp
    operation_constant: Reals1  # (*,)
    slip_operation_at: Ints1  # (*,) offsets of the recorded operations of slip, after those of rows
    # base functions that follow contacts, see following_shapes.hpp
    shape_set: Annotated[Ints2, 7]  # (*, 7) see ShapeSetColumn
    shape_curve: Annotated[Ints2, 5]  # (*, 5) see ShapeCurveColumn
    # F (r, N) of each set; of each curve its breaks and coefficients (segments, 4, r) in rising powers
    shape_value: Reals1
    drive_value: Annotated[Reals2, 2]  # (nd, 2) see DriveColumn, used where there is no law
    drive_law: Annotated[Ints2, 2]  # (nd, 2)
    # joint coordinates: first those that rows or forces use, then joints' other angles: revolutions of all are counted
    coordinate: Annotated[Ints2, 7]  # (nc, 7) see CoordinateColumn
    coordinate_value: Annotated[Reals2, 2]  # (nc, 2) see CoordinateValueColumn
    # elimination, see elimination.py
    # (m + 1,) offsets into the sides: moving frames that a row or deformation acts on
    row_side_at: Ints1
    row_group_at: Ints1  # (*,) offsets of groups of constraint rows that act on the same frames
    side_frame: Ints1  # (*,)
    side_body: Ints1  # (*,)
    side_slot: Ints1  # (*,) where in Work.slope: 2 k and 2 k + 1 for the frames of row k; legs follow
    side_block: Ints1  # (*,) offset of the block in Work.G that the side adds to
    elimination: Ints1  # (m,) the rows in the order in which they are eliminated
    body_row_at: Ints1  # (nb + 1,) offsets into body_row
    body_row: Ints1  # (*,) the rows at each body, by their place in the elimination
    body_block_at: Ints1  # (nb + 1,) offsets in Work.G of each body's blocks, one row after the other
    body_pair_at: Ints1  # (nb + 1,) offsets into pair
    pair: Ints1  # (*,) where in Work.S the products of a body's rows go, lower triangle
    panel_row_at: Ints1  # (np + 1,) the panels' rows, by their place in the elimination
    panel_at: Ints1  # (np + 1,) offsets in Work.S: a panel's own rows and those below, over its own columns
    below_at: Ints1  # (np + 1,) offsets into below
    below: Ints1  # (*,) the rows below each panel
    update_at: Ints1  # (np + 1,) offsets into update
    update: Ints1  # (*,) where in Work.S the products of a panel's rows below go, lower triangle
    diagonal_at: Ints1  # (m,) offsets in Work.S of the diagonal, in the order of the elimination
    carrier_at: Ints1  # (nb + 1,) offsets into carrier
    carrier: Ints1  # (*,) what may carry each body: -1, the ground, then bodies, the next ones first
    # forces
    load_frame: Annotated[Ints2, 2]  # (nl, 2) see LoadColumn
    load_value: Vectors  # (nl, 3) N or Nm
    load_law: Annotated[Ints2, 2]  # (nl, 2)
    load_change_at: Ints1  # (nl,) offset in load_change of a BODY_LOAD, -1 of others
    load_change: Reals1  # (*,) of each BODY_LOAD, see loads.hpp
    element: Annotated[Ints2, 15]  # (ne, 15) see ElementColumn
    element_input: Annotated[Ints2, 2]  # (ne, 2) the law of the input
    element_value: Reals1  # input, reference of each deformation, the law's numbers of each element
    deformation_element: Ints1  # (nx,) the element of each deformation
    reaction_friction: Annotated[Ints2, 6]  # (nh, 6) see ReactionFrictionColumn
    # networks of elements round bodies without mass, see networks.hpp
    frame_massless: Ints1  # (nf,) the massless body of each frame, -1 for most
    massless_at: Ints1  # (nm + 1,) offsets of the unknowns of each massless body, 3 or 6
    massless_center: Vectors  # (nm, 3) its place as drawn, m
    massless_start: Annotated[Reals2, 12]  # (nm, 12) place and axes beside the host of its network as drawn
    net_at: Ints1  # (ng + 1,) offsets of the massless bodies of each network
    net_element_at: Ints1  # (ng + 1,) offsets into net_element
    net_element: Ints1  # (*,) the elements of each network
    net_frame_at: Ints1  # (ng + 1,) offsets into net_frame
    net_frame: Ints1  # (*,) the frames of each network on moving bodies
    net_slot: Ints1  # (ng,) where in Work.slope the legs of its rows begin, frame by frame
    net_host: Ints1  # (ng,) an outer frame, beside which places are remembered
    net_active: Ints1  # (ng,) 1 where forces do work of their own, so that rates are needed
    net_moment: float  # step of differences by the time, s
    net_length: Reals1  # (ng,) characteristic length, m


class DriveMisses(Structure):
    """Residuals of drives in the steps before correction, see ``drive_errors.hpp``."""

    tried: int  # the row that the step being tried misses most
    missed: float  # and by how much, m
    row: int  # of the accepted steps since the last check the row missed most, -1 for none
    since: float  # the times between which it was missed, s
    until: float
    allowed: float  # by how much a drive may be missed before it is checked, m


class Work(Structure):
    """Work arrays, and results of the latest evaluation."""

    # bodies
    Q: Matrices  # (nb, 3, 3)
    D1: Vectors  # (nb, 3)
    J: Matrices  # (nb, 3, 3)
    D2: Matrices  # (na, 3, 3)
    D3: Vectors  # (na, 3)
    axial: Reals1  # stretch s, shortening h and T alpha (N) of each axial mode
    # frames
    frame_p: Vectors  # (nf, 3) position from the reference point, body base
    frame_r: Vectors  # (nf, 3) inertial position
    frame_R: Matrices  # (nf, 3, 3) axes (columns), inertial
    frame_rows: Reals1  # as Layout.frame_modes, as it stands: Pi (3, N) and T Th (3, N) of each frame
    term: Reals1  # S alpha of each second-order term
    frame_v: Vectors  # (nf, 3) inertial velocity
    frame_w: Vectors  # (nf, 3) inertial angular velocity
    frame_a: Vectors  # (nf, 3) acceleration for zero vdot (bias)
    frame_b: Vectors  # (nf, 3) angular acceleration for zero vdot (bias)
    path: Annotated[Reals2, 34]  # (np, 34) see PathNumber
    path_rows: Reals1  # of each path its columns at s with two derivatives, products of alpha
    frame_load: Annotated[Reals2, 6]  # (nf, 6) inertial force and moment of all rows on each frame
    # constraint rows and joint coordinates
    active: Ints1  # (nr,) 0 for redundant rows, which are left out
    phi: Reals1  # (nr,) scaled constraint residuals, m
    phi_t: Reals1  # (nr,) their partial time derivative
    driven: Reals1  # (nr,) values of the functions of time of their drives, rad or m
    slope: Annotated[Reals3, 2, 3]  # (2 m + legs, 2, 3) derivative of a row by r and theta of one frame
    # (m, 4, 3) the same memory: derivative by r_first, theta_first, r_second, theta_second
    direction: Annotated[Reals3, 4, 3]
    leg_slope: Annotated[Reals3, 2, 3]  # (legs, 2, 3) the same memory: the derivatives by the legs
    shape: Reals1  # of each set of shapes that follow contacts, see following_shapes.cpp
    coordinate: Reals1  # (nu,) joint coordinates that rows or forces use
    # (nu, 4, 3) their derivatives by r_first, theta_first, r_second, theta_second
    coordinate_slope: Annotated[Reals3, 4, 3]
    revolutions: Annotated[Reals2, 5]  # (nc, 5) see RevolutionColumn
    # forces
    law_mode: int  # how the states of force laws are found: GIVEN, STEPPED, RELAXED
    law_kappa: float  # the factor of their rates in an implicit step, s
    law_time: float  # of the latest evaluation, s
    bad_time: float  # the latest evaluation of a law that was not finite: its time, s
    bad_element: int  # the element, -1 for none
    bad_deformation: float  # its first deformation
    bad_rate: float  # and its rate
    bad_network_time: float  # the latest evaluation of a network without equilibrium: its time, s
    bad_network: int  # the network, -1 for none
    bad_network_cause: int  # see NetworkCause
    deformation: Reals1  # (nx,)
    deformation_rate: Reals1  # (nx,)
    element_force: Reals1  # (nx,)
    deformation_slope: Annotated[Reals3, 4, 3]  # (nx, 4, 3) by r_first, theta_first, r_second, theta_second
    law_state: Reals1  # (nz,)
    law_rate: Reals1  # (nz,)
    law_known: Reals1  # (nz,) what an implicit step knows of them
    law_input: Vectors  # (ne, 3) the input u of each law
    element_power: Vectors  # (ne, 3) see ElementPowerColumn
    peak: Annotated[Reals2, 4]  # (ne, 4) the largest force of each at a step, see PeakColumn
    depth: Annotated[Reals2, 4]  # (ne, 4) of contacts, see DepthColumn
    turned: Annotated[Reals2, 7]  # (nx, 7) how often the forces turn, see TurnColumn
    signal: Reals1  # (*,) what controllers measure, and their outputs
    acted: Annotated[Reals2, 2]  # (*, 2) value (NaN of a turn) and rate where these outputs act
    massless: Annotated[Reals2, 30]  # (nm, 30) see MasslessColumn
    # (nh, 9) see FrictionRecord: of nh frictions that follow their joint's reaction
    friction_record: Annotated[Reals2, 9]
    friction_system: Reals2  # (nh, nh + 2) the equations of these forces: matrix, right side, forces
    friction_motion: Reals2  # (nh, nv) the motion that a unit of each force causes
    friction_multipliers: Reals2  # (nh, m) and the multipliers
    power: Reals1  # (2,) see PowerEntry, W
    load: Reals1  # (nv,) generalized forces of the loads on bodies
    # equations of motion and their solution
    residual: Reals1  # (nv,)
    G: Reals1  # the Jacobian's blocks, by body; as they were when the iteration matrix was factorised
    matrix: Reals1  # each body's iteration matrix, then its Cholesky factor B
    Y: Reals1  # as G: B^-1 G^T
    S: Reals1  # Schur complement, then its factor, in panels
    diagonal: Reals1  # (m,) its diagonal before elimination, in the order of the elimination
    compliance: Reals1  # (m - nr,) of the deformations
    kept: Ints1  # (m,) 0 for rows that are left out, in that order too
    rank: int
    pivot: float  # the smallest pivot over its diagonal
    held: float  # the least part of a load on massless bodies that joints and springs take up
    right: Reals1  # (m,)
    solution: Reals1  # (m,)
    other: Reals1  # (m,) a second right side
    solutions: Annotated[Reals2, 2]  # (m, 2)
    unused: Reals1  # (m,)


class Counts(Structure):
    """Numbers of steps and iterations of a run."""

    steps: int
    rejected: int
    iterations: int
    factorisations: int
    rank_losses: int
    vibrating: int  # steps whose size vibrations determined
    striking: int  # steps whose size forces that set in, slide or jump may have determined
    without_bristle: int  # steps behind which spheres touch for whose friction there is no bristle

    def plus(self, other: "Counts") -> "Counts":
        """Return the sums of both."""
        total = self.replaced()
        total._integers += other._integers  # all of its fields
        return total


class AlphaSettings(Structure):
    """Settings of the generalized-alpha method."""

    alpha_m: float
    alpha_f: float
    beta: float
    gamma: float
    error_constant: float  # the local error of positions is this times h^3 times the third derivative
    rtol: float  # 0: fixed step
    by_default: int  # whether neither rtol nor vibrations was given, see step_error.hpp
    newton_rtol: float
    max_iterations: int
    min_step: float  # s
    crawl: float  # s, smaller steps end the run where massless bodies lose what holds them
    max_step: float  # s
    stabilized: int  # 1: index 2, 0: index 3
    vibrations: float  # the part of the motion that a step may lose of vibrations, 0: they are resolved
    tells: int  # whether steps that vibrations determine are counted, also where all are resolved
    duration: float  # of the run, s
    share: float  # what Newton's iteration may leave of the local error, 0: only newton_rtol counts


class Tree(Structure):
    """The tree of a machine in the relative description: nb hinges, each leading to a body; empty in the global one.

    The places s (np,) of a hinge are its shifts along the axes of the first frame, m, then its angles, rad, or four
    Euler parameters of a ball or free joint. Its speeds u (nh,) are the motions of ``motion``, in this order.
    """

    body: Ints1  # (nb,) the body that hinge k leads to
    inner: Ints1  # (nb,) the body that carries it, -1 for the ground
    carrier: Ints1  # (nb,) the hinge that leads to that body, -1 for the ground
    hinge: Ints1  # (nb,) the hinge that leads to body b
    kind: Ints1  # (nb,) see HingeKind
    frame: Annotated[Ints2, 2]  # (nb, 2) the inner and the outer frame of the joint, -1 for a free joint
    reversed: Ints1  # (nb,) 1 where the outer frame is the first frame of the joint
    ball: Ints1  # (nb,) 1 where Euler parameters describe the rotation
    place_at: Ints1  # (nb + 1,) offsets into s
    speed_at: Ints1  # (nb + 1,) offsets into u, `motion` and `column`
    motion: Annotated[Ints2, 3]  # (nh, 3) see MotionColumn
    driven: Annotated[Ints2, 3]  # (nh, 3) see DrivenColumn
    driven_from: Reals1  # (nh,) place where the driven coordinate is zero
    drive: Annotated[Ints2, 2]  # (nd, 2) of each driven motion: its number and its hinge
    screw: Annotated[Reals2, 2]  # (nb, 2) of a screw: translation where its angle is zero, m, and per rad, m
    called: Ints1  # (nb,) address of the function of a user's own hinge, 0 for none
    unit: Reals1  # (nh,) what counts as one unit of each speed: m, rad, or of a user's own hinge
    # between rigid bodies, in the base of a link, the outer frame of its hinge
    # (nb, 12) axes (3, 3) and origin of the inner frame in the base of its carrier
    seat: Annotated[Reals2, 12]
    # (nb, 10) mass, its centre, inertia xx xy xz yy yz zz about the origin
    rigid: Annotated[Reals2, 10]
    watched: Ints1  # (*,) the frames that forces act on or depend on
    own_at: Ints1  # (nb + 1,) offsets of each hinge's own speeds: those not driven, then alpha.
    matrix_at: Ints1  # (nb + 1,) offsets into `matrix`: m^2 for m own speeds
    modal_at: Ints1  # (nb + 1,) offsets into `modal_inertia`: N^2, by hinges
    carried_at: Ints1  # (nb + 1,) rows of `carried`: N of the carrier
    row_at: Ints1  # (nb + 1,) offsets into `row`
    row: Ints1  # (*,) the constraint rows of each hinge
    closing: Ints1  # (nc,) the constraint rows of no hinge: those that close loops
    # closing rows along the tree: fronts of hinges (nb), then those at their carriers
    closing_frame: Ints1  # (*,) the frames of closing rows and forces, where there are closing rows
    front_at: Ints1  # (fronts + 1,) offsets into the rows of all fronts
    front_row: Ints1  # (*,) the constraint rows of each front, its own ones first
    front_to: Ints1  # (*,) where each is in the rows of all fronts at the next front; -1 for its own ones
    front_own: Ints1  # (fronts,) number of rows that are eliminated there
    front_next: Ints1  # (fronts,) the front to which the others go, -1 for none
    front_matrix_at: Ints1  # (fronts + 1,) offsets into `row_matrix`: n^2 for n rows
    front_speed_at: Ints1  # (nb + 1,) offsets into `row_own`: n times the own speeds of the hinge
    group_at: Ints1  # (nb + 2,) the fronts at each carrier, the ground first
    # motion of the bodies as in the global description
    c: Vectors  # (nb, 3) m
    q: Annotated[Reals2, 4]  # (nb, 4)
    given: Reals1  # (nh,) du/dt of the driven motions
    missed: Reals1  # (nh,) by how much a step without correction would miss the drive, m or rad
    time: Reals1  # (1,) s, for which users' own hinges are asked
    carried_by_time: Annotated[
        Reals2, 6
    ]  # (nb, 6) twist that the function of a user's hinge causes by the time
    v: Reals1  # (nv,)
    vdot: Reals1  # (nv,)
    kept_c: Vectors  # (nb, 3) of the last accepted state
    kept_q: Annotated[Reals2, 4]  # (nb, 4)
    kept_v: Reals1  # (nv,)
    kept_vdot: Reals1  # (nv,)
    # sweeps, see link.hpp; twists are at the outer frame, inertial
    link: Annotated[Reals2, 60]  # (nb + 1, 60) the ground, then each hinge's body
    column: Annotated[Reals2, 6]  # (nh, 6) H: what a unit of each speed adds to the twist
    carried: Annotated[Reals2, 6]  # (*, 6) what a unit of each alpha. of the carrier adds to it
    # (na, 6) velocities (body base) of a body for each alpha., its outer frame held
    held: Annotated[Reals2, 6]
    modal_column: Annotated[Reals2, 6]  # (na, 6) momentum for each alpha., the outer frame held
    modal_inertia: Reals1  # inertia of the alpha. of each body, the outer frame held: upper triangles
    modal_load: Reals1  # (na,)
    matrix: Reals1  # of own speeds, K = L D L': L' above the diagonal, 1 / D on it
    # (own, 6) L^-1 times the load that each own rate leaves at the outer frame
    drag: Annotated[Reals2, 6]
    own: Reals1  # right sides of own speeds, L^-1 times them, then their rates
    # rows of fronts that are not left out (Work.active): each front's at its first places
    kept_active: Ints1  # (nr,) Work.active for which they were found
    kept: Annotated[Ints2, 2]  # (fronts, 2) numbers of such rows: those to be eliminated there, all
    kept_row: Ints1  # (*,) the constraint rows
    kept_to: Ints1  # (*,) the place of each in the next front
    row_load: Annotated[Reals2, 6]  # (*, 6) load that a unit of each row of a front leaves at its link
    row_start: Reals1  # (*,) diagonals of G Y G' before elimination
    row_left: Reals1  # (*,) what the motion so far leaves of the second derivative of each row
    row_matrix: Reals1  # the matrices of all fronts
    row_own: Reals1  # parts of rows along own speeds
    row_right: Reals1  # (nr,) what closing rows demand
    row_force: Reals1  # (nr,) multipliers of closing rows


class AlphaState(Structure):
    """The complete state of a run of the generalized-alpha method between its steps.

    It integrates n speeds: those of bodies (nv,) in the global description, of a tree in the relative one.
    """

    t: float  # s
    wanted: float  # step, s
    last: float  # step that the method's variable a fits, s
    factored: float  # step of the latest factorisation, s
    fresh: int  # whether it belongs to the step that is tried
    tries: int  # failed ones of the present step
    first_try: float  # step of the first one, s
    divided_until: float  # end of a fixed step that is divided, s; 0 for none
    whole_step: float  # its size, s
    before: float  # last step taken, s
    earlier: float  # the step before it, s
    changed: float  # size of the second difference of the accelerations over the last two steps
    contraction: float  # of Newton's iteration, as measured some steps ago
    recent: float  # the largest acceleration that occurred lately
    stiffest: float  # force element: stiffness times what a unit of its force accelerates it by, 1/s^2
    best_held: float  # the largest Work.held of the steps so far
    magnified: float  # the error of a step that may be round-off, which singular positions magnify
    balanced: float  # part of the accelerations that balanced forces would cause singly
    c: Vectors  # (nb, 3)
    q: Annotated[Reals2, 4]  # (nb, 4)
    alpha: Reals1
    v: Reals1
    vdot: Reals1
    a: Reals1  # (n,) the method's own acceleration-like variable
    jerk: Reals1  # (vdot - vdot_before) / step
    jumped: int  # see NO_JUMP in `kinds.py`
    before_jump: Reals2  # (2, n) vdot and jerk before the jump
    behind_jump: Reals2  # (2, n) and behind it
    mean: Reals1  # divided difference of v over the last step
    slope: Reals1  # over the last two
    curve: Reals1  # over the last three
    multipliers: Reals1
    multipliers_rate: Reals1
    multipliers_curve: Reals1
    energy: Reals1  # (2,) dissipated and input energy, J
    power: Reals1  # (2,) their powers at t, W
    work_deformation: Reals1  # (nx,) of the elements at t
    work_rate: Reals1  # (nx,) and their rates
    work_force: Reals1  # (nx,) and their forces
    work_input: Vectors  # (ne, 3) inputs of their laws at t
    work_power: Vectors  # (ne, 3) their energies and powers at t, see ElementPowerColumn
    work_signal: Reals1  # (*,) Work.signal at t
    work_acted: Annotated[Reals2, 2]  # (*, 2) Work.acted at t
    work_phi_t: Reals1  # (nr,) Work.phi_t at t
    work_driven: Reals1  # (nr,) Work.driven at t
    work_load: Reals1  # (nv,) generalized forces of the loads at t
    work_frame_r: Vectors  # (nf, 3) the frames at t; none where no work needs them, see work_at_ends.hpp
    work_frame_R: Matrices  # (nf, 3, 3)
    work_frame_w: Vectors  # (nf, 3)
    law_state: Reals1  # (nz,)
    law_rate: Reals1
    law_variable: Reals1  # the method's own rate-like variable
    law_slope: Reals1  # of the rates
    law_top_rate: Reals1  # the largest so far
    law_top: Reals1
    top_speed: Annotated[Reals2, 2]  # (nb, 2) of motion and of deformation of each body
    first_c: Vectors  # (nb, 3) where the run began
    first_q: Annotated[Reals2, 4]  # (nb, 4)
    vibrates: int  # whether vibrations determined the step that was looked at last
    filtered_count: int  # number of steps that the latest filtered error has judged
    filtered_wait: int  # the number that it may judge
    filtered_blows: int  # number of elements that struck in the first of them
    filtered_step: float  # their size, s
    filtered_usual: float  # the usual error of the first of them
    filtered_error: float  # the filtered error, over what it may be
    filtered_whirl: float  # what it loses of the whirl of rotors, over what it may
    load_reach: Reals1  # (nl,) range of the force of time of each load in the run, 0 if not known
    input_reach: Reals1  # (ne,) of the input of each element
    drive_reach: Reals1  # (nd,) zeros
    ringing: Annotated[Reals2, 8]  # (nb, 8) of vibrations that determined steps, see RingingColumn
    stretch: float  # the largest deformation of an elastic element since the run began, m
    first_deformation: Reals1  # (nx,) where the run began
    twist: Reals1  # (nx,) the largest rotation in elastic elements since then, rad, or change of belts, m
    travel: float  # the farthest that a body has moved from there, m
    foreseen_travel: float  # the same, or what a pilot run foresees if that is more, m
    axes: Annotated[Reals2, 3]  # (*, 3) of the rotation of each body beside its carriers, see AxisColumn
    rotation: float  # the fastest rotation of a body so far, or what a pilot run foresees, rad/s
    loosest: float  # by how much the tolerance may grow by default; 1 without a pilot run
    remembered: float  # the longest time found for which the machine remembers errors, s; 0 if not looked for
    prescribed: Reals1  # (nb,) 1 for bodies whose motion drives prescribe, else 0
    prescribed_part: float  # of the errors of their positions that a step is judged by
    largest_rtol: float  # the largest tolerance of a step so far; 0 before the first
    deformation: Reals1  # (nb,) the largest deformation of each body so far, m, root mean square over mass
    compliance: Reals1  # (m - nr,)
    held_since: Reals1  # (m - nr,) since when the force of an element has hardly changed, s
    held_force: Reals1  # (m - nr,) its force then
    struck: Reals1  # (m - nr,) number of steps whose size its blows may have determined
    held_rate: Reals1  # (m - nr,) its stiffness times what a unit of its force accelerates it by, 1/s^2
    swings: Annotated[Reals2, 15]  # (m - nr, 15) of its force, see SwingColumn
    ring_steps: float  # since the vibrations of bodies were looked at
    ring_time: float  # the time since then, s
    ring_cubes: float  # sum of the cubes of the steps since then, s^3
    ring_step: float  # size of the step that was looked at, s
    rings: Annotated[Reals2, 20]  # (na + m - nr, 20) of modal coordinates and forces, see RingColumn
    lost: Annotated[Reals2, 6]  # (nb, 6) of the vibrations of bodies, see LostColumn
    bad_row: int  # the row with the largest residual where Newton's iteration failed
    counts: Counts
    misses: DriveMisses
    places: Reals1  # (np,) of a tree; empty in the global description
    body_v: Reals1  # (nv,) of the bodies: v itself in the global description
    body_vdot: Reals1  # (nv,)
    tree: Tree  # empty in the global description


class AlphaTrial(Structure):
    """The step of the generalized-alpha method that is tried."""

    c: Vectors
    q: Annotated[Reals2, 4]
    alpha: Reals1
    v: Reals1
    vdot: Reals1
    a: Reals1
    multipliers: Reals1
    delta: Reals1  # (nv,) Newton correction
    ydelta: Reals1  # (m,)
    increment: Reals1  # (n,)
    p: Reals1  # (n,) correction of the positions, in generalized displacements
    move: Reals1  # (nv,) its Newton correction
    miss: Reals1  # (nr,) residual of the velocities
    places: Reals1  # (np,) of a tree; empty in the global description
    body_v: Reals1  # (nv,) of the bodies: v itself in the global description
    body_vdot: Reals1  # (nv,)
    own: Reals1  # (n,) scratch: delta itself in the global description


class ExplicitSettings(Structure):
    """Settings of the explicit method."""

    rtol: float  # 0: fixed step
    min_step: float  # s
    max_step: float  # s
    always: int  # 1: a smallest step is taken whatever its error
    pace: float  # one over the duration of the run, 1/s
    crawl: float  # s, smaller steps end the run near a singular position


class ExplicitState(Structure):
    """The state ``y``, its rate, and work arrays.

    ``y`` = (positions, alpha, velocities, z of laws, dissipated and input energy): positions c, q and velocities v in
    the global description, places s and speeds u, dalpha/dt of a tree in the relative one.
    """

    t: float  # s
    wanted: float  # step, s
    last: float  # s
    largest_pivot: float  # of the states so far
    pace: float  # 1/s, one over the time of the run
    y: Reals1
    rate: Reals1
    trial: Reals1
    stages: Reals2  # (16, ny) the last three are those of the interpolation
    multipliers: Reals1  # (m,)
    trial_multipliers: Reals1
    error: Reals1  # (nv,) error as a generalized displacement
    error_rate: Reals1  # (nv,) and as a generalized velocity
    no_acceleration: Reals1  # (nv,) zeros
    no_multipliers: Reals1  # (nr,) zeros
    miss: Reals1  # (nr,)
    compliance: Reals1  # (m - nr,)
    top: Vectors  # (nb, 3) see TopColumn
    law_pace: Reals1  # (nz,) by how much a law's rate changes where positions do by the machine's length
    law_top: Reals1  # (nz,) largest state of each force law so far
    law_size: Reals1  # (nz,) size of the states that counts in any case
    forces: Reals2  # (6, 2 ne) of elements at places of the step, see explicit_peaks.cpp
    smallest: int  # accepted steps in sequence whose error was too large, and that could not be shorter
    bad_row: int
    counts: Counts
    misses: DriveMisses
    tree: Tree


class Tableau(Structure):
    """Coefficients of the pair 8(5,3) of Dormand and Prince."""

    A: Reals2  # (12, 12)
    B: Reals1  # (12,)
    C: Reals1  # (12,)
    E3: Reals1  # (13,)
    E5: Reals1  # (13,)
    # of the interpolation within a step
    A_more: Reals2  # (3, 16)
    C_more: Reals1  # (3,)
    D: Reals2  # (4, 16)


class Tracked(Structure):
    """Joint coordinates that are read after each step; there are nc of them."""

    frame: Annotated[Ints2, 2]  # (nc, 2) the joint's frames
    number: Ints1  # (nc,) of the angle about z among the counted coordinates, -1 for the slide along z
    value: Reals1  # (nc,) rad (continuous over many revolutions) or m
    rate: Reals1  # (nc,)
