// Two wheels and the common tangents of their circles, see tangents.hpp.
#include "tangents.hpp"

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "force_elements.hpp"

namespace flexbody {

// Cosine of the largest angle by which the line of centres turns against a carrier: 177 degrees
constexpr double LARGEST_TURN = -0.9986;

namespace {

// Both wheels as placed: frames and centres, the plane u, v, z, the vector between the centres, sine, cosine and
// angle gamma.
template <class Real>
struct Pair {
  Vector<Real> first, second, center, other, u, v, z, other_axis, between;
  Real sine, cosine, gamma, distance;
};

}  // namespace

// The angle about z by which the direction u has turned against frame f since it was drawn; NaN from half a turn on.
template <class Real>
static Real turned(const Work<Real>& work, Index f, const Vector<Real>& u) {
  const Real x = dot(column_of(work.frame_R, f, 0), u), y = dot(column_of(work.frame_R, f, 1), u);
  return x > LARGEST_TURN * std::sqrt(x * x + y * y) ? Real(std::atan2(y, x)) : Real(NaN);
}

// The pair of element e.
template <class Real>
static Pair<Real> pair_of(const Layout& layout, const Work<Real>& work, Index e, const double* p) {
  const Index i = layout.element(e, FIRST), j = layout.element(e, SECOND);
  const bool rack = p[RACK_SINE] != 0.0;
  Pair<Real> out;
  out.first = vector_of(work.frame_r, i), out.second = vector_of(work.frame_r, j);
  out.other_axis = column_of(work.frame_R, j, 2);
  out.z = rack ? out.other_axis : column_of(work.frame_R, i, 2);
  out.center = out.first + p[FIRST_HEIGHT] * column_of(work.frame_R, i, 2);
  out.other = out.second + p[SECOND_HEIGHT] * out.other_axis;
  out.between = out.other - out.center;
  const Vector<Real> flat = out.between - dot(out.z, out.between) * out.z;
  const Real size = std::sqrt(dot(flat, flat));
  out.u = rack ? column_of(work.frame_R, j, 0) : (1.0 / size) * flat;
  out.v = cross(out.z, out.u);
  out.distance = rack ? dot(out.u, out.between) : size;
  out.sine = rack ? Real(p[RACK_SINE]) : (p[FIRST_RADIUS] - p[SECOND_RADIUS]) / size;
  out.cosine = std::sqrt(1.0 - out.sine * out.sine);
  out.gamma = std::asin(out.sine);
  return out;
}

static Vector<double> three(const double* a) {
  return {a[0], a[1], a[2]};
}

// The motion of wheel k at the pitch point, seen from the carrier, in its axes; see tangents.hpp.
template <class Real>
static Vector<Real> moved_at_pitch_point(const Work<Real>& work, Index wheel, Index carrier, const double* p, Index k,
                                         Real turn) {
  const Vector<double> drawn = three(p + BEVEL_WHEELS + 3 * k), z = three(p + BEVEL_AXES + 3 * k);
  const Vector<double> arm = three(p + BEVEL_POINT) - drawn;
  const Matrix<Real> R = matrix_of(work.frame_R, carrier);
  const Vector<Real> place =
      transposed_times(R, vector_of(work.frame_r, wheel) - vector_of(work.frame_r, carrier)) - drawn;
  const Vector<Real> axis = transposed_times(R, matrix_of(work.frame_R, wheel) * z);
  return place + turn * cross(z, arm) + cross(cross(z, axis), arm);
}

// Gaps, rates and directions of the flanks of bevel gears.
template <class Real>
static void evaluate_bevel(const Layout& layout, Work<Real>& work, Index e, const double* p) {
  const Index i = layout.element(e, FIRST), j = layout.element(e, SECOND), at = layout.element(e, AT);
  const Matrix<Real> R = matrix_of(work.frame_R, i + 1);
  const Vector<Real> point = vector_of(work.frame_r, i + 1) + R * three(p + BEVEL_POINT);
  const Vector<Real> one = moved_at_pitch_point(work, i, i + 1, p, 0, work.coordinate[Index(p[FIRST_TURN])]);
  const Vector<Real> two = moved_at_pitch_point(work, j, i + 1, p, 1, work.coordinate[Index(p[SECOND_TURN])]);
  const Vector<Real> first = vector_of(work.frame_r, i), second = vector_of(work.frame_r, j);
  for (Index k = 0; k < layout.element(e, COUNT); ++k) {
    const Vector<double> normal = three(p + BEVEL_NORMALS + 3 * k);
    const Vector<Real> f = R * normal;
    const auto g = work.deformation_slope[at + k];
    put(g, 0, -f);
    put(g, 1, -cross(point - first, f));
    put(g, 2, f);
    put(g, 3, cross(point - second, f));
    work.deformation[at + k] = dot(normal, two - one) - p[TANGENT_REST + k];
    work.deformation_rate[at + k] =
        dot(vector_of(g, 0), vector_of(work.frame_v, i)) + dot(vector_of(g, 1), vector_of(work.frame_w, i)) +
        dot(vector_of(g, 2), vector_of(work.frame_v, j)) + dot(vector_of(g, 3), vector_of(work.frame_w, j));
  }
}

template <class Real>
void evaluate_tangents(const Layout& layout, Work<Real>& work, Index e) {
  const double* p = law_numbers(layout, e);
  if (p[FIRST_RADIUS] == 0.0) return evaluate_bevel(layout, work, e, p);
  const Index i = layout.element(e, FIRST), j = layout.element(e, SECOND), at = layout.element(e, AT);
  const bool rack = p[RACK_SINE] != 0.0;
  const Pair<Real> now = pair_of(layout, work, e, p);
  const double r1 = p[FIRST_RADIUS], r2 = p[SECOND_RADIUS], outward = p[OUTWARD], slant = p[SLANT];
  const double upright = std::sqrt(1.0 - slant * slant);
  Real wound = r1 * (work.coordinate[Index(p[FIRST_TURN])] - turned(work, i + 1, now.u));
  Real grown = now.cosine * now.distance;
  if (!rack) {
    wound -= r2 * (p[SECOND_SENSE] * work.coordinate[Index(p[SECOND_TURN])] - turned(work, i + 2, now.u));
    grown += (r1 - r2) * now.gamma;
  } else {
    wound -= now.sine * dot(now.v, now.between);
  }
  const Vector<Real> pitch = slant != 0.0 ? now.center + (r1 / now.sine) * now.u : now.center;
  const Real aside = slant != 0.0 ? dot(now.other_axis, now.other - pitch) : Real(0.0);
  const Vector<Real> v1 = vector_of(work.frame_v, i), w1 = vector_of(work.frame_w, i);
  const Vector<Real> v2 = vector_of(work.frame_v, j), w2 = vector_of(work.frame_w, j);
  for (Index k = 0; k < layout.element(e, COUNT); ++k) {
    const double s = p[TANGENT_SIDE + k];
    const Vector<Real> m = now.sine * now.u + (s * now.cosine) * now.v;
    const Vector<Real> along = (outward * upright) * (now.cosine * now.u - (s * now.sine) * now.v);
    const Vector<Real> across = (outward * slant * s) * now.z;
    const Vector<Real> touch = now.center + r1 * m;
    const auto g = work.deformation_slope[at + k];
    put(g, 0, -(along + across));
    put(g, 1, -(cross(touch - now.first, along) + cross(pitch - now.first, across)));
    put(g, 2, along + across);
    put(g, 3, cross(touch - now.second, along) + cross(pitch - now.second, across));
    work.deformation[at + k] = outward * (upright * (grown + s * wound) + slant * s * aside) - p[TANGENT_REST + k];
    work.deformation_rate[at + k] =
        dot(vector_of(g, 0), v1) + dot(vector_of(g, 1), w1) + dot(vector_of(g, 2), v2) + dot(vector_of(g, 3), w2);
  }
}

template void evaluate_tangents<double>(const Layout&, Work<double>&, Index);

}  // namespace flexbody
