// Accelerations along a tree: inward and outward sweeps, Slaats (3.53) to (3.61), with flexible bodies and the right
// sign of (3.54).
//
// At the outer frame of hinge k the twist rate is a = X (J v_i' + b) + drift + H u' =: y + shift + H u', and the
// outer body's v' = P (a, alpha'') - (T b_outer, 0) with P = [T, -T J_modal; 0, 1] and T the inverse of the frame's
// rigid rows. With M' = P' M P and h' = P' (h - M (T b, 0)) of the body and all that it carries, own speeds p = (u,
// alpha'), a' = (y + shift, 0) + S p', S = [H, 0; 0, 1], their equations are S' (M' a' + h') = 0.
#include "../dynamics/equations.hpp"
#include "../kinematics/body.hpp"
#include "tree.hpp"

namespace flexbody {

namespace {

// A body as its outer frame sees it: M' (n, n), h' (n,).
template <class Real>
struct OuterBody {
  Index n, b;
  Array<Real, 2> M;
  Reals<Real> h;
};

}  // namespace

// T (a, w) of a frame on body b at p: the rigid velocities (c., omega) of the body from the twist of the frame.
template <class Real>
static Twist<Real> rigid_part(const Matrix<Real>& Q, const Vector<Real>& p, const Twist<Real>& twist) {
  const Vector<Real> omega = transposed_times(Q, twist.w);
  return {twist.v - Q * cross(omega, p), omega};
}

// T' (f, g): the transposed of `rigid_part`, from generalized forces to a force and moment at the frame.
template <class Real>
static Twist<Real> rigid_load(const Matrix<Real>& Q, const Vector<Real>& p, const Twist<Real>& load) {
  return {load.v, Q * (load.w - cross(p, transposed_times(Q, load.v)))};
}

// Column i of the frame's modal rows, inertial.
template <class Real>
static Twist<Real> modal_column(const Layout& layout, const Work<Real>& work, Index f, const Matrix<Real>& Q, Index n,
                                Index i) {
  const Real* rows = work.frame_rows.part(layout.frame_at[f], 6 * n).data;
  const Vector<Real> shift{rows[i], rows[n + i], rows[2 * n + i]};
  const Vector<Real> turn{rows[3 * n + i], rows[4 * n + i], rows[5 * n + i]};
  return {Q * shift, Q * turn};
}

template <class Real>
static Twist<Real> twist_of(Reals<Real> x, Index at) {
  return {vector_of(x, at), vector_of(x, at + 3)};
}

template <class Real>
static void put(Reals<Real> x, Index at, const Twist<Real>& twist) {
  put(x, at, twist.v);
  put(x, at + 3, twist.w);
}

// x = P' x of a body, x (n,): generalized forces of the body as (load at the outer frame, modal forces).
template <class Real>
static void to_outer(const Layout& layout, const Work<Real>& work, Index f, Index b, Index n, Reals<Real> x) {
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Twist<Real> load = rigid_load(Q, vector_of(work.frame_p, f), twist_of(x, 0));
  put(x, 0, load);
  for (Index i = 0; i < n - 6; ++i) {
    const Twist<Real> column = modal_column(layout, work, f, Q, n - 6, i);
    x[6 + i] -= dot(column.v, load.v) + dot(column.w, load.w);
  }
}

// The inertia and load of the body of hinge k with all that it carries, seen at its outer frame.
template <class Real>
static void outer_body(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                       const OuterBody<Real>& out) {
  const Index b = out.b, n = out.n, f = tree.frame(k, 1);
  const Array<Real, 2> M = matrix_at(tree.inertia, layout.matrix_at[b], n, n);
  const Reals<Real> h = tree.load.part(layout.v_at[b], n);
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Twist<Real> bias{vector_of(work.frame_a, f), vector_of(work.frame_b, f)};
  Buffer<Real> back(6);
  put(back.view(), 0, rigid_part(Q, vector_of(work.frame_p, f), bias));
  for (Index i = 0; i < n; ++i) {
    out.h[i] = h[i];
    for (Index j = 0; j < 6; ++j) out.h[i] -= M(i, j) * back[j];
  }
  to_outer(layout, work, f, b, n, out.h);
  for (Index i = 0; i < n; ++i) {  // rows of M P, M being symmetric
    for (Index j = 0; j < n; ++j) out.M(i, j) = M(i, j);
    to_outer(layout, work, f, b, n, out.M[i]);
  }
  Buffer<Real> column(n);
  for (Index j = 0; j < n; ++j) {
    for (Index i = 0; i < n; ++i) column[i] = out.M(i, j);
    to_outer(layout, work, f, b, n, column.view());
    for (Index i = 0; i < n; ++i) out.M(i, j) = column[i];
  }
}

// H of hinge k at its outer frame, (6, count): X H, and its sign where the joint is reversed.
template <class Real>
static Twist<Real> outer_column(const Work<Real>& work, const Tree<Real>& tree, Index k, Index m,
                                const Vector<Real>& d) {
  const Twist<Real> column = hinge_column(work, tree, k, m);
  if (!tree.reversed[k]) return column;
  return {-(column.v + cross(column.w, d)), -column.w};
}

// The part of the outer frame's acceleration that comes from velocities: X b + drift.
template <class Real>
static Twist<Real> outer_shift(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                               Reals<Real> u, const Vector<Real>& d) {
  const HingeFrames<Real> ends(tree, k);
  const Index inner = tree.frame(k, 0);
  Twist<Real> drift = hinge_drift(work, tree, k, u), from{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  const Vector<Real> ddot = vector_of(work.frame_v, ends.second) - vector_of(work.frame_v, ends.first);
  drift.v += cross(vector_of(work.frame_w, ends.first), ddot);
  if (layout.frame_body[inner] >= 0) from = {vector_of(work.frame_a, inner), vector_of(work.frame_b, inner)};
  if (tree.reversed[k]) drift = {-(drift.v + cross(drift.w, d)), -drift.w};
  return {from.v + cross(from.w, d) + drift.v, from.w + drift.w};
}

// Cholesky factor of A (n, n), lower triangle, in place; false if A is not positive definite.
template <class Real>
static bool cholesky(const Array<Real, 2>& A) {
  for (Index i = 0; i < A.shape[0]; ++i) {
    for (Index j = 0; j <= i; ++j) {
      Real sum = A(i, j);
      for (Index l = 0; l < j; ++l) sum -= A(i, l) * A(j, l);
      if (i == j && !(sum > 0.0)) return false;
      A(i, j) = i == j ? std::sqrt(sum) : sum / A(j, j);
    }
  }
  return true;
}

// x = A^-1 x with the factor of `cholesky`; x(i) is entry i.
template <class Real, class Entry>
static void cholesky_solve(const Array<Real, 2>& L, Entry x) {
  const Index n = L.shape[0];
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < i; ++j) x(i) -= L(i, j) * x(j);
    x(i) /= L(i, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index j = i + 1; j < n; ++j) x(i) -= L(j, i) * x(j);
    x(i) /= L(i, i);
  }
}

