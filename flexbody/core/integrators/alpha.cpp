// The time loop of the generalized-alpha method.
#include "alpha.hpp"

#include "../../../fem/core/export.hpp"
#include "../constraints/drive_errors.hpp"
#include "../dynamics/elimination.hpp"
#include "../dynamics/equations.hpp"
#include "../forces/contact_cloud.hpp"
#include "../forces/contact_points.hpp"
#include "../forces/force_elements.hpp"
#include "../forces/kept_in_run.hpp"
#include "../forces/law_states.hpp"
#include "../forces/networks.hpp"
#include "../forces/reaction_friction.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/followed_coordinates.hpp"
#include "alpha_motion.hpp"
#include "lost_vibrations.hpp"
#include "norms.hpp"
#include "not_followed.hpp"
#include "step_choice.hpp"
#include "step_error.hpp"
#include "tiny_numbers.hpp"
#include "work_in_step.hpp"

namespace flexbody {

// A slower contraction than this calls for a new factorisation: five digits would cost five iterations.
constexpr double EXPECTED_CONTRACTION = 0.1;
// Newton's iteration never leaves more than this of the local error that is allowed. Ten times as much, or trust in
// better contractions than a tenth of the expected one, let closed contacts gain energy (a ball that slides on a
// floor of 3e8 N/m swings by ten times as much after a second), and the balance tell of work that no force has done.
constexpr double REST = 0.005;
// The largest accelerations are forgotten by this factor in a step: a blow long ago is no measure of what occurs now.
constexpr double FORGETS = 0.9;
// A step stays as long as the last one where it could be this much longer.
constexpr double KEPT = 1.1;

// Position, velocity and acceleration that follow from the trial's a:
//
//     (1 - alpha_f) v. + alpha_f v._0 = (1 - alpha_m) a + alpha_m a_0,    v = v_0 + h ((1 - gamma) a_0 + gamma a),
//     increment = h v_0 + h^2 ((1/2 - beta) a_0 + beta a) + p.
template <class Real>
static void set_trial(const Layout& layout, const AlphaState<Real>& state, AlphaTrial<Real>& trial, double t,
                      double h, const AlphaSettings& settings) {
  const double alpha_m = settings.alpha_m, alpha_f = settings.alpha_f, beta = settings.beta, gamma = settings.gamma;
  const double whole = 1.0 / (1.0 - alpha_f);
  const Index n = trial.v.size();
  // (loops of few arrays are vectorised)
  for (Index i = 0; i < n; ++i)
    trial.vdot[i] = whole * ((1.0 - alpha_m) * trial.a[i] + alpha_m * state.a[i] - alpha_f * state.vdot[i]);
  for (Index i = 0; i < n; ++i) trial.v[i] = state.v[i] + h * ((1.0 - gamma) * state.a[i] + gamma * trial.a[i]);
  for (Index i = 0; i < n; ++i)
    trial.increment[i] = h * state.v[i] + h * h * ((0.5 - beta) * state.a[i] + beta * trial.a[i]) + trial.p[i];
  move_position(layout, state, trial, t);
  if (!is_relative(state)) return;
  for (Index d = 0; d < state.tree->drive.shape[0]; ++d) {  // the method's variable is that of the prescribed motion
    const Index m = state.tree->drive(d, 0);
    trial.a[m] = trial.vdot[m] + (alpha_m - alpha_f) * (trial.vdot[m] - state.vdot[m]);
  }
}

// stiffness and damping (nx,) of contacts, teeth, belts and elastic elements.
template <class Real>
static void find_slopes(const Layout& layout, Work<Real>& work, Reals<Real> stiffness, Reals<Real> damping) {
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    const Index at = layout.element(e, AT), m = layout.element(e, COUNT);
    if (m == 0 || in_network(layout, e) || !(may_hold(layout, at) || layout.element(e, ELASTIC) != 0)) continue;
    Buffer<Real, 2> K(m, m);
    element_stiffness(layout, work, e, 1.0, 0.0, K.view());
    for (Index i = 0; i < m; ++i) damping[at + i] = K(i, i);
    K.fill(0.0);
    element_stiffness(layout, work, e, 0.0, 1.0, K.view());
    for (Index i = 0; i < m; ++i) stiffness[at + i] = K(i, i);
  }
}

