// The energy that dampers dissipate and loads put in during a step.
//
// Where steps do not follow a vibration, the velocities at their ends are far above what they move by, and the powers
// there tell nothing. The trapezoidal rule (rho_inf = 1) changes the energy of a linear system in a step by
//
//     (Q + Q') / 2 . dx - h (dx / h)' D (dx / h),
//
// dx the displacements, Q and Q' the loads at both ends: what dampers and loads are told is this, and the rest is
// what the method loses. Laws of elements are called with the mean rates and deformations of the step. It is never
// below zero for what only dissipates. The powers at both ends count for elements with states or inputs that vary
// otherwise, contacts, teeth, belts, slipping wheels and massless bodies, for friction that follows reactions, and
// for drives.
#pragma once
#include "../data/alpha_state.hpp"
#include "../forces/force_elements.hpp"
#include "../forces/networks.hpp"
#include "alpha_motion.hpp"

namespace flexbody {

// Keep the powers at the beginning of the next step, and what belongs to them.
template <class Real>
void keep_powers(const Work<Real>& work, AlphaState<Real>& state) {
  state.power.copy(work.power);
  state.work_deformation.copy(work.deformation);
  for (Index e = 0; e < state.work_lost.size(); ++e) state.work_lost[e] = work.element_power(e, ELEMENT_DISSIPATED);
  state.work_load.copy(work.load);
}

// Whether the law of element e says what it dissipates from its deformations and their rates alone.
inline bool has_own_loss(const Layout& layout, Index e) {
  const Index geometry = layout.element(e, GEOMETRY);
  return (geometry == LINE || geometry == ALONG || geometry == BETWEEN) && layout.element(e, STATES) == 0 &&
         layout.element(e, REACTION_FRICTION) < 0 && layout.element(e, CONTROLLED) < 0 && !in_network(layout, e);
}

// What elements dissipate in a step of size h to t more than half the sum of both powers times h, J.
template <class Real>
Real loss_of_elements(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, double t,
                      double h) {
  Real more = 0.0;
  for (Index e = 0; e < state.work_lost.size(); ++e) {
    const Real ends = state.work_lost[e] + work.element_power(e, ELEMENT_DISSIPATED);
    if (ends == 0.0 || !has_own_loss(layout, e)) continue;
    const Index at = layout.element(e, AT), m = layout.element(e, COUNT);
    Buffer<Real> x(m), rate(m);
    for (Index k = 0; k < m; ++k) {
      x[k] = 0.5 * (state.work_deformation[at + k] + work.deformation[at + k]);
      rate[k] = (work.deformation[at + k] - state.work_deformation[at + k]) / h;
    }
    more += h * (dissipated_power(layout, work, e, t - 0.5 * h, x.view(), rate.view()) - 0.5 * ends);
  }
  return more;
}

// The same of flexible bodies.
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
    Vector<Real> about = vector_of(trial.increment, first + 3);
    if (is_relative(state))
      about = (0.5 * h) * (vector_of(state.body_v, first + 3) + vector_of(trial.body_v, first + 3));
    const Vector<Real> turned = turned_by(state.q[b], trial.q[b], about);
    for (Index k = 0; k < 3; ++k) add(first + k, trial.c(b, k) - state.c(b, k));
    add(first + 3, turned.x);
    add(first + 4, turned.y);
    add(first + 5, turned.z);
    for (Index k = 0; k < layout.body_modes[b]; ++k) add(first + 6 + k, trial.alpha[at + k] - state.alpha[at + k]);
  }
  return more;
}

// Add what is dissipated and put in during the step of size h to t, and keep the powers; the state is still that at
// the beginning.
template <class Real>
void add_work(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state, const AlphaTrial<Real>& trial,
              double t, double h) {
  for (Index k = 0; k < 2; ++k) state.energy[k] += 0.5 * h * (state.power[k] + work.power[k]);
  if (state.power[DISSIPATED] != 0.0 || work.power[DISSIPATED] != 0.0) {
    state.energy[DISSIPATED] += loss_of_elements(layout, work, state, t, h) + loss_of_bodies(layout, state, trial, h);
  }
  state.energy[INPUT] += work_of_loads(layout, work, state, trial, h);
  keep_powers(work, state);
}

}  // namespace flexbody
