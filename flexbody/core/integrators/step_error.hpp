// The local error of a step of the generalized-alpha method over what it may be.
#pragma once
#include "alpha_motion.hpp"
#include "norms.hpp"
#include "ringing.hpp"
#include "vibrations.hpp"
#include "whirl.hpp"

namespace flexbody {

// A body that is slower than this part of the fastest is judged as if it were that fast.
constexpr double SLOW_BODY = 1e-3;
// The same beside vibrations: what only vibrates, as on a stiff mount, has no motion of its own.
constexpr double HELD_BODY = 0.3;
// Massless bodies are judged as if they were at most so many times as fast as the fastest of the others.
constexpr double MASSLESS_SPEED = 10.0;
// What constraints put right in the same step may be the first factor larger than what adds up, where they leave no
// more than the second number of it.
constexpr double GUIDED = 50.0, NOTHING_LEFT = 0.1;
// The same beside flexible bodies at the default tolerance: the accelerations, and with them the deformations, are
// wrong by it.
constexpr double GUIDED_DEFORMATION = 10.0, LEFT_BESIDE_DEFORMATION = 0.5;
// A factor of the stiffness, which leaves a third of a vibration with h w = 0.8 (rho_inf = 0.8).
constexpr double RESOLVED = 3.0;
// Where deformations are not small beside the motion, the default tolerance is larger if the errors of all steps add
// up to less than this factor times it of the travel of the machine.
constexpr double OF_TRAVEL = 700.0;
// It is at most so many times as large, but where damping takes errors away (AlphaState.loosest): there the factor is
// the second number, and the frequency at a resonance is wrong by less than a hundredth of its width.
constexpr double LOOSEST = 2.5, OF_TRAVEL_DAMPED = 350.0;
// Steps that one filtered error judges, unless the usual error grows by SAME_ERROR or a load by as much: those of the
// same size, and shorter ones, whose errors are smaller, down to SHORTER_STEP of it. They are WAITS times as many
// where the usual error is small, as that of a vibration is where its jerk is zero: its large errors count. And they
// become so, up to LONGEST_WAIT, as long as the filtered error is no larger than that before by STEADY_ERROR.
constexpr Index FILTERS_EVERY = 16, WAITS = 2, LONGEST_WAIT = 64;
constexpr double STEADY_ERROR = 1.1;
// Within a blow of elements that strike they are no more than this part of it: what rings may be larger than what the
// blow changes.
constexpr double PART_OF_BLOW = 0.1;
constexpr double SHORTER_STEP = 0.75;
constexpr double SAME_ERROR = 1.5;
// Steps of which one is looked at for what determines it.
constexpr Index LOOKS_EVERY = 64;

// The error of a step of size h that is round-off, m: positions are uncertain by ROUND_OFF_UNITS EPS length, and the
// accelerations by the stiffness times that, which is all where no body is flexible. At least EPS length.
template <class Real>
Real round_off_of_error(const Layout& layout, const AlphaState<Real>& state, double h) {
  const double unit = EPS * layout.length, flexible = double(layout.alpha_at[layout.body_mass.size()]);
  if (flexible > 0.0 || !(state.stiffest > 0.0)) return ROUND_OFF_UNITS * unit;
  return unit * larger(1.0, ROUND_OFF_UNITS * smaller(1.0, h * h * double(state.stiffest)));
}

// The rigid and the modal part of an error of body b over what a step may add.
//
// That is rtol * (distance moved in the step at top speed). Rigid motion and deformation of each body are judged by
// their own top speed, but by no less than `slow` (m/s). x times `factor` is an error of positions.
template <class Real>
BodySize<Real> body_excess(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index b,
                           Reals<Real> x, double factor, double h, double rtol, Real slow) {
  const auto size = body_norms(layout, work, b, x);
  const Real rest = round_off_of_error(layout, state, h);
  const Real rigid = rtol * h * larger(state.top_speed(b, RIGID_SPEED), slow) + rest;
  const Real modal = rtol * h * larger(state.top_speed(b, MODAL_SPEED), slow) + rest;
  return {factor * size.rigid / rigid, factor * size.modal / modal};
}

// The largest speed of a body or of its deformation so far, m/s.
template <class Real>
Real fastest_speed(const AlphaState<Real>& state) {
  Real fastest = 0.0;
  for (Index k = 0; k < state.top_speed.size(); ++k) fastest = larger(fastest, state.top_speed.data[k]);
  return fastest;
}

// The largest part of an error over what a step may add; slow bodies as if they had SLOW_BODY of the top speed.
template <class Real>
Real excess(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x, double factor,
            double h, double rtol) {
  const Real slow = SLOW_BODY * fastest_speed(state);
  Real worst = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto parts = body_excess(layout, work, state, b, x, factor, h, rtol, slow);
    worst = larger(worst, larger(parts.rigid, parts.modal));
  }
  return worst;
}

