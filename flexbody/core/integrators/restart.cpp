// Going on after a jump of the loads: the generalized-alpha method's history is made consistent with them.
#include "../dynamics/accelerations.hpp"
#include "../dynamics/equations.hpp"
#include "../forces/law_states.hpp"
#include "alpha.hpp"
#include "alpha_motion.hpp"

namespace flexbody {

// Accelerations vdot and multipliers of the trial's position and velocity, from the second derivatives of the
// constraints, and Work.power, the drives' included; false if a body's mass matrix is not positive definite.
template <class Real>
static bool accelerate(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                       double t) {
  const Index nr = layout.row_kind.size();
  trial.delta.fill(0.0);
  trial.multipliers.fill(0.0);
  if (is_relative(state)) {
    Tree<Real>& tree = *state.tree;
    if (!closed_accelerations(layout, work, tree, t, trial.places, trial.alpha, tree_speeds(tree, trial.v),
                              tree_speeds(tree, trial.vdot), state.compliance, trial.ydelta))
      return false;
    for (Index k = 0; k < nr; ++k) trial.multipliers[k] = trial.ydelta[k];
    return true;
  }
  place(layout, work, t, trial.c, trial.q, trial.alpha);
  move(layout, work, trial.alpha, trial.v);
  residual(layout, work, t, trial.alpha, trial.v, trial.delta, trial.multipliers);
  if (!accelerations(layout, work, t, state.compliance, trial.vdot, trial.ydelta)) return false;
  for (Index k = 0; k < nr; ++k) trial.multipliers[k] = trial.ydelta[k];
  for (Index k = 0; k < nr; ++k) work.power[INPUT] += trial.multipliers[k] * work.phi_t[k];
  return true;
}

// The trial's position, velocity and law states a time dt after the state, along its velocities and accelerations.
template <class Real>
static void shift_trial(const Layout& layout, Work<Real>& work, const AlphaState<Real>& state,
                        AlphaTrial<Real>& trial, double dt) {
  for (Index i = 0; i < state.law_state.size(); ++i) work.law_state[i] = state.law_state[i] + dt * state.law_rate[i];
  for (Index i = 0; i < state.v.size(); ++i) {
    trial.increment[i] = dt * state.v[i];
    trial.v[i] = state.v[i] + dt * state.vdot[i];
  }
  move_position(layout, state, trial, state.t + dt);
}

template <class Real>
bool restart(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
             const AlphaSettings& settings) {
  const double h = state.wanted, d = 1e-4 * h, ahead = (settings.alpha_m - settings.alpha_f) * h;
  const Index nv = state.v.size(), nz = state.law_state.size();
  work.law_mode = GIVEN;
  shift_trial(layout, work, state, trial, 0.0);
  if (!accelerate(layout, work, state, trial, state.t)) return false;
  state.power.copy(work.power);
  for (Index i = 0; i < nz; ++i) state.law_rate[i] = work.law_rate[i];
  state.vdot.copy(trial.vdot);
  state.body_v.copy(trial.body_v);
  state.body_vdot.copy(trial.body_vdot);
  state.multipliers.copy(trial.multipliers);
  shift_trial(layout, work, state, trial, d);
  if (!accelerate(layout, work, state, trial, state.t + d)) return false;
  for (Index i = 0; i < nv; ++i) {
    state.jerk[i] = (trial.vdot[i] - state.vdot[i]) / d;
    state.a[i] = state.vdot[i] + ahead * state.jerk[i];
  }
  const auto law = first_order(settings.alpha_f);
  for (Index i = 0; i < nz; ++i) {
    state.law_slope[i] = (work.law_rate[i] - state.law_rate[i]) / d;
    state.law_variable[i] = state.law_rate[i] + (law.delta_m - law.delta_f) * h * state.law_slope[i];
  }
  for (Index k = 0; k < state.multipliers.size(); ++k) {
    state.multipliers_rate[k] = (trial.multipliers[k] - state.multipliers[k]) / d;
  }
  for (Index i = 0; i < nv; ++i) {
    state.mean[i] = state.vdot[i];
    state.slope[i] = 0.5 * state.jerk[i];
    state.curve[i] = 0.0;
  }
  state.multipliers_curve.fill(0.0);
  state.last = h;
  state.factored = 0.0;  // the factors are those of the mass matrix now
  state.filtered_step = 0.0;
  state.tries = 0;
  state.before = state.earlier = state.changed = 0.0;
  return true;
}

template bool restart<double>(const Layout&, Work<double>&, AlphaState<double>&, AlphaTrial<double>&,
                              const AlphaSettings&);

}  // namespace flexbody
