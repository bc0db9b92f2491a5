// Energetic and active connections: see force_elements.hpp.
#include "force_elements.hpp"

#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/frame.hpp"
#include "../kinematics/rotation.hpp"
#include "../laws/law.hpp"
#include "bristles.hpp"
#include "contact_cloud.hpp"
#include "contact_points.hpp"
#include "contact_surface.hpp"
#include "controllers.hpp"
#include "find_states.hpp"
#include "following_bristle.hpp"
#include "networks.hpp"
#include "reaction_friction.hpp"
#include "slip.hpp"
#include "stiffness_rows.hpp"
#include "tangents.hpp"

// A user's law in another language, and one beside its jumps in time, see force_laws.cpp.
FLEXBODY_LAW(called_back);
FLEXBODY_LAW(beside_jumps);

namespace flexbody {

// Cosine of the largest relative rotation of an element between two frames: 177 degrees
constexpr double LARGEST_ROTATION = -0.9986;
namespace {

// A rotation vector and its length.
template <class Real>
struct Turned {
  Vector<Real> vector;
  Real angle;
};

// Coefficients of the rates of u and theta, see `between`.
template <class Real>
struct HalfWay {
  Real inverse, tangent;
};

}  // namespace

// Deformations

// The k-th deformation of element e where it is not deformed.
static double reference_of(const Layout& layout, Index e, Index k) {
  return layout.element_value[layout.element(e, VALUE_AT) + 1 + k];
}

// The rotation vector whose sine is the length of `axis`; NaN where it is (nearly) half a turn.
template <class Real>
static Turned<Real> turned_by(const Vector<Real>& axis, Real cosine) {
  const Real sine = std::sqrt(dot(axis, axis));
  const Real angle = std::atan2(sine, cosine);
  Real factor = sine > 1e-8 ? angle / sine : Real(1.0);
  if (!(cosine > LARGEST_ROTATION)) factor = NaN;
  return {factor * axis, angle};
}

// theta with exp(theta~) = R, from `R - R^T = 2 sin(|theta|) theta~ / |theta|` and `trace R = 1 + 2 cos |theta|`; NaN
// where it has turned by (nearly) half a turn.
template <class Real>
static Turned<Real> rotation_vector(const Matrix<Real>& R) {
  const Real cosine = 0.5 * (R(0, 0) + R(1, 1) + R(2, 2) - 1.0);
  const Vector<Real> axis{0.5 * (R(2, 1) - R(1, 2)), 0.5 * (R(0, 2) - R(2, 0)), 0.5 * (R(1, 0) - R(0, 1))};
  return turned_by(axis, cosine);
}

// The shortest rotation of axis k of the first frame into that of the second one, in the first frame: e_k x R e_k.
template <class Real>
static Turned<Real> tilt(const Matrix<Real>& R, Index k) {
  Vector<Real> e{0.0, 0.0, 0.0};
  e[k] = 1.0;
  return turned_by(cross(e, R.column(k)), R(k, k));
}

// (1 - t/2 cot t/2) / t^2 and tan(t/4) / t, of the angle t; their series for small angles.
template <class Real>
static HalfWay<Real> half_way(Real t) {
  if (t > 1e-3) return {(1.0 - 0.5 * t / std::tan(0.5 * t)) / (t * t), std::tan(0.25 * t) / t};
  return {1.0 / 12.0 + t * t / 720.0, 0.25 + t * t / 192.0};
}

// Leave the rotation about the axis `a` of the second frame out of the rates of all deformations, but of that about
// it in row `own`; t is the direction of the latter.
template <class Real>
static void leave_out(Array<Real, 3, 4, 3> g, Vector<Real> t, Vector<Real> a, Index own) {
  const Vector<Real> about = (1.0 / dot(t, a)) * t;
  for (Index k = 0; k < 6; ++k) {
    const Vector<Real> second = vector_of(g[k], 3);
    const Vector<Real> less = k == own ? second - about : dot(second, a) * about;
    put(g[k], 3, second - less);
    put(g[k], 1, vector_of(g[k], 1) + less);
  }
}

// Six deformations x (6,) between the frames i and j, and their directions g (6, 4, 3).
//
// `u = R_m^T (r_2 - r_1)` and `theta = log(R_1^T R_2)`, with `R_m = R_1 exp(theta~/2)` half way between both frames,
// so that neither is preferred. With `d = r_2 - r_1` and `p = theta` in inertial components:
//
//     theta.  = R_1^T (w_2 - w_1) - theta x (...)/2 + ...      (inverse of the left tangent of exp)
//     w_m     = (w_1 + w_2)/2 - tan(|p|/4)/|p| p x (w_2 - w_1)/2
//     u_k.    = e_k . (v_2 - v_1) + (e_k x d) . w_m,           e_k the axes of R_m
//
// About the axis `free`, -1 for none, the second frame may turn as it likes: theta is the tilt of that axis alone,
// and w_2 becomes w_2 - a (t . (w_2 - w_1)) / (t . a), with that axis a of the second frame and t of theta. = t .
// (w_2 - w_1) about it, whose rate without this is left for damping. With all axes free no rotation is measured:
//
//     u = R_1^T d,   u_k. = e_k . (v_2 - v_1) + (e_k x d) . w_1,   and the rates R_1^T (w_2 - w_1) are for damping
template <class Real>
static void between(const Work<Real>& work, Index i, Index j, Index free, Reals<Real> x, Array<Real, 3, 4, 3> g) {
  const Vector<Real> none{0.0, 0.0, 0.0};
  const Matrix<Real> R1 = matrix_of(work.frame_R, i), R2 = matrix_of(work.frame_R, j);
  const Vector<Real> d = vector_of(work.frame_r, j) - vector_of(work.frame_r, i);
  Matrix<Real> R;  // R_1^T R_2
  for (Index k = 0; k < 3; ++k)
    for (Index l = 0; l < 3; ++l) R(k, l) = dot(R1.column(k), R2.column(l));
  const bool all = free == ALL_AXES;
  const auto [theta, angle] = all ? Turned<Real>{none, 0.0} : free < 0 ? rotation_vector(R) : tilt(R, free);
  const Vector<Real> p = R1 * theta;
  const auto half = tangent_coefficients(0.5 * theta);
  const auto [c, tau] = half_way(angle);
  for (Index k = 0; k < 3; ++k) {
    const Vector<Real> a = R1.column(k);
    const Vector<Real> pa = cross(p, a), ppa = cross(p, pa);
    const Vector<Real> e = a + (0.5 * half.s) * pa + (0.25 * half.a) * ppa;  // of exp(theta~/2), turned by R_1
    const Vector<Real> ed = cross(e, d), edp = cross(ed, p);
    x[k] = dot(e, d);
    put(g[k], 0, -e);
    put(g[k], 1, all ? ed : 0.5 * (ed + tau * edp));
    put(g[k], 2, e);
    put(g[k], 3, all ? none : 0.5 * (ed - tau * edp));
    const Vector<Real> turning = a + 0.5 * pa + c * ppa;
    x[3 + k] = theta[k];
    put(g[3 + k], 0, none);
    put(g[3 + k], 1, -turning);
    put(g[3 + k], 2, none);
    put(g[3 + k], 3, turning);
  }
  if (free >= 0 && !all) leave_out(g, vector_of(g[3 + free], 3), R2.column(free), 3 + free);
}

// A deformation and its rate.
template <class Real>
struct Stretch {
  Real value, rate;
};

// The distance between two points, |r_2 - r_1|; g (4, 3) = -e and e along it.
template <class Real>
static Stretch<Real> along_line(const Work<Real>& work, Index i, Index j, Array<Real, 2, 3> g) {
  const Vector<Real> none{0.0, 0.0, 0.0};
  const Vector<Real> d = vector_of(work.frame_r, j) - vector_of(work.frame_r, i);
  const Real length = std::sqrt(dot(d, d));
  const Vector<Real> e{d.x / length, d.y / length, d.z / length};
  put(g, 0, -e);
  put(g, 1, none);
  put(g, 2, e);
  put(g, 3, none);
  return {length, dot(e, vector_of(work.frame_v, j) - vector_of(work.frame_v, i))};
}

// The velocity of the second wheel away from the first at the pitch point P of a gear; g (4, 3) with P and the normal
// n of the pitch surfaces on the carrier, see reaction_friction.hpp.
template <class Real>
static Stretch<Real> between_teeth(const Layout& layout, const Work<Real>& work, Index e, Array<Real, 2, 3> g) {
  const Index i = layout.element(e, FIRST), j = layout.element(e, SECOND);
  const Index k = layout.element(e, REACTION_FRICTION), carrier = layout.reaction_friction(k, HOST);
  const double* at = law_numbers(layout, e) + PITCH_POINT;
  const Vector<Real> n = column_of(work.frame_R, carrier, layout.reaction_friction(k, AXIS));
  const Vector<Real> P = vector_of(work.frame_r, carrier) +
                         matrix_of(work.frame_R, carrier) * Vector<Real>{Real(at[0]), Real(at[1]), Real(at[2])};
  const Vector<Real> ri = vector_of(work.frame_r, i), rj = vector_of(work.frame_r, j);
  put(g, 0, -n);
  put(g, 1, -cross(P - ri, n));
  put(g, 2, n);
  put(g, 3, cross(P - rj, n));
  Real rate = 0.0;
  rate += dot(vector_of(g, 0), vector_of(work.frame_v, i)) + dot(vector_of(g, 1), vector_of(work.frame_w, i));
  rate += dot(vector_of(g, 2), vector_of(work.frame_v, j)) + dot(vector_of(g, 3), vector_of(work.frame_w, j));
  return {dot(n, rj - ri), rate};
}

// Six deformations of element e, counted from its reference, and their rates `x. = g . (v_first, w_first, v_second,
// w_second)`.
template <class Real>
static void evaluate_between(const Layout& layout, Work<Real>& work, Index e) {
  const Index i = layout.element(e, FIRST), j = layout.element(e, SECOND), at = layout.element(e, AT);
  const Index m = layout.element(e, COUNT);
  const Reals<Real> x = work.deformation.part(at, m);
  const Array<Real, 3, 4, 3> g = work.deformation_slope.part(at, m);
  between(work, i, j, layout.element(e, COORDINATE), x, g);
  const Vector<Real> v1 = vector_of(work.frame_v, i), w1 = vector_of(work.frame_w, i);
  const Vector<Real> v2 = vector_of(work.frame_v, j), w2 = vector_of(work.frame_w, j);
  for (Index k = 0; k < m; ++k) {
    x[k] -= reference_of(layout, e, k);
    work.deformation_rate[at + k] = dot(vector_of(g, k, 0), v1) + dot(vector_of(g, k, 1), w1) +
                                    dot(vector_of(g, k, 2), v2) + dot(vector_of(g, k, 3), w2);
  }
}

template <class Real>
void evaluate_element(const Layout& layout, Work<Real>& work, Index e) {
  const Index at = layout.element(e, AT), geometry = layout.element(e, GEOMETRY);
  if (geometry == BETWEEN) return evaluate_between(layout, work, e);
  if (geometry == CONTACT) return evaluate_contact(layout, work, e);
  if (geometry == SLIP) return evaluate_slip(layout, work, e);
  if (geometry == TANGENTS) return evaluate_tangents(layout, work, e);
  if (layout.element(e, COUNT) == 0) return;
  if (geometry == SURFACE) return evaluate_surface(layout, work, e);
  Stretch<Real> now;
  if (geometry == LINE) {
    now = along_line(work, layout.element(e, FIRST), layout.element(e, SECOND), work.deformation_slope[at]);
  } else if (geometry == SEPARATION) {
    now = between_teeth(layout, work, e, work.deformation_slope[at]);
  } else {
    const Index k = layout.element(e, COORDINATE);
    work.deformation_slope[at].copy(work.coordinate_slope[k]);
    now = {work.coordinate[k], coordinate_rate(layout, work, k)};
  }
  work.deformation[at] = now.value - reference_of(layout, e, 0);
  work.deformation_rate[at] = now.rate;
}

template <class Real>
void evaluate_elements(const Layout& layout, Work<Real>& work) {
  for (Index e = 0; e < layout.element.shape[0]; ++e) evaluate_element(layout, work, e);
}

// Laws and their states

// Call the law of element e at deformations x and rates (m,); its states z (nz,) are found as the equation says.
//
// out = forces (m,), state rates (nz,), stored energy (J), dissipated and input power (W).
template <class Real>
static void apply_law(const Layout& layout, const Work<Real>& work, Index e, double t, StateEquation equation,
                      Reals<Real> x, Reals<Real> rate, Reals<Real> z, Reals<Real> out) {
  const Index m = layout.element(e, COUNT), nz = layout.element(e, STATES);
  const LawAt<Real> law{reinterpret_cast<ForceLaw>(layout.element(e, LAW)),
                        t,
                        work.law_input[e].data,
                        {x.data, {m}},
                        {rate.data, {m}},
                        law_numbers(layout, e),
                        m,
                        nz};
  if (nz > 0 && layout.element(e, GEOMETRY) == CONTACT) {
    // bristles stay where they don't step: those of surfaces at rest have no other place
    const double* known = work.law_known.part(layout.element(e, STATE_AT), nz).data;
    if (equation.mode == STEPPED) step_bristles(law.p, x.data, rate.data, known, equation.kappa, z.data);
    law(z, out);
    return;
  }
  if (nz > 0 && layout.element(e, REACTION_FRICTION) >= 0) {
    const Real* known = work.law_known.part(layout.element(e, STATE_AT), nz).data;
    const FollowingBristle now = following_bristle(layout.element(e, GEOMETRY), law.p, rate.data, law.u[1]);
    if (equation.mode == STEPPED) step_following_bristle(now, known, equation.kappa, z.data);
    law(z, out);
    return;
  }
  law(z, out);
  if (nz == 0 || equation.mode == GIVEN) return;
  if (equation.mode == RELAXED && law.law == flexbody_law_sticking_friction) return;  // a bristle, as above
  find_states(law, equation.mode, equation.kappa, work.law_known.part(layout.element(e, STATE_AT), nz), z, out);
}

// Work.law_input = the input of element e at time t (a voltage, a pressure, ...): a number or a function of time.
// That of friction which follows a reaction is the normal force, and the rate of the other coordinate along which the
// joint slides; it needs `find_normal_forces`.
template <class Real>
static void find_input(const Layout& layout, Work<Real>& work, Index e, double t) {
  const Reals<Real> u = work.law_input[e];
  const Index number = layout.element(e, REACTION_FRICTION);
  if (number >= 0) {
    u[0] = work.friction_record(number, NORMAL_FORCE);
    u[1] = partner_rate(layout, work, number);
  } else if (layout.element(e, CONTROLLED) >= 0) {
    u[0] = work.signal[layout.element(e, CONTROLLED)];
  } else if (!call_law(layout.element_input, e, t, u.data)) {
    u[0] = layout.element_value[layout.element(e, VALUE_AT)];
  }
}

// Remember the first deformation and rate of an element whose law gave no finite number: what follows from one that
// was not finite is not its cause.
template <class Real>
static void remember_bad(const Layout& layout, Work<Real>& work, Index e, double t) {
  const Index i = layout.element(e, FIRST), j = layout.element(e, SECOND), at = layout.element(e, AT);
  const Real cause = work.frame_r(i, 0) + work.frame_r(j, 0) + work.frame_v(i, 0) + work.frame_v(j, 0);
  if (!std::isfinite(cause)) return;
  work.bad_time = t;
  work.bad_element = e;
  work.bad_deformation = work.deformation[at];
  work.bad_rate = work.deformation_rate[at];
}

// F, z. = law(t, u, x, x., z) of element e, with z as Work.law_mode says.
template <class Real>
static void evaluate_full_law(const Layout& layout, Work<Real>& work, Index e, double t) {
  const Index at = layout.element(e, AT), m = layout.element(e, COUNT);
  const Index first = layout.element(e, STATE_AT), nz = layout.element(e, STATES);
  Buffer<Real> out(m + nz + 3);
  apply_law(layout, work, e, t, {work.law_mode, work.law_kappa}, work.deformation.part(at, m),
            work.deformation_rate.part(at, m), work.law_state.part(first, nz), out.view());
  bool finite = true;
  for (Index k = 0; k < m + nz; ++k) finite = finite && std::isfinite(out[k]);
  if (!finite) remember_bad(layout, work, e, t);
  for (Index k = 0; k < m; ++k) work.element_force[at + k] = out[k];
  for (Index k = 0; k < nz; ++k) work.law_rate[first + k] = out[m + k];
  for (Index k = 0; k < 3; ++k) work.element_power(e, k) = out[m + nz + k];
}

// The same for an element with one force and no states, which is the common case and needs no buffer.
template <class Real>
static void evaluate_plain_law(const Layout& layout, Work<Real>& work, Index e, double t) {
  const Index at = layout.element(e, AT);
  Real out[4];
  reinterpret_cast<ForceLaw>(layout.element(e, LAW))(t, work.law_input[e].data, &work.deformation[at],
                                                     &work.deformation_rate[at], work.law_state.data,
                                                     law_numbers(layout, e), out);
  if (!std::isfinite(out[0])) remember_bad(layout, work, e, t);
  work.element_force[at] = out[0];
  for (Index k = 0; k < 3; ++k) work.element_power(e, k) = out[1 + k];
}

template <class Real>
void evaluate_law(const Layout& layout, Work<Real>& work, Index e, double t) {
  find_input(layout, work, e, t);
  if (layout.element(e, COUNT) == 1 && layout.element(e, STATES) == 0) {
    evaluate_plain_law(layout, work, e, t);
  } else {
    evaluate_full_law(layout, work, e, t);
  }
}

template <class Real>
void evaluate_laws(const Layout& layout, Work<Real>& work, double t) {
  work.law_time = t;
  if (work.signal.size() > 0) evaluate_controllers(layout, work, t);
  settle_networks(layout, work, t);
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    if (layout.element(e, GEOMETRY) == SURFACE) {
      press_surface(layout, work, e);
      continue;
    }
    if (layout.element(e, COUNT) == 0) {
      if (layout.element(e, GEOMETRY) == CLOUD) add_cloud(layout, work, e);
      continue;
    }
    if (in_network(layout, e)) continue;
    evaluate_law(layout, work, e, t);
  }
}

