// Friction of given size that sticks, along one deformation; see bristles.hpp.
#include "bristles.hpp"

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
