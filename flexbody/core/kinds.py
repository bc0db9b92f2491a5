"""Names of kinds and columns that Python and the compiled core share. The C++ side is ``kinds.hpp``."""

#: kinds of constraint rows
POINT = 0  # e_a(first) . (r_second - r_first) = s(t)
ATTITUDE = 1  # e_a(first) . e_b(second) = 0
ANGLE = 2  # the angle about e_z(first) from e_x(first) to e_x(second) is phi(t)
COUPLING = 3  # a sum of joint coordinates times factors is s(t)
HOLONOMIC = 4  # a user's function of time and frames is zero
VELOCITY = 5  # a user's function that is linear in the velocities of frames is zero (nonholonomic)

#: kinds of joint coordinates
TRANSLATION, ROTATION, TILT, LENGTH = 0, 1, 2, 3

#: laws of springs and of other forces along a length or a joint coordinate
LINEAR, FRICTION, STOP = 0, 1, 2
#: friction that follows the joint's reaction
RUB = 3
#: columns of ``Layout.spring_frame``; those from FIRST_ROW on are used by RUB
SPRING_FIRST, SPRING_SECOND, SPRING_LAW, SPRING_COORDINATE = 0, 1, 2, 3
FIRST_ROW, END_ROW, HOST, AXIS, PARTNER, NUMBER = range(4, 10)
#: columns of ``Layout.spring_value`` for RUB (Stribeck's speed, viscous coefficient, speed of creep as for FRICTION)
MU, MU_STATIC, SLOW, VISCOUS, CREEP, PRELOAD, ARM, COLLAR, PER_LENGTH, PER_KEY, PARTNER_FACTOR = range(11)
#: columns of ``Work.friction_record``: N, h, N as counted in the residual, derivatives of N by the multipliers of the
#: joint's rows
SIZE, SHARE, COUNTED, SLOPE = range(4)
#: numbers of a friction record
RECORD = 9

#: kinds of loads
FORCE_INERTIAL, FORCE_BODY, MOMENT_INERTIAL, MOMENT_BODY = 0, 1, 2, 3

#: geometries of force elements
LINE, ALONG, BETWEEN = 0, 1, 2
#: columns of ``Layout.element``
GEOMETRY, FIRST, SECOND, AT, COUNT, STATE_AT, STATES, LAW, VALUE_AT, COORDINATE = range(10)
#: how the states of force laws are found
GIVEN, STEPPED, RELAXED = 0, 1, 2

#: columns of ``Layout.coefficient_at``
C1, C2, C3, C4, C5, C6, C7, C8, K, D, AXIAL = range(11)

#: what the loop of an integrator returns
DONE, PAUSED, NO_CONVERGENCE, NOT_FINITE, NOT_DEFINITE, STUCK, LEAPT = 0, 1, 2, 3, 4, 5, 6

#: round-off of double precision
EPS = 2.3e-16
