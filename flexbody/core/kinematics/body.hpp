// The equations of motion of one body, Koppens (2.30) and (2.46), rigid or flexible.
//
// Unknowns are c.. (inertial), omega. (components of Q) and alpha..; rigid bodies have no alpha.
#pragma once
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Kinetic, strain and gravity energy of a body, J.
template <class Real>
struct BodyEnergy {
  Real kinetic, strain, potential;
};

// Evaluate Q of all bodies, and of the flexible ones what changes with their deformation; q (nb, 4), alpha (na,).
template <class Real>
void place_bodies(const Layout& layout, Work<Real>& work, EulerParameters<Real> q, Reals<Real> alpha);

// Of the flexible body b what changes with its deformation; alpha (na,).
template <class Real>
void place_deformed(const Layout& layout, Work<Real>& work, Index b, Reals<Real> alpha);

// M vdot + bias - gravity + K alpha + D alpha. of body b, written into its part of out (nv,): (2.46) without other
// loads; v and vdot (nv,), alpha (na,). Adds the power of damping to work.power[DISSIPATED]. Needs place_bodies.
template <class Real>
void body_residual(const Layout& layout, Work<Real>& work, Index b, Reals<Real> alpha, Reals<Real> v,
                   Reals<Real> vdot, Reals<Real> out);

// out (6 + N, 6 + N) = mass M + damping D + stiffness K of body b, symmetric. K is the tangent at the position of
// place_bodies, the axial modes' part included.
template <class Real>
void body_matrix(const Layout& layout, const Work<Real>& work, Index b, double mass, double damping, double stiffness,
                 Array<Real, 2> out);

// M x of body b, its part of x (6 + N,). Needs place_bodies.
template <class Real>
void body_momentum(const Layout& layout, const Work<Real>& work, Index b, const Real* x, Real* out);

// Energies of body b; c (nb, 3), alpha (na,), v (6 + N,) of this body. Needs place_bodies.
template <class Real>
BodyEnergy<Real> body_energy(const Layout& layout, const Work<Real>& work, Index b, Vectors<Real> c,
                             Reals<Real> alpha, Reals<Real> v);

// Flat coefficients `which` (C1 .. AXIAL) of body b.
inline Table coefficient(const Layout& layout, Index b, Coefficient which, Index size) {
  return layout.coefficients.part(layout.coefficient_at(b, which), size);
}

// c.. - g (3,), the specific force at the reference point.
template <class Real>
FLEXBODY_INLINE Vector<Real> specific_force(const Layout& layout, Reals<Real> vdot, Index at) {
  return {vdot[at] - layout.gravity[0], vdot[at + 1] - layout.gravity[1], vdot[at + 2] - layout.gravity[2]};
}

// Newton's and Euler's equations of a rigid body, m (c.. - g) and J omega. + omega x J omega, into work.residual.
template <class Real>
FLEXBODY_INLINE void rigid_residual(const Layout& layout, Work<Real>& work, Index b, Reals<Real> v,
                                    Reals<Real> vdot) {
  const Index at = layout.v_at[b];
  const Matrix<Real> J = matrix_of(work.J, b);
  const Vector<Real> omega = vector_of(v, at + 3), spin_rate = vector_of(vdot, at + 3);
  put(work.residual, at, layout.body_mass[b] * specific_force(layout, vdot, at));
  put(work.residual, at + 3, plus_cross(J * spin_rate, omega, J * omega));
}

// mass M of a rigid body, its lower triangle, into work.matrix; entries that vanish are not read. A massless body has
// its auxiliary mass, and the inertia of a ball.
template <class Real>
FLEXBODY_INLINE void rigid_matrix(const Layout& layout, Work<Real>& work, Index b, double mass) {
  Real* out = work.matrix.part(layout.matrix_at[b], 36).data;
  const Matrix<Real> J = matrix_of(work.J, b);
  const double auxiliary = mass * layout.auxiliary_mass[b], ball = auxiliary * square(layout.body_size[b]);
  for (Index k = 0; k < 3; ++k) {
    out[7 * k] = mass * layout.body_mass[b] + auxiliary;
    for (Index l = 0; l <= k; ++l) out[6 * (3 + k) + 3 + l] = mass * J(k, l);
    out[7 * (3 + k)] += ball;
  }
}

// The six rigid rows of (2.46), inertia minus gravity, without what alpha. and alpha.. add, into out from `at` on:
// m (c.. - g) + Q t, t = omega x (omega x D1) + omega. x D1, and J omega. + omega x J omega + D1 x Q' (c.. - g).
template <class Real>
FLEXBODY_INLINE void rigid_rows(const Layout& layout, const Work<Real>& work, Index b, Reals<Real> v,
                                Reals<Real> vdot, Reals<Real> out, Index at) {
  const Matrix<Real> Q = matrix_of(work.Q, b), J = matrix_of(work.J, b);
  const Vector<Real> D1 = vector_of(work.D1, b);
  const Vector<Real> omega = vector_of(v, at + 3), spin_rate = vector_of(vdot, at + 3);
  // centrifugal and tangential acceleration of the first moment, in components of Q
  const Vector<Real> centrifugal = dot(omega, D1) * omega - dot(omega, omega) * D1;
  const Vector<Real> t = plus_cross(centrifugal, spin_rate, D1);
  const Vector<Real> s = specific_force(layout, vdot, at);
  put(out, at, plus_product(layout.body_mass[b] * s, Q, t));
  const Vector<Real> gyroscopic = plus_cross(J * spin_rate, omega, J * omega);
  put(out, at + 3, plus_cross(gyroscopic, D1, transposed_times(Q, s)));
}

}  // namespace flexbody