// The rigid and the modal part of x, an error of the accelerations of body b, as errors of the smooth motion of which
// a step may add `rtol`. As `body_excess`, but a deformation is judged by the speed of the whole body. With e2 it
// limits the step where its vibration has a twelfth of that speed, and carries about a hundredth of the energy.
template <class Real>
BodySize<Real> smooth_parts(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index b,
                            Reals<Real> x, double h, double rtol, const AlphaSettings& settings) {
  const auto size = body_norms(layout, work, b, x);
  const double factor = settings.error_constant * h * h;
  const Real rest = round_off_of_error(layout, state, h);
  const Real speed = larger(state.top_speed(b, RIGID_SPEED), HELD_BODY * fastest_speed(state));
  const Real whole = larger(speed, state.top_speed(b, MODAL_SPEED));
  return {factor * size.rigid / (rtol * h * speed + rest), factor * size.modal / (rtol * h * whole + rest)};
}

// The largest of the `smooth_parts` of all bodies.
template <class Real>
Real smooth_excess(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x,
                   double h, double rtol, const AlphaSettings& settings) {
  Real worst = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto parts = smooth_parts(layout, work, state, b, x, h, rtol, settings);
    worst = larger(worst, larger(parts.rigid, parts.modal));
  }
  return worst;
}

// The error of the phase of a vibration in a step, rad; 0 if its size doesn't limit the step, INF if it is none.
// Sizes before and after one more pass of the filter, as for `turned_in_step`.
template <class Real>
Real phase_in_step(Real size, Real before, Real after, double stiffness, const AlphaSettings& settings) {
  if (size < LIMITS) return 0.0;
  const Real turned = turned_in_step(before, after, stiffness);
  return turned > 0.0 ? settings.error_constant * turned * turned * turned : INF;
}

// What the phases of the vibrations in an error of the size `followed` add up to until the end of the run, over what
// they may; `filtered` is the same filtered once more by 1 / (1 + stiffness (h w)^2).
//
// An error C (h w)^3 A of a vibration of amplitude A is one of its phase, C (h w)^3.
template <class Real>
Real phase_error(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> vibration,
                 Reals<Real> filtered, double h, double stiffness, const AlphaSettings& settings) {
  Real phase = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto size = smooth_parts(layout, work, state, b, vibration, h, settings.rtol, settings);
    const auto before = body_norms(layout, work, b, vibration), after = body_norms(layout, work, b, filtered);
    phase = larger(phase, phase_in_step(size.rigid, before.rigid, after.rigid, stiffness, settings));
    phase = larger(phase, phase_in_step(size.modal, before.modal, after.modal, stiffness, settings));
  }
  return phase * settings.duration / h / smaller(PHASE * settings.vibrations, LARGEST_PHASE);
}

