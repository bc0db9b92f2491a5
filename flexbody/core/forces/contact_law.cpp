// The law of contacts, see contact_law.hpp; p as ContactNumber says.
#include "contact_law.hpp"

using namespace flexbody;

static Hardness hardness(const double* p) {
  return {p[CONTACT_STIFFNESS], p[CONTACT_EXPONENT], p[CONTACT_DISSIPATION]};
}

static double slip_of(const double* rate) {
  return std::sqrt(square(rate[1]) + square(rate[2]) + square(rate[3]));
}

FLEXBODY_LAW(contact) {
  const Index points = Index(p[CONTACT_POINTS]), m = PER_POINT * points;
  double energy = 0.0, lost = 0.0;
  for (Index i = 0; i < m; i += PER_POINT) {
    const Pressed now = pressed(hardness(p), x[i], rate[i]);
    const double slip = slip_of(rate + i);
    const double drag = now.normal > 0.0 ? now.normal * friction_over_slip(p + CONTACT_FRICTION, slip) : 0.0;
    out[i] = -now.normal;
    for (Index k = 1; k < PER_POINT; ++k) out[i + k] = drag * rate[i + k];
    energy += now.elastic * now.depth / (p[CONTACT_EXPONENT] + 1.0);
    lost += (now.elastic - now.normal) * rate[i] + drag * square(slip);
  }
  out[m] = energy;
  out[m + 1] = lost;
  out[m + 2] = 0.0;
}

FLEXBODY_LAW_SLOPE(contact) {
  const Index points = Index(p[CONTACT_POINTS]), m = PER_POINT * points;
  double *by_x = out, *by_rate = out + m * m;
  for (Index k = 0; k < 2 * m * m; ++k) out[k] = 0.0;
  for (Index i = 0; i < m; i += PER_POINT) {
    const Pressed now = pressed(hardness(p), x[i], rate[i]);
    const double slip = slip_of(rate + i);
    if (!(now.depth > 0.0)) continue;
    const PressedSlope slope = slope_of(hardness(p), p + CONTACT_FRICTION, now, slip);
    by_x[i * m + i] = slope.by_depth;
    by_rate[i * m + i] = slope.by_rate;
    const double inverse = slip > 0.0 ? 1.0 / square(slip) : 0.0;
    for (Index k = i + 1; k < i + PER_POINT; ++k) {
      by_rate[k * m + k] = slope.across;
      for (Index l = i + 1; l < i + PER_POINT; ++l)
        by_rate[k * m + l] += (slope.along - slope.across) * rate[k] * rate[l] * inverse;
    }
  }
}
