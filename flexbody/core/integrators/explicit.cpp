// J. R. Dormand, P. J. Prince, J. Comput. Appl. Math. 6 (1980) 19, as DOP853 in E. Hairer, S. P. Norsett, G. Wanner,
// Solving Ordinary Differential Equations I, II.5. Accelerations follow from the constraints' second derivatives
// (index 1); after each step positions and velocities are projected on the constraints.
#include "explicit.hpp"

#include "../../../fem/core/export.hpp"
#include "../constraints/drive_errors.hpp"
#include "../dynamics/accelerations.hpp"
#include "../dynamics/elimination.hpp"
#include "../dynamics/equations.hpp"
#include "../forces/contact_cloud.hpp"
#include "../forces/contact_points.hpp"
#include "../forces/kept_in_run.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/followed_coordinates.hpp"
#include "../kinematics/rotation.hpp"
#include "../relative/closed_tree.hpp"
#include "explicit_peaks.hpp"
#include "norms.hpp"

namespace flexbody {

// A step stays as long as the last one where it could be this much longer.
constexpr double KEPT = 1.5;
// The longest step times the frequency that is found in it. Vibrations without damping grow in steps above 5.95, by a
// factor of 30 at 8; below the tolerance nothing else would stop them.
constexpr double STABLE = 5.0;
// Largest error of the first step, relative to the motion. Above it the rates that the step has found are discarded.
constexpr double LARGEST_FIRST_ERROR = 0.01;
// Steps in sequence that are taken though their error is too large, because they can't be shorter. A load that jumps
// needs one or two: its error is the change of the velocity in one of them.
constexpr Index STEPS_AT_JUMP = 4;
// Constraints are about to lose rank where the smallest pivot has fallen by this factor. A pivot is the square of the
// sine of the angle between a row and the others; round-off of accelerations grows as its reciprocal.
constexpr double SINGULAR_LOSS = 1e-9;
// The same where massless bodies, whose speed has no bound there, are about to lose what holds them.
constexpr double MASSLESS_LOSS = 1e-5;

// Constraints that change the speed of a body by more than this part of the fastest one, when a step is put on them,
// belong to another branch of the motion: the step has passed over a singular position, and pivots are below NEARBY
// of the largest. The errors of steps are far smaller, but for speeds that begin at zero; those that move nothing by
// REST of the machine's length in the whole run are left out.
constexpr double THROWN = 0.1, REST = 1e-3, NEARBY = 0.1;

// q. of body b by Koppens (2.47), c. = v, alpha. = v.
template <class Real>
static void position_rates(const Layout& layout, const Parts<Real>& y, const Parts<Real>& rate, Index b) {
  const Index first = layout.v_at[b], at = layout.alpha_at[b];
  const EulerRate<Real> qdot = euler_rate(y.q[b], 0.5 * vector_of(y.v, first + 3));
  for (Index k = 0; k < 4; ++k) rate.q(b, k) = qdot.rate[k];
  for (Index k = 0; k < 3; ++k) rate.c(b, k) = y.v[first + k];
  for (Index i = 0; i < layout.body_modes[b]; ++i) rate.alpha[at + i] = y.v[first + 6 + i];
}

// The equations at a state of the global description.
template <class Real>
static bool global_rates(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t, Reals<Real> y,
                         Reals<Real> out, Reals<Real> multipliers) {
  const Parts<Real> now(layout, y), rate(layout, out);
  place(layout, work, t, now.c, now.q, now.alpha);
  move(layout, work, now.alpha, now.v);
  residual(layout, work, t, now.alpha, now.v, state.no_acceleration, state.no_multipliers);
  const Index before = work.rank;
  if (!accelerations(layout, work, t, state.compliance, rate.v, multipliers)) return false;
  if (before > work.rank) state.counts->rank_losses += 1;
  for (Index b = 0; b < layout.body_mass.size(); ++b) position_rates(layout, now, rate, b);
  return true;
}

// The equations at a state of the relative description.
template <class Real>
static bool tree_rates(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t, Reals<Real> y,
                       Reals<Real> out, Reals<Real> multipliers, Extent extent) {
  Tree<Real>& tree = *state.tree;
  const TreeParts<Real> now(layout, tree, y), rate(layout, tree, out);
  drive_tree(layout, tree, t, now.s, now.u);
  const TreeSpeeds<Real> speeds{now.u, now.modal}, rates{rate.u, rate.modal};
  const Index before = work.rank;
  const bool good =
      is_solved_together(layout, work)
          ? closed_accelerations(layout, work, tree, t, now.s, now.alpha, speeds, rates, state.compliance,
                                 multipliers)
          : tree_accelerations(layout, work, tree, t, now.s, now.alpha, speeds, rates, extent, multipliers);
  if (!good) return false;
  if (before > work.rank) state.counts->rank_losses += 1;
  place_rates(tree, now.s, now.u, rate.s);
  rate.alpha.copy(now.modal);
  return true;
}

template <class Real>
bool rates(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t, Reals<Real> y,
           Reals<Real> out, Reals<Real> multipliers, Extent extent) {
  const Index nr = layout.row_kind.size(), nz = work.law_state.size(), ny = y.size();
  state.counts->iterations += 1;
  state.counts->factorisations += 1;
  if (work.coordinate.size() > 0) expect_revolutions(work, t - state.t);
  for (Index i = 0; i < nz; ++i) work.law_state[i] = y[ny - 2 - nz + i];
  const bool good = is_relative(state) ? tree_rates(layout, work, state, t, y, out, multipliers, extent)
                                       : global_rates(layout, work, state, t, y, out, multipliers);
  if (!good) return false;
  for (Index i = 0; i < nz; ++i) out[ny - 2 - nz + i] = work.law_rate[i];
  out[ny - 2] = work.power[DISSIPATED];
  out[ny - 1] = work.power[INPUT];
  if (is_relative(state)) return true;  // the power of drives is in it
  for (Index k = 0; k < nr; ++k) out[ny - 1] += multipliers[k] * work.phi_t[k];
  return true;
}

template <class Real>
void normalise(const Layout& layout, const ExplicitState<Real>& state, Reals<Real> y) {
  if (is_relative(state)) {
    normalise_tree(*state.tree, y);
    return;
  }
  const auto q = Parts<Real>(layout, y).q;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Real norm = std::sqrt(square(q(b, 0)) + square(q(b, 1)) + square(q(b, 2)) + square(q(b, 3)));
    for (Index k = 0; k < 4; ++k) q(b, k) /= norm;
  }
}