// Inertia (6, 6) and load (6,) of hinge k at its outer frame onto the body that carries it: J' X' (.) X J.
template <class Real>
static void load_inner(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                       const Vector<Real>& d) {
  const Index i = tree.inner[k], inner = tree.frame(k, 0);
  if (i < 0) return;
  const Index n = 6 + layout.body_modes[i];
  const Array<Real, 2> M = matrix_at(tree.inertia, layout.matrix_at[i], n, n);
  const Reals<Real> h = tree.load.part(layout.v_at[i], n);
  Buffer<Real, 2, 6 * 16> half(6, n);
  Buffer<Real> row(n);
  const auto add = [&](const Twist<Real>& load, Reals<Real> out) {
    out.fill(0.0);
    load_on_frame(layout, work, inner, load.v, load.w + cross(d, load.v), out);
  };
  for (Index l = 0; l < 6; ++l) add(twist_of(Reals<Real>{&tree.carried(k, l, 0), {6}}, 0), half[l]);
  for (Index j = 0; j < n; ++j) {
    const Twist<Real> column{{half(0, j), half(1, j), half(2, j)}, {half(3, j), half(4, j), half(5, j)}};
    add(column, row.view());
    for (Index l = 0; l < n; ++l) M(l, j) += row[l];
  }
  add(twist_of(tree.wrench[k], 0), row.view());
  for (Index l = 0; l < n; ++l) h[l] += row[l];
}