template <class Real>
MeanPowers<Real> mean_powers(const Layout& layout, Index e, double t, Reals<Real> u, Reals<Real> x, Reals<Real> rate,
                             Reals<Real> z) {
  const Index m = x.size(), nz = z.size();
  Buffer<Real> out(m + nz + 3);
  reinterpret_cast<ForceLaw>(layout.element(e, LAW))(t, u.data, x.data, rate.data, z.data, law_numbers(layout, e),
                                                     out.data);
  return {out[m + nz + ELEMENT_DISSIPATED], out[m + nz + ELEMENT_INPUT]};
}

bool is_called_back(const Layout& layout, Index e) {
  ForceLaw law = reinterpret_cast<ForceLaw>(layout.element(e, LAW));
  if (law == flexbody_law_beside_jumps) law = law_beside_jumps(law_numbers(layout, e));
  return law == flexbody_law_called_back;
}

// f(t, x, x., z) = 0 for the states z of element e.
template <class Real>
void relax(const Layout& layout, Work<Real>& work, Index e, double t) {
  const Index at = layout.element(e, AT), m = layout.element(e, COUNT), nz = layout.element(e, STATES);
  if (m == 0 || nz == 0 || layout.element(e, GEOMETRY) == SURFACE) return;
  const Reals<Real> z = work.law_state.part(layout.element(e, STATE_AT), nz);
  Buffer<Real> out(m + nz + 3);
  find_input(layout, work, e, t);
  apply_law(layout, work, e, t, {RELAXED, 0.0}, work.deformation.part(at, m), work.deformation_rate.part(at, m), z,
            out.view());
  if (nz > 0 && !std::isfinite(out[0])) z[0] = NaN;
}

