// The laws of force elements, each a C function of type ForceLaw (law.hpp), `law(t, u, x, rate, z, p, out)`.
//
// t : time, s. u : the input (a voltage, a pressure, a force) at t. x, rate : deformations of the element and their
// rates, one or six. z : states. p : the law's numbers. out : forces F against growing deformations, then the states'
// rates, then stored energy U (J), dissipated and input power (W), with `F . rate = dU/dt + dissipated - input`.
//
// A law without states may bring its slope, a C function of type ForceLawSlope, `slope(u, x, rate, p, out)`: out (2,
// m, m) = dF/dx, dF/drate. Others are differentiated by differences. The slope is that of Newton's iteration; it may
// leave out what would slow the iteration down.
#pragma once
#include "../../../fem/core/export.hpp"
#include "../data/kinds.hpp"
#include "../laws/law.hpp"

namespace flexbody {

// A function in pieces: its value and its integral.
struct PieceValue {
  double value, integral;
};

// Value and integral at x of a function in cubic pieces; its numbers begin at p[first]:
// (n, breaks (n,), coefficients (n + 1, 5)). In piece i, from break i - 1 on (the first one belongs to the first
// break), the value is `a + b s + c s^2 + d s^3` with s = x - break; the fifth number is the integral up to the
// break.
inline PieceValue piece(const double* p, Index first, double x) {
  const Index n = Index(p[first]);
  Index low = 0, high = n;  // the piece lies after `low` breaks
  while (low < high) {
    const Index middle = (low + high) / 2;
    if (x < p[first + 1 + middle]) {
      high = middle;
    } else {
      low = middle + 1;
    }
  }
  const double* c = p + first + 1 + n + 5 * low;
  const double s = x - p[first + (low > 1 ? low : 1)];
  const double value = c[0] + s * (c[1] + s * (c[2] + s * c[3]));
  const double integral = c[4] + s * (c[0] + s * (c[1] / 2.0 + s * (c[2] / 3.0 + s * c[3] / 4.0)));
  return {value, integral};
}

// Stribeck's curve: `mu + (mu_static - mu) exp(-(slip / Stribeck velocity)^2)`; p as FrictionNumber says.
inline double stribeck(const double* p, double slip) {
  return p[MU] + (p[MU_STATIC] - p[MU]) * std::exp(-square(slip / p[STRIBECK_VELOCITY]));
}

// Friction over the normal force along a coordinate, and its derivative by the rate.
struct FrictionCoefficient {
  double value, slope;
};

// `h = mu(slip) tanh(slip / regularisation velocity) s / slip` at the rate s, with the rate of the other coordinate
// along which the same surfaces slide, `slip = sqrt(s^2 + other^2)`, and mu(slip) of Stribeck's curve. The derivative
// by s leaves out what mu changes.
inline FrictionCoefficient friction_coefficient(const double* p, double rate, double other) {
  const double slip = std::sqrt(rate * rate + other * other);
  const double size = stribeck(p, slip), part = std::tanh(slip / p[REGULARISATION_VELOCITY]);
  if (slip == 0.0) return {0.0, size / p[REGULARISATION_VELOCITY]};
  const double along = square(rate / slip), across = square(other / slip);
  const double slope = (1.0 - part * part) / p[REGULARISATION_VELOCITY] * along + part / slip * across;
  return {size * part * rate / slip, size * slope};
}

// The user's law that the law `beside_jumps` calls, from the numbers of the latter.
ForceLaw law_beside_jumps(const double* p);

}  // namespace flexbody

// The head of the law flexbody_law_<name>, which is all that other code needs: laws are found by their names. Most
// laws have no use for some of the arguments.
#define FLEXBODY_LAW(name)                                                                                        \
  FLEXBODY_EXPORT void flexbody_law_##name([[maybe_unused]] double t, [[maybe_unused]] const double* u,           \
                                           [[maybe_unused]] const double* x, [[maybe_unused]] const double* rate, \
                                           [[maybe_unused]] const double* z, [[maybe_unused]] const double* p,    \
                                           double* out)

// The head of its slope flexbody_law_<name>_slope.
#define FLEXBODY_LAW_SLOPE(name)                                                                               \
  FLEXBODY_EXPORT void flexbody_law_##name##_slope(                                                            \
      [[maybe_unused]] const double* u, [[maybe_unused]] const double* x, [[maybe_unused]] const double* rate, \
      [[maybe_unused]] const double* p, double* out)
