// The right-hand side that integrators from outside call, and the state at a step's end.
#include "../../fem/core/export.hpp"
#include "coordinate.hpp"
#include "drive_misses.hpp"
#include "elimination.hpp"
#include "equations.hpp"
#include "explicit.hpp"

namespace flexbody {

// Add to the rates `out` what makes the constraints an invariant that attracts.
//
// To the rates of the index-1 equations are added -pull M^-1 G^T (G M^-1 G^T)^-1 times the residuals of the
// constraints, of positions for the rates of positions and of velocities for those of velocities: nothing where they
// are met, so the motion is not changed; else they decay as exp(-pull t) (U. M. Ascher, H. Chin, S. Reich, Numer.
// Math. 67 (1994) 131, F = M^-1 G^T). So do the Euler parameters' deviations from length one.
template <class Real>
static void attract(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, Reals<Real> y, double pull,
                    Reals<Real> out) {
  const Parts<Real> now(layout, y), rate(layout, out);
  const Index rows = layout.row_kind.size();
  for (Index k = 0; k < work.right.size(); ++k) {
    const bool holds = k < rows && layout.row_kind[k] != VELOCITY;
    work.right[k] = holds ? -pull * work.phi[k] : 0.0;
  }
  solve_rows_only(layout, work, work.right, state.error, state.trial_multipliers);
  row_rates(layout, work, state.miss);
  for (Index k = 0; k < work.right.size(); ++k) work.right[k] = k < rows ? -pull * state.miss[k] : 0.0;
  solve_rows_only(layout, work, work.right, state.error_rate, state.trial_multipliers);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b], at = layout.alpha_at[b];
    const auto& q = now.q;
    const auto& e = state.error;
    const Real longer =
        0.5 * pull * (q(b, 0) * q(b, 0) + q(b, 1) * q(b, 1) + q(b, 2) * q(b, 2) + q(b, 3) * q(b, 3) - 1.0);
    turn_parameters(q, rate.q, b, 0.5 * e[first + 3], 0.5 * e[first + 4], 0.5 * e[first + 5], longer);
    for (Index k = 0; k < 3; ++k) rate.c(b, k) += e[first + k];
    for (Index i = 0; i < layout.body_modes[b]; ++i) rate.alpha[at + i] += e[first + 6 + i];
  }
  for (Index i = 0; i < now.v.size(); ++i) rate.v[i] += state.error_rate[i];
}

// Take y as the state at the end of a step: put it on the constraints, find accelerations and multipliers.
template <class Real>
static Index take_state(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t, Reals<Real> y,
                        Reals<Real> out) {
  state.trial.copy(y);
  normalise(layout, state.trial);
  if (!rates(layout, work, state, t, state.trial, out, state.trial_multipliers)) return NOT_DEFINITE;
  if (!meet_drives(layout, work, *state.misses)) {
    state.bad_row = state.misses->tried;
    return LEAPT;
  }
  measure_turns(layout, work, t - state.t);
  // from here on the angles are expected where the mean of both rates leads
  for (Index k = 0; k < work.turn.shape[0]; ++k) work.turn(k, 2) = 0.5 * (work.turn(k, 2) + work.turn(k, 4));
  project(layout, work, state, state.trial);
  if (!rates(layout, work, state, t, state.trial, state.rate, state.multipliers)) return NOT_DEFINITE;
  state.bad_row = opposite_row(layout, work);
  if (state.bad_row >= 0) return LEAPT;
  state.y.copy(state.trial);
  keep_misses(layout, *state.misses, state.t, t);
  measure_turns(layout, work, t - state.t);
  count_turns(layout, work);
  state.last = t - state.t;
  state.t = t;
  state.counts->steps += 1;
  return DONE;
}

}  // namespace flexbody

using namespace flexbody;

// out = dy/dt with `attract`, or, to `take` a step's end, the new state; DONE, or what is wrong: NOT_DEFINITE where a
// body's mass matrix is not, LEAPT where a drive is missed by more than a quarter of a turn.
FLEXBODY_EXPORT Index flexbody_evaluate(const Layout* layout, Work<double>* work, ExplicitState<double>* state,
                                        double t, double* y, double pull, double* out, Index take) {
  const Reals<double> given{y, {state->y.size()}}, rate{out, {state->y.size()}};
  if (take) return take_state(*layout, *work, *state, t, given, rate);
  if (!rates(*layout, *work, *state, t, given, rate, state->trial_multipliers)) return NOT_DEFINITE;
  attract(*layout, *work, *state, given, pull, rate);
  return DONE;
}
