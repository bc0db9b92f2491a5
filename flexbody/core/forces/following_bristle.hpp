// The bristle of friction that follows the reaction of its joint, or of surfaces that roll, see bristles.hpp: two
// states, along the coordinate of the friction and along the other one on which the same surfaces slide.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"
#include "bristles.hpp"

// Friction that follows a reaction and sticks.
FLEXBODY_LAW(sticking_reaction_friction);

namespace flexbody {

constexpr Index FOLLOWING_BRISTLES = 2;

// Numbers of the friction, the displacement in which it builds up, and the slip.
struct FollowingBristle {
  const double* friction;
  double presliding;
  Vector<double> slip;
};

// That of a law with numbers p, deformation rates, and the rate of the other coordinate.
inline FollowingBristle following_bristle(Index geometry, const double* p, const double* rate, double partner) {
  if (geometry == SLIP) return {p + SLIP_NUMBERS, p[Index(SLIP_NUMBERS) + PRESLIDING], {rate[0], rate[1], 0.0}};
  return {p, p[REACTION_PRESLIDING], {rate[0], partner, 0.0}};
}

// Friction over the normal force with the bristle z (2,).
inline Vector<double> friction_over_normal(const FollowingBristle& now, const double* z) {
  return friction_of_bristle(now.friction, {z[0], z[1], 0.0}, now.slip);
}

// z. (2,); surfaces of joints always touch.
inline void following_bristle_rate(const FollowingBristle& now, const double* z, double* out) {
  const Vector<double> rate = bristle_rate(now.friction, now.presliding, true, {z[0], z[1], 0.0}, now.slip);
  out[0] = rate.x, out[1] = rate.y;
}

// z with `z - kappa z. = known`.
inline void step_following_bristle(const FollowingBristle& now, const double* known, double kappa, double* z) {
  const Vector<double> zeta =
      stepped_bristle(now.friction, now.presliding, true, {known[0], known[1], 0.0}, kappa, now.slip);
  z[0] = zeta.x, z[1] = zeta.y;
}

}  // namespace flexbody
