// Friction that follows the reaction of its joint: normal forces from the multipliers, and solutions that take into
// account the friction that they bring.
//
// The force along a joint coordinate is `h(s) N + viscous s`, with the rate s and `N` of the joint's reaction F, M on
// its second body. `e` is the axis of the motion, and two bearings stand `length` apart on it:
//
//     N = arm (preload + |F/2 + e x M / length| + |F/2 - e x M / length|) + collar |e . F| + |e . M| / radius
//
// (of F and M across e in the bearings). Reactions are linear in the multipliers, so that a system
// `A [x; lambda] + [B; 0] F = b` with `F = h N(lambda)` is solved with the factors of A and one response to a unit of
// each such force (B a column for each): Newton's method for as many unknowns as there are such elements.
//
// The teeth of gears are of the same kind: the tooth force has a part that pushes both wheels apart, whatever the
// sign of the force that they transmit. It acts at the pitch point P, along the normal n of the pitch surfaces:
//
//     F_n = F_t tan(transverse pressure angle) = lever |lambda|
//
// P and n are fixed to the carrier of the wheels, and `h = -1`: the force pushes.
//
// Of surfaces that roll and slip (slip.hpp) N is the multiplier of their gap, and each force is a function f(N); h is
// its derivative.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Whether there are such elements.
template <class Real>
bool any_friction(const Work<Real>& work) {
  return work.friction_record.shape[0] > 0;
}

// Rate of the joint's other coordinate along which friction k slides at the same place, as one of its own; 0 if there
// is none. Needs `place_coordinates`, `move_frames`.
template <class Real>
Real partner_rate(const Layout& layout, const Work<Real>& work, Index k);

// Find N, h and their derivatives for all such elements; multipliers (nr,), or more. Needs `place` and `move` (or
// `drift`).
template <class Real>
void find_normal_forces(const Layout& layout, Work<Real>& work, Reals<Real> multipliers);

// Solve for the response to a unit of each such force, with the latest factors; overwrites Work.right.
template <class Real>
void find_unit_responses(const Layout& layout, Work<Real>& work);

// Let a solution x (nv,), y (m,) of the linear system take into account that these forces change with y. Needs
// `find_normal_forces` and `find_unit_responses`.
template <class Real>
void add_friction(const Layout& layout, Work<Real>& work, Reals<Real> x, Reals<Real> y);

// Let x (nv,) and multipliers (nr,) solve the system with their own friction forces in place of those that
// `residual` counted. Needs `find_unit_responses`. Adds what these forces dissipate more to Work.power. Where no
// forces are found x is NaN.
template <class Real>
void solve_friction(const Layout& layout, Work<Real>& work, Reals<Real> x, Reals<Real> multipliers);

}  // namespace flexbody