// Work.right = -factor x (nr,).
template <class Real>
static void set_right(const Layout& layout, Work<Real>& work, double factor, Reals<Real> x) {
  const Index rows = layout.row_kind.size();
  for (Index k = 0; k < work.right.size(); ++k) work.right[k] = k < rows ? -factor * x[k] : 0.0;
}

template <class Real>
void constraint_corrections(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double factor) {
  set_right(layout, work, factor, work.phi);
  solve_rows_only(layout, work, work.right, state.error, state.trial_multipliers);
  row_rates(layout, work, state.miss);
  set_right(layout, work, factor, state.miss);
  solve_rows_only(layout, work, work.right, state.error_rate, state.trial_multipliers);
}

template <class Real>
void loop_corrections(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double factor,
                      const TreeSpeeds<Real>& places, const TreeSpeeds<Real>& speeds) {
  Tree<Real>& tree = *state.tree;
  close_loops(layout, work, tree, factor, work.phi, places, state.error, state.trial_multipliers);
  row_rates(layout, work, state.miss);
  close_loops(layout, work, tree, factor, state.miss, speeds, state.error_rate, state.trial_multipliers);
}

// Move a tree onto its loops by one Newton step.
template <class Real>
static void project_tree(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, Reals<Real> y) {
  const TreeParts<Real> now(layout, *state.tree, y);
  const Index nh = now.u.size(), na = now.modal.size();
  Buffer<Real> own(2 * (nh + na));
  const TreeSpeeds<Real> places{own.part(0, nh), own.part(nh, na)};
  const TreeSpeeds<Real> speeds{own.part(nh + na, nh), own.part(2 * nh + na, na)};
  loop_corrections(layout, work, state, 1.0, places, speeds);
  for (Index i = 0; i < nh; ++i) now.u[i] += speeds.u[i];
  for (Index i = 0; i < na; ++i) now.modal[i] += speeds.modal[i];
  displace_tree(*state.tree, places, now.s, now.alpha);
}

