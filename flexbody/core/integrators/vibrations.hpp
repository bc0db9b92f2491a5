// The error of a step beside that of vibrations which are too small to matter.
//
// A step of size h can't follow a vibration of frequency w once h w > 1, and its local error, e = C h^2 times the
// change of the accelerations, then grows as h^2, although no more than the amplitude can be lost. Filters tell them
// apart:
//
//     e1 = m S^-1 M e    S = m M + gamma h D + beta h^2 K, the iteration matrix: of a vibration its amplitude is left
//     e2 = F^-3 e        F = 1 + (beta h^2 / m) k M^-1 K with a large k: what no stiffness holds, the smooth motion,
//                        and slow vibrations
//
// (both with the constraints). Errors of the smooth motion add up from step to step, and e2 is judged as ever; those
// of vibrations do not, and e1 is compared with the motion of the machine and with the deformation that occur.
//
// Neither sees a vibration of h w between 0.1 and 1 that loses little in each step and all of it in the run: e2 falls
// there, and steps pass its top where the jerk is zero. `lost_in_run` adds up the losses of all steps, those of
// deformations only where it costs little to keep them: `lost_of_body`.
//
// Beside a motion that is large compared with all deformations, what a vibration does to the phase until the end of
// the run is enough: C (h w)^3 rad in a step, see `followed_error`. Deformations that vibrate a few times in the run
// are kept from being lost by F with a small k, see `lost_in_step`.
//
// The force of an element that strikes is a load in the filters: they leave its stiffness out. What it changes lasts
// as far as no other stiffness holds it, and meets the usual tolerance.
//
// What constraints put right in the same step, as the turning of a driven shaft, does not add up: see `guided_error`.
//
// Filtered errors of stiff systems: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Springer 1996,
// IV.8.
#pragma once
#include "../data/alpha_state.hpp"
#include "../dynamics/elimination.hpp"
#include "../dynamics/equations.hpp"
#include "../kinematics/body.hpp"
#include "../laws/law.hpp"
#include "norms.hpp"

namespace flexbody {

// The factor k of the stiffness in e2 is this over rtol. A vibration of frequency w that is the main motion meets the
// tolerance where (h w)^2 is about 12 rtol; there e2 is 0.97 e (rho_inf = 0.8). With longer steps e2 grows to twelve
// times what is allowed and falls again: a vibration whose speed is below a twelfth of what its body is judged by
// never limits the step by e2.
constexpr double STIFFENED = 0.004;
// Of a deformation a step may lose this part of what it may lose of rigid vibrations: deformations are read as
// results.
constexpr double MODAL_PART = 0.1;
// Deformations below this part of the travel of the machine so far, or LEAST_OF_WAY of its whole way, need not be
// exact relative to themselves.
constexpr double DEFORMATION = 0.02;
// Deformations below this part of the travel of the machine are small beside its motion. Then
constexpr double NEARLY_RIGID = 0.1;
// - the error of the phase of a vibration that is followed may add up to this factor times `AlphaSettings.vibrations`
//   (0.04 rad by default), at most to the largest, until the end of the run;
constexpr double PHASE = 80.0, LARGEST_PHASE = 0.1;
// - of vibrations with more periods than the first number in the run a step may lose the second times the part of the
//   largest deformation that it may lose of rigid vibrations of the travel.
constexpr double MANY_PERIODS = 100.0, OF_MANY = 1.5;
// Until the end of the run a vibration may be off by this factor times `AlphaSettings.vibrations` of the travel of
// the machine (5e-3 by default).
constexpr double WHOLE_RUN = 10.0;
// Until the end of the run the deformation of a body may be off by the first factor times `AlphaSettings.vibrations`
// of the largest deformation of all bodies (0.08 by default). That deformation counts as at least the second number
// of the way of the machine.
constexpr double LOST_DEFORMATION = 160.0, LEAST_OF_WAY = 1e-6;
// Steps keep to this only if the run takes no more than the first number of them: about three times what it takes
// anyway. They begin to do so if it takes less than the second part of that number. The number is estimated from the
// jerk; from one estimate to the next its square fades by the third, so that a moment without jerk does not count.
constexpr double MOST_STEPS = 5600.0, BEGINS_TO_FOLLOW = 0.7, HELD_ON = 0.6;
// Errors below this part of what they may be don't limit the step.
constexpr double LIMITS = 0.3;
// A contact holds if it has been closed for so many periods of its own vibration, and its force has not fallen below
// this part, or risen above one over it.
constexpr double HELD_PERIODS = 1.0, LEAST_HELD = 0.2;
// A change of a function of time below this part of its range in the run is none.
constexpr double LEAST_CHANGE = 1e-4;
// The factor of the stiffness with which all that is held by one is as good as rigid.
constexpr double RIGID = 1e7;

// Work.right = G x for the constraint rows, 0 for the elements; of the latest `blocks`.
template <class Real>
void rows_times(const Layout& layout, Work<Real>& work, Reals<Real> x) {
  work.right.fill(0.0);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b], first = layout.v_at[b];
    Index at = layout.body_block_at[b];
    for (Index r = layout.body_row_at[b]; r < layout.body_row_at[b + 1]; ++r, at += n) {
      const Index k = layout.elimination[layout.body_row[r]];
      if (k >= layout.row_kind.size()) continue;
      for (Index i = 0; i < n; ++i) work.right[k] += work.G[at + i] * x[first + i];
    }
  }
}