// The stiffest force element as a rate, k g' M^-1 g (1/s^2), from the factors of a step of size h; those of all
// elements in state.held_rate.
//
// The complement's diagonal is g' (m M)^-1 g + c, m the factor of the mass matrix, c = 1 / (beta h^2 k + gamma h d)
// the compliance. The damping d counts in the first rate, but not in those of contacts, teeth and belts: it makes no
// blow shorter. Dry friction has no stiffness.
template <class Real>
static double stiffest_rate(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, double mass,
                            double positions) {
  const Index rows = layout.row_kind.size();
  double ratio = 0.0;
  Buffer<Real> stiffness(layout.deformation_element.size()), damping(layout.deformation_element.size());
  find_slopes(layout, work, stiffness.view(), damping.view());
  for (Index p = 0; p < layout.elimination.size(); ++p) {
    const Index s = layout.elimination[p] - rows;
    if (s < 0 || !work.kept[p] || !(work.compliance[s] > 0.0)) continue;
    const Index e = layout.deformation_element[s];
    if (layout.element(e, DRY_FRICTION) || layout.element(e, GEOMETRY) == SLIP) continue;
    if (layout.element(e, GEOMETRY) == CONTACT && (s - layout.element(e, AT)) % PER_POINT != 0) continue;
    const double own = (work.diagonal[p] - work.compliance[s]) / work.compliance[s];
    const double response = mass * (work.diagonal[p] - work.compliance[s]);
    state.held_rate[s] = may_hold(layout, s) ? stiffness[s] * response : own * mass / positions;
    state.swings(s, SWING_DAMPING) = stiffness[s] > 0.0 ? damping[s] / stiffness[s] : Real(0.0);
    ratio = larger(ratio, own);
  }
  return ratio * mass / positions;
}

// Factorise the iteration matrix at the trial; false if a body's matrix is not positive definite.
template <class Real>
static bool refactorise(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, double h,
                        const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  matrices(layout, work, mass, h * settings.gamma, h * h * settings.beta, state.compliance);
  blocks(layout, work);
  state.counts->factorisations += 1;
  state.factored = h;
  state.fresh = 1;
  const Index before = work.rank;
  const bool good = factorise(layout, work, state.compliance);
  if (before > 0 && work.rank < before) state.counts->rank_losses += 1;
  if (!good) return false;
  if (any_friction(work)) find_unit_responses(layout, work);
  state.stiffest = stiffest_rate(layout, work, state, mass, h * h * settings.beta);
  return true;
}

// trial.delta -= D vdot of massless bodies with their auxiliary masses D; before (nv,) = vdot over the factor of M.
template <class Real>
static void take_auxiliary_forces(const Layout& layout, const AlphaTrial<Real>& trial, const AlphaSettings& settings,
                                  Reals<Real> before) {
  const double whole = (1.0 - settings.alpha_f) / (1.0 - settings.alpha_m);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const double mass = layout.auxiliary_mass[b], ball = mass * square(layout.body_size[b]);
    for (Index i = layout.v_at[b]; i < layout.v_at[b + 1]; ++i) {
      before[i] = whole * trial.body_vdot[i];
      trial.delta[i] -= (i < layout.v_at[b] + 3 ? mass : ball) * trial.body_vdot[i];
    }
  }
}

// Whether the correction of positions, or what the rows miss, is more than their round-off.
template <class Real>
static bool is_noticed(const Layout& layout, const Work<Real>& work, const AlphaTrial<Real>& trial, Real placing) {
  return system_norm(layout, work, trial.move) > 0.5 * placing || !none_above(work.other, 0.5 * placing);
}