// Loads and stiffness

template <class Real>
void add_elements(const Layout& layout, Work<Real>& work) {
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    const Index at = layout.element(e, AT), m = layout.element(e, COUNT);
    work.power[DISSIPATED] += work.element_power(e, ELEMENT_DISSIPATED);
    work.power[INPUT] += work.element_power(e, ELEMENT_INPUT);
    if (m == 0) continue;
    for (Index side = 0; side < 2; ++side) {
      const Index f = layout.element(e, FIRST + side);
      if (layout.frame_body[f] < 0) continue;
      const Reals<Real> load = work.frame_load[f];
      Vector<Real> force = vector_of(load, 0), moment = vector_of(load, 3);
      for (Index k = at; k < at + m; ++k) {
        const Array<Real, 2, 3> g = work.deformation_slope[k];
        force += work.element_force[k] * vector_of(g, 2 * side);
        moment += work.element_force[k] * vector_of(g, 2 * side + 1);
      }
      put(load, 0, force);
      put(load, 3, moment);
    }
  }
}

template <class Real>
void unit_load(const Layout& layout, const Work<Real>& work, Index e, Index k, Reals<Real> out) {
  const Index at = layout.element(e, AT) + k;
  const Array<Real, 3, 2, 3> g{work.deformation_slope.data, {2 * work.deformation_slope.shape[0], 2, 3}};
  out.fill(0.0);
  for (Index side = 0; side < 2; ++side) {
    const Index f = layout.element(e, FIRST + side), b = layout.frame_body[f];
    if (b >= 0) add_load(layout, work, f, b, g, 2 * at + side, out, layout.v_at[b]);
  }
}

