// Networks of springs round massless bodies, see networks.hpp.
#include "networks.hpp"

#include <cmath>

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../kinematics/rotation.hpp"
#include "force_elements.hpp"
#include "stiffness_rows.hpp"
#include "symmetric_system.hpp"

namespace flexbody {

// Steps of differences, the largest step of an iteration and the last one, as parts of y
constexpr double DIFFERENCE = 1e-5, LARGEST = 0.3, LAST = 1e-10;
// Where the steps grow no smaller, round-off of the forces is all that is left below this size
constexpr double ROUND_OFF = 1e-6;
// An iteration that reduces the step by less than this takes a new K
constexpr double GOOD = 0.03;
// A stiffness that was found within this distance says whether the equilibrium is stable
constexpr double NEAR = 1e-3;
// Springs in line that are compressed by less than this strain keep their knot between them: differences and Newton's
// method look at both sides of an unloaded state
constexpr double SLACK = 0.01;
// Forces below this part of stiffness times length can't matter: where springs in line are nearly slack, the place of
// their knot across the line follows from no other ones
constexpr double SLIGHT = 1e-12;
constexpr int MOST = 60;
// Part of the largest force on a massless body that may be left where nothing resists
constexpr double UNHELD = 1e-6;

namespace {

template <class Real>
struct Network {
  const Layout& layout;
  Work<Real>& work;
  Index g;
  double t;

  Index first() const { return layout.net_at[g]; }
  Index last() const { return layout.net_at[g + 1]; }
  Index size() const { return layout.massless_at[last()] - layout.massless_at[first()]; }
  Index from() const { return layout.net_element_at[g]; }
  Index to() const { return layout.net_element_at[g + 1]; }
  double length() const { return layout.net_length[g]; }
  // Where the unknowns of massless body k begin
  Index at(Index k) const { return layout.massless_at[k] - layout.massless_at[first()]; }
  bool turns(Index k) const { return layout.massless_at[k + 1] - layout.massless_at[k] == 6; }
  Index end(Index e, Index side) const { return layout.element(e, FIRST + side); }
  Index carrier(Index e, Index side) const { return layout.frame_massless[end(e, side)]; }
  Index deformations() const {
    Index n = 0;
    for (Index i = from(); i < to(); ++i) n += layout.element(layout.net_element[i], COUNT);
    return n;
  }

  Vector<Real> place(Index k) const { return vector_of(work.massless[k], MASSLESS_PLACE); }
  Matrix<Real> axes(Index k) const { return axes_at(k, MASSLESS_AXES); }
  Matrix<Real> axes_at(Index k, Index column) const {
    return matrix_of(Array<Real, 2, 3>{&work.massless(k, column), {3, 3}});
  }
  void put_axes(Index k, Index column, const Matrix<Real>& A) const {
    for (Index i = 0; i < 9; ++i) work.massless(k, column + i) = A.m[i / 3][i % 3];
  }

