// Hinges of users, given by the pose of the second frame in the first as a function of coordinates and time.
//
// A function that is called gets a buffer of OWN_NUMBERS. For OWN_TASK 0: up to five coordinates (OWN_PLACE) and
// their rates (OWN_SPEED); it writes, in the base of the first frame, place (3) and axes (9) of the second one
// (OWN_POSE), its twist for a unit of each rate (6 each, OWN_COLUMN), by the time alone (OWN_TIME), and its
// acceleration where no rate changes (OWN_DRIFT), Sol (3.3.26) to (3.3.34). For OWN_TASK 1 it gets a pose and writes
// its coordinates.
#pragma once
#include "flexible_link.hpp"
#include "tree.hpp"

namespace flexbody {

// Pose, twist and bias acceleration of link k of a user's hinge, and its columns, from the inner frame; rates (nh,).
template <class Real>
void move_own_link(const Tree<Real>& tree, Index k, Reals<Real> s, Reals<Real> u, Reals<Real> rates,
                   const MovingFrame<Real>& from);

// The parts along the motions of a user's hinge k of a twist of its outer frame beside the inner, which is a sum of
// them; `length` makes angles lengths.
template <class Real>
void along_own_motions(const Tree<Real>& tree, Index k, double length, const Twist<Real>& twist, Reals<Real> u);

}  // namespace flexbody
