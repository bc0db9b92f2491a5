// A tree with closing rows: the constraint rows of no hinge, those of cut joints, couplings and users' constraints.
//
// The state remains that of the tree, so that its hinges are closed at all times. Accelerations and corrections are
// solved for along the tree (loops.hpp), or, where friction follows reactions or bodies are massless, from the
// equations of all bodies with the rows of hinges and loops together, in the order of elimination.py. The motion of
// the bodies that these give keeps the hinges closed, and its part along their free motions are the rates of the
// speeds.
#pragma once
#include "loops.hpp"

namespace flexbody {

// Whether the equations of all bodies are solved together: friction follows reactions, or bodies are massless.
template <class Real>
bool is_solved_together(const Layout& layout, const Work<Real>& work) {
  return work.friction_record.shape[0] > 0 || has_massless(layout);
}

// Whether the sweeps along the hinges alone don't determine the motion.
template <class Real>
bool has_more_than_hinges(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree) {
  return tree.closing.size() > 0 || is_solved_together(layout, work);
}

// The speeds with which the bodies move with v (nv,), a motion that keeps the hinges closed; small changes unless
// `moving`, of which users' hinges that depend on time cause no part.
// Needs `move_tree` and `place`; uses Link.rate.
template <class Real>
void hinge_speeds(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> v,
                  const TreeSpeeds<Real>& out, bool moving = false);

// As `tree_accelerations` to the extent REACTIONS, from the equations of all bodies, with friction that follows
// reactions; multipliers (m,), compliance (m - nr,) is scratch. Leaves the factors for `close_loops`.
template <class Real>
bool closed_accelerations(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> s,
                          Reals<Real> alpha, const TreeSpeeds<Real>& speeds, const TreeSpeeds<Real>& out,
                          Reals<Real> compliance, Reals<Real> multipliers);

// Move places s (np,) and alpha (na,) by a small displacement along the speeds.
template <class Real>
void displace_tree(const Tree<Real>& tree, const TreeSpeeds<Real>& x, Reals<Real> s, Reals<Real> alpha);

// The smallest speeds, or small displacements along them, that take away `factor` times x (nr,) of the closing rows,
// in the metric of the mass matrix, with the latest factors; velocities (nv,) and multipliers (m,) are scratch.
template <class Real>
void close_loops(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double factor, Reals<Real> x,
                 const TreeSpeeds<Real>& out, Reals<Real> velocities, Reals<Real> multipliers);

}  // namespace flexbody
