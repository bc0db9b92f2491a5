// Constraint rows: residual, Jacobian in terms of the frames' motion, and acceleration bias.
//
// Three primitive rows are enough for most joints; `a` and `b` are axes of the first and second frame:
//
// * POINT     `e_a . (r_2 - r_1) - s(t) = 0`
// * ATTITUDE  `e_a(1) . e_b(2) = 0`
// * ANGLE     `sin(angle - phi(t)) = 0`, the angle about `e_z(1)` from `e_x(1)` to `e_x(2)`
//
// Others act on any number of frames, their legs: sums of joint coordinates (COUPLING), base functions that follow
// contacts (FOLLOWING, of scale one), and users' own constraints.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// What a drive prescribes: m or rad, and its time derivatives.
struct DriveMotion {
  double value, rate, acceleration;
};

// The motion of drive d at time t: its law's, else `value + rate t` with a constant rate.
DriveMotion drive_value(const Layout& layout, Index d, double t);

// Residuals, time derivatives and directions of all rows of the kinds before COUPLING, scaled to metres; needs
// `place_frames`.
template <class Real>
void evaluate_rows(const Layout& layout, Work<Real>& work, double t);

// The same for all rows of the kinds from COUPLING on, by legs; needs `place_frames`, `place_coordinates` and
// `place_shapes`.
template <class Real>
void place_legged(const Layout& layout, Work<Real>& work, double t);

// The same for row k alone, of any kind; needs what its kind does.
template <class Real>
void place_row(const Layout& layout, Work<Real>& work, Index k, double t);

// Second time derivative of row k, of a kind before COUPLING, for zero vdot: `Phi.. = G vdot + bias`, m/s^2; needs
// `place` and `move`.
template <class Real>
Real row_bias(const Layout& layout, const Work<Real>& work, Index k, double t);

// The same for a row of the kinds from COUPLING on; needs `accelerate_shapes` too.
template <class Real>
Real legged_bias(const Layout& layout, const Work<Real>& work, Index k, double t);

}  // namespace flexbody
