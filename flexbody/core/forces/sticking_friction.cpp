// Friction of given size that sticks, along one deformation; see bristles.hpp.
#include "bristles.hpp"
#include "following_bristle.hpp"

using namespace flexbody;

// F = mu(s) ((1 - T) zeta + T s/|s|) + viscous s with the bristle zeta as the state; p as FrictionNumber says up to
// PRESLIDING, MU and MU_STATIC times the normal force.
FLEXBODY_LAW(sticking_friction) {
  const Vector<double> zeta{z[0], 0.0, 0.0}, slip{rate[0], 0.0, 0.0};
  out[0] = friction_of_bristle(p, zeta, slip).x + p[VISCOUS] * rate[0];
  out[1] = bristle_rate(p, p[PRESLIDING], true, zeta, slip).x;
  out[2] = 0.0;
  out[3] = out[0] * rate[0];
  out[4] = 0.0;
}

// F = h N + viscous s, h of the bristle; p as FrictionNumber says, u = (N, rate of the other coordinate along which
// the surfaces slide).
FLEXBODY_LAW(sticking_reaction_friction) {
  const FollowingBristle now = following_bristle(ALONG, p, rate, u[1]);
  out[0] = u[0] * friction_over_normal(now, z).x + p[VISCOUS] * rate[0];
  following_bristle_rate(now, z, out + 1);
  out[3] = 0.0;
  out[4] = out[0] * rate[0];
  out[5] = 0.0;
}
