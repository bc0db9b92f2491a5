// A body of a tree as its hinge sees it, at the outer frame of the hinge: in inertial components throughout, so that
// inertias and loads are shifted from hinge to hinge but never turned.
#pragma once
#include "../../../fem/core/vector.hpp"
#include "../data/layout.hpp"
#include "../data/tree.hpp"

namespace flexbody {

// Velocity and angular velocity of a frame, inertial components; also a force and a moment, or accelerations.
template <class Real>
struct Twist {
  Vector<Real> v, w;
};

template <class Real>
FLEXBODY_INLINE Real dot(const Twist<Real>& a, const Twist<Real>& b) {
  return dot(a.v, b.v) + dot(a.w, b.w);
}
template <class Real>
FLEXBODY_INLINE void add(Twist<Real>& a, std::type_identity_t<Real> factor, const Twist<Real>& b) {
  a.v += factor * b.v;
  a.w += factor * b.w;
}
// The twist of a point that lies at d from the place of a twist, of the same body.
template <class Real>
FLEXBODY_INLINE Twist<Real> moved(const Twist<Real>& twist, const Vector<Real>& d) {
  return {twist.v + cross(twist.w, d), twist.w};
}
// A force and moment at d as those at the origin of d: the transposed of `moved`.
template <class Real>
FLEXBODY_INLINE Twist<Real> moved_load(const Twist<Real>& load, const Vector<Real>& d) {
  return {load.v, load.w + cross(d, load.v)};
}
// What lies in an array from a place on.
template <class Real>
FLEXBODY_INLINE Twist<Real>& twist_at(const Array<Real, 2, 6>& a, Index i) {
  return *reinterpret_cast<Twist<Real>*>(&a(i, 0));
}

// A symmetric 3 x 3 matrix.
template <class Real>
struct Symmetric {
  Real xx, xy, xz, yy, yz, zz;
};

template <class Real>
FLEXBODY_INLINE Vector<Real> operator*(const Symmetric<Real>& A, const Vector<Real>& x) {
  return {A.xx * x.x + A.xy * x.y + A.xz * x.z, A.xy * x.x + A.yy * x.y + A.yz * x.z,
          A.xz * x.x + A.yz * x.y + A.zz * x.z};
}

// The inertia of a body with all that it carries: f = A a + B b, n = B' a + C b.
template <class Real>
struct Inertia {
  Symmetric<Real> A;
  Matrix<Real> B;
  Symmetric<Real> C;
};

template <class Real>
FLEXBODY_INLINE Twist<Real> operator*(const Inertia<Real>& M, const Twist<Real>& x) {
  return {M.A * x.v + M.B * x.w, transposed_times(M.B, x.v) + M.C * x.w};
}

// M -= factor U U'.
template <class Real>
FLEXBODY_INLINE void subtract_square(Inertia<Real>& M, Real factor, const Twist<Real>& U) {
  const Vector<Real> f = U.v, n = U.w, g = factor * f, h = factor * n;
  M.A.xx -= g.x * f.x, M.A.xy -= g.x * f.y, M.A.xz -= g.x * f.z;
  M.A.yy -= g.y * f.y, M.A.yz -= g.y * f.z, M.A.zz -= g.z * f.z;
  Real(&B)[3][3] = M.B.m;
  B[0][0] -= g.x * n.x, B[0][1] -= g.x * n.y, B[0][2] -= g.x * n.z;
  B[1][0] -= g.y * n.x, B[1][1] -= g.y * n.y, B[1][2] -= g.y * n.z;
  B[2][0] -= g.z * n.x, B[2][1] -= g.z * n.y, B[2][2] -= g.z * n.z;
  M.C.xx -= h.x * n.x, M.C.xy -= h.x * n.y, M.C.xz -= h.x * n.z;
  M.C.yy -= h.y * n.y, M.C.yz -= h.y * n.z, M.C.zz -= h.z * n.z;
}

// M += X' L X with the twist X y at d from the place of M: B - A d~ and C - B' d~ + d~ (B - A d~).
template <class Real>
FLEXBODY_INLINE void add_shifted(Inertia<Real>& M, const Inertia<Real>& L, const Vector<Real>& d) {
  const Symmetric<Real>& A = L.A;
  const Real(&b)[3][3] = L.B.m;
  const Real x = d.x, y = d.y, z = d.z;
  M.A.xx += A.xx, M.A.xy += A.xy, M.A.xz += A.xz, M.A.yy += A.yy, M.A.yz += A.yz, M.A.zz += A.zz;
  const Real s[3][3] = {
      {b[0][0] - A.xy * z + A.xz * y, b[0][1] + A.xx * z - A.xz * x, b[0][2] - A.xx * y + A.xy * x},
      {b[1][0] - A.yy * z + A.yz * y, b[1][1] + A.xy * z - A.yz * x, b[1][2] - A.xy * y + A.yy * x},
      {b[2][0] - A.yz * z + A.zz * y, b[2][1] + A.xz * z - A.zz * x, b[2][2] - A.xz * y + A.yz * x}};
  for (int k = 0; k < 3; ++k)
    for (int l = 0; l < 3; ++l) M.B.m[k][l] += s[k][l];
  M.C.xx += L.C.xx - b[1][0] * z + b[2][0] * y + y * s[2][0] - z * s[1][0];
  M.C.xy += L.C.xy + b[0][0] * z - b[2][0] * x + y * s[2][1] - z * s[1][1];
  M.C.xz += L.C.xz - b[0][0] * y + b[1][0] * x + y * s[2][2] - z * s[1][2];
  M.C.yy += L.C.yy + b[0][1] * z - b[2][1] * x + z * s[0][1] - x * s[2][1];
  M.C.yz += L.C.yz - b[0][1] * y + b[1][1] * x + z * s[0][2] - x * s[2][2];
  M.C.zz += L.C.zz - b[0][2] * y + b[1][2] * x + x * s[1][2] - y * s[0][2];
}

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

// The body that a hinge leads to, at the origin of the hinge's outer frame.
template <class Real>
struct Link {
  Matrix<Real> R;     // axes of the outer frame (columns)
  Vector<Real> r;     // its origin, m
  Vector<Real> d;     // from the origin of the link that carries it
  Twist<Real> twist;  // its velocities
  Twist<Real> bias;   // its accelerations where no speed changes but those that drives prescribe
  Inertia<Real> M;    // of the body; after `factor_tree` what the hinge shows inward
  Twist<Real> load;   // what bias and forces leave; after `solve_tree` what the hinge shows inward
  Twist<Real> rate;   // after `solve_tree` the acceleration beside the bias
};

// Link k of a tree; -1 is the ground, at rest.
template <class Real>
FLEXBODY_INLINE Link<Real>& link_at(const Tree<Real>& tree, Index k) {
  static_assert(sizeof(Link<Real>) == 60 * sizeof(Real), "a link is a row of Tree.link");
  return *reinterpret_cast<Link<Real>*>(&tree.link(k + 1, 0));
}

// Center of mass of the rigid body of link k in the base of the link.
template <class Real>
FLEXBODY_INLINE Vector<Real> rigid_center(const Tree<Real>& tree, Index k) {
  const double* a = &tree.rigid(k, 0);
  return {a[1], a[2], a[3]};
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
