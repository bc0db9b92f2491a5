// Poses, velocities and bias accelerations along a tree, see tree.hpp.
#include "../kinematics/rotation.hpp"
#include "flexible_link.hpp"
#include "own_hinge.hpp"
#include "tree.hpp"

namespace flexbody {

// R turned about its axis number `axis` by an angle: R exp(angle e_axis~).
template <class Real>
FLEXBODY_INLINE static Matrix<Real> turned(const Matrix<Real>& R, Index axis, Real angle) {
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

// Axes and origin of the inner frame of hinge k in the base of its rigid carrier.
template <class Real>
FLEXBODY_INLINE static HingePose<Real> seat_of(const Tree<Real>& tree, Index k) {
  const double* a = &tree.seat(k, 0);
  return {{{{a[0], a[1], a[2]}, {a[3], a[4], a[5]}, {a[6], a[7], a[8]}}}, {a[9], a[10], a[11]}};
}

// The inner frame of hinge k in motion.
template <class Real>
static MovingFrame<Real> inner_frame(const Layout& layout, Work<Real>& work, const Tree<Real>& tree, Index k,
                                     Reals<Real> alpha) {
  const Index i = tree.inner[k];
  if (i >= 0 && layout.body_modes[i] > 0) return bent_frame(layout, work, tree, tree.frame(k, 0), alpha);
  const Link<Real>& from = link_at(tree, tree.carrier[k]);
  const HingePose<Real> seat = seat_of(tree, k);
  const Vector<Real> arm = from.R * seat.d, w = from.twist.w;
  Twist<Real> bias = moved(from.bias, arm);
  bias.v += cross(w, cross(w, arm));
  return {product(from.R, seat.R, false), from.r + arm, moved(from.twist, arm), bias};
}

// Column m of H with the axes R1, R2 of both frames of the joint: the second frame's twist beside the first.
template <class Real>
static Twist<Real> raw_column(const Tree<Real>& tree, Index k, Index m, const Matrix<Real>& R1,
                              const Matrix<Real>& R2) {
  const Vector<Real> zero{0.0, 0.0, 0.0};
  const Index kind = tree.motion(m, MOTION_KIND), axis = tree.motion(m, MOTION_AXIS);
  const Vector<Real> e = tree.motion(m, MOTION_SIDE) == 0 ? R1.column(axis) : R2.column(axis);
  if (kind == SHIFT) return {e, zero};
  return {kind == SCREW ? tree.screw(k, 1) * e : zero, e};
}

// Pose, twist and bias acceleration of link k, and its columns, from the inner frame; rates (nh,) of its speeds.
template <class Real>
static void move_link(const Tree<Real>& tree, Index k, Reals<Real> s, Reals<Real> u, Reals<Real> rates,
                      const MovingFrame<Real>& from) {
  Link<Real>& link = link_at(tree, k);
  const bool reversed = tree.reversed[k];
  const HingePose<Real> pose = hinge_pose(tree, k, s);
  link.R = product(from.R, pose.R, reversed);
  const Vector<Real> arm = reversed ? -(link.R * pose.d) : from.R * pose.d;
  link.r = from.r + arm;
  link.d = link.r - link_at(tree, tree.carrier[k]).r;
  link.twist = moved(from.twist, arm);
  link.bias = moved(from.bias, arm);
  const Matrix<Real>&R1 = reversed ? link.R : from.R, &R2 = reversed ? from.R : link.R;
  // the joint's second frame moves by H u beside its first: reversed, the first moves the other way
  const auto outward = [&](const Twist<Real>& x) {
    return reversed ? Twist<Real>{-(x.v + cross(x.w, arm)), -x.w} : x;
  };
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) {
    const Twist<Real> column = outward(raw_column(tree, k, m, R1, R2));
    twist_at(tree.column, m) = column;
    add(link.twist, u[m], column);
    add(link.bias, rates[m], column);
  }
  const Vector<Real> w1 = reversed ? link.twist.w : from.twist.w, w2 = reversed ? from.twist.w : link.twist.w;
  const Vector<Real> apart = reversed ? from.twist.v - link.twist.v : link.twist.v - from.twist.v;
  Twist<Real> drift{cross(w1, apart), {0.0, 0.0, 0.0}};
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) {
    const Twist<Real> raw = raw_column(tree, k, m, R1, R2);
    const Vector<Real>& w = tree.motion(m, MOTION_SIDE) == 0 ? w1 : w2;
    add(drift, u[m], Twist<Real>{cross(w, raw.v), cross(w, raw.w)});
  }
  add(link.bias, 1.0, outward(drift));
}

