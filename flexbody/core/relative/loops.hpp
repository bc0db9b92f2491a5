// Loops of a tree: its closing rows are solved along it, so that the work of many small loops grows with their
// number.
//
// Each closing row is a load of unknown size on the bodies that it acts on. As loads, rows go inward from hinge to
// hinge, until the carrier of all of them; what a unit of row b changes of the acceleration along row a adds up on
// the way to the matrix G Y G', Y the inverse of the mass matrix in the speeds. At the carrier A the rows are
// eliminated: its inertia receives W (G Y G')^-1 W', with the loads W (6,) that rows show there, and rows beyond stay
// sparse.
//
// A front holds rows that meet, those to be eliminated first: front k those that pass hinge k, and those that end at
// its flexible body, whose modes they need; the others, of joints between bodies that a rigid body or the ground
// carries, in an order of little fill (loop_fronts.py). So it is a multifrontal elimination (I. S. Duff, J. K. Reid,
// ACM Trans. Math. Softw. 9 (1983) 302) with the articulated inertias as its pivots; K. S. Anderson, J. H. Critchley,
// Multibody Syst. Dyn. 9 (2003) 185, eliminate loops at their base in the same way. Redundant rows (Work.active) and
// rows whose pivot vanishes are left out.
#pragma once
#include "../dynamics/elimination.hpp"
#include "tree.hpp"

namespace flexbody {

// Whether the loops of a tree are solved along it: not where friction follows reactions, which are unknown together,
// and not with massless bodies, which the sweeps can't carry.
template <class Real>
bool has_swept_loops(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree) {
  return tree.closing.size() > 0 && work.friction_record.shape[0] == 0 && !has_massless(layout);
}

// Frames of closing rows and of forces, the closing rows, and the elements' deformations. Needs `move_tree`.
template <class Real>
void place_loops(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> alpha,
                 Reals<Real> modal);

// Tree.row_right of the closing rows for the second time derivative of their constraints. Needs `move_tree`, and rows
// and frames with their biases.
template <class Real>
void set_accelerations_right(const Layout& layout, const Work<Real>& work, Tree<Real>& tree, double t);

// As `factor_tree` with the closing rows; Work.rank and pivot. Needs the rows.
template <class Real>
bool factor_loops(const Layout& layout, Work<Real>& work, Tree<Real>& tree);

// As `solve_tree`, with what closing rows demand, G out = Tree.row_right; Tree.row_force receives their multipliers.
// Needs `factor_loops`.
template <class Real>
void solve_loops(const Layout& layout, Tree<Real>& tree, const TreeSpeeds<Real>& out);

}  // namespace flexbody
