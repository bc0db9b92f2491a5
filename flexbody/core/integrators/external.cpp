// The right-hand side that integrators from outside call, and the state at a step's end.
#include "../../../fem/core/export.hpp"
#include "../constraints/drive_errors.hpp"
#include "../dynamics/equations.hpp"
#include "../forces/contact_cloud.hpp"
#include "../forces/kept_in_run.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/rotation.hpp"
#include "../relative/closed_tree.hpp"
#include "explicit.hpp"

namespace flexbody {

// What errors of the constraints change: positions' errors the rates of positions (1/s) and of speeds (1/s2), speeds'
// errors the rates of speeds (1/s); and at which rate the Euler parameters return to length one (1/s).
struct Feedback {
  double drift, stiffness, damping, length;
};

// As `feed_back` for a tree: Euler parameters of ball and free joints, and its loops.
template <class Real>
static void feed_back_tree(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, Reals<Real> y,
                           const Feedback& gain, Reals<Real> out) {
  const Tree<Real>& tree = *state.tree;
  const TreeParts<Real> now(layout, tree, y), rate(layout, tree, out);
  for (Index k = 0; k < tree.body.size(); ++k) {
    if (!tree.ball[k]) continue;
    const Index at = tree.place_at[k + 1] - 4;
    const Reals<Real> q = now.s.part(at, 4);
    const Real longer = 0.5 * gain.length * (square(q[0]) + square(q[1]) + square(q[2]) + square(q[3]) - 1.0);
    for (Index l = 0; l < 4; ++l) rate.s[at + l] -= longer * q[l];
  }
  if (tree.closing.size() == 0) return;
  const Index nh = now.u.size(), na = now.modal.size();
  Buffer<Real> own(2 * (nh + na)), change(now.s.size());
  const TreeSpeeds<Real> places{own.part(0, nh), own.part(nh, na)};
  const TreeSpeeds<Real> speeds{own.part(nh + na, nh), own.part(2 * nh + na, na)};
  loop_corrections(layout, work, state, 1.0, places, speeds);
  place_rates(tree, now.s, places.u, change.view());
  for (Index i = 0; i < change.size(); ++i) rate.s[i] += gain.drift * change[i];
  for (Index i = 0; i < nh; ++i) rate.u[i] += gain.stiffness * places.u[i] + gain.damping * speeds.u[i];
  for (Index i = 0; i < na; ++i) {
    rate.alpha[i] += gain.drift * places.modal[i];
    rate.modal[i] += gain.stiffness * places.modal[i] + gain.damping * speeds.modal[i];
  }
}

// Add to the rates `out` what errors of the constraints feed back: nothing where the constraints are met.
//
// With e = -M^-1 G^T (G M^-1 G^T)^-1 Phi, and e. the same of Phi., the rates of positions receive drift e, and those
// of velocities stiffness e + damping e. . Drift and damping of one value a: errors of the index-1 equations decay as
// exp(-a t) (U. M. Ascher, H. Chin, S. Reich, Numer. Math. 67 (1994) 131, F = M^-1 G^T). Stiffness beta^2 and damping
// 2 alpha: the accelerations then fulfil Phi.. + 2 alpha Phi. + beta^2 Phi = 0 (Baumgarte, Comput. Methods Appl.
// Mech. Eng. 1 (1972) 1; Koppens (4.24)), with the multipliers that this needs, as G e = -Phi.
template <class Real>
static void feed_back(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, Reals<Real> y,
                      const Feedback& gain, Reals<Real> out) {
  if (is_relative(state)) return feed_back_tree(layout, work, state, y, gain, out);
  constraint_corrections(layout, work, state, 1.0);
  const Parts<Real> now(layout, y), rate(layout, out);
  const auto &e = state.error, &e_rate = state.error_rate;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b], at = layout.alpha_at[b];
    const auto& q = now.q;
    const Real longer =
        0.5 * gain.length * (q(b, 0) * q(b, 0) + q(b, 1) * q(b, 1) + q(b, 2) * q(b, 2) + q(b, 3) * q(b, 3) - 1.0);
    const EulerRate<Real> turned = euler_rate(q[b], 0.5 * gain.drift * vector_of(e, first + 3));
    for (Index k = 0; k < 4; ++k) rate.q(b, k) += turned.rate[k] - longer * q(b, k);
    for (Index k = 0; k < 3; ++k) rate.c(b, k) += gain.drift * e[first + k];
    for (Index i = 0; i < layout.body_modes[b]; ++i) rate.alpha[at + i] += gain.drift * e[first + 6 + i];
  }
  for (Index i = 0; i < now.v.size(); ++i) rate.v[i] += gain.stiffness * e[i] + gain.damping * e_rate[i];
}

