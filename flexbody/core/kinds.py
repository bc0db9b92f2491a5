"""Names of kinds and columns that Python and the compiled core share. The C++ side is ``kinds.hpp``."""

#: columns of ``Layout.path``: the frame that slides and the one that it follows, number of segments and degree of the
#: splines, their place in path_value, number of second-order terms, 1 for a closed line, place in ``Work.path_rows``,
#: place of the terms in path_term, number of those of the place, which come first, what of the follower decides where
#: the frame lies
PATH_FRAME, PATH_FOLLOWER, PATH_SEGMENTS, PATH_DEGREE, PATH_VALUE_AT = range(5)
PATH_TERMS, PATH_CLOSED, PATH_ROW_AT, PATH_TERM_AT, PATH_PLACE_TERMS, PATH_TOUCH = range(5, 11)
#: what decides where a frame lies on its line: the origin of the follower, to which it is nearest; a face of the
#: follower, its xz plane, which touches the line; the middle line of the rim of a wheel, or a cone, both about the
#: z axis of the follower, to which it is nearest
NEAREST, FACE, RIM, TREAD = range(4)
#: columns of ``Work.path``: path coordinate s, its rate, its second time derivative for zero vdot (of RIM and TREAD 0),
#: minus the derivative of g by s, p_s and the turning of the axes for a unit of s, biases of the material point and
#: axes at s (inertial), turning of the undeformed axes for a unit of s and its derivative (body base); of RIM and TREAD
#: the gradient of the distance from the follower and its second derivative times p_s (inertial); what s. adds to the
#: accelerations of the material point and axes at s (inertial)
PATH_S, PATH_RATE, PATH_ACCELERATION, PATH_CURVED = range(4)
PATH_TANGENT, PATH_TURNING, PATH_BIAS, PATH_AXES_TURNING = 4, 7, 10, 16
PATH_NORMAL, PATH_PULL, PATH_PASSING, PATH_NUMBERS = 22, 25, 28, 34

#: kinds of constraint rows
POINT = 0  # e_a(first) . (r_second - r_first) = s(t)
ATTITUDE = 1  # e_a(first) . e_b(second) = 0
ANGLE = 2  # the angle about e_z(first) from e_x(first) to e_x(second) is phi(t)
COUPLING = 3  # a sum of joint coordinates times factors is s(t)
FOLLOWING = 4  # a coordinate of base functions has its part in the shapes where contacts are
HOLONOMIC = 5  # a user's function of time and frames is zero
VELOCITY = 6  # a user's function that is linear in the velocities of frames is zero (nonholonomic)

#: columns of ``Layout.row_frame``: frames (of its legs the first and the last), an axis of each (of FOLLOWING rows the
#: set of shapes and the coordinate in it), the drive or -1
ROW_FIRST, ROW_SECOND, ROW_FIRST_AXIS, ROW_SECOND_AXIS, ROW_DRIVE = range(5)
#: columns of ``Layout.shape_set``, base functions that follow contacts: the body, its first row, the numbers of
#: coordinates and of curves, places in shape_value and ``Work.shape``, its first curve
SET_BODY, SET_ROW, SET_SIZE, SET_CURVES, SET_VALUE_AT, SET_WORK_AT, SET_CURVE_AT = range(7)
#: columns of ``Layout.shape_curve``: the path of its contact, number of segments, place in shape_value, 1 for a closed
#: line, which of a row's legs is the line's frame
CURVE_PATH, CURVE_SEGMENTS, CURVE_VALUE_AT, CURVE_CLOSED, CURVE_LEG = range(5)
#: columns of ``Layout.part``: a joint coordinate, and which of the row's legs are its frames
PART_COORDINATE, PART_FIRST_LEG, PART_SECOND_LEG = range(3)
#: columns of ``Layout.drive_value``: value at t = 0, and rate
DRIVE_START, DRIVE_RATE = range(2)

#: kinds of joint coordinates
TRANSLATION, ROTATION, TILT, LENGTH, ALONG_PATH = 0, 1, 2, 3, 4
#: columns of ``Layout.coordinate``: its kind, its frames, axes a, b, c, and which frame is the hosting one
COORDINATE_KIND, COORDINATE_FIRST, COORDINATE_SECOND, AXIS_A, AXIS_B, AXIS_C, HOSTING_SIDE = range(7)
#: columns of ``Layout.coordinate_value``: 1 or -1, and the value as drawn
SIGN, AS_DRAWN = range(2)
#: columns of ``Work.revolutions``: the angle around which a coordinate is taken; angle and rate at the last
#: accepted step, and at the step that is tried
EXPECTED, LAST_ANGLE, LAST_RATE, NEXT_ANGLE, NEXT_RATE = range(5)