// What e2, trial.delta as filtered by `smooth_error`, is over what it may be if vibrations that are followed need
// only have the right phase at the end of the run. Leaves no factors of the iteration matrix.
template <class Real>
Real followed_error(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                    double h, double stiffness, const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  const Index nv = trial.delta.size();
  Buffer<Real> vibration(nv), filtered(nv), rigid(nv);
  vibration.copy(trial.delta);
  filter(layout, work, mass, trial.delta);
  filtered.copy(trial.delta);
  if (!factorise_filter(layout, work, state, h, RIGID, settings)) return INF;
  rigid.copy(vibration);
  for (int pass = 0; pass < 2; ++pass) {
    filter(layout, work, mass, rigid.view());
    filter(layout, work, mass, trial.delta);
  }
  for (Index i = 0; i < nv; ++i) {
    vibration[i] -= rigid[i];
    filtered[i] -= trial.delta[i];
  }
  const Real size = smooth_excess(layout, work, state, vibration.view(), h, settings.rtol, settings);
  const Real phase = phase_error(layout, work, state, vibration.view(), filtered.view(), h, stiffness, settings);
  return larger(smooth_excess(layout, work, state, rigid.view(), h, settings.rtol, settings), smaller(size, phase));
}

// The error of the smooth motion over what it may be where constraints put most of it right in the same step, INF
// elsewhere: it does not add up, and may be GUIDED times as large, or GUIDED_DEFORMATION times.
//
// `twice` is the change of the accelerations behind two passes of F, of which the factors are there. What constraints
// leave is M-orthogonal to them: the last pass with G x = 0. Changes trial.delta and `twice`.
template <class Real>
Real guided_error(const Layout& layout, Work<Real>& work, const AlphaState<Real>& state, AlphaTrial<Real>& trial,
                  Reals<Real> twice, double h, const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  const bool flexible = layout.alpha_at[layout.body_mass.size()] > 0;
  trial.delta.copy(twice);
  filter(layout, work, mass, trial.delta);
  work.right.fill(0.0);
  filter_to(layout, work, mass, twice);
  const Real adds_up = smooth_excess(layout, work, state, twice, h, settings.rtol, settings);
  const Real all = smooth_excess(layout, work, state, trial.delta, h, settings.rtol, settings);
  const bool much = adds_up < (flexible ? LEFT_BESIDE_DEFORMATION : NOTHING_LEFT) * all;
  return much ? larger(adds_up, all / (flexible ? GUIDED_DEFORMATION : GUIDED)) : INF;
}

// As `guided_error` in machines of rigid bodies: F has a smaller k than in e2, so that parts which could resonate
// with the motion are not taken for rigid. Leaves no factors of the iteration matrix.
template <class Real>
Real guided_rigid_error(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                        double h, const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  if (!factorise_filter(layout, work, state, h, RESOLVED, settings)) return INF;
  acceleration_change(layout, work, state, trial);
  for (int pass = 0; pass < 2; ++pass) filter(layout, work, mass, trial.delta);
  Buffer<Real> twice(trial.delta.size());
  twice.copy(trial.delta);
  return guided_error(layout, work, state, trial, twice.view(), h, settings);
}

// Size of e2, the error of the smooth motion and of vibrations that are followed, over what it may be, or more where
// it does not exceed `other`: see vibrations.hpp. Leaves no factors of the iteration matrix.
template <class Real>
Real smooth_error(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                  Real other, const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  const double stiffened = STIFFENED / settings.rtol;
  if (!factorise_filter(layout, work, state, h, stiffened, settings)) return INF;
  acceleration_change(layout, work, state, trial);
  for (int pass = 0; pass < 2; ++pass) filter(layout, work, mass, trial.delta);
  Buffer<Real> twice(trial.delta.size());
  twice.copy(trial.delta);
  filter(layout, work, mass, trial.delta);
  const Real enough = larger<Real>(other, LIMITS);
  Real smooth = smooth_excess(layout, work, state, trial.delta, h, settings.rtol, settings);
  if (smooth < enough) return smooth;
  const bool flexible = layout.alpha_at[layout.body_mass.size()] > 0, nearly_rigid = is_nearly_rigid(state);
  if (flexible && settings.by_default != 0) {
    Buffer<Real> thrice(trial.delta.size());
    thrice.copy(trial.delta);
    smooth = smaller(smooth, guided_error(layout, work, state, trial, twice.view(), h, settings));
    trial.delta.copy(thrice);
    if (smooth < enough) return smooth;
  }
  if (!nearly_rigid) return smooth;
  const double stiffness = stiffened * settings.beta / mass;
  smooth = smaller(smooth, followed_error(layout, work, state, trial, h, stiffness, settings));
  if (smooth < enough || flexible) return smooth;
  return smaller(smooth, guided_rigid_error(layout, work, state, trial, h, settings));
}