// Number of the motions of hinge k that no drive prescribes.
template <class Real>
static Index free_motions(const Tree<Real>& tree, Index k) {
  Index count = 0;
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) count += is_driven(tree, m) ? 0 : 1;
  return count;
}

// Eliminate the own speeds of hinge k: factor of their matrix, their right side, and what the hinge shows inward.
template <class Real>
static bool sweep_inward(const Layout& layout, const Work<Real>& work, Tree<Real>& tree, Index k, Reals<Real> u) {
  const Index b = tree.body[k], n = 6 + layout.body_modes[b], free = free_motions(tree, k), m = free + n - 6;
  const Index outer = tree.frame(k, 1);
  const Array<Real, 2> K = matrix_at(tree.matrix, tree.matrix_at[k], m, m);
  const Reals<Real> own = tree.own.part(tree.own_at[k], m);
  if (outer < 0) {  // a free body: its own speeds are its velocities
    const Array<Real, 2> M = matrix_at(tree.inertia, layout.matrix_at[b], n, n);
    for (Index i = 0; i < n; ++i) {
      own[i] = tree.load[layout.v_at[b] + i];
      for (Index j = 0; j < n; ++j) K(i, j) = M(i, j);
    }
    return cholesky(K);
  }
  const Vector<Real> d = vector_of(work.frame_r, outer) - vector_of(work.frame_r, tree.frame(k, 0));
  Buffer<Real, 2, 12 * 12> M(n, n);
  Buffer<Real> h(n);
  outer_body(layout, work, tree, k, OuterBody<Real>{n, b, M.view(), h.view()});
  const Reals<Real> shift = tree.shift[k];
  put(shift, 0, outer_shift(layout, work, tree, k, u, d));
  Buffer<Real, 2, 6 * 12> H(6, free);
  for (Index i = tree.speed_at[k], j = 0; i < tree.speed_at[k + 1]; ++i) {
    const Twist<Real> column = outer_column(work, tree, k, i, d);
    if (is_driven(tree, i)) {
      for (Index l = 0; l < 3; ++l)
        shift[l] += tree.given[i] * column.v[l], shift[3 + l] += tree.given[i] * column.w[l];
      continue;
    }
    for (Index l = 0; l < 3; ++l) H(l, j) = column.v[l], H(3 + l, j) = column.w[l];
    ++j;
  }
  // U = M' S (n, m): its first six rows are `drag`
  Buffer<Real, 2, 12 * 12> U(n, m);
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j < free; ++j)
      for (Index l = 0; l < 6; ++l) U(i, j) += M(i, l) * H(l, j);
    for (Index j = free; j < m; ++j) U(i, j) = M(i, 6 + j - free);
  }
  const Array<Real, 2> drag = matrix_at(tree.drag, 6 * tree.own_at[k], 6, m);
  for (Index l = 0; l < 6; ++l)
    for (Index j = 0; j < m; ++j) drag(l, j) = U(l, j);
  for (Index i = 0; i < m; ++i) {
    own[i] = i < free ? Real(0.0) : h[6 + i - free];
    for (Index l = 0; l < 6 && i < free; ++l) own[i] += H(l, i) * h[l];
    for (Index j = 0; j < m; ++j) {
      K(i, j) = i < free ? Real(0.0) : U(6 + i - free, j);
      for (Index l = 0; l < 6 && i < free; ++l) K(i, j) += H(l, i) * U(l, j);
    }
  }
  if (!cholesky(K)) return false;
  // Lambda = M'_ww - drag K^-1 drag', and the load for no acceleration of the inner body
  Buffer<Real, 2, 6 * 12> left(6, m);
  for (Index l = 0; l < 6; ++l) {
    for (Index j = 0; j < m; ++j) left(l, j) = drag(l, j);
    cholesky_solve(K, [&](Index j) -> Real& { return left(l, j); });
    for (Index r = 0; r < 6; ++r) {
      Real sum = M(l, r);
      for (Index j = 0; j < m; ++j) sum -= left(l, j) * drag(r, j);
      tree.carried(k, l, r) = sum;
    }
  }
  for (Index l = 0; l < 6; ++l) {
    Real sum = h[l];
    for (Index r = 0; r < 6; ++r) sum += tree.carried(k, l, r) * shift[r];
    for (Index j = 0; j < m; ++j) sum -= left(l, j) * own[j];
    tree.wrench(k, l) = sum;
  }
  for (Index j = 0; j < m; ++j)
    for (Index l = 0; l < 6; ++l) own[j] += drag(l, j) * shift[l];
  load_inner(layout, work, tree, k, d);
  return true;
}

