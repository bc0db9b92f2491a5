// The laws of teeth with backlash and of belts; p as TangentNumber says, then their own numbers.
#include "contact_law.hpp"

using namespace flexbody;

// Flanks of a pair of teeth
constexpr Index FLANKS = 2;

static Hardness hardness(const double* p) {
  return {p[TANGENT_NUMBERS], p[TANGENT_NUMBERS + 1], p[TANGENT_NUMBERS + 2]};
}

// Both flanks of teeth, which press where their gaps are below zero; own numbers (k, n, d).
//
// F = -k delta^n (1 + d delta.), never pulling, U = k delta^(n + 1) / (n + 1).
FLEXBODY_LAW(flanks) {
  const Hardness law = hardness(p);
  out[FLANKS] = out[FLANKS + 1] = out[FLANKS + 2] = 0.0;
  for (Index k = 0; k < FLANKS; ++k) {
    const Pressed now = pressed(law, x[k], rate[k]);
    out[k] = -now.normal;
    out[FLANKS] += now.elastic * now.depth / (law.exponent + 1.0);
    out[FLANKS + 1] += (now.elastic - now.normal) * rate[k];
  }
}

// dF/dx = k n delta^(n - 1) (1 + d delta.), dF/dx. = k delta^n d of each.
FLEXBODY_LAW_SLOPE(flanks) {
  const Hardness law = hardness(p);
  for (Index k = 0; k < 2 * FLANKS * FLANKS; ++k) out[k] = 0.0;
  for (Index k = 0; k < FLANKS; ++k) {
    const Pressed now = pressed(law, x[k], rate[k]);
    if (!(now.depth > 0.0)) continue;
    out[k * FLANKS + k] = law.exponent / now.depth * now.normal;
    out[FLANKS * FLANKS + k * FLANKS + k] = now.normal > 0.0 ? now.elastic * law.dissipation : 0.0;
  }
}

// A belt or rope along one tangent, which never pushes; own numbers (k, d, tension without deformation).
//
// F = F_0 + k x + d x. while F_0 + k x > 0 and F > 0, U = (F_0 + k x)^2 / 2 k.
FLEXBODY_LAW(belt) {
  const double *own = p + TANGENT_NUMBERS, elastic = own[2] + own[0] * x[0];
  const double force = larger(elastic + own[1] * rate[0], 0.0);
  out[0] = elastic > 0.0 ? force : 0.0;
  if (!(elastic < INF)) out[0] = NaN;
  out[1] = elastic > 0.0 ? 0.5 * elastic * elastic / own[0] : 0.0;
  out[2] = elastic > 0.0 ? (force - elastic) * rate[0] : 0.0;
  out[3] = 0.0;
}

FLEXBODY_LAW_SLOPE(belt) {
  const double *own = p + TANGENT_NUMBERS, elastic = own[2] + own[0] * x[0];
  const bool taut = elastic > 0.0;
  out[0] = taut ? own[0] : 0.0;
  out[1] = taut && elastic + own[1] * rate[0] > 0.0 ? own[1] : 0.0;
}
