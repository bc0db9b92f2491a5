// Going on after a jump of the loads: the generalized-alpha method's history is made consistent with them.
#include "../dynamics/accelerations.hpp"
#include "../dynamics/equations.hpp"
#include "../forces/law_states.hpp"
#include "../forces/reaction_friction.hpp"
#include "alpha.hpp"
#include "alpha_motion.hpp"
#include "softened_start.hpp"
#include "step_error.hpp"
#include "work_in_step.hpp"

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

// x (n,) = m S^-1 M x, `passes` times, with the factors of S; as in vibrations.hpp, for the method's unknowns.
template <class Real>
static void filter_own(const Layout& layout, Work<Real>& work, const AlphaState<Real>& state, double mass, int passes,
                       Reals<Real> x) {
  Buffer<Real> of_bodies(state.body_v.size());
  spread(layout, work, state, x, of_bodies.view());
  for (int pass = 0; pass < passes; ++pass) filter(layout, work, mass, of_bodies.view());
  x.fill(0.0);
  add_own(layout, work, state, of_bodies.view(), x);
}

// Begin a step of size h with these accelerations and their rate; the method's variable a belongs to `ahead` h later.
template <class Real>
static void begin_with(AlphaState<Real>& state, Reals<Real> vdot, Reals<Real> jerk, double h, double ahead) {
  for (Index i = 0; i < state.v.size(); ++i) {
    state.vdot[i] = state.mean[i] = vdot[i];
    state.jerk[i] = jerk[i];
    state.a[i] = vdot[i] + ahead * h * jerk[i];
    state.slope[i] = 0.5 * jerk[i];
    state.curve[i] = 0.0;
  }
  state.last = h;
}

// The jump of the accelerations and of their rate, with what a step of size h can follow of it: 2 F - F^2 and 3 F^2 -
// 2 F^3 of them.
template <class Real>
static void filter_jump(const Layout& layout, Work<Real>& work, const AlphaState<Real>& state, double mass,
                        Reals<Real> vdot, Reals<Real> jerk) {
  const auto before = state.before_jump, behind = state.behind_jump;
  Buffer<Real> more(vdot.size());
  for (Index i = 0; i < vdot.size(); ++i) {
    vdot[i] = behind(0, i) - before(0, i);
    jerk[i] = behind(1, i) - before(1, i);
  }
  filter_own(layout, work, state, mass, 1, vdot);
  more.copy(vdot);
  filter_own(layout, work, state, mass, 1, more.view());
  for (Index i = 0; i < vdot.size(); ++i) vdot[i] += before(0, i) + vdot[i] - more[i];
  filter_own(layout, work, state, mass, 2, jerk);
  more.copy(jerk);
  filter_own(layout, work, state, mass, 1, more.view());
  for (Index i = 0; i < vdot.size(); ++i) jerk[i] = before(1, i) + 3.0 * jerk[i] - 2.0 * more[i];
}

template <class Real>
void soften_jump(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                 const AlphaSettings& settings) {
  if (state.jumped == NO_JUMP) return;
  const bool begins = state.jumped == JUST_BEGUN;
  if (begins && !may_vibrate(layout)) return;
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  const Index n = state.v.size();
  Buffer<Real> vdot(n), jerk(n), second(begins ? work.deformation.size() : 0), third(second.size());
  if (begins) rates_of_rates(layout, work, state, trial, h, second.view(), third.view());
  if (state.law_state.size() > 0) expect_states(work, state, h, settings.alpha_f);
  trial.increment.fill(0.0);
  trial.v.copy(state.v);
  trial.vdot.copy(state.behind_jump[0]);
  move_position(layout, state, trial, state.t);
  if (is_relative(state)) move_bodies(layout, work, state, trial);
  place(layout, work, state.t, trial.c, trial.q, trial.alpha);
  drift(layout, work, trial.alpha, trial.body_v);
  residual(layout, work, state.t, trial.alpha, trial.body_v, trial.body_vdot, state.multipliers);
  if (!factorise_filter(layout, work, state, h, 1.0, settings)) return;
  if (begins) {
    vdot.view().copy(state.behind_jump[0]);
    jerk.view().copy(state.behind_jump[1]);
    soften(layout, work, state, h, settings, {0.0, 1.0}, second.view(), vdot.view());
    soften(layout, work, state, h, settings, {0.0, 3.0, -2.0}, third.view(), jerk.view());
  } else {
    filter_jump(layout, work, state, mass, vdot.view(), jerk.view());
  }
  begin_with(state, vdot.view(), jerk.view(), h, settings.alpha_m - settings.alpha_f);
}

template <class Real>
bool restart(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
             const AlphaSettings& settings) {
  const double h = state.wanted, d = 1e-4 * h;
  const Index nv = state.v.size(), nz = state.law_state.size();
  if (state.jumped == NO_JUMP) {
    state.before_jump[0].copy(state.vdot);
    state.before_jump[1].copy(state.jerk);
  }
  work.law_mode = GIVEN;
  shift_trial(layout, work, state, trial, 0.0);
  if (!accelerate(layout, work, state, trial, state.t)) return false;
  if (any_friction(work))  // with the reactions behind the jump
    residual(layout, work, state.t, trial.alpha, trial.body_v, trial.body_vdot, trial.multipliers);
  keep_powers(work, state);
  for (Index i = 0; i < nz; ++i) state.law_rate[i] = work.law_rate[i];
  state.vdot.copy(trial.vdot);
  state.body_v.copy(trial.body_v);
  state.body_vdot.copy(trial.body_vdot);
  state.multipliers.copy(trial.multipliers);
  shift_trial(layout, work, state, trial, d);
  if (!accelerate(layout, work, state, trial, state.t + d)) return false;
  state.behind_jump[0].copy(state.vdot);
  for (Index i = 0; i < nv; ++i) state.behind_jump(1, i) = (trial.vdot[i] - state.vdot[i]) / d;
  begin_with(state, state.behind_jump[0], state.behind_jump[1], h, settings.alpha_m - settings.alpha_f);
  if (state.jumped == NO_JUMP) state.jumped = LOADS_JUMPED;
  const auto law = first_order(settings.alpha_f);
  for (Index i = 0; i < nz; ++i) {
    state.law_slope[i] = (work.law_rate[i] - state.law_rate[i]) / d;
    state.law_variable[i] = state.law_rate[i] + (law.delta_m - law.delta_f) * h * state.law_slope[i];
  }
  for (Index k = 0; k < state.multipliers.size(); ++k) {
    state.multipliers_rate[k] = (trial.multipliers[k] - state.multipliers[k]) / d;
  }
  state.multipliers_curve.fill(0.0);
  state.factored = 0.0;  // the factors are those of the mass matrix now
  state.filtered_step = 0.0;
  state.magnified = 0.0;
  state.tries = 0;
  state.divided_until = 0.0;
  state.before = state.earlier = state.changed = 0.0;
  return true;
}

template void soften_jump<double>(const Layout&, Work<double>&, AlphaState<double>&, AlphaTrial<double>&, double,
                                  const AlphaSettings&);
template bool restart<double>(const Layout&, Work<double>&, AlphaState<double>&, AlphaTrial<double>&,
                              const AlphaSettings&);

}  // namespace flexbody