// out -= K x, the elastic forces of the deformations in x; both (nv,).
template <class Real>
static void take_elastic_forces(const Layout& layout, Reals<Real> x, Reals<Real> out) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = layout.body_modes[b], first = layout.v_at[b] + 6;
    if (n == 0) continue;
    const double* row = layout.coefficients.part(layout.coefficient_at(b, K), n * n).data;
    for (Index i = 0; i < n; ++i, row += n)
      for (Index j = 0; j < n; ++j) out[first + i] -= row[j] * x[first + j];
  }
}

// Solve for the corrections of accelerations, multipliers and, if stabilized, of the positions (trial.move).
//
// Index 3: G delta = -Phi / (beta h^2). Stabilized: G delta = -(G v + Phi_t) / (gamma h), and the positions are moved
// by p in the range of M^-1 G^T so that Phi = 0; both with the same factors. The first of these moves is large enough
// to matter for the elastic forces: S delta = -residual - K p.
template <class Real>
static void correct(const Layout& layout, Work<Real>& work, const AlphaState<Real>& state, AlphaTrial<Real>& trial,
                    double h, bool first, Real placing, const AlphaSettings& settings) {
  const Index rows = layout.row_kind.size();
  const double beta = settings.beta, gamma = settings.gamma;
  const double by_rate = 1.0 / (gamma * h), by_position = 1.0 / (beta * h * h);
  const bool stabilized = settings.stabilized;
  for (Index i = 0; i < trial.delta.size(); ++i) trial.delta[i] = -work.residual[i];
  Buffer<Real> before(has_massless(layout) ? trial.delta.size() : 0);
  if (before.size() > 0) take_auxiliary_forces(layout, trial, settings, before.view());
  if (stabilized || work.leg_slope.shape[0] > 0) row_rates(layout, work, trial.miss);
  work.right.fill(0.0);
  each_row(layout, state, [&](Index k) {
    const bool moves = stabilized || layout.row_kind[k] == VELOCITY;
    work.right[k] = moves ? -by_rate * trial.miss[k] : -by_position * work.phi[k];
  });
  if (stabilized) {
    work.other.fill(0.0);
    each_row(layout, state, [&](Index k) {
      // a constraint of velocities holds no position: the correction only respects it
      if (layout.row_kind[k] != VELOCITY) work.other[k] = h * beta / gamma * trial.miss[k] - work.phi[k];
    });
  }
  if (stabilized && !first) {
    solve_two(layout, work, work.right, trial.delta, trial.ydelta, work.other, trial.move, before.view());
  } else {
    if (stabilized) solve_rows_only(layout, work, work.other, trial.move, work.unused);
    if (stabilized && is_noticed(layout, work, trial, placing)) {
      take_elastic_forces(layout, trial.move, trial.delta);
    }
    solve(layout, work, work.right, trial.delta, trial.ydelta, before.view());
  }
  if (any_friction(work)) add_friction(layout, work, trial.delta, trial.ydelta);
  for (Index k = 0; k < rows; ++k) trial.multipliers[k] += trial.ydelta[k];
  add_own(layout, work, state, trial.delta, trial.a);
}

namespace {

// One of Newton's iterations: sizes of the corrections, and how they contract.
template <class Real>
struct Progress {
  Real size;     // of the correction of accelerations
  Real shift;    // of the correction of positions, 0 if it lies below their round-off
  Real largest;  // of the accelerations that occur
  Real left;     // the part of this correction that remains as error, if the iteration goes on like this
};

// What round-off leaves of accelerations and positions.
template <class Real>
struct RoundOff {
  Real speed;    // top speed now, m/s
  Real placing;  // of positions, m
  Real unseen;   // of accelerations which move positions by less, m/s^2
  Real floor;    // of the corrections of accelerations, m/s^2
};

}  // namespace

