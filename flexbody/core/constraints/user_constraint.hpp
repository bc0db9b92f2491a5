// Rows of users' own constraints: functions of time and of any number of frames, recorded or called back.
//
// Inputs x of a function: the time, then for each frame `r` (3), `R` (9), and for constraints of velocities `v` (3)
// and `w` (3), all inertial. A function that is called back gets a buffer: 0 or 1; the inputs; the biases of `v` and
// `w` (6) of each frame. After these it writes, for 0, its value and its gradient (6 of each frame, and by time); for
// 1, its second time derivative for zero vdot (of a constraint of velocities the first).
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Inputs for each frame: r, R, v, w; and what a function that is called back gets beyond them: biases of v and w.
constexpr Index WIDTH = 18, BIASES = 6;

// Value and partial time derivative of a row.
template <class Real>
struct RowValue {
  Real value, rate;
};

// out (n, 6 legs + 1) = derivatives of the inputs x (n,) by (r, theta) of each frame and by time; of a constraint of
// velocities (not holonomic) by (v, w) instead.
template <class Real>
void seeds_of(Reals<Real> x, bool holonomic, Array<Real, 2> out);

// first, second (n,) = time derivatives of the inputs x (n,) for zero vdot; biases (legs, 2, 3) of v and w.
template <class Real>
void path_of(Reals<Real> x, Array<Real, 3> biases, Reals<Real> first, Reals<Real> second);

// Value and partial time derivative of row k; its derivatives by the frames go to Work.leg_slope. Needs
// `place_frames`.
template <class Real>
RowValue<Real> user_row(const Layout& layout, Work<Real>& work, Index k, double t);

// Second time derivative of row k for zero vdot (of a constraint of velocities the first); needs `place` and `move`.
template <class Real>
Real user_bias(const Layout& layout, const Work<Real>& work, Index k, double t);

}  // namespace flexbody
