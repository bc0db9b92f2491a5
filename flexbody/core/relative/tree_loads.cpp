// Forces on a tree, loads of its hinges, and the equations of motion, see tree.hpp.
#include "../dynamics/equations.hpp"
#include "../forces/force_elements.hpp"
#include "../forces/loads.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/frame.hpp"
#include "loops.hpp"
#include "tree.hpp"

namespace flexbody {

template <class Real>
void body_loads(const Layout& layout, const Work<Real>& work, Tree<Real>& tree, Reals<Real> x) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    Link<Real>& link = link_at(tree, k);
    const Index b = tree.body[k], at = layout.v_at[b], first = layout.alpha_at[b];
    const Matrix<Real> Q = matrix_of(work.Q, b);
    const Vector<Real> force = vector_of(x, at), moment = vector_of(x, at + 3);
    add(link.load, 1.0, moved_load(Twist<Real>{force, Q * moment}, vector_of(tree.c, b) - link.r));
    const Twist<Real> local{transposed_times(Q, force), moment};
    for (Index i = 0; i < layout.body_modes[b]; ++i)
      tree.modal_load[first + i] += x[at + 6 + i] + dot(twist_at(tree.held, first + i), local);
  }
}

// Poses and velocities of the frames that forces act on, and the elements' deformations.
template <class Real>
static void place_watched(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Reals<Real> alpha,
                          Reals<Real> modal) {
  set_bodies(layout, work, tree, modal);
  for (Index i = 0; i < tree.watched.size(); ++i) {
    const Index f = tree.watched[i];
    place_frame(layout, work, tree.c, alpha, f);
    move_frame(layout, work, alpha, tree.v, false, f);
  }
  if (work.coordinate.size() > 0) place_coordinates(layout, work);
  evaluate_elements(layout, work);
}

template <class Real>
void force_loads(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> alpha,
                 Reals<Real> modal, bool placed) {
  if (tree.watched.size() == 0) return;
  if (!placed) place_watched(layout, work, tree, alpha, modal);
  work.residual.fill(0.0);
  if (layout.load_frame.shape[0] > 0) add_loads(layout, work, t, alpha, tree.v);
  work.frame_load.fill(0.0);
  evaluate_laws(layout, work, t);
  add_elements(layout, work);
  const Array<Real, 3, 2, 3> loads{work.frame_load.data, {layout.frame_body.size(), 2, 3}};
  for (Index i = 0; i < tree.watched.size(); ++i) {
    const Index f = tree.watched[i], b = layout.frame_body[f];
    if (b >= 0) add_load(layout, work, f, b, loads, f, work.residual, layout.v_at[b]);
  }
  body_loads(layout, work, tree, work.residual);
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

// A x = b for a symmetric, positive definite A (n, n), lower triangle, of which Cholesky's factor remains.
template <class Real>
static void solve_definite(const Array<Real, 2>& A, Reals<Real> x) {
  const Index n = A.shape[0];
  for (Index i = 0; i < n; ++i) {
    for (Index j = 0; j <= i; ++j) {
      Real sum = A(i, j);
      for (Index l = 0; l < j; ++l) sum -= A(i, l) * A(j, l);
      A(i, j) = i == j ? std::sqrt(sum) : sum / A(j, j);
    }
    for (Index j = 0; j < i; ++j) x[i] -= A(i, j) * x[j];
    x[i] /= A(i, i);
  }
  for (Index i = n - 1; i >= 0; --i) {
    for (Index j = i + 1; j < n; ++j) x[i] -= A(j, i) * x[j];
    x[i] /= A(i, i);
  }
}

// The directions of the rows of a hinge, times the multipliers, add up to the opposite of the load that it carries.
template <class Real>
void tree_multipliers(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Reals<Real> rates,
                      Reals<Real> multipliers) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    const Index first = tree.row_at[k], n = tree.row_at[k + 1] - first, outer = tree.frame(k, 1);
    if (n == 0) continue;
    Buffer<Real, 2> A(n, n);
    Buffer<Real, 2, 6 * 12, 6> row(n, 6);
    Buffer<Real> x(n);
    const Twist<Real> load = hinge_load(tree, k, rates);
    for (Index i = 0; i < n; ++i) {
      const Twist<Real> direction = row_direction(layout, work, tree.row[first + i], outer);
      twist_at(row.view(), i) = direction;
      x[i] = -dot(direction, load);
      for (Index j = 0; j <= i; ++j) A(i, j) = dot(direction, twist_at(row.view(), j));
    }
    solve_definite(A.view(), x.view());
    for (Index i = 0; i < n; ++i) multipliers[tree.row[first + i]] = x[i];
  }
}

