// The energy that dampers dissipate and loads put in during a step.
//
// Where steps do not follow a vibration, the velocities at their ends are far above what they move by, and the powers
// there tell nothing. The trapezoidal rule (rho_inf = 1) changes the energy of a linear system in a step by
//
//     (Q + Q') / 2 . dx - h (dx / h)' D (dx / h),
//
// dx the displacements, Q and Q' the loads at both ends: what dampers and loads are told is this, and the rest is
// what the method loses. Laws of elements are called with the mean rates of the step and the means of their states
// and inputs, and drives by functions of time act along their way. What only dissipates is never told less than zero.
#pragma once
#include "../data/alpha_state.hpp"
#include "../forces/controllers.hpp"
#include "../forces/force_elements.hpp"
#include "alpha_motion.hpp"
#include "work_at_ends.hpp"

namespace flexbody {

// Keep the powers at the beginning of the next step, and what belongs to them.
template <class Real>
void keep_powers(const Work<Real>& work, AlphaState<Real>& state) {
  state.power.copy(work.power);
  state.work_deformation.copy(work.deformation);
  state.work_rate.copy(work.deformation_rate);
  state.work_force.copy(work.element_force);
  state.work_input.copy(work.law_input);
  state.work_power.copy(work.element_power);
  state.work_signal.copy(work.signal);
  state.work_acted.copy(work.acted);
  state.work_phi_t.copy(work.phi_t);
  state.work_driven.copy(work.driven);
  state.work_load.copy(work.load);
  if (state.work_frame_r.shape[0] > 0) keep_frames(work, state);
}

// Whether the rate of the k-th deformation of element e is that of its value; others have a rate alone.
inline bool has_value(const Layout& layout, Index e, Index k) {
  const Index geometry = layout.element(e, GEOMETRY);
  if (geometry == CONTACT) return k % PER_POINT == 0;
  if (geometry == BETWEEN) return !is_free(layout.element(e, COORDINATE), k);
  return geometry != SLIP && geometry != SEPARATION;
}

// The mean powers of element e in the step of size h to t: what its law says with the mean rates, and with the
// deformations at both ends, half of each; of a law with states, but contacts, with the mean deformations. The work
// of a law that is called back is known, it is not called again.
template <class Real>
MeanPowers<Real> powers_in_step(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Index e,
                                double t, double h) {
  const Index at = layout.element(e, AT), m = layout.element(e, COUNT), geometry = layout.element(e, GEOMETRY);
  const Index first = layout.element(e, STATE_AT), nz = layout.element(e, STATES);
  const Reals<Real> before = state.work_deformation.part(at, m), behind = work.deformation.part(at, m);
  Buffer<Real> x(m), rate(m), z(nz), u(3);
  for (Index k = 0; k < m; ++k) {
    x[k] = 0.5 * (before[k] + behind[k]);
    rate[k] = has_value(layout, e, k) ? (behind[k] - before[k]) / h
                                      : 0.5 * (state.work_rate[at + k] + work.deformation_rate[at + k]);
  }
  if (is_called_back(layout, e)) {
    Real power = 0.0;
    for (Index k = 0; k < m; ++k) power -= 0.5 * (state.work_force[at + k] + work.element_force[at + k]) * rate[k];
    return {0.0, power};
  }
  for (Index k = 0; k < nz; ++k) z[k] = 0.5 * (state.law_state[first + k] + work.law_state[first + k]);
  for (Index k = 0; k < 3; ++k) u[k] = 0.5 * (state.work_input(e, k) + work.law_input(e, k));
  const auto powers = [&](Reals<Real> with) {
    return mean_powers(layout, e, t - 0.5 * h, u.view(), with, rate.view(), z.view());
  };
  if (nz > 0 && geometry != CONTACT) return powers(x.view());
  const MeanPowers<Real> one = powers(before), other = powers(behind);
  return {0.5 * (one.dissipated + other.dissipated), 0.5 * (one.input + other.input)};
}

// Add to energy (2,) what elements dissipate and put in, in a step of size h to t, more than half the sum of both
// powers times h, J.
template <class Real>
void add_work_of_elements(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, double t,
                          double h, Reals<Real> energy) {
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    const Real lost = state.work_power(e, ELEMENT_DISSIPATED) + work.element_power(e, ELEMENT_DISSIPATED);
    const Real given = state.work_power(e, ELEMENT_INPUT) + work.element_power(e, ELEMENT_INPUT);
    if (lost == 0.0 && given == 0.0) continue;
    if (layout.element(e, GEOMETRY) == CONTROL)
      energy[INPUT] += h * (mean_input(layout, work, e, state.work_signal, state.work_acted, h) - 0.5 * given);
    if (layout.element(e, COUNT) == 0 || is_many(layout, e)) continue;
    const MeanPowers<Real> mean = powers_in_step(layout, work, state, e, t, h);
    energy[DISSIPATED] += h * (mean.dissipated - 0.5 * lost);
    energy[INPUT] += h * (mean.input - 0.5 * given);
  }
}