// The step's error leaves y off the constraints by the tolerance, so that one Newton step takes it to round-off.
template <class Real>
void project(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, Reals<Real> y) {
  if (is_relative(state) && state.tree->closing.size() == 0) return;  // there are no constraints
  if (is_relative(state)) return project_tree(layout, work, state, y);
  constraint_corrections(layout, work, state, 1.0);
  const Parts<Real> now(layout, y);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b], at = layout.alpha_at[b];
    const auto& e = state.error;
    const EulerRate<Real> turned = euler_rate(now.q[b], 0.5 * vector_of(e, first + 3));
    for (Index k = 0; k < 4; ++k) now.q(b, k) += turned.rate[k];
    for (Index k = 0; k < 3; ++k) now.c(b, k) += e[first + k];
    for (Index i = 0; i < layout.body_modes[b]; ++i) now.alpha[at + i] += e[first + 6 + i];
  }
  for (Index i = 0; i < now.v.size(); ++i) now.v[i] += state.error_rate[i];
  normalise(layout, state, y);
}

// Add factor times a stage to the error of positions, as a generalized displacement, and of velocities.
template <class Real>
static void add_stage(const Layout& layout, ExplicitState<Real>& state, const Parts<Real>& now, Reals<Real> stage,
                      Real factor) {
  const Parts<Real> rate(layout, stage);
  const auto &q = now.q, &e = rate.q;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b], at = layout.alpha_at[b];
    // a change of the Euler parameters as a rotation, Koppens (B.17)
    state.error[first + 3] +=
        2.0 * factor * (-q(b, 1) * e(b, 0) + q(b, 0) * e(b, 1) + q(b, 3) * e(b, 2) - q(b, 2) * e(b, 3));
    state.error[first + 4] +=
        2.0 * factor * (-q(b, 2) * e(b, 0) - q(b, 3) * e(b, 1) + q(b, 0) * e(b, 2) + q(b, 1) * e(b, 3));
    state.error[first + 5] +=
        2.0 * factor * (-q(b, 3) * e(b, 0) + q(b, 2) * e(b, 1) - q(b, 1) * e(b, 2) + q(b, 0) * e(b, 3));
    for (Index k = 0; k < 3; ++k) state.error[first + k] += factor * rate.c(b, k);
    for (Index i = 0; i < layout.body_modes[b]; ++i) state.error[first + 6 + i] += factor * rate.alpha[at + i];
  }
  for (Index i = 0; i < now.v.size(); ++i) state.error_rate[i] += factor * rate.v[i];
}