// x = m S^-1 M x with G x = Work.right, S the matrix that was factorised with the mass matrix times m.
template <class Real>
void filter_to(const Layout& layout, Work<Real>& work, double m, Reals<Real> x) {
  Buffer<Real> given(x.size());
  for (Index i = 0; i < x.size(); ++i) given[i] = m * x[i];
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    body_momentum(layout, work, b, given.data + layout.v_at[b], x.data + layout.v_at[b]);
  solve(layout, work, work.right, x, work.unused);
}

// x = m S^-1 M x with G x unchanged.
//
// Without stiffness x stays as it is, whatever the constraints. What constraints will move back counts too: it is how
// the motion of the machine excites what vibrates in it.
template <class Real>
void filter(const Layout& layout, Work<Real>& work, double m, Reals<Real> x) {
  rows_times(layout, work, x);
  filter_to(layout, work, m, x);
}

// Whether deformation s is that of a contact, of teeth or of a belt.
inline bool may_hold(const Layout& layout, Index s) {
  const Index geometry = layout.element(layout.deformation_element[s], GEOMETRY);
  return geometry == CONTACT || geometry == TANGENTS;
}

// Whether a force element is a contact, or teeth or a belt, which holds: it has been closed for HELD_PERIODS of its
// own vibration, and its force has hardly changed. Then it is a spring. A blow lasts for half a period.
template <class Real>
bool holds(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index s) {
  if (!may_hold(layout, s)) return false;
  const Real part = work.element_force[s] / state.held_force[s];  // (infinite or NaN where it did not act)
  if (!(state.compliance[s] > 0.0 && part > LEAST_HELD && part < 1.0 / LEAST_HELD)) return false;
  return (state.t - state.held_since[s]) * std::sqrt(state.held_rate[s]) > 2.0 * PI * HELD_PERIODS;
}

// Note since when the force of each element has hardly changed, at the end of a step to t.
template <class Real>
void note_held(const Work<Real>& work, AlphaState<Real>& state, double t) {
  for (Index s = 0; s < state.held_force.size(); ++s) {
    const Real part = work.element_force[s] / state.held_force[s];
    if (part > LEAST_HELD && part < 1.0 / LEAST_HELD) continue;
    state.held_force[s] = work.element_force[s];
    state.held_since[s] = t;
  }
}

// Whether an element acts and is no spring. A force that sets in or jumps gives a blow: that is no vibration, and
// what it changes lasts. Compliance of the latest `matrices`, forces of the latest `residual`: a stop may be met or
// left between them.
template <class Real>
bool strikes(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index s) {
  if (layout.element(layout.deformation_element[s], ELASTIC) != 0) return false;
  const bool acts = state.compliance[s] > 0.0 || work.element_force[s] != 0.0 || state.held_force[s] != 0.0;
  return acts && !holds(layout, work, state, s);
}

// Count a step in which elements strike, and whether it is one.
template <class Real>
void count_strikes(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state) {
  Index some = 0;
  for (Index s = 0; s < state.compliance.size(); ++s) {
    if (!strikes(layout, work, state, s)) continue;
    state.struck[s] += 1.0;
    some = 1;
  }
  state.counts->striking += some;
}

// Whether there are flexible bodies or elastic elements that act and do not strike.
template <class Real>
bool may_vibrate(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state) {
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    if (layout.body_modes[b] > 0) return true;
  for (Index s = 0; s < state.compliance.size(); ++s)
    if (state.compliance[s] > 0.0 && !strikes(layout, work, state, s)) return true;
  return false;
}

