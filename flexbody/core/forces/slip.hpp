// Slip of two surfaces that roll on each other, and the forces against it.
//
// The element has four deformations, of which only the rates are used: the slip of the second surface over the first
// along both tangents (m/s), the spin about the normal (rad/s), and the speed of rolling (m/s). The rates are
// recorded functions, linear in the velocities of both frames. The forces follow the normal force N of the row that
// holds the gap, see reaction_friction.hpp. p as SlipNumber says:
//
// * Coulomb's law: `N mu(s) tanh(s / regularisation velocity)` against the slip s of both directions; with a bristle,
//   see following_bristle.hpp, it sticks
// * creep: `k (f_11 xi_x, f_22 xi_y + f_23 phi, f_33 phi - f_23 xi_y)` with the creepages `xi = slip / V` and `phi =
//   spin / V`, V the speed of rolling (J. J. Kalker, 1967). With a coefficient of friction the part k of it that is
//   transmitted is `1 - b/3 + b^2/27`, and 1/b for b > 3, with the force of the linear law over the largest one, `b =
//   F / (mu N)` (Z. Y. Shen, J. K. Hedrick, J. A. Elkins, 1983)
#pragma once
#include <cmath>

#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"
#include "force_laws.hpp"

namespace flexbody {

// Forces of an element against its slip along both tangents (N) and its spin (Nm), and their derivatives by N.
struct SlipForces {
  double force[SLIP_FORCES], by_normal[SLIP_FORCES];
};

inline SlipForces coulomb_forces(const double* p, double normal, const double* rate) {
  const double slip = std::sqrt(rate[0] * rate[0] + rate[1] * rate[1]);
  const double size = stribeck(p, slip), v = p[REGULARISATION_VELOCITY];
  const double part = slip > 1e-9 * v ? size * std::tanh(slip / v) / slip : size / v;
  return {{part * normal * rate[0], part * normal * rate[1], 0.0}, {part * rate[0], part * rate[1], 0.0}};
}

inline SlipForces creep_forces(const double* p, double normal, const double* rate) {
  const double speed = std::sqrt(square(rate[3]) + square(p[LEAST_SPEED]));
  const double along = rate[0] / speed, across = rate[1] / speed, spin = rate[2] / speed;
  const double linear[3] = {p[CREEP_ALONG] * along, p[CREEP_ACROSS] * across + p[CREEP_MIXED] * spin,
                            p[CREEP_SPIN] * spin - p[CREEP_MIXED] * across};
  const double size = std::sqrt(square(linear[0]) + square(linear[1])), most = p[CREEP_FRICTION] * normal;
  double part = 1.0, by_normal = 0.0;
  if (p[CREEP_FRICTION] > 0.0 && size > 3.0 * most) {
    part = most / size;
    by_normal = p[CREEP_FRICTION] / size;
  } else if (p[CREEP_FRICTION] > 0.0 && most > 0.0) {
    const double b = size / most;
    part = 1.0 - b / 3.0 + b * b / 27.0;
    by_normal = b / normal * (1.0 / 3.0 - 2.0 * b / 27.0);
  }
  SlipForces out;
  for (int k = 0; k < SLIP_FORCES; ++k) out.force[k] = part * linear[k], out.by_normal[k] = by_normal * linear[k];
  return out;
}

// Those of the law with numbers p for the normal force N (not below zero) and the four rates.
inline SlipForces slip_forces(const double* p, double normal, const double* rate) {
  return p[SLIP_LAW] == 0.0 ? coulomb_forces(p + SLIP_NUMBERS, normal, rate)
                            : creep_forces(p + SLIP_NUMBERS, normal, rate);
}

// Rates and directions of element e; needs `place_frames` and `move_frames`.
template <class Real>
void evaluate_slip(const Layout& layout, Work<Real>& work, Index e);

}  // namespace flexbody