// What a step loses of vibrations over what it may, see vibrations.hpp. Needs e in trial.delta, and the factors of
// the step's iteration matrix; leaves none.
//
// Where the larger loss of vibrations with MANY_PERIODS would be made use of, what F with a small k leaves, the
// slower ones, is judged as ever: those with MANY_PERIODS are quartered.
template <class Real>
Real lost_in_step(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                  const AlphaSettings& settings) {
  const double factor = settings.error_constant * h * h, mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  const double tolerance = settings.vibrations, turned = 2.0 * PI * MANY_PERIODS * h / settings.duration;
  filter(layout, work, mass, trial.delta);
  const Real strict = vibration_error<Real>(layout, work, state, trial.delta, factor, tolerance, 0.0);
  if (strict < LIMITS || !is_nearly_rigid(state)) return strict;
  const Real least = OF_MANY * tolerance * noticed_deformation(state);
  const Real many = vibration_error<Real>(layout, work, state, trial.delta, factor, tolerance, least);
  if (!factorise_filter(layout, work, state, h, mass / (settings.beta * turned * turned), settings)) return INF;
  acceleration_change(layout, work, state, trial);
  for (int pass = 0; pass < 2; ++pass) filter(layout, work, mass, trial.delta);
  const Real slower = vibration_error<Real>(layout, work, state, trial.delta, factor, tolerance, 0.0);
  return smaller(strict, larger(many, slower));
}

// What the vibrations of body b lose until the end of the run over what they may (`allowed`, m); 0 where the run
// would need more than MOST_STEPS. Sizes before and after one more pass of the filter, as for `turned_in_step`.
//
// n steps add n C (h w)^3 A up to A, and with x = before^2 / after the unfiltered change of the accelerations, h w^3
// A, that is T C h x. It is what is allowed where h^2 = allowed / (T C x / h): T over that step are the steps needed.
template <class Real>
Real lost_of_body(AlphaState<Real>& state, Index b, Real before, Real after, Real allowed, double h, double stiffness,
                  const AlphaSettings& settings) {
  const double whole = settings.duration * settings.error_constant;
  const auto of = state.lost[b];
  if (!(after > 0.0)) return 0.0;
  const Real jerk = square(before) / (after * h), turned = turned_in_step(before, after, stiffness);
  const Real needed = settings.duration * std::sqrt(whole * jerk / allowed);
  of[LOST_NEEDED] = larger<Real>(std::sqrt(HELD_ON) * of[LOST_NEEDED], needed);
  of[LOST_FOLLOWED] = of[LOST_NEEDED] < (of[LOST_FOLLOWED] > 0.0 ? 1.0 : BEGINS_TO_FOLLOW) * MOST_STEPS ? 1.0 : 0.0;
  if (of[LOST_FOLLOWED] == 0.0) return 0.0;
  const Real phase = whole * turned * turned * turned / h;
  return square(of[LOST_NEEDED] * h / settings.duration) / larger<Real>(1.0, phase);
}

