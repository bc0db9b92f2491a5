// The error of a step beside rotors, which turn in place.
//
// The rim of a rotor moves far, and beside this motion that of its axis is small. Vibrations of bearings are then not
// followed, and as a rule need not be: far above the speed of rotation they are deflected as by a force at rest. A
// vibration that is not much faster than the rotation is excited by it: by the unbalance, at a critical speed. What
// it does to the axis, the whirl, is compared with how far this axis moves: in space, and beside what carries the
// rotor, a carriage or an arm that moves far itself.
//
// A filter finds it: e = F^-2 times the change of the accelerations, F = 1 + (w / (EXCITED Omega))^2 for a vibration
// of frequency w beside the fastest rotation in the run, Omega. The rotations of bodies about their axes do not
// count, nor does what constraints put right in the same step, as they do where a shaft that turns is bent: the last
// pass of F is that with G x = 0. Beside a carrier F is applied once more: wheels that roll are rotors too, and what
// shakes a car makes them vibrate in their bearings, often far above the speed of rotation.
//
// So are vibrations of torsion small beside the rotation of a shaft. In elastic elements between bodies that turn
// they are compared with the largest twist.
#pragma once
#include "vibrations.hpp"

namespace flexbody {

// A rotor turns in place, in space or beside what carries it, if its axis has not moved farther than this part of the
// way of its rim, and more than so many times in the run.
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

// A rotation: cosine and sine of half its angle, the latter times its axis.
template <class Real>
struct Turn {
  Real cosine;
  Vector<Real> sine;
};

template <class Real>
Turn<Real> turn_of(const Array<Real, 2, 4>& q, Index b) {
  return {q(b, 0), {q(b, 1), q(b, 2), q(b, 3)}};
}

// The rotation from one attitude to another one, in the base of the first.
template <class Real>
Turn<Real> turn_between(const Turn<Real>& one, const Turn<Real>& other) {
  return {one.cosine * other.cosine + dot(one.sine, other.sine),
          one.cosine * other.sine - other.cosine * one.sine - cross(one.sine, other.sine)};
}

// x turned back.
template <class Real>
Vector<Real> turned_back(const Turn<Real>& turn, const Vector<Real>& x) {
  const Vector<Real> across = 2.0 * cross(turn.sine, x);
  return x - turn.cosine * across + cross(turn.sine, across);
}

// Place and attitude of a body.
template <class Real>
struct Pose {
  Vector<Real> place;
  Turn<Real> turn;
};

// Those of body b as seen from body k, or from the ground (-1).
template <class Real>
Pose<Real> seen_from(const Array<Real, 2, 3>& c, const Array<Real, 2, 4>& q, Index k, Index b) {
  const Pose<Real> pose{vector_of(c, b), turn_of(q, b)};
  if (k < 0) return pose;
  const Turn<Real> base = turn_of(q, k);
  return {turned_back(base, pose.place - vector_of(c, k)), turn_between(base, pose.turn)};
}

// The angular velocity of body b beside that of what carries it, k, in the base of b; v are velocities or the like.
template <class Real>
Vector<Real> rotation_beside(const Layout& layout, const Work<Real>& work, Reals<Real> v, Index k, Index b) {
  const Vector<Real> w = three_of(v, layout.v_at[b] + 3);
  if (k < 0) return w;
  return w - transposed_times(matrix_of(work.Q, b), matrix_of(work.Q, k) * three_of(v, layout.v_at[k] + 3));
}

// Note how the axis of body b has moved beside what may carry it, number p of Layout.carrier.
template <class Real>
void measure_axis(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state,
                  const AlphaTrial<Real>& trial, Index b, Index p) {
  const Index k = layout.carrier[p];
  const Pose<Real> first = seen_from(state.first_c, state.first_q, k, b), now = seen_from(trial.c, trial.q, k, b);
  const Vector<Real> sine = turn_between(first.turn, now.turn).sine;
  const Vector<Real> w = rotation_beside(layout, work, trial.body_v, k, b);
  const Real rate = length_of(w), turned = length_of(sine);
  const Real tilted = rate > 0.0 ? length_of(cross(w, sine)) / rate : turned;
  const double size = 2.0 * layout.body_size[b];
  const auto of = state.axes[p];
  of[AXIS_TRAVEL] = larger<Real>(of[AXIS_TRAVEL], larger<Real>(length_of(now.place - first.place), size * tilted));
  of[RIM_TRAVEL] = larger<Real>(of[RIM_TRAVEL], size * turned);
  of[TOP_RATE] = larger<Real>(of[TOP_RATE], rate);
}

// Whether rotation p of state.axes makes many turns in the run.
template <class Real>
bool turns_often(const AlphaState<Real>& state, Index p, const AlphaSettings& settings) {
  return state.axes(p, TOP_RATE) * settings.duration > 2.0 * PI * MANY_TURNS;
}

// Note how far the axis about which each body rotates has moved since the run began, m (its centre of mass, or its
// direction times the radius of gyration), how far its rim, and how fast it turns: in space, and those of rotors
// beside what may carry them.
template <class Real>
void measure_axes(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state,
                  const AlphaTrial<Real>& trial, const AlphaSettings& settings) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index ground = layout.carrier_at[b];
    measure_axis(layout, work, state, trial, b, ground);
    state.rotation = larger<Real>(state.rotation, state.axes(ground, TOP_RATE));
    if (!turns_often(state, ground, settings)) continue;
    for (Index p = ground + 1; p < layout.carrier_at[b + 1]; ++p) measure_axis(layout, work, state, trial, b, p);
  }
}