// The elements that strike.
struct Blow {
  Index elements;  // their number
  double steps;    // how many steps the shortest blow takes that an oscillator of their stiffness and mass gives
};

// The blow of all elements that strike, in steps of size h; no steps where its length is not known.
template <class Real>
Blow blow_of(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, double h) {
  Blow blow{0, INF};
  for (Index s = 0; s < state.compliance.size(); ++s) {
    if (!strikes(layout, work, state, s)) continue;
    const double turned = may_hold(layout, s) ? h * std::sqrt(double(state.held_rate[s])) : 0.0;
    blow.steps = smaller(blow.steps, turned > 0.0 ? PI / turned : 0.0);
    blow.elements += 1;
  }
  return blow;
}

// Whether a deformation is that of a rotation.
template <class Real>
bool turns_about(const Work<Real>& work, Index k) {
  const auto slope = work.deformation_slope[k];
  const Vector<Real> one = vector_of(slope, 0), two = vector_of(slope, 2);
  return dot(one, one) + dot(two, two) == 0.0;
}

// Whether deformation s is that of teeth or of a belt which hold.
template <class Real>
bool is_held_band(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index s) {
  return layout.element(layout.deformation_element[s], GEOMETRY) == TANGENTS && holds(layout, work, state, s);
}

// Enlarge state.stretch by how far elastic elements have been deformed since the run began (m); rotations count as
// those of the machine's length. Rotations, and the changes of teeth and belts which hold, are kept in state.twist
// too.
template <class Real>
void measure_elements(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state) {
  for (Index k = 0; k < work.deformation.size(); ++k) {
    if (!(state.compliance[k] > 0.0)) continue;
    const Real change = std::abs(work.deformation[k] - state.first_deformation[k]);
    if (is_held_band(layout, work, state, k)) state.twist[k] = larger<Real>(state.twist[k], change);
    if (!layout.element(layout.deformation_element[k], ELASTIC)) continue;
    const bool turns = turns_about(work, k);
    state.stretch = larger<Real>(state.stretch, turns ? change * layout.length : change);
    if (turns) state.twist[k] = larger<Real>(state.twist[k], change);
  }
}

// The largest deformation of a body so far, m.
template <class Real>
Real largest_deformation(const AlphaState<Real>& state) {
  Real largest = 0.0;
  for (Index b = 0; b < state.deformation.size(); ++b) largest = larger<Real>(largest, state.deformation[b]);
  return largest;
}

// The same, or LEAST_OF_WAY of the way of the machine: smaller deformations are not noticed.
template <class Real>
Real noticed_deformation(const AlphaState<Real>& state) {
  return larger<Real>(largest_deformation(state), LEAST_OF_WAY * state.foreseen_travel);
}

// Whether all deformations are small beside the motion of the machine.
template <class Real>
bool is_nearly_rigid(const AlphaState<Real>& state) {
  return larger<Real>(state.stretch, largest_deformation(state)) < NEARLY_RIGID * state.foreseen_travel;
}

// The farthest that a body has moved from where the run began (m), and the largest deformations of bodies and
// elements.
template <class Real>
void measure_motion(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state,
                    const AlphaTrial<Real>& trial) {
  measure_elements(layout, work, state);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    Real distance = 0.0, cosine = 0.0;
    for (Index k = 0; k < 3; ++k) distance += square(trial.c(b, k) - state.first_c(b, k));
    for (Index k = 0; k < 4; ++k) cosine += trial.q(b, k) * state.first_q(b, k);
    // 2 sin of half the angle between both attitudes, times the radius of gyration
    const Real turned = 2.0 * layout.body_size[b] * std::sqrt(larger<Real>(1.0 - cosine * cosine, 0.0));
    state.travel = larger<Real>(state.travel, larger<Real>(std::sqrt(distance), turned));
    state.foreseen_travel = larger<Real>(state.foreseen_travel, state.travel);
    const Index n = layout.body_modes[b];
    if (n == 0) continue;
    const Table C8_of = layout.coefficients.part(layout.coefficient_at(b, C8), n * n);
    Real deformation = 0.0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        deformation += trial.alpha[layout.alpha_at[b] + i] * C8_of[i * n + j] * trial.alpha[layout.alpha_at[b] + j];
    deformation = std::sqrt(std::abs(deformation) / layout.body_mass[b]);
    state.deformation[b] = larger<Real>(state.deformation[b], deformation);
  }
}

