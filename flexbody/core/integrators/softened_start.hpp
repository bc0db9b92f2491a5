// What a first step can't follow of the accelerations at the start, and of their rate.
//
// Elements with the stiffness and damping matrices k and d deform by e, J vdot + J. v = e.., and bodies with K and D
// by alpha. A step of size h takes from the accelerations
//
//     E^2 vdot,    E = S^-1 (J' (gamma h d + beta h^2 k) e.. + (gamma h D + beta h^2 K) alpha..),
//                  S = m M + gamma h D + beta h^2 K, the iteration matrix, with the constraints,
//
// and 3 E^2 - 2 E^3 of the third derivatives from their rate. A motion in which e.. and alpha.. vanish stays as it
// is, also where it turns, and so does all that no stiffness holds. Of a vibration of frequency w, E is (h w)^2 beta
// / m where h w is small, so that (h w)^4 is taken, and 1 - F where it is large, F = m / (beta h^2 w^2): 2 F and 3
// F^2 of accelerations and rate remain.
#pragma once
#include "../dynamics/elimination.hpp"
#include "../dynamics/equations.hpp"
#include "../forces/force_elements.hpp"
#include "../forces/networks.hpp"
#include "../forces/stiffness_rows.hpp"
#include "../kinematics/frame.hpp"
#include "alpha_motion.hpp"
#include "step_error.hpp"

namespace flexbody {

// Derivatives of the deformations are differences over this part of a step. Where elements are linear, their error is
// round-off alone.
constexpr double LOOKED_AHEAD = 1e-2;

// Whether there are flexible bodies or elements with deformations.
inline bool may_vibrate(const Layout& layout) {
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    if (layout.body_modes[b] > 0) return true;
  return layout.deformation_element.size() > 0;
}

// Work.deformation_rate at the state, moved on n times over dt along its velocities, accelerations and their rate.
template <class Real>
void rates_ahead(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double dt,
                 Index n) {
  const double t = state.t + n * dt, late = n > 1 ? dt * dt : 0.0;
  const auto behind = state.behind_jump;
  for (Index i = 0; i < state.v.size(); ++i) {
    trial.increment[i] = n * dt * state.v[i] + late * behind(0, i);
    trial.v[i] = state.v[i] + n * dt * behind(0, i) + late * behind(1, i);
    trial.vdot[i] = behind(0, i);
  }
  move_position(layout, state, trial, t);
  if (is_relative(state)) move_bodies(layout, work, state, trial);
  place(layout, work, t, trial.c, trial.q, trial.alpha);
  drift(layout, work, trial.alpha, trial.body_v);
}

// Second and third derivatives (nx,) of the deformations of elements at the state.
template <class Real>
void rates_of_rates(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                    double h, Reals<Real> second, Reals<Real> third) {
  const double dt = LOOKED_AHEAD * h;
  Buffer<Real> now(second.size()), next(second.size());
  if (now.size() == 0) return;
  rates_ahead(layout, work, state, trial, dt, 0);
  now.view().copy(work.deformation_rate);
  rates_ahead(layout, work, state, trial, dt, 1);
  next.view().copy(work.deformation_rate);
  rates_ahead(layout, work, state, trial, dt, 2);
  for (Index k = 0; k < second.size(); ++k) {
    second[k] = (next[k] - now[k]) / dt;
    third[k] = (work.deformation_rate[k] - 2.0 * next[k] + now[k]) / (dt * dt);
  }
}

// Call use(b, first, column) for the parts of the row J (1, nv) of deformation k: body, first entry, and entries (6 +
// N,).
template <class Real, class Use>
void each_part(const Layout& layout, const Work<Real>& work, Index k, Use use) {
  const Index e = layout.deformation_element[k];
  const Array<Real, 3, 2, 3> g{work.deformation_slope.data, {2 * work.deformation_slope.shape[0], 2, 3}};
  for (Index side = 0; side < 2; ++side) {
    const Index f = layout.element(e, FIRST + side), b = layout.frame_body[f];
    if (b < 0) continue;
    Buffer<Real> row(6 + layout.body_modes[b]);
    row.view().fill(0.0);
    add_load(layout, work, f, b, g, 2 * k + side, row.view(), 0);
    use(layout.v_at[b], row.view());
  }
}

// out (nv,) += J' C e of element e, for e.. (m,) in x (nx,). What is not positive of C is left out, as in S.
template <class Real>
void add_element_part(const Layout& layout, Work<Real>& work, Index e, double damping, double stiffness,
                      Reals<Real> x, Reals<Real> out) {
  const Index at = layout.element(e, AT), m = layout.element(e, COUNT);
  if (m == 0 || in_network(layout, e)) return;
  Buffer<Real, 2> C(m, m);
  Buffer<Real> part(m);
  element_stiffness(layout, work, e, damping, stiffness, C.view());
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < i; ++j) C(i, j) = 0.5 * (C(i, j) + C(j, i));
  factorise_stiffness(C.view());
  for (Index k = 0; k < m; ++k) {
    Real along = x[at + k];
    for (Index i = k + 1; i < m; ++i) along += C(i, k) * x[at + i];
    part[k] = C(k, k) * along;
  }
  for (Index k = 0; k < m; ++k) {
    Real force = part[k];
    for (Index j = 0; j < k; ++j) force += C(k, j) * part[j];
    if (force == 0.0) continue;
    each_part(layout, work, at + k, [&](Index first, Reals<Real> row) {
      for (Index i = 0; i < row.size(); ++i) out[first + i] += force * row[i];
    });
  }
}

