// The unknowns of the generalized-alpha method in both descriptions, and the motion of the bodies that follows.
//
// The method integrates n speeds x: the velocities (nv,) of all bodies in the global description, the speeds u (nh,)
// and alpha. (na,) of a tree in the relative one. There positions are places s (np,) and alpha; the bodies follow
// from them. What bodies do is `body_v` and `body_vdot` (nv,): the same memory as v and vdot in the global
// description.
#pragma once
#include "../data/alpha_state.hpp"
#include "../data/layout.hpp"
#include "../relative/closed_tree.hpp"

namespace flexbody {

template <class Real>
bool is_relative(const AlphaState<Real>& state) {
  return state.tree->body.size() > 0;
}

// The parts of x (n,) in the relative description.
template <class Real>
TreeSpeeds<Real> tree_speeds(const Tree<Real>& tree, Reals<Real> x) {
  const Index nh = tree.speed_at[tree.body.size()];
  return {x.part(0, nh), x.part(nh, x.size() - nh)};
}

// Position of the trial: that of the state, moved by trial.increment; rotations by the exponential map. In the
// relative description drives at time t prescribe their places, speeds and rates.
template <class Real>
void move_position(const Layout& layout, const AlphaState<Real>& state, AlphaTrial<Real>& trial, double t);

// In the relative description, the motion of all bodies for the trial's places, speeds and rates: trial.c, q, body_v
// and body_vdot.
template <class Real>
void move_bodies(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial);

// In the relative description, the motion of all bodies at the state, which steps leave as it was before their last
// correction: state.c, q, body_v and body_vdot. Changes the trial.
template <class Real>
void set_bodies_of_state(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial);

// out (n,) += the speeds with which the bodies move by x (nv,), which keeps hinges closed.
template <class Real>
void add_own(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x,
             Reals<Real> out);

// out (nv,) = what rates x (n,) of the unknown positions move the bodies by; may be x itself in the global
// description.
template <class Real>
void spread(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x,
            Reals<Real> out);

// Largest size over the bodies of what x (n,) moves them by.
template <class Real>
Real speed_norm(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x);

// Largest size over the bodies of the accelerations that the reactions y (m,) alone would cause. Hinges hold the
// motion however wrong their multipliers are, in a tree and across the axis of a balanced rotor, so that these have
// to be judged for themselves. Needs the factors.
template <class Real>
Real reaction_norm(const Layout& layout, const Work<Real>& work, Reals<Real> y);

// Call use(k) for the constraint rows that hold the unknowns: all in the global description, closing rows in the
// relative one.
template <class Real, class Use>
void each_row(const Layout& layout, const AlphaState<Real>& state, Use use) {
  if (!is_relative(state)) {
    for (Index k = 0; k < layout.row_kind.size(); ++k) use(k);
    return;
  }
  for (Index i = 0; i < state.tree->closing.size(); ++i) use(state.tree->closing[i]);
}

}  // namespace flexbody