template <class Real>
Real drive_power(const Tree<Real>& tree, Reals<Real> u, Reals<Real> rates) {
  Real power = 0.0;
  for (Index d = 0; d < tree.drive.shape[0]; ++d) {
    const Index m = tree.drive(d, 0);
    power += u[m] * dot(twist_at(tree.column, m), hinge_load(tree, tree.drive(d, 1), rates));
  }
  for (Index k = 0; k < tree.body.size(); ++k)
    if (tree.called[k]) power += dot(twist_at(tree.carried_by_time, k), hinge_load(tree, k, rates));
  return power;
}

// Poses and velocities of all frames, and joint coordinates; rows where drives are to be met.
template <class Real>
static void place_all(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> alpha,
                      Reals<Real> modal, Extent extent) {
  set_bodies(layout, work, tree, modal);
  if (extent == Extent::REACTIONS || tree.drive.shape[0] + tree.closing.size() > 0) {
    place(layout, work, t, tree.c, tree.q, alpha);
    add_drive_misses(layout, work, tree);
    move(layout, work, alpha, tree.v);
    return;
  }
  place_frames(layout, work, tree.c, alpha);
  if (work.coordinate.size() > 0) place_coordinates(layout, work);
  drift(layout, work, alpha, tree.v);
}

// Multipliers of the closing rows, and the power of those that drives move.
template <class Real>
static void closing_multipliers(Work<Real>& work, const Tree<Real>& tree, Reals<Real> multipliers) {
  for (Index i = 0; i < tree.closing.size(); ++i) {
    const Index row = tree.closing[i];
    multipliers[row] = tree.row_force[row];
    work.power[INPUT] += tree.row_force[row] * work.phi_t[row];
  }
}

template <class Real>
bool tree_accelerations(const Layout& layout, Work<Real>& work, Tree<Real>& tree, double t, Reals<Real> s,
                        Reals<Real> alpha, const TreeSpeeds<Real>& speeds, const TreeSpeeds<Real>& out, Extent extent,
                        Reals<Real> multipliers) {
  const bool placed = extent != Extent::RATES, loops = tree.closing.size() > 0;
  move_tree(layout, work, tree, s, alpha, speeds);
  if (placed) {
    place_all(layout, work, tree, t, alpha, speeds.modal, extent);
  } else if (loops) {
    place_loops(layout, work, tree, t, alpha, speeds.modal);
  }
  force_loads(layout, work, tree, t, alpha, speeds.modal, placed || loops);
  if (loops) {
    set_accelerations_right(layout, work, tree, t);
    if (!factor_loops(layout, work, tree)) return false;
    solve_loops(layout, tree, out);
    closing_multipliers(work, tree, multipliers);
  } else {
    if (!factor_tree(layout, tree)) return false;
    solve_tree(layout, tree, out);
  }
  work.power[INPUT] += drive_power(tree, speeds.u, out.u);
  if (extent == Extent::REACTIONS) tree_multipliers(layout, work, tree, out.u, multipliers);
  if (placed) set_body_accelerations(layout, work, tree, out.modal);
  for (Index d = 0; d < tree.drive.shape[0]; ++d) out.u[tree.drive(d, 0)] = tree.given[tree.drive(d, 0)];
  return true;
}

template void body_loads<double>(const Layout&, const Work<double>&, Tree<double>&, Reals<double>);
template void force_loads<double>(const Layout&, Work<double>&, Tree<double>&, double, Reals<double>, Reals<double>,
                                  bool);
template void tree_multipliers<double>(const Layout&, const Work<double>&, const Tree<double>&, Reals<double>,
                                       Reals<double>);
template double drive_power<double>(const Tree<double>&, Reals<double>, Reals<double>);
template bool tree_accelerations<double>(const Layout&, Work<double>&, Tree<double>&, double, Reals<double>,
                                         Reals<double>, const TreeSpeeds<double>&, const TreeSpeeds<double>&, Extent,
                                         Reals<double>);

}  // namespace flexbody