// trial.delta (nv,) = the change of the accelerations in the step, a part of it for bodies whose motion is
// prescribed: their positions have no error.
template <class Real>
void acceleration_change(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                         AlphaTrial<Real>& trial) {
  for (Index i = 0; i < trial.own.size(); ++i) trial.own[i] = trial.vdot[i] - state.vdot[i];
  spread(layout, work, state, trial.own, trial.delta);
  if (state.prescribed_part == 1.0) return;
  for (Index b = 0; b < state.prescribed.size(); ++b)
    if (state.prescribed[b] != 0.0)
      for (Index i = layout.v_at[b]; i < layout.v_at[b + 1]; ++i) trial.delta[i] *= state.prescribed_part;
}

// Factorise the iteration matrix at the trial with the stiffness times `stiffened`, for filters, without elements
// that strike; false if a body's matrix is not positive definite. Keeps rank, smallest pivot and least resistance.
template <class Real>
bool factorise_filter(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, double h, double stiffened,
                      const AlphaSettings& settings) {
  const Real pivot = work.pivot, held = work.held;
  const Index rank = work.rank;
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  state.factored = 0.0;
  matrices(layout, work, mass, h * settings.gamma, stiffened * h * h * settings.beta, state.compliance);
  blocks(layout, work);
  for (Index s = 0; s < state.compliance.size(); ++s)
    if (strikes(layout, work, state, s)) state.compliance[s] = -1.0;
  const bool good = factorise(layout, work, state.compliance);
  work.pivot = pivot;
  work.held = held;
  work.rank = rank;
  return good;
}

// By how much the numbers of a law from `first` on change in a step of size h from t.
inline double change_of_law(const IndexRows& laws, Index k, Index first, double t, double h) {
  double before[3], after[3], change = 0.0;
  if (!call_law(laws, k, t, before) || !call_law(laws, k, t + h, after)) return 0.0;
  for (Index i = first; i < 3; ++i) change += std::abs(after[i] - before[i]);
  return change;
}

// Whether a law of `laws` changes more in the step from t than `factor` times what it did in one from `since`, and
// than LEAST_CHANGE of its range in the run, `reach`.
inline bool changes_faster(const IndexRows& laws, Index first, Table reach, double since, double t, double h,
                           double factor) {
  for (Index k = 0; k < laws.shape[0]; ++k) {
    const double change = laws(k, 0) == 0 ? 0.0 : change_of_law(laws, k, first, t, h);
    if (!(change > LEAST_CHANGE * reach[k])) continue;
    if (!(change <= factor * change_of_law(laws, k, first, since, h))) return true;
  }
  return false;
}

// Whether a function of time sets in: a load, an input of a force element, or the acceleration of a drive changes
// more in the step from t than `factor` times what it did in one from `since`. Ringing hides what that does to the
// motion.
template <class Real>
bool sets_in(const Layout& layout, const AlphaState<Real>& state, double since, double t, double h, double factor) {
  return changes_faster(layout.load_law, 0, state.load_reach, since, t, h, factor) ||
         changes_faster(layout.element_input, 0, state.input_reach, since, t, h, factor) ||
         changes_faster(layout.drive_law, 2, state.drive_reach, since, t, h, factor);
}

// The product of step and frequency of the vibrations in a body, sizes before and after one more pass of the filter
// 1 / (1 + stiffness (h w)^2); NaN or 0 where they are not those of vibrations.
template <class Real>
Real turned_in_step(Real before, Real after, double stiffness) {
  return std::sqrt((before / after - 1.0) / stiffness);
}

// Size of the error factor * x over what a step may lose of vibrations: of deformations at least `least` (m).
template <class Real>
Real vibration_error(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x,
                     double factor, double tolerance, Real least) {
  Real worst = 0.0;
  const Real rest = ROUND_OFF_UNITS * EPS * layout.length;
  const Real noticed = larger<Real>(DEFORMATION * state.travel, LEAST_OF_WAY * state.foreseen_travel);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto size = body_norms(layout, work, b, x);
    const Real scale = larger<Real>(state.deformation[b], noticed);
    const Real allowed = larger<Real>(MODAL_PART * tolerance * scale, least);
    worst = larger(worst, factor * size.rigid / (tolerance * state.foreseen_travel + rest));
    worst = larger(worst, factor * size.modal / (allowed + rest));
  }
  return worst;
}

}  // namespace flexbody