// Whether what an iteration leaves is well below the local error of the step.
template <class Real>
static bool near_enough(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                        const AlphaTrial<Real>& trial, double h, const AlphaSettings& settings,
                        const Progress<Real>& now) {
  const double share = settings.share, beta = settings.beta, rtol = settings.rtol;
  // and no more than a tenth of rtol of the accelerations, so that reactions which jump are exact as well
  const Real allowed = smaller<Real>(share * state.changed, 10.0 * settings.newton_rtol * now.largest);
  if (!(now.left * now.size < allowed) || now.left * now.shift > beta * h * h * allowed) return false;
  return rtol <= 0.0 || now.left * excess(layout, work, state, trial.delta, beta * h * h, h, rtol) <= REST;
}

// Whether the iteration may end by Newton's own tolerance, relative to the accelerations that occur, or at round-off.
template <class Real>
static bool within_tolerance(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                             const AlphaTrial<Real>& trial, double h, const AlphaSettings& settings,
                             const Progress<Real>& now, const RoundOff<Real>& noise) {
  const double tolerance = settings.newton_rtol;
  const Real target = tolerance * now.largest + noise.floor;
  const bool placed = smaller<Real>(now.left, 1.0) * now.shift <= tolerance * h * noise.speed + noise.placing;
  if (!placed || !(now.size <= noise.floor || now.left * now.size <= target)) return false;
  if (settings.rtol > 0.0 && now.size > noise.floor) {
    return now.left * excess(layout, work, state, trial.delta, settings.beta * h * h, h, settings.rtol) <= REST;
  }
  return true;
}

// Whether a correction that does not contract is round-off which a singular position nearby magnifies (many joints do
// so more than the smallest pivot shows), and moves positions by less than the step's error may be.
template <class Real>
static bool is_lost_in_error(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                             const AlphaTrial<Real>& trial, double h, const AlphaSettings& settings, Real shift,
                             Real placing) {
  if (settings.rtol == 0.0 || work.pivot > NEARLY_SINGULAR) return false;
  if (shift * std::sqrt(larger(work.pivot, LEAST)) > 16.0 * placing) return false;
  return excess(layout, work, state, trial.delta, settings.beta * h * h, h, settings.rtol) <= 1.0;
}

// Take the correction of positions over, unless it and what the rows miss lie below their round-off; returns its
// size.
template <class Real>
static Real move_positions(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                           AlphaTrial<Real>& trial, bool stabilized, Real placing) {
  if (!stabilized || !is_noticed(layout, work, trial, placing)) return 0.0;
  add_own(layout, work, state, trial.move, trial.p);
  return system_norm(layout, work, trial.move);
}

// Round-off of positions and velocities at the state, as accelerations too.
template <class Real>
static RoundOff<Real> noise_of(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, double h,
                               const AlphaSettings& settings) {
  const Real speed = system_norm(layout, work, state.body_v), placing = ROUND_OFF_UNITS * round_off(layout, state.c);
  const Real unseen = placing / (settings.beta * h * h);
  return {speed, placing, unseen,
          settings.stabilized ? ROUND_OFF_UNITS * EPS * speed / (settings.gamma * h) : unseen};
}