// The errors of positions and velocities, with all stages by their weights times h.
template <class Real>
static void add_stages(const Layout& layout, const Work<Real>& work, ExplicitState<Real>& state, Table weights,
                       double h) {
  state.error.fill(0.0);
  state.error_rate.fill(0.0);
  if (!is_relative(state)) {
    const Parts<Real> now(layout, state.trial);
    for (Index s = 0; s < weights.size(); ++s)
      if (weights[s] != 0.0) add_stage(layout, state, now, state.stages[s], Real(h * weights[s]));
    return;
  }
  const Tree<Real>& tree = *state.tree;
  Buffer<Real> sum(state.trial.size()), moved(tree.speed_at[tree.body.size()]);
  for (Index s = 0; s < weights.size(); ++s)
    for (Index i = 0; i < sum.size() && weights[s] != 0.0; ++i) sum[i] += h * weights[s] * state.stages(s, i);
  const TreeParts<Real> now(layout, tree, state.trial), error(layout, tree, sum.view());
  place_changes(tree, now.s, error.s, moved.view());
  tree_velocities(layout, work, tree, TreeSpeeds<Real>{moved.view(), error.alpha}, state.error);
  tree_velocities(layout, work, tree, TreeSpeeds<Real>{error.u, error.modal}, state.error_rate);
}

// Largest error of the states of force laws over its tolerance.
template <class Real>
static Real law_error(const ExplicitState<Real>& state, Table weights, double h, double rtol) {
  const Index at = state.trial.size() - 2 - state.law_top.size();
  Real worst = 0.0;
  for (Index i = 0; i < state.law_top.size(); ++i) {
    Real error = 0.0;
    for (Index s = 0; s < weights.size(); ++s) error += h * weights[s] * state.stages(s, at + i);
    Real size =
        larger(larger(state.law_top[i], std::abs(state.trial[at + i])), h * std::abs(state.stages(0, at + i)));
    // a state that begins at zero can't be more exact than positions, which may be off by rtol of a length
    size = larger(size, h * state.law_pace[i]);
    worst = larger(worst, std::abs(error) / (rtol * size + 1e-300));
  }
  return worst;
}

// Largest error of the weighted stages over its tolerance, over bodies, positions and velocities.
//
// An error of velocities that adds up to that of positions over the run is always allowed: speeds that begin at zero,
// or stay near it beside faster bodies, can't be exact to that size.
template <class Real>
static Real error_ratio(const Layout& layout, const Work<Real>& work, ExplicitState<Real>& state, Table weights,
                        double h, double rtol, double pace) {
  add_stages(layout, work, state, weights, h);
  Real worst = law_error(state, weights, h, rtol), fastest = 0.0;
  const Index nb = layout.body_mass.size();
  for (Index b = 0; b < nb; ++b)
    fastest = larger(larger(fastest, state.top(b, TOP_RIGID_SPEED)), state.top(b, TOP_MODAL_SPEED));
  for (Index b = 0; b < nb; ++b) {
    const Real size = larger(layout.body_size[b], 1e-3 * layout.length), deformed = 1e-6 * layout.length;
    const auto moved = body_norms(layout, work, b, state.error);
    worst = larger(larger(worst, moved.rigid / (rtol * size)),
                   moved.modal / (rtol * (state.top(b, TOP_DEFORMATION) + deformed)));
    const auto speed = body_norms(layout, work, b, state.error_rate);
    const Real slow = 1e-6 * fastest + 1e-12 * layout.length / h;
    worst = larger(larger(worst, speed.rigid / (rtol * (state.top(b, TOP_RIGID_SPEED) + slow + pace * size))),
                   speed.modal / (rtol * (state.top(b, TOP_MODAL_SPEED) + slow + pace * deformed)));
  }
  return worst;
}

namespace {

// What sizes of a state are measured by: modal coordinates (na,) and velocities (nv,) of the bodies.
template <class Real>
struct Motion {
  Reals<Real> alpha, v;
};

}  // namespace

// The motion of the trial, whose rates were the last that were computed.
template <class Real>
static Motion<Real> trial_motion(const Layout& layout, const ExplicitState<Real>& state) {
  if (is_relative(state)) return {TreeParts<Real>(layout, *state.tree, state.trial).alpha, state.tree->v};
  const Parts<Real> now(layout, state.trial);
  return {now.alpha, now.v};
}

// The accelerations (nv,) of the trial.
template <class Real>
static Reals<Real> trial_accelerations(const Layout& layout, const ExplicitState<Real>& state) {
  return is_relative(state) ? state.tree->vdot : Parts<Real>(layout, state.stages[12]).v;
}

