"""Names of kinds and columns that Python and the compiled core share. The C++ side is ``kinds.hpp``."""

#: kinds of constraint rows
POINT = 0  # e_a(first) . (r_second - r_first) = s(t)
ATTITUDE = 1  # e_a(first) . e_b(second) = 0
ANGLE = 2  # the angle about e_z(first) from e_x(first) to e_x(second) is phi(t)
COUPLING = 3  # a sum of joint coordinates times factors is s(t)
HOLONOMIC = 4  # a user's function of time and frames is zero
VELOCITY = 5  # a user's function that is linear in the velocities of frames is zero (nonholonomic)

#: columns of ``Layout.row_frame``: frames (of its legs the first and the last), an axis of each, the drive or -1
ROW_FIRST, ROW_SECOND, ROW_FIRST_AXIS, ROW_SECOND_AXIS, ROW_DRIVE = range(5)
#: columns of ``Layout.part``: a joint coordinate, and which of the row's legs are its frames
PART_COORDINATE, PART_FIRST_LEG, PART_SECOND_LEG = range(3)
#: columns of ``Layout.drive_value``: value at t = 0, and rate
DRIVE_START, DRIVE_RATE = range(2)

#: kinds of joint coordinates
TRANSLATION, ROTATION, TILT, LENGTH = 0, 1, 2, 3
#: columns of ``Layout.coordinate``: its kind, its frames, axes a, b, c, and which frame is the hosting one
COORDINATE_KIND, COORDINATE_FIRST, COORDINATE_SECOND, AXIS_A, AXIS_B, AXIS_C, HOSTING_SIDE = range(7)
#: columns of ``Layout.coordinate_value``: 1 or -1, and the value as drawn
SIGN, AS_DRAWN = range(2)
#: columns of ``Work.turn``: the angle around which a coordinate is taken; angle and rate at the last accepted step, and
#: at the step that is tried
EXPECTED, LAST_ANGLE, LAST_RATE, NEXT_ANGLE, NEXT_RATE = range(5)

#: laws of springs and of other forces along a length or a joint coordinate
LINEAR, FRICTION, STOP = 0, 1, 2
#: friction that follows the joint's reaction
REACTION_FRICTION = 3
#: columns of ``Layout.spring_frame``: frames, law, joint coordinate (-1 for its length); those from FIRST_ROW on are
#: used by REACTION_FRICTION: the joint's rows, hosting frame (0 or 1) and axis of the motion, the other coordinate
#: along which it slides (-1 for none), and the number among these frictions
SPRING_FIRST, SPRING_SECOND, SPRING_LAW, SPRING_COORDINATE = 0, 1, 2, 3
FIRST_ROW, END_ROW, HOST, AXIS, PARTNER, NUMBER = range(4, 10)
#: columns of ``Work.spring_length``: length, or joint coordinate, and its rate
SPRING_LENGTH, SPRING_RATE = range(2)
#: columns of ``Layout.spring_value`` for LINEAR
STIFFNESS, DAMPING, FREE_LENGTH, ACTUATOR_FORCE = range(4)
#: columns of ``Layout.spring_value`` for STOP: ends of the free motion; k, n and d of its force
LOWER_END, UPPER_END, STOP_STIFFNESS, EXPONENT, DISSIPATION = range(5)
#: columns of ``Layout.spring_value`` for FRICTION and REACTION_FRICTION: coefficients of sliding and static friction
#: (for FRICTION times its given normal force), Stribeck's speed, viscous coefficient, speed of creep; those from
#: PRELOAD on are used by REACTION_FRICTION
MU, MU_STATIC, SLOW, VISCOUS, CREEP, PRELOAD, ARM, COLLAR, PER_LENGTH, PER_KEY, PARTNER_FACTOR = range(11)
#: columns of ``Work.friction_record``: N, h, N as counted in the residual, derivatives of N by the multipliers of the
#: joint's rows
SIZE, SHARE, COUNTED, SLOPE = range(4)
#: numbers of a friction record
RECORD = 9

#: kinds of loads
FORCE_INERTIAL, FORCE_BODY, MOMENT_INERTIAL, MOMENT_BODY = 0, 1, 2, 3
#: columns of ``Layout.load_frame``
LOAD_FRAME, LOAD_KIND = range(2)

#: geometries of force elements
LINE, ALONG, BETWEEN = 0, 1, 2
#: columns of ``Layout.element``
GEOMETRY, FIRST, SECOND, AT, COUNT, STATE_AT, STATES, LAW, VALUE_AT, COORDINATE = range(10)
#: columns of ``Work.element_power``: stored energy (J), dissipated and input power (W)
ELEMENT_STORED, ELEMENT_DISSIPATED, ELEMENT_INPUT = range(3)
#: rows of the histories of springs and elements, see ``readers.cpp``: deformations, their rates, forces
HISTORY_DEFORMATION, HISTORY_RATE, HISTORY_FORCE = range(3)
#: entries of ``Work.power`` and of ``AlphaState.power`` and ``energy``: what is dissipated, and what drives and loads
#: put in
DISSIPATED, INPUT = range(2)
#: columns of ``AlphaState.top_speed``: of the rigid motion and of the deformation of a body
RIGID_SPEED, MODAL_SPEED = range(2)
#: columns of ``ExplicitState.top``: the largest deformation and the largest speeds of a body
TOP_DEFORMATION, TOP_RIGID_SPEED, TOP_MODAL_SPEED = range(3)
#: how the states of force laws are found
GIVEN, STEPPED, RELAXED = 0, 1, 2

#: columns of ``Layout.coefficient_at``
C1, C2, C3, C4, C5, C6, C7, C8, K, D, AXIAL = range(11)

#: what the loop of an integrator returns
DONE, PAUSED, NO_CONVERGENCE, NOT_FINITE, NOT_DEFINITE, STUCK, DRIVE_JUMPED = 0, 1, 2, 3, 4, 5, 6

#: round-off of double precision
EPS = 2.3e-16