// What vibrations lose until the end of the run over what they may, or more where that does not exceed `other`: see
// vibrations.hpp. Leaves no factors of the iteration matrix.
//
// A step adds C (h w)^3 A, and all n steps together no more than the amplitude A. With F = 1 + (n C)^(2/3) (h w)^2
// that is n C (h w)^3 A / F^(3/2), the geometric mean of what one and two passes of 1 / F leave of n e. The smooth
// motion passes too: what its tolerance lets add up is no loss, nor is what constraints put right in the same step,
// as in `guided_error`: an unbalance that turns with its shaft.
template <class Real>
Real lost_in_run(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                 Real other, const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f), C = settings.error_constant;
  const double steps = settings.duration / h, stiffness = std::pow(steps * C, 2.0 / 3.0);
  if (!factorise_filter(layout, work, state, h, stiffness * mass / settings.beta, settings)) return INF;
  Buffer<Real> once(trial.delta.size());
  acceleration_change(layout, work, state, trial);
  filter(layout, work, mass, trial.delta);
  once.copy(trial.delta);
  Buffer<Real> left(trial.delta.size());
  left.copy(trial.delta);
  filter(layout, work, mass, trial.delta);
  work.right.fill(0.0);
  filter_to(layout, work, mass, left.view());
  const bool flexible = layout.alpha_at[layout.body_mass.size()] > 0;
  const double part = flexible ? LEFT_BESIDE_DEFORMATION : NOTHING_LEFT;
  const double guided = !flexible ? GUIDED : settings.by_default != 0 ? GUIDED_DEFORMATION : 1.0;
  const Real slow = HELD_BODY * fastest_speed(state), rest = ROUND_OFF_UNITS * EPS * layout.length;
  const Real travel = WHOLE_RUN * settings.vibrations * state.foreseen_travel;
  const Real allowed = LOST_DEFORMATION * settings.vibrations * noticed_deformation(state) + rest;
  Real worst = other;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto before = body_norms(layout, work, b, once.view()), after = body_norms(layout, work, b, trial.delta);
    const Real smooth = settings.rtol * settings.duration * larger(state.top_speed(b, RIGID_SPEED), slow);
    const Real all = steps * C * h * h * std::sqrt(before.rigid * after.rigid);
    const Real adds_up = steps * C * h * h * std::sqrt(before.rigid * body_norms(layout, work, b, left.view()).rigid);
    const Real lost = adds_up < part * all ? larger<Real>(adds_up, all / guided) : all;
    worst = larger<Real>(worst, lost / (travel + smooth + rest));
    worst = larger<Real>(worst, lost_of_body(state, b, before.modal, after.modal, allowed, h, stiffness, settings));
  }
  return worst;
}

// What the filters find of the error of a step over what it may be; `usual` is the usual error. Keeps what whirl
// loses, and leaves no factors of the iteration matrix.
template <class Real>
Real filtered_error_of(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                       double h, Real usual, const AlphaSettings& settings) {
  const bool turns = has_rotors(layout, work, state, settings);
  Real error = usual;
  if (usual > 1.0) {
    if (!state.fresh && !factorise_filter(layout, work, state, h, 1.0, settings)) return INF;
    const Real lost = lost_in_step(layout, work, state, trial, h, settings);
    const Real smooth = smooth_error(layout, work, state, trial, h, lost, settings);
    error = lost_in_run(layout, work, state, trial, h, larger<Real>(lost, smooth), settings);
  }
  state.filtered_whirl = turns ? whirl_error(layout, work, state, trial, h, settings) : 0.0;
  return error;
}

