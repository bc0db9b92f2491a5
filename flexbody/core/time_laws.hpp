// Laws of time that are built in: numbers set from outside, users' functions by address, recorded functions.
//
// The contexts of the laws in time_laws.cpp. The Python side is in time_laws.py, field by field.
#pragma once
#include "../../fem/core/array.hpp"

namespace flexbody {

// A user's function that is called back: `void function(double t)` leaves what it gives in three doubles.
struct CalledBack {
  Index function;  // its address
  Index numbers;   // the address of these doubles
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
