// What steps lose of the vibrations of contacts, teeth, belts and elastic elements, as an error of their forces.
//
// A force that swings with frequency w about a slowly changing mean f has the second derivative -w^2 a, a its
// deviation from the mean. The method turns it by 2 atan(h w / 2) in a step, so that divided differences f'' over two
// steps give
//
//     a = -f'' (1 + w^2 h h_before / 4) / w^2
//
// for short steps as for those with h w >> 1, beside which the deviation changes its sign in each step. A force that
// only follows a load of the frequency v has a deviation (v / w)^2 of itself. Its phase is off by C (h w)^3 in each
// step, see vibrations.hpp; once these add up to 1, the amplitude is what the force may be off by, and as long as
// they add up to less, that part of it. What is left of w is also bounded by how much `a` changes from step to step:
// an element moves with all that its bodies are joined to, so that its own w is the highest that may be. Where it
// moves much slower, with a machine on it, `lost_vibrations.hpp` finds more.
#pragma once
#include "../data/alpha_state.hpp"
#include "vibrations.hpp"

namespace flexbody {

// Squares of deviations are forgotten by this factor in a step.
constexpr double FORGETS_SWING = 0.9;
// Errors above this part of the force are noted; as NOTED_PART in integrators/not_followed.py.
constexpr double NOTED_PART = 0.1;
// Below this product of step and frequency round-off of the force would be magnified too much.
constexpr double LEAST_TURN = 0.2;

// Whether the force of deformation s is that of a spring: of an elastic element, or of a contact, teeth or a belt
// that holds.
template <class Real>
bool is_spring(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index s) {
  if (!(state.compliance[s] > 0.0 && state.held_rate[s] > 0.0)) return false;
  return layout.element(layout.deformation_element[s], ELASTIC) != 0 || holds(layout, work, state, s);
}

// Note an error of a force, larger than before, that is to be told beside what is in the column `beside`.
template <class Real>
void note_swing(Reals<Real> course, Index beside, Real lost, Real square_of_w, double t) {
  if (!(course[SWING_LOST] > NOTED_PART * course[beside])) course[SWING_SINCE] = t;
  course[SWING_LOST] = lost;
  course[SWING_RATE] = square_of_w;
  course[SWING_TIME] = t;
}

// Add what the step of size h to t, behind one of size `before`, loses of the vibration of deformation s.
template <class Real>
void follow_swing(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state, Index s, double t, double h,
                  double before, double error_constant) {
  const auto course = state.swings[s];
  const Real force = work.element_force[s], last = course[SWING_FORCE], slope = (force - last) / h;
  const Real curve = 2.0 * (slope - course[SWING_SLOPE]) / (h + before);
  const Real square_of_w = state.held_rate[s], turn = h * std::sqrt(square_of_w);
  const Real swing = -curve * (1.0 + 0.25 * square_of_w * h * before) / square_of_w;
  const Real change = swing - course[SWING_NOW];
  course[SWING_SLOPE] = slope;
  course[SWING_NOW] = swing;
  course[SWING_SQUARES] = FORGETS_SWING * course[SWING_SQUARES] + square(swing);
  course[SWING_CHANGES] = FORGETS_SWING * course[SWING_CHANGES] + square(change);
  course[SWING_TOP] = larger<Real>(course[SWING_TOP], std::abs(force));
  if (turn < LEAST_TURN || !(course[SWING_SQUARES] > 0.0)) return;
  // (2 sin(turn / 2))^2, which is below four, is what the changes have of the deviations
  const Real sine = 0.25 * course[SWING_CHANGES] / course[SWING_SQUARES];
  const Real turned = sine < 1.0 ? smaller<Real>(turn, 2.0 * std::sqrt(sine / (1.0 - sine))) : turn;
  // damping ends the vibration, and with it the error of its phase
  const Real kept = course[SWING_PHASE] * std::exp(-0.5 * course[SWING_DAMPING] * turned * turned / h);
  course[SWING_PHASE] = smaller<Real>(1.0, kept + error_constant * turned * turned * turned);
  const Real amplitude = std::sqrt(2.0 * (1.0 - FORGETS_SWING) * course[SWING_SQUARES]);
  const Real lost = course[SWING_PHASE] * amplitude;
  if (!(lost > course[SWING_LOST])) return;
  const bool contact = may_hold(layout, s);
  if (contact) course[SWING_LEVEL] = std::abs(last - swing);
  note_swing<Real>(course, contact ? SWING_LEVEL : SWING_TOP, lost, square_of_w, t);
}

// Follow the forces of all springs, and count how often others set in, at the end of a step of size h to t.
template <class Real>
void follow_swings(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state, double t, double h,
                   double error_constant) {
  for (Index s = 0; s < state.compliance.size(); ++s) {
    const auto course = state.swings[s];
    if (course[SWING_STEPS] >= 2.0 && is_spring(layout, work, state, s)) {
      follow_swing(layout, work, state, s, t, h, state.earlier, error_constant);
    } else if (is_spring(layout, work, state, s)) {
      course[SWING_SLOPE] = course[SWING_STEPS] > 0.0 ? (work.element_force[s] - course[SWING_FORCE]) / h : 0.0;
      course[SWING_STEPS] += 1.0;
    } else {
      for (Index i = 0; i <= SWING_PHASE; ++i) course[i] = 0.0;
    }
    const bool elastic = layout.element(layout.deformation_element[s], ELASTIC) != 0;
    if (!elastic && course[SWING_FORCE] == 0.0 && work.element_force[s] != 0.0) course[SWING_BLOWS] += 1.0;
    course[SWING_FORCE] = work.element_force[s];
  }
}

}  // namespace flexbody
