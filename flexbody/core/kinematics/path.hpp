// Frames that slide along a path: a line of a body, or of the ground, on which another frame, the follower, moves.
//
// The frame lies where the line is nearest to the follower: its path coordinate s solves
//
//   g(s) = p_s . (y - p(s)) = 0,   y the follower's place in the base of the line's body,
//
// so that s is no unknown of its own. Where a face of the follower touches the line, it lies at the place with this
// tangent plane: g(s) = p_s . n = 0, n the y axis of the follower, outward from the line, which bulges there
// (p_ss . n < 0); an open line goes on beyond its ends with their curvature. Where the rim of a wheel or a cone of
// the follower touches the line, it lies where the distance D from this surface is least (round_distance.hpp): g(s) =
// -p_s . grad D = 0. Place and rotation of the line are splines of s,
//
//   p     = x(s) + Phi(s) alpha + alpha' GF(s) alpha / 2
//   theta = B(s) alpha + alpha' GM(s) alpha / 2,      R = Q exp(theta~) A(s),
//
// with the columns x (3), a reference direction (3) that gives A, Phi (3, N), B (3, N), and entries i <= j of GF and
// GM that do not vanish.
//
// The frame's Jacobian is that of the material point at s. Rows and coordinates get the derivative by s by the chain
// rule (`follow_path`). Velocities and biases of the frame are those of the moving point: they contain p_s s.,
// 2 p_s. s., p_ss s.^2 and p_s s.., with s.. for zero vdot. (Koppens 4.3, Hwang and Haug 1990)
#pragma once
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Find s, and evaluate position, axes, Pi and T Th of frame f there; c (nb, 3), alpha (na,). Needs Q of its body, and
// `place_frame` of the follower.
template <class Real>
void place_on_path(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha, Index f);

// Evaluate s., and velocity, angular velocity and, if wanted, bias accelerations of frame f; alpha (na,), v (nv,).
// Needs `place_on_path`, and `move_frame` of the follower.
template <class Real>
void move_on_path(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v, bool with_bias, Index f);

// A velocity and an angular velocity.
template <class Real>
struct Velocities {
  Vector<Real> v, w;
};

// Those of the point and axes of the body where frame f is; needs `move_frame`.
template <class Real>
FLEXBODY_INLINE Velocities<Real> material_velocity(const Layout& layout, const Work<Real>& work, Index f) {
  const Vector<Real> v = vector_of(work.frame_v, f), w = vector_of(work.frame_w, f);
  const Index p = layout.frame_path[f];
  if (p < 0) return {v, w};
  const auto numbers = work.path[p];
  const Real rate = numbers[PATH_RATE];
  return {v - rate * vector_of(numbers, PATH_TANGENT), w - rate * vector_of(numbers, PATH_TURNING)};
}

// The derivatives of s by r and theta of the line at s, and by those of the follower.
template <class Real>
struct PathSlope {
  Vector<Real> first_r, first_theta, second_r, second_theta;
};

// Those of path p, exact where the follower is on the line; needs `place_on_path`.
template <class Real>
FLEXBODY_INLINE PathSlope<Real> path_slope(const Layout& layout, const Work<Real>& work, Index p) {
  const Index i = layout.path(p, PATH_FRAME), j = layout.path(p, PATH_FOLLOWER);
  const auto numbers = work.path[p];
  const Vector<Real> t = (1.0 / numbers[PATH_CURVED]) * vector_of(numbers, PATH_TANGENT);
  const Vector<Real> none{0.0, 0.0, 0.0};
  const Index touch = layout.path(p, PATH_TOUCH);
  if (touch == FACE) {
    const Vector<Real> turn = cross(column_of(work.frame_R, j, 1), t);
    return {none, -turn, none, turn};
  }
  if (touch == RIM || touch == TREAD) {
    const Vector<Real> pull = (1.0 / numbers[PATH_CURVED]) * vector_of(numbers, PATH_PULL);
    const Vector<Real> turn = cross(vector_of(numbers, PATH_NORMAL), t);
    const Vector<Real> arm = vector_of(work.frame_r, i) - vector_of(work.frame_r, j);
    return {-pull, turn, pull, cross(arm, pull) - turn};
  }
  return {-t, cross(t, vector_of(work.frame_r, j) - vector_of(work.frame_r, i)), t, none};
}

// Complete the derivatives (4, 3) of a function of two frames, of which the first may slide along a path: those by s,
// times those of s, are added.
template <class Real, class Slope>
FLEXBODY_INLINE void follow_path(const Layout& layout, const Work<Real>& work, Index first, const Slope& slope) {
  const Index p = layout.frame_path[first];
  if (p < 0) return;
  const auto numbers = work.path[p];
  const Real by_s = dot(vector_of(slope, 0), vector_of(numbers, PATH_TANGENT)) +
                    dot(vector_of(slope, 1), vector_of(numbers, PATH_TURNING));
  const PathSlope<Real> of_s = path_slope(layout, work, p);
  put(slope, 0, vector_of(slope, 0) + by_s * of_s.first_r);
  put(slope, 1, vector_of(slope, 1) + by_s * of_s.first_theta);
  put(slope, 2, vector_of(slope, 2) + by_s * of_s.second_r);
  put(slope, 3, vector_of(slope, 3) + by_s * of_s.second_theta);
}

}  // namespace flexbody
