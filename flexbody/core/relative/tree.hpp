// Motion of the bodies of a tree by the places and speeds of its hinges, and back.
//
// Slaats (1991), chapter 3, in the form for flexible bodies: frames ride on deformed material points.
#pragma once
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/tree.hpp"
#include "../kinematics/frame.hpp"

namespace flexbody {

// Velocity and angular velocity of a frame, inertial components; also a force and a moment, or accelerations.
template <class Real>
struct Twist {
  Vector<Real> v, w;
};

// Which two frames hinge k joins, in the order of its joint: the first and the second.
template <class Real>
struct HingeFrames {
  Index first, second;

  HingeFrames(const Tree<Real>& tree, Index k)
      : first(tree.frame(k, tree.reversed[k])), second(tree.frame(k, 1 - tree.reversed[k])) {}
};

// H u of hinge k: what its speeds u (nh,) add to the twist of the second frame. Needs the frames' axes.
template <class Real>
Twist<Real> hinge_twist(const Work<Real>& work, const Tree<Real>& tree, Index k, Reals<Real> u);

// dH/dt u, with the frames' angular velocities.
template <class Real>
Twist<Real> hinge_drift(const Work<Real>& work, const Tree<Real>& tree, Index k, Reals<Real> u);

// Column m of H.
template <class Real>
Twist<Real> hinge_column(const Work<Real>& work, const Tree<Real>& tree, Index k, Index m);

// Whether motion m of a hinge is driven.
template <class Real>
bool is_driven(const Tree<Real>& tree, Index m) {
  return tree.driven(m, DRIVEN_BY) >= 0;
}

// Set places s (np,) and speeds u (nh,) of driven motions to what their drives prescribe at time t; Tree.given and
// Tree.missed.
template <class Real>
void drive_tree(const Layout& layout, Tree<Real>& tree, double t, Reals<Real> s, Reals<Real> u);

// Add to the residuals of drives, which are zero by now, by how much a step would have missed them. Needs `place`.
template <class Real>
void tell_misses(const Layout& layout, Work<Real>& work, const Tree<Real>& tree);

// The row of a drive that the latest step misses by more than a quarter of a turn, -1 for none.
template <class Real>
Index jumped_row(const Tree<Real>& tree);

// Tree.c and Tree.q of all bodies from the places s (np,) and alpha (na,).
template <class Real>
void place_tree(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> s, Reals<Real> alpha);

// v (nv,) of all bodies from speeds u (nh,) and rates (na,) of the modal coordinates. Needs `place`.
template <class Real>
void tree_velocities(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> u,
                     Reals<Real> modal, Reals<Real> v);

// ds/dt (np,) of the places s (np,) from the speeds u (nh,).
template <class Real>
void place_rates(const Tree<Real>& tree, Reals<Real> s, Reals<Real> u, Reals<Real> out);

// out (nh,) = small changes of s (np,) as speeds would cause them: the inverse of `place_rates`.
template <class Real>
void place_changes(const Tree<Real>& tree, Reals<Real> s, Reals<Real> ds, Reals<Real> out);

// Scale the Euler parameters of ball and free joints back to length one.
template <class Real>
void normalise_tree(const Tree<Real>& tree, Reals<Real> s);

// du/dt (nh,) and rates (na,) of the modal velocities, Tree.vdot, and the multipliers (nr,), by sweeps inward and
// outward. Needs `place`, `move` and `residual` without accelerations and multipliers. False if a matrix is not
// positive definite.
template <class Real>
bool tree_accelerations(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> u, Reals<Real> out,
                        Reals<Real> modal, Reals<Real> multipliers);

}  // namespace flexbody
