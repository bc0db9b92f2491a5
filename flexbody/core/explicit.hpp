// The explicit Runge-Kutta method of order 8 with projection, and the equations of first order that it solves.
#pragma once
#include "explicit_state.hpp"
#include "kinds.hpp"
#include "layout.hpp"

namespace flexbody {

// A state vector y as positions c (nb, 3), q (nb, 4), alpha (na,) and velocities v (nv,).
template <class Real>
struct Parts {
  Array<Real, 2> c, q;
  Reals<Real> alpha, v;

  Parts(const Layout& layout, Reals<Real> y) {
    const Index nb = layout.body_mass.size(), na = layout.alpha_at[nb], nv = layout.v_at[nb];
    c = {y.data, {nb, 3}};
    q = {y.data + 3 * nb, {nb, 4}};
    alpha = {y.data + 7 * nb, {na}};
    v = {y.data + 7 * nb + na, {nv}};
  }
};

// out = dy/dt with accelerations and multipliers (m,) from the constraints' second derivatives; false if a body's
// mass matrix is not positive definite.
template <class Real>
bool rates(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t, Reals<Real> y,
           Reals<Real> out, Reals<Real> multipliers);

// Scale the Euler parameters back to length one.
template <class Real>
void normalise(const Layout& layout, Reals<Real> y);

// Move y onto the constraints of positions and velocities by one Newton step, with the latest factors.
template <class Real>
void project(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, Reals<Real> y);

// Advance to t_out in at most max_steps steps; DONE, PAUSED or what went wrong.
template <class Real>
Index advance(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau,
              double t_out, const ExplicitSettings& settings, Index max_steps);

// Add to the Euler parameters of body b, with rates or as they are, what a small rotation (x, y, z) / 2 turns them
// by: Koppens (2.47).
template <class Real>
void turn_parameters(const Array<Real, 2>& q, const Array<Real, 2>& out, Index b, Real x, Real y, Real z,
                     Real longer) {
  const Real q0 = q(b, 0), q1 = q(b, 1), q2 = q(b, 2), q3 = q(b, 3);
  out(b, 0) += -q1 * x - q2 * y - q3 * z - longer * q0;
  out(b, 1) += q0 * x - q3 * y + q2 * z - longer * q1;
  out(b, 2) += q3 * x + q0 * y - q1 * z - longer * q2;
  out(b, 3) += -q2 * x + q1 * y + q0 * z - longer * q3;
}

}  // namespace flexbody
