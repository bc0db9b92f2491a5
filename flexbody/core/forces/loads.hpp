// Loads: forces and moments at frames, given as functions of time (Koppens 4.2), and distributed loads that follow
// the deformation of a body (2.31)-(2.33).
//
// The resultant of such a BODY_LOAD, its moment about the body's origin and its generalized forces are, in the base
// of the body, the factor s(t) times
//
//   F = F0 + F1 alpha     M = M0 + M1 alpha     f = f0 + f1 alpha.
//
// Its part of Layout.load_change is F0 (3), F1 (3, N), M0 (3), M1 (3, N), f0 (N), f1 (N, N); s is the first number of
// its value.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Work.load = the generalized forces of all loads, which are subtracted from Work.residual, and their power is added
// to Work.power; alpha (na,), v (nv,). Needs `move`.
template <class Real>
void add_loads(const Layout& layout, Work<Real>& work, double t, Reals<Real> alpha, Reals<Real> v);

}  // namespace flexbody
