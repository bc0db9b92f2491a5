// What steps lose of the vibrations of flexible bodies and elastic elements, as an error of deformations and forces.
//
// A free vibration of frequency w about what the loads cause has the accelerations x = -w^2 d, d its deflections. One
// pass of F with a very large k, see vibrations.hpp, leaves x / (k (beta / m) (h w)^2), from which d follows: of what
// only follows a load of the frequency v it is the part (v / w)^2. How much d changes in a step tells how far it
// turns, and the error of its phase is C (h w)^3 in a step: the error of the deflection grows by that part of the
// amplitude, and up to twice that. Vibrations that are much faster than those that have most of d are seen in the
// same way in x. Modal coordinates and elements count each by itself, these with their stiffness times what d deforms
// them by; some steps are looked at.
#pragma once
#include "not_followed.hpp"
#include "step_error.hpp"

namespace flexbody {

// A step is looked at behind so many others, where its factors are lost anyway, behind so many more elsewhere, and
// where its size is no longer that of the last one by this factor.
constexpr double LOOKS_AT_BODIES = 16.0, MOST_BETWEEN_LOOKS = 128.0, BETWEEN_LOOKS_AT_ELEMENTS = 24.0,
                 OTHER_STEP = 1.3;
// Squares of deflections are forgotten by this factor from look to look.
constexpr double FORGETS_RING = 0.75;

// A look that has this part of a sum of squares begins a new one; a sum with the second part of the weight of endless
// looks tells a frequency.
constexpr double SUDDEN = 0.7, SURE = 0.625;
// Frequencies follow from deflections and what these would deflect. The changes from step to step tell a smaller one
// where d only follows a load; they count with this factor, because few looks tell them.
constexpr double FORCED = 1.4;
// Accelerations are those of faster vibrations where they tell so many times the frequency.
constexpr double APART = 1.5;
// A deflection that stands still in space turns in the body: accelerations that turn no faster than this factor times
// the body are left to the deflections.
constexpr double TURNS_WITH_BODY = 1.15;

// Faster vibrations than of this product of step and frequency are left to `follow_swing`: they are those of elements
// and of what is next to them.
constexpr double MOST_TURN = 2.0;
// What is driven at its own frequency has errors which add up in one direction: their sum has more than this part of
// the sum of their sizes. The phase of each is off by no more than the second number.
constexpr double ONE_WAY = 0.5, LITTLE_PHASE = 0.5;
// An error that is no less than this part of its largest has not died out.
constexpr double STILL_LOST = 0.5;

// Columns of AlphaState.rings: the deflection of a modal coordinate about what the loads cause, its change in a step,
// and the same as deflection once more; its acceleration, and the change of it; the frequency of what is lost, rad/s;
// the forgotten sums of squares of the first and of the third of these; the sums of squares of deflections and their
// changes, and the weight of these, and the same of accelerations; what is lost of slow and of fast vibrations; the
// angle through which a slow one has turned, the two parts of its error in the base that turns so, and the sum of the
// sizes of what these are added up from. Those of elastic elements are times the stiffness.
enum RingColumn : Index {
  RING_NOW = 0,
  RING_CHANGE = 1,
  RING_SOFT = 2,
  RING_RATE_NOW = 3,
  RING_RATE_CHANGE = 4,
  RING_RATE = 5,
  RING_NOWS = 6,
  RING_SOFTS = 7,
  RING_SLOW = 8,
  RING_FAST = 11,
  RING_SLOW_LOST = 14,
  RING_FAST_LOST = 15,
  RING_ANGLE = 16,
  RING_ALONG = 17,
  RING_ACROSS = 18,
  RING_SUM = 19,
};

// Whether there are elastic elements.
inline bool has_springs(const Layout& layout) {
  for (Index e = 0; e < layout.element.shape[0]; ++e)
    if (layout.element(e, ELASTIC) != 0) return true;
  return false;
}

// Whether a step of size h is looked at, of those with error control of machines with flexible bodies or elastic
// elements.
template <class Real>
bool looks_at_bodies(const Layout& layout, AlphaState<Real>& state, double h, const AlphaSettings& settings) {
  const bool flexible = layout.alpha_at[layout.body_mass.size()] > 0;
  if (!(settings.rtol > 0.0) || !(flexible || has_springs(layout))) return false;
  state.ring_steps += 1.0;
  state.ring_time += h;
  state.ring_cubes += h * h * h;
  const double share = h / state.ring_step;
  const bool other = (state.factored == 0.0 || std::abs(state.factored - h) > 0.2 * h) &&
                     !(share < OTHER_STEP && share * OTHER_STEP > 1.0);
  const double between = flexible ? MOST_BETWEEN_LOOKS : BETWEEN_LOOKS_AT_ELEMENTS;
  return other || state.ring_steps >= (state.factored == 0.0 ? LOOKS_AT_BODIES : between);
}

// The turn of a vibration in a step, of whose deflections and their changes these are sums of squares.
template <class Real>
Real turn_of(Real squares, Real changes) {
  // (2 sin(turn / 2))^2, which is below four, is what the changes have of the deflections
  const Real sine = 0.25 * changes / squares;
  return 2.0 * std::sqrt(sine / larger<Real>(1.0 - sine, 1e-2));
}

// Add a look at a step of size h to the sums from column `first` on; returns the mean square. `turned` is the turn in
// a step, `factor` times what the changes tell, at most as it is given; NaN where it is not known yet. Sums are
// forgotten to the part `kept`.
template <class Real>
Real look_at(Reals<Real> ring, Index first, Real now, Real change, double h, double factor, double kept,
             Real& turned) {
  Real *squares = &ring[first], *changes = squares + 1, *weight = squares + 2;
  const bool sudden = square(now) > SUDDEN * (FORGETS_RING * *squares + square(now));
  const double old = sudden ? 0.0 : kept;
  *squares = old * *squares + square(now);
  *changes = old * *changes + square(change / h);
  *weight = old * *weight + 1.0;
  turned = smaller<Real>(factor * turn_of<Real>(*squares, h * h * *changes), turned);
  if (sudden || !(*weight * (1.0 - kept) > SURE)) turned = NaN;
  return *squares / *weight;
}

// lost = what the steps since the last look add to the error of a vibration of this amplitude and frequency, up to
// `most`; damping that is `damped` times the stiffness ends what was added.
template <class Real>
void add_lost(const AlphaState<Real>& state, Real& lost, Real amplitude, Real most, Real rate, double damped,
              const AlphaSettings& settings) {
  if (rate > 0.0) lost *= std::exp(-0.5 * damped * rate * rate * state.ring_time);
  const Real phase = settings.error_constant * rate * rate * rate * state.ring_cubes;
  if (lost < most && phase > 0.0) lost = smaller<Real>(most, lost + phase * amplitude);
}

// Error of a slow vibration of the given amplitude, which turns by `turn` in a step of size h.
//
// With the frequency w' = w (1 - C (h w)^2) of the method instead of w, a vibration d has the error e with
// e'' + w^2 e = (w'^2 - w^2) d. In a base that turns with w it is the sum of i times the phase of each step times d:
// of a free vibration it is no more than twice the amplitude, and one that is driven at its own frequency lacks what
// would have grown.
template <class Real>
Real slow_error(const AlphaState<Real>& state, Reals<Real> ring, Real amplitude, Real turn, double h, double damped,
                const AlphaSettings& settings) {
  const Real rate = turn / h, phase = settings.error_constant * rate * rate * rate * state.ring_cubes;
  if (!(phase > 0.0)) return ring[RING_SLOW_LOST];
  const Real kept = std::exp(-0.5 * damped * rate * rate * state.ring_time);
  // d now and a step before tell its part a quarter of a period ahead
  const Real turned = 2.0 * std::atan(0.5 * turn), cosine = std::cos(ring[RING_ANGLE]),
             sine = std::sin(ring[RING_ANGLE]), now = ring[RING_NOW];
  const Real ahead = (now * (1.0 - std::cos(turned)) - ring[RING_CHANGE]) / std::sin(turned);
  ring[RING_ALONG] = kept * ring[RING_ALONG] + phase * (now * cosine + ahead * sine);
  ring[RING_ACROSS] = kept * ring[RING_ACROSS] + phase * (ahead * cosine - now * sine);
  ring[RING_SUM] = kept * ring[RING_SUM] + phase * std::sqrt(square(now) + square(ahead));
  add_lost<Real>(state, ring[RING_SLOW_LOST], amplitude, 2.0 * amplitude, rate, damped, settings);
  const Real error = std::sqrt(square(ring[RING_ALONG]) + square(ring[RING_ACROSS]));
  const bool driven = phase < LITTLE_PHASE && error > ONE_WAY * ring[RING_SUM];
  return driven ? larger<Real>(error, ring[RING_SLOW_LOST]) : ring[RING_SLOW_LOST];
}

// The error of modal coordinate, or force, i behind a step of size h; `spin` is the speed of the body, rad/s.
//
// Slow vibrations are seen in the deflections, fast ones in the accelerations, to which the slow ones add. A
// vibration in opposite phase is off by twice its amplitude, whose square is that of the deflection and of its change
// over the turn in a step.
template <class Real>
Real lost_of_coordinate(AlphaState<Real>& state, Index i, double damped, Real spin, double h,
                        const AlphaSettings& settings) {
  const auto ring = state.rings[i];
  // what damping has ended since the last look is forgotten
  const Real ended =
      ring[RING_RATE] > 0.0 ? std::exp(-damped * square(ring[RING_RATE]) * state.ring_time) : Real(1.0);
  const double kept = FORGETS_RING * ended;
  ring[RING_SOFTS] = FORGETS_RING * ring[RING_SOFTS] + square(ring[RING_SOFT]);
  ring[RING_NOWS] = FORGETS_RING * ring[RING_NOWS] + square(ring[RING_NOW]);
  Real slow = h * std::sqrt(std::sqrt(ring[RING_NOWS] / ring[RING_SOFTS])), fast = INF;  // turns in a step
  if (slow > 0.0) ring[RING_ANGLE] = std::fmod(ring[RING_ANGLE] + slow / h * state.ring_time, 2.0 * PI);
  const Real deflections = look_at<Real>(ring, RING_SLOW, ring[RING_NOW], ring[RING_CHANGE], h, FORCED, kept, slow);
  const Real accelerations =
      look_at<Real>(ring, RING_FAST, ring[RING_RATE_NOW], ring[RING_RATE_CHANGE], h, 1.0, kept, fast);
  if (!(deflections > 0.0 && accelerations > 0.0)) return 0.0;
  const Real least = std::sqrt(accelerations / deflections), rate = larger<Real>(square(fast / h), least);
  const Real swung = square(h) * ring[RING_SLOW + 1] / (ring[RING_SLOW + 2] * square(slow));
  const Real wide = std::sqrt(deflections + swung), narrow = std::sqrt(2.0 * accelerations) / rate;
  const Real lost = slow_error<Real>(state, ring, wide, slow, h, damped, settings);
  if (fast < APART * slow || fast < TURNS_WITH_BODY * h * spin) fast = 0.0;
  add_lost<Real>(state, ring[RING_FAST_LOST], narrow, narrow, fast / h, damped, settings);
  const bool is_fast = ring[RING_FAST_LOST] > lost;
  ring[RING_RATE] = (is_fast && fast > 0.0 ? fast : slow) / h;
  return is_fast ? ring[RING_FAST_LOST] : lost;
}

// A column of state.rings from x (nv,): the modal parts, and the forces that elastic elements would have if x were
// deflections. The factors are those of F with RIGID.
template <class Real>
void keep_rings(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state, Reals<Real> x, double h,
                const AlphaSettings& settings, Index column) {
  const Index modes = layout.alpha_at[layout.body_mass.size()], rows = layout.row_kind.size();
  for (Index i = modes; i < state.rings.shape[0]; ++i) state.rings(i, column) = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b], first = layout.v_at[b];
    for (Index i = 6; i < n; ++i) state.rings(layout.alpha_at[b] + i - 6, column) = x[first + i];
    Index at = layout.body_block_at[b];
    for (Index r = layout.body_row_at[b]; r < layout.body_row_at[b + 1]; ++r, at += n) {
      const Index s = layout.elimination[layout.body_row[r]] - rows;
      if (s < 0 || !(state.compliance[s] > 0.0)) continue;
      const Real stiffness = 1.0 / (state.compliance[s] * RIGID * h * h * settings.beta);
      for (Index i = 0; i < n; ++i) state.rings(modes + s, column) += stiffness * work.G[at + i] * x[first + i];
    }
  }
}

