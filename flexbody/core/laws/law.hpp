// Users' functions behind addresses. A law is a pair (function, context); its function is 0 where there is none.
#pragma once
#include "../data/layout.hpp"

namespace flexbody {

// Three numbers as a function of time: value, rate, acceleration of a drive, or the components of a load.
using TimeLaw = void (*)(double t, const void* context, double* out);

// The law of a force element, one signature for all; see force_laws.hpp.
using ForceLaw = void (*)(double t, const double* u, const double* x, const double* rate, const double* z,
                          const double* p, double* out);

// Its derivatives by deformations and rates, of a law without states; see force_laws.hpp.
using ForceLawSlope = void (*)(const double* u, const double* x, const double* rate, const double* p, double* out);

// A user's constraint that is called back, with a buffer of inputs and results; see user_constraint.hpp.
using Callback = void (*)(double t, double* buffer);

// Write what law k gives at time t; false if there is none.
inline bool call_law(const IndexRows& laws, Index k, double t, double* out) {
  if (laws(k, 0) == 0) return false;
  reinterpret_cast<TimeLaw>(laws(k, 0))(t, reinterpret_cast<const void*>(laws(k, 1)), out);
  return true;
}

}  // namespace flexbody