// Whether it is that of a rotor which turns in place.
template <class Real>
bool turns_in_place(const AlphaState<Real>& state, Index p, const AlphaSettings& settings) {
  const auto of = state.axes[p];
  return of[AXIS_TRAVEL] < IN_PLACE * of[RIM_TRAVEL] && turns_often(state, p, settings);
}

// The first of what may carry body b, without the ground, on which it turns in place, as a number of Layout.carrier;
// -1 if there is none.
template <class Real>
Index carrier_of(const Layout& layout, const AlphaState<Real>& state, Index b, const AlphaSettings& settings) {
  const Index ground = layout.carrier_at[b];
  if (!turns_often(state, ground, settings)) return -1;
  for (Index p = ground + 1; p < layout.carrier_at[b + 1]; ++p)
    if (turns_in_place(state, p, settings)) return p;
  return -1;
}

// Whether body b is a rotor.
template <class Real>
bool is_rotor(const Layout& layout, const AlphaState<Real>& state, Index b, const AlphaSettings& settings) {
  return turns_in_place(state, layout.carrier_at[b], settings) || carrier_of(layout, state, b, settings) >= 0;
}

// Whether the body of frame f makes many turns in the run.
template <class Real>
bool frame_turns(const Layout& layout, const AlphaState<Real>& state, Index f, const AlphaSettings& settings) {
  const Index b = f < 0 ? -1 : layout.frame_body[f];
  return b >= 0 && turns_often(state, layout.carrier_at[b], settings);
}

// Whether deformation s is the torsion of an elastic element, or that of teeth or of a belt which hold, between two
// bodies that make many turns.
template <class Real>
bool is_torsion(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index s,
                const AlphaSettings& settings) {
  const Index e = layout.deformation_element[s];
  const bool twists = layout.element(e, ELASTIC) != 0 && turns_about(work, s);
  if (!(state.compliance[s] > 0.0) || !(twists || is_held_band(layout, work, state, s))) return false;
  return frame_turns(layout, state, layout.element(e, FIRST), settings) &&
         frame_turns(layout, state, layout.element(e, SECOND), settings);
}

// Whether there are rotors or such torsion, in a run that is not a rough one.
template <class Real>
bool has_rotors(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                const AlphaSettings& settings) {
  if (settings.vibrations > ROUGH) return false;
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    if (is_rotor(layout, state, b, settings)) return true;
  for (Index s = 0; s < state.compliance.size(); ++s)
    if (is_torsion(layout, work, state, s, settings)) return true;
  return false;
}

// Whether deformation s vibrates with this frequency, rad/s, as part of the whirl of a rotor, which steps follow: it
// is a displacement of the rotor, or torsion beside its rotation.
template <class Real>
bool follows_whirl(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index s, Real rate,
                   const AlphaSettings& settings) {
  if (settings.vibrations > ROUGH || !(rate < EXCITED * state.rotation)) return false;
  if (turns_about(work, s)) return is_torsion(layout, work, state, s, settings);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    if (!is_rotor(layout, state, b, settings)) continue;
    for (Index r = layout.body_row_at[b]; r < layout.body_row_at[b + 1]; ++r)
      if (layout.elimination[layout.body_row[r]] - layout.row_kind.size() == s) return true;
  }
  return false;
}

