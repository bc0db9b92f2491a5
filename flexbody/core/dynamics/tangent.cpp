// Derivatives of the residual by positions and velocities, by differences; see tangent.py in the package above.
#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"
#include "../kinematics/rotation.hpp"
#include "equations.hpp"

namespace flexbody {

namespace {

// Room for a motion beside the nominal one.
struct Neighbour {
  Buffer<double, 2, 96, 3> c;
  Buffer<double, 2, 96, 4> q;
  Buffer<double> alpha, v, vdot;

  explicit Neighbour(const Layout& layout)
      : c(layout.body_mass.size(), 3),
        q(layout.body_mass.size(), 4),
        alpha(layout.alpha_at[layout.body_mass.size()]),
        v(layout.v_at[layout.body_mass.size()]),
        vdot(layout.v_at[layout.body_mass.size()]) {}
};

// A motion at time t; multipliers (nr,).
struct Nominal {
  double t;
  Vectors<double> c;
  EulerParameters<double> q;
  Reals<double> alpha, v, vdot, multipliers;

  Nominal(const Layout& layout, double t, double* c, double* q, double* alpha, double* v, double* vdot, double* y)
      : t(t),
        c{c, {layout.body_mass.size(), 3}},
        q{q, {layout.body_mass.size(), 4}},
        alpha{alpha, {layout.alpha_at[layout.body_mass.size()]}},
        v{v, {layout.v_at[layout.body_mass.size()]}},
        vdot{vdot, {layout.v_at[layout.body_mass.size()]}},
        multipliers{y, {layout.row_kind.size()}} {}

  void copy_to(const Neighbour& other) const {
    other.c.copy(c), other.q.copy(q), other.alpha.copy(alpha), other.v.copy(v), other.vdot.copy(vdot);
  }
};

}  // namespace

// out (nv + nz,) = residual of the equations of motion, translation rows in components of Q (nb, 3, 3); then the
// rates of the states of force laws, with a minus sign.
static void forces(const Layout& layout, Work<double>& work, double t, Vectors<double> c, EulerParameters<double> q,
                   Reals<double> alpha, Reals<double> v, Reals<double> vdot, Reals<double> multipliers,
                   Array<double, 3> Q, Reals<double> out) {
  place(layout, work, t, c, q, alpha);
  move(layout, work, alpha, v);
  residual(layout, work, t, alpha, v, vdot, multipliers);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b];
    put(out, first, transposed_times(matrix_of(Q, b), vector_of(work.residual, first)));
    for (Index k = first + 3; k < layout.v_at[b + 1]; ++k) out[k] = work.residual[k];
  }
  for (Index i = v.size(); i < out.size(); ++i) out[i] = -work.law_rate[i - v.size()];
}

static void forces(const Layout& layout, Work<double>& work, const Nominal& s, const Neighbour& near,
                   Array<double, 3> Q, Reals<double> out) {
  forces(layout, work, s.t, near.c.view(), near.q.view(), near.alpha.view(), near.v.view(), near.vdot.view(),
         s.multipliers, Q, out);
}

// x += A y where three numbers of an array begin.
static void add_turned(const Matrix<double>& A, const Vector<double>& y, double* x) {
  for (Index i = 0; i < 3; ++i) x[i] += A(i, 0) * y.x + A(i, 1) * y.y + A(i, 2) * y.z;
}

static Vector<double> unit_step(Index k, double h) {
  return {k == 0 ? h : 0.0, k == 1 ? h : 0.0, k == 2 ? h : 0.0};
}

// The neighbour at xi_i = h of body b: delta, theta or beta as the columns of xi follow each other.
static void displace(const Layout& layout, const Nominal& s, const Array<double, 3>& Q, Index b, Index i, double h,
                     Neighbour& near) {
  const Index first = layout.v_at[b];
  const Vector<double> omega = vector_of(s.v, first + 3), omega_dot = vector_of(s.vdot, first + 3);
  s.copy_to(near);
  if (i < 3) {
    // c. = c.* + Q (omega x delta), c.. = c..* + Q (omega x (omega x delta) + omega. x delta)
    const Matrix<double> axes = matrix_of(Q, b);
    const Vector<double> e = unit_step(i, h), turn = cross(omega, e);
    add_turned(axes, e, &near.c(b, 0));
    add_turned(axes, turn, &near.v[first]);
    add_turned(axes, cross(omega, turn), &near.vdot[first]);
    add_turned(axes, cross(omega_dot, e), &near.vdot[first]);
  } else if (i < 6) {
    // Q = Q* exp(theta~), omega = exp(-theta~) omega*
    const Vector<double> e = unit_step(i - 3, h);
    double none[4] = {1.0, 0.0, 0.0, 0.0}, back[4];
    const Array<double, 1> start{none, {4}}, turned{back, {4}};
    turned_euler(s.q[b], e, near.q.view()[b]);
    turned_euler(start, -e, turned);
    const Matrix<double> E = matrix_of_euler(turned);
    for (Index k = first + 3; k < first + 6; ++k) near.v[k] = near.vdot[k] = 0.0;
    add_turned(E, omega, &near.v[first + 3]);
    add_turned(E, omega_dot, &near.vdot[first + 3]);
  } else {
    near.alpha[layout.alpha_at[b] + i - 6] += h;
  }
}