// As `move_link` for one rotation about z between rigid bodies.
template <class Real>
FLEXBODY_INLINE static void turn_link(const Tree<Real>& tree, Index k, Real angle, Real u, Real rate) {
  const Link<Real>& from = link_at(tree, tree.carrier[k]);
  Link<Real>& link = link_at(tree, k);
  const Real sense = tree.reversed[k] ? -1.0 : 1.0;
  const HingePose<Real> seat = seat_of(tree, k);
  link.d = from.R * seat.d;
  link.r = from.r + link.d;
  link.R = turned(product(from.R, seat.R, false), 2, Real(sense * angle));
  const Vector<Real> e = sense * link.R.column(2), w = from.twist.w, turning = u * e;
  twist_at(tree.column, tree.speed_at[k]) = {{0.0, 0.0, 0.0}, e};
  link.twist = {from.twist.v + cross(w, link.d), w + turning};
  link.bias = {from.bias.v + cross(from.bias.w, link.d) + cross(w, cross(w, link.d)),
               from.bias.w + cross(w, turning) + rate * e};
}

// Inertia and residual of the rigid body of link k at its bias acceleration.
template <class Real>
FLEXBODY_INLINE static void weigh_rigid(const Layout& layout, const Tree<Real>& tree, Index k) {
  Link<Real>& link = link_at(tree, k);
  const double* a = &tree.rigid(k, 0);
  const Real m = a[0];
  const Vector<Real> h = link.R * (m * Vector<Real>{a[1], a[2], a[3]});
  link.M = inertia_of(m, h, turned_inertia(link.R, Symmetric<Real>{a[4], a[5], a[6], a[7], a[8], a[9]}));
  const Vector<Real> g{layout.gravity[0], layout.gravity[1], layout.gravity[2]};
  const Vector<Real> s = link.bias.v - g, b = link.bias.w, w = link.twist.w;
  link.load = {m * s + cross(b, h) + cross(w, cross(w, h)), cross(h, s) + link.M.C * b + cross(w, link.M.C * w)};
}

template <class Real>
void move_tree(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> s, Reals<Real> alpha,
               const TreeSpeeds<Real>& speeds, const TreeSpeeds<Real>* rates) {
  const Reals<Real> given = rates ? rates->u : tree.given;
  work.power[DISSIPATED] = work.power[INPUT] = 0.0;
  for (Index k = 0; k < tree.body.size(); ++k) {
    if (tree.kind[k] == ONE_TURN) {
      const Index m = tree.speed_at[k];
      turn_link(tree, k, s[tree.place_at[k]], speeds.u[m], given[m]);
      weigh_rigid(layout, tree, k);
      continue;
    }
    const MovingFrame<Real> from = inner_frame(layout, work, tree, k, alpha);
    if (tree.called[k]) {
      move_own_link(tree, k, s, speeds.u, given, from);
    } else {
      move_link(tree, k, s, speeds.u, given, from);
    }
    carry_modes(layout, work, tree, k, link_at(tree, k).r - from.r);
    if (layout.body_modes[tree.body[k]] == 0) {
      weigh_rigid(layout, tree, k);
    } else {
      move_flexible(layout, work, tree, k, alpha, speeds.modal, rates ? &rates->modal : nullptr);
    }
  }
}

