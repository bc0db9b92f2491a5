// Joint coordinates: scalar functions of two frames, with gradients, rates and continuous angles.
//
// With `e_a(1)` an axis of the first frame and `e_b(2)` one of the second:
//
// * TRANSLATION  `e_a(1) . (r_2 - r_1)`
// * ROTATION     `atan2(e_a . e_c, e_b . e_c)`: a, b axes of the hosting frame, c one of the other frame
// * TILT         `asin(e_a(1) . e_b(2))`, the middle one of three Bryant angles, Sol (2.2.18)
// * LENGTH       `|r_2 - r_1|`
// * ALONG_PATH   the path coordinate s of the first frame, see path.hpp
//
// Rotations are continuous over many revolutions: Work.revolutions holds, for each, the angle around which it is
// taken (half a turn to either side), and angle and rate at the last accepted step. An integrator calls
// `expect_revolutions` before it tries a step, `measure_revolutions` of a step that it may accept, and
// `count_revolutions` once it has.
//
// Coordinates that rows and forces use come first, and are evaluated wherever these are; the other angles of joints
// are only counted, so that every angle in a result has all revolutions, whatever the time between stored states.
#pragma once
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// A scalar product of two axes: its value, its rate, and its second time derivative for zero vdot.
template <class Real>
struct Product {
  Real value, rate, bias;
};

// Values of the coordinates that are used, with derivatives by r_first, theta_first, r_second, theta_second; needs
// `place_frames`.
template <class Real>
void place_coordinates(const Layout& layout, Work<Real>& work);

// Rate of coordinate k: `g . (v_first, w_first, v_second, w_second)`; needs `place_coordinates` and `move_frames`.
template <class Real>
inline Real coordinate_rate(const Layout& layout, const Work<Real>& work, Index k) {
  const auto g = work.coordinate_slope[k];
  const Index i = layout.coordinate(k, COORDINATE_FIRST), j = layout.coordinate(k, COORDINATE_SECOND);
  if (layout.coordinate(k, COORDINATE_KIND) == ALONG_PATH) return work.path(layout.frame_path[i], PATH_RATE);
  return dot(vector_of(g, 0), vector_of(work.frame_v, i)) + dot(vector_of(g, 1), vector_of(work.frame_w, i)) +
         dot(vector_of(g, 2), vector_of(work.frame_v, j)) + dot(vector_of(g, 3), vector_of(work.frame_w, j));
}

// Take angles around what they would be a time dt after the last accepted step.
template <class Real>
void expect_revolutions(Work<Real>& work, double dt);

// Measure all coordinates a time dt after the last accepted step; needs `place` and `move` (or `drift`).
//
// Returns whether revolutions are counted with certainty: the rate of no angle about a joint's own axis changes so
// much in this time that it might lie half a turn from where the mean of both rates leads.
template <class Real>
bool measure_revolutions(const Layout& layout, Work<Real>& work, double dt);

// Keep angles and rates as measured last: their state is accepted.
template <class Real>
void count_revolutions(Work<Real>& work);

// Value, rate and bias of the second derivative of `e_a(i) . e_b(j)`; needs `place_frames` and `move_frames`.
template <class Real>
Product<Real> product_bias(const Work<Real>& work, Index i, Index j, Index a, Index b);

// Bias of the second derivative of `e_a(i) . (r_j - r_i)`; needs `place_frames` and `move_frames`.
template <class Real>
Real translation_bias(const Work<Real>& work, Index i, Index j, Index a);

// Second time derivative of coordinate k for zero vdot; needs `place` and `move`.
template <class Real>
Real coordinate_bias(const Layout& layout, const Work<Real>& work, Index k);

}  // namespace flexbody