// out (nv,) += (gamma h D + beta h^2 K) alpha.. of the bodies, for alpha.. in x (nv,).
template <class Real>
void add_modal_part(const Layout& layout, double damping, double stiffness, Reals<Real> x, Reals<Real> out) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = layout.body_modes[b], first = layout.v_at[b] + 6;
    if (n == 0) continue;
    const double* k = layout.coefficients.part(layout.coefficient_at(b, K), n * n).data;
    const double* d = layout.coefficients.part(layout.coefficient_at(b, D), n * n).data;
    for (Index i = 0; i < n; ++i, k += n, d += n)
      for (Index j = 0; j < n; ++j) out[first + i] += (stiffness * k[j] + damping * d[j]) * x[first + j];
  }
}

// x (n,), accelerations or their rate, -= factors[0] E x + factors[1] E^2 x + ...; `deformation` (nx,) is the
// derivative of the elements' deformations that belongs to x. Needs `factorise_filter` with a stiffness times one.
template <class Real, Index N>
void soften(const Layout& layout, Work<Real>& work, const AlphaState<Real>& state, double h,
            const AlphaSettings& settings, const double (&factors)[N], Reals<Real> deformation, Reals<Real> x) {
  const double damping = h * settings.gamma, stiffness = h * h * settings.beta;
  Buffer<Real> of_bodies(state.body_v.size()), lost(state.body_v.size()), own(x.size());
  spread(layout, work, state, x, of_bodies.view());
  for (const double factor : factors) {
    lost.view().fill(0.0);
    for (Index e = 0; e < layout.element.shape[0]; ++e)
      add_element_part(layout, work, e, damping, stiffness, deformation, lost.view());
    add_modal_part(layout, damping, stiffness, of_bodies.view(), lost.view());
    work.right.fill(0.0);
    solve(layout, work, work.right, lost.view(), work.unused);
    own.view().fill(0.0);
    add_own(layout, work, state, lost.view(), own.view());
    for (Index i = 0; i < x.size(); ++i) x[i] -= factor * own[i];
    of_bodies.view().copy(lost.view());
    deformation.fill(0.0);
    for (Index k = 0; k < deformation.size(); ++k) {
      each_part(layout, work, k, [&](Index first, Reals<Real> row) {
        for (Index i = 0; i < row.size(); ++i) deformation[k] += row[i] * lost[first + i];
      });
    }
  }
}

}  // namespace flexbody