  // The frame beside which the places are remembered.
  Index host() const { return layout.net_host[g]; }
};

}  // namespace

// Put the frames of the massless body k of an element's side where the body is.
template <class Real>
static void place_end(const Network<Real>& net, Index e, Index side) {
  const Index f = net.end(e, side), k = net.carrier(e, side);
  if (k < 0) return;
  const Matrix<Real> R = net.axes(k);
  const Vector<double> arm{net.layout.frame_x(f, 0) - net.layout.massless_center(k, 0),
                           net.layout.frame_x(f, 1) - net.layout.massless_center(k, 1),
                           net.layout.frame_x(f, 2) - net.layout.massless_center(k, 2)};
  put(net.work.frame_r, f, plus_product(net.place(k), R, Vector<Real>{arm.x, arm.y, arm.z}));
  for (Index l = 0; l < 3; ++l) {
    const Vector<Real> axis =
        R * Vector<Real>{net.layout.frame_A(f, 0, l), net.layout.frame_A(f, 1, l), net.layout.frame_A(f, 2, l)};
    net.work.frame_R(f, 0, l) = axis.x, net.work.frame_R(f, 1, l) = axis.y, net.work.frame_R(f, 2, l) = axis.z;
  }
}

// f (n,) = forces on the massless bodies; of the elements at one of them alone where `only` is its number. Returns
// the largest force of an element.
template <class Real>
static Real forces(const Network<Real>& net, Reals<Real> f, Index only = -1) {
  f.fill(0.0);
  Real largest = 0.0;
  for (Index i = net.from(); i < net.to(); ++i) {
    const Index e = net.layout.net_element[i];
    if (only >= 0 && net.carrier(e, 0) != only && net.carrier(e, 1) != only) continue;
    place_end(net, e, 0);
    place_end(net, e, 1);
    evaluate_element(net.layout, net.work, e);
    evaluate_law(net.layout, net.work, e, net.t);
    const Index at = net.layout.element(e, AT), m = net.layout.element(e, COUNT);
    for (Index side = 0; side < 2; ++side) {
      const Index k = net.carrier(e, side);
      if (k < 0) continue;
      Vector<Real> force{0.0, 0.0, 0.0}, moment{0.0, 0.0, 0.0};
      for (Index j = at; j < at + m; ++j) {
        force -= net.work.element_force[j] * vector_of(net.work.deformation_slope, j, 2 * side);
        moment -= net.work.element_force[j] * vector_of(net.work.deformation_slope, j, 2 * side + 1);
      }
      moment += cross(vector_of(net.work.frame_r, net.end(e, side)) - net.place(k), force);
      largest = larger(largest, Real(net.length() * std::sqrt(dot(force, force))));
      const Index row = net.at(k);
      put(f, row, vector_of(f, row) + net.length() * force);
      if (net.turns(k)) put(f, row + 3, vector_of(f, row + 3) + transposed_times(net.axes(k), moment));
    }
  }
  return largest;
}

// Move the massless bodies by s y, y (n,).
template <class Real>
static void displace(const Network<Real>& net, Reals<Real> y, Real s) {
  for (Index k = net.first(); k < net.last(); ++k) {
    const Index row = net.at(k);
    put(net.work.massless[k], MASSLESS_PLACE, net.place(k) + (s * net.length()) * vector_of(y, row));
    if (!net.turns(k)) continue;
    const Vector<Real> theta = s * vector_of(y, row + 3);
    const TangentCoefficients<Real> tangent = tangent_coefficients(theta);
    const Matrix<Real> R = net.axes(k);
    Matrix<Real> turned;
    for (Index l = 0; l < 3; ++l) {
      const Vector<Real> unit{l == 0 ? 1.0 : 0.0, l == 1 ? 1.0 : 0.0, l == 2 ? 1.0 : 0.0};
      const Vector<Real> axis = R * exponential_times(tangent, theta, unit);
      turned(0, l) = axis.x, turned(1, l) = axis.y, turned(2, l) = axis.z;
    }
    net.put_axes(k, MASSLESS_AXES, turned);
  }
}

// The places of the massless bodies, to return to.
template <class Real>
struct Places {
  const Network<Real>& net;
  Buffer<Real, 2> kept;

  explicit Places(const Network<Real>& net) : net(net), kept(net.last() - net.first(), MASSLESS_POSE) { keep(); }
  void keep() {
    for (Index k = net.first(); k < net.last(); ++k)
      for (Index i = 0; i < MASSLESS_POSE; ++i) kept(k - net.first(), i) = net.work.massless(k, i);
  }
  void restore() const {
    for (Index k = net.first(); k < net.last(); ++k)
      for (Index i = 0; i < MASSLESS_POSE; ++i) net.work.massless(k, i) = kept(k - net.first(), i);
  }
};

// K (n, n) = -df/dy by central differences, its symmetric part; leaves the elements as they were.
template <class Real>
static void stiffness_of(const Network<Real>& net, Array<Real, 2> K) {
  const Index n = net.size();
  Buffer<Real> y(n), more(n), less(n);
  Places<Real> here(net);
  for (Index k = net.first(); k < net.last(); ++k)
    for (Index j = net.at(k); j < net.at(k) + (net.turns(k) ? 6 : 3); ++j) {
      y.fill(0.0);
      y[j] = 1.0;
      displace(net, y.view(), Real(DIFFERENCE));
      forces(net, more.view(), k);
      here.restore();
      displace(net, y.view(), Real(-DIFFERENCE));
      forces(net, less.view(), k);
      here.restore();
      for (Index i = 0; i < n; ++i) K(i, j) = (less[i] - more[i]) / (2.0 * DIFFERENCE);
    }
  forces(net, more.view());
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < i; ++j) K(i, j) = K(j, i) = 0.5 * (K(i, j) + K(j, i));
}

