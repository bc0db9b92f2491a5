// Friction that follows the reaction of its joint: see reaction_friction.hpp.
#include "reaction_friction.hpp"

#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../dynamics/dense_solve.hpp"
#include "../dynamics/elimination.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/frame.hpp"
#include "following_bristle.hpp"
#include "force_elements.hpp"
#include "force_laws.hpp"
#include "slip.hpp"

namespace flexbody {

// Iterations for the forces of all such elements, and what they may leave.
constexpr int ITERATIONS = 50;
constexpr double ROUND_OFF = 1e-14;
// Of the reaction, what counts as no force in a bearing: its direction is round-off.
constexpr double ZERO = 1e-13;

namespace {

// Length of a vector and its direction.
template <class Real>
struct Sized {
  Real size;
  Vector<Real> direction;
};

// A force that follows a normal force N, and its derivative by N.
template <class Real>
struct Followed {
  Real value, slope;
};

// One iteration of `solve_friction`: the largest change of a force, and the largest force h N before it.
template <class Real>
struct Iterated {
  Real change, largest;
};

}  // namespace

template <class Real>
Real partner_rate(const Layout& layout, const Work<Real>& work, Index k) {
  const Index partner = layout.reaction_friction(k, PARTNER);
  if (partner < 0) return 0.0;
  const double factor = law_numbers(layout, layout.reaction_friction(k, FRICTION_ELEMENT))[PARTNER_FACTOR];
  return factor * coordinate_rate(layout, work, partner);
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

// N of friction k, with F = -G_r^T lambda and M = -G_theta^T lambda of the joint's rows, and its derivatives by these
// multipliers; see reaction_friction.hpp.
template <class Real>
static void normal_force(const Layout& layout, const Work<Real>& work, Index k, Reals<Real> multipliers,
                         Reals<Real> record) {
  const Index first = layout.reaction_friction(k, FIRST_ROW), last = layout.reaction_friction(k, END_ROW);
  const double* value = law_numbers(layout, layout.reaction_friction(k, FRICTION_ELEMENT));
  const Array<Real, 3>& g = work.direction;
  Vector<Real> F{0.0, 0.0, 0.0}, M{0.0, 0.0, 0.0};
  for (Index row = first; row < last; ++row) {
    F -= multipliers[row] * vector_of(g, row, 2);
    M -= multipliers[row] * vector_of(g, row, 3);
  }
  const Vector<Real> e =
      column_of(work.frame_R, layout.reaction_friction(k, HOST), layout.reaction_friction(k, AXIS));
  const Real thrust = dot(e, F), torque = dot(e, M);
  const double inverse = value[INVERSE_LENGTH];
  const Real least = ZERO * (magnitude(F) + inverse * magnitude(M));
  const Vector<Real> across = 0.5 * (F - thrust * e), couple = inverse * cross(e, M);
  const Sized<Real> near = sized(across + couple, least), far = sized(across - couple, least);
  record[NORMAL_FORCE] = value[ARM] * (value[PRELOAD] + near.size + far.size);
  record[NORMAL_FORCE] += value[COLLAR] * std::abs(thrust) + value[INVERSE_RADIUS] * std::abs(torque);
  const double by_thrust = value[COLLAR] * sign(thrust), by_torque = value[INVERSE_RADIUS] * sign(torque);
  const double half = 0.5 * value[ARM], turned = inverse * value[ARM];
  const Vector<Real> by_force = half * (near.direction + far.direction) + by_thrust * e;
  const Vector<Real> by_moment = turned * cross(near.direction - far.direction, e) + by_torque * e;
  for (Index row = first; row < last; ++row) {
    Real slope = 0.0;
    for (Index l = 0; l < 3; ++l) {
      slope -= by_force[l] * g(row, 2, l);
      slope -= by_moment[l] * g(row, 3, l);
    }
    record[NORMAL_FORCE_SLOPE + row - first] = slope;
  }
}

// Whether entry k is the separating force of teeth.
static bool separates(const Layout& layout, Index k) {
  return layout.element(layout.reaction_friction(k, FRICTION_ELEMENT), GEOMETRY) == SEPARATION;
}

// The separating force of teeth, with the multiplier of their coupling, and its derivative.
template <class Real>
static void separating_force(const Layout& layout, Index k, Reals<Real> multipliers, Reals<Real> record) {
  const Index row = layout.reaction_friction(k, FIRST_ROW);
  const double lever = law_numbers(layout, layout.reaction_friction(k, FRICTION_ELEMENT))[LEVER];
  const double factor = lever * layout.row_scale[row];
  record[NORMAL_FORCE] = factor * std::abs(multipliers[row]);
  record[NORMAL_FORCE_SLOPE] = factor * sign(multipliers[row]);
}

// Whether entry k is a force against the slip of surfaces that roll.
static bool rolls(const Layout& layout, Index k) {
  return layout.element(layout.reaction_friction(k, FRICTION_ELEMENT), GEOMETRY) == SLIP;
}

// The normal force of surfaces that roll, of the row of their gap, and its derivative; where they pull it is zero.
template <class Real>
static void pressing_force(const Layout& layout, Index k, Reals<Real> multipliers, Reals<Real> record) {
  const Index row = layout.reaction_friction(k, FIRST_ROW);
  const double* numbers = law_numbers(layout, layout.reaction_friction(k, FRICTION_ELEMENT));
  const Real factor = numbers[SLIP_SIGN] * layout.row_scale[row], normal = factor * multipliers[row];
  record[NORMAL_FORCE] = normal > 0.0 ? normal : Real(0.0);
  record[NORMAL_FORCE_SLOPE] = normal > 0.0 ? factor : Real(0.0);
}

// N and its derivatives for all of them.
template <class Real>
static void normal_forces(const Layout& layout, const Work<Real>& work, Reals<Real> multipliers) {
  for (Index k = 0; k < layout.reaction_friction.shape[0]; ++k) {
    if (separates(layout, k)) {
      separating_force(layout, k, multipliers, work.friction_record[k]);
    } else if (rolls(layout, k)) {
      pressing_force(layout, k, multipliers, work.friction_record[k]);
    } else {
      normal_force(layout, work, k, multipliers, work.friction_record[k]);
    }
  }
}

// Which force of its element entry k is.
static Index force_number(const Layout& layout, Index k) {
  return rolls(layout, k) ? layout.reaction_friction(k, AXIS) : 0;
}

// Rate of the coordinate along which friction k acts.
template <class Real>
static Real sliding_rate(const Layout& layout, const Work<Real>& work, Index k) {
  const Index at = layout.element(layout.reaction_friction(k, FRICTION_ELEMENT), AT);
  return work.deformation_rate[at + force_number(layout, k)];
}

// Friction over the normal force of element e, whose friction sticks, with its bristle as the equation of its states
// says.
template <class Real>
static Vector<Real> held_by_bristle(const Layout& layout, const Work<Real>& work, Index e, Real partner) {
  const Index at = layout.element(e, STATE_AT);
  const FollowingBristle now = following_bristle(layout.element(e, GEOMETRY), law_numbers(layout, e),
                                                 &work.deformation_rate[layout.element(e, AT)], partner);
  Real z[FOLLOWING_BRISTLES] = {work.law_state[at], work.law_state[at + 1]};
  if (work.law_mode == STEPPED) step_following_bristle(now, &work.law_known[at], work.law_kappa, z);
  return friction_over_normal(now, z);
}

// The force of entry k for a normal force N, and its derivative by N.
template <class Real>
static Followed<Real> following_force(const Layout& layout, const Work<Real>& work, Index k, Real normal) {
  const Index e = layout.reaction_friction(k, FRICTION_ELEMENT);
  const double* numbers = law_numbers(layout, e);
  if (separates(layout, k)) return {-normal, -1.0};
  if (layout.element(e, STATES) > 0) {
    const Index number = force_number(layout, k);
    const Vector<Real> held = held_by_bristle(layout, work, e, partner_rate(layout, work, k));
    const Real h = number < FOLLOWING_BRISTLES ? held[number] : Real(0.0);
    return {h * normal, h};
  }
  if (rolls(layout, k)) {
    const SlipForces found = slip_forces(numbers, normal, &work.deformation_rate[layout.element(e, AT)]);
    const Index number = force_number(layout, k);
    return {found.force[number], found.by_normal[number]};
  }
  const Real h = friction_coefficient(numbers, sliding_rate(layout, work, k), partner_rate(layout, work, k)).value;
  return {h * normal, h};
}

// N, h and N as the residual counts it.
template <class Real>
void find_normal_forces(const Layout& layout, Work<Real>& work, Reals<Real> multipliers) {
  normal_forces(layout, work, multipliers);
  for (Index k = 0; k < layout.reaction_friction.shape[0]; ++k) {
    const Reals<Real> record = work.friction_record[k];
    record[FRICTION_COEFFICIENT] = following_force(layout, work, k, record[NORMAL_FORCE]).slope;
    record[COUNTED_NORMAL_FORCE] = record[NORMAL_FORCE];
  }
}

// Solutions with these forces

// A [X; Y] = [B; 0], row by row of Work.friction_motion and friction_multipliers.
template <class Real>
void find_unit_responses(const Layout& layout, Work<Real>& work) {
  work.right.fill(0.0);
  for (Index k = 0; k < layout.reaction_friction.shape[0]; ++k) {
    const Reals<Real> x = work.friction_motion[k];
    unit_load(layout, work, layout.reaction_friction(k, FRICTION_ELEMENT), force_number(layout, k), x);
    solve(layout, work, work.right, x, work.friction_multipliers[k]);
  }
}

// A x = right side of Work.friction_system, in its place.
template <class Real>
static void solve_system(const Work<Real>& work) {
  const Array<Real, 2> A = work.friction_system;
  dense_solve(A, [&](Index i) -> Real& { return A(i, A.shape[0]); });
}

// dN/dlambda . y for the rows of friction k; y (nr,) or more.
template <class Real>
static Real change_of_normal_force(const Layout& layout, const Work<Real>& work, Index k, Reals<Real> y) {
  const Index first = layout.reaction_friction(k, FIRST_ROW);
  Real change = 0.0;
  for (Index l = 0; l < layout.reaction_friction(k, END_ROW) - first; ++l)
    change += work.friction_record(k, NORMAL_FORCE_SLOPE + l) * y[first + l];
  return change;
}

// The matrix of the forces: I + h dN/dlambda Y, of what N changes with the multipliers of each response.
template <class Real>
static void fill_system(const Layout& layout, Work<Real>& work) {
  const Array<Real, 2> A = work.friction_system;
  for (Index k = 0; k < A.shape[0]; ++k)
    for (Index r = 0; r < A.shape[0]; ++r)
      A(k, r) = work.friction_record(k, FRICTION_COEFFICIENT) *
                    change_of_normal_force(layout, work, k, work.friction_multipliers[r]) +
                (r == k ? 1.0 : 0.0);
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
  for (Index k = 0; k < n; ++k)
    A(k, n) = work.friction_record(k, FRICTION_COEFFICIENT) * change_of_normal_force(layout, work, k, y);
  solve_system(work);
  for (Index k = 0; k < n; ++k) take_response(work, k, A(k, n), x, y);
}

// Newton's method for the forces beyond those counted, `F = f(N(lambda - Y F)) - f(N_counted)`, in the last column of
// the system; x and the multipliers follow. For friction of joints and teeth f(N) = h N.
template <class Real>
static Iterated<Real> iterate_friction(const Layout& layout, Work<Real>& work, Reals<Real> x,
                                       Reals<Real> multipliers) {
  const Array<Real, 2> A = work.friction_system, records = work.friction_record;
  const Index n = A.shape[0], right = n, force = n + 1;
  normal_forces(layout, work, multipliers);
  Real change = 0.0, largest = 0.0;
  for (Index k = 0; k < n; ++k) {
    const Followed<Real> now = following_force(layout, work, k, records(k, NORMAL_FORCE));
    const Followed<Real> counted = following_force(layout, work, k, records(k, COUNTED_NORMAL_FORCE));
    records(k, FRICTION_COEFFICIENT) = now.slope;
    A(k, right) = now.value - counted.value - A(k, force);
    largest = larger(largest, std::abs(now.value));
  }
  fill_system(layout, work);
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
  for (Index k = 0; k < n; ++k) work.power[DISSIPATED] += A(k, force) * sliding_rate(layout, work, k);
  if (!done || !std::isfinite(change)) x.fill(NaN);
}

template double partner_rate<double>(const Layout&, const Work<double>&, Index);
template void find_normal_forces<double>(const Layout&, Work<double>&, Reals<double>);
template void find_unit_responses<double>(const Layout&, Work<double>&);
template void add_friction<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>);
template void solve_friction<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>);

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
