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

// mu(s) tanh(s / v) / s
inline double friction_over_slip(const double* friction, double slip) {
  const double v = friction[REGULARISATION_VELOCITY];
  return stribeck(friction, slip) * (slip > 1e-9 * v ? std::tanh(slip / v) / slip : 1.0 / v);
}

}  // namespace flexbody