// Velocities (6 + N,) of the body of link k in the global description from the twist of its link and alpha. ; also
// accelerations from what adds to the biases.
template <class Real>
static void body_velocities(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                            const Twist<Real>& twist, Reals<Real> modal, Reals<Real> out) {
  const Link<Real>& link = link_at(tree, k);
  const Index b = tree.body[k], n = layout.body_modes[b], first = layout.alpha_at[b];
  if (n == 0) {
    const Vector<Real> x = link.R * rigid_center(tree, k);
    put(out, 0, twist.v + cross(twist.w, x));
    put(out, 3, base_axes(layout, tree, k) * transposed_times(link.R, twist.w));
    return;
  }
  const Matrix<Real> Q = matrix_of(work.Q, b);
  Twist<Real> own{{0.0, 0.0, 0.0}, transposed_times(Q, twist.w)};
  for (Index i = 0; i < n; ++i) {
    out[6 + i] = modal[first + i];
    add(own, modal[first + i], twist_at(tree.held, first + i));
  }
  put(out, 0, twist.v + cross(twist.w, vector_of(tree.c, b) - link.r) + Q * own.v);
  put(out, 3, own.w);
}

template <class Real>
void tree_velocities(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree,
                     const TreeSpeeds<Real>& speeds, Reals<Real> v) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    Link<Real>& link = link_at(tree, k);
    const Index b = tree.body[k];
    link.rate = arriving(layout, tree, k, speeds.modal);
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      add(link.rate, speeds.u[m], twist_at(tree.column, m));
    const Index size = 6 + layout.body_modes[b];
    body_velocities(layout, work, tree, k, link.rate, speeds.modal, v.part(layout.v_at[b], size));
  }
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
void set_bodies(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> modal) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    const Link<Real>& link = link_at(tree, k);
    const Index b = tree.body[k];
    if (layout.body_modes[b] == 0) {
      put(work.Q, b, product(link.R, base_axes(layout, tree, k), true));
      put(tree.c, b, link.r + link.R * rigid_center(tree, k));
      body_velocities(layout, work, tree, k, link.twist, modal, tree.v.part(layout.v_at[b], 6));
    }
    euler_of_matrix(matrix_of(work.Q, b), tree.q[b]);
  }
}

template <class Real>
void set_body_accelerations(const Layout& layout, const Work<Real>& work, Tree<Real>& tree, Reals<Real> rates) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    const Link<Real>& link = link_at(tree, k);
    const Index b = tree.body[k], n = layout.body_modes[b];
    const Reals<Real> vdot = tree.vdot.part(layout.v_at[b], 6 + n);
    if (n == 0) {
      Twist<Real> total = link.bias;
      add(total, 1.0, link.rate);
      body_velocities(layout, work, tree, k, total, rates, vdot);
      const Vector<Real> x = link.R * rigid_center(tree, k), w = link.twist.w;
      put(vdot, 0, vector_of(vdot, 0) + cross(w, cross(w, x)));
      continue;
    }
    Buffer<Real> own(6 + n);
    body_velocities(layout, work, tree, k, link.rate, rates, own.view());
    for (Index i = 0; i < 6 + n; ++i) vdot[i] += own[i];
  }
}

template void move_tree<double>(const Layout&, Work<double>&, Tree<double>&, Reals<double>, Reals<double>,
                                const TreeSpeeds<double>&, const TreeSpeeds<double>*);
template void tree_velocities<double>(const Layout&, const Work<double>&, const Tree<double>&,
                                      const TreeSpeeds<double>&, Reals<double>);
template void set_bodies<double>(const Layout&, Work<double>&, Tree<double>&, Reals<double>);
template void set_body_accelerations<double>(const Layout&, const Work<double>&, Tree<double>&, Reals<double>);

}  // namespace flexbody
