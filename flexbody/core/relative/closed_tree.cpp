// Trees with closing rows, see closed_tree.hpp.
#include "closed_tree.hpp"

#include "../../../fem/core/export.hpp"
#include "../dynamics/accelerations.hpp"
#include "../dynamics/elimination.hpp"
#include "../dynamics/equations.hpp"
#include "../kinematics/frame.hpp"
#include "link.hpp"
#include "own_hinge.hpp"

namespace flexbody {

// Twist of the outer frame of hinge k with the velocities v (nv,) of the bodies.
template <class Real>
static Twist<Real> outer_twist(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                               Reals<Real> v) {
  const Index b = tree.body[k], f = tree.frame(k, 1), n = layout.body_modes[b], first = layout.v_at[b];
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> omega = vector_of(v, first + 3);
  if (f < 0) return {vector_of(v, first), Q * omega};
  const Real* rows = work.frame_rows.part(layout.frame_at[f], 6 * n).data;
  Twist<Real> local{cross(omega, vector_of(work.frame_p, f)), omega};
  for (Index i = 0; i < n; ++i) {
    const Real rate = v[first + 6 + i];
    local.v += rate * Vector<Real>{rows[i], rows[n + i], rows[2 * n + i]};
    local.w += rate * Vector<Real>{rows[3 * n + i], rows[4 * n + i], rows[5 * n + i]};
  }
  return {vector_of(v, first) + Q * local.v, Q * local.w};
}

// The parts along the motions of hinge k, which are at right angles, of a twist of its outer frame beside the inner.
// Of a user's hinge they may have any angles.
template <class Real>
static void along_motions(const Layout& layout, const Tree<Real>& tree, Index k, Twist<Real> twist, Reals<Real> u) {
  if (tree.called[k]) {
    along_own_motions(tree, k, layout.length, twist, u);
    return;
  }
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m) {
    if (tree.motion(m, MOTION_KIND) == SHIFT) continue;
    const Twist<Real>& column = twist_at(tree.column, m);
    u[m] = dot(column.w, twist.w);
    twist.v -= u[m] * column.v;
  }
  for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
    if (tree.motion(m, MOTION_KIND) == SHIFT) u[m] = dot(twist_at(tree.column, m).v, twist.v);
}

// Speeds, or their rates, from velocities v (nv,) of the bodies, or what their accelerations add to the biases;
// `less` gives what to take from the twist of link k; `moving`: v are velocities, of which the time causes a part.
template <class Real, class Less>
static void split(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> v,
                  const TreeSpeeds<Real>& out, bool moving, Less less) {
  for (Index b = 0; b < layout.body_mass.size(); ++b)
    for (Index i = 0; i < layout.body_modes[b]; ++i) out.modal[layout.alpha_at[b] + i] = v[layout.v_at[b] + 6 + i];
  for (Index k = 0; k < tree.body.size(); ++k) {
    Link<Real>& link = link_at(tree, k);
    link.rate = outer_twist(layout, work, tree, k, v);
    add(link.rate, -1.0, less(k));
    Twist<Real> own = link.rate;
    add(own, -1.0, arriving(layout, tree, k, out.modal));
    if (moving && tree.called[k]) add(own, -1.0, twist_at(tree.carried_by_time, k));
    along_motions(layout, tree, k, own, out.u);
  }
}