template <class Real>
void keep_state(ExplicitState<Real>& state) {
  if (!is_relative(state)) return;
  Tree<Real>& tree = *state.tree;
  tree.kept_c.copy(tree.c);
  tree.kept_q.copy(tree.q);
  tree.kept_v.copy(tree.v);
  tree.kept_vdot.copy(tree.vdot);
}

// Keep the largest displacement and speed of each body, and states of laws.
template <class Real>
static void measure(const Layout& layout, const Work<Real>& work, ExplicitState<Real>& state) {
  const Motion<Real> now = trial_motion(layout, state);
  const Index laws = state.trial.size() - 2 - state.law_top.size();
  for (Index i = 0; i < state.law_top.size(); ++i) {
    state.law_top[i] = larger(state.law_top[i], std::abs(state.trial[laws + i]));
  }
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b], at = layout.alpha_at[b];
    for (Index i = 0; i < layout.body_modes[b]; ++i) state.error[first + 6 + i] = now.alpha[at + i];
    const Real deformation = body_norms(layout, work, b, state.error).modal;
    const auto speed = body_norms(layout, work, b, now.v);
    state.top(b, TOP_DEFORMATION) = larger(state.top(b, TOP_DEFORMATION), deformation);
    state.top(b, TOP_RIGID_SPEED) = larger(state.top(b, TOP_RIGID_SPEED), speed.rigid);
    state.top(b, TOP_MODAL_SPEED) = larger(state.top(b, TOP_MODAL_SPEED), speed.modal);
  }
}

// Take back the sizes that a first trial over too long a step has left.
template <class Real>
static void forget(ExplicitState<Real>& state) {
  state.top.fill(0.0);
  const Index first = state.y.size() - 2 - state.law_top.size();
  for (Index i = 0; i < state.law_top.size(); ++i)
    state.law_top[i] = larger(std::abs(state.y[first + i]), state.law_size[i]);
}

// out = y + h sum_s weights_s stages_s.
template <class Real>
static void combine(Reals<Real> y, Array<Real, 2> stages, const double* weights, Index count, double h,
                    Reals<Real> out) {
  for (Index i = 0; i < out.size(); ++i) out[i] = y[i];
  for (Index s = 0; s < count; ++s) {
    if (weights[s] == 0.0) continue;
    const double factor = h * weights[s];
    const auto stage = stages[s];
    for (Index i = 0; i < out.size(); ++i) out[i] += factor * stage[i];
  }
}

// Compute all stages and the new state, at time `end`; false if a mass matrix is not positive definite.
template <class Real>
static bool attempt(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau,
                    double h, double end) {
  const double t = state.t;
  state.stages[0].copy(state.rate);
  for (Index s = 1; s < 12; ++s) {
    combine(state.y, state.stages, &tableau.A(s, 0), s, h, state.trial);
    const double at = t + tableau.C[s] * h;
    if (!rates(layout, work, state, at, state.trial, state.stages[s], state.trial_multipliers, Extent::RATES))
      return false;
    keep_stage_forces(layout, work, state, s);
  }
  combine(state.y, state.stages, tableau.B.data, tableau.B.size(), h, state.trial);
  normalise(layout, state, state.trial);
  if (!rates(layout, work, state, end, state.trial, state.stages[12], state.trial_multipliers, Extent::MOTION))
    return false;
  keep_stage_forces(layout, work, state, 12);
  return true;
}

