// The built-in laws of time, with the signature TimeLaw of law.hpp; their contexts are in time_laws.hpp.
//
// A function f is asked for times from 0 to t_end only: before 0 it is continued by point reflection,
// `2 f(0) - f(-t)`, and round-off past t_end is cut off.
#include "time_laws.hpp"

#include <cmath>

#include "../../../fem/core/export.hpp"
#include "law.hpp"
#include "tape.hpp"

namespace flexbody {

// Accuracy of the time of a corner, and the distance of times beside it, as parts of the time; as in pieces.py.
constexpr double AT_CORNER = 1e-13, BESIDE_CORNER = 3e-13;

static double within(double t, double t_end) {
  return t_end < t && t < t_end * (1.0 + 1e-12) ? t_end : t;
}

// A function of time continued by point reflection below 0.
template <class Function>
static double continued(Function f, double t, double t_end) {
  if (t < 0.0) return 2.0 * f(0.0) - f(-t);
  return f(within(t, t_end));
}

// `f(t)` of a recorded function.
static double value_at(IndexRows tape, Table constants, double t, double t_end) {
  const auto f = [&](double x) { return tape_value<double>(tape, constants, {&x, {1}}); };
  return continued(f, t, t_end);
}

// `f(t)`, `f.(t)` and `f..(t)`; before 0 the rate is `f.(-t)` and the acceleration `-f..(-t)`.
static Along<double> value_and_derivatives(IndexRows tape, Table constants, double t, double t_end) {
  double x = std::abs(within(t, t_end)), one = 1.0, none = 0.0;
  const auto at = [&] { return along<double>(tape, constants, {&x, {1}}, {&one, {1}}, {&none, {1}}); };
  const Along<double> now = at();
  if (t >= 0.0) return now;
  x = 0.0;
  return {2.0 * at().f - now.f, now.d, -now.e};
}

// First and second derivative.
struct Derivatives {
  double first, second;
};

// Derivatives at `start + s step` of the polynomial of degree 4 through f[k] at `start + k step`, by Newton's forward
// form; the same as in differences.py.
static Derivatives derivatives_of(const double* f, double s, double step) {
  const double d1 = f[1] - f[0], d2 = f[2] - 2.0 * f[1] + f[0], d3 = f[3] - 3.0 * f[2] + 3.0 * f[1] - f[0];
  const double d4 = f[4] - 4.0 * f[3] + 6.0 * f[2] - 4.0 * f[1] + f[0];
  double first = d1 + (s - 0.5) * d2 + (3.0 * s * s - 6.0 * s + 2.0) / 6.0 * d3;
  first += (2.0 * s * s * s - 9.0 * s * s + 11.0 * s - 3.0) / 12.0 * d4;
  const double second = d2 + (s - 1.0) * d3 + (6.0 * s * s - 18.0 * s + 11.0) / 12.0 * d4;
  return {first / step, second / (step * step)};
}

// A part of the time without corners, from `begin` to `end`, and its number.
struct Piece {
  Index number;
  double begin, end;
};

// The part with t in it; a corner itself belongs to the part before it. Without corners it is from 0 to t_end or t.
static Piece piece_at(Array<const double, 1> corners, double t, double t_end) {
  Index k = 0, n = corners.size();
  for (Index last = n; k < last;) {
    const Index middle = (k + last) / 2;
    if (corners[middle] < t * (1.0 - AT_CORNER))
      k = middle + 1;
    else
      last = middle;
  }
  return {k, k > 0 ? corners[k - 1] * (1.0 + BESIDE_CORNER) : 0.0,
          k < n ? corners[k] * (1.0 - BESIDE_CORNER) : larger(t_end, t)};
}

double beside_corners(const LawWithCorners& law, double t) {
  if (t < 0.0) return t;
  const Piece piece = piece_at(law.corners, t, t);
  return larger(t > 0.0 ? smaller(larger(t, piece.begin), piece.end) : t, law.begin);
}

// A function that is called back at t and at five times around it, or beside it near the ends of its piece.
static void call_and_differentiate(const CalledBack& law, double t, double* out) {
  const Piece piece = piece_at(law.corners, t, law.t_end);
  const double h = law.steps[piece.number];
  const double start = smaller(larger(t - 2.0 * h, piece.begin), larger(piece.end - 4.0 * h, piece.begin));
  const auto at = [&](double steps) { return within(start + steps * h, law.t_end); };
  using Function = void (*)(double, double, double, double, double, double);
  reinterpret_cast<Function>(law.function)(t, start, at(1.0), at(2.0), at(3.0), at(4.0));
  const double* given = reinterpret_cast<const double*>(law.numbers);
  const Index count = 3 - law.derivatives;
  for (Index k = 0; k < count; ++k) out[k] = given[k];
  const Derivatives found = derivatives_of(given + count, (t - start) / h, h);
  out[count] = found.first;
  if (law.derivatives == 2) out[2] = found.second;
}

}  // namespace flexbody

