// Friction that follows the reaction of its joint: see friction.hpp.
#include "friction.hpp"

#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../dynamics/dense_solve.hpp"
#include "../dynamics/elimination.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/frame.hpp"

namespace flexbody {

// Iterations for the forces of all such elements, and what they may leave.
constexpr int ITERATIONS = 50;
constexpr double ROUND_OFF = 1e-14;
// Of the reaction, what counts as no force in a bearing: its direction is round-off.
constexpr double ZERO = 1e-13;

namespace {

// h: what a coordinate takes of N, and its derivative by the rate.
template <class Real>
struct Share {
  Real value, slope;
};

// Length of a vector and its direction.
template <class Real>
struct Sized {
  Real size;
  Vector<Real> direction;
};

// One iteration of `solve_friction`: the largest change of a force, and the largest force h N before it.
template <class Real>
struct Iterated {
  Real change, largest;
};

}  // namespace

// Whether spring s is friction that follows the reaction of its joint.
static bool follows_reaction(const Layout& layout, Index s) {
  return layout.spring_frame(s, SPRING_LAW) == REACTION_FRICTION;
}

// Rate of the joint's other coordinate along which it slides at the same place, as one of this; 0 if there is none.
template <class Real>
static Real partner_rate(const Layout& layout, const Work<Real>& work, Index s) {
  const Index partner = layout.spring_frame(s, PARTNER);
  if (partner < 0) return 0.0;
  return layout.spring_value(s, PARTNER_FACTOR) * coordinate_rate(layout, work, partner);
}

// `h = mu(slip) tanh(slip / creep) s / slip`, `slip = sqrt(s^2 + other^2)`, with Stribeck's curve
// `mu(slip) = mu + (mu_static - mu) exp(-(slip / slow)^2)`. The derivative by s leaves out what mu changes.
template <class Real>
static Share<Real> share_of(const Layout& layout, const Work<Real>& work, Index s) {
  const Table value = layout.spring_value[s];
  const Real rate = work.spring_length(s, SPRING_RATE), other = partner_rate(layout, work, s);
  const Real slip = std::sqrt(rate * rate + other * other);
  const Real size = value[MU] + (value[MU_STATIC] - value[MU]) * std::exp(-square(slip / value[SLOW]));
  const Real part = std::tanh(slip / value[CREEP]);
  if (slip == 0.0) return {0.0, size / value[CREEP]};
  const Real along = square(rate / slip), across = square(other / slip);
  const Real slope = (1.0 - part * part) / value[CREEP] * along + part / slip * across;
  return {size * part * rate / slip, size * slope};
}

// |a| and a / |a|, no direction where a is no longer than `least`.
template <class Real>
static Sized<Real> sized(const Vector<Real>& a, Real least) {
  const Real size = std::sqrt(dot(a, a));
  const Real one = size > least ? 1.0 / size : Real(0.0);
  return {size, one * a};
}

// |x| + |y| + |z|.
template <class Real>
static Real magnitude(const Vector<Real>& a) {
  return std::abs(a.x) + std::abs(a.y) + std::abs(a.z);
}

// 1, 0 or -1.
template <class Real>
static double sign(Real x) {
  return x > 0.0 ? 1.0 : x < 0.0 ? -1.0 : 0.0;
}

// N of element s, with F = -G_r^T lambda and M = -G_theta^T lambda of the joint's rows, and its derivatives by these
// multipliers; see friction.hpp.
template <class Real>
static void normal_force(const Layout& layout, const Work<Real>& work, Index s, Reals<Real> multipliers,
                         Reals<Real> record) {
  const Index i = layout.spring_frame(s, layout.spring_frame(s, HOST)), axis = layout.spring_frame(s, AXIS);
  const Index first = layout.spring_frame(s, FIRST_ROW), last = layout.spring_frame(s, END_ROW);
  const Table value = layout.spring_value[s];
  const Array<Real, 3>& g = work.direction;
  Vector<Real> F{0.0, 0.0, 0.0}, M{0.0, 0.0, 0.0};
  for (Index k = first; k < last; ++k) {
    F -= multipliers[k] * vector_of(g, k, 2);
    M -= multipliers[k] * vector_of(g, k, 3);
  }
  const Vector<Real> e = column_of(work.frame_R, i, axis);
  const Real thrust = dot(e, F), torque = dot(e, M);
  const double inverse = value[PER_LENGTH];
  const Real least = ZERO * (magnitude(F) + inverse * magnitude(M));
  const Vector<Real> across = 0.5 * (F - thrust * e), couple = inverse * cross(e, M);
  const Sized<Real> near = sized(across + couple, least), far = sized(across - couple, least);
  record[SIZE] = value[ARM] * (value[PRELOAD] + near.size + far.size);
  record[SIZE] += value[COLLAR] * std::abs(thrust) + value[PER_KEY] * std::abs(torque);
  const double by_thrust = value[COLLAR] * sign(thrust), by_torque = value[PER_KEY] * sign(torque);
  const double half = 0.5 * value[ARM], turned = inverse * value[ARM];
  const Vector<Real> by_force = half * (near.direction + far.direction) + by_thrust * e;
  const Vector<Real> by_moment = turned * cross(near.direction - far.direction, e) + by_torque * e;
  for (Index k = first; k < last; ++k) {
    Real slope = 0.0;
    for (Index l = 0; l < 3; ++l) {
      slope -= by_force[l] * g(k, 2, l);
      slope -= by_moment[l] * g(k, 3, l);
    }
    record[SLOPE + k - first] = slope;
  }
}

// N and its derivatives for all elements.
template <class Real>
static void normal_forces(const Layout& layout, const Work<Real>& work, Reals<Real> multipliers) {
  for (Index s = 0; s < layout.spring_frame.shape[0]; ++s) {
    if (!follows_reaction(layout, s)) continue;
    normal_force(layout, work, s, multipliers, work.friction_record[layout.spring_frame(s, NUMBER)]);
  }
}

// N, h and N as the residual counts it.
template <class Real>
void find_normal_forces(const Layout& layout, Work<Real>& work, Reals<Real> multipliers) {
  normal_forces(layout, work, multipliers);
  for (Index s = 0; s < layout.spring_frame.shape[0]; ++s) {
    if (!follows_reaction(layout, s)) continue;
    const Reals<Real> record = work.friction_record[layout.spring_frame(s, NUMBER)];
    record[SHARE] = share_of(layout, work, s).value;
    record[COUNTED] = record[SIZE];
  }
}

// h N + viscous s, and its derivative by s.
template <class Real>
FrictionForce<Real> friction_force(const Layout& layout, const Work<Real>& work, Index s) {
  const Real size = work.friction_record(layout.spring_frame(s, NUMBER), SIZE),
             rate = work.spring_length(s, SPRING_RATE);
  const Share<Real> share = share_of(layout, work, s);
  const double viscous = layout.spring_value(s, VISCOUS);
  return {share.value * size + viscous * rate, share.slope * size + viscous};
}

// Solutions with these forces

// out = J^T g over the moving frames of the spring, J their Jacobians: a column of B.
template <class Real>
void unit_load(const Layout& layout, const Work<Real>& work, Index s, Reals<Real> out) {
  out.fill(0.0);
  const Index k = layout.row_kind.size() + s;
  for (Index side = layout.row_side_at[k]; side < layout.row_side_at[k + 1]; ++side) {
    const Index b = layout.side_body[side];
    add_load(layout, work, layout.side_frame[side], b, work.slope, layout.side_slot[side], out, layout.v_at[b]);
  }
}

// A [X; Y] = [B; 0], row by row of Work.friction_motion and friction_multipliers.
template <class Real>
void find_unit_responses(const Layout& layout, Work<Real>& work) {
  work.right.fill(0.0);
  for (Index s = 0; s < layout.spring_frame.shape[0]; ++s) {
    if (!follows_reaction(layout, s)) continue;
    const Index k = layout.spring_frame(s, NUMBER);
    const Reals<Real> x = work.friction_motion[k];
    unit_load(layout, work, s, x);
    solve(layout, work, work.right, x, work.friction_multipliers[k]);
  }
}

// A x = right side of Work.friction_system, in its place.
template <class Real>
static void solve_system(const Work<Real>& work) {
  const Array<Real, 2> A = work.friction_system;
  dense_solve(A, [&](Index i) -> Real& { return A(i, A.shape[0]); });
}

// dN/dlambda . y for the rows of element s; y (nr,) or more.
template <class Real>
static Real change_of_size(const Layout& layout, const Work<Real>& work, Index s, Reals<Real> y) {
  const Index k = layout.spring_frame(s, NUMBER), first = layout.spring_frame(s, FIRST_ROW);
  Real change = 0.0;
  for (Index l = 0; l < layout.spring_frame(s, END_ROW) - first; ++l)
    change += work.friction_record(k, SLOPE + l) * y[first + l];
  return change;
}

// The matrix of the forces: I + h dN/dlambda Y, of what N changes with the multipliers of each response.
template <class Real>
static void fill_system(const Layout& layout, Work<Real>& work) {
  const Array<Real, 2> A = work.friction_system;
  for (Index s = 0; s < layout.spring_frame.shape[0]; ++s) {
    if (!follows_reaction(layout, s)) continue;
    const Index k = layout.spring_frame(s, NUMBER);
    for (Index r = 0; r < A.shape[0]; ++r)
      A(k, r) = work.friction_record(k, SHARE) * change_of_size(layout, work, s, work.friction_multipliers[r]) +
                (r == k ? 1.0 : 0.0);
  }
}

// x -= F X_k, y -= F Y_k: take away what a force F of element k causes.
template <class Real>
static void take_response(const Work<Real>& work, Index k, Real force, Reals<Real> x, Reals<Real> y) {
  for (Index i = 0; i < x.size(); ++i) x[i] -= force * work.friction_motion(k, i);
  for (Index i = 0; i < y.size(); ++i) y[i] -= force * work.friction_multipliers(k, i);
}

// (I + h dN/dlambda Y) F = h dN/dlambda y; x -= X F, y -= Y F.
template <class Real>
void add_friction(const Layout& layout, Work<Real>& work, Reals<Real> x, Reals<Real> y) {
  const Array<Real, 2> A = work.friction_system;
  const Index n = A.shape[0];
  fill_system(layout, work);
  for (Index s = 0; s < layout.spring_frame.shape[0]; ++s) {
    if (!follows_reaction(layout, s)) continue;
    const Index k = layout.spring_frame(s, NUMBER);
    A(k, n) = work.friction_record(k, SHARE) * change_of_size(layout, work, s, y);
  }
  solve_system(work);
  for (Index k = 0; k < n; ++k) take_response(work, k, A(k, n), x, y);
}

// Newton's method for the forces beyond those counted, `F = h (N(lambda - Y F) - N_counted)`, in the last column of
// the system; x and the multipliers follow.
template <class Real>
static Iterated<Real> iterate_friction(const Layout& layout, Work<Real>& work, Reals<Real> x,
                                       Reals<Real> multipliers) {
  const Array<Real, 2> A = work.friction_system, records = work.friction_record;
  const Index n = A.shape[0], right = n, force = n + 1;
  normal_forces(layout, work, multipliers);
  fill_system(layout, work);
  Real change = 0.0, largest = 0.0;
  for (Index k = 0; k < n; ++k) {
    const Real gained = records(k, SHARE) * (records(k, SIZE) - records(k, COUNTED));
    A(k, right) = gained - A(k, force);
    largest = larger(largest, std::abs(records(k, SHARE)) * records(k, SIZE));
  }
  solve_system(work);
  for (Index k = 0; k < n; ++k) {
    const Real step = A(k, right);
    A(k, force) += step;
    change = larger(change, std::abs(step));
    take_response(work, k, step, x, multipliers);
  }
  return {change, largest};
}

// Forces F with F = h N(lambda), beyond those counted; dissipated power += F s.
template <class Real>
void solve_friction(const Layout& layout, Work<Real>& work, Reals<Real> x, Reals<Real> multipliers) {
  const Array<Real, 2> A = work.friction_system;
  const Index n = A.shape[0], force = n + 1;
  Real previous = INF, change = NaN;
  bool done = false;
  for (Index k = 0; k < n; ++k) A(k, force) = 0.0;
  for (int iteration = 0; iteration < ITERATIONS && !done; ++iteration) {
    const Iterated<Real> last = iterate_friction(layout, work, x, multipliers);
    change = last.change;
    done = !(change > ROUND_OFF * last.largest) || (change <= 1e-9 * last.largest && change > 0.5 * previous);
    previous = change;
  }
  for (Index s = 0; s < layout.spring_frame.shape[0]; ++s) {
    if (!follows_reaction(layout, s)) continue;
    work.power[DISSIPATED] += A(layout.spring_frame(s, NUMBER), force) * work.spring_length(s, SPRING_RATE);
  }
  if (!done || !std::isfinite(change)) x.fill(NaN);
}

template void find_normal_forces<double>(const Layout&, Work<double>&, Reals<double>);
template void unit_load<double>(const Layout&, const Work<double>&, Index, Reals<double>);
template void find_unit_responses<double>(const Layout&, Work<double>&);
template void add_friction<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>);
template void solve_friction<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>);
template FrictionForce<double> friction_force<double>(const Layout&, const Work<double>&, Index);

}  // namespace flexbody

using namespace flexbody;

// multipliers (count,), at least (nr,).
FLEXBODY_EXPORT void flexbody_find_normal_forces(const Layout* layout, Work<double>* work, double* multipliers,
                                                 Index count) {
  find_normal_forces(*layout, *work, {multipliers, {count}});
}

// x (nv,), multipliers (count,).
FLEXBODY_EXPORT void flexbody_solve_friction(const Layout* layout, Work<double>* work, double* x, double* multipliers,
                                             Index count) {
  solve_friction(*layout, *work, {x, {work->residual.size()}}, {multipliers, {count}});
}

// out (nv,).
FLEXBODY_EXPORT void flexbody_unit_load(const Layout* layout, const Work<double>* work, Index s, double* out) {
  unit_load(*layout, *work, s, {out, {work->residual.size()}});
}