// Solve for the trial's a, multipliers and position correction; returns DONE or why not.
//
// The iteration ends where what it leaves is a small share of the local error, or at a tolerance relative to the
// accelerations that occur (and so to the forces), or at round-off. Positions are not corrected by less than their
// own round-off: stiff bodies would answer it with forces that no iteration gets rid of.
template <class Real>
static Index newton(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                    double t, double h, const AlphaSettings& settings) {
  const bool stabilized = settings.stabilized;
  bool fresh = false;
  Real before = 0.0;
  if (state.law_state.size() > 0) expect_states(work, state, h, settings.alpha_f);
  const RoundOff<Real> noise = noise_of(layout, work, state, h, settings);
  for (Index iteration = 0; iteration < settings.max_iterations; ++iteration) {
    state.counts->iterations += 1;
    set_trial(layout, state, trial, t, h, settings);
    if (is_relative(state)) move_bodies(layout, work, state, trial);
    place(layout, work, t, trial.c, trial.q, trial.alpha);
    if (is_relative(state)) add_drive_misses(layout, work, *state.tree);
    if (iteration == 0 && !meet_drives(layout, work, *state.misses)) return DRIVE_JUMPED;
    drift(layout, work, trial.alpha, trial.body_v);
    residual(layout, work, t, trial.alpha, trial.body_v, trial.body_vdot, trial.multipliers);
    // factors of a step up to a fifth longer or shorter still contract well; too slow ones are noticed below
    if (std::abs(state.factored - h) > 0.2 * h) {
      fresh = true;
      if (!refactorise(layout, work, state, h, settings)) return NOT_DEFINITE;
    }
    correct(layout, work, state, trial, h, iteration == 0, noise.placing, settings);
    Real size = system_norm(layout, work, trial.delta);
    // (where bodies have turned since the factorisation, reactions alone may be wrong, and grow from step to step)
    if (is_relative(state) || !fresh) size = larger(size, reaction_norm(layout, work, trial.ydelta));
    if (!std::isfinite(size)) return NOT_FINITE;
    // positions that move turn velocities, which the next correction of the accelerations takes back
    const Real shift = move_positions(layout, work, state, trial, stabilized, noise.placing);
    const Real change = size + shift * noise.speed / (layout.length * settings.gamma * h);
    // the error left after this correction, if the iteration goes on contracting at this rate (of round-off, which
    // does not contract, it is at most a few times as much)
    const Real rate = iteration > 0 && before > 0.0 ? change / before : EXPECTED_CONTRACTION;
    const Real left = rate < 0.9 ? rate / (1.0 - rate) : 10.0;
    // the first correction is judged by the contraction that was measured some steps of this size ago
    const bool known =
        iteration > 0 || (state.contraction < EXPECTED_CONTRACTION && std::abs(h - state.before) <= 0.01 * h);
    const Real largest =
        larger<Real>(larger<Real>(speed_norm(layout, work, state, trial.a), state.recent), state.balanced);
    const Progress<Real> now{size, shift, largest, iteration == 0 && known ? Real(state.contraction) : left};
    bool good = settings.share > 0.0 && known && near_enough(layout, work, state, trial, h, settings, now);
    good = good || within_tolerance(layout, work, state, trial, h, settings, now, noise);
    if (!good && fresh && iteration > 1 && rate > STALLED) {
      // what does not contract is round-off of positions that stiff springs magnify
      const Real magnified = smaller<Real>(noise.unseen, noise.placing * state.stiffest);
      good = (size <= magnified && shift <= noise.placing) ||
             is_magnified_noise(layout, work, size - noise.floor, shift, noise.speed, settings.gamma * h) ||
             is_lost_in_error(layout, work, state, trial, h, settings, shift, noise.placing);
    }
    if (good) {
      // a rate that was measured is trusted for some steps, and less in each
      state.contraction =
          iteration > 0 ? larger(rate, 0.1 * EXPECTED_CONTRACTION) : state.contraction + 0.1 * EXPECTED_CONTRACTION;
      set_trial(layout, state, trial, t, h, settings);  // the last correction is part of the step
      return DONE;
    }
    if (iteration > 0 && rate > EXPECTED_CONTRACTION && !fresh) {
      if (rate > 0.5) return NO_CONVERGENCE;  // led astray by old factors: start again
      state.factored = 0.0;                   // factorise anew in the next iteration
    } else if (rate > 2.0 && iteration > 2) {
      return NO_CONVERGENCE;
    }
    before = change;
  }
  return NO_CONVERGENCE;
}