// K (m, m) = stiffness dF/dx + damping dF/dx. of element e, by the law's own slope.
template <class Real>
static void own_stiffness(const Layout& layout, const Work<Real>& work, Index e, double damping, double stiffness,
                          Array<Real, 2> K) {
  const Index at = layout.element(e, AT), m = layout.element(e, COUNT);
  Buffer<Real, 3> slope(2, m, m);
  reinterpret_cast<ForceLawSlope>(layout.element(e, LAW_SLOPE))(
      work.law_input[e].data, work.deformation.part(at, m).data, work.deformation_rate.part(at, m).data,
      law_numbers(layout, e), slope.data);
  if (layout.element(e, GEOMETRY) == CONTACT && layout.element(e, STATES) > 0) {
    const bool stepped = work.law_mode == STEPPED;
    const Index first = layout.element(e, STATE_AT);
    add_bristle_slopes(
        law_numbers(layout, e), work.deformation.part(at, m).data, work.deformation_rate.part(at, m).data,
        (stepped ? work.law_known : work.law_state).data + first, stepped ? work.law_kappa : 0.0, slope[1].data);
  }
  for (Index i = 0; i < m; ++i)
    for (Index k = 0; k < m; ++k) K(i, k) = stiffness * slope(0, i, k) + damping * slope(1, i, k);
}