// As `error_of_step`, beside vibrations, see vibrations.hpp; `usual` is the usual error. The filters are applied in
// one of FILTERS_EVERY steps of about one size, after which no factors of the iteration matrix are left.
template <class Real>
Real error_beside_vibrations(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                             double h, Real usual, const Blow& blow, const AlphaSettings& settings) {
  const double share = h / state.filtered_step;
  const bool same = share > SHORTER_STEP && share <= 1.0 + 1e-6 && usual < SAME_ERROR * state.filtered_usual &&
                    blow.elements == state.filtered_blows;
  const double wait = double((SAME_ERROR * usual < state.filtered_usual ? WAITS : 1) * state.filtered_wait);
  const Index judged = Index(smaller(wait, PART_OF_BLOW * blow.steps));
  const double since = state.t - state.filtered_count * h;  // where the first of these steps began
  if (same && state.filtered_count < judged && !sets_in(layout, state, since, state.t, h, SAME_ERROR)) {
    state.filtered_count += 1;
  } else {
    const Real error = filtered_error_of(layout, work, state, trial, h, usual, settings);
    const bool steady =
        same && state.filtered_count >= state.filtered_wait && error < STEADY_ERROR * state.filtered_error;
    state.filtered_wait = steady ? smaller(WAITS * state.filtered_wait, LONGEST_WAIT) : FILTERS_EVERY;
    state.filtered_count = 1;
    state.filtered_blows = blow.elements;
    state.filtered_step = h;
    state.filtered_usual = usual;
    state.filtered_error = error;
  }
  const Real larger_now = larger<Real>(1.0, usual / state.filtered_usual);
  const Real error = usual > 1.0 ? smaller(usual, state.filtered_error * larger_now) : usual;
  return larger(error, state.filtered_whirl * larger_now);
}

// Find whether vibrations determine the step, and those of which body, and add what they do to state.ringing; `error`
// is what the step is judged by.
//
// They do where the motion that no stiffness holds has less than half of that error. Leaves no factors of the
// iteration matrix; trial.delta is used.
template <class Real>
void look_for_vibrations(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                         double h, Real error, const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f), factor = settings.error_constant * h * h;
  Buffer<Real> change(trial.delta.size());
  state.vibrates = 0;
  acceleration_change(layout, work, state, trial);
  change.copy(trial.delta);
  if (!(error > LIMITS) || !factorise_filter(layout, work, state, h, RIGID, settings)) return;
  for (int pass = 0; pass < 2; ++pass) filter(layout, work, mass, trial.delta);
  if (2.0 * excess(layout, work, state, trial.delta, factor, h, settings.rtol) > error) return;
  for (Index i = 0; i < change.size(); ++i) trial.delta[i] = change[i] - trial.delta[i];
  Index body = 0;
  Real worst = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto parts = body_excess(layout, work, state, b, trial.delta, factor, h, settings.rtol, Real(0.0));
    if (!(larger(parts.rigid, parts.modal) > worst)) continue;
    worst = larger(parts.rigid, parts.modal);
    body = b;
  }
  state.vibrates = 1;
  measure_ringing(layout, work, state, trial, change.view(), body, h, settings);
}

// Massless bodies as MASSLESS_SPEED times the fastest of the others, at most. In the relative description these are
// moved by the coordinates of massless ones, which turn without a bound where bars in line are nearly stretched.
template <class Real>
void judge_massless_by_others(const Layout& layout, AlphaState<Real>& state) {
  Real fastest = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    if (layout.body_mass[b] > 0.0) fastest = larger(fastest, state.top_speed(b, RIGID_SPEED));
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    if (layout.body_mass[b] == 0.0)
      state.top_speed(b, RIGID_SPEED) = smaller(state.top_speed(b, RIGID_SPEED), MASSLESS_SPEED * fastest);
}

// The shortest time, s, in which a body at its top speed would go as far as it has moved so far, or deform by as
// much. Bodies whose motion is prescribed, and those that are slow beside others, do not count.
template <class Real>
Real smallest_share(const Layout& layout, const AlphaState<Real>& state) {
  const Real slow = SLOW_BODY * fastest_speed(state);
  Real shortest = INF;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    if (state.prescribed[b] != 0.0) continue;
    const auto of = state.axes[layout.carrier_at[b]];
    const Real travel = larger<Real>(of[AXIS_TRAVEL], of[RIM_TRAVEL]);
    const Real rigid = state.top_speed(b, RIGID_SPEED), modal = state.top_speed(b, MODAL_SPEED);
    if (rigid > slow) shortest = smaller<Real>(shortest, travel / rigid);
    if (modal > slow) shortest = smaller<Real>(shortest, state.deformation[b] / modal);
  }
  return shortest < INF ? shortest : Real(0.0);
}