// Keep the divided differences of velocities and multipliers, from which the next step is predicted; leaves the
// second difference of the accelerations in trial.own.
template <class Real>
static void keep_history(AlphaState<Real>& state, AlphaTrial<Real>& trial, double h) {
  // one over the steps that the differences span
  const double one = 1.0 / h, two = 1.0 / (h + state.before), three = 1.0 / (h + state.before + state.earlier);
  for (Index i = 0; i < trial.v.size(); ++i) {
    const Real jerk = one * (trial.vdot[i] - state.vdot[i]);
    trial.own[i] = h * (jerk - state.jerk[i]);
    state.jerk[i] = jerk;
    state.vdot[i] = trial.vdot[i];
  }
  for (Index i = 0; i < trial.v.size(); ++i) {
    const Real mean = one * (trial.v[i] - state.v[i]);
    const Real slope = two * (mean - state.mean[i]);
    state.curve[i] = three * (slope - state.slope[i]);
    state.mean[i] = mean;
    state.slope[i] = slope;
    state.v[i] = trial.v[i];
  }
  state.a.copy(trial.a);
  for (Index k = 0; k < trial.multipliers.size(); ++k) {
    const Real rate = one * (trial.multipliers[k] - state.multipliers[k]);
    if (state.counts->steps > 0) state.multipliers_curve[k] = two * (rate - state.multipliers_rate[k]);
    state.multipliers_rate[k] = rate;
    state.multipliers[k] = trial.multipliers[k];
  }
}

// Take the trial over as the new state.
template <class Real>
static void accept(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double t,
                   double h, const AlphaSettings& settings) {
  if (work.revolutions.shape[0] > 0) count_revolutions(work);
  keep_misses(*state.misses, state.t, t);
  keep_forces(layout, work, t);
  add_work(layout, work, state, trial, t, h);
  keep_history(state, trial, h);
  state.changed = speed_norm(layout, work, state, trial.own);
  state.earlier = state.before;
  state.before = h;
  state.c.copy(trial.c);
  state.q.copy(trial.q);
  state.alpha.copy(trial.alpha);
  state.places.copy(trial.places);
  state.body_v.copy(trial.body_v);
  state.body_vdot.copy(trial.body_vdot);
  if (state.law_state.size() > 0) {
    accept_states(work, state, h, settings.alpha_f);
    exchange_pairs(layout, work, state.law_state, state.counts->without_bristle);
  }
  state.recent = larger<Real>(FORGETS * state.recent, speed_norm(layout, work, state, state.a));
  note_held(work, state, t);
  if (settings.rtol > 0.0) follow_swings(layout, work, state, t, h, settings.error_constant);
  state.jumped = NO_JUMP;
  state.t = t;
  state.counts->steps += 1;
}

// Extrapolate the velocities to the end of the step by a cubic, the multipliers by a parabola.
//
// The velocities rather than the accelerations: constraints hold velocities, so that what an iteration leaves in an
// acceleration comes back with the other sign in the next ones, and an extrapolation of them would magnify it.
template <class Real>
static void predict(const AlphaState<Real>& state, AlphaTrial<Real>& trial, double h, double gamma) {
  const double before = state.before, whole = 1.0 / gamma;
  for (Index i = 0; i < trial.a.size(); ++i) {
    const Real slope = state.slope[i] + (h + before + state.earlier) * state.curve[i];
    trial.a[i] = whole * (state.mean[i] + (h + before) * slope - (1.0 - gamma) * state.a[i]);
  }
  trial.p.fill(0.0);
  for (Index k = 0; k < trial.multipliers.size(); ++k) {
    trial.multipliers[k] =
        state.multipliers[k] + h * (state.multipliers_rate[k] + (h + before) * state.multipliers_curve[k]);
  }
}