// K (m, m) = stiffness dF/dx + damping dF/dx. of element e, by differences of the law with its states as they follow.
template <class Real>
static void differenced_stiffness(const Layout& layout, const Work<Real>& work, Index e, double damping,
                                  double stiffness, Array<Real, 2> K) {
  const Index at = layout.element(e, AT), m = layout.element(e, COUNT);
  const Index first = layout.element(e, STATE_AT), nz = layout.element(e, STATES);
  Buffer<Real> out(m + nz + 3), z(nz);
  Buffer<Real, 2> values(2, m);  // deformations and their rates
  for (Index part = 0; part < 2; ++part) {
    const double weight = part == 0 ? stiffness : damping;
    values[0].copy(work.deformation.part(at, m));
    values[1].copy(work.deformation_rate.part(at, m));
    for (Index k = 0; k < m; ++k) {
      const double size = k >= 3 || layout.element(e, GEOMETRY) == ALONG ? 1.0 : layout.length;
      const Real h = 1e-7 * larger(std::abs(values(part, k)), size);
      values(part, k) += h;
      z.copy(work.law_state.part(first, nz));
      apply_law(layout, work, e, work.law_time, {work.law_mode, work.law_kappa}, values[0], values[1], z.view(),
                out.view());
      values(part, k) -= h;
      for (Index i = 0; i < m; ++i) K(i, k) += weight * (out[i] - work.element_force[at + i]) / h;
    }
  }
}

