// Names of kinds and columns. The Python side is kinds.py; a test compares both.
#pragma once
#include "../../../fem/core/array.hpp"

namespace flexbody {

// Constraint rows.
enum RowKind : Index {
  POINT = 0,      // e_a(first) . (r_second - r_first) = s(t)
  ATTITUDE = 1,   // e_a(first) . e_b(second) = 0
  ANGLE = 2,      // the angle about e_z(first) from e_x(first) to e_x(second) is phi(t)
  COUPLING = 3,   // a sum of joint coordinates times factors is s(t)
  HOLONOMIC = 4,  // a user's function of time and frames is zero
  VELOCITY = 5,   // a user's function that is linear in the velocities of frames is zero (nonholonomic)
};

// Columns of Layout.row_frame: frames (of its legs the first and the last), an axis of each, the drive (-1 for none).
enum RowColumn : Index {
  ROW_FIRST = 0,
  ROW_SECOND = 1,
  ROW_FIRST_AXIS = 2,
  ROW_SECOND_AXIS = 3,
  ROW_DRIVE = 4,
};

// Columns of Layout.part: a joint coordinate, and which of the row's legs are its frames.
enum PartColumn : Index { PART_COORDINATE = 0, PART_FIRST_LEG = 1, PART_SECOND_LEG = 2 };

// Columns of Layout.drive_value: value at t = 0, and rate.
enum DriveColumn : Index { DRIVE_START = 0, DRIVE_RATE = 1 };

// Joint coordinates, see coordinate.hpp.
enum CoordinateKind : Index { TRANSLATION = 0, ROTATION = 1, TILT = 2, LENGTH = 3 };

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

// Columns of Work.turn: the angle around which a coordinate is taken; angle and rate at the last accepted step, and
// at the step that is tried.
enum TurnColumn : Index { EXPECTED = 0, LAST_ANGLE = 1, LAST_RATE = 2, NEXT_ANGLE = 3, NEXT_RATE = 4 };

// Laws of springs and of other forces along a length or a joint coordinate.
enum SpringKind : Index {
  LINEAR = 0,
  FRICTION = 1,
  STOP = 2,
  REACTION_FRICTION = 3,  // friction that follows the joint's reaction, see friction.hpp
};

// Columns of Layout.spring_frame: frames, law (a SpringKind), joint coordinate (-1 for its length). Those from
// FIRST_ROW on are used by REACTION_FRICTION: the joint's rows, hosting frame (0 or 1) and axis of the motion, the
// other coordinate along which it slides (-1 for none), and the number among these frictions.
enum SpringColumn : Index {
  SPRING_FIRST = 0,
  SPRING_SECOND = 1,
  SPRING_LAW = 2,
  SPRING_COORDINATE = 3,
  FIRST_ROW = 4,
  END_ROW = 5,
  HOST = 6,
  AXIS = 7,
  PARTNER = 8,
  NUMBER = 9,
};

// Columns of Work.spring_length: length, or joint coordinate, and its rate.
enum SpringLengthColumn : Index { SPRING_LENGTH = 0, SPRING_RATE = 1 };

// Columns of Layout.spring_value for LINEAR.
enum LinearColumn : Index { STIFFNESS = 0, DAMPING = 1, FREE_LENGTH = 2, ACTUATOR_FORCE = 3 };

// Columns of Layout.spring_value for STOP: ends of the free motion; k, n and d of its force, see force.cpp.
enum StopColumn : Index { LOWER_END = 0, UPPER_END = 1, STOP_STIFFNESS = 2, EXPONENT = 3, DISSIPATION = 4 };

// Columns of Layout.spring_value for FRICTION and REACTION_FRICTION: coefficients of sliding and static friction (for
// FRICTION times its given normal force), Stribeck's speed, viscous coefficient, speed of creep; those from PRELOAD
// on are used by REACTION_FRICTION.
enum FrictionColumn : Index {
  MU = 0,
  MU_STATIC = 1,
  SLOW = 2,
  VISCOUS = 3,
  CREEP = 4,
  PRELOAD = 5,
  ARM = 6,
  COLLAR = 7,
  PER_LENGTH = 8,
  PER_KEY = 9,
  PARTNER_FACTOR = 10,
};

// Columns of Work.friction_record: N, h, N as counted in the residual, derivatives of N by the multipliers of the
// joint's rows.
enum FrictionRecord : Index { SIZE = 0, SHARE = 1, COUNTED = 2, SLOPE = 3 };

// Loads.
enum LoadKind : Index { FORCE_INERTIAL = 0, FORCE_BODY = 1, MOMENT_INERTIAL = 2, MOMENT_BODY = 3 };

// Columns of Layout.load_frame.
enum LoadColumn : Index { LOAD_FRAME = 0, LOAD_KIND = 1 };

// Geometries of force elements, see element.hpp.
enum Geometry : Index { LINE = 0, ALONG = 1, BETWEEN = 2 };

// Columns of Layout.element: LAW is the address of the law's function, COORDINATE -1 for none.
enum ElementColumn : Index {
  GEOMETRY = 0,
  FIRST = 1,
  SECOND = 2,
  AT = 3,
  COUNT = 4,
  STATE_AT = 5,
  STATES = 6,
  LAW = 7,
  VALUE_AT = 8,
  COORDINATE = 9,
};

// Columns of Work.element_power: stored energy (J), dissipated and input power (W).
enum ElementPowerColumn : Index { ELEMENT_STORED = 0, ELEMENT_DISSIPATED = 1, ELEMENT_INPUT = 2 };

// Rows of the histories of springs and elements, see readers.cpp: deformations, their rates, forces.
enum HistoryRow : Index { HISTORY_DEFORMATION = 0, HISTORY_RATE = 1, HISTORY_FORCE = 2 };

// Entries of Work.power and of AlphaState.power and energy: what is dissipated, and what drives and loads put in.
enum PowerEntry : Index { DISSIPATED = 0, INPUT = 1 };

// Columns of AlphaState.top_speed: of the rigid motion and of the deformation of a body.
enum SpeedColumn : Index { RIGID_SPEED = 0, MODAL_SPEED = 1 };

// Columns of ExplicitState.top: the largest deformation and the largest speeds of a body.
enum TopColumn : Index { TOP_DEFORMATION = 0, TOP_RIGID_SPEED = 1, TOP_MODAL_SPEED = 2 };

// How the states of force laws are found.
enum LawMode : Index { GIVEN = 0, STEPPED = 1, RELAXED = 2 };

// Columns of Layout.coefficient_at.
enum Coefficient : Index { C1 = 0, C2 = 1, C3 = 2, C4 = 3, C5 = 4, C6 = 5, C7 = 6, C8 = 7, K = 8, D = 9, AXIAL = 10 };

// What the loop of an integrator returns.
enum Status : Index {
  DONE = 0,
  PAUSED = 1,
  NO_CONVERGENCE = 2,
  NOT_FINITE = 3,
  NOT_DEFINITE = 4,
  STUCK = 5,
  DRIVE_JUMPED = 6,  // a step arrives more than a quarter of a turn from a drive
};

// Round-off of double precision.
constexpr double EPS = 2.3e-16;

}  // namespace flexbody
