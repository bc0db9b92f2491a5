// Constraint rows, see constraint.hpp.
#include "constraint.hpp"

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/path.hpp"
#include "../laws/law.hpp"
#include "following_shapes.hpp"
#include "user_constraint.hpp"

namespace flexbody {

DriveMotion drive_value(const Layout& layout, Index d, double t) {
  double out[3];
  if (call_law(layout.drive_law, d, t, out)) return {out[0], out[1], out[2]};
  return {layout.drive_value(d, DRIVE_START) + layout.drive_value(d, DRIVE_RATE) * t,
          layout.drive_value(d, DRIVE_RATE), 0.0};
}

// The motion that row k is driven by, zeros for none.
static DriveMotion motion_of_row(const Layout& layout, Index k, double t) {
  const Index d = layout.row_frame(k, ROW_DRIVE);
  return d >= 0 ? drive_value(layout, d, t) : DriveMotion{0.0, 0.0, 0.0};
}

// `e . d - s(t)`, with the scaled axis e of the first frame and `d = r_second - r_first`.
template <class Real>
static void place_point(const Layout& layout, Work<Real>& work, Index k, const DriveMotion& drive) {
  const Index i = layout.row_frame(k, ROW_FIRST), j = layout.row_frame(k, ROW_SECOND);
  const double scale = layout.row_scale[k];
  const Vector<Real> d = vector_of(work.frame_r, j) - vector_of(work.frame_r, i);
  const Vector<Real> e = scale * column_of(work.frame_R, i, layout.row_frame(k, ROW_FIRST_AXIS));
  work.phi[k] = dot(e, d) - scale * drive.value;
  work.phi_t[k] = -scale * drive.rate;
  work.driven[k] = drive.value;
  put(work.direction, k, 0, -e);
  put(work.direction, k, 1, cross(e, d));
  put(work.direction, k, 2, e);
  put(work.direction, k, 3, Vector<Real>{0.0, 0.0, 0.0});
}

// `e . f`, with the scaled axis e on the first frame and f on the second.
template <class Real>
FLEXBODY_INLINE static void place_product(Work<Real>& work, Index k, const Vector<Real>& e, const Vector<Real>& f) {
  const Vector<Real> normal = cross(e, f), zero{0.0, 0.0, 0.0};
  work.phi[k] = dot(e, f);
  put(work.direction, k, 0, zero);
  put(work.direction, k, 1, normal);
  put(work.direction, k, 2, zero);
  put(work.direction, k, 3, -normal);
}

template <class Real>
static void place_attitude(const Layout& layout, Work<Real>& work, Index k) {
  const Index i = layout.row_frame(k, ROW_FIRST), j = layout.row_frame(k, ROW_SECOND);
  const Vector<Real> e = layout.row_scale[k] * column_of(work.frame_R, i, layout.row_frame(k, ROW_FIRST_AXIS));
  work.phi_t[k] = 0.0;
  place_product(work, k, e, column_of(work.frame_R, j, layout.row_frame(k, ROW_SECOND_AXIS)));
}

// `sin(angle - value) = (cos(value) e_y - sin(value) e_x) . f_x`: the axes of the first frame turned by the value.
template <class Real>
static void place_angle(const Layout& layout, Work<Real>& work, Index k, const DriveMotion& drive) {
  const Index i = layout.row_frame(k, ROW_FIRST), j = layout.row_frame(k, ROW_SECOND);
  const double cosine = layout.row_scale[k] * std::cos(drive.value);
  const double sine = layout.row_scale[k] * std::sin(drive.value);
  const Vector<Real> ex = column_of(work.frame_R, i, 0), ey = column_of(work.frame_R, i, 1);
  const Vector<Real> f = column_of(work.frame_R, j, 0);
  work.phi_t[k] = -drive.rate * dot(f, sine * ey + cosine * ex);
  work.driven[k] = drive.value;
  place_product(work, k, cosine * ey - sine * ex, f);
}

// Row k, of a kind before COUPLING.
template <class Real>
FLEXBODY_INLINE static void evaluate_row(const Layout& layout, Work<Real>& work, Index k, double t) {
  const Index kind = layout.row_kind[k];
  const DriveMotion drive = motion_of_row(layout, k, t);
  if (kind == POINT)
    place_point(layout, work, k, drive);
  else if (kind == ANGLE)
    place_angle(layout, work, k, drive);
  else
    place_attitude(layout, work, k);
  follow_path(layout, work, layout.row_frame(k, ROW_FIRST), work.direction[k]);
}

template <class Real>
void evaluate_rows(const Layout& layout, Work<Real>& work, double t) {
  for (Index k = 0; k < layout.row_kind.size(); ++k)
    if (layout.row_kind[k] < COUPLING) evaluate_row(layout, work, k, t);
}

// `sum factor coordinate - s(t)`, unscaled; the legs' derivatives go to Work.leg_slope.
template <class Real>
static RowValue<Real> coupling_row(const Layout& layout, Work<Real>& work, Index k, double t) {
  const DriveMotion drive = motion_of_row(layout, k, t);
  const Index first = layout.row_leg_at[k], last = layout.row_leg_at[k + 1];
  Real value = -drive.value;
  work.driven[k] = drive.value;
  work.leg_slope.part(first, last - first).fill(0.0);
  for (Index p = layout.row_part_at[k]; p < layout.row_part_at[k + 1]; ++p) {
    const Index c = layout.part(p, PART_COORDINATE);
    const double factor = layout.part_factor[p];
    value += factor * work.coordinate[c];
    for (Index side = 0; side < 2; ++side) {
      const Index leg = first + layout.part(p, PART_FIRST_LEG + side);
      for (Index m = 0; m < 2; ++m)
        for (Index l = 0; l < 3; ++l) work.leg_slope(leg, m, l) += factor * work.coordinate_slope(c, 2 * side + m, l);
    }
  }
  return {value, -drive.rate};
}

// Value and partial time derivative of row k, unscaled; the legs' derivatives go to Work.leg_slope.
template <class Real>
static RowValue<Real> legged_row(const Layout& layout, Work<Real>& work, Index k, double t) {
  if (layout.row_kind[k] == COUPLING) return coupling_row(layout, work, k, t);
  if (layout.row_kind[k] == FOLLOWING) return {shape_row(layout, work, k), 0.0};
  return user_row(layout, work, k, t);
}

// Residual, time derivative and the legs' directions of row k; the first and the last leg's also as its directions.
template <class Real>
static void place_legged_row(const Layout& layout, Work<Real>& work, Index k, double t) {
  const Index first = layout.row_leg_at[k], last = layout.row_leg_at[k + 1];
  const double scale = layout.row_scale[k];
  const RowValue<Real> row = legged_row(layout, work, k, t);
  work.phi[k] = scale * row.value;
  work.phi_t[k] = scale * row.rate;
  for (Index leg = first; leg < last; ++leg)
    for (Index m = 0; m < 2; ++m)
      for (Index l = 0; l < 3; ++l) work.leg_slope(leg, m, l) *= scale;
  for (Index m = 0; m < 2; ++m) {
    put(work.direction, k, m, vector_of(work.leg_slope, first, m));
    put(work.direction, k, 2 + m, vector_of(work.leg_slope, last - 1, m));
  }
}

template <class Real>
void place_legged(const Layout& layout, Work<Real>& work, double t) {
  for (Index k = 0; k < layout.row_kind.size(); ++k)
    if (layout.row_kind[k] >= COUPLING) place_legged_row(layout, work, k, t);
}

template <class Real>
void place_row(const Layout& layout, Work<Real>& work, Index k, double t) {
  if (layout.row_kind[k] < COUPLING)
    evaluate_row(layout, work, k, t);
  else
    place_legged_row(layout, work, k, t);
}

// Bias of ANGLE rows, unscaled: with `y = e_y . f_x`, `x = e_x . f_x` and the drive's value phi
//
// `cos(phi) y.. - sin(phi) x.. - 2 phi. (sin(phi) y. + cos(phi) x.) - phi.. (sin(phi) y + cos(phi) x)
// - phi.^2 (cos(phi) y - sin(phi) x)`
template <class Real>
static Real angle_bias(const Work<Real>& work, Index i, Index j, const DriveMotion& drive) {
  const double cosine = std::cos(drive.value), sine = std::sin(drive.value), rate = drive.rate;
  const Product<Real> y = product_bias(work, i, j, 1, 0), x = product_bias(work, i, j, 0, 0);
  Real value = cosine * y.bias - sine * x.bias - 2.0 * rate * (sine * y.rate + cosine * x.rate);
  value -=
      drive.acceleration * (sine * y.value + cosine * x.value) + rate * rate * (cosine * y.value - sine * x.value);
  return value;
}

template <class Real>
Real row_bias(const Layout& layout, const Work<Real>& work, Index k, double t) {
  const Index i = layout.row_frame(k, ROW_FIRST), j = layout.row_frame(k, ROW_SECOND),
              a = layout.row_frame(k, ROW_FIRST_AXIS);
  const double scale = layout.row_scale[k];
  const DriveMotion drive = motion_of_row(layout, k, t);
  if (layout.row_kind[k] == POINT) return scale * (translation_bias(work, i, j, a) - drive.acceleration);
  if (layout.row_kind[k] == ANGLE) return scale * angle_bias(work, i, j, drive);
  return scale * product_bias(work, i, j, a, layout.row_frame(k, ROW_SECOND_AXIS)).bias;
}

template <class Real>
Real legged_bias(const Layout& layout, const Work<Real>& work, Index k, double t) {
  const double scale = layout.row_scale[k];
  if (layout.row_kind[k] == FOLLOWING) return scale * shape_bias(layout, work, k);
  if (layout.row_kind[k] != COUPLING) return scale * user_bias(layout, work, k, t);
  Real value = -motion_of_row(layout, k, t).acceleration;
  for (Index p = layout.row_part_at[k]; p < layout.row_part_at[k + 1]; ++p)
    value += layout.part_factor[p] * coordinate_bias(layout, work, layout.part(p, PART_COORDINATE));
  return scale * value;
}

template void evaluate_rows<double>(const Layout&, Work<double>&, double);
template void place_legged<double>(const Layout&, Work<double>&, double);
template void place_row<double>(const Layout&, Work<double>&, Index, double);
template double row_bias<double>(const Layout&, const Work<double>&, Index, double);
template double legged_bias<double>(const Layout&, const Work<double>&, Index, double);

}  // namespace flexbody