template <class Real>
void hinge_speeds(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> v,
                  const TreeSpeeds<Real>& out, bool moving) {
  const Twist<Real> none{{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  split(layout, work, tree, v, out, moving, [&](Index) { return none; });
}

// Rates of the speeds where the bodies accelerate with vdot (nv,): beside the biases of `move_tree`, which contain
// the driven ones. Needs `move`.
template <class Real>
static void hinge_rates(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> vdot,
                        const TreeSpeeds<Real>& out) {
  split(layout, work, tree, vdot, out, false, [&](Index k) {
    const Index f = tree.frame(k, 1);
    Twist<Real> bias = link_at(tree, k).bias;
    if (f >= 0) add(bias, -1.0, Twist<Real>{vector_of(work.frame_a, f), vector_of(work.frame_b, f)});
    return bias;
  });
}

template <class Real>
bool closed_accelerations(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> s,
                          Reals<Real> alpha, const TreeSpeeds<Real>& speeds, const TreeSpeeds<Real>& out,
                          Reals<Real> compliance, Reals<Real> multipliers) {
  move_tree(layout, work, tree, s, alpha, speeds);
  set_bodies(layout, work, tree, speeds.modal);
  place(layout, work, t, tree.c, tree.q, alpha);
  add_drive_misses(layout, work, tree);
  move(layout, work, alpha, tree.v);
  tree.vdot.fill(0.0);
  multipliers.fill(0.0);
  residual(layout, work, t, alpha, tree.v, tree.vdot, multipliers);
  if (!accelerations(layout, work, t, compliance, tree.vdot, multipliers)) return false;
  for (Index k = 0; k < layout.row_kind.size(); ++k) work.power[INPUT] += multipliers[k] * work.phi_t[k];
  hinge_rates(layout, work, tree, tree.vdot, out);
  for (Index d = 0; d < tree.drive.shape[0]; ++d) out.u[tree.drive(d, 0)] = tree.given[tree.drive(d, 0)];
  return true;
}

template <class Real>
void displace_tree(const Tree<Real>& tree, const TreeSpeeds<Real>& x, Reals<Real> s, Reals<Real> alpha) {
  Buffer<Real> change(s.size());
  place_rates(tree, s, x.u, change.view());
  for (Index i = 0; i < s.size(); ++i) s[i] += change[i];
  for (Index i = 0; i < alpha.size(); ++i) alpha[i] += x.modal[i];
  normalise_tree(tree, s);
}

template <class Real>
void close_loops(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double factor, Reals<Real> x,
                 const TreeSpeeds<Real>& out, Reals<Real> velocities, Reals<Real> multipliers) {
  const bool swept = has_swept_loops(layout, work, tree);
  const Reals<Real> right = swept ? tree.row_right : work.right;
  right.fill(0.0);
  for (Index k = 0; k < tree.closing.size(); ++k) right[tree.closing[k]] = -factor * x[tree.closing[k]];
  if (!swept) {
    solve_rows_only(layout, work, work.right, velocities, multipliers);
    hinge_speeds(layout, work, tree, velocities, out);
    return;
  }
  for (Index k = 0; k < tree.body.size(); ++k) link_at(tree, k).load = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  tree.modal_load.fill(0.0);
  solve_loops(layout, tree, out);
}

template void hinge_speeds<double>(const Layout&, const Work<double>&, const Tree<double>&, Reals<double>,
                                   const TreeSpeeds<double>&, bool);
template bool closed_accelerations<double>(const Layout&, Work<double>&, Tree<double>&, double, Reals<double>,
                                           Reals<double>, const TreeSpeeds<double>&, const TreeSpeeds<double>&,
                                           Reals<double>, Reals<double>);
template void displace_tree<double>(const Tree<double>&, const TreeSpeeds<double>&, Reals<double>, Reals<double>);
template void close_loops<double>(const Layout&, Work<double>&, Tree<double>&, double, Reals<double>,
                                  const TreeSpeeds<double>&, Reals<double>, Reals<double>);

}  // namespace flexbody

using namespace flexbody;

// Speeds (nh,) of a tree at places s (np,), alpha (na,) where the bodies move with v (nv,), or
// are displaced by it unless `moving`. Work is placed there.
FLEXBODY_EXPORT void flexbody_hinge_speeds(const Layout* layout, Work<double>* work, Tree<double>* tree, double* s,
                                           double* alpha, double* v, Index moving, double* out) {
  const Index nb = layout->body_mass.size(), na = layout->alpha_at[nb], nh = tree->speed_at[nb];
  Buffer<double> u(nh), modal(na);
  move_tree<double>(*layout, *work, *tree, {s, {tree->place_at[nb]}}, {alpha, {na}}, {u.view(), modal.view()});
  hinge_speeds<double>(*layout, *work, *tree, {v, {layout->v_at[nb]}}, {{out, {nh}}, modal.view()}, moving != 0);
}

// Rates (nh,) of the speeds u (nh,) of a tree at places s (np,), alpha (na,) and alpha. (na,), where the bodies
// accelerate with vdot (nv,). Work is placed and moved at this state.
FLEXBODY_EXPORT void flexbody_hinge_rates(const Layout* layout, Work<double>* work, Tree<double>* tree, double* s,
                                          double* alpha, double* u, double* modal, double* vdot, double* out) {
  const Index nb = layout->body_mass.size(), na = layout->alpha_at[nb], nh = tree->speed_at[nb];
  Buffer<double> rates(na);
  tree->given.fill(0.0);
  move_tree<double>(*layout, *work, *tree, {s, {tree->place_at[nb]}}, {alpha, {na}}, {{u, {nh}}, {modal, {na}}});
  hinge_rates<double>(*layout, *work, *tree, {vdot, {layout->v_at[nb]}}, {{out, {nh}}, rates.view()});
}
