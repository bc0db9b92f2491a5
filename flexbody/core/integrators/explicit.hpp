// The explicit Runge-Kutta method of order 8 with projection, and the equations of first order that it solves.
#pragma once
#include "../data/explicit_state.hpp"
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../relative/tree.hpp"

namespace flexbody {

// A state vector y as positions c (nb, 3), q (nb, 4), alpha (na,) and velocities v (nv,).
template <class Real>
struct Parts {
  Vectors<Real> c;
  EulerParameters<Real> q;
  Reals<Real> alpha, v;

  Parts(const Layout& layout, Reals<Real> y) {
    const Index nb = layout.body_mass.size(), na = layout.alpha_at[nb], nv = layout.v_at[nb];
    c = {y.data, {nb, 3}};
    q = {y.data + 3 * nb, {nb, 4}};
    alpha = {y.data + 7 * nb, {na}};
    v = {y.data + 7 * nb + na, {nv}};
  }
};

// The parts of a state vector of the relative description: places s (np,), alpha (na,), speeds u (nh,), alpha. (na,).
template <class Real>
struct TreeParts {
  Reals<Real> s, alpha, u, modal;

  TreeParts(const Layout& layout, const Tree<Real>& tree, Reals<Real> y) {
    const Index nb = layout.body_mass.size(), na = layout.alpha_at[nb], np = tree.place_at[nb],
                nh = tree.speed_at[nb];
    s = y.part(0, np);
    alpha = y.part(np, na);
    u = y.part(np + na, nh);
    modal = y.part(np + na + nh, na);
  }
};

// Whether a state vector is one of the relative description.
template <class Real>
bool is_relative(const ExplicitState<Real>& state) {
  return state.tree->body.size() > 0;
}

// out = dy/dt with accelerations and multipliers (m,) from the constraints' second derivatives; false if a body's
// mass matrix is not positive definite. An open tree needs neither frames nor multipliers for it: `extent` sets
// whether they are evaluated.
template <class Real>
bool rates(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t, Reals<Real> y,
           Reals<Real> out, Reals<Real> multipliers, Extent extent = Extent::REACTIONS);

// Scale the Euler parameters back to length one.
template <class Real>
void normalise(const Layout& layout, const ExplicitState<Real>& state, Reals<Real> y);

// Keep the bodies' motion that `rates` has found as that of the state, in the relative description.
template <class Real>
void keep_state(ExplicitState<Real>& state);

// state.error and error_rate (nv,) = the smallest changes of position and velocity, in the metric of the mass matrix,
// that take away `factor` times what the constraints miss: G error = -factor Phi, G error_rate = -factor Phi. ; with
// the latest factors. (Phi of constraints of velocities is zero.)
template <class Real>
void constraint_corrections(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double factor);

// The same for the closing rows of a tree, along its speeds: changes of its places and of its speeds.
template <class Real>
void loop_corrections(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double factor,
                      const TreeSpeeds<Real>& places, const TreeSpeeds<Real>& speeds);

// Move y onto the constraints of positions and velocities by one Newton step, with the latest factors.
template <class Real>
void project(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, Reals<Real> y);

// Project the trial, the state at t, and find its rates; DONE, NOT_DEFINITE, or SINGULAR where that takes it to
// another branch. Needs the rates of the trial.
template <class Real>
Index close(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, double t);

// Advance to t_out in at most max_steps steps; DONE, PAUSED or what went wrong.
template <class Real>
Index advance(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau,
              double t_out, const ExplicitSettings& settings, Index max_steps);

}  // namespace flexbody
