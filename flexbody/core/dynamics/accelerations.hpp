// Accelerations and multipliers of a given position and velocity: the equations of motion as those of index 1.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// M vdot + G^T y = -Work.residual, G vdot = -bias: (4.20) with the second time derivatives of the constraints.
//
// vdot (nv,), y (m,): multipliers, then forces of elements, which are zero; compliance (m - nr,) is scratch. Needs
// `place`, `move`, and `residual` of zero accelerations and multipliers. Friction that follows reactions is that of
// the solution, and Work.power with it. False if a body's mass matrix is not positive definite.
template <class Real>
bool accelerations(const Layout& layout, Work<Real>& work, double t, Reals<Real> compliance, Reals<Real> vdot,
                   Reals<Real> y);

}  // namespace flexbody
