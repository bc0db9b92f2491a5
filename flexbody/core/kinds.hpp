// Names of kinds and columns. The Python side is kinds.py; a test compares both.
#pragma once
#include "../../fem/core/array.hpp"

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

// Joint coordinates, see coordinate.hpp.
enum CoordinateKind : Index { TRANSLATION = 0, ROTATION = 1, TILT = 2, LENGTH = 3 };

// Laws of springs and of other forces along a length or a joint coordinate.
enum SpringKind : Index {
  LINEAR = 0,
  FRICTION = 1,
  STOP = 2,
  RUB = 3,  // friction that follows the joint's reaction, see friction.hpp
};

// Columns of Layout.spring_frame; those from FIRST_ROW on are used by RUB.
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

// Columns of Layout.spring_value for RUB (Stribeck's speed, viscous coefficient, speed of creep as for FRICTION).
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

// Geometries of force elements, see element.hpp.
enum Geometry : Index { LINE = 0, ALONG = 1, BETWEEN = 2 };

// Columns of Layout.element.
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
  LEAPT = 6,
};

// Round-off of double precision.
constexpr double EPS = 2.3e-16;

}  // namespace flexbody