template <class Real>
Index close(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t) {
  const Motion<Real> now = trial_motion(layout, state);
  Buffer<Real> change(now.v.size());
  change.copy(now.v);
  project(layout, work, state, state.trial);
  if (!rates(layout, work, state, t, state.trial, state.rate, state.multipliers)) return NOT_DEFINITE;
  Real fastest = 0.0, largest = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    fastest = larger(fastest, body_norms(layout, work, b, now.v).rigid);
  for (Index i = 0; i < now.v.size(); ++i) change[i] -= now.v[i];
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    largest = larger(largest, body_norms(layout, work, b, change.view()).rigid);
  const bool thrown = largest > THROWN * fastest + REST * state.pace * layout.length;
  return thrown && work.pivot < NEARBY * state.largest_pivot ? SINGULAR : DONE;
}

// Put the trial on the constraints, with its rates; DRIVE_JUMPED, NOT_DEFINITE or SINGULAR where that can't be.
template <class Real>
static Index settle(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t) {
  const Index jumped = is_relative(state) ? jumped_row(*state.tree) : -1;
  if (is_relative(state) && state.tree->closing.size() == 0) {  // no constraints: the last stage is the state at t
    state.rate.copy(state.stages[12]);
    state.multipliers.copy(state.trial_multipliers);  // (those of open trees wait until the loop ends)
    state.bad_row = jumped;
  } else {
    const Index closed = close(layout, work, state, t);
    if (closed == NOT_DEFINITE) return closed;
    state.bad_row = jumped >= 0 ? jumped : opposite_row(layout, work);
    if (closed == SINGULAR && state.bad_row < 0) return SINGULAR;
  }
  return state.bad_row >= 0 ? DRIVE_JUMPED : DONE;
}

// Put the trial on the constraints and take it over as the state at t; DONE, or why that can't be.
template <class Real>
static Index accept(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t) {
  const Index settled = settle(layout, work, state, t);
  if (settled == DRIVE_JUMPED || settled == SINGULAR)
    rates(layout, work, state, state.t, state.y, state.rate, state.multipliers);
  if (settled != DONE) return settled;
  state.y.copy(state.trial);
  const Index nz = work.law_state.size();
  if (exchange_pairs(layout, work, state.y.part(state.y.size() - 2 - nz, nz), state.counts->without_bristle))
    rates(layout, work, state, t, state.y, state.rate, state.multipliers);
  keep_state(state);
  keep_misses(*state.misses, state.t, t);
  keep_forces(layout, work, t);
  if (work.revolutions.shape[0] > 0) {
    measure_revolutions(layout, work, t - state.t);
    count_revolutions(work);
  }
  state.t = t;
  state.counts->steps += 1;
  return DONE;
}

// The frequency of what moves the last stage away from the new state, rad/s: w^2 = |a - a_12| / |x - x_12|, roots of
// mean squares over mass; 0 where that is far below the round-off of positions, so that the round-off of
// accelerations is no stiffness.
//
// No higher than the highest one, as |M^-1 K x| <= w^2 |x|; near it where steps are too long, because the fastest
// vibration grows most. A measure of stiffness as in DOP853 (Hairer, Norsett, Wanner II.5), but of positions and
// accelerations, whose ratio does not change with the phase.
template <class Real>
static Real frequency_of_stages(const Layout& layout, const Work<Real>& work, ExplicitState<Real>& state,
                                const Tableau& tableau, double h) {
  double weights[13] = {};
  for (Index s = 0; s < 12; ++s) weights[s] = tableau.B[s] - tableau.A(11, s);
  add_stages(layout, work, state, Table{weights, {13}}, h);
  Real moved = 0.0, rated = 0.0, mass = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto x = body_squares(layout, work, b, state.error);
    moved += layout.body_mass[b] * (x.rigid + x.modal);
    mass += layout.body_mass[b];
  }
  for (Index s = 0; s < 13; ++s) weights[s] = 0.0;
  weights[11] = -1.0;
  weights[12] = 1.0;
  add_stages(layout, work, state, Table{weights, {13}}, 1.0);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto a = body_squares(layout, work, b, state.error_rate);
    rated += layout.body_mass[b] * (a.rigid + a.modal);
  }
  return moved > mass * square(0.01 * EPS * layout.length) ? std::sqrt(std::sqrt(rated / moved)) : 0.0;
}