// x (nv,) of body b, an error of displacements or accelerations, beside that of what carries it (p of
// Layout.carrier), without the rotation about its axis, over what a step may lose; `x` times `factor` is one of
// displacements.
template <class Real>
Real whirl_of(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
              const AlphaTrial<Real>& trial, Index b, Index p, Reals<Real> x, double factor,
              const AlphaSettings& settings) {
  const Index first = layout.v_at[b], n = 6 + layout.body_modes[b], k = layout.carrier[p];
  Buffer<Real> beside(x.size());
  for (Index i = first; i < first + n; ++i) beside[i] = x[i];
  if (k >= 0) {
    const Vector<Real> lever = vector_of(trial.c, b) - vector_of(trial.c, k);
    const Vector<Real> turned = matrix_of(work.Q, k) * three_of(x, layout.v_at[k] + 3);
    put(beside.view(), first, three_of(x, first) - three_of(x, layout.v_at[k]) - cross(turned, lever));
    put(beside.view(), first + 3, rotation_beside(layout, work, x, k, b));
  }
  const Vector<Real> w = rotation_beside(layout, work, trial.body_v, k, b), spin = three_of(beside.view(), first + 3);
  const Real square_of_rate = dot(w, w);
  if (square_of_rate > 0.0) put(beside.view(), first + 3, spin - (dot(w, spin) / square_of_rate) * w);
  const auto size = body_norms(layout, work, b, beside.view());
  const Real rest = ROUND_OFF_UNITS * EPS * layout.length, may = LOST_WHIRL * settings.vibrations;
  const Real way = larger<Real>(state.axes(p, AXIS_TRAVEL), BALANCED * state.axes(p, RIM_TRAVEL));
  const Real bent = larger<Real>(state.deformation[b], DEFORMATION * way);
  return factor * larger(size.rigid / (may * way + rest), size.modal / (may * bent + rest));
}

// x (nv,), an error of accelerations, in torsion, over what a step may lose. Needs the latest `blocks`. The largest
// twist counts as at least BALANCED, rad, or this part of the machine's length.
template <class Real>
Real torsion_error(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x,
                   double factor, const AlphaSettings& settings) {
  const Index rows = layout.row_kind.size();
  Buffer<Real> twist(state.twist.size());
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b], first = layout.v_at[b];
    Index at = layout.body_block_at[b];
    for (Index r = layout.body_row_at[b]; r < layout.body_row_at[b + 1]; ++r, at += n) {
      const Index s = layout.elimination[layout.body_row[r]] - rows;
      if (s < 0) continue;
      for (Index i = 0; i < n; ++i) twist[s] += work.G[at + i] * x[first + i];
    }
  }
  const Real rest = ROUND_OFF_UNITS * EPS, may = LOST_WHIRL * settings.vibrations;
  Real worst = 0.0;
  for (Index s = 0; s < twist.size(); ++s)
    if (is_torsion(layout, work, state, s, settings)) {
      const double unit = turns_about(work, s) ? 1.0 : layout.length;
      const Real largest = larger<Real>(state.twist[s], BALANCED * unit);
      worst = larger<Real>(worst, factor * std::abs(twist[s]) / (may * largest + rest * unit));
    }
  return worst;
}

// What a step of size h loses of the whirl and torsion of rotors over what it may. Leaves no factors of the iteration
// matrix.
template <class Real>
Real whirl_error(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                 const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f), turned = EXCITED * h * state.rotation;
  if (!factorise_filter(layout, work, state, h, mass / (settings.beta * turned * turned), settings)) return INF;
  acceleration_change(layout, work, state, trial);
  Buffer<Real> twice(trial.delta.size());
  const double factor = settings.error_constant * h * h;
  Real worst = 0.0;
  const auto judge = [&](Index b, Index p, Reals<Real> x) {
    worst = larger(worst, whirl_of(layout, work, state, trial, b, p, x, factor, settings));
  };
  filter(layout, work, mass, trial.delta);
  twice.copy(trial.delta);
  filter(layout, work, mass, trial.delta);
  work.right.fill(0.0);
  filter_to(layout, work, mass, twice.view());
  filter_to(layout, work, mass, trial.delta);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index ground = layout.carrier_at[b], carrier = carrier_of(layout, state, b, settings);
    if (turns_in_place(state, ground, settings)) judge(b, ground, twice.view());
    if (carrier >= 0) judge(b, carrier, trial.delta);
  }
  return larger(worst, torsion_error(layout, work, state, trial.delta, factor, settings));
}

}  // namespace flexbody
