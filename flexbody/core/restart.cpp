// Going on after a jump of the loads: the generalized-alpha method's history is made consistent with them.
#include "alpha.hpp"
#include "elimination.hpp"
#include "equations.hpp"
#include "friction.hpp"
#include "law_states.hpp"

namespace flexbody {

// Accelerations vdot and multipliers of the trial's position and velocity, from the second derivatives of the
// constraints; Work.power and the power of the drives: returns (dissipated, input).
template <class Real>
struct Powers {
  Real dissipated, given;
};

template <class Real>
static Powers<Real> accelerate(const Layout& layout, Work<Real>& work, AlphaState<Real>& state,
                               AlphaTrial<Real>& trial, double t) {
  const Index nr = layout.row_kind.size(), nv = trial.v.size();
  trial.delta.fill(0.0);
  trial.multipliers.fill(0.0);
  place(layout, work, t, trial.c, trial.q, trial.alpha);
  move(layout, work, trial.alpha, trial.v);
  residual(layout, work, t, trial.alpha, trial.v, trial.delta, trial.multipliers);
  biases(layout, work, t, work.right);
  matrices(layout, work, 1.0, 0.0, 0.0, state.compliance);
  blocks(layout, work);
  factorise(layout, work, state.compliance);
  for (Index k = 0; k < work.right.size(); ++k) work.right[k] = k < nr ? -work.right[k] : 0.0;
  for (Index i = 0; i < nv; ++i) trial.vdot[i] = -work.residual[i];
  solve(layout, work, work.right, trial.vdot, trial.ydelta);
  for (Index k = 0; k < nr; ++k) trial.multipliers[k] = trial.ydelta[k];
  if (any_friction(work)) {
    respond(layout, work);
    settle(layout, work, trial.vdot, trial.multipliers);
  }
  Real given = work.power[1];
  for (Index k = 0; k < nr; ++k) given += trial.multipliers[k] * work.phi_t[k];
  return {work.power[0], given};
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
  move_position(layout, state, trial);
}

template <class Real>
void restart(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
             const AlphaSettings& settings) {
  const double h = state.wanted, d = 1e-4 * h, ahead = (settings.alpha_m - settings.alpha_f) * h;
  const Index nv = state.v.size(), nz = state.law_state.size();
  work.law_mode = GIVEN;
  shift_trial(layout, work, state, trial, 0.0);
  const auto now = accelerate(layout, work, state, trial, state.t);
  state.power[0] = now.dissipated;
  state.power[1] = now.given;
  for (Index i = 0; i < nz; ++i) state.law_rate[i] = work.law_rate[i];
  state.vdot.copy(trial.vdot);
  state.multipliers.copy(trial.multipliers);
  shift_trial(layout, work, state, trial, d);
  accelerate(layout, work, state, trial, state.t + d);
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
  state.tries = 0;
  state.before = state.earlier = state.changed = 0.0;
}

template void restart<double>(const Layout&, Work<double>&, AlphaState<double>&, AlphaTrial<double>&,
                              const AlphaSettings&);

}  // namespace flexbody