namespace {

// What became of a step that was computed: taken, or to be tried again with another one.
enum class Verdict { GOOD, AGAIN, STUCK };

}  // namespace

// Judge a step of size h by its error, and choose the next one.
template <class Real>
static Verdict judge(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau,
                     double h, double remaining, const ExplicitSettings& settings) {
  const double rtol = settings.rtol, smallest = settings.min_step;
  const Real fifth = error_ratio(layout, work, state, tableau.E5, h, rtol, settings.pace);
  const Real third = error_ratio(layout, work, state, tableau.E3, h, rtol, settings.pace);
  const Real error = fifth * fifth / std::sqrt(fifth * fifth + 0.01 * third * third + 1e-60);
  const Real factor = smaller(4.0, larger(0.25, 0.9 / std::pow(error + 1e-16, 0.125)));
  const bool shorter = 0.8 * h > smallest;  // a step may be chosen that next_step would not keep
  state.wanted = larger(h * factor, smallest);
  if (error <= 1.0) state.smallest = 0;
  if (error > 1.0 && !shorter && !settings.always && h < 0.5 * remaining && ++state.smallest > STEPS_AT_JUMP) {
    state.bad_row = worst_row(work);
    return Verdict::STUCK;
  }
  if (error > 1.0 && shorter) {
    state.counts->rejected += 1;
    state.wanted = larger(h * smaller(factor, 0.8), smallest);
    if (state.counts->steps == 0 && error * rtol > LARGEST_FIRST_ERROR) forget(state);
    return Verdict::AGAIN;
  }
  // (a step is not shortened by more than its error could ask for)
  const double turned = h * double(frequency_of_stages(layout, work, state, tableau, h));
  if (turned > 0.0) state.wanted = smaller(state.wanted, h * larger(0.25, STABLE / turned));
  return Verdict::GOOD;
}

// Whether constraints are about to lose rank at the state, by its smallest pivot beside the largest so far.
template <class Real>
static bool loses_rank(const Layout& layout, const Work<Real>& work, ExplicitState<Real>& state) {
  state.largest_pivot = larger(state.largest_pivot, double(work.pivot));
  return work.pivot < (has_massless(layout) ? MASSLESS_LOSS : SINGULAR_LOSS) * state.largest_pivot;
}

template <class Real>
static Index make_steps(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau,
                        double t_out, const ExplicitSettings& settings, Index max_steps) {
  const double rtol = settings.rtol, smallest = settings.min_step;
  for (Index step = 0; step < max_steps; ++step) {
    const double remaining = t_out - state.t;
    if (remaining <= 0.0) return DONE;
    const double h = step_to_try(state.wanted, settings.max_step, state.last, remaining, rtol, KEPT);
    state.last = h;
    const double end = h > (1.0 - 1e-9) * remaining ? t_out : state.t + h;
    const bool good = attempt(layout, work, state, tableau, h, end);
    const bool finite = std::isfinite(system_norm(layout, work, trial_accelerations(layout, state)));
    if (!good || !finite) {
      state.counts->rejected += 1;
      if (rtol == 0.0 || 0.25 * h < smallest) {
        state.bad_row = worst_row(work);
        return finite ? NOT_DEFINITE : NOT_FINITE;
      }
      state.wanted = 0.25 * h;
      continue;
    }
    if (state.counts->steps == 0) measure(layout, work, state);
    if (rtol > 0.0) {
      const Verdict verdict = judge(layout, work, state, tableau, h, remaining, settings);
      if (verdict == Verdict::STUCK) return STUCK;
      if (verdict == Verdict::AGAIN) continue;
    }
    const bool met = meet_drives(layout, work, *state.misses);
    bool sure = work.revolutions.shape[0] == 0 || measure_revolutions(layout, work, h);
    sure = sure && contacts_are_seen(layout, work, h);
    if (!met || (!sure && rtol > 0.0 && 0.25 * h > smallest)) {
      state.counts->rejected += 1;
      if (!met && (rtol == 0.0 || 0.25 * h < smallest)) {
        state.bad_row = state.misses->tried;
        return DRIVE_JUMPED;
      }
      state.wanted = 0.25 * h;
      continue;
    }
    measure(layout, work, state);
    find_peaks(layout, work, state, tableau, h, end);
    const Index status = accept(layout, work, state, end);
    if (status != DONE) return status;
    if (loses_rank(layout, work, state) && rtol > 0.0 && h < settings.crawl && end < t_out) return SINGULAR;
  }
  return state.t >= t_out ? DONE : PAUSED;
}

