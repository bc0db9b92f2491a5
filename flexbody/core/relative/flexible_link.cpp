// Flexible bodies in a tree, see flexible_link.hpp.
//
// A unit of alpha_i. with the outer frame held moves the body's reference point by c'_i and turns it by omega_i
// (Tree.held, base of the body): with t_i and s_i what it adds to the twist of the frame at p, omega_i = -s_i and
// c'_i = -t_i + s_i x p. Its momentum is P_i = m c'_i + omega_i x D1 + C2_i, and H_i = D1 x c'_i + J omega_i + D3_i.
#include "flexible_link.hpp"

#include "../kinematics/body.hpp"
#include "../kinematics/frame.hpp"

namespace flexbody {

// What alpha_i. adds to velocity and angular velocity of frame f on a body of n modes, base of the body.
template <class Real>
static Twist<Real> frame_column(const Layout& layout, const Work<Real>& work, Index f, Index n, Index i) {
  const Real* rows = work.frame_rows.part(layout.frame_at[f], 6 * n).data;
  return {{rows[i], rows[n + i], rows[2 * n + i]}, {rows[3 * n + i], rows[4 * n + i], rows[5 * n + i]}};
}

template <class Real>
MovingFrame<Real> bent_frame(const Layout& layout, Work<Real>& work, const Tree<Real>& tree, Index f,
                             Reals<Real> alpha) {
  const Index b = layout.frame_body[f], n = layout.body_modes[b], at = layout.v_at[b];
  place_frame(layout, work, tree.c, alpha, f);
  move_frame(layout, work, alpha, tree.v, true, f);
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> spin_rate = vector_of(tree.vdot, at + 3);
  Twist<Real> local{cross(spin_rate, vector_of(work.frame_p, f)), spin_rate};
  for (Index i = 0; i < n; ++i) add(local, tree.vdot[at + 6 + i], frame_column(layout, work, f, n, i));
  return {matrix_of(work.frame_R, f),
          vector_of(work.frame_r, f),
          {vector_of(work.frame_v, f), vector_of(work.frame_w, f)},
          {vector_of(work.frame_a, f) + vector_of(tree.vdot, at) + Q * local.v,
           vector_of(work.frame_b, f) + Q * local.w}};
}

template <class Real>
void carry_modes(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                 const Vector<Real>& arm) {
  const Index first = tree.carried_at[k], n = tree.carried_at[k + 1] - first;
  if (n == 0) return;
  const Index b = tree.inner[k], f = tree.frame(k, 0);
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> p = vector_of(work.frame_p, f);
  for (Index i = 0; i < n; ++i) {
    Twist<Real> local = moved(twist_at(tree.held, layout.alpha_at[b] + i), p);
    add(local, 1.0, frame_column(layout, work, f, n, i));
    twist_at(tree.carried, first + i) = moved(Twist<Real>{Q * local.v, Q * local.w}, arm);
  }
}

// The outer frame of hinge k in the base of its body: leaves it in Work, with Q and c of the body from its link.
template <class Real>
static Vector<Real> place_outer(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Index k,
                                Reals<Real> alpha) {
  const Index b = tree.body[k], f = tree.frame(k, 1);
  const Link<Real>& link = link_at(tree, k);
  const Vector<Real> zero{0.0, 0.0, 0.0};
  put(work.Q, b, Matrix<Real>{{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}});
  put(tree.c, b, f < 0 ? link.r : zero);
  if (f < 0) {
    put(work.Q, b, link.R);
    return zero;
  }
  place_frame(layout, work, tree.c, alpha, f);
  const Matrix<Real> Q = product(link.R, matrix_of(work.frame_R, f), true);
  const Vector<Real> p = vector_of(work.frame_p, f);
  put(work.Q, b, Q);
  put(tree.c, b, link.r - Q * p);
  put(work.frame_R, f, link.R);
  put(work.frame_r, f, link.r);
  return p;
}

// Tree.held of body b, whose outer frame f lies at p.
template <class Real>
static void hold(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index b, Index f,
                 const Vector<Real>& p) {
  const Index n = layout.body_modes[b], first = layout.alpha_at[b];
  if (f < 0) return;  // its own base: nothing moves it
  for (Index i = 0; i < n; ++i) {
    const Twist<Real> column = frame_column(layout, work, f, n, i);
    twist_at(tree.held, first + i) = {-(column.v + cross(p, column.w)), -column.w};
  }
}

// Tree.v and vdot of the body of hinge k, with which its outer frame moves as the link.
template <class Real>
static void follow(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Index k, const Vector<Real>& p,
                   Reals<Real> alpha, Reals<Real> modal, const Reals<Real>* modal_rates) {
  const Index b = tree.body[k], f = tree.frame(k, 1), n = layout.body_modes[b];
  const Index first = layout.alpha_at[b], at = layout.v_at[b];
  const Link<Real>& link = link_at(tree, k);
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const auto put_motion = [&](Reals<Real> out, const Twist<Real>& twist) {
    Twist<Real> local{{0.0, 0.0, 0.0}, transposed_times(Q, twist.w)};
    local.v = cross(p, local.w);
    for (Index i = 0; i < n; ++i) add(local, out[at + 6 + i], twist_at(tree.held, first + i));
    put(out, at, twist.v + Q * local.v);
    put(out, at + 3, local.w);
  };
  for (Index i = 0; i < n; ++i) {
    tree.v[at + 6 + i] = modal[first + i];
    tree.vdot[at + 6 + i] = modal_rates ? (*modal_rates)[first + i] : Real(0.0);
  }
  put_motion(tree.v, link.twist);
  Twist<Real> rate = link.bias;
  if (f >= 0) {
    move_frame(layout, work, alpha, tree.v, true, f);
    rate.v -= vector_of(work.frame_a, f);
    rate.w -= vector_of(work.frame_b, f);
  }
  put_motion(tree.vdot, rate);
}

// J (3, 3) of a body about its reference point as that about p, of mass m and first moment D1.
template <class Real>
static Symmetric<Real> inertia_about(const Matrix<Real>& J, double m, const Vector<Real>& D1, const Vector<Real>& p) {
  const Vector<Real> h = m * p - D1;
  const Real sum = dot(h, p) - dot(D1, p);
  const auto entry = [&](Index k, Index l) {
    return 0.5 * (J(k, l) + J(l, k)) - p[k] * h[l] + D1[k] * p[l] + (k == l ? sum : Real(0.0));
  };
  return {entry(0, 0), entry(0, 1), entry(0, 2), entry(1, 1), entry(1, 2), entry(2, 2)};
}

// Link.M, Tree.modal_column and modal_inertia of the body of hinge k, whose outer frame lies at p.
template <class Real>
static void weigh_flexible(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                           const Vector<Real>& p) {
  const Index b = tree.body[k], n = layout.body_modes[b], first = layout.alpha_at[b];
  const double m = layout.body_mass[b];
  const Matrix<Real> Q = matrix_of(work.Q, b), J = matrix_of(work.J, b);
  const Vector<Real> D1 = vector_of(work.D1, b);
  link_at(tree, k).M = inertia_of(Real(m), Q * (D1 - m * p), turned_inertia(Q, inertia_about(J, m, D1, p)));
  const double* c2 = coefficient(layout, b, C2, 3 * n).data;
  const double* c8 = coefficient(layout, b, C8, n * n).data;
  const bool mean = layout.body_mean[b] != 0;
  const auto own = [&](Index i) {  // momentum of alpha_i. alone
    const Vector<Real> zero{0.0, 0.0, 0.0};
    return Twist<Real>{mean ? zero : Vector<Real>{c2[3 * i], c2[3 * i + 1], c2[3 * i + 2]},
                       vector_of(work.D3, first + i)};
  };
  Real* inertia = tree.modal_inertia.part(tree.modal_at[k], n * n).data;
  for (Index i = 0; i < n; ++i) {
    const Twist<Real> held = twist_at(tree.held, first + i);
    Twist<Real> momentum{m * held.v + cross(held.w, D1), cross(D1, held.v) + J * held.w};
    add(momentum, 1.0, own(i));
    twist_at(tree.modal_column, first + i) = {Q * momentum.v, Q * (momentum.w - cross(p, momentum.v))};
    for (Index j = 0; j <= i; ++j)
      inertia[j * n + i] = c8[j * n + i] + dot(momentum, twist_at(tree.held, first + j)) + dot(own(j), held);
  }
}

template <class Real>
void move_flexible(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Index k, Reals<Real> alpha,
                   Reals<Real> modal, const Reals<Real>* modal_rates) {
  const Index b = tree.body[k], n = layout.body_modes[b], first = layout.alpha_at[b], at = layout.v_at[b];
  place_deformed(layout, work, b, alpha);
  const Vector<Real> p = place_outer(layout, work, tree, k, alpha);
  hold(layout, work, tree, b, tree.frame(k, 1), p);
  follow(layout, work, tree, k, p, alpha, modal, modal_rates);
  weigh_flexible(layout, work, tree, k, p);
  body_residual(layout, work, b, alpha, tree.v, tree.vdot, work.residual);
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Twist<Real> load{transposed_times(Q, vector_of(work.residual, at)), vector_of(work.residual, at + 3)};
  link_at(tree, k).load = {vector_of(work.residual, at), Q * (load.w - cross(p, load.v))};
  for (Index i = 0; i < n; ++i)
    tree.modal_load[first + i] = work.residual[at + 6 + i] + dot(twist_at(tree.held, first + i), load);
}

template MovingFrame<double> bent_frame<double>(const Layout&, Work<double>&, const Tree<double>&, Index,
                                                Reals<double>);
template void carry_modes<double>(const Layout&, const Work<double>&, const Tree<double>&, Index,
                                  const Vector<double>&);
template void move_flexible<double>(const Layout&, Work<double>&, Tree<double>&, Index, Reals<double>, Reals<double>,
                                    const Reals<double>*);

}  // namespace flexbody