using namespace flexbody;

// The context is a LawWithCorners.
FLEXBODY_EXPORT void flexbody_law_with_corners(double t, const void* context, double* out) {
  const LawWithCorners& law = *static_cast<const LawWithCorners*>(context);
  reinterpret_cast<TimeLaw>(law.law)(beside_corners(law, t), reinterpret_cast<const void*>(law.context), out);
}

// The context is the address of a user's function `void law(double t, double out[3])`.
FLEXBODY_EXPORT void flexbody_call_plain(double t, const void* context, double* out) {
  reinterpret_cast<void (*)(double, double*)>(reinterpret_cast<Index>(context))(t, out);
}

// The context is a CalledBack.
FLEXBODY_EXPORT void flexbody_call_back(double t, const void* context, double* out) {
  const CalledBack& law = *static_cast<const CalledBack*>(context);
  t = within(t, law.t_end);
  if (law.derivatives) return call_and_differentiate(law, t, out);
  reinterpret_cast<void (*)(double)>(law.function)(t);
  const double* numbers = reinterpret_cast<const double*>(law.numbers);
  out[0] = numbers[0], out[1] = numbers[1], out[2] = numbers[2];
}

// The context is a ScalarFunction; its value, and zeros.
FLEXBODY_EXPORT void flexbody_call_scalar(double t, const void* context, double* out) {
  const ScalarFunction& law = *static_cast<const ScalarFunction*>(context);
  out[0] = continued(reinterpret_cast<double (*)(double)>(law.function), t, law.t_end);
  out[1] = out[2] = 0.0;
}

// The context is the address of three numbers, which are set from outside.
FLEXBODY_EXPORT void flexbody_read_numbers(double, const void* context, double* out) {
  const double* numbers = static_cast<const double*>(context);
  out[0] = numbers[0], out[1] = numbers[1], out[2] = numbers[2];
}

// The context is a RecordedLaw.
FLEXBODY_EXPORT void flexbody_recorded_law(double t, const void* context, double* out) {
  const RecordedLaw& law = *static_cast<const RecordedLaw*>(context);
  if (law.derivatives) {
    const Along<double> now = value_and_derivatives(law.operations, law.constants, t, law.t_end);
    out[0] = now.f, out[1] = now.d, out[2] = now.e;
  } else {
    out[0] = value_at(law.operations, law.constants, t, law.t_end);
    out[1] = out[2] = 0.0;
  }
}

// The context is a RecordedLoad.
FLEXBODY_EXPORT void flexbody_recorded_load(double t, const void* context, double* out) {
  const RecordedLoad& load = *static_cast<const RecordedLoad*>(context);
  out[0] = value_at(load.x, load.x_constants, t, load.t_end);
  out[1] = value_at(load.y, load.y_constants, t, load.t_end);
  out[2] = value_at(load.z, load.z_constants, t, load.t_end);
}

// The numbers of a law at `count` times, s; out (count, 3).
FLEXBODY_EXPORT void flexbody_sample_time_law(Index law, Index context, const double* times, Index count,
                                              double* out) {
  for (Index k = 0; k < count; ++k)
    reinterpret_cast<TimeLaw>(law)(times[k], reinterpret_cast<const void*>(context), out + 3 * k);
}
