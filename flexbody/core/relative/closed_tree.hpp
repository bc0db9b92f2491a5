// A tree with closing rows: the constraint rows of no hinge, those of cut joints, couplings and users' constraints.
//
// The state remains that of the tree, so that its hinges are closed at all times. Accelerations and corrections solve
// the equations of all bodies with the rows of hinges and loops together, in the order of elimination.py: rows meet
// where they share a body only, and the work of many small loops grows with their number. The motion of the bodies
// that is found keeps the hinges closed, and its part along their free motions are the rates of the speeds.
#pragma once
#include "tree.hpp"

namespace flexbody {

// Whether the hinges alone don't determine the motion: there are closing rows, or friction that follows reactions.
template <class Real>
bool has_more_than_hinges(const Work<Real>& work, const Tree<Real>& tree) {
  return tree.closing.size() > 0 || work.friction_record.shape[0] > 0;
}

// The speeds with which the bodies move with v (nv,), a motion that keeps the hinges closed; also small changes.
// Needs `move_tree` and `place`; uses Link.rate.
template <class Real>
void hinge_speeds(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> v,
                  const TreeSpeeds<Real>& out);

// As `tree_accelerations` to the extent REACTIONS, with the closing rows and friction that follows reactions;
// multipliers (m,), compliance (m - nr,) is scratch. Leaves the factors for `solve_rows_only`.
template <class Real>
bool closed_accelerations(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> s,
                          Reals<Real> alpha, const TreeSpeeds<Real>& speeds, const TreeSpeeds<Real>& out,
                          Reals<Real> compliance, Reals<Real> multipliers);

// Move places s (np,) and alpha (na,) by a small displacement x (nv,) of the bodies, which keeps the hinges closed.
// Needs what `hinge_speeds` does.
template <class Real>
void displace_tree(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> x, Reals<Real> s,
                   Reals<Real> alpha);

// right (m,) = -factor x (nr,) for the closing rows, 0 for all others.
template <class Real>
void set_closing_right(const Tree<Real>& tree, double factor, Reals<Real> x, Reals<Real> right);

}  // namespace flexbody
