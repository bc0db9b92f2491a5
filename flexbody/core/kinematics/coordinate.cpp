// Joint coordinates, see coordinate.hpp.
#include "coordinate.hpp"

#include "../../../fem/core/export.hpp"
#include "../data/kinds.hpp"
#include "path.hpp"

namespace flexbody {

namespace {

// A coordinate's value, and its derivatives by r_first, theta_first, r_second, theta_second.
template <class Real>
struct Placed {
  Real value;
  Vector<Real> slope[4];
};

}  // namespace

// `e_a(1) . (r_2 - r_1)`.
template <class Real>
static Placed<Real> translation(const Work<Real>& work, Index i, Index j, Index a) {
  const Vector<Real> e = column_of(work.frame_R, i, a);
  const Vector<Real> d = vector_of(work.frame_r, j) - vector_of(work.frame_r, i);
  return {dot(e, d), {-e, cross(e, d), e, {0.0, 0.0, 0.0}}};
}

// `|r_2 - r_1|`.
template <class Real>
static Placed<Real> length(const Work<Real>& work, Index i, Index j) {
  using std::sqrt;
  const Vector<Real> d = vector_of(work.frame_r, j) - vector_of(work.frame_r, i);
  const Real value = sqrt(dot(d, d));
  const Vector<Real> e{d.x / value, d.y / value, d.z / value}, zero{0.0, 0.0, 0.0};
  return {value, {-e, zero, e, zero}};
}

// An angle whose derivative by theta_second is `factor normal`.
template <class Real>
static Placed<Real> angle(const Real& value, const Real& factor, const Vector<Real>& normal) {
  const Vector<Real> slope = factor * normal, zero{0.0, 0.0, 0.0};
  return {value, {zero, -slope, zero, slope}};
}

// `asin(e_a(1) . e_b(2))`.
template <class Real>
static Placed<Real> tilt(const Work<Real>& work, Index i, Index j, Index a, Index b, double sign) {
  using std::asin, std::sqrt;
  const Vector<Real> e = column_of(work.frame_R, i, a), f = column_of(work.frame_R, j, b);
  const Real y = dot(e, f);
  const Real cosine = sqrt(larger(1.0 - y * y, Real(1e-300)));
  return angle(Real(asin(smaller(larger(y, Real(-1.0)), Real(1.0)))), Real(1.0 / cosine * sign), cross(f, e));
}

namespace {

// Frames of a ROTATION: the one that hosts axes a and b, and the other one; sense -1 where that is the first.
struct Hosting {
  Index host, other;
  double sense;
};

}  // namespace

static Hosting hosting(Indices row) {
  const Index first = row[COORDINATE_FIRST], second = row[COORDINATE_SECOND];
  return row[HOSTING_SIDE] == 0 ? Hosting{first, second, 1.0} : Hosting{second, first, -1.0};
}

// `atan2(e_a . e_c, e_b . e_c)`: a, b axes of the hosting frame, c one of the other.
template <class Real>
static Placed<Real> rotation(const Work<Real>& work, Indices row, double sign) {
  using std::atan2;
  const auto [host, other, sense] = hosting(row);
  const Vector<Real> ea = column_of(work.frame_R, host, row[AXIS_A]), eb = column_of(work.frame_R, host, row[AXIS_B]);
  const Vector<Real> ec = column_of(work.frame_R, other, row[AXIS_C]);
  const Real y = dot(ea, ec), x = dot(eb, ec);
  const Vector<Real> normal = x * cross(ec, ea) - y * cross(ec, eb);
  const Real factor = sense / (x * x + y * y);
  return angle(Real(atan2(y, x)), Real(factor * sign), normal);
}

// The path coordinate s of the first frame.
template <class Real>
static Placed<Real> along_path(const Layout& layout, const Work<Real>& work, Index i) {
  const Index p = layout.frame_path[i];
  const PathSlope<Real> slope = path_slope(layout, work, p);
  return {work.path(p, PATH_S), {slope.first_r, slope.first_theta, slope.second_r, slope.second_theta}};
}

template <class Real>
static Placed<Real> place_coordinate(const Layout& layout, const Work<Real>& work, Indices row, double sign) {
  switch (row[COORDINATE_KIND]) {
    case ALONG_PATH:
      return along_path(layout, work, row[COORDINATE_FIRST]);
    case TRANSLATION:
      return translation(work, row[COORDINATE_FIRST], row[COORDINATE_SECOND], row[AXIS_A]);
    case LENGTH:
      return length(work, row[COORDINATE_FIRST], row[COORDINATE_SECOND]);
    case TILT:
      return tilt(work, row[COORDINATE_FIRST], row[COORDINATE_SECOND], row[AXIS_A], row[AXIS_B], sign);
    default:
      return rotation(work, row, sign);
  }
}

template <class Real>
void place_coordinates(const Layout& layout, Work<Real>& work) {
  using std::rint;
  for (Index k = 0; k < work.coordinate.size(); ++k) {
    const Indices row = layout.coordinate[k];
    const double sign = layout.coordinate_value(k, SIGN);
    const Placed<Real> now = place_coordinate(layout, work, row, sign);
    for (Index m = 0; m < 4; ++m) put(work.coordinate_slope, k, m, now.slope[m]);
    if (row[COORDINATE_KIND] != ALONG_PATH)
      follow_path(layout, work, row[COORDINATE_FIRST], work.coordinate_slope[k]);
    Real value = sign * now.value - layout.coordinate_value(k, AS_DRAWN);
    if (row[COORDINATE_KIND] == ROTATION)
      value -= 2.0 * PI * rint((value - work.revolutions(k, EXPECTED)) / (2.0 * PI));
    work.coordinate[k] = value;
  }
}

template <class Real>
void expect_revolutions(Work<Real>& work, double dt) {
  for (Index k = 0; k < work.revolutions.shape[0]; ++k)
    work.revolutions(k, EXPECTED) = work.revolutions(k, LAST_ANGLE) + dt * work.revolutions(k, LAST_RATE);
}

namespace {

// A ROTATION within half a turn, its rate, and the square of the sine between the axis that turns and the one turned
// about: one but for Bryant angles.
template <class Real>
struct Turning {
  Real angle, rate, sine2;
};

}  // namespace

// Of `atan2(y, x)` the rate `(x y. - y x.) / (x^2 + y^2)`, by the rates of the directions as the hosting frame sees
// them; needs `move_frames`.
template <class Real>
static Turning<Real> turning(const Work<Real>& work, Indices row) {
  using std::atan2;
  const auto [host, other, sense] = hosting(row);
  const Vector<Real> ea = column_of(work.frame_R, host, row[AXIS_A]), eb = column_of(work.frame_R, host, row[AXIS_B]);
  const Vector<Real> ec = column_of(work.frame_R, other, row[AXIS_C]);
  const Vector<Real> rate = cross(vector_of(work.frame_w, other) - vector_of(work.frame_w, host), ec);
  const Real y = dot(ea, ec), x = dot(eb, ec), ydot = dot(ea, rate), xdot = dot(eb, rate);
  const Real square = x * x + y * y;
  return {atan2(y, x), (x * ydot - y * xdot) / larger(square, Real(1e-20)), square};
}

// The same of coordinate k with all revolutions: as `place_coordinates` found it, else near the mean of both rates.
template <class Real>
static Turning<Real> measure_turn(const Layout& layout, const Work<Real>& work, Index k, double dt) {
  using std::rint;
  const Indices row = layout.coordinate[k];
  if (k < work.coordinate.size()) {
    const Vector<Real> g = vector_of(work.coordinate_slope, k, 3);
    const Real sine2 = row[COORDINATE_KIND] == ROTATION ? Real(1.0 / dot(g, g)) : Real(0.0);
    return {work.coordinate[k], coordinate_rate(layout, work, k), sine2};
  }
  const double sign = layout.coordinate_value(k, SIGN);
  const Turning<Real> now = turning(work, row);
  const Real angle = sign * now.angle, rate = sign * now.rate;
  const Real expected = work.revolutions(k, LAST_ANGLE) + 0.5 * dt * (work.revolutions(k, LAST_RATE) + rate);
  return {angle + 2.0 * PI * rint((expected - angle) / (2.0 * PI)), rate, now.sine2};
}

template <class Real>
bool measure_revolutions(const Layout& layout, Work<Real>& work, double dt) {
  using std::abs;
  bool sure = true;
  for (Index k = 0; k < work.revolutions.shape[0]; ++k) {
    const Turning<Real> now = measure_turn(layout, work, k, dt);
    // (where Bryant angles end, no step is short enough)
    if (now.sine2 > 0.99 && abs(dt * (now.rate - work.revolutions(k, LAST_RATE))) > PI) sure = false;
    work.revolutions(k, NEXT_ANGLE) = now.angle;
    work.revolutions(k, NEXT_RATE) = now.rate;
  }
  return sure;
}

template <class Real>
void count_revolutions(Work<Real>& work) {
  for (Index k = 0; k < work.revolutions.shape[0]; ++k) {
    work.revolutions(k, EXPECTED) = work.revolutions(k, LAST_ANGLE) = work.revolutions(k, NEXT_ANGLE);
    work.revolutions(k, LAST_RATE) = work.revolutions(k, NEXT_RATE);
  }
}

namespace {

// An axis of a frame, `e`, with its rate `w x e` and its second time derivative for zero vdot.
template <class Real>
struct MovingAxis {
  Vector<Real> e, rate, bias;
};

}  // namespace

template <class Real>
static MovingAxis<Real> moving_axis(const Work<Real>& work, Index f, Index a) {
  const Vector<Real> e = column_of(work.frame_R, f, a), w = vector_of(work.frame_w, f);
  const Vector<Real> rate = cross(w, e);
  return {e, rate, cross(w, rate) + cross(vector_of(work.frame_b, f), e)};
}

// `e_a.. . e_b + 2 e_a. . e_b. + e_a . e_b..`
template <class Real>
Product<Real> product_bias(const Work<Real>& work, Index i, Index j, Index a, Index b) {
  const MovingAxis<Real> e = moving_axis(work, i, a), f = moving_axis(work, j, b);
  const Real bias = dot(e.bias, f.e) + 2.0 * dot(e.rate, f.rate) + dot(e.e, f.bias);
  return {dot(e.e, f.e), dot(e.rate, f.e) + dot(e.e, f.rate), bias};
}

// `e_a.. . d + 2 e_a. . d. + e_a . d..` with `d = r_j - r_i`.
template <class Real>
Real translation_bias(const Work<Real>& work, Index i, Index j, Index a) {
  const MovingAxis<Real> axis = moving_axis(work, i, a);
  Real value = 0.0;
  for (Index l = 0; l < 3; ++l) {
    value += axis.bias[l] * (work.frame_r(j, l) - work.frame_r(i, l));
    value += 2.0 * axis.rate[l] * (work.frame_v(j, l) - work.frame_v(i, l));
    value += axis.e[l] * (work.frame_a(j, l) - work.frame_a(i, l));
  }
  return value;
}

// `(d. . d. + d . d.. - length.^2) / length` with `d = r_j - r_i`.
template <class Real>
static Real length_bias(const Work<Real>& work, Index i, Index j) {
  using std::sqrt;
  const Vector<Real> d = vector_of(work.frame_r, j) - vector_of(work.frame_r, i);
  const Vector<Real> v = vector_of(work.frame_v, j) - vector_of(work.frame_v, i);
  const Vector<Real> a = vector_of(work.frame_a, j) - vector_of(work.frame_a, i);
  const Real length = sqrt(dot(d, d));
  return (dot(v, v) + dot(d, a) - square(Real(dot(d, v) / length))) / length;
}

// `(y.. + y y.^2 / (1 - y^2)) / sqrt(1 - y^2)` of `asin(y)`.
template <class Real>
static Real tilt_bias(const Work<Real>& work, Index i, Index j, Index a, Index b) {
  using std::sqrt;
  const Product<Real> y = product_bias(work, i, j, a, b);
  const Real cosine2 = larger(1.0 - y.value * y.value, Real(1e-300));
  return (y.bias + y.value * y.rate * y.rate / cosine2) / sqrt(cosine2);
}

// `(x y.. - y x.. - 2 angle. (x x. + y y.)) / (x^2 + y^2)` of `atan2(y, x)`.
template <class Real>
static Real rotation_bias(const Work<Real>& work, Indices row) {
  const auto [host, other, sense] = hosting(row);
  const Product<Real> y = product_bias(work, host, other, row[AXIS_A], row[AXIS_C]);
  const Product<Real> x = product_bias(work, host, other, row[AXIS_B], row[AXIS_C]);
  const Real square = x.value * x.value + y.value * y.value;
  const Real rate = (x.value * y.rate - y.value * x.rate) / square;
  const Real along = x.value * x.rate + y.value * y.rate;
  return (x.value * y.bias - y.value * x.bias - 2.0 * rate * along) / square;
}

template <class Real>
Real coordinate_bias(const Layout& layout, const Work<Real>& work, Index k) {
  const Indices row = layout.coordinate[k];
  const double sign = layout.coordinate_value(k, SIGN);
  switch (row[COORDINATE_KIND]) {
    case ALONG_PATH:
      return work.path(layout.frame_path[row[COORDINATE_FIRST]], PATH_ACCELERATION);
    case TRANSLATION:
      return sign * translation_bias(work, row[COORDINATE_FIRST], row[COORDINATE_SECOND], row[AXIS_A]);
    case LENGTH:
      return sign * length_bias(work, row[COORDINATE_FIRST], row[COORDINATE_SECOND]);
    case TILT:
      return sign * tilt_bias(work, row[COORDINATE_FIRST], row[COORDINATE_SECOND], row[AXIS_A], row[AXIS_B]);
    default:
      return sign * rotation_bias(work, row);
  }
}

template void place_coordinates<double>(const Layout&, Work<double>&);
template void expect_revolutions<double>(Work<double>&, double);
template bool measure_revolutions<double>(const Layout&, Work<double>&, double);
template void count_revolutions<double>(Work<double>&);
template Product<double> product_bias<double>(const Work<double>&, Index, Index, Index, Index);
template double translation_bias<double>(const Work<double>&, Index, Index, Index);
template double coordinate_bias<double>(const Layout&, const Work<double>&, Index);

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void flexbody_expect_revolutions(Work<double>* work, double dt) {
  expect_revolutions(*work, dt);
}

FLEXBODY_EXPORT Index flexbody_measure_revolutions(const Layout* layout, Work<double>* work, double dt) {
  return measure_revolutions(*layout, *work, dt);
}

FLEXBODY_EXPORT void flexbody_count_revolutions(Work<double>* work) {
  count_revolutions(*work);
}