// The rows of translations and rotations of each massless body, which share a scale: out (n,) is its number.
template <class Real>
static void blocks_of(const Network<Real>& net, Array<Index, 1> out) {
  for (Index j = 0; j < net.size(); ++j) out[j] = 0;
  for (Index k = net.first(), number = 0; k < net.last(); ++k)
    for (Index j = net.at(k); j < net.at(k + 1); ++j) out[j] = number += (j - net.at(k)) % 3 == 0 ? 1 : 0;
}

// Try to reach equilibrium from where the massless bodies are; return one of NetworkCause.
template <class Real>
static Index solve(const Network<Real>& net) {
  const Index n = net.size();
  Buffer<Index> block(n);
  blocks_of(net, block.view());
  SymmetricSystem<Real> K(n, block.view());
  Buffer<Real> f(n), next(n), d(n);
  Places<Real> here(net);
  Real largest = forces(net, f.view()), before = 1.0, moved = 0.0;
  bool fresh = true;
  for (int i = 0; i < MOST; ++i) {
    if (fresh) {
      stiffness_of(net, K.matrix());
      K.factorise();
      moved = 0.0;
    }
    K.solve(f.view(), d.view());
    Real size = 0.0, work_done = 0.0;
    for (Index j = 0; j < n; ++j) size = larger(size, Real(std::abs(d[j]))), work_done += f[j] * d[j];
    if (!std::isfinite(size) || !std::isfinite(work_done)) return NO_EQUILIBRIUM;
    Real s = size > LARGEST ? Real(LARGEST / size) : Real(1.0);
    here.keep();
    for (int halved = 0;; ++halved, s *= 0.5) {
      displace(net, d.view(), s);
      largest = forces(net, next.view());
      Real left = 0.0;
      for (Index j = 0; j < n; ++j) left += next[j] * d[j];
      if (size < ROUND_OFF || halved == 10 || left >= -0.9 * work_done) break;
      here.restore();
    }
    f.copy(next.view());
    moved += s * size;
    Real unbalanced = 0.0;
    for (Index j = 0; j < n; ++j) unbalanced = larger(unbalanced, Real(std::abs(f[j])));
    const Real slight = SLIGHT * K.largest();
    if (size <= LAST || unbalanced <= slight || (size <= ROUND_OFF && fresh && i > 0 && size > 0.3 * before)) {
      if (K.definite() && moved < NEAR) return IN_EQUILIBRIUM;
      stiffness_of(net, K.matrix());
      K.factorise();
      if (K.least() < -SLACK) return UNSTABLE;
      return K.idle_part(f.view()) > larger(Real(UNHELD * largest), slight) ? UNSUPPORTED : IN_EQUILIBRIUM;
    }
    fresh = s < 1.0 || size > GOOD * before || !K.definite();
    before = size;
  }
  return NO_EQUILIBRIUM;
}

// Place the massless bodies beside the host as they were found last, or as drawn.
template <class Real>
static void approach(const Network<Real>& net, bool as_drawn) {
  const Index h = net.host();
  const Vector<Real> r = vector_of(net.work.frame_r, h);
  const Matrix<Real> R = matrix_of(net.work.frame_R, h);
  for (Index k = net.first(); k < net.last(); ++k) {
    const Reals<Real> own = net.work.massless[k];
    if (as_drawn) {
      for (Index i = 0; i < MASSLESS_POSE; ++i) own[MASSLESS_BESIDE + i] = net.layout.massless_start(k, i);
    }
    put(own, MASSLESS_PLACE, plus_product(r, R, vector_of(own, MASSLESS_BESIDE)));
    const Matrix<Real> beside = net.axes_at(k, MASSLESS_BESIDE + 3);
    Matrix<Real> axes;
    for (Index l = 0; l < 3; ++l) {
      const Vector<Real> axis = R * beside.column(l);
      axes(0, l) = axis.x, axes(1, l) = axis.y, axes(2, l) = axis.z;
    }
    net.put_axes(k, MASSLESS_AXES, axes);
  }
}