// Take y as the state at the end of a step, put on the constraints if `closed`; find accelerations and multipliers.
template <class Real>
static Index take_state(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t, Reals<Real> y,
                        bool closed) {
  state.trial.copy(y);
  normalise(layout, state, state.trial);
  if (!rates(layout, work, state, t, state.trial, state.stages[0], state.trial_multipliers)) return NOT_DEFINITE;
  if (!meet_drives(layout, work, *state.misses)) {
    state.bad_row = state.misses->tried;
    return DRIVE_JUMPED;
  }
  measure_revolutions(layout, work, t - state.t);
  // from here on the angles are expected where the mean of both rates leads
  for (Index k = 0; k < work.revolutions.shape[0]; ++k)
    work.revolutions(k, LAST_RATE) = 0.5 * (work.revolutions(k, LAST_RATE) + work.revolutions(k, NEXT_RATE));
  const Index jumped = is_relative(state) ? jumped_row(*state.tree) : -1;
  Index found = DONE;
  if (closed)
    found = close(layout, work, state, t);
  else if (!rates(layout, work, state, t, state.trial, state.rate, state.multipliers))
    found = NOT_DEFINITE;
  if (found == NOT_DEFINITE) return found;
  state.bad_row = jumped >= 0 ? jumped : opposite_row(layout, work);
  if (state.bad_row >= 0) return DRIVE_JUMPED;
  if (found == SINGULAR) {
    rates(layout, work, state, state.t, state.y, state.rate, state.multipliers);
    return found;
  }
  state.y.copy(state.trial);
  const Index nz = work.law_state.size();
  if (exchange_pairs(layout, work, state.y.part(state.y.size() - 2 - nz, nz), state.counts->without_bristle))
    rates(layout, work, state, t, state.y, state.rate, state.multipliers);
  keep_state(state);
  keep_misses(*state.misses, state.t, t);
  keep_forces(layout, work, t);
  measure_revolutions(layout, work, t - state.t);
  count_revolutions(work);
  state.last = t - state.t;
  state.t = t;
  state.counts->steps += 1;
  return DONE;
}

// out (nr, n) = the derivative of Phi. by each of the n speeds of a state vector, and miss (nr,) = Phi. ; zero for
// the driven speeds of a tree. Needs `rates`.
template <class Real>
static void speed_rows(const Layout& layout, Work<Real>& work, const ExplicitState<Real>& state,
                       const Array<Real, 2>& out, Reals<Real> miss) {
  const Tree<Real>& tree = *state.tree;
  const bool relative = is_relative(state);
  const Index nr = layout.row_kind.size(), n = out.shape[1], nh = relative ? tree.speed_at[tree.body.size()] : 0;
  Buffer<Real> unit(n), v(layout.v_at[layout.body_mass.size()]), rate(nr);
  row_rates(layout, work, miss);
  blocks(layout, work);
  for (Index j = 0; j < n; ++j) {
    unit[j] = j >= nh || tree.driven(j, DRIVEN_BY) < 0 ? 1.0 : 0.0;
    if (relative) {
      tree_velocities(layout, work, tree, TreeSpeeds<Real>{unit.part(0, nh), unit.part(nh, n - nh)}, v.view());
    } else {
      v.copy(unit);
    }
    unit[j] = 0.0;
    row_products(layout, work, v.view(), rate.view());
    for (Index k = 0; k < nr; ++k) out(k, j) = rate[k];
  }
}

}  // namespace flexbody

using namespace flexbody;

// out (nr, n), miss (nr,), for the n speeds of a state vector.
FLEXBODY_EXPORT void flexbody_speed_rows(const Layout* layout, Work<double>* work, ExplicitState<double>* state,
                                         Index n, double* out, double* miss) {
  const Index nr = layout->row_kind.size();
  speed_rows<double>(*layout, *work, *state, {out, {nr, n}}, {miss, {nr}});
}

// out (ny,) = dy/dt with `feed_back`, gain (4,) as Feedback; false where a body's mass matrix is not positive
// definite.
FLEXBODY_EXPORT Index flexbody_fed_back_rates(const Layout* layout, Work<double>* work, ExplicitState<double>* state,
                                              double t, double* y, const double* gain, double* out) {
  const Reals<double> now = state->trial, rate{out, {state->y.size()}};
  now.copy(Reals<double>{y, {state->y.size()}});  // drives of a tree write to it
  if (!rates(*layout, *work, *state, t, now, rate, state->trial_multipliers)) return false;
  feed_back(*layout, *work, *state, now, Feedback{gain[0], gain[1], gain[2], gain[3]}, rate);
  return true;
}

// y (ny,), put on the constraints if `closed`. DONE, or what is wrong: NOT_DEFINITE where a body's mass matrix is
// not, DRIVE_JUMPED where a drive is missed by more than a quarter of a turn.
FLEXBODY_EXPORT Index flexbody_take_state(const Layout* layout, Work<double>* work, ExplicitState<double>* state,
                                          double t, double* y, Index closed) {
  return take_state<double>(*layout, *work, *state, t, {y, {state->y.size()}}, closed);
}