template <class Real>
Index advance(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau,
              double t_out, const ExplicitSettings& settings, Index max_steps) {
  const Index before = state.counts->steps;
  const Index status = make_steps(layout, work, state, tableau, t_out, settings, max_steps);
  if (is_relative(state) && !has_more_than_hinges(layout, work, *state.tree) && state.counts->steps > before) {
    rates(layout, work, state, state.t, state.y, state.rate, state.multipliers);
    keep_state(state);
  }
  return status;
}

template bool rates<double>(const Layout&, Work<double>&, ExplicitState<double>&, double, Reals<double>,
                            Reals<double>, Reals<double>, Extent);
template void normalise<double>(const Layout&, const ExplicitState<double>&, Reals<double>);
template void keep_state<double>(ExplicitState<double>&);
template void constraint_corrections<double>(const Layout&, Work<double>&, ExplicitState<double>&, double);
template void loop_corrections<double>(const Layout&, Work<double>&, ExplicitState<double>&, double,
                                       const TreeSpeeds<double>&, const TreeSpeeds<double>&);
template Index close<double>(const Layout&, Work<double>&, ExplicitState<double>&, double);
template void project<double>(const Layout&, Work<double>&, ExplicitState<double>&, Reals<double>);
template Index advance<double>(const Layout&, Work<double>&, ExplicitState<double>&, const Tableau&, double,
                               const ExplicitSettings&, Index);

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT Index flexbody_rates(const Layout* layout, Work<double>* work, ExplicitState<double>* state, double t,
                                     double* y, double* out, double* multipliers, Index complete) {
  const Index ny = state->y.size(), m = layout->elimination.size();
  return rates<double>(*layout, *work, *state, t, {y, {ny}}, {out, {ny}}, {multipliers, {m}},
                       complete ? Extent::REACTIONS : Extent::RATES);
}

// Take the bodies' motion at the state for what `flexbody_rates` found last: at the start of a run.
FLEXBODY_EXPORT void flexbody_keep_state(ExplicitState<double>* state) {
  keep_state(*state);
}

// Advance, after a restart if asked for, and read the joint coordinates that are followed.
FLEXBODY_EXPORT Index flexbody_step_explicit(const Layout* layout, Work<double>* work, ExplicitState<double>* state,
                                             const Tableau* tableau, double t_out, const ExplicitSettings* settings,
                                             Index max_steps, Index restart, Tracked<double>* tracked) {
  if (restart) {
    if (!rates(*layout, *work, *state, state->t, state->y, state->rate, state->multipliers)) return NOT_DEFINITE;
    keep_state(*state);
  }
  const Index status = advance(*layout, *work, *state, *tableau, t_out, *settings, max_steps);
  if (status == DONE && tracked->value.size() > 0) {
    if (is_relative(*state)) {
      Tree<double>& tree = *state->tree;
      const TreeParts<double> now(*layout, tree, state->y);
      track(*layout, *work, tree.kept_c, tree.kept_q, now.alpha, tree.kept_v, *tracked);
    } else {
      const Parts<double> now(*layout, state->y);
      track(*layout, *work, now.c, now.q, now.alpha, now.v, *tracked);
    }
  }
  return status;
}