#: numbers of the laws friction and reaction_friction: coefficients of sliding and static friction (for friction times
#: its given normal force), Stribeck velocity, viscous coefficient, regularisation velocity; those from PRELOAD on are
#: used by reaction_friction
MU, MU_STATIC, STRIBECK_VELOCITY, VISCOUS, REGULARISATION_VELOCITY = range(5)
PRESLIDING = 5  # of friction that sticks, in place of what follows
PRELOAD, ARM, COLLAR, INVERSE_LENGTH, INVERSE_RADIUS, PARTNER_FACTOR = range(5, 11)
REACTION_PRESLIDING = 11  # of sticking_reaction_friction
#: numbers of the law separation: the separating force for a unit of the unscaled multiplier, and the pitch point in the
#: frame of the carrier (3,)
LEVER, PITCH_POINT = range(2)
#: numbers of the law slip: 0 for Coulomb's law, 1 for creep; 1 where a positive multiplier of the gap pulls, otherwise
#: -1; then those of friction up to REGULARISATION_VELOCITY, or those of creep
SLIP_LAW, SLIP_SIGN, SLIP_NUMBERS = range(3)
#: rates of slip: along both tangents, spin, and the speed of rolling; the first three have forces
SLIP_RATES, SLIP_FORCES = 4, 3
#: numbers of creep: coefficients f_11, f_22, f_23, f_33, that of friction (0 for none), and the least speed
CREEP_ALONG, CREEP_ACROSS, CREEP_MIXED, CREEP_SPIN, CREEP_FRICTION, LEAST_SPEED = range(6)
#: kinds of shapes of contacts; wheels and cones only roll, and on rails balls roll
PLANE, SPHERE, CYLINDER, BOX, WHEEL, CONE, HOLLOW_CYLINDER, RAIL = range(8)
#: deformations of a point of contact: the gap, and the slip along three axes; its states if its friction sticks
PER_POINT, BRISTLES = 4, 3
#: numbers of the law contact: kind and three sizes of the host (the surface that gaps are measured from) and of the
#: guest, whether the host is the second shape, stiffness, exponent, dissipation, and from CONTACT_FRICTION on the
#: coefficients of friction, from MU to REGULARISATION_VELOCITY; at last the number of points
HOST_SHAPE, GUEST_SHAPE, HOST_IS_SECOND, CONTACT_STIFFNESS, CONTACT_EXPONENT, CONTACT_DISSIPATION = (
    0,
    4,
    8,
    9,
    10,
    11,
)
CONTACT_FRICTION, CONTACT_POINTS, CONTACT_PRESLIDING = 12, 17, 18
#: numbers of a cloud of spheres: how many spheres and other shapes; stiffness, exponent, dissipation and friction as in
#: the law contact, with presliding; from CLOUD_SIZES on the radii, then kind and three sizes of each other shape
CLOUD_SPHERES, CLOUD_OTHERS, CLOUD_HARDNESS, CLOUD_FRICTION, CLOUD_PRESLIDING, CLOUD_SIZES = (
    0,
    1,
    2,
    5,
    10,
    11,
)
#: states of a pair of a cloud whose friction sticks: the number of the pair, 0 for none, and its bristle
PAIR_NUMBER, PAIR_BRISTLE, PAIR_STATES = 0, 1, 4
#: numbers of a surface in contact: how many points, and leaves of points (0 for a flexible body); stiffness for a unit
#: of area, exponent, dissipation, friction and presliding; kind and three sizes of the other shape; from SURFACE_LEAF
#: on end, centre and radius of each leaf, area vector and place of each point
SURFACE_POINTS, SURFACE_LEAVES, SURFACE_HARDNESS, SURFACE_FRICTION, SURFACE_PRESLIDING = 0, 1, 2, 5, 10
SURFACE_SHAPE, SURFACE_LEAF = 11, 15
#: numbers of a controller: how many inputs and outputs, its first place in ``Work.signal``, 1 where its outputs are
#: held; from CONTROL_TARGETS on targets, places of inputs and outputs, numbers of its law
CONTROL_INPUTS, CONTROL_OUTPUTS, CONTROL_SIGNAL, CONTROL_HELD, CONTROL_TARGETS = range(5)
#: numbers of a place of a controller, and how many
PLACE_KIND, PLACE_FIRST, PLACE_SECOND, PLACE_COORDINATE, PLACE_RATE, PLACE_ZERO, PLACE_NUMBERS = range(7)
#: kinds of places, see ``controllers.hpp``; OF_FUNCTION is measured by a function of the user
OF_COORDINATE, OF_LINE, OF_POINT, OF_TURN, OF_INPUT, OF_FUNCTION = range(6)
#: numbers of two wheels with common tangents, see ``tangents.hpp``: the coordinates of their angles, 1 or -1 where the
#: second angle counts in the sense of the first, both radii, that of the second below zero for tangents that cross; 1
#: where a growing thread is a growing deformation, -1 where it is a shrinking one; the sine of the base helix angle;
#: how far the centres lie from their frames along z; of a rack sin(gamma), else 0; of two tangents their sides, and
#: what is subtracted from their threads. Those of the law follow. Of bevel gears the outer radii are zero, and after
#: the three numbers of the law come, in the axes of the frames as drawn: the pitch point and both wheels from the
#: carrier, the axes of both wheels, and the normals of both flanks (3 each).
FIRST_TURN, SECOND_TURN, SECOND_SENSE, FIRST_RADIUS, SECOND_RADIUS, OUTWARD, SLANT = range(7)
FIRST_HEIGHT, SECOND_HEIGHT, RACK_SINE, TANGENT_SIDE, TANGENT_REST, TANGENT_NUMBERS = 7, 8, 9, 10, 12, 14
BEVEL_POINT, BEVEL_WHEELS, BEVEL_AXES, BEVEL_NORMALS = 17, 20, 26, 32
#: columns of ``Layout.reaction_friction``: the element, the joint's rows, the frame and axis of the motion, the other
#: coordinate along which the joint slides (-1 for none); of teeth the element, the row of the coupling, the frame of
#: the carrier and its axis along which the teeth separate the wheels; of slip the element, the row of the gap, and as
#: axis which of its forces
FRICTION_ELEMENT, FIRST_ROW, END_ROW, HOST, AXIS, PARTNER = range(6)
#: columns of ``Work.friction_record``: normal force N, friction over normal force h, N as counted in the residual,
#: derivatives of N by the multipliers of the joint's rows
NORMAL_FORCE, FRICTION_COEFFICIENT, COUNTED_NORMAL_FORCE, NORMAL_FORCE_SLOPE = range(4)
#: numbers of a friction record
RECORD = 9