// Add what a step of size h to t, and those since the last look, lose of the vibrations of elastic elements.
template <class Real>
void add_lost_of_elements(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state, double t, double h,
                          const AlphaSettings& settings) {
  const Index modes = layout.alpha_at[layout.body_mass.size()];
  for (Index s = 0; s < state.compliance.size(); ++s) {
    const auto course = state.swings[s];
    const bool elastic = layout.element(layout.deformation_element[s], ELASTIC) != 0;
    if (!elastic || !is_spring(layout, work, state, s)) continue;
    const double damped = course[SWING_DAMPING];
    const Real lost = lost_of_coordinate<Real>(state, modes + s, damped, 0.0, h, settings);
    const Real rate = state.rings(modes + s, RING_RATE);
    if (!(h * rate < MOST_TURN)) {  // `follow_swing` has noted it
      state.rings(modes + s, RING_SLOW_LOST) = state.rings(modes + s, RING_FAST_LOST) = 0.0;
      continue;
    }
    if (follows_whirl(layout, work, state, s, rate, settings)) continue;
    if (lost > course[SWING_LOST]) note_swing<Real>(course, SWING_TOP, lost, square(rate), t);
    if (lost > STILL_LOST * course[SWING_LOST]) course[SWING_TIME] = t;
  }
}