// The neighbour at xi_i. = h of body b: delta., theta. or beta. as the columns of xi follow each other.
static void accelerate(const Layout& layout, const Nominal& s, const Array<double, 3>& Q, Index b, Index i, double h,
                       Neighbour& near) {
  const Index first = layout.v_at[b];
  const Vector<double> omega = vector_of(s.v, first + 3);
  s.copy_to(near);
  if (i < 3) {
    // c. = c.* + Q delta., c.. = c..* + Q 2 omega x delta.
    const Matrix<double> axes = matrix_of(Q, b);
    const Vector<double> e = unit_step(i, h);
    add_turned(axes, e, &near.v[first]);
    add_turned(axes, 2.0 * cross(omega, e), &near.vdot[first]);
  } else if (i < 6) {
    // omega = omega* + theta., omega. = omega.* + omega x theta.
    const Vector<double> e = unit_step(i - 3, h), turn = cross(omega, e);
    for (Index l = 0; l < 3; ++l) {
      near.v[first + 3 + l] += e[l];
      near.vdot[first + 3 + l] += turn[l];
    }
  } else {
    near.v[first + i] += h;
  }
}

using Move = void (*)(const Layout&, const Nominal&, const Array<double, 3>&, Index, Index, double, Neighbour&);

// out (nv + nz, nv) = derivative of the forces by all xi (or xi.), differences with these points and weights.
static void columns(const Layout& layout, Work<double>& work, const Nominal& s, Array<double, 3> Q,
                    const double* steps, Move step_aside, int points, const double* at, const double* weight,
                    Array<double, 2> out) {
  const Index n = out.shape[0];
  Buffer<double> value(n), column(n);
  Neighbour near(layout);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b];
    for (Index i = 0; i < layout.v_at[b + 1] - first; ++i) {
      column.fill(0.0);
      for (int k = 0; k < points; ++k) {
        step_aside(layout, s, Q, b, i, at[k] * steps[first + i], near);
        forces(layout, work, s, near, Q, value.view());
        for (Index j = 0; j < n; ++j) column[j] += weight[k] * value[j];
      }
      for (Index j = 0; j < n; ++j) out(j, first + i) = column[j] / steps[first + i];
    }
  }
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void flexbody_forces(const Layout* layout, Work<double>* work, double t, double* c, double* q,
                                     double* alpha, double* v, double* vdot, double* multipliers, double* Q, Index n,
                                     double* out) {
  const Nominal s(*layout, t, c, q, alpha, v, vdot, multipliers);
  forces(*layout, *work, t, s.c, s.q, s.alpha, s.v, s.vdot, s.multipliers, {Q, {s.c.shape[0], 3, 3}}, {out, {n}});
}

FLEXBODY_EXPORT void flexbody_stiffness_columns(const Layout* layout, Work<double>* work, double t, double* c,
                                                double* q, double* alpha, double* v, double* vdot,
                                                double* multipliers, double* Q, const double* steps, Index n,
                                                double* out) {
  const Nominal s(*layout, t, c, q, alpha, v, vdot, multipliers);
  const double at[] = {-2.0, -1.0, 1.0, 2.0};
  const double weight[] = {1.0 / 12.0, -8.0 / 12.0, 8.0 / 12.0, -1.0 / 12.0};
  columns(*layout, *work, s, {Q, {s.c.shape[0], 3, 3}}, steps, displace, 4, at, weight, {out, {n, s.v.size()}});
}

FLEXBODY_EXPORT void flexbody_damping_columns(const Layout* layout, Work<double>* work, double t, double* c,
                                              double* q, double* alpha, double* v, double* vdot, double* multipliers,
                                              double* Q, const double* steps, Index n, double* out) {
  const Nominal s(*layout, t, c, q, alpha, v, vdot, multipliers);
  const double at[] = {-1.0, 1.0}, weight[] = {-0.5, 0.5};
  columns(*layout, *work, s, {Q, {s.c.shape[0], 3, 3}}, steps, accelerate, 2, at, weight, {out, {n, s.v.size()}});
}
