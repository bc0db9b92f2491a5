// Frames on bodies: pose, twist, bias acceleration, and loads mapped to generalized forces.
//
// A frame rides on a material point: r = c + Q p, axes Q exp(theta~) A. Joints and forces see nothing else of a body.
// With second-order terms (geometric stiffening, see modal/stiffening.py):
//
//   p     = x + Phi alpha + alpha' GF alpha / 2     Pi = Phi + GF alpha     p.     = Pi alpha.
//   theta = B alpha + alpha' GM alpha / 2           Th = B + GM alpha       theta. = Th alpha.
//
// GF and GM are kept as a few terms, each a symmetric S (N, N) and a direction: a straight beam in a plane has one.
#pragma once
#include "../../../fem/core/vector.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Evaluate position, axes, Pi and T Th of all frames; c (nb, 3), alpha (na,). Needs place_bodies.
template <class Real>
void place_frames(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha);

// The same of frame f alone; needs Q of its body.
template <class Real>
void place_frame(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha, Index f);

// Evaluate velocity, angular velocity and, if wanted, bias accelerations of all frames; alpha (na,), v (nv,).
// Needs place_frames.
template <class Real>
void move_frames(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v, bool with_bias);

// The same of frame f alone.
template <class Real>
void move_frame(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v, bool with_bias, Index f);

// out += (frame Jacobian)^T (force, moment) of frame f on body b, from `at` on, (6 + N,); the load is loads[k] (2,
// 3), inertial. Needs place_frames.
template <class Real>
FLEXBODY_INLINE void add_load(const Layout& layout, const Work<Real>& work, Index f, Index b,
                              Array<Real, 3, 2, 3> loads, Index k, Reals<Real> out, Index at) {
  const Vector<Real> force = vector_of(loads, k, 0), moment = vector_of(loads, k, 1), p = vector_of(work.frame_p, f);
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> local = transposed_times(Q, force), twist = transposed_times(Q, moment);
  put(out, at, vector_of(out, at) + force);
  put(out, at + 3, vector_of(out, at + 3) + (cross(p, local) + twist));
  const Index n = layout.body_modes[b];
  if (n == 0) return;
  const Real* rows = work.frame_rows.part(layout.frame_at[f], 6 * n).data;
  Real* modal = out.part(at + 6, n).data;
  for (Index i = 0; i < n; ++i)
    modal[i] += rows[i] * local.x + rows[n + i] * local.y + rows[2 * n + i] * local.z + rows[3 * n + i] * twist.x +
                rows[4 * n + i] * twist.y + rows[5 * n + i] * twist.z;
}

// out (6 + N,) = (frame Jacobian)^T (force, moment) for inertial components at frame f, which must be on a body, not
// on the ground. Needs place_frames.
template <class Real>
FLEXBODY_INLINE void load_on_frame(const Layout& layout, const Work<Real>& work, Index f, const Vector<Real>& force,
                                   const Vector<Real>& moment, Reals<Real> out) {
  const Index b = layout.frame_body[f], n = layout.body_modes[b];
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> local = transposed_times(Q, force), twist = transposed_times(Q, moment);
  put(out, 0, force);
  put(out, 3, cross(vector_of(work.frame_p, f), local) + twist);
  if (n == 0) return;
  const Real* rows = work.frame_rows.part(layout.frame_at[f], 6 * n).data;
  for (Index i = 0; i < n; ++i) {
    // Pi and T Th by turns, as x, y and z come
    Real value = rows[i] * local.x + rows[3 * n + i] * twist.x;
    value += rows[n + i] * local.y + rows[4 * n + i] * twist.y;
    value += rows[2 * n + i] * local.z + rows[5 * n + i] * twist.z;
    out[6 + i] = value;
  }
}

}  // namespace flexbody