// Direction of a constraint row at a frame: the derivative of the row by its place and rotation.
template <class Real>
static Twist<Real> row_direction(const Layout& layout, const Work<Real>& work, Index row, Index f) {
  Twist<Real> sum{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  for (Index s = layout.row_side_at[row]; s < layout.row_side_at[row + 1]; ++s) {
    if (layout.side_frame[s] != f) continue;
    sum.v += vector_of(work.slope, layout.side_slot[s], 0);
    sum.w += vector_of(work.slope, layout.side_slot[s], 1);
  }
  return sum;
}

// Multipliers of the rows of hinge k from the load (6,) that it carries at its outer frame: the rows' directions add
// up to its opposite.
template <class Real>
static void hinge_multipliers(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                              Reals<Real> multipliers) {
  const Index first = tree.row_at[k], n = tree.row_at[k + 1] - first, outer = tree.frame(k, 1);
  if (n == 0) return;
  Buffer<Real, 2> A(n, n);
  Buffer<Real> x(n);
  const Twist<Real> load = twist_of(tree.wrench[k], 0);
  for (Index i = 0; i < n; ++i) {
    const Twist<Real> one = row_direction(layout, work, tree.row[first + i], outer);
    x[i] = -(dot(one.v, load.v) + dot(one.w, load.w));
    for (Index j = 0; j <= i; ++j) {
      const Twist<Real> other = row_direction(layout, work, tree.row[first + j], outer);
      A(i, j) = dot(one.v, other.v) + dot(one.w, other.w);
    }
  }
  cholesky(A.view());
  cholesky_solve(A.view(), [&](Index i) -> Real& { return x[i]; });
  for (Index i = 0; i < n; ++i) multipliers[tree.row[first + i]] = x[i];
}

// Rates of the own speeds of hinge k, and the acceleration of its body, from that of the inner body.
template <class Real>
static void sweep_outward(const Layout& layout, const Work<Real>& work, Tree<Real>& tree, Index k, Reals<Real> out,
                          Reals<Real> modal) {
  const Index b = tree.body[k], N = layout.body_modes[b], at = layout.v_at[b], free = free_motions(tree, k);
  const Index m = free + N, outer = tree.frame(k, 1), i = tree.inner[k];
  const Array<Real, 2> K = matrix_at(tree.matrix, tree.matrix_at[k], m, m);
  const Reals<Real> own = tree.own.part(tree.own_at[k], m);
  Twist<Real> y{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  Vector<Real> d = y.v;
  if (outer >= 0 && i >= 0) {
    const Index inner = tree.frame(k, 0), n = layout.body_modes[i];
    d = vector_of(work.frame_r, outer) - vector_of(work.frame_r, inner);
    const Matrix<Real> Q = matrix_of(work.Q, i);
    const Real* rows = work.frame_rows.part(layout.frame_at[inner], 6 * n).data;
    const Real* rate = tree.vdot.part(layout.v_at[i] + 6, n).data;
    const Vector<Real> spin = vector_of(tree.vdot, layout.v_at[i] + 3);
    const Vector<Real> swept = cross(spin, vector_of(work.frame_p, inner));
    y.v = plus_product(vector_of(tree.vdot, layout.v_at[i]), Q, plus_product(swept, rows, rate, n));
    y.w = Q * plus_product(spin, rows + 3 * n, rate, n);
    y.v += cross(y.w, d);
  } else if (outer >= 0) {
    d = vector_of(work.frame_r, outer) - vector_of(work.frame_r, tree.frame(k, 0));
  }
  const Real arriving[6] = {y.v.x, y.v.y, y.v.z, y.w.x, y.w.y, y.w.z};
  if (outer >= 0) {
    const Array<Real, 2> drag = matrix_at(tree.drag, 6 * tree.own_at[k], 6, m);
    for (Index j = 0; j < m; ++j)
      for (Index l = 0; l < 6; ++l) own[j] += drag(l, j) * arriving[l];
  }
  cholesky_solve(K, [&](Index j) -> Real& { return own[j]; });
  for (Index j = 0; j < m; ++j) own[j] = -own[j];
  for (Index l = tree.speed_at[k], j = 0; l < tree.speed_at[k + 1]; ++l)
    out[l] = is_driven(tree, l) ? tree.given[l] : own[j++];
  for (Index j = 0; j < N; ++j) tree.vdot[at + 6 + j] = modal[layout.alpha_at[b] + j] = own[free + j];
  if (outer < 0) {
    for (Index l = 0; l < 6; ++l) tree.vdot[at + l] = own[l];
    return;
  }
  for (Index l = 0; l < 6; ++l)
    for (Index r = 0; r < 6; ++r) tree.wrench(k, l) += tree.carried(k, l, r) * arriving[r];
  Twist<Real> a = twist_of(tree.shift[k], 0);
  a = {a.v + y.v - vector_of(work.frame_a, outer), a.w + y.w - vector_of(work.frame_b, outer)};
  for (Index l = tree.speed_at[k]; l < tree.speed_at[k + 1]; ++l) {
    if (is_driven(tree, l)) continue;  // `shift` contains it
    const Twist<Real> column = outer_column(work, tree, k, l, d);
    a.v += out[l] * column.v;
    a.w += out[l] * column.w;
  }
  const Matrix<Real> Q = matrix_of(work.Q, b);
  for (Index j = 0; j < N; ++j) {
    const Twist<Real> column = modal_column(layout, work, outer, Q, N, j);
    a.v -= own[free + j] * column.v;
    a.w -= own[free + j] * column.w;
  }
  put(tree.vdot, at, rigid_part(Q, vector_of(work.frame_p, outer), a));
}

template <class Real>
bool tree_accelerations(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> u, Reals<Real> out,
                        Reals<Real> modal, Reals<Real> multipliers) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b];
    body_matrix(layout, work, b, 1.0, 0.0, 0.0, matrix_at(tree.inertia, layout.matrix_at[b], n, n));
  }
  tree.load.copy(work.residual);
  for (Index k = tree.body.size() - 1; k >= 0; --k)
    if (!sweep_inward(layout, work, tree, k, u)) return false;
  for (Index k = 0; k < tree.body.size(); ++k) {
    sweep_outward(layout, work, tree, k, out, modal);
    if (tree.frame(k, 1) >= 0) hinge_multipliers(layout, work, tree, k, multipliers);
  }
  return true;
}

template bool tree_accelerations<double>(const Layout&, Work<double>&, Tree<double>&, Reals<double>, Reals<double>,
                                         Reals<double>, Reals<double>);

}  // namespace flexbody
