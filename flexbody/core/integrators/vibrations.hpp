// The error of a step beside that of vibrations which are too small to matter.
//
// A step of size h can't follow a vibration of frequency w once h w > 1, and its local error, C h^2 times the change
// of the accelerations, then grows as h^2, although no more than the amplitude can be lost. Two filters tell them
// apart:
//
//     e1 = m S^-1 M e    S = m M + gamma h D + beta h^2 K, the iteration matrix: of a vibration its amplitude is left
//     e2 = F^-3 e        F = 1 + (beta h^2 / m) k M^-1 K with a large k: what no stiffness holds, the smooth motion
//
// (both with the constraints). Errors of the smooth motion add up from step to step, and e2 is judged as ever; those
// of vibrations do not, and e1 is compared with the motion of the machine and with the deformation that occur.
// Filtered errors of stiff systems: E. Hairer, G. Wanner, Solving Ordinary Differential Equations II, Springer 1996,
// IV.8.
#pragma once
#include "../data/alpha_state.hpp"
#include "../dynamics/elimination.hpp"
#include "../dynamics/equations.hpp"
#include "../kinematics/body.hpp"
#include "norms.hpp"

namespace flexbody {

// The factor k of the stiffness in e2 is this over rtol. A vibration of frequency w that is the main motion meets the
// tolerance where (h w)^2 is about 12 rtol; there e2 is 0.97 e (rho_inf = 0.8). With longer steps e2 grows to twelve
// times what is allowed and falls again: a vibration whose speed is below a twelfth of what its body is judged by
// never limits the step by e2.
constexpr double STIFFENED = 0.004;
// Of a deformation a step may lose this part of what it may lose of rigid vibrations: deformations are looked at.
constexpr double MODAL_PART = 0.1;
// Deformations below this part of the travel of the machine need not be exact relative to themselves.
constexpr double DEFORMATION = 0.02;

// x = M x of body b, its part of x.
template <class Real>
void mass_times(const Layout& layout, const Work<Real>& work, Index b, Reals<Real> x) {
  const Index size = 6 + layout.body_modes[b];
  if (size == 6) {
    const Vector<Real> turned = matrix_of(work.J, b) * vector_of(x, 3);
    put(x, 0, layout.body_mass[b] * vector_of(x, 0));
    put(x, 3, turned);
    return;
  }
  Buffer<Real, 2> M(size, size);
  Buffer<Real> given(size);
  body_matrix(layout, work, b, 1.0, 0.0, 0.0, M.view());
  given.copy(x);
  for (Index i = 0; i < size; ++i) {
    Real value = 0.0;
    for (Index j = 0; j < size; ++j) value += M(i, j) * given[j];
    x[i] = value;
  }
}

// Work.right = G x for the constraint rows, 0 for the elements; of the latest `blocks`.
template <class Real>
void rows_times(const Layout& layout, Work<Real>& work, Reals<Real> x) {
  work.right.fill(0.0);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b], first = layout.v_at[b];
    Index at = layout.body_block_at[b];
    for (Index r = layout.body_row_at[b]; r < layout.body_row_at[b + 1]; ++r, at += n) {
      const Index k = layout.elimination[layout.body_row[r]];
      if (k >= layout.row_kind.size()) continue;
      for (Index i = 0; i < n; ++i) work.right[k] += work.G[at + i] * x[first + i];
    }
  }
}

// x = m S^-1 M x with G x unchanged, S the matrix that was factorised with the mass matrix times m.
//
// Without stiffness x stays as it is, whatever the constraints.
template <class Real>
void filter(const Layout& layout, Work<Real>& work, double m, Reals<Real> x) {
  rows_times(layout, work, x);
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    mass_times(layout, work, b, x.part(layout.v_at[b], 6 + layout.body_modes[b]));
  for (Index i = 0; i < x.size(); ++i) x[i] *= m;
  solve(layout, work, work.right, x, work.unused);
}

// Whether there are flexible bodies or elastic elements, and none of the other elements acts. A force that sets in or
// jumps gives a blow: that is no vibration, and what it changes lasts. compliance (m - nr,) of the latest `matrices`,
// forces of the latest `residual`: a stop may be met or left between them.
template <class Real>
bool only_vibrates(const Layout& layout, const Work<Real>& work, Reals<Real> compliance) {
  bool stiff = false;
  for (Index b = 0; b < layout.body_mass.size(); ++b) stiff = stiff || layout.body_modes[b] > 0;
  for (Index s = 0; s < compliance.size(); ++s) {
    const bool elastic = layout.element(layout.deformation_element[s], ELASTIC) != 0;
    if (!elastic && (compliance[s] > 0.0 || work.element_force[s] != 0.0)) return false;
    stiff = stiff || (elastic && compliance[s] > 0.0);
  }
  return stiff;
}

// The farthest that a body has moved from where the run began (m), and the largest deformation of each body.
template <class Real>
void measure_motion(const Layout& layout, AlphaState<Real>& state, const AlphaTrial<Real>& trial) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    Real distance = 0.0, cosine = 0.0;
    for (Index k = 0; k < 3; ++k) distance += square(trial.c(b, k) - state.first_c(b, k));
    for (Index k = 0; k < 4; ++k) cosine += trial.q(b, k) * state.first_q(b, k);
    // 2 sin of half the angle between both attitudes, times the radius of gyration
    const Real turned = 2.0 * layout.body_size[b] * std::sqrt(larger<Real>(1.0 - cosine * cosine, 0.0));
    state.travel = larger<Real>(state.travel, larger<Real>(std::sqrt(distance), turned));
    const Index n = layout.body_modes[b];
    if (n == 0) continue;
    const Table C8_of = layout.coefficients.part(layout.coefficient_at(b, C8), n * n);
    Real deformation = 0.0;
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j)
        deformation += trial.alpha[layout.alpha_at[b] + i] * C8_of[i * n + j] * trial.alpha[layout.alpha_at[b] + j];
    deformation = std::sqrt(std::abs(deformation) / layout.body_mass[b]);
    state.deformation[b] = larger<Real>(state.deformation[b], deformation);
  }
}

// Size of e1 = factor * x as an error of vibrations, over what a step may lose of them.
template <class Real>
Real vibration_error(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x,
                     double factor, double tolerance) {
  Real worst = 0.0;
  const Real rest = BLUR * EPS * layout.length;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto size = body_norms(layout, work, b, x);
    const Real scale = larger<Real>(state.deformation[b], DEFORMATION * state.travel);
    worst = larger(worst, factor * size.rigid / (tolerance * state.travel + rest));
    worst = larger(worst, factor * size.modal / (MODAL_PART * tolerance * scale + rest));
  }
  return worst;
}

}  // namespace flexbody
