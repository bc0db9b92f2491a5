// Hinges of users, see own_hinge.hpp.
#include "own_hinge.hpp"

#include "../laws/law.hpp"

namespace flexbody {

// The twist that a buffer holds from `at` on, in the base R.
static Twist<double> twist_in(const double* buffer, Index at, const Matrix<double>& R) {
  const double* x = buffer + at;
  return {R * Vector<double>{x[0], x[1], x[2]}, R * Vector<double>{x[3], x[4], x[5]}};
}

template <class Real>
void move_own_link(const Tree<Real>& tree, Index k, Reals<Real> s, Reals<Real> u, Reals<Real> rates,
                   const MovingFrame<Real>& from) {
  Link<Real>& link = link_at(tree, k);
  const Index first = tree.speed_at[k], n = tree.speed_at[k + 1] - first;
  double buffer[OWN_NUMBERS] = {};
  for (Index i = 0; i < n; ++i) {
    buffer[OWN_PLACE + i] = s[tree.place_at[k] + i];
    buffer[OWN_SPEED + i] = u[first + i];
  }
  reinterpret_cast<Callback>(tree.called[k])(tree.time[0], buffer);
  const double* a = buffer + OWN_POSE;
  const Matrix<Real> C{{{a[3], a[4], a[5]}, {a[6], a[7], a[8]}, {a[9], a[10], a[11]}}};
  const bool reversed = tree.reversed[k];
  link.R = product(from.R, C, reversed);
  const Matrix<Real>& R1 = reversed ? link.R : from.R;
  const Vector<Real> d = R1 * Vector<Real>{a[0], a[1], a[2]}, arm = reversed ? -d : d;
  link.r = from.r + arm;
  link.d = link.r - link_at(tree, tree.carrier[k]).r;
  link.twist = moved(from.twist, arm);
  link.bias = moved(from.bias, arm);
  // reversed, the first frame moves the other way beside the second
  const auto outward = [&](const Twist<Real>& x) {
    return reversed ? Twist<Real>{-(x.v + cross(x.w, arm)), -x.w} : x;
  };
  const Twist<Real> by_time = twist_in(buffer, OWN_TIME, R1);
  Twist<Real> apart = by_time;  // of the second frame, seen from the first
  for (Index i = 0; i < n; ++i) {
    const Twist<Real> raw = twist_in(buffer, OWN_COLUMN + 6 * i, R1);
    const Twist<Real> column = outward(raw);
    add(apart, u[first + i], raw);
    twist_at(tree.column, first + i) = column;
    add(link.bias, rates[first + i], column);
  }
  twist_at(tree.carried_by_time, k) = outward(by_time);
  add(link.twist, 1.0, outward(apart));
  const Vector<Real> w = reversed ? link.twist.w : from.twist.w;
  Twist<Real> drift = twist_in(buffer, OWN_DRIFT, R1);
  drift.v += cross(w, cross(w, d)) + 2.0 * cross(w, apart.v);
  drift.w += cross(w, apart.w);
  add(link.bias, 1.0, outward(drift));
}

template <class Real>
void along_own_motions(const Tree<Real>& tree, Index k, double length, const Twist<Real>& twist, Reals<Real> u) {
  const Index first = tree.speed_at[k], n = tree.speed_at[k + 1] - first;
  Twist<Real> q[5];  // columns at right angles to each other
  Real r[5][5];
  const auto scaled = [&](const Twist<Real>& x) { return Twist<Real>{x.v, length * x.w}; };
  Twist<Real> left = scaled(twist);
  for (Index j = 0; j < n; ++j) {
    q[j] = scaled(twist_at(tree.column, first + j));
    for (Index i = 0; i < j; ++i) {
      r[i][j] = dot(q[i], q[j]);
      add(q[j], -r[i][j], q[i]);
    }
    r[j][j] = std::sqrt(dot(q[j], q[j]));
    q[j] = {(1.0 / r[j][j]) * q[j].v, (1.0 / r[j][j]) * q[j].w};
    u[first + j] = dot(q[j], left);
    add(left, -u[first + j], q[j]);
  }
  for (Index j = n - 1; j >= 0; --j) {
    for (Index i = j + 1; i < n; ++i) u[first + j] -= r[j][i] * u[first + i];
    u[first + j] /= r[j][j];
  }
}

template void move_own_link<double>(const Tree<double>&, Index, Reals<double>, Reals<double>, Reals<double>,
                                    const MovingFrame<double>&);
template void along_own_motions<double>(const Tree<double>&, Index, double, const Twist<double>&, Reals<double>);

}  // namespace flexbody
