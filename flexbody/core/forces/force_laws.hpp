// The laws of force elements, each a C function of type ForceLaw (law.hpp), `law(t, u, x, rate, z, p, out)`.
//
// t : time, s. u : the input (a voltage, a pressure, a force) at t. x, rate : deformations of the element and their
// rates, one or six. z : states. p : the law's numbers. out : forces F against growing deformations, then the states'
// rates, then stored energy U (J), dissipated and input power (W), with `F . rate = dU/dt + dissipated - input`.
#pragma once
#include "../../../fem/core/export.hpp"
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

}  // namespace flexbody

// The head of the law flexbody_law_<name>; most laws have no use for some of the arguments.
#define FLEXBODY_LAW(name)                                                                                        \
  FLEXBODY_EXPORT void flexbody_law_##name([[maybe_unused]] double t, [[maybe_unused]] const double* u,           \
                                           [[maybe_unused]] const double* x, [[maybe_unused]] const double* rate, \
                                           [[maybe_unused]] const double* z, const double* p, double* out)

FLEXBODY_LAW(linear);
FLEXBODY_LAW(viscoelastic);
FLEXBODY_LAW(pressure);
FLEXBODY_LAW(cylinder);
FLEXBODY_LAW(motor);
FLEXBODY_LAW(servo);
FLEXBODY_LAW(table);
FLEXBODY_LAW(rate_table);
FLEXBODY_LAW(bushing);
FLEXBODY_LAW(beam);
FLEXBODY_LAW(recorded);
FLEXBODY_LAW(called_back);
