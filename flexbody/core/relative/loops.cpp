// Loops of a tree, see loops.hpp.
//
// The rows of a front fulfil W' y - S x + left = right, with the acceleration y that arrives at its link, S what the
// rows have gathered of G Y G', and their multipliers x. Of S = C D C' remain C D below the diagonal and 1 / D on it.
#include "loops.hpp"

#include "../constraints/constraint.hpp"
#include "../constraints/following_shapes.hpp"
#include "../dynamics/elimination.hpp"
#include "../forces/force_elements.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/frame.hpp"
#include "sweeps.hpp"

namespace flexbody {

namespace {

// Rows that meet and are not left out: the numbers `first`, ... of the rows of all fronts, of which the first `own`
// are eliminated here.
template <class Real>
struct Front {
  Index first, n, own, next;
  Array<Real, 2> S;

  Front(const Tree<Real>& tree, Index f)
      : first(tree.front_at[f]),
        n(tree.kept(f, 1)),
        own(tree.kept(f, 0)),
        next(tree.front_next[f]),
        S(matrix_at(tree.row_matrix, tree.front_matrix_at[f], n, n)) {}
};

// The parts of row i of front k along the own speeds of hinge k, times L^-1 once it is factorised.
template <class Real>
FLEXBODY_INLINE Real* own_parts(const Tree<Real>& tree, Index k, Index i) {
  return tree.row_own.data + tree.front_speed_at[k] + i * (tree.own_at[k + 1] - tree.own_at[k]);
}

}  // namespace

// The rows of all fronts that are not left out, where Work.active has changed.
template <class Real>
static void keep_rows(const Work<Real>& work, Tree<Real>& tree) {
  const Index nr = work.active.size();
  Index same = 0;
  while (same < nr && tree.kept_active[same] == work.active[same]) ++same;
  if (same == nr) return;
  tree.row_force.fill(0.0);
  for (Index k = 0; k < nr; ++k) tree.kept_active[k] = work.active[k];
  Buffer<Index> place(tree.front_row.size());  // of each row of a front among those that are kept
  for (Index f = 0; f < tree.kept.shape[0]; ++f) {
    const Index first = tree.front_at[f];
    tree.kept(f, 0) = tree.kept(f, 1) = 0;
    for (Index i = first; i < tree.front_at[f + 1]; ++i) {
      if (!work.active[tree.front_row[i]]) continue;
      place[i] = tree.kept(f, 1)++;
      if (i - first < tree.front_own[f]) tree.kept(f, 0)++;
    }
  }
  for (Index f = 0; f < tree.kept.shape[0]; ++f) {
    for (Index i = tree.front_at[f]; i < tree.front_at[f + 1]; ++i) {
      if (!work.active[tree.front_row[i]]) continue;
      const Index at = tree.front_at[f] + place[i];
      tree.kept_row[at] = tree.front_row[i];
      tree.kept_to[at] = tree.front_to[i] < 0 ? -1 : place[tree.front_to[i]];
    }
  }
}

template <class Real>
void place_loops(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> alpha,
                 Reals<Real> modal) {
  set_bodies(layout, work, tree, modal);
  for (Index i = 0; i < tree.closing_frame.size(); ++i) {
    const Index f = tree.closing_frame[i];
    place_frame(layout, work, tree.c, alpha, f);
    move_frame(layout, work, alpha, tree.v, true, f);
  }
  if (work.coordinate.size() > 0) place_coordinates(layout, work);
  place_shapes(layout, work, alpha);
  move_shapes(layout, work, tree.v);
  for (Index i = 0; i < tree.closing.size(); ++i) place_row(layout, work, tree.closing[i], t);
  evaluate_elements(layout, work);
}

// The bias accelerations of the point and axes of the body where frame f is.
template <class Real>
static Twist<Real> material_bias(const Layout& layout, const Work<Real>& work, Index f) {
  const Index p = layout.frame_path[f];
  if (p < 0) return {vector_of(work.frame_a, f), vector_of(work.frame_b, f)};
  return {vector_of(work.path[p], PATH_BIAS), vector_of(work.path[p], PATH_BIAS + 3)};
}

// What the bias acceleration of link k adds to that of frame f on its body beside Work.frame_a and frame_b.
template <class Real>
static Twist<Real> bias_of_frame(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                                 Index f) {
  const Link<Real>& link = link_at(tree, k);
  const Index b = tree.body[k], n = layout.body_modes[b], at = layout.v_at[b];
  if (n == 0) {
    const Vector<Real> d = vector_of(work.frame_r, f) - link.r, w = link.twist.w;
    const Vector<Real> a = link.bias.v + cross(link.bias.w, d) + cross(w, cross(w, d));
    const Twist<Real> own = material_bias(layout, work, f);
    return {a - own.v, link.bias.w - own.w};
  }
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> spin = vector_of(tree.vdot, at + 3);
  const Real* rows = work.frame_rows.part(layout.frame_at[f], 6 * n).data;
  Twist<Real> local{cross(spin, vector_of(work.frame_p, f)), spin};
  for (Index i = 0; i < n; ++i) {
    const Real rate = tree.vdot[at + 6 + i];
    local.v += rate * Vector<Real>{rows[i], rows[n + i], rows[2 * n + i]};
    local.w += rate * Vector<Real>{rows[3 * n + i], rows[4 * n + i], rows[5 * n + i]};
  }
  return {vector_of(tree.vdot, at) + Q * local.v, Q * local.w};
}

template <class Real>
void set_accelerations_right(const Layout& layout, const Work<Real>& work, Tree<Real>& tree, double t) {
  accelerate_shapes(layout, work);
  for (Index i = 0; i < tree.closing.size(); ++i) {
    const Index row = tree.closing[i];
    if (!work.active[row]) continue;
    Real sum = layout.row_kind[row] < COUPLING ? row_bias(layout, work, row, t) : legged_bias(layout, work, row, t);
    for (Index s = layout.row_side_at[row]; s < layout.row_side_at[row + 1]; ++s) {
      const Index slot = layout.side_slot[s];
      const Twist<Real> bias =
          bias_of_frame(layout, work, tree, tree.hinge[layout.side_body[s]], layout.side_frame[s]);
      sum += dot(vector_of(work.slope, slot, 0), bias.v) + dot(vector_of(work.slope, slot, 1), bias.w);
    }
    for (Index k = 0; layout.row_kind[row] == FOLLOWING && k < tree.body.size(); ++k) {
      const Index b = tree.body[k];
      const Real* modal = shape_modal(layout, work, row, b);
      for (Index i = 0; modal && i < layout.body_modes[b]; ++i) sum += modal[i] * tree.vdot[layout.v_at[b] + 6 + i];
    }
    tree.row_right[row] = -sum;
  }
}

// Add the loads of a row on the body of link k: at its outer frame, and on its modal coordinates.
template <class Real>
static void add_sides(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index row, Index k,
                      Twist<Real>& load, Real* modal) {
  const Index b = tree.body[k], n = layout.body_modes[b], first = layout.alpha_at[b];
  for (Index s = layout.row_side_at[row]; s < layout.row_side_at[row + 1]; ++s) {
    if (layout.side_body[s] != b) continue;
    const Index f = layout.side_frame[s], slot = layout.side_slot[s];
    const Twist<Real> own{vector_of(work.slope, slot, 0), vector_of(work.slope, slot, 1)};
    add(load, 1.0, moved_load(own, vector_of(work.frame_r, f) - link_at(tree, k).r));
    if (n == 0) continue;
    Buffer<Real> x(6 + n);
    load_on_frame(layout, work, f, own.v, own.w, x.view());
    const Twist<Real> local{transposed_times(matrix_of(work.Q, b), own.v), vector_of(x.view(), 3)};
    for (Index i = 0; i < n; ++i) modal[i] += x[6 + i] + dot(twist_at(tree.held, first + i), local);
  }
  const Real* shapes = shape_modal(layout, work, row, b);
  for (Index i = 0; shapes && i < n; ++i) modal[i] += shapes[i];
}

// The rows of front k as loads on hinge k, reduced by its own speeds; needs `factor_hinge`.
template <class Real>
static void reduce_rows(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                        const Front<Real>& front) {
  const OwnSpeeds<Real> own(layout, tree, k);
  const Index m = own.count();
  Buffer<Real> weighted(m);
  for (Index a = 0; a < front.n; ++a) {
    Real* x = own_parts(tree, k, a);
    Twist<Real>& load = twist_at(tree.row_load, front.first + a);
    add_sides(layout, work, tree, tree.kept_row[front.first + a], k, load, x + own.free);
    each_free_motion(tree, k, [&](Index j, Index motion) { x[j] = dot(twist_at(tree.column, motion), load); });
    for (Index j = 0; j < m; ++j) {
      const Real* factor = &own.K(j, 0);
      for (Index i = j + 1; i < m; ++i) x[i] -= factor[i] * x[j];
      add(load, -x[j] * factor[j], twist_at(own.Y, j));
      tree.row_start[front.first + a] += x[j] * x[j] * factor[j];
    }
    for (Index j = 0; j < m; ++j) weighted[j] = x[j] * own.K(j, j);
    const Real* y = own_parts(tree, k, 0);
    Real* row = &front.S(a, 0);
    if (m == 1) {
      for (Index c = 0; c <= a; ++c) row[c] += weighted[0] * y[c];
      continue;
    }
    for (Index c = 0; c <= a; ++c, y += m)
      for (Index j = 0; j < m; ++j) row[c] += weighted[j] * y[j];
  }
}

// Eliminate the own rows of a front; M, of the link that carries them, unless it is the ground.
template <class Real>
static void eliminate(Work<Real>& work, const Tree<Real>& tree, const Front<Real>& front, Inertia<Real>* M) {
  Buffer<Real> column(front.n);
  // beside the largest of these rows: where a loop is stretched, a row may vanish as a whole
  Real largest = 0.0;
  for (Index j = 0; j < front.own; ++j)
    if (work.active[tree.front_row[front.first + j]]) largest = larger(largest, tree.row_start[front.first + j]);
  for (Index j = 0; j < front.own; ++j) {
    const Real pivot = front.S(j, j), start = tree.row_start[front.first + j];
    front.S(j, j) = 0.0;
    if (pivot < work.pivot * largest) work.pivot = pivot / largest;
    if (!(pivot > PIVOT * start)) continue;
    work.rank += 1;
    const Real inverse = front.S(j, j) = 1.0 / pivot;
    const Twist<Real> load = twist_at(tree.row_load, front.first + j);
    if (M) subtract_square(*M, -inverse, load);
    for (Index i = j + 1; i < front.n; ++i) column[i] = front.S(i, j);
    for (Index i = j + 1; i < front.n; ++i) {
      const Real factor = column[i] * inverse;
      if (factor == 0.0) continue;
      Real* row = &front.S(i, 0);
      for (Index l = j + 1; l <= i; ++l) row[l] -= factor * column[l];
      add(twist_at(tree.row_load, front.first + i), -factor, load);
    }
  }
}

// Add the rows of front f that go on to the next front; from a hinge, `k`, to its carrier.
template <class Real>
static void pass_rows(const Layout& layout, const Tree<Real>& tree, const Front<Real>& front, Index k) {
  if (front.own == front.n) return;
  const Front<Real> next(tree, front.next);
  const Index c = k < 0 ? -1 : tree.carrier[k], first = k < 0 ? 0 : tree.carried_at[k];
  const Index n = k < 0 ? 0 : tree.carried_at[k + 1] - first;
  const Index* to = tree.kept_to.data + front.first;  // rising
  for (Index i = front.own; i < front.n; ++i) {
    const Index a = to[i], sum = next.first + a;
    const Twist<Real>& load = twist_at(tree.row_load, front.first + i);
    tree.row_start[sum] += tree.row_start[front.first + i];
    if (k < 0) {
      add(twist_at(tree.row_load, sum), 1.0, load);
    } else if (c >= 0) {
      add(twist_at(tree.row_load, sum), 1.0, moved_load(load, link_at(tree, k).d));
    }
    if (n > 0) {
      Real* modal = own_parts(tree, c, a) + (tree.own_at[c + 1] - tree.own_at[c]) - layout.body_modes[tree.body[c]];
      for (Index j = 0; j < n; ++j) modal[j] += dot(twist_at(tree.carried, first + j), load);
    }
    const Real* from = &front.S(i, 0);
    Real* into = &next.S(a, 0);
    for (Index l = front.own; l <= i; ++l) into[to[l]] += from[l];
  }
}

// Call use(front) for the fronts whose rows link k carries, -1 the ground, in the order of elimination.
template <class Real, class Use>
static void each_front_at(const Tree<Real>& tree, Index k, Use use) {
  for (Index f = tree.group_at[k + 1]; f < tree.group_at[k + 2]; ++f) use(Front<Real>(tree, f));
}

template <class Real>
bool factor_loops(const Layout& layout, Work<Real>& work, Tree<Real>& tree) {
  keep_rows(work, tree);
  tree.row_load.fill(0.0);
  tree.row_start.fill(0.0);
  tree.row_own.fill(0.0);
  for (Index f = 0; f < tree.kept.shape[0]; ++f) Front<Real>(tree, f).S.fill(0.0);
  work.rank = layout.row_kind.size() - tree.closing.size();
  work.pivot = 1.0;
  for (Index k = tree.body.size() - 1; k >= -1; --k) {
    each_front_at(tree, k, [&](const Front<Real>& front) {
      Real none = 0.0;
      for (Index i = 0; i < front.own && k >= 0; ++i)
        add_sides(layout, work, tree, tree.kept_row[front.first + i], k, twist_at(tree.row_load, front.first + i),
                  &none);
      eliminate(work, tree, front, k < 0 ? nullptr : &link_at(tree, k).M);
      pass_rows(layout, tree, front, -1);
    });
    if (k < 0) break;
    if (!factor_hinge(layout, tree, k)) return false;
    const Front<Real> front(tree, k);
    if (front.n > 0) {
      reduce_rows(layout, work, tree, k, front);
      eliminate(work, tree, front, &link_at(tree, k).M);
      pass_rows(layout, tree, front, k);
    }
    add_to_carrier(layout, tree, k);
  }
  return true;
}

// The own rows of a front as `eliminate` leaves them: Tree.row_left, and the load of the link that carries them.
template <class Real>
static void reduce_left(const Tree<Real>& tree, const Front<Real>& front, Twist<Real>* load) {
  const Reals<Real> left = tree.row_left.part(front.first, front.n);
  for (Index j = 0; j < front.own; ++j) {
    const Real inverse = front.S(j, j);
    left[j] -= tree.row_right[tree.kept_row[front.first + j]];
    if (inverse == 0.0) continue;
    if (load) add(*load, inverse * left[j], twist_at(tree.row_load, front.first + j));
    for (Index i = j + 1; i < front.n; ++i) left[i] -= front.S(i, j) * inverse * left[j];
  }
  for (Index i = front.own; i < front.n; ++i)
    tree.row_left[tree.front_at[front.next] + tree.kept_to[front.first + i]] += left[i];
}

// The multipliers of the own rows of a front whose link accelerates with y; those of its other rows are known.
template <class Real>
static void find_multipliers(const Tree<Real>& tree, const Front<Real>& front, const Twist<Real>& y) {
  for (Index j = front.own - 1; j >= 0; --j) {
    Real x = dot(twist_at(tree.row_load, front.first + j), y) + tree.row_left[front.first + j];
    for (Index i = j + 1; i < front.n; ++i) x -= front.S(i, j) * tree.row_force[tree.kept_row[front.first + i]];
    tree.row_force[tree.kept_row[front.first + j]] = x * front.S(j, j);
  }
}

template <class Real>
void solve_loops(const Layout& layout, Tree<Real>& tree, const TreeSpeeds<Real>& out) {
  tree.row_left.fill(0.0);
  for (Index k = tree.body.size() - 1; k >= -1; --k) {
    each_front_at(tree, k, [&](const Front<Real>& front) {
      reduce_left(tree, front, k < 0 ? nullptr : &link_at(tree, k).load);
    });
    if (k < 0) break;
    reduce_loads(layout, tree, k);
    const Front<Real> front(tree, k);
    if (front.n > 0) {
      const OwnSpeeds<Real> own(layout, tree, k);
      for (Index i = 0; i < front.n; ++i)
        for (Index j = 0; j < own.count(); ++j)
          tree.row_left[front.first + i] -= own_parts(tree, k, i)[j] * own.K(j, j) * own.z[j];
      reduce_left(tree, front, &link_at(tree, k).load);
    }
    pass_loads(layout, tree, k);
  }
  for (Index k = -1; k < tree.body.size(); ++k) {
    if (k >= 0) {
      const Front<Real> front(tree, k);
      if (front.own > 0) find_multipliers(tree, front, arriving(layout, tree, k, out.modal));
      const OwnSpeeds<Real> own(layout, tree, k);
      for (Index i = 0; i < front.n; ++i)
        for (Index j = 0; j < own.count(); ++j)
          own.z[j] += own_parts(tree, k, i)[j] * tree.row_force[tree.kept_row[front.first + i]];
      sweep_outward(layout, tree, k, out);
    }
    for (Index f = tree.group_at[k + 2] - 1; f >= tree.group_at[k + 1]; --f)
      find_multipliers(tree, Front<Real>(tree, f), link_at(tree, k).rate);
  }
}

template void place_loops<double>(const Layout&, Work<double>&, Tree<double>&, double, Reals<double>, Reals<double>);
template void set_accelerations_right<double>(const Layout&, const Work<double>&, Tree<double>&, double);
template bool factor_loops<double>(const Layout&, Work<double>&, Tree<double>&);
template void solve_loops<double>(const Layout&, Tree<double>&, const TreeSpeeds<double>&);

}  // namespace flexbody