// The first two axes as they are, made perpendicular and of unit length, and the third.
template <class Real>
static Matrix<Real> orthonormal(const Matrix<Real>& A) {
  const Vector<Real> x = (1.0 / std::sqrt(dot(A.column(0), A.column(0)))) * A.column(0);
  const Vector<Real> across = A.column(1) - dot(x, A.column(1)) * x;
  const Vector<Real> y = (1.0 / std::sqrt(dot(across, across))) * across, z = cross(x, y);
  return {{{x.x, y.x, z.x}, {x.y, y.y, z.y}, {x.z, y.z, z.z}}};
}

// Remember the places beside the host.
template <class Real>
static void remember(const Network<Real>& net) {
  const Index h = net.host();
  const Vector<Real> r = vector_of(net.work.frame_r, h);
  const Matrix<Real> R = matrix_of(net.work.frame_R, h);
  for (Index k = net.first(); k < net.last(); ++k) {
    const Matrix<Real> axes = orthonormal(net.axes(k));
    put(net.work.massless[k], MASSLESS_BESIDE, transposed_times(R, net.place(k) - r));
    Matrix<Real> beside;
    for (Index i = 0; i < 3; ++i)
      for (Index l = 0; l < 3; ++l) beside(i, l) = dot(R.column(i), axes.column(l));
    net.put_axes(k, MASSLESS_BESIDE + 3, beside);
  }
}

// Whether all outer frames are somewhere: a motion that is not finite is not the cause of what follows from it.
template <class Real>
static bool placed(const Network<Real>& net) {
  for (Index i = net.from(); i < net.to(); ++i)
    for (Index side = 0; side < 2; ++side) {
      const Index e = net.layout.net_element[i], f = net.end(e, side);
      if (net.carrier(e, side) >= 0) continue;
      const Vector<Real> r = vector_of(net.work.frame_r, f);
      if (!std::isfinite(r.x + r.y + r.z + net.work.frame_R(f, 0, 0))) return false;
    }
  return true;
}

template <class Real>
static void settle(const Network<Real>& net) {
  approach(net, false);
  if (!placed(net)) {
    Buffer<Real> f(net.size());
    forces(net, f.view());
    return;
  }
  Index found = solve(net);
  if (found != IN_EQUILIBRIUM) {
    approach(net, true);
    found = solve(net);
  }
  if (found == IN_EQUILIBRIUM) {
    remember(net);
    return;
  }
  net.work.bad_network = net.g, net.work.bad_network_cause = found, net.work.bad_network_time = net.t;
  for (Index k = net.first(); k < net.last(); ++k) net.work.massless(k, MASSLESS_PLACE) = NaN;
  Buffer<Real> f(net.size());
  forces(net, f.view());
}

// Move the outer frames by s times their velocities, from the places r, R that they have.
template <class Real>
static void carry_outer(const Network<Real>& net, Real s, const Vectors<Real>& r, const Array<Real, 3, 3, 3>& R) {
  Work<Real>& work = net.work;
  for (Index i = net.from(), j = 0; i < net.to(); ++i)
    for (Index side = 0; side < 2; ++side, ++j) {
      const Index e = net.layout.net_element[i], f = net.end(e, side);
      if (net.carrier(e, side) >= 0) continue;
      put(work.frame_r, f, vector_of(r, j) + s * vector_of(work.frame_v, f));
      const Vector<Real> theta = s * vector_of(work.frame_w, f);
      const TangentCoefficients<Real> tangent = tangent_coefficients(theta);
      for (Index l = 0; l < 3; ++l) {
        const Vector<Real> axis = exponential_times(tangent, theta, column_of(R, j, l));
        work.frame_R(f, 0, l) = axis.x, work.frame_R(f, 1, l) = axis.y, work.frame_R(f, 2, l) = axis.z;
      }
    }
}

// The time in which no outer frame moves by more than a step of differences.
template <class Real>
static Real short_time(const Network<Real>& net) {
  Real fastest = 0.0;
  for (Index i = net.from(); i < net.to(); ++i)
    for (Index side = 0; side < 2; ++side) {
      const Index e = net.layout.net_element[i], f = net.end(e, side);
      if (net.carrier(e, side) >= 0) continue;
      const Vector<Real> v = vector_of(net.work.frame_v, f), w = vector_of(net.work.frame_w, f);
      fastest = larger(fastest, Real(std::sqrt(dot(v, v)) / net.length() + std::sqrt(dot(w, w))));
    }
  return fastest > 0.0 ? Real(DIFFERENCE / fastest) : Real(DIFFERENCE);
}

