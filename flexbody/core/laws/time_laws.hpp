// Laws of time that are built in: numbers set from outside, users' functions by address, recorded functions.
//
// The contexts of the laws in time_laws.cpp. The Python side is in time_laws.py, field by field.
#pragma once
#include "../../../fem/core/array.hpp"

namespace flexbody {

// A law of a function with corners: the values at a corner are those just before it, and the law is not called closer
// to a corner than round-off, so that it is that of one side. If it jumps as it begins, from 0 to `begin`, it has the
// value behind that from 0 on.
struct LawWithCorners {
  Index law;                       // its address
  Index context;                   // and that of its context
  Array<const double, 1> corners;  // times, increasing, s
  double begin;                    // s
};

// The time t, or the one beside a corner that is closer to it than round-off, s.
double beside_corners(const LawWithCorners& law, double t);

// A user's function in another language that is called back, for times from 0 to t_end. It leaves its results in an
// array of doubles.
//
// derivatives = 0: `void function(double t)` leaves the three numbers of the law. 1, 2: so many of the three are
// found by differences; `void function(double t, double t0, ..., double t4)` leaves those that are not, at t, and the
// last of them at the five times, which lie between the same corners as t.
struct CalledBack {
  Index function;  // its address
  Index numbers;   // the address of the doubles
  double t_end;    // s
  Index derivatives;
  Array<const double, 1> corners;  // times at which the function's derivatives jump, increasing, s
  Array<const double, 1> steps;    // distance of the five times before the first corner, behind it, ..., s
};

// A user's C function `double function(double t)`, for times from 0 to t_end.
struct ScalarFunction {
  Index function;  // its address
  double t_end;    // s
};

// A recorded function of time, from 0 to t_end, see tape.hpp.
struct RecordedLaw {
  Array<const Index, 2> operations;  // (*, 3)
  Array<const double, 1> constants;  // (*,)
  double t_end;                      // s
  Index derivatives;                 // 1: value, rate, acceleration; 0: value, 0, 0
};

// Three recorded functions of time: the components of a load.
struct RecordedLoad {
  Array<const Index, 2> x;             // (*, 3) operations
  Array<const double, 1> x_constants;  // (*,)
  Array<const Index, 2> y;
  Array<const double, 1> y_constants;
  Array<const Index, 2> z;
  Array<const double, 1> z_constants;
  double t_end;  // s
};

}  // namespace flexbody
