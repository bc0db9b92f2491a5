// Positions and velocities along a tree, see tree.hpp.
#include "../constraints/constraint.hpp"
#include "../kinematics/body.hpp"
#include "../kinematics/rotation.hpp"
#include "tree.hpp"

namespace flexbody {

template <class Real>
Twist<Real> hinge_column(const Work<Real>& work, const Tree<Real>& tree, Index k, Index m) {
  const Vector<Real> zero{0.0, 0.0, 0.0};
  const HingeFrames<Real> ends(tree, k);
  const Index kind = tree.motion(m, MOTION_KIND);
  const Vector<Real> e = column_of(work.frame_R, tree.motion(m, MOTION_SIDE) == 0 ? ends.first : ends.second,
                                   tree.motion(m, MOTION_AXIS));
  if (kind == SHIFT) return {e, zero};
  return {kind == SCREW ? tree.screw(k, 1) * e : zero, e};
}

template <class Real>
Twist<Real> hinge_twist(const Work<Real>& work, const Tree<Real>& tree, Index k, Reals<Real> u) {
  Twist<Real> sum{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) {
    const Twist<Real> column = hinge_column(work, tree, k, m);
    sum.v += u[m] * column.v;
    sum.w += u[m] * column.w;
  }
  return sum;
}

template <class Real>
Twist<Real> hinge_drift(const Work<Real>& work, const Tree<Real>& tree, Index k, Reals<Real> u) {
  const HingeFrames<Real> ends(tree, k);
  Twist<Real> sum{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) {
    const Index side = tree.motion(m, MOTION_SIDE) == 0 ? ends.first : ends.second;
    const Vector<Real> w = vector_of(work.frame_w, side);
    const Twist<Real> column = hinge_column(work, tree, k, m);
    sum.v += u[m] * cross(w, column.v);
    sum.w += u[m] * cross(w, column.w);
  }
  return sum;
}

// R turned about its axis number `axis` by an angle: R exp(angle e_axis~).
template <class Real>
static Matrix<Real> turned(const Matrix<Real>& R, Index axis, Real angle) {
  const Index i = (axis + 1) % 3, j = (axis + 2) % 3;
  const Real cosine = std::cos(angle), sine = std::sin(angle);
  Matrix<Real> out = R;
  for (Index row = 0; row < 3; ++row) {
    out(row, i) = cosine * R(row, i) + sine * R(row, j);
    out(row, j) = -sine * R(row, i) + cosine * R(row, j);
  }
  return out;
}

namespace {

// Pose of the second frame of a hinge in the first: R2 = R1 R, r2 = r1 + R1 d.
template <class Real>
struct HingePose {
  Matrix<Real> R;
  Vector<Real> d;
};

}  // namespace

template <class Real>
static HingePose<Real> hinge_pose(const Tree<Real>& tree, Index k, Reals<Real> s) {
  HingePose<Real> pose{{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}}, {0.0, 0.0, 0.0}};
  Index at = tree.place_at[k];
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) {
    if (tree.motion(m, MOTION_KIND) == SHIFT) pose.d[tree.motion(m, MOTION_AXIS)] += s[at++];
  }
  if (tree.ball[k]) {
    pose.R = matrix_of_euler(s.part(at, 4));
    return pose;
  }
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) {
    const Index kind = tree.motion(m, MOTION_KIND), axis = tree.motion(m, MOTION_AXIS);
    if (kind == SHIFT) continue;
    if (kind == SCREW) pose.d[axis] += tree.screw(k, 0) + tree.screw(k, 1) * s[at];
    pose.R = turned(pose.R, axis, s[at++]);
  }
  return pose;
}

// A B, or A B' where the second is `transposed`.
template <class Real>
static Matrix<Real> product(const Matrix<Real>& A, const Matrix<Real>& B, bool transposed) {
  Matrix<Real> out;
  for (Index k = 0; k < 3; ++k)
    for (Index l = 0; l < 3; ++l) out(k, l) = dot(A.row(k), transposed ? B.row(l) : B.column(l));
  return out;
}

// Euler parameters (4,) of a rotation matrix; of the two, those near what `q` contains. The largest of the four is
// found from the diagonal, so that no digits are lost.
template <class Real>
static void euler_of_matrix(const Matrix<Real>& Q, Reals<Real> q) {
  const Real trace = Q(0, 0) + Q(1, 1) + Q(2, 2);
  Real p[4];
  if (trace >= 0.0) {
    p[0] = 1.0 + trace;
    p[1] = Q(2, 1) - Q(1, 2), p[2] = Q(0, 2) - Q(2, 0), p[3] = Q(1, 0) - Q(0, 1);
  } else {
    const Index i = Q(0, 0) > Q(1, 1) ? (Q(0, 0) > Q(2, 2) ? 0 : 2) : (Q(1, 1) > Q(2, 2) ? 1 : 2);
    const Index j = (i + 1) % 3, k = (i + 2) % 3;
    p[0] = Q(k, j) - Q(j, k);
    p[1 + i] = 1.0 + Q(i, i) - Q(j, j) - Q(k, k);
    p[1 + j] = Q(i, j) + Q(j, i);
    p[1 + k] = Q(i, k) + Q(k, i);
  }
  const Real norm = std::sqrt(p[0] * p[0] + p[1] * p[1] + p[2] * p[2] + p[3] * p[3]);
  const Real near = p[0] * q[0] + p[1] * q[1] + p[2] * q[2] + p[3] * q[3];
  for (Index l = 0; l < 4; ++l) q[l] = (near < 0.0 ? -p[l] : p[l]) / norm;
}