// y. (n,) of the massless bodies, by differences along the motion of the outer frames, and by the time.
template <class Real>
static void rates_of(const Network<Real>& net, Reals<Real> rate) {
  const Index n = net.size(), ends = 2 * (net.to() - net.from());
  Buffer<Index> block(n);
  blocks_of(net, block.view());
  SymmetricSystem<Real> K(n, block.view());
  stiffness_of(net, K.matrix());
  K.factorise();
  Buffer<Real, 2, 96, 3> r(ends, 3);
  Buffer<Real, 3, 96, 3, 3> R(ends, 3, 3);
  for (Index i = net.from(), j = 0; i < net.to(); ++i)
    for (Index side = 0; side < 2; ++side, ++j) {
      const Index f = net.end(net.layout.net_element[i], side);
      put(r.view(), j, vector_of(net.work.frame_r, f));
      put(R.view(), j, matrix_of(net.work.frame_R, f));
    }
  Buffer<Real> more(n), less(n), change(n);
  const Real h = short_time(net);
  carry_outer(net, h, r.view(), R.view());
  forces(net, more.view());
  carry_outer(net, Real(-h), r.view(), R.view());
  forces(net, less.view());
  carry_outer(net, Real(0.0), r.view(), R.view());
  for (Index i = 0; i < n; ++i) change[i] = (more[i] - less[i]) / (2.0 * h);
  if (net.layout.net_active[net.g]) {
    const double moment = net.layout.net_moment;
    forces(Network<Real>{net.layout, net.work, net.g, net.t + moment}, more.view());
    forces(Network<Real>{net.layout, net.work, net.g, net.t - moment}, less.view());
    for (Index i = 0; i < n; ++i) change[i] += (more[i] - less[i]) / (2.0 * moment);
  }
  K.solve(change.view(), rate);
}

template <class Real>
static void find_rates(const Network<Real>& net) {
  Buffer<Real> rate(net.size());
  rates_of(net, rate.view());
  for (Index k = net.first(); k < net.last(); ++k) {
    const Index row = net.at(k);
    const Vector<Real> v = net.length() * vector_of(rate, row), none{0.0, 0.0, 0.0};
    put(net.work.massless[k], MASSLESS_VELOCITY, v);
    put(net.work.massless[k], MASSLESS_SPIN, net.turns(k) ? net.axes(k) * vector_of(rate, row + 3) : none);
  }
  for (Index i = net.from(); i < net.to(); ++i)
    for (Index side = 0; side < 2; ++side) {
      const Index e = net.layout.net_element[i], f = net.end(e, side), k = net.carrier(e, side);
      if (k < 0) continue;
      const Vector<Real> w = vector_of(net.work.massless[k], MASSLESS_SPIN);
      put(net.work.frame_v, f,
          vector_of(net.work.massless[k], MASSLESS_VELOCITY) +
              cross(w, vector_of(net.work.frame_r, f) - net.place(k)));
      put(net.work.frame_w, f, w);
    }
  forces(net, rate.view());
}

// B (m, n) = dx/dy and K_e (m, m) of the elements of a network, whose stiffness is block by block.
template <class Real>
static void element_rows(const Network<Real>& net, Array<Real, 2> K, Array<Real, 2> B) {
  Index first = 0;
  K.fill(0.0);
  B.fill(0.0);
  for (Index i = net.from(); i < net.to(); ++i) {
    const Index e = net.layout.net_element[i], at = net.layout.element(e, AT), m = net.layout.element(e, COUNT);
    Buffer<Real, 2> own(m, m);
    element_stiffness(net.layout, net.work, e, 0.0, 1.0, own.view());
    for (Index j = 0; j < m; ++j)
      for (Index l = 0; l < m; ++l) K(first + j, first + l) = 0.5 * (own(j, l) + own(l, j));
    for (Index side = 0; side < 2; ++side) {
      const Index k = net.carrier(e, side);
      if (k < 0) continue;
      const Vector<Real> arm = vector_of(net.work.frame_r, net.end(e, side)) - net.place(k);
      for (Index j = 0; j < m; ++j) {
        const Vector<Real> along = vector_of(net.work.deformation_slope, at + j, 2 * side);
        const Vector<Real> about = vector_of(net.work.deformation_slope, at + j, 2 * side + 1) + cross(arm, along);
        const Reals<Real> row = B[first + j];
        put(row, net.at(k), vector_of(row, net.at(k)) + net.length() * along);
        if (net.turns(k))
          put(row, net.at(k) + 3, vector_of(row, net.at(k) + 3) + transposed_times(net.axes(k), about));
      }
    }
    first += m;
  }
}

