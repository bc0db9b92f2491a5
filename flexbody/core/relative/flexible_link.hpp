// Flexible bodies in a tree: how their deformation moves the frames of hinges, and their inertia at the outer frame.
#pragma once
#include "../data/layout.hpp"
#include "link.hpp"

namespace flexbody {

// A frame in motion.
template <class Real>
struct MovingFrame {
  Matrix<Real> R;
  Vector<Real> r;
  Twist<Real> twist, bias;
};

// Frame f on a flexible body, with the bias acceleration of its body (Tree.vdot); leaves it in Work too.
template <class Real>
MovingFrame<Real> bent_frame(const Layout& layout, Work<Real>& work, const Tree<Real>& tree, Index f,
                             Reals<Real> alpha);

// Tree.carried of hinge k, whose outer frame lies at `arm` from the inner one.
template <class Real>
void carry_modes(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                 const Vector<Real>& arm);

// Motion of the flexible body of hinge k from that of its outer frame, its inertia and its residual: Tree.c, v, vdot,
// held, modal_column, modal_inertia, modal_load, and Link.M and load; modal velocities (na,) and their rates, zero by
// default.
template <class Real>
void move_flexible(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Index k, Reals<Real> alpha,
                   Reals<Real> modal, const Reals<Real>* modal_rates);

// A B, or A B' where the second is `transposed`.
template <class Real>
FLEXBODY_INLINE Matrix<Real> product(const Matrix<Real>& A, const Matrix<Real>& B, bool transposed) {
  Matrix<Real> out;
  for (Index k = 0; k < 3; ++k)
    for (Index l = 0; l < 3; ++l)
      out.m[k][l] = transposed ? A.m[k][0] * B.m[l][0] + A.m[k][1] * B.m[l][1] + A.m[k][2] * B.m[l][2]
                               : A.m[k][0] * B.m[0][l] + A.m[k][1] * B.m[1][l] + A.m[k][2] * B.m[2][l];
  return out;
}

// R J R'.
template <class Real>
FLEXBODY_INLINE Symmetric<Real> turned_inertia(const Matrix<Real>& R, const Symmetric<Real>& J) {
  const Vector<Real> x = R.row(0), y = R.row(1), z = R.row(2);
  const Vector<Real> Jx = J * x, Jy = J * y, Jz = J * z;
  return {dot(x, Jx), dot(x, Jy), dot(x, Jz), dot(y, Jy), dot(y, Jz), dot(z, Jz)};
}

// The inertia of a body with mass m, first moment h and inertia J about the place.
template <class Real>
FLEXBODY_INLINE Inertia<Real> inertia_of(Real m, const Vector<Real>& h, const Symmetric<Real>& J) {
  return {{m, 0.0, 0.0, m, 0.0, m}, {{{0.0, h.z, -h.y}, {-h.z, 0.0, h.x}, {h.y, -h.x, 0.0}}}, J};
}

// Center of mass of the rigid body of link k in the base of the link.
template <class Real>
FLEXBODY_INLINE Vector<Real> rigid_center(const Tree<Real>& tree, Index k) {
  const double* a = &tree.rigid(k, 0);
  return {a[1] / a[0], a[2] / a[0], a[3] / a[0]};
}

// Axes of the base of link k in the base of its rigid body.
template <class Real>
FLEXBODY_INLINE Matrix<Real> base_axes(const Layout& layout, const Tree<Real>& tree, Index k) {
  const Index f = tree.frame(k, 1);
  Matrix<Real> A{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  if (f < 0) return A;
  for (Index i = 0; i < 3; ++i)
    for (Index j = 0; j < 3; ++j) A(i, j) = layout.frame_A(f, i, j);
  return A;
}

// What arrives at the outer frame of hinge k from its carrier: accelerations, or velocities, without its own speeds;
// alpha.. (na,), or alpha. .
template <class Real>
FLEXBODY_INLINE Twist<Real> arriving(const Layout& layout, const Tree<Real>& tree, Index k, Reals<Real> modal) {
  const Index i = tree.carrier[k], first = tree.carried_at[k], n = tree.carried_at[k + 1] - first;
  const Link<Real>& link = link_at(tree, k);
  Twist<Real> out{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  if (i < 0) return out;
  out = moved(link_at(tree, i).rate, link.d);
  for (Index j = 0; j < n; ++j)
    add(out, modal[layout.alpha_at[tree.inner[k]] + j], twist_at(tree.carried, first + j));
  return out;
}

}  // namespace flexbody