template <class Real>
void drive_tree(const Layout& layout, Tree<Real>& tree, double t, Reals<Real> s, Reals<Real> u) {
  for (Index m = 0; m < tree.driven.shape[0]; ++m) {
    if (!is_driven(tree, m)) continue;
    const DriveMotion motion = drive_value(layout, tree.driven(m, DRIVEN_BY), t);
    const Index at = tree.driven(m, DRIVEN_PLACE);
    const Real place = tree.driven_from[m] + motion.value;
    tree.missed[m] = s[at] - place;
    s[at] = place;
    u[m] = motion.rate;
    tree.given[m] = motion.acceleration;
  }
}

template <class Real>
void tell_misses(const Layout& layout, Work<Real>& work, const Tree<Real>& tree) {
  for (Index m = 0; m < tree.driven.shape[0]; ++m) {
    if (!is_driven(tree, m)) continue;
    const Index row = tree.driven(m, DRIVEN_ROW);
    const Real missed = layout.row_kind[row] == ANGLE ? std::sin(tree.missed[m]) : tree.missed[m];
    work.phi[row] += layout.row_scale[row] * missed;
  }
}

template <class Real>
Index jumped_row(const Tree<Real>& tree) {
  for (Index m = 0; m < tree.driven.shape[0]; ++m) {
    const bool turns = tree.motion(m, MOTION_KIND) != SHIFT;
    if (is_driven(tree, m) && turns && std::abs(tree.missed[m]) > 0.5 * PI) return tree.driven(m, DRIVEN_ROW);
  }
  return -1;
}

template <class Real>
void place_tree(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> s, Reals<Real> alpha) {
  const Vector<Real> zero{0.0, 0.0, 0.0};
  const Matrix<Real> one{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  for (Index k = 0; k < tree.body.size(); ++k) {
    const Index b = tree.body[k], inner = tree.frame(k, 0), outer = tree.frame(k, 1);
    const HingePose<Real> pose = hinge_pose(tree, k, s);
    if (outer < 0) {
      put(tree.c, b, pose.d);
      put(work.Q, b, pose.R);
      euler_of_matrix(pose.R, tree.q[b]);
      continue;
    }
    place_frame(layout, work, tree.c, alpha, inner);
    put(work.Q, b, one);
    put(tree.c, b, zero);
    place_frame(layout, work, tree.c, alpha, outer);
    const Matrix<Real> R = matrix_of(work.frame_R, inner), local = matrix_of(work.frame_R, outer);
    const Matrix<Real> arrived = product(R, pose.R, tree.reversed[k]);
    const Vector<Real> arm = tree.reversed[k] ? -(arrived * pose.d) : R * pose.d;
    const Matrix<Real> Q = product(arrived, local, true);
    put(work.Q, b, Q);
    put(tree.c, b, vector_of(work.frame_r, inner) + arm - Q * vector_of(work.frame_p, outer));
    euler_of_matrix(Q, tree.q[b]);
  }
}

// Twist of frame f with the velocities v (nv,) of the bodies; zero on the ground.
template <class Real>
static Twist<Real> frame_twist(const Layout& layout, const Work<Real>& work, Index f, Reals<Real> v) {
  const Vector<Real> zero{0.0, 0.0, 0.0};
  const Index b = layout.frame_body[f];
  if (b < 0) return {zero, zero};
  const Index n = layout.body_modes[b], first = layout.v_at[b];
  const Real* rows = work.frame_rows.part(layout.frame_at[f], 6 * n).data;
  const Real* rate = v.part(first + 6, n).data;
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> omega = vector_of(v, first + 3);
  const Vector<Real> swept = cross(omega, vector_of(work.frame_p, f));
  return {plus_product(vector_of(v, first), Q, plus_product(swept, rows, rate, n)),
          Q * plus_product(omega, rows + 3 * n, rate, n)};
}

template <class Real>
void tree_velocities(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> u,
                     Reals<Real> modal, Reals<Real> v) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    const Index b = tree.body[k], first = layout.v_at[b], n = layout.body_modes[b];
    const Index inner = tree.frame(k, 0), outer = tree.frame(k, 1);
    for (Index i = 0; i < n; ++i) v[first + 6 + i] = modal[layout.alpha_at[b] + i];
    if (outer < 0) {
      for (Index i = 0; i < 6; ++i) v[first + i] = u[tree.speed_at[k] + i];
      continue;
    }
    const Vector<Real> d = vector_of(work.frame_r, outer) - vector_of(work.frame_r, inner);
    const Twist<Real> from = frame_twist(layout, work, inner, v), own = hinge_twist(work, tree, k, u);
    // the second frame of the joint moves by H u beside the first: reversed, the first moves the other way
    const Twist<Real> to = tree.reversed[k] ? Twist<Real>{from.v + cross(from.w - own.w, d) - own.v, from.w - own.w}
                                            : Twist<Real>{from.v + cross(from.w, d) + own.v, from.w + own.w};
    const Matrix<Real> Q = matrix_of(work.Q, b);
    const Real* rows = work.frame_rows.part(layout.frame_at[outer], 6 * n).data;
    const Real* rate = v.part(first + 6, n).data;
    const Vector<Real> zero{0.0, 0.0, 0.0};
    const Vector<Real> omega = transposed_times(Q, to.w) - plus_product(zero, rows + 3 * n, rate, n);
    const Vector<Real> swept = cross(omega, vector_of(work.frame_p, outer));
    put(v, first, to.v - Q * plus_product(swept, rows, rate, n));
    put(v, first + 3, omega);
  }
}

