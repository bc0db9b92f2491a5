// Steps of the sweeps along a tree at one hinge, see tree_dynamics.cpp.
#pragma once
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/tree.hpp"
#include "link.hpp"
#include "tree.hpp"

namespace flexbody {

// The own speeds of a hinge: motions that are not driven, then modal coordinates.
template <class Real>
struct OwnSpeeds {
  Index free, modes, first_mode;
  Array<Real, 2> K;     // of `factorise_own`: L' above the diagonal, 1 / D on it
  Array<Real, 2, 6> Y;  // drag
  Reals<Real> z;

  OwnSpeeds(const Layout& layout, const Tree<Real>& tree, Index k) {
    const Index at = tree.own_at[k], m = tree.own_at[k + 1] - at;
    modes = layout.body_modes[tree.body[k]];
    first_mode = layout.alpha_at[tree.body[k]];
    free = m - modes;
    K = matrix_at(tree.matrix, tree.matrix_at[k], m, m);
    Y = tree.drag.part(at, m);
    z = tree.own.part(at, m);
  }

  Index count() const { return free + modes; }
};

// The motion (of Tree.motion) of each own speed of hinge k that is no mode, in order; calls `use(j, motion)`.
template <class Real, class Use>
FLEXBODY_INLINE void each_free_motion(const Tree<Real>& tree, Index k, Use use) {
  for (Index m = tree.speed_at[k], j = 0; m < tree.speed_at[k + 1]; ++m)
    if (tree.driven(m, DRIVEN_BY) < 0) use(j++, m);
}

// K (m, m), symmetric, upper triangle, becomes L' with 1 / D on its diagonal, and Y (m, 6) becomes L^-1 Y; false if K
// is not positive definite.
template <class Real>
bool factorise_own(const Array<Real, 2>& K, const Array<Real, 2, 6>& Y) {
  const Index m = K.shape[0];
  for (Index j = 0; j < m; ++j) {
    Real* row = &K(j, 0);
    if (!(row[j] > 0.0)) return false;
    const Real inverse = 1.0 / row[j];
    row[j] = inverse;
    for (Index i = j + 1; i < m; ++i) {
      const Real factor = row[i] * inverse;
      Real* __restrict other = &K(i, 0);
      for (Index l = i; l < m; ++l) other[l] -= factor * row[l];
      add(twist_at(Y, i), -factor, twist_at(Y, j));
    }
    for (Index i = j + 1; i < m; ++i) row[i] *= inverse;
  }
  return true;
}

// Fill K and the loads S' M of own speeds.
template <class Real>
void own_matrix(const Tree<Real>& tree, Index k, const OwnSpeeds<Real>& own) {
  const Link<Real>& link = link_at(tree, k);
  const Real* inertia = tree.modal_inertia.data + tree.modal_at[k];
  each_free_motion(tree, k, [&](Index j, Index m) {
    const Twist<Real> column = twist_at(tree.column, m), load = link.M * column;
    twist_at(own.Y, j) = load;
    each_free_motion(tree, k, [&](Index l, Index other) {
      if (l >= j) own.K(j, l) = dot(load, twist_at(tree.column, other));
    });
    for (Index i = 0; i < own.modes; ++i)
      own.K(j, own.free + i) = dot(column, twist_at(tree.modal_column, own.first_mode + i));
  });
  for (Index i = 0; i < own.modes; ++i) {
    twist_at(own.Y, own.free + i) = twist_at(tree.modal_column, own.first_mode + i);
    for (Index l = i; l < own.modes; ++l) own.K(own.free + i, own.free + l) = inertia[i * own.modes + l];
  }
}

// Add what hinge k shows inward to the inertia of its carrier.
template <class Real>
void add_to_carrier(const Layout& layout, const Tree<Real>& tree, Index k) {
  const Index c = tree.carrier[k], first = tree.carried_at[k], n = tree.carried_at[k + 1] - first;
  if (c < 0) return;
  const Link<Real>& link = link_at(tree, k);
  add_shifted(link_at(tree, c).M, link.M, link.d);
  if (n == 0) return;
  const Index modes = layout.alpha_at[tree.inner[k]];
  Real* inertia = tree.modal_inertia.data + tree.modal_at[c];
  for (Index i = 0; i < n; ++i) {
    const Twist<Real> load = link.M * twist_at(tree.carried, first + i);
    add(twist_at(tree.modal_column, modes + i), 1.0, moved_load(load, link.d));
    for (Index l = i; l < n; ++l) inertia[i * n + l] += dot(load, twist_at(tree.carried, first + l));
  }
}

// Factorise the own speeds of hinge k: Link.M becomes what the hinge shows inward. False if their matrix is not
// positive definite.
template <class Real>
FLEXBODY_INLINE bool factor_hinge(const Layout& layout, const Tree<Real>& tree, Index k) {
  Link<Real>& link = link_at(tree, k);
  if (tree.kind[k] == ONE_TURN) {
    const Vector<Real> e = twist_at(tree.column, tree.speed_at[k]).w;
    const Twist<Real> load{link.M.B * e, link.M.C * e};
    const Real d = dot(e, load.w);
    if (!(d > 0.0)) return false;
    twist_at(tree.drag, tree.own_at[k]) = load;
    const Real inverse = tree.matrix[tree.matrix_at[k]] = 1.0 / d;
    subtract_square(link.M, inverse, load);
    return true;
  }
  const OwnSpeeds<Real> own(layout, tree, k);
  own_matrix(tree, k, own);
  if (!factorise_own(own.K, own.Y)) return false;
  for (Index j = 0; j < own.count(); ++j) subtract_square(link.M, own.K(j, j), twist_at(own.Y, j));
  return true;
}

// Right sides of the own speeds of hinge k from its loads, times L^-1; Link.load becomes what remains of them inward.
template <class Real>
FLEXBODY_INLINE void reduce_loads(const Layout& layout, const Tree<Real>& tree, Index k) {
  Link<Real>& link = link_at(tree, k);
  if (tree.kind[k] == ONE_TURN) {
    const Index at = tree.own_at[k];
    const Real z = dot(twist_at(tree.column, tree.speed_at[k]).w, link.load.w);
    tree.own[at] = z;
    add(link.load, -z * tree.matrix[tree.matrix_at[k]], twist_at(tree.drag, at));
  } else {
    const OwnSpeeds<Real> own(layout, tree, k);
    each_free_motion(tree, k, [&](Index j, Index m) { own.z[j] = dot(twist_at(tree.column, m), link.load); });
    for (Index i = 0; i < own.modes; ++i) own.z[own.free + i] = tree.modal_load[own.first_mode + i];
    for (Index j = 0; j < own.count(); ++j) {
      const Real* row = &own.K(j, 0);
      for (Index i = j + 1; i < own.count(); ++i) own.z[i] -= row[i] * own.z[j];
      add(link.load, -own.z[j] * row[j], twist_at(own.Y, j));
    }
  }
}

// Add what remains of the loads of hinge k to those of its carrier.
template <class Real>
FLEXBODY_INLINE void pass_loads(const Layout& layout, const Tree<Real>& tree, Index k) {
  const Link<Real>& link = link_at(tree, k);
  const Index c = tree.carrier[k], first = tree.carried_at[k], n = tree.carried_at[k + 1] - first;
  if (c < 0) return;
  add(link_at(tree, c).load, 1.0, moved_load(link.load, link.d));
  for (Index i = 0; i < n; ++i)
    tree.modal_load[layout.alpha_at[tree.inner[k]] + i] += dot(twist_at(tree.carried, first + i), link.load);
}

// Rates of the own speeds of hinge k, and of its link, from those of its carrier.
template <class Real>
FLEXBODY_INLINE void sweep_outward(const Layout& layout, const Tree<Real>& tree, Index k,
                                   const TreeSpeeds<Real>& out) {
  Link<Real>& link = link_at(tree, k);
  if (tree.kind[k] == ONE_TURN) {
    const Twist<Real> y = moved(link_at(tree, tree.carrier[k]).rate, link.d);
    const Index at = tree.own_at[k], m = tree.speed_at[k];
    const Real x = -(tree.own[at] + dot(twist_at(tree.drag, at), y)) * tree.matrix[tree.matrix_at[k]];
    out.u[m] = x;
    link.rate = {y.v, y.w + x * twist_at(tree.column, m).w};
    return;
  }
  const OwnSpeeds<Real> own(layout, tree, k);
  const Twist<Real> y = arriving(layout, tree, k, out.modal);
  for (Index j = own.count() - 1; j >= 0; --j) {
    const Real* row = &own.K(j, 0);
    Real x = -(own.z[j] + dot(twist_at(own.Y, j), y)) * row[j];
    for (Index i = j + 1; i < own.count(); ++i) x -= row[i] * own.z[i];
    own.z[j] = x;
  }
  link.rate = y;
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) out.u[m] = 0.0;
  each_free_motion(tree, k, [&](Index j, Index m) {
    out.u[m] = own.z[j];
    add(link.rate, own.z[j], twist_at(tree.column, m));
  });
  for (Index i = 0; i < own.modes; ++i) out.modal[own.first_mode + i] = own.z[own.free + i];
}

}  // namespace flexbody
