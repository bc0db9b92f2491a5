// The law at a point of contact, for one contact and for clouds of spheres.
//
// With the penetration delta = -gap and the slip s,
//
//     N = k delta^n (1 + d delta.), never pulling      U = k delta^(n + 1) / (n + 1)
//     F = N mu(|s|) tanh(|s| / regularisation velocity) s / |s|,   mu of Stribeck's curve
//
// K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440.
#pragma once
#include "force_laws.hpp"

namespace flexbody {

// k, n and d among the numbers of a law of contact.
struct Hardness {
  double stiffness, exponent, dissipation;
};

// Penetration, its power n and the elastic and whole normal force at a point.
struct Pressed {
  double depth, elastic, normal;
};

// x^n, quicker for the usual exponents.
inline double power_of(double x, double n) {
  return n == 1.5 ? x * std::sqrt(x) : n == 1.0 ? x : std::pow(x, n);
}

inline Pressed pressed(const Hardness& law, double gap, double rate) {
  if (!(gap < 0.0)) return {0.0, 0.0, gap < INF ? 0.0 : NaN};
  const double elastic = law.stiffness * power_of(-gap, law.exponent);
  return {-gap, elastic, larger(elastic * (1.0 - law.dissipation * rate), 0.0)};
}

// k delta^(n + 1) / (n + 1) where a gap is negative.
inline double pressed_energy(const Hardness& law, double gap) {
  return law.stiffness * power_of(-gap, law.exponent) * -gap / (law.exponent + 1.0);
}

// mu(s) tanh(s / v) / s
inline double friction_over_slip(const double* friction, double slip) {
  const double v = friction[REGULARISATION_VELOCITY];
  return stribeck(friction, slip) * (slip > 1e-9 * v ? std::tanh(slip / v) / slip : 1.0 / v);
}

// Derivatives of a normal force N by the penetration and its rate, and of the friction by the slip, across the slip
// and along it, for a given N.
struct PressedSlope {
  double by_depth, by_rate, across, along;
};

// dN/d delta = k n delta^(n - 1) (1 + d delta.), dN/d delta. = k delta^n d; of friction f(s) slip / s at a given
// normal force f/s across the slip and f' along it, without what mu changes. That friction follows the normal force
// is left out.
inline PressedSlope slope_of(const Hardness& law, const double* friction, const Pressed& now, double slip) {
  const double v = friction[REGULARISATION_VELOCITY], part = std::tanh(slip / v);
  return {law.exponent / now.depth * now.normal, now.elastic * law.dissipation,
          now.normal * friction_over_slip(friction, slip),
          now.normal * stribeck(friction, slip) * (1.0 - part * part) / v};
}

}  // namespace flexbody
