// Forces: loads at frames, and springs, friction and stops along a length or a joint coordinate (Koppens 4.2).
#include "force.hpp"

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/frame.hpp"
#include "../laws/law.hpp"
#include "friction.hpp"

namespace flexbody {

namespace {

// By how much a stop is overrun, at what rate, and on which side (1 upper, -1 lower, 0 none).
template <class Real>
struct Overlap {
  Real depth, speed, side;
};

}  // namespace

// Loads

// The force or moment (3,) of load k at time t in inertial components: `Q F` where it turns with its body b.
template <class Real>
static Vector<Real> inertial_load(const Layout& layout, const Work<Real>& work, Index k, Index b, double t) {
  double given[3];
  Vector<Real> value = vector_of(layout.load_value, k);
  if (call_law(layout.load_law, k, t, given)) value = {given[0], given[1], given[2]};
  const Index kind = layout.load_frame(k, LOAD_KIND);
  return kind == FORCE_BODY || kind == MOMENT_BODY ? matrix_of(work.Q, b) * value : value;
}

// residual -= J^T F, input power += F . v (M . w) for each load on a body, J its frame's Jacobian.
template <class Real>
void add_loads(const Layout& layout, Work<Real>& work, double t) {
  const Vector<Real> none{0.0, 0.0, 0.0};
  for (Index k = 0; k < layout.load_frame.shape[0]; ++k) {
    const Index f = layout.load_frame(k, LOAD_FRAME), kind = layout.load_frame(k, LOAD_KIND),
                b = layout.frame_body[f];
    if (b < 0) continue;
    const Vector<Real> load = inertial_load(layout, work, k, b, t);
    const Index size = 6 + layout.body_modes[b], first = layout.v_at[b];
    Buffer<Real> out(size);
    if (kind == FORCE_BODY || kind == FORCE_INERTIAL) {
      load_on_frame(layout, work, f, load, none, out.view());
      work.power[INPUT] += dot(load, vector_of(work.frame_v, f));
    } else {
      load_on_frame(layout, work, f, none, load, out.view());
      work.power[INPUT] += dot(load, vector_of(work.frame_w, f));
    }
    for (Index l = 0; l < size; ++l) work.residual[first + l] -= out[l];
  }
}

// Geometry of springs

// l = |r_2 - r_1|, e = (r_2 - r_1) / l, l. = e . (v_2 - v_1); directions -e and e by r_first and r_second.
template <class Real>
void evaluate_springs(const Layout& layout, Work<Real>& work) {
  const Vector<Real> none{0.0, 0.0, 0.0};
  for (Index s = 0; s < layout.spring_frame.shape[0]; ++s) {
    const Index i = layout.spring_frame(s, SPRING_FIRST), j = layout.spring_frame(s, SPRING_SECOND);
    if (layout.spring_frame(s, SPRING_COORDINATE) >= 0) continue;
    const Vector<Real> d = vector_of(work.frame_r, j) - vector_of(work.frame_r, i);
    const Real length = std::sqrt(dot(d, d));
    const Vector<Real> e{d.x / length, d.y / length, d.z / length};
    const Array<Real, 2> g = work.direction[layout.row_kind.size() + s];
    put(g, 0, -e);
    put(g, 1, none);
    put(g, 2, e);
    put(g, 3, none);
    work.spring_length(s, SPRING_LENGTH) = length;
    work.spring_length(s, SPRING_RATE) = dot(e, vector_of(work.frame_v, j) - vector_of(work.frame_v, i));
  }
}

// Value, rate and derivatives of the joint coordinate that the force acts along.
template <class Real>
void evaluate_joint_forces(const Layout& layout, Work<Real>& work) {
  for (Index s = 0; s < layout.spring_frame.shape[0]; ++s) {
    const Index along = layout.spring_frame(s, SPRING_COORDINATE);
    if (along < 0) continue;
    work.direction[layout.row_kind.size() + s].copy(work.coordinate_slope[along]);
    work.spring_length(s, SPRING_LENGTH) = work.coordinate[along];
    work.spring_length(s, SPRING_RATE) = coordinate_rate(layout, work, along);
  }
}

// Laws of springs, by kind; their numbers are in the columns of kinds.hpp.

// depth = x - upper or lower - x, where that is above zero.
template <class Real>
static Overlap<Real> overlap(const Layout& layout, const Work<Real>& work, Index s) {
  const Real x = work.spring_length(s, SPRING_LENGTH), rate = work.spring_length(s, SPRING_RATE);
  const double lower = layout.spring_value(s, LOWER_END), upper = layout.spring_value(s, UPPER_END);
  if (x > upper) return {x - upper, rate, 1.0};
  if (x < lower) return {lower - x, -rate, -1.0};
  return {0.0, 0.0, 0.0};
}

// Size of given friction at the rate v, without its viscous part: load + (static - load) exp(-(v / slow)^2).
template <class Real>
static Real stribeck(const Layout& layout, Index s, Real rate) {
  const double load = layout.spring_value(s, MU), fixed = layout.spring_value(s, MU_STATIC),
               slow = layout.spring_value(s, SLOW);
  return load + (fixed - load) * std::exp(-square(rate / slow));
}

// F = k (l - l0) + d l. + actuator, Koppens (4.3).
template <class Real>
static SpringForce<Real> linear_force(const Layout& layout, const Work<Real>& work, Index s, double t) {
  const double stiffness = layout.spring_value(s, STIFFNESS), damping = layout.spring_value(s, DAMPING);
  const double free = layout.spring_value(s, FREE_LENGTH);
  const Real rate = work.spring_length(s, SPRING_RATE);
  double given[3];
  const double actuator =
      call_law(layout.spring_law, s, t, given) ? given[0] : layout.spring_value(s, ACTUATOR_FORCE);
  const Real force = stiffness * (work.spring_length(s, SPRING_LENGTH) - free) + damping * rate + actuator;
  return {force, damping * rate * rate, -actuator * rate};
}

// F = k delta^n (1 + d delta.), never pulling, K. H. Hunt, F. R. E. Crossley, J. Appl. Mech. 42 (1975) 440.
template <class Real>
static SpringForce<Real> stop_force(const Layout& layout, const Work<Real>& work, Index s) {
  const Overlap<Real> over = overlap(layout, work, s);
  const Real elastic =
      layout.spring_value(s, STOP_STIFFNESS) * std::pow(over.depth, layout.spring_value(s, EXPONENT));
  const Real force = larger(elastic * (1.0 + layout.spring_value(s, DISSIPATION) * over.speed), 0.0);
  return {over.side * force, (force - elastic) * over.speed, 0.0};
}

// FRICTION: F = (load + (static - load) exp(-(v / slow)^2)) tanh(v / creep) + viscous v; REACTION_FRICTION:
// `friction_force`.
template <class Real>
SpringForce<Real> spring_force(const Layout& layout, const Work<Real>& work, Index s, double t) {
  const Index kind = layout.spring_frame(s, SPRING_LAW);
  const Real rate = work.spring_length(s, SPRING_RATE);
  if (kind == FRICTION) {
    const Real share = std::tanh(rate / layout.spring_value(s, CREEP));
    const Real force = stribeck(layout, s, rate) * share + layout.spring_value(s, VISCOUS) * rate;
    return {force, force * rate, 0.0};
  }
  if (kind == REACTION_FRICTION) {
    const Real force = friction_force(layout, work, s).tension;
    return {force, force * rate, 0.0};
  }
  return kind == STOP ? stop_force(layout, work, s) : linear_force(layout, work, s, t);
}

// FRICTION: dF/dv = size (1 - tanh^2) / creep + viscous, without what the size changes.
// STOP: dF/dx = k n delta^(n - 1) (1 + d delta.), dF/dx. = k delta^n d.
template <class Real>
SpringTangent<Real> spring_tangent(const Layout& layout, const Work<Real>& work, Index s) {
  const Index kind = layout.spring_frame(s, SPRING_LAW);
  const Table value = layout.spring_value[s];
  if (kind == FRICTION) {
    const Real rate = work.spring_length(s, SPRING_RATE), size = stribeck(layout, s, rate);
    const Real share = std::tanh(rate / value[CREEP]);
    return {0.0, size * (1.0 - share * share) / value[CREEP] + value[VISCOUS]};
  }
  if (kind == REACTION_FRICTION) return {0.0, friction_force(layout, work, s).by_rate};
  if (kind == STOP) {
    const Overlap<Real> over = overlap(layout, work, s);
    if (over.side == 0.0) return {0.0, 0.0};
    const double k = value[STOP_STIFFNESS], n = value[EXPONENT], d = value[DISSIPATION];
    return {k * n * std::pow(over.depth, n - 1.0) * larger(1.0 + d * over.speed, 0.0),
            k * std::pow(over.depth, n) * d};
  }
  return {value[STIFFNESS], value[DAMPING]};
}

// LINEAR: U = k (l - l0)^2 / 2. STOP: U = k delta^(n + 1) / (n + 1).
template <class Real>
Real spring_energy(const Layout& layout, const Work<Real>& work, Index s) {
  const Index kind = layout.spring_frame(s, SPRING_LAW);
  if (kind == FRICTION || kind == REACTION_FRICTION) return 0.0;
  if (kind == STOP) {
    const double n = layout.spring_value(s, EXPONENT) + 1.0;
    return layout.spring_value(s, STOP_STIFFNESS) * std::pow(overlap(layout, work, s).depth, n) / n;
  }
  return 0.5 * layout.spring_value(s, STIFFNESS) *
         square(work.spring_length(s, SPRING_LENGTH) - layout.spring_value(s, FREE_LENGTH));
}

template void add_loads<double>(const Layout&, Work<double>&, double);
template void evaluate_springs<double>(const Layout&, Work<double>&);
template void evaluate_joint_forces<double>(const Layout&, Work<double>&);
template SpringForce<double> spring_force<double>(const Layout&, const Work<double>&, Index, double);
template SpringTangent<double> spring_tangent<double>(const Layout&, const Work<double>&, Index);
template double spring_energy<double>(const Layout&, const Work<double>&, Index);

}  // namespace flexbody
