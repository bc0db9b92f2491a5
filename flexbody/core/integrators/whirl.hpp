// The error of a step beside rotors, which turn in place.
//
// The rim of a rotor moves far, and beside this motion that of its axis is small. Vibrations of bearings are then not
// followed, and as a rule need not be: far above the speed of rotation they are deflected as by a force at rest. A
// vibration that is not much faster than the rotation is excited by it: by the unbalance, at a critical speed. What
// it does to the axis, the whirl, is compared with how far this axis moves.
//
// A filter finds it: e = F^-2 times the change of the accelerations, F = 1 + (w / (EXCITED Omega))^2 for a vibration
// of frequency w beside the fastest rotation in the run, Omega. The rotations of bodies about their axes do not
// count, nor does what constraints put right in the same step, as they do where a shaft that turns is bent: the last
// pass of F is that with G x = 0.
#pragma once
#include "vibrations.hpp"

namespace flexbody {

// A rotor turns in place if its axis has not moved farther than this part of the way of its rim, and more than so
// many times in the run.
constexpr double IN_PLACE = 0.2, MANY_TURNS = 3.0;
// The unbalance excites vibrations that are less than about so many times as fast as the rotation.
constexpr double EXCITED = 3.0;
// Of the whirl a step may lose this factor times `AlphaSettings.vibrations` (1e-4 by default), which is 0.11 rad of
// the rotation in a step.
constexpr double LOST_WHIRL = 0.2;
// A run that may lose more than this part of vibrations is a rough one, which only finds how far bodies move.
constexpr double ROUGH = 0.1;
// Axes are judged as if they moved at least by this part of the way of the rim. Rotors are balanced to about a
// hundred thousandth of their size: what a whirl of this size loses in a step is 20 times as large beside it.
constexpr double BALANCED = 2e-4;
// The three numbers of x from k on.
template <class Real>
Vector<Real> three_of(const Array<Real, 1>& x, Index k) {
  return {x[k], x[k + 1], x[k + 2]};
}

template <class Real>
Real length_of(const Vector<Real>& x) {
  return std::sqrt(dot(x, x));
}

// Note how far the axis about which each body rotates has moved since the run began, m (its centre of mass, or its
// direction times the radius of gyration), how far its rim, and how fast it turns.
template <class Real>
void measure_axes(const Layout& layout, AlphaState<Real>& state, const AlphaTrial<Real>& trial) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Vector<Real> way = vector_of(trial.c, b) - vector_of(state.first_c, b);
    const Vector<Real> first{state.first_q(b, 1), state.first_q(b, 2), state.first_q(b, 3)};
    const Vector<Real> now{trial.q(b, 1), trial.q(b, 2), trial.q(b, 3)};
    // sine of half the angle between both attitudes, times the axis between them, in the base of the body
    const Vector<Real> sine = state.first_q(b, 0) * now - trial.q(b, 0) * first - cross(first, now);
    const Vector<Real> w = three_of(trial.body_v, layout.v_at[b] + 3);
    const Real rate = length_of(w), turned = length_of(sine);
    const Real tilted = rate > 0.0 ? length_of(cross(w, sine)) / rate : turned;
    const double size = 2.0 * layout.body_size[b];
    const auto of = state.axes[b];
    of[AXIS_TRAVEL] = larger<Real>(of[AXIS_TRAVEL], larger<Real>(length_of(way), size * tilted));
    of[RIM_TRAVEL] = larger<Real>(of[RIM_TRAVEL], size * turned);
    of[TOP_RATE] = larger<Real>(of[TOP_RATE], rate);
    state.rotation = larger<Real>(state.rotation, rate);
  }
}

// Whether body b is a rotor that turns in place.
template <class Real>
bool turns_in_place(const AlphaState<Real>& state, Index b, const AlphaSettings& settings) {
  const auto of = state.axes[b];
  return of[AXIS_TRAVEL] < IN_PLACE * of[RIM_TRAVEL] && of[TOP_RATE] * settings.duration > 2.0 * PI * MANY_TURNS;
}

// Whether there are such rotors, in a run that is not a rough one.
template <class Real>
bool has_rotors(const AlphaState<Real>& state, const AlphaSettings& settings) {
  if (settings.vibrations > ROUGH) return false;
  for (Index b = 0; b < state.axes.shape[0]; ++b)
    if (turns_in_place(state, b, settings)) return true;
  return false;
}

// Whether deformation s vibrates with this frequency, rad/s, as part of the whirl of a rotor, which steps follow: it
// is a displacement of the rotor, no rotation.
template <class Real>
bool follows_whirl(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index s, Real rate,
                   const AlphaSettings& settings) {
  if (settings.vibrations > ROUGH || turns_about(work, s) || !(rate < EXCITED * state.rotation)) return false;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    if (!turns_in_place(state, b, settings)) continue;
    for (Index r = layout.body_row_at[b]; r < layout.body_row_at[b + 1]; ++r)
      if (layout.elimination[layout.body_row[r]] - layout.row_kind.size() == s) return true;
  }
  return false;
}

// What a step of size h loses of the whirl of rotors over what it may. Leaves no factors of the iteration matrix.
template <class Real>
Real whirl_error(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                 const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f), turned = EXCITED * h * state.rotation;
  if (!factorise_filter(layout, work, state, h, mass / (settings.beta * turned * turned), settings)) return INF;
  acceleration_change(layout, work, state, trial);
  filter(layout, work, mass, trial.delta);
  work.right.fill(0.0);
  filter_to(layout, work, mass, trial.delta);
  const Real rest = ROUND_OFF_UNITS * EPS * layout.length, may = LOST_WHIRL * settings.vibrations;
  const double factor = settings.error_constant * h * h;
  Real worst = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    if (!turns_in_place(state, b, settings)) continue;
    const Index first = layout.v_at[b] + 3;
    const Vector<Real> w = three_of(trial.body_v, first);
    const Real square_of_rate = dot(w, w);
    if (square_of_rate > 0.0) {
      const Real along = dot(w, three_of(trial.delta, first)) / square_of_rate;
      for (Index k = 0; k < 3; ++k) trial.delta[first + k] -= along * w[k];
    }
    const auto size = body_norms(layout, work, b, trial.delta);
    const Real way = larger<Real>(state.axes(b, AXIS_TRAVEL), BALANCED * state.axes(b, RIM_TRAVEL));
    const Real bent = larger<Real>(state.deformation[b], DEFORMATION * way);
    worst =
        larger(worst, larger(factor * size.rigid / (may * way + rest), factor * size.modal / (may * bent + rest)));
  }
  return worst;
}

}  // namespace flexbody