// What flexible bodies dissipate in a step of size h more than half the sum of both powers times h, J.
template <class Real>
Real loss_of_bodies(const Layout& layout, const AlphaState<Real>& state, const AlphaTrial<Real>& trial, double h) {
  Real more = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = layout.body_modes[b], at = layout.alpha_at[b], first = layout.v_at[b] + 6;
    if (n == 0) continue;
    const double* damp = layout.coefficients.part(layout.coefficient_at(b, D), n * n).data;
    for (Index i = 0; i < n; ++i, damp += n) {
      Real mean = 0.0, before = 0.0, behind = 0.0;
      for (Index j = 0; j < n; ++j) {
        mean += damp[j] * (trial.alpha[at + j] - state.alpha[at + j]);
        before += damp[j] * state.body_v[first + j];
        behind += damp[j] * trial.body_v[first + j];
      }
      more += mean * (trial.alpha[at + i] - state.alpha[at + i]) / h -
              0.5 * h * (before * state.body_v[first + i] + behind * trial.body_v[first + i]);
    }
  }
  return more;
}

// The rotation vector from Euler parameters q to those of a later attitude, in components of the first. Both tell it
// but for whole turns; it is the one nearest to `about`.
template <class Real>
Vector<Real> turned_by(Reals<Real> q, Reals<Real> later, const Vector<Real>& about) {
  const Vector<Real> a = vector_of(q, 1), b = vector_of(later, 1);
  const Real cosine = q[0] * later[0] + dot(a, b), sign = cosine < 0.0 ? -1.0 : 1.0;
  const Vector<Real> sine = sign * (q[0] * b - later[0] * a - cross(a, b));
  const Real size = std::sqrt(dot(sine, sine)), angle = 2.0 * std::atan2(size, std::abs(cosine));
  const Real way = std::sqrt(dot(about, about));
  if (size < 1e-8 && way < PI) return 2.0 * sine;
  const Vector<Real> axis = size < 1e-8 ? (1.0 / way) * about : (1.0 / size) * sine;
  return (angle + 2.0 * PI * std::round((dot(about, axis) - angle) / (2.0 * PI))) * axis;
}

// What loads put in during a step of size h more than half the sum of both powers times h, J.
template <class Real>
Real work_of_loads(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                   const AlphaTrial<Real>& trial, double h) {
  if (layout.load_frame.shape[0] == 0) return 0.0;
  Real more = 0.0;
  const auto add = [&](Index k, Real moved) {
    const Real before = state.work_load[k], behind = work.load[k];
    more += 0.5 * ((before + behind) * moved - h * (before * state.body_v[k] + behind * trial.body_v[k]));
  };
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b], at = layout.alpha_at[b];
    const Vector<Real> about =
        is_relative(state) ? (0.5 * h) * (vector_of(state.body_v, first + 3) + vector_of(trial.body_v, first + 3))
                           : vector_of(trial.increment, first + 3);
    const Vector<Real> turned = turned_by(state.q[b], trial.q[b], about);
    for (Index k = 0; k < 3; ++k) add(first + k, trial.c(b, k) - state.c(b, k));
    add(first + 3, turned.x);
    add(first + 4, turned.y);
    add(first + 5, turned.z);
    for (Index k = 0; k < layout.body_modes[b]; ++k) add(first + 6 + k, trial.alpha[at + k] - state.alpha[at + k]);
  }
  return more;
}

// What drives by functions of time put in during a step of size h more than half the sum of both powers times h,
// J: with rows `e . d - s(t)` the mean multiplier times the way of s. (That of a constant rate is the sum.) A jump of
// s by whole turns moves nothing.
template <class Real>
Real work_of_drives(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                    const AlphaTrial<Real>& trial, double h) {
  if (layout.drive_law.shape[0] == 0) return 0.0;
  Real more = 0.0;
  for (Index k = 0; k < layout.row_kind.size(); ++k) {
    const Index d = layout.row_frame(k, ROW_DRIVE);
    if (d < 0 || layout.drive_law(d, 0) == 0) continue;
    const Real before = state.multipliers[k], behind = trial.multipliers[k], scale = layout.row_scale[k];
    const Real about = -0.5 * h * (state.work_phi_t[k] + work.phi_t[k]) / scale;
    Real way = work.driven[k] - state.work_driven[k];
    if (std::abs(way - about) > PI) way -= 2.0 * PI * std::round((way - about) / (2.0 * PI));
    more -= 0.5 * scale * (before + behind) * way;
    more -= 0.5 * h * (before * state.work_phi_t[k] + behind * work.phi_t[k]);
  }
  return more;
}

// Add what is dissipated and put in during the step of size h to t, and keep the powers; the state is still that at
// the beginning.
template <class Real>
void add_work(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state, const AlphaTrial<Real>& trial,
              double t, double h) {
  for (Index k = 0; k < 2; ++k) state.energy[k] += 0.5 * h * (state.power[k] + work.power[k]);
  add_work_of_elements(layout, work, state, t, h, state.energy);
  if (state.power[DISSIPATED] != 0.0 || work.power[DISSIPATED] != 0.0)
    state.energy[DISSIPATED] += loss_of_bodies(layout, state, trial, h);
  state.energy[INPUT] += work_of_loads(layout, work, state, trial, h);
  state.energy[INPUT] += work_of_drives(layout, work, state, trial, h);
  if (state.work_frame_r.shape[0] > 0) {
    state.energy[DISSIPATED] += loss_of_many(layout, work, state, h);
    state.energy[INPUT] += work_of_users(layout, work, state, trial, t, h);
  }
  keep_powers(work, state);
}

}  // namespace flexbody