template <class Real>
void place_rates(const Tree<Real>& tree, Reals<Real> s, Reals<Real> u, Reals<Real> out) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    Index at = tree.place_at[k];
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      if (tree.motion(m, MOTION_KIND) == SHIFT) out[at++] = u[m];
    if (tree.ball[k]) {
      const EulerRate<Real> rate = euler_rate(s.part(at, 4), 0.5 * vector_of(u, tree.speed_at[k + 1] - 3));
      for (Index l = 0; l < 4; ++l) out[at + l] = rate.rate[l];
      continue;
    }
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      if (tree.motion(m, MOTION_KIND) != SHIFT) out[at++] = u[m];
  }
}

template <class Real>
void place_changes(const Tree<Real>& tree, Reals<Real> s, Reals<Real> ds, Reals<Real> out) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    Index at = tree.place_at[k];
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      if (tree.motion(m, MOTION_KIND) == SHIFT) out[m] = ds[at++];
    if (tree.ball[k]) {
      // a change of the Euler parameters as a rotation, Koppens (B.17)
      const Real *q = s.part(at, 4).data, *e = ds.part(at, 4).data;
      const Index m = tree.speed_at[k + 1] - 3;
      out[m] = 2.0 * (-q[1] * e[0] + q[0] * e[1] + q[3] * e[2] - q[2] * e[3]);
      out[m + 1] = 2.0 * (-q[2] * e[0] - q[3] * e[1] + q[0] * e[2] + q[1] * e[3]);
      out[m + 2] = 2.0 * (-q[3] * e[0] + q[2] * e[1] - q[1] * e[2] + q[0] * e[3]);
      continue;
    }
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      if (tree.motion(m, MOTION_KIND) != SHIFT) out[m] = ds[at++];
  }
}

template <class Real>
void normalise_tree(const Tree<Real>& tree, Reals<Real> s) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    if (!tree.ball[k]) continue;
    const Reals<Real> q = s.part(tree.place_at[k + 1] - 4, 4);
    const Real norm = std::sqrt(square(q[0]) + square(q[1]) + square(q[2]) + square(q[3]));
    for (Index l = 0; l < 4; ++l) q[l] /= norm;
  }
}

template Twist<double> hinge_column<double>(const Work<double>&, const Tree<double>&, Index, Index);
template Twist<double> hinge_twist<double>(const Work<double>&, const Tree<double>&, Index, Reals<double>);
template Twist<double> hinge_drift<double>(const Work<double>&, const Tree<double>&, Index, Reals<double>);
template void drive_tree<double>(const Layout&, Tree<double>&, double, Reals<double>, Reals<double>);
template void tell_misses<double>(const Layout&, Work<double>&, const Tree<double>&);
template Index jumped_row<double>(const Tree<double>&);
template void place_tree<double>(const Layout&, Work<double>&, Tree<double>&, Reals<double>, Reals<double>);
template void tree_velocities<double>(const Layout&, const Work<double>&, const Tree<double>&, Reals<double>,
                                      Reals<double>, Reals<double>);
template void place_rates<double>(const Tree<double>&, Reals<double>, Reals<double>, Reals<double>);
template void place_changes<double>(const Tree<double>&, Reals<double>, Reals<double>, Reals<double>);
template void normalise_tree<double>(const Tree<double>&, Reals<double>);

}  // namespace flexbody