// The tolerance of a step: rtol, or by default more, where a pilot run has foreseen how far the machine will move, or
// where damping takes errors away before the end of the run: so long they add up. Small deformations beside a long
// way are followed with the given one.
template <class Real>
double tolerance_of_motion(const Layout& layout, const AlphaState<Real>& state, const AlphaSettings& settings) {
  const double way = double(fastest_speed(state)) * settings.duration;
  if (is_nearly_rigid(state) || !(way > 0.0)) return settings.rtol;
  const double usual = smaller(OF_TRAVEL * double(state.foreseen_travel) / way, smaller(state.loosest, LOOSEST));
  const bool forgets = state.remembered > 0.0 && state.remembered < settings.duration;
  const double damped = forgets ? OF_TRAVEL_DAMPED * double(smallest_share(layout, state)) / state.remembered : 0.0;
  return settings.rtol * larger(larger(usual, smaller(damped, state.loosest)), 1.0);
}

// The part of the error of prescribed motions that a step is judged by where the tolerance is so many times the given
// one: their accelerations are wrong by it. Beside flexible bodies `guided_error` permits the rest of GUIDED.
inline double prescribed_part_of(const Layout& layout, double looser, const AlphaSettings& given) {
  if (given.by_default == 0 || given.vibrations == 0.0) return 1.0;
  const bool flexible = layout.alpha_at[layout.body_mass.size()] > 0;
  return smaller(looser / (flexible ? GUIDED / GUIDED_DEFORMATION : GUIDED), 1.0);
}

// Local error of the positions over its tolerance, see `excess`.
//
// The error is error_constant h^3 times the third derivative, taken from the change of the accelerations. Summed over
// a run, the local errors are at most about rtol times the path travelled; a step with 1.5 times its tolerance is
// still accepted.
template <class Real>
Real error_of_step(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                   const AlphaSettings& given) {
  AlphaSettings settings = given;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto speed = body_norms(layout, work, b, trial.body_v);
    state.top_speed(b, RIGID_SPEED) = larger(state.top_speed(b, RIGID_SPEED), speed.rigid);
    state.top_speed(b, MODAL_SPEED) = larger(state.top_speed(b, MODAL_SPEED), speed.modal);
  }
  if (is_relative(state)) judge_massless_by_others(layout, state);
  settings.rtol = tolerance_of_motion(layout, state, given);
  state.largest_rtol = larger(state.largest_rtol, settings.rtol);
  state.prescribed_part = prescribed_part_of(layout, settings.rtol / given.rtol, given);
  acceleration_change(layout, work, state, trial);
  Real error = excess(layout, work, state, trial.delta, settings.error_constant * h * h, h, settings.rtol);
  if (settings.tells == 0) return error;
  measure_motion(layout, work, state, trial);
  measure_axes(layout, work, state, trial, settings);
  if (!may_vibrate(layout, work, state)) {
    state.vibrates = 0;
    return error;
  }
  const Blow blow = blow_of(layout, work, state, h);
  if (blow.elements > 0) state.fresh = 0;  // these factors contain its stiffness
  if (settings.vibrations > 0.0 && (error > 1.0 || has_rotors(layout, work, state, settings)))
    error = error_beside_vibrations(layout, work, state, trial, h, error, blow, settings);
  if (state.counts->steps % LOOKS_EVERY == 0) look_for_vibrations(layout, work, state, trial, h, error, settings);
  return error;
}

}  // namespace flexbody