// Try one step of size h from the state; the trial is left in `trial`.
//
// Where old factors fail, the step is tried again from its prediction with new ones.
template <class Real>
static Index attempt(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                     double h, const AlphaSettings& settings) {
  soften_jump(layout, work, state, trial, h, settings);
  // the method's variable a belongs to t + (alpha_m - alpha_f) h: a new step moves it along the jerk
  const double shift = (settings.alpha_m - settings.alpha_f) * (h - state.last);
  for (Index i = 0; i < trial.a.size(); ++i) state.a[i] += shift * state.jerk[i];
  if (state.law_state.size() > 0) {
    const auto law = first_order(settings.alpha_f);
    for (Index i = 0; i < state.law_state.size(); ++i) {
      state.law_variable[i] += (law.delta_m - law.delta_f) * (h - state.last) * state.law_slope[i];
    }
  }
  state.last = h;
  state.fresh = 0;
  if (work.coordinate.size() > 0) expect_revolutions(work, h);
  bool again = std::abs(state.factored - h) <= 0.2 * h;
  Index status = NO_CONVERGENCE;
  for (int round = 0; round < 2; ++round) {
    predict(state, trial, h, settings.gamma);
    status = newton(layout, work, state, trial, state.t + h, h, settings);
    if (status == DONE || !again) break;
    state.factored = 0.0;
    again = false;
  }
  if (status == DONE && layout.drive_law.shape[0] > 0) {
    const Index jumped = is_relative(state) ? jumped_row(*state.tree) : -1;
    const Index row = jumped >= 0 ? jumped : opposite_row(layout, work);
    if (row >= 0) {
      state.misses->tried = row;
      return DRIVE_JUMPED;
    }
  }
  return status;
}

template <class Real>
static Index make_steps(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                        double t_out, const AlphaSettings& settings, Index max_steps) {
  const double rtol = settings.rtol;
  for (Index step = 0; step < max_steps; ++step) {
    const double remaining = t_out - state.t;
    if (remaining <= 0.0) return DONE;
    const double h = step_to_try(state.wanted, settings.max_step, state.last, remaining, rtol, KEPT);
    const Index status = attempt(layout, work, state, trial, h, settings);
    if (status == NOT_FINITE && rtol == 0.0) return status;
    if (status != DONE) {
      if (!retry(layout, work, state, h, status, settings)) return status;
      continue;
    }
    bool sure = work.revolutions.shape[0] == 0 || measure_revolutions(layout, work, h);
    sure = sure && contacts_are_seen(layout, work, h);
    if (rtol > 0.0 && !judge(layout, work, state, trial, h, remaining, sure, settings)) continue;
    // the last step ends on the output time exactly, so that no sliver of round-off is left to step over
    state.tries = 0;
    if (looks_at_bodies(layout, state, h, settings)) {
      follow_bodies(layout, work, state, trial, state.t + h, h, settings);
    }
    accept(layout, work, state, trial, h > (1.0 - 1e-9) * remaining ? t_out : state.t + h, h, settings);
    if (state.divided_until > 0.0) go_on_in_step(state);
    if (h < settings.crawl && state.t < t_out && is_nearly_lost(work, state)) return SINGULAR;
    state.best_held = larger(state.best_held, work.held);
  }
  return state.t >= t_out ? DONE : PAUSED;
}

template <class Real>
Index advance(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double t_out,
              const AlphaSettings& settings, Index max_steps) {
  const Index status = make_steps(layout, work, state, trial, t_out, settings, max_steps);
  if (is_relative(state)) set_bodies_of_state(layout, work, state, trial);
  return status;
}

template Index advance<double>(const Layout&, Work<double>&, AlphaState<double>&, AlphaTrial<double>&, double,
                               const AlphaSettings&, Index);

}  // namespace flexbody

using namespace flexbody;

// Advance, after a restart if asked for, and read the joint coordinates that are followed.
FLEXBODY_EXPORT Index flexbody_step_alpha(const Layout* layout, Work<double>* work, AlphaState<double>* state,
                                          AlphaTrial<double>* trial, double t_out, const AlphaSettings* settings,
                                          Index max_steps, Index from_restart, Tracked<double>* tracked) {
  const NoTinyNumbers zero;
  if (from_restart && !restart(*layout, *work, *state, *trial, *settings)) return NOT_DEFINITE;
  const Index status = advance(*layout, *work, *state, *trial, t_out, *settings, max_steps);
  if (status == DONE && tracked->value.size() > 0) {
    track(*layout, *work, state->c, state->q, state->alpha, state->body_v, *tracked);
  }
  return status;
}
