// Sizes of generalized vectors, weighted by mass: what tolerances are measured in.
#pragma once
#include "../../../fem/core/array.hpp"
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// An iteration that contracts no better has met round-off.
constexpr double STALLED = 0.3;
// Of the smallest pivot, below which round-off may be more than noise: 4e-4 of the velocities.
constexpr double LEAST = 1e-11;

// Sums of many terms are taken as exact to this many units of round-off (EPS) of their size; errors of positions
// below these, of the machine's length, are not judged.
constexpr double ROUND_OFF_UNITS = 16.0;

// A smallest pivot below this may belong to a position near a singular one.
constexpr double NEARLY_SINGULAR = 1e-2;

// The rigid and the modal part of a generalized vector of one body.
template <class Real>
struct BodySize {
  Real rigid, modal;
};

// Squares of what `body_norms` returns: (m |x_c|^2 + x_omega' J x_omega) / m and x_alpha' C8 x_alpha / m.
template <class Real>
FLEXBODY_INLINE BodySize<Real> body_squares(const Layout& layout, const Work<Real>& work, Index b, Reals<Real> x) {
  const Index first = layout.v_at[b], n = layout.body_modes[b];
  const double mass = layout.body_mass[b];
  const Real *c = x.part(first, 6 + n).data, *alpha = c + 6;
  if (mass == 0.0) {  // a massless body counts as a ball of its size
    const Real turned = square(layout.body_size[b]) * (c[3] * c[3] + c[4] * c[4] + c[5] * c[5]);
    return {c[0] * c[0] + c[1] * c[1] + c[2] * c[2] + turned, 0.0};
  }
  const Real u = c[3], v = c[4], w = c[5];
  const Real* J = &work.J(b, 0, 0);
  Real rigid = mass * (c[0] * c[0] + c[1] * c[1] + c[2] * c[2]);
  rigid += u * (J[0] * u + 2.0 * (J[1] * v + J[2] * w));
  rigid += v * (J[4] * v + 2.0 * J[5] * w) + w * J[8] * w;
  // round-off may leave a sum slightly below zero, NaN must stay NaN
  if (n == 0) return {std::abs(rigid) / mass, 0.0};
  Real modal = 0.0;
  const double* C8_row = layout.coefficients.part(layout.coefficient_at(b, C8), n * n).data;
  for (Index i = 0; i < n; ++i, C8_row += n)
    for (Index j = 0; j < n; ++j) modal += alpha[i] * C8_row[j] * alpha[j];
  return {std::abs(rigid) / mass, std::abs(modal) / mass};
}

// Size of a generalized vector x (nv,) of body b: of its rigid and of its modal part, root mean square over mass.
//
// A displacement gives m, a velocity m/s, an acceleration m/s^2. Needs J of the body (`place`).
template <class Real>
BodySize<Real> body_norms(const Layout& layout, const Work<Real>& work, Index b, Reals<Real> x) {
  const auto squares = body_squares(layout, work, b, x);
  return {std::sqrt(squares.rigid), std::sqrt(squares.modal)};
}

// Largest size of a generalized vector x (nv,) over the bodies; NaN if any entry is.
template <class Real>
Real system_norm(const Layout& layout, const Work<Real>& work, Reals<Real> x) {
  Real largest = 0.0, sum = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto squares = body_squares(layout, work, b, x);
    sum += squares.rigid + squares.modal;
    largest = larger(larger(largest, squares.rigid), squares.modal);
  }
  return sum < INF ? std::sqrt(largest) : NaN;
}

// Whether no entry of x is larger than the limit, or NaN.
template <class Real>
bool none_above(Reals<Real> x, Real limit) {
  for (Index k = 0; k < x.size(); ++k) {
    if (!(std::abs(x[k]) <= limit)) return false;
  }
  return true;
}

// Round-off of positions c (nb, 3), m: that of the machine's length, or of its distance from the origin.
template <class Real>
Real round_off(const Layout& layout, Vectors<Real> c) {
  Real largest = layout.length;
  for (Index b = 0; b < c.shape[0]; ++b) {
    for (Index k = 0; k < 3; ++k) largest = larger<Real>(largest, std::abs(c(b, k)));
  }
  return EPS * largest;
}

// How much more the round-off of many bodies moves one of them than its own, if they can all move at once: it adds up
// as random numbers do.
inline double joined(const Layout& layout) {
  return std::sqrt(double(layout.body_mass.size()));
}

// Whether corrections of accelerations (m/s^2) and positions (m) are round-off that a singular position magnifies.
//
// Near one, that of positions by one over the root of the smallest pivot; velocities are turned by what moves
// positions, and what takes that back is magnified once more, over the step h. No iteration gets below it.
template <class Real>
bool is_magnified_noise(const Layout& layout, const Work<Real>& work, Real size, Real shift, Real speed, double h) {
  const Real root = std::sqrt(larger(work.pivot, LEAST)), length = layout.length;
  const Real blurred = ROUND_OFF_UNITS * EPS * length * joined(layout) / root;
  return shift <= blurred && size <= blurred * speed / (length * h * root);
}

// The error of a step over what it may add, error_constant h^2 a / (rtol h speed), up to which it is round-off of the
// accelerations that `is_magnified_noise` describes, a = ROUND_OFF_UNITS EPS speed / (h pivot); four times that.
template <class Real>
Real magnified_error(const Layout& layout, const Work<Real>& work, double error_constant, double rtol) {
  return 4.0 * ROUND_OFF_UNITS * EPS * joined(layout) * error_constant / (rtol * larger(work.pivot, LEAST));
}

// A step that divides what remains of a run (s), and stays at the last one up to `kept` times that.
inline double next_step(double wanted, double last, double remaining, double kept) {
  const double parts = remaining / last;
  if (std::abs(parts - std::rint(parts)) < 1e-6 && parts > 0.5 && 0.85 * last <= wanted && wanted <= kept * last)
    return remaining / std::rint(parts);
  return remaining / std::ceil(remaining / wanted - 1e-9);
}

// The step (s) to try where `wanted` was chosen by the error (rtol > 0), at most max_step; a fixed step (rtol = 0) is
// `wanted` itself, and the last one ends with the run.
inline double step_to_try(double wanted, double max_step, double last, double remaining, double rtol, double kept) {
  if (rtol > 0.0) return next_step(smaller(wanted, max_step), last, remaining, kept);
  return std::abs(wanted - remaining) < 1e-6 * wanted ? remaining : wanted;
}

// The constraint row with the largest residual, -1 if there is none.
template <class Real>
Index worst_row(const Work<Real>& work) {
  Index worst = -1;
  Real largest = 0.0;
  for (Index k = 0; k < work.phi.size(); ++k) {
    if (!(std::abs(work.phi[k]) <= largest)) worst = k, largest = std::abs(work.phi[k]);
  }
  return worst;
}

}  // namespace flexbody