// Add what a step of size h to t, and those since the last look, lose of the vibrations of all bodies and elastic
// elements. Leaves no factors of the iteration matrix.
template <class Real>
void follow_bodies(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double t,
                   double h, const AlphaSettings& settings) {
  if (!factorise_filter(layout, work, state, h, RIGID, settings)) return;
  Buffer<Real> x(trial.delta.size()), held(trial.delta.size());
  const auto pass = [&](Index column) {
    as_deflections(layout, work, x.view(), held.view(), h, settings);
    keep_rings(layout, work, state, held.view(), h, settings, column);
  };
  spread(layout, work, state, trial.vdot, x.view());
  pass(RING_RATE_NOW);
  pass(RING_NOW);
  pass(RING_SOFT);
  for (Index i = 0; i < trial.own.size(); ++i) trial.own[i] = trial.vdot[i] - state.vdot[i];
  spread(layout, work, state, trial.own, x.view());
  pass(RING_RATE_CHANGE);
  pass(RING_CHANGE);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = layout.body_modes[b], first = layout.alpha_at[b];
    if (n == 0) continue;
    const auto C8_of = coefficient(layout, b, C8, n * n), K_of = coefficient(layout, b, K, n * n);
    const auto D_of = coefficient(layout, b, D, n * n);
    Real lost = 0.0, rate = 0.0, worst = 0.0, size = 0.0, squares = 0.0;
    for (Index i = 3; i < 6; ++i) squares += square(trial.body_v[layout.v_at[b] + i]);
    const Real spin = std::sqrt(squares);
    for (Index i = 0; i < n; ++i) {
      const double weight = C8_of[i * (n + 1)] / layout.body_mass[b], stiffness = K_of[i * (n + 1)];
      const double damped = stiffness > 0.0 ? D_of[i * (n + 1)] / stiffness : 0.0;
      const Real one = weight * square(lost_of_coordinate(state, first + i, damped, spin, h, settings));
      lost += one;
      size += weight * square(trial.alpha[first + i]);
      if (one > worst) worst = one, rate = state.rings(first + i, RING_RATE);
    }
    const auto of = state.lost[b];
    of[LOST_TOP] = larger<Real>(of[LOST_TOP], std::sqrt(size));
    lost = std::sqrt(lost);
    if (!(lost > of[LOST_ERROR])) continue;
    if (!(of[LOST_ERROR] > NOTED_PART * of[LOST_TOP])) of[LOST_SINCE] = t;
    of[LOST_ERROR] = lost;
    of[LOST_RATE] = rate;
  }
  add_lost_of_elements(layout, work, state, t, h, settings);
  state.ring_steps = state.ring_time = state.ring_cubes = 0.0;
  state.ring_step = h;
}

}  // namespace flexbody