#: kinds of loads
FORCE_INERTIAL, FORCE_BODY, MOMENT_INERTIAL, MOMENT_BODY, BODY_LOAD = range(5)
#: columns of ``Layout.load_frame``
LOAD_FRAME, LOAD_KIND = range(2)

#: geometries of force elements
LINE, ALONG, BETWEEN, SEPARATION, CONTACT, CLOUD, CONTROL, SLIP, SURFACE, TANGENTS = range(10)
#: columns of ``Layout.element``: LAW and LAW_SLOPE are addresses of functions, LAW_SLOPE 0 for differences; COORDINATE
#: is -1 for none, of SLIP the first of its recorded functions, of BETWEEN the axis of free rotation or ALL_AXES;
#: DRY_FRICTION is 1 for laws of dry friction, which have no stiffness; REACTION_FRICTION is the row in
#: ``Layout.reaction_friction``, -1 for none; ELASTIC is 1 for laws whose force neither sets in nor jumps; CONTROLLED is
#: the place in ``Work.signal`` that is the input of the law, -1 for none
ALL_AXES = 3
GEOMETRY, FIRST, SECOND, AT, COUNT, STATE_AT, STATES, LAW, LAW_SLOPE, VALUE_AT, COORDINATE = range(11)
DRY_FRICTION, REACTION_FRICTION, ELASTIC, CONTROLLED = 11, 12, 13, 14
#: columns of ``Work.element_power``: stored energy (J), dissipated and input power (W)
ELEMENT_STORED, ELEMENT_DISSIPATED, ELEMENT_INPUT = range(3)
#: columns of ``Work.peak``: the largest force (N, of an angle Nm) and its time, s; of an element between two frames
#: also the largest moment, Nm, and its time; of several components it is the size
PEAK_FORCE, PEAK_TIME, PEAK_MOMENT, PEAK_MOMENT_TIME = range(4)
#: columns of ``Work.depth``: how deep shapes of a contact are inside each other, m, the most so far, and its time, s;
#: of a box or cylinder on a plane also half the extent along the normal then, m
DEPTH_NOW, DEPTH_MOST, DEPTH_TIME, DEPTH_HALF = range(4)
#: columns of ``Work.turned``: how often the force along a deformation has turned since TURN_SINCE (s), the last time at
#: TURN_LAST (s); its largest size, and that size when turns were counted from; the extreme since the last turn, and
#: whether it rises (1) or falls (-1)
TURN_COUNT, TURN_SINCE, TURN_LAST, TURN_SIZE, TURN_BEGUN, TURN_EXTREME, TURN_SENSE = range(7)
#: rows of the histories of elements, see ``readers.cpp``: deformations, their rates, forces
HISTORY_DEFORMATION, HISTORY_RATE, HISTORY_FORCE = range(3)
#: columns of ``Work.massless``: place and axes of a massless body (inertial), its velocity and angular velocity, and
#: place and axes beside the host of its network
MASSLESS_PLACE, MASSLESS_AXES, MASSLESS_POSE = 0, 3, 12
MASSLESS_VELOCITY, MASSLESS_SPIN, MASSLESS_BESIDE, MASSLESS_NUMBERS = 12, 15, 18, 30
#: what Newton's iteration finds for a network
IN_EQUILIBRIUM, NO_EQUILIBRIUM, UNSTABLE, UNSUPPORTED = range(4)
#: entries of ``Work.power`` and of ``AlphaState.power`` and ``energy``: what is dissipated, and what drives and loads
#: put in
DISSIPATED, INPUT = range(2)
#: columns of ``AlphaState.top_speed``: of the rigid motion and of the deformation of a body
RIGID_SPEED, MODAL_SPEED = range(2)
#: columns of ``AlphaState.axes``, seen from each of ``Layout.carrier``: how far the axis of rotation of a body has
#: moved, and how far its rim, m; its fastest rotation, rad/s
AXIS_TRAVEL, RIM_TRAVEL, TOP_RATE = range(3)
#: ``AlphaState.jumped``: whether loads have jumped since the latest step, or there was no step yet
NO_JUMP, LOADS_JUMPED, JUST_BEGUN = range(3)
# RingingColumn: steps that were looked at, their time, s, and the integrals over it of the logarithms of the deflection
# (m) that the acceleration causes, of velocity, acceleration and jerk; the integral of the part of the velocity that
# stiffness and inertia balance, see ringing.hpp; the largest velocity, m/s
RINGING_STEPS, RINGING_TIME, RINGING_DEFLECTION, RINGING_VELOCITY, RINGING_ACCELERATION, RINGING_JERK = range(
    6
)
RINGING_BALANCE, RINGING_TOP_SPEED = 6, 7
# SwingColumn: steps that were followed, the deviation of the force from its mean, the forgotten sums of the squares of
# it and of its changes, and the error of its phase, rad, since the element has been a spring; its force and the rate of
# it, N/s; the largest force; its damping over its stiffness, s; what its error may be, and there the
# square of the frequency, 1/s^2, the mean force of a contact, and the last time, s; how often a force has set in; and
# when its error was first to be noted, s
SWING_STEPS, SWING_NOW, SWING_SQUARES, SWING_CHANGES, SWING_PHASE, SWING_FORCE = range(6)
SWING_SLOPE, SWING_TOP, SWING_DAMPING, SWING_LOST, SWING_RATE, SWING_LEVEL, SWING_TIME = range(6, 13)
SWING_BLOWS, SWING_SINCE = 13, 14
# LostColumn: what the deformation of a body may be off by, its largest deformation, m, the frequency of what is lost,
# rad/s, and when that was first to be noted, s; how many steps the run would take to keep it, and whether
# steps follow it
LOST_ERROR, LOST_TOP, LOST_RATE, LOST_SINCE, LOST_NEEDED, LOST_FOLLOWED = range(6)
#: columns of ``ExplicitState.top``: the largest deformation and the largest speeds of a body
TOP_DEFORMATION, TOP_RIGID_SPEED, TOP_MODAL_SPEED = range(3)
#: how the states of force laws are found
GIVEN, STEPPED, RELAXED = 0, 1, 2