// Rows `l^T g` with compliances `1/d` of `K = l d l^T`; what is not positive is left out. g, direction (m, 4, 3).
template <class Real>
static void combine_rows(Array<Real, 3, 4, 3> g, Array<Real, 2> K, Array<Real, 3, 4, 3> direction,
                         Reals<Real> compliance) {
  const Index m = K.shape[0];
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j < i; ++j) K(i, j) = 0.5 * (K(i, j) + K(j, i));
  factorise_stiffness(K);
  for (Index k = 0; k < m; ++k) {
    compliance[k] = compliance_of(K(k, k));
    direction[k].copy(g[k]);
    for (Index i = k + 1; i < m; ++i)
      for (Index side = 0; side < 4; ++side)
        for (Index l = 0; l < 3; ++l) direction(k, side, l) += K(i, k) * g(i, side, l);
  }
}

template <class Real>
void element_stiffness(const Layout& layout, Work<Real>& work, Index e, double damping, double stiffness,
                       Array<Real, 2> K) {
  if (layout.element(e, GEOMETRY) == SURFACE) {
    surface_stiffness(layout, work, e, damping, stiffness, K);
  } else if (layout.element(e, LAW_SLOPE) != 0) {
    own_stiffness(layout, work, e, damping, stiffness, K);
  } else {
    differenced_stiffness(layout, work, e, damping, stiffness, K);
  }
}