// K_e -= (K_e B) K^-1 (K_e B)'.
template <class Real>
static void condense(const Network<Real>& net, Array<Real, 2> K_e, Array<Real, 2> B) {
  const Index n = net.size(), m = K_e.shape[0];
  Buffer<Index> block(n);
  blocks_of(net, block.view());
  SymmetricSystem<Real> K(n, block.view());
  stiffness_of(net, K.matrix());
  K.factorise();
  Buffer<Real, 2> KB(m, n), solved(m, n);
  for (Index i = 0; i < m; ++i) {
    for (Index j = 0; j < n; ++j)
      for (Index l = 0; l < m; ++l) KB(i, j) += K_e(i, l) * B(l, j);
    K.solve(KB.view()[i], solved.view()[i]);
  }
  for (Index i = 0; i < m; ++i)
    for (Index l = 0; l < m; ++l)
      for (Index j = 0; j < n; ++j) K_e(i, l) -= KB(i, j) * solved(l, j);
}

// Work.slope += factor times the derivatives of deformation `at` of element e, in the legs of the network's i-th row.
template <class Real>
static void add_legs(const Network<Real>& net, Index i, Index e, Index at, Real factor) {
  const Index from = net.layout.net_frame_at[net.g], legs = net.layout.net_frame_at[net.g + 1] - from;
  for (Index side = 0; side < 2; ++side)
    for (Index leg = 0; leg < legs; ++leg) {
      if (net.layout.net_frame[from + leg] != net.end(e, side)) continue;
      const Index slot = net.layout.net_slot[net.g] + i * legs + leg;
      for (Index part = 0; part < 2; ++part)
        put(net.work.slope, slot, part,
            vector_of(net.work.slope, slot, part) +
                factor * vector_of(net.work.deformation_slope, at, 2 * side + part));
    }
}

template <class Real>
static void tangents_of(const Network<Real>& net, double stiffness, Reals<Real> compliance) {
  const Index m = net.deformations(), n = net.size();
  const Index legs = net.layout.net_frame_at[net.g + 1] - net.layout.net_frame_at[net.g];
  Buffer<Real, 2> K(m, m), B(m, n);
  element_rows(net, K.view(), B.view());
  condense(net, K.view(), B.view());
  factorise_stiffness(K.view());
  for (Index i = 0; i < m * legs; ++i)
    for (Index part = 0; part < 2; ++part)
      put(net.work.slope, net.layout.net_slot[net.g] + i, part, Vector<Real>{0.0, 0.0, 0.0});
  Index row = 0;
  for (Index i = net.from(); i < net.to(); ++i) {
    const Index e = net.layout.net_element[i], at = net.layout.element(e, AT);
    for (Index j = at; j < at + net.layout.element(e, COUNT); ++j, ++row) {
      compliance[j] = compliance_of(Real(stiffness * K(row, row)));
      for (Index k = 0; k <= row; ++k) add_legs(net, k, e, j, k == row ? Real(1.0) : K(row, k));
    }
  }
}

template <class Real>
void settle_networks(const Layout& layout, Work<Real>& work, double t) {
  for (Index g = 0; g + 1 < layout.net_at.size(); ++g) {
    const Network<Real> net{layout, work, g, t};
    settle(net);
    if (layout.net_active[g]) find_rates(net);
  }
}

template <class Real>
void move_networks(const Layout& layout, Work<Real>& work, double t) {
  for (Index g = 0; g + 1 < layout.net_at.size(); ++g) find_rates(Network<Real>{layout, work, g, t});
}

template <class Real>
void network_tangents(const Layout& layout, Work<Real>& work, double stiffness, Reals<Real> compliance) {
  for (Index g = 0; g + 1 < layout.net_at.size(); ++g)
    tangents_of(Network<Real>{layout, work, g, work.law_time}, stiffness, compliance);
}

template void settle_networks<double>(const Layout&, Work<double>&, double);
template void move_networks<double>(const Layout&, Work<double>&, double);
template void network_tangents<double>(const Layout&, Work<double>&, double, Reals<double>);

}  // namespace flexbody