#: columns of ``Layout.coefficient_at``
C1, C2, C3, C4, C5, C6, C7, C8, K, D, AXIAL = range(11)

#: columns of ``Tree.motion``: its kind, the axis, and the frame (0 first, 1 second) that the axis belongs to
MOTION_KIND, MOTION_AXIS, MOTION_SIDE = range(3)
#: columns of ``Tree.driven``: the drive, -1 for none, its constraint row, and its place in the state vector
DRIVEN_BY, DRIVEN_ROW, DRIVEN_PLACE = range(3)
#: kinds of free motions of a hinge: a screw turns and shifts along the same axis; own ones are those of a user's hinge
SHIFT, TURN, SCREW, OWN_MOTION = range(4)
#: numbers that the function of a user's own hinge gets and writes, see ``own_hinge.hpp``
OWN_TASK, OWN_PLACE, OWN_SPEED, OWN_POSE, OWN_COLUMN, OWN_TIME, OWN_DRIFT, OWN_NUMBERS = (
    0,
    1,
    6,
    11,
    23,
    53,
    59,
    65,
)
#: kinds of hinges: any, and one rotation about the frames' z axes, not driven, between rigid bodies or on the ground
ANY_HINGE, ONE_TURN = range(2)

#: what the loop of an integrator returns
DONE, PAUSED, NO_CONVERGENCE, NOT_FINITE, NOT_DEFINITE, STUCK, DRIVE_JUMPED = 0, 1, 2, 3, 4, 5, 6
SINGULAR = 7

#: round-off of double precision
EPS = 2.3e-16
