// Names of kinds and columns. The Python side is kinds.py; a test compares both.
#pragma once
#include "../../../fem/core/array.hpp"

namespace flexbody {

// Columns of Layout.path: the frame that slides and the one that it follows, number of segments and degree of the
// splines, their place in path_value, number of second-order terms, 1 for a closed line, place in Work.path_rows,
// place of the terms in path_term, number of those of the place, which come first, what of the follower decides where
// the frame lies (PathTouch).
enum PathColumn : Index {
  PATH_FRAME = 0,
  PATH_FOLLOWER = 1,
  PATH_SEGMENTS = 2,
  PATH_DEGREE = 3,
  PATH_VALUE_AT = 4,
  PATH_TERMS = 5,
  PATH_CLOSED = 6,
  PATH_ROW_AT = 7,
  PATH_TERM_AT = 8,
  PATH_PLACE_TERMS = 9,
  PATH_TOUCH = 10,
};

// What decides where a frame lies on its line: the origin of the follower, to which it is nearest; a face of the
// follower, its xz plane, which touches the line; the middle line of the rim of a wheel, or a cone, both about the
// z axis of the follower, to which it is nearest.
enum PathTouch : Index { NEAREST = 0, FACE = 1, RIM = 2, TREAD = 3 };

// Columns of Work.path: path coordinate s, its rate, its second time derivative for zero vdot (of RIM and TREAD 0),
// minus the derivative of g by s, p_s and the turning of the axes for a unit of s, biases of the material point and
// axes at s (inertial), turning of the undeformed axes for a unit of s and its derivative (body base); of RIM and
// TREAD the gradient of the distance from the follower and its second derivative times p_s (inertial); what s. adds
// to the accelerations of the material point and axes at s (inertial).
enum PathNumber : Index {
  PATH_S = 0,
  PATH_RATE = 1,
  PATH_ACCELERATION = 2,
  PATH_CURVED = 3,
  PATH_TANGENT = 4,
  PATH_TURNING = 7,
  PATH_BIAS = 10,
  PATH_AXES_TURNING = 16,
  PATH_NORMAL = 22,
  PATH_PULL = 25,
  PATH_PASSING = 28,
  PATH_NUMBERS = 34,
};

// Constraint rows.
enum RowKind : Index {
  POINT = 0,      // e_a(first) . (r_second - r_first) = s(t)
  ATTITUDE = 1,   // e_a(first) . e_b(second) = 0
  ANGLE = 2,      // the angle about e_z(first) from e_x(first) to e_x(second) is phi(t)
  COUPLING = 3,   // a sum of joint coordinates times factors is s(t)
  FOLLOWING = 4,  // a coordinate of base functions has its part in the shapes where contacts are
  HOLONOMIC = 5,  // a user's function of time and frames is zero
  VELOCITY = 6,   // a user's function that is linear in the velocities of frames is zero (nonholonomic)
};

// Columns of Layout.row_frame: frames (of its legs the first and the last), an axis of each (of FOLLOWING rows the
// set of shapes and the coordinate in it), the drive (-1 for none).
enum RowColumn : Index {
  ROW_FIRST = 0,
  ROW_SECOND = 1,
  ROW_FIRST_AXIS = 2,
  ROW_SECOND_AXIS = 3,
  ROW_DRIVE = 4,
};

// Columns of Layout.shape_set, base functions that follow contacts: the body, its first row, the numbers of
// coordinates and of curves, places in shape_value and Work.shape, its first curve.
enum ShapeSetColumn : Index {
  SET_BODY = 0,
  SET_ROW = 1,
  SET_SIZE = 2,
  SET_CURVES = 3,
  SET_VALUE_AT = 4,
  SET_WORK_AT = 5,
  SET_CURVE_AT = 6,
};

// Columns of Layout.shape_curve: the path of its contact, number of segments, place in shape_value, 1 for a closed
// line, which of a row's legs is the line's frame.
enum ShapeCurveColumn : Index {
  CURVE_PATH = 0,
  CURVE_SEGMENTS = 1,
  CURVE_VALUE_AT = 2,
  CURVE_CLOSED = 3,
  CURVE_LEG = 4,
};

// Columns of Layout.part: a joint coordinate, and which of the row's legs are its frames.
enum PartColumn : Index { PART_COORDINATE = 0, PART_FIRST_LEG = 1, PART_SECOND_LEG = 2 };

// Columns of Layout.drive_value: value at t = 0, and rate.
enum DriveColumn : Index { DRIVE_START = 0, DRIVE_RATE = 1 };

// Joint coordinates, see coordinate.hpp.
enum CoordinateKind : Index { TRANSLATION = 0, ROTATION = 1, TILT = 2, LENGTH = 3, ALONG_PATH = 4 };

// Columns of Layout.coordinate: its kind, its frames, axes a, b, c as in coordinate.hpp, and which frame is the
// hosting one of a ROTATION (0 the first, 1 the second).
enum CoordinateColumn : Index {
  COORDINATE_KIND = 0,
  COORDINATE_FIRST = 1,
  COORDINATE_SECOND = 2,
  AXIS_A = 3,
  AXIS_B = 4,
  AXIS_C = 5,
  HOSTING_SIDE = 6,
};

// Columns of Layout.coordinate_value: 1 or -1, and the value as drawn.
enum CoordinateValueColumn : Index { SIGN = 0, AS_DRAWN = 1 };

// Columns of Work.revolutions: the angle around which a coordinate is taken; angle and rate at the last accepted
// step, and at the step that is tried.
enum RevolutionColumn : Index { EXPECTED = 0, LAST_ANGLE = 1, LAST_RATE = 2, NEXT_ANGLE = 3, NEXT_RATE = 4 };

// Numbers of the laws friction and reaction_friction: coefficients of sliding and static friction (for friction times
// its given normal force), Stribeck velocity, viscous coefficient, regularisation velocity; those from PRELOAD on are
// used by reaction_friction, see reaction_friction.hpp, the last one where it sticks.
enum FrictionNumber : Index {
  MU = 0,
  MU_STATIC = 1,
  STRIBECK_VELOCITY = 2,
  VISCOUS = 3,
  REGULARISATION_VELOCITY = 4,
  PRESLIDING = 5,
  PRELOAD = 5,
  ARM = 6,
  COLLAR = 7,
  INVERSE_LENGTH = 8,
  INVERSE_RADIUS = 9,
  PARTNER_FACTOR = 10,
  REACTION_PRESLIDING = 11,
};

// Numbers of the law separation: the separating force for a unit of the unscaled multiplier, and the pitch point in
// the frame of the carrier (3,).
enum SeparationNumber : Index { LEVER = 0, PITCH_POINT = 1 };

// Numbers of the law slip: 0 for Coulomb's law, 1 for creep; 1 where a positive multiplier of the gap pulls,
// otherwise -1. Then follow those of friction up to REGULARISATION_VELOCITY, or those of creep.
enum SlipNumber : Index { SLIP_LAW = 0, SLIP_SIGN = 1, SLIP_NUMBERS = 2 };

// Rates of slip: along both tangents, spin, and the speed of rolling; the first three have forces.
enum SlipCount : Index { SLIP_RATES = 4, SLIP_FORCES = 3 };

// Numbers of creep: coefficients f_11, f_22, f_23, f_33, that of friction (0 for none), and the least speed.
enum CreepNumber : Index {
  CREEP_ALONG = 0,
  CREEP_ACROSS = 1,
  CREEP_MIXED = 2,
  CREEP_SPIN = 3,
  CREEP_FRICTION = 4,
  LEAST_SPEED = 5,
};

// Shapes of contacts.
enum ShapeKind : Index {
  PLANE = 0,
  SPHERE = 1,
  CYLINDER = 2,
  BOX = 3,
  WHEEL = 4,
  CONE = 5,
  HOLLOW_CYLINDER = 6,
  RAIL = 7
};

// Deformations of a point of contact: the gap, and the slip along three axes.
constexpr Index PER_POINT = 4;

// States of a point of contact whose friction sticks.
constexpr Index BRISTLES = 3;

// Numbers of the law contact: kind and three sizes of the host (the surface that gaps are measured from) and of the
// guest, whether the host is the second shape, stiffness, exponent, dissipation, the coefficients of friction, from
// MU to REGULARISATION_VELOCITY, and the number of points.
enum ContactNumber : Index {
  HOST_SHAPE = 0,
  GUEST_SHAPE = 4,
  HOST_IS_SECOND = 8,
  CONTACT_STIFFNESS = 9,
  CONTACT_EXPONENT = 10,
  CONTACT_DISSIPATION = 11,
  CONTACT_FRICTION = 12,
  CONTACT_POINTS = 17,
  CONTACT_PRESLIDING = 18,
};

// Numbers of a cloud of spheres: how many spheres and other shapes; stiffness, exponent, dissipation and friction as
// in the law contact, with presliding; the radii, then kind and three sizes of each other shape.
enum CloudNumber : Index {
  CLOUD_SPHERES = 0,
  CLOUD_OTHERS = 1,
  CLOUD_HARDNESS = 2,
  CLOUD_FRICTION = 5,
  CLOUD_PRESLIDING = 10,
  CLOUD_SIZES = 11,
};

// States of a pair of a cloud whose friction sticks: the number of the pair, 0 for none, and its bristle.
enum PairState : Index { PAIR_NUMBER = 0, PAIR_BRISTLE = 1, PAIR_STATES = 4 };

// Numbers of a surface in contact: how many points, and leaves of points (0 for a flexible body); stiffness for a
// unit of area, exponent, dissipation, friction and presliding; kind and three sizes of the other shape;
// end, centre and radius of each leaf; area vector and place of each point, (6,).
enum SurfaceNumber : Index {
  SURFACE_POINTS = 0,
  SURFACE_LEAVES = 1,
  SURFACE_HARDNESS = 2,
  SURFACE_FRICTION = 5,
  SURFACE_PRESLIDING = 10,
  SURFACE_SHAPE = 11,
  SURFACE_LEAF = 15,
};

// Numbers of a controller: how many inputs and outputs, its first place in Work.signal, 1 where its outputs are held;
// from CONTROL_TARGETS on the targets of the inputs, the places of inputs and outputs (PlaceNumber), then those of
// its law.
enum ControlNumber : Index {
  CONTROL_INPUTS = 0,
  CONTROL_OUTPUTS = 1,
  CONTROL_SIGNAL = 2,
  CONTROL_HELD = 3,
  CONTROL_TARGETS = 4,
};

// Numbers of a place of a controller: its kind, frames, joint coordinate, 1 where the rate is measured, and the value
// that counts as zero.
enum PlaceNumber : Index {
  PLACE_KIND = 0,
  PLACE_FIRST = 1,
  PLACE_SECOND = 2,
  PLACE_COORDINATE = 3,
  PLACE_RATE = 4,
  PLACE_ZERO = 5,
  PLACE_NUMBERS = 6,
};

// Kinds of places of controllers, see controllers.hpp; OF_FUNCTION is measured by a function of the user.
enum PlaceKind : Index {
  OF_COORDINATE = 0,
  OF_LINE = 1,
  OF_POINT = 2,
  OF_TURN = 3,
  OF_INPUT = 4,
  OF_FUNCTION = 5,
};

// Numbers of two wheels with common tangents, see tangents.hpp: the coordinates of their angles, 1 or -1 where the
// second angle counts in the sense of the first, both radii, that of the second below zero for tangents that cross; 1
// where a growing thread is a growing deformation, -1 where it is a shrinking one; the sine of the base helix angle;
// how far the centres lie from their frames along z; of a rack sin(gamma), else 0; of two tangents their sides, and
// what is subtracted from their threads. Those of the law follow.
enum TangentNumber : Index {
  FIRST_TURN = 0,
  SECOND_TURN = 1,
  SECOND_SENSE = 2,
  FIRST_RADIUS = 3,
  SECOND_RADIUS = 4,
  OUTWARD = 5,
  SLANT = 6,
  FIRST_HEIGHT = 7,
  SECOND_HEIGHT = 8,
  RACK_SINE = 9,
  TANGENT_SIDE = 10,
  TANGENT_REST = 12,
  TANGENT_NUMBERS = 14,
  BEVEL_POINT = 17,
  BEVEL_WHEELS = 20,
  BEVEL_AXES = 26,
  BEVEL_NORMALS = 32,
};

// Columns of Layout.reaction_friction: the element, the joint's rows, the frame and axis of the motion, the other
// coordinate along which the joint slides (-1 for none). Of teeth: the element, the row of the coupling, the frame of
// the carrier and its axis along which the teeth separate the wheels. Of slip: the element, the row of the gap, and
// as axis which of its forces.
enum ReactionFrictionColumn : Index {
  FRICTION_ELEMENT = 0,
  FIRST_ROW = 1,
  END_ROW = 2,
  HOST = 3,
  AXIS = 4,
  PARTNER = 5,
};

// Columns of Work.friction_record: normal force N, friction over normal force h, N as counted in the residual,
// derivatives of N by the multipliers of the joint's rows.
enum FrictionRecord : Index {
  NORMAL_FORCE = 0,
  FRICTION_COEFFICIENT = 1,
  COUNTED_NORMAL_FORCE = 2,
  NORMAL_FORCE_SLOPE = 3,
};

// Loads.
enum LoadKind : Index { FORCE_INERTIAL = 0, FORCE_BODY = 1, MOMENT_INERTIAL = 2, MOMENT_BODY = 3, BODY_LOAD = 4 };

// Columns of Layout.load_frame.
enum LoadColumn : Index { LOAD_FRAME = 0, LOAD_KIND = 1 };

// Geometries of force elements, see force_elements.hpp.
enum Geometry : Index {
  LINE = 0,
  ALONG = 1,
  BETWEEN = 2,
  SEPARATION = 3,
  CONTACT = 4,
  CLOUD = 5,
  CONTROL = 6,
  SLIP = 7,
  SURFACE = 8,
  TANGENTS = 9,
};

// Columns of Layout.element: LAW and LAW_SLOPE are addresses of functions, LAW_SLOPE 0 for differences; COORDINATE is
// -1 for none, of SLIP the first of its recorded functions, of BETWEEN the axis of free rotation or ALL_AXES.
// DRY_FRICTION is 1 for laws of dry friction, which have no stiffness. REACTION_FRICTION is the row in
// Layout.reaction_friction, -1 for none. ELASTIC is 1 for laws whose force neither sets in nor jumps. CONTROLLED is
// the place in Work.signal that is the input of the law, -1 for none.
constexpr Index ALL_AXES = 3;
enum ElementColumn : Index {
  GEOMETRY = 0,
  FIRST = 1,
  SECOND = 2,
  AT = 3,
  COUNT = 4,
  STATE_AT = 5,
  STATES = 6,
  LAW = 7,
  LAW_SLOPE = 8,
  VALUE_AT = 9,
  COORDINATE = 10,
  DRY_FRICTION = 11,
  REACTION_FRICTION = 12,
  ELASTIC = 13,
  CONTROLLED = 14,
};

// Columns of Work.element_power: stored energy (J), dissipated and input power (W).
enum ElementPowerColumn : Index { ELEMENT_STORED = 0, ELEMENT_DISSIPATED = 1, ELEMENT_INPUT = 2 };

// Columns of Work.peak: the largest force (N, of an angle Nm) and its time, s; of an element between two frames also
// the largest moment, Nm, and its time. Of several components it is the size.
enum PeakColumn : Index { PEAK_FORCE = 0, PEAK_TIME = 1, PEAK_MOMENT = 2, PEAK_MOMENT_TIME = 3 };

// Columns of Work.depth: how deep shapes of a contact are inside each other, m, the most so far, and its time, s. Of
// a box or cylinder on a plane it is that when the middle was deepest below the plane, zero if it never was, and half
// the extent along the normal then, m; this is zero for others.
enum DepthColumn : Index { DEPTH_NOW = 0, DEPTH_MOST = 1, DEPTH_TIME = 2, DEPTH_HALF = 3 };

// Columns of Work.turned: how often the force along a deformation has turned since TURN_SINCE (s), the last time at
// TURN_LAST (s); its largest size, and that size when turns were counted from; the extreme since the last turn, and
// whether it rises (1) or falls (-1).
enum TurnColumn : Index {
  TURN_COUNT = 0,
  TURN_SINCE = 1,
  TURN_LAST = 2,
  TURN_SIZE = 3,
  TURN_BEGUN = 4,
  TURN_EXTREME = 5,
  TURN_SENSE = 6,
};

// Columns of Work.massless: place and axes of a massless body (inertial), its velocity and angular velocity, and
// place and axes beside the host of its network.
enum MasslessColumn : Index {
  MASSLESS_PLACE = 0,
  MASSLESS_AXES = 3,
  MASSLESS_POSE = 12,
  MASSLESS_VELOCITY = 12,
  MASSLESS_SPIN = 15,
  MASSLESS_BESIDE = 18,
  MASSLESS_NUMBERS = 30,
};

// What Newton's iteration finds for a network.
enum NetworkCause : Index { IN_EQUILIBRIUM = 0, NO_EQUILIBRIUM = 1, UNSTABLE = 2, UNSUPPORTED = 3 };

// Rows of the histories of elements, see readers.cpp: deformations, their rates, forces.
enum HistoryRow : Index { HISTORY_DEFORMATION = 0, HISTORY_RATE = 1, HISTORY_FORCE = 2 };

// Entries of Work.power and of AlphaState.power and energy: what is dissipated, and what drives and loads put in.
enum PowerEntry : Index { DISSIPATED = 0, INPUT = 1 };

// Columns of AlphaState.top_speed: of the rigid motion and of the deformation of a body.
enum SpeedColumn : Index { RIGID_SPEED = 0, MODAL_SPEED = 1 };

// Columns of AlphaState.axes, seen from each of Layout.carrier: how far the axis about which a body rotates has
// moved, and how far its rim, m; its fastest rotation, rad/s.
enum AxisColumn : Index { AXIS_TRAVEL = 0, RIM_TRAVEL = 1, TOP_RATE = 2 };

// AlphaState.jumped: whether loads have jumped since the latest step, or there was no step yet.
enum Jump : Index { NO_JUMP = 0, LOADS_JUMPED = 1, JUST_BEGUN = 2 };

// Columns of AlphaState.ringing: steps that were looked at, their time, s, and the integrals over it of the
// logarithms of the deflection (m) that the acceleration causes, of velocity, acceleration and jerk, and of what
// loads do to the velocity, see ringing.hpp; the largest velocity, m/s.
enum RingingColumn : Index {
  RINGING_STEPS = 0,
  RINGING_TIME = 1,
  RINGING_DEFLECTION = 2,
  RINGING_VELOCITY = 3,
  RINGING_ACCELERATION = 4,
  RINGING_JERK = 5,
  RINGING_BALANCE = 6,
  RINGING_TOP_SPEED = 7,
};

// Columns of AlphaState.swings: steps that were followed, the deviation of the force from its mean, the forgotten
// sums of the squares of it and of its changes, and the error of its phase, rad, since the element has been a spring;
// its force and the rate of it, N/s; the largest force; its damping over its stiffness, s; what its error may be, and
// there the square of the frequency, 1/s^2, the mean force of a contact, and the last time, s; how often a force has
// set in; and when its error was first to be noted, s.
enum SwingColumn : Index {
  SWING_STEPS = 0,
  SWING_NOW = 1,
  SWING_SQUARES = 2,
  SWING_CHANGES = 3,
  SWING_PHASE = 4,
  SWING_FORCE = 5,
  SWING_SLOPE = 6,
  SWING_TOP = 7,
  SWING_DAMPING = 8,
  SWING_LOST = 9,
  SWING_RATE = 10,
  SWING_LEVEL = 11,
  SWING_TIME = 12,
  SWING_BLOWS = 13,
  SWING_SINCE = 14,
};

// Columns of AlphaState.lost: what the deformation of a body may be off by, its largest deformation, m, the frequency
// of what is lost, rad/s, and when that was first to be noted, s; how many steps the run would take to keep it, and
// whether steps follow it.
enum LostColumn : Index {
  LOST_ERROR = 0,
  LOST_TOP = 1,
  LOST_RATE = 2,
  LOST_SINCE = 3,
  LOST_NEEDED = 4,
  LOST_FOLLOWED = 5,
};

// Columns of ExplicitState.top: the largest deformation and the largest speeds of a body.
enum TopColumn : Index { TOP_DEFORMATION = 0, TOP_RIGID_SPEED = 1, TOP_MODAL_SPEED = 2 };

// How the states of force laws are found.
enum LawMode : Index { GIVEN = 0, STEPPED = 1, RELAXED = 2 };

// Columns of Layout.coefficient_at.
enum Coefficient : Index { C1 = 0, C2 = 1, C3 = 2, C4 = 3, C5 = 4, C6 = 5, C7 = 6, C8 = 7, K = 8, D = 9, AXIAL = 10 };

// Columns of Tree.motion: its kind, the axis, and the frame (0 first, 1 second) that the axis belongs to.
enum MotionColumn : Index { MOTION_KIND = 0, MOTION_AXIS = 1, MOTION_SIDE = 2 };
// Columns of Tree.driven: the drive, -1 for none, its constraint row, and its place in the state vector.
enum DrivenColumn : Index { DRIVEN_BY = 0, DRIVEN_ROW = 1, DRIVEN_PLACE = 2 };
// Kinds of free motions of a hinge: a screw turns and shifts along the same axis; own ones are those of a user's
// hinge.
enum MotionKind : Index { SHIFT = 0, TURN = 1, SCREW = 2, OWN_MOTION = 3 };

// Numbers that the function of a user's own hinge gets and writes, see own_hinge.hpp.
enum OwnNumber : Index {
  OWN_TASK = 0,
  OWN_PLACE = 1,
  OWN_SPEED = 6,
  OWN_POSE = 11,
  OWN_COLUMN = 23,
  OWN_TIME = 53,
  OWN_DRIFT = 59,
  OWN_NUMBERS = 65
};

// Kinds of hinges: any, and one rotation about the frames' z axes, not driven, between rigid bodies or on the ground.
enum HingeKind : Index { ANY_HINGE = 0, ONE_TURN = 1 };

// What the loop of an integrator returns.
enum Status : Index {
  DONE = 0,
  PAUSED = 1,
  NO_CONVERGENCE = 2,
  NOT_FINITE = 3,
  NOT_DEFINITE = 4,
  STUCK = 5,
  DRIVE_JUMPED = 6,  // a step arrives more than a quarter of a turn from a drive
  SINGULAR = 7,      // small steps near a position where constraints lose rank
};

// Round-off of double precision.
constexpr double EPS = 2.3e-16;

}  // namespace flexbody
