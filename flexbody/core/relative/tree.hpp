// Motion and dynamics of the bodies of a tree by the places and speeds of its hinges.
//
// Slaats (1991), chapter 3, in the form for flexible bodies: frames ride on deformed material points. The twist of
// the outer frame of hinge k is that of the link which carries it, shifted, plus `carried` times its alpha., plus H
// u. Inertial components and the place of each outer frame keep numbers small and the sweeps free of rotations.
//
// An evaluation is `move_tree`, `force_loads`, `factor_tree`, `solve_tree`. The same factors serve any number of
// other loads in Link.load and Tree.modal_load, such as those of `body_loads`.
#pragma once
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/tree.hpp"
#include "link.hpp"

namespace flexbody {

// Coordinates: tree_coordinates.cpp

// Set places s (np,) and speeds u (nh,) of driven motions to what their drives prescribe at time t; Tree.given and
// Tree.missed; Tree.time.
template <class Real>
void drive_tree(const Layout& layout, Tree<Real>& tree, double t, Reals<Real> s, Reals<Real> u);

// Add Tree.missed to the residuals of the driven rows, which are zero because `drive_tree` has met the drives. Needs
// `place`.
template <class Real>
void add_drive_misses(const Layout& layout, Work<Real>& work, const Tree<Real>& tree);

// The row of a drive that the latest step misses by more than a quarter of a turn, -1 for none.
template <class Real>
Index jumped_row(const Tree<Real>& tree);

// ds/dt (np,) of the places s (np,) from the speeds u (nh,).
template <class Real>
void place_rates(const Tree<Real>& tree, Reals<Real> s, Reals<Real> u, Reals<Real> out);

// out (nh,) = small changes of s (np,) as speeds would cause them: the inverse of `place_rates`.
template <class Real>
void place_changes(const Tree<Real>& tree, Reals<Real> s, Reals<Real> ds, Reals<Real> out);

// Scale the Euler parameters of ball and free joints back to length one.
template <class Real>
void normalise_tree(const Tree<Real>& tree, Reals<Real> s);

// Motion: tree_motion.cpp

// Speeds of a tree, or their rates: of the hinges (nh,) and of the modal coordinates (na,).
template <class Real>
struct TreeSpeeds {
  Reals<Real> u, modal;
};

// Poses, velocities, bias accelerations and inertia of all links, and their loads: inertia at the bias acceleration,
// gravity, elasticity and damping; Work.power. Of flexible bodies also what Work has of them and of the frames of
// hinges, and Tree.c, v, vdot. From places s (np,), alpha (na,) and speeds. The bias accelerations are those of
// Tree.given; or, with `rates`, the accelerations for these rates of the speeds.
template <class Real>
void move_tree(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> s, Reals<Real> alpha,
               const TreeSpeeds<Real>& speeds, const TreeSpeeds<Real>* rates = nullptr);

// v (nv,) of all bodies, also small displacements, from speeds. Needs `move_tree`; uses Link.rate.
template <class Real>
void tree_velocities(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree,
                     const TreeSpeeds<Real>& speeds, Reals<Real> v);

// Tree.c, q and v of all bodies, and Work.Q; modal velocities (na,). Needs `move_tree`.
template <class Real>
void set_bodies(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> modal);

// Tree.vdot of all bodies: once after `solve_tree`; rates (na,) of the modal velocities.
template <class Real>
void set_body_accelerations(const Layout& layout, const Work<Real>& work, Tree<Real>& tree, Reals<Real> rates);

// Dynamics: tree_dynamics.cpp

// Factorise the mass matrix of a tree: Link.M becomes what each hinge shows inward. False if it is not positive
// definite. Needs `move_tree` before each call.
template <class Real>
bool factor_tree(const Layout& layout, Tree<Real>& tree);

// Solve for the rates of all free speeds, those of driven motions being zero: Link.load and Tree.modal_load are the
// residuals of the bodies, of no force on the speeds themselves. Link.rate and out receive the accelerations that
// they cause, the loads what each hinge shows inward. Needs `factor_tree`.
template <class Real>
void solve_tree(const Layout& layout, Tree<Real>& tree, const TreeSpeeds<Real>& out);

// The load (6,) with which a hinge carries its body, at the outer frame; rates (nh,) as `solve_tree` or `solve_loops`
// found them.
template <class Real>
Twist<Real> hinge_load(const Tree<Real>& tree, Index k, Reals<Real> rates);

// Forces (nh,), (na,) on the speeds, along them, which the residuals of the bodies call for: inverse dynamics. Uses
// up Link.load. Needs `move_tree` with rates.
template <class Real>
void forces_on_speeds(const Layout& layout, Tree<Real>& tree, const TreeSpeeds<Real>& out);

// Loads: tree_loads.cpp

// Add the forces on the bodies to the loads of `move_tree`, and their power; `placed` where Work has all frames, else
// it gets those that forces act on. alpha, modal velocities (na,).
template <class Real>
void force_loads(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> alpha,
                 Reals<Real> modal, bool placed);

// Add x (nv,), generalized forces for the velocities of bodies in the global description, with the sign of residuals.
// Needs `move_tree` and `set_bodies`, for Q and c.
template <class Real>
void body_loads(const Layout& layout, const Work<Real>& work, Tree<Real>& tree, Reals<Real> x);

// Multipliers (nr,) of the rows of all hinges; rates (nh,) as `solve_tree` found them. Needs `solve_tree`, and
// `place` for the rows.
template <class Real>
void tree_multipliers(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> rates,
                      Reals<Real> multipliers);

// What drives and users' hinges that depend on time put in, W: u (nh,) and rates (nh,). Needs `solve_tree`.
template <class Real>
Real drive_power(const Tree<Real>& tree, Reals<Real> u, Reals<Real> rates);

// The equations of motion: tree_loads.cpp

// What an evaluation is to leave beside the rates of the speeds: nothing; the motion of bodies and frames (Tree.c, q,
// v, vdot, Work); or all rows and multipliers too, as in the global description.
enum class Extent { RATES, MOTION, REACTIONS };

// Rates of the speeds at time t, and Work.power; multipliers (nr,). False if a matrix is not positive definite.
template <class Real>
bool tree_accelerations(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> s,
                        Reals<Real> alpha, const TreeSpeeds<Real>& speeds, const TreeSpeeds<Real>& out, Extent extent,
                        Reals<Real> multipliers);

}  // namespace flexbody