// Rows of the iteration matrix whose compliances are the elements' own. The six forces of an element between two
// frames give six rows that are combined so that each has its own compliance (`K = l d l^T`).
template <class Real>
void tangents(const Layout& layout, Work<Real>& work, double damping, double stiffness, Reals<Real> compliance) {
  const Index rows = layout.row_kind.size();
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    const Index at = layout.element(e, AT), m = layout.element(e, COUNT);
    if (m == 0 || in_network(layout, e)) continue;
    Buffer<Real, 2> K(m, m);
    element_stiffness(layout, work, e, damping, stiffness, K.view());
    combine_rows(work.deformation_slope.part(at, m), K.view(), work.direction.part(rows + at, m),
                 compliance.part(at, m));
  }
  network_tangents(layout, work, stiffness, compliance);
}

// The size of three numbers in an array from `at` on.
template void evaluate_element<double>(const Layout&, Work<double>&, Index);
template void evaluate_law<double>(const Layout&, Work<double>&, Index, double);
template void element_stiffness<double>(const Layout&, Work<double>&, Index, double, double, Array<double, 2>);
template void evaluate_elements<double>(const Layout&, Work<double>&);
template MeanPowers<double> mean_powers<double>(const Layout&, Index, double, Reals<double>, Reals<double>,
                                                Reals<double>, Reals<double>);
template void evaluate_laws<double>(const Layout&, Work<double>&, double);
template void relax<double>(const Layout&, Work<double>&, Index, double);
template void add_elements<double>(const Layout&, Work<double>&);
template void unit_load<double>(const Layout&, const Work<double>&, Index, Index, Reals<double>);
template void tangents<double>(const Layout&, Work<double>&, double, double, Reals<double>);

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void flexbody_evaluate_laws(const Layout* layout, Work<double>* work, double t) {
  evaluate_laws(*layout, *work, t);
}

FLEXBODY_EXPORT void flexbody_relax(const Layout* layout, Work<double>* work, Index e, double t) {
  relax(*layout, *work, e, t);
}

// out (nv,).
FLEXBODY_EXPORT void flexbody_unit_load(const Layout* layout, const Work<double>* work, Index e, Index k,
                                        double* out) {
  unit_load(*layout, *work, e, k, {out, {work->residual.size()}});
}
