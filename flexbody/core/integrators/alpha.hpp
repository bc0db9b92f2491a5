// The generalized-alpha method for mechanical systems with constraints, on the group of rotations.
//
// J. Chung, G. M. Hulbert, J. Appl. Mech. 60 (1993) 371; M. Arnold, O. Bruels, Multibody Syst. Dyn. 18 (2007) 185
// (index 3); M. Arnold, O. Bruels, A. Cardona, Numer. Math. 129 (2015) 149 (stabilized index 2); O. Bruels,
// A. Cardona, M. Arnold, Mech. Mach. Theory 48 (2012) 121 (Euler parameters are updated by the exponential map, so
// their length is one without a constraint).
#pragma once
#include "../data/alpha_state.hpp"
#include "../data/kinds.hpp"
#include "../data/layout.hpp"

namespace flexbody {

// Advance to t_out in at most max_steps steps; returns DONE, PAUSED or what went wrong.
template <class Real>
Index advance(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double t_out,
              const AlphaSettings& settings, Index max_steps);

// Make vdot, its rate, a, the multipliers and the powers those of the loads as they are now.
//
// Positions and velocities go through a jump of the loads unchanged, accelerations and multipliers jump with it, and
// so does the method's own acceleration-like variable, which belongs to t + (alpha_m - alpha_f) h. The rate of the
// accelerations is their derivative along the motion, by a difference over a step so small that it counts as exact
// (the loads' own round-off times 1e4 is still far below the step's error). False if a body's mass matrix is not
// positive definite.
template <class Real>
bool restart(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
             const AlphaSettings& settings);

// At the start, or behind a jump of the loads, begin a step of size h with what it can follow of the accelerations.
//
//     vdot = vdot_before + (2 F - F^2) (vdot - vdot_before),    F = m S^-1 M,    S = m M + gamma h D + beta h^2 K,
//
// and so the rate of the accelerations, with 3 F^2 - 2 F^3. A vibration of frequency w answers a jump by
// accelerations A w^2, A its amplitude. A step with h w > 1 that began with them would give it the speed h A w^2, h w
// times the true one. The filter leaves them where h w is small, up to (h w)^4, and 2 A / h^2 where it is large. At
// the start, vdot_before is the motion in which no element and no body deforms faster or slower, see
// `softened_start.hpp`.
template <class Real>
void soften_jump(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                 const AlphaSettings& settings);

}  // namespace flexbody
