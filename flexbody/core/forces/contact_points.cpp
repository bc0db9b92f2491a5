// Points of contact: see contact_points.hpp.
#include "contact_points.hpp"

#include "contact_cloud.hpp"
#include "contact_distance.hpp"
#include "contact_surface.hpp"
#include "force_elements.hpp"

namespace flexbody {

// Part of the thickness of what is in the way by which a step may enter it
constexpr double ENTERS = 0.5;
// Shorter projections of a normal on the plane of a rim have no direction
constexpr double UPRIGHT = 1e-9;

namespace {

// A point of the guest: its position, the radius about it, and the point whose motion along the normal is that of the
// gap.
template <class Real>
struct GuestPoint {
  Vector<Real> at;
  double radius;
  Vector<Real> carrier;
};

// A point of the guest at the host: the gap, its derivative by the motion of the carrier, and the unit vector along
// it.
template <class Real>
struct Touch {
  GuestPoint<Real> point;
  Real gap;
  Vector<Real> slope, normal;
};

}  // namespace

// Point i of a rim on a plane of normal n: the deepest, the highest, and both half way between them. These have the
// gap of the rim's centre, and its motion.
template <class Real>
static GuestPoint<Real> point_of_rim(const Placed<Real>& guest, const Vector<Real>& n, Index i) {
  const Vector<Real> axis = guest.axis(2);
  const Vector<Real> across = n - dot(n, axis) * axis;
  const Real length = std::sqrt(dot(across, across));
  const Vector<Real> down = length > UPRIGHT ? (-1.0 / length) * across : guest.axis(0);
  const Real half = (i < 4 ? 0.5 : -0.5) * guest.size(1), radius = (i % 2 == 0 ? 1.0 : -1.0) * guest.size(0);
  const Vector<Real> centre = guest.r + half * axis;
  if (i % 4 >= 2) return {centre + radius * cross(axis, down), 0.0, centre};
  const Vector<Real> at = centre + radius * down;
  return {at, 0.0, at};
}

// Point i of the guest; n is the normal of the plane under boxes and cylinders.
template <class Real>
static GuestPoint<Real> point_of(const Placed<Real>& guest, const Vector<Real>& n, Index i) {
  if (guest.kind() == SPHERE) return {guest.r, guest.size(0), guest.r};
  if (guest.kind() == CYLINDER) return point_of_rim(guest, n, i);
  Vector<Real> at = guest.r;
  for (Index k = 0; k < 3; ++k) at += ((i >> k) % 2 == 0 ? 0.5 : -0.5) * guest.size(k) * guest.axis(k);
  return {at, 0.0, at};
}

// End i of the part of a pin that lies in a hollow cylinder, upper or lower. On the axis of the pin (unit vector a),
// this is the end of the pin, or where the axis passes through the plane at the end of the hollow (unit vector z),
//
//     gap = R - r - |d|,   d from the axis of the hollow, perpendicular to z, e = d/|d|
//     dgap = -e . dP at an end of the pin,   dgap = -m . dP,  m = e - (a . e)/(a . z) z  at an end of the hollow
//
// where the edge touches the flank of the pin: m is perpendicular to a. Of what is inside by less along z than
// across, the distance along z counts, so that a pin leaves without a jump.
template <class Real>
static Touch<Real> touch_of_pin(const Placed<Real>& host, const Placed<Real>& guest, Index i) {
  const Vector<Real> z = host.axis(2), a = guest.axis(2), d = guest.r - host.r;
  const Real cosine = dot(a, z), slope = std::abs(cosine) > UPRIGHT ? cosine : Real(UPRIGHT);
  const Real upper = (0.5 * host.size(1) - dot(d, z)) / slope, lower = (-0.5 * host.size(1) - dot(d, z)) / slope;
  const Real half = 0.5 * guest.size(1);
  const Real out = i == 0 ? smaller(half, larger(upper, lower)) : larger(-half, smaller(upper, lower));
  const Real s = larger(-half, smaller(half, out));
  const Vector<Real> at = guest.r + s * a, from = at - host.r;
  const Real along = dot(from, z);
  const Vector<Real> across = from - along * z;
  const Real radius = std::sqrt(dot(across, across));
  const Vector<Real> e = radius > 0.0 ? (1.0 / radius) * across : host.axis(0);
  const Real gap = host.size(0) - guest.size(0) - radius;
  const Real beyond = std::abs(dot(d, z)) - half * std::abs(cosine) - 0.5 * host.size(1);
  if (beyond > gap) {
    const Vector<Real> outward = dot(d, z) < 0.0 ? -z : z;
    const Vector<Real> end = guest.r - std::copysign(half, dot(outward, a)) * a;
    return {{end, 0.0, end}, beyond, outward, outward};
  }
  const bool edge = std::abs(s) < half;
  const Vector<Real> m = edge ? e - (dot(a, e) / slope) * z : e;
  return {{at, guest.size(0), at}, gap, -m, (-1.0 / std::sqrt(dot(m, m))) * m};
}

template <class Real>
static Touch<Real> touch_of(const Placed<Real>& host, const Placed<Real>& guest, Index i) {
  if (host.kind() == HOLLOW_CYLINDER && guest.kind() == CYLINDER) return touch_of_pin(host, guest, i);
  const GuestPoint<Real> point = point_of(guest, host.axis(2), i);
  const Distance<Real> from = distance_to(host, point.at);
  return {point, from.value - point.radius, from.normal, from.normal};
}

// Rows of a vector e at the point C for the guest's side and the other one of the host, and the rate along it.
template <class Real>
static Real put_rows(Array<Real, 2, 3> g, const Placed<Real>& host, const Placed<Real>& guest, bool host_is_second,
                     const Vector<Real>& e, const Vector<Real>& C) {
  const Vector<Real> turns_host = cross(C - host.r, e), turns_guest = cross(C - guest.r, e);
  const Index h = host_is_second ? 2 : 0, q = 2 - h;
  put(g, h, -e);
  put(g, h + 1, -turns_host);
  put(g, q, e);
  put(g, q + 1, turns_guest);
  return dot(e, guest.v - host.v) + dot(turns_guest, guest.w) - dot(turns_host, host.w);
}

template <class Real>
void evaluate_contact(const Layout& layout, Work<Real>& work, Index e) {
  const double* p = law_numbers(layout, e);
  const bool swapped = p[HOST_IS_SECOND] != 0.0;
  const Index first = layout.element(e, FIRST), second = layout.element(e, SECOND);
  const Placed<Real> host = placed(work, swapped ? second : first, p + HOST_SHAPE);
  const Placed<Real> guest = placed(work, swapped ? first : second, p + GUEST_SHAPE);
  for (Index i = 0; i < Index(p[CONTACT_POINTS]); ++i) {
    const Touch<Real> touch = touch_of(host, guest, i);
    const GuestPoint<Real>& point = touch.point;
    const Real gap = touch.gap;
    const Vector<Real> n = touch.normal, back = (point.radius + 0.5 * gap) * n;
    const Index at = layout.element(e, AT) + PER_POINT * i;
    work.deformation[at] = gap;
    work.deformation_rate[at] =
        put_rows(work.deformation_slope[at], host, guest, swapped, touch.slope, point.carrier - back);
    for (Index k = 0; k < 3; ++k) {
      const Vector<Real> axis = host.axis(k), along = axis - dot(axis, n) * n;
      work.deformation[at + 1 + k] = 0.0;
      work.deformation_rate[at + 1 + k] =
          put_rows(work.deformation_slope[at + 1 + k], host, guest, swapped, along, point.at - back);
    }
  }
}

// Distance of the farthest point of a shape from its frame; zero for a sphere, whose rotation moves no surface, and a
// plane.
static double reach(const double* numbers) {
  const Index kind = Index(numbers[0]);
  if (kind == PLANE || kind == SPHERE) return 0.0;
  if (kind == CYLINDER) return std::sqrt(square(numbers[1]) + square(0.5 * numbers[2]));
  return 0.5 * std::sqrt(square(numbers[1]) + square(numbers[2]) + square(numbers[3]));
}

template <class Real>
bool contacts_are_seen(const Layout& layout, const Work<Real>& work, double h) {
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    if (layout.element(e, GEOMETRY) == CLOUD && !cloud_is_slow(layout, work, e, h)) return false;
    if (layout.element(e, GEOMETRY) == SURFACE && !surface_is_slow(layout, work, e, h)) return false;
    if (layout.element(e, GEOMETRY) != CONTACT) continue;
    const double* p = law_numbers(layout, e);
    const double depth = half_extent(p + HOST_SHAPE) + half_extent(p + GUEST_SHAPE);
    if (!(depth < INF)) continue;
    const Index i = layout.element(e, FIRST), j = layout.element(e, SECOND);
    const Vector<Real> v = vector_of(work.frame_v, j) - vector_of(work.frame_v, i);
    const Vector<Real> w1 = vector_of(work.frame_w, i), w2 = vector_of(work.frame_w, j);
    const bool swapped = p[HOST_IS_SECOND] != 0.0;
    const double r1 = reach(p + (swapped ? GUEST_SHAPE : HOST_SHAPE)),
                 r2 = reach(p + (swapped ? HOST_SHAPE : GUEST_SHAPE));
    const Real speed = std::sqrt(dot(v, v)) + r1 * std::sqrt(dot(w1, w1)) + r2 * std::sqrt(dot(w2, w2));
    const Real gap = work.deformation[layout.element(e, AT)];
    if (speed * h > larger(gap, Real(0.0)) + ENTERS * depth) return false;
  }
  return true;
}

template void evaluate_contact<double>(const Layout&, Work<double>&, Index);
template bool contacts_are_seen<double>(const Layout&, const Work<double>&, double);

}  // namespace flexbody
