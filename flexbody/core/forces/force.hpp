// Forces: loads at frames, and springs, friction and stops along a length or a joint coordinate (Koppens 4.2).
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Tension of a spring (against a growing length), N or Nm; power that it dissipates and takes in, W.
template <class Real>
struct SpringForce {
  Real tension, dissipated, given;
};

// Derivatives of the tension by length and by rate.
template <class Real>
struct SpringTangent {
  Real by_length, by_rate;
};

// Subtract all point forces and moments from Work.residual and add their power to Work.power; needs `move`.
template <class Real>
void add_loads(const Layout& layout, Work<Real>& work, double t);

// Length, its rate and the direction of all springs between two points; needs `move_frames`.
template <class Real>
void evaluate_springs(const Layout& layout, Work<Real>& work);

// Length, its rate and the direction of what acts along joint coordinates; needs `place_coordinates`, `move_frames`.
template <class Real>
void evaluate_joint_forces(const Layout& layout, Work<Real>& work);

// Tension and powers of spring s; needs `evaluate_springs` and `evaluate_joint_forces`, REACTION_FRICTION also
// `find_normal_forces`.
template <class Real>
SpringForce<Real> spring_force(const Layout& layout, const Work<Real>& work, Index s, double t);

// Derivatives of its tension by length and by rate, none below zero; needs what `spring_force` needs.
template <class Real>
SpringTangent<Real> spring_tangent(const Layout& layout, const Work<Real>& work, Index s);

// Energy (J) that is stored in spring s; needs its length.
template <class Real>
Real spring_energy(const Layout& layout, const Work<Real>& work, Index s);

}  // namespace flexbody
