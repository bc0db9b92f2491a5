// Distances of points from the shapes of contacts, see contact_points.hpp.
#pragma once
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../data/work.hpp"

namespace flexbody {

// A shape on a frame: its numbers, the frame's position, axes, velocity and angular velocity.
template <class Real>
struct Placed {
  const double* numbers;  // kind, sizes
  Vector<Real> r;
  Matrix<Real> R;
  Vector<Real> v, w;

  Index kind() const { return Index(numbers[0]); }
  double size(Index k) const { return numbers[1 + k]; }
  Vector<Real> axis(Index k) const { return R.column(k); }
};

// Distance of a point from a surface, negative inside, and the outward normal.
template <class Real>
struct Distance {
  Real value;
  Vector<Real> normal;
};

template <class Real>
Placed<Real> placed(const Work<Real>& work, Index f, const double* numbers) {
  return {numbers, vector_of(work.frame_r, f), matrix_of(work.frame_R, f), vector_of(work.frame_v, f),
          vector_of(work.frame_w, f)};
}

// d: from the centre of the shape to the point, as in all that follow.
template <class Real>
Distance<Real> distance_to_sphere(const Placed<Real>& host, const Vector<Real>& d) {
  const Real length = std::sqrt(dot(d, d));
  const Vector<Real> n = length > 0.0 ? (1.0 / length) * d : host.axis(2);
  return {length - host.size(0), n};
}

// Distance from a solid whose extents beyond its sides are `out` along the unit vectors `e`: the farthest side where
// the point is inside, otherwise the nearest point of the surface.
template <class Real>
Distance<Real> distance_to_sides(const Real* out, const Vector<Real>* e, Index n) {
  Index nearest = 0;
  Vector<Real> outside{0.0, 0.0, 0.0};
  for (Index k = 0; k < n; ++k) {
    if (out[k] > out[nearest]) nearest = k;
    if (out[k] > 0.0) outside += out[k] * e[k];
  }
  if (!(out[nearest] > 0.0)) return {out[nearest], e[nearest]};
  const Real length = std::sqrt(dot(outside, outside));
  return {length, (1.0 / length) * outside};
}

// sizes: radius and length, along the z axis of the frame; what is hollow has its material around the radius.
template <class Real>
Distance<Real> distance_to_cylinder(const Placed<Real>& host, const Vector<Real>& d) {
  const Real side = host.kind() == HOLLOW_CYLINDER ? -1.0 : 1.0;
  const Vector<Real> axis = host.axis(2);
  const Real z = dot(axis, d);
  const Vector<Real> across = d - z * axis;
  const Real radius = std::sqrt(dot(across, across));
  const Vector<Real> e[2] = {radius > 0.0 ? (side / radius) * across : host.axis(0), z < 0.0 ? -axis : axis};
  const Real out[2] = {side * (radius - host.size(0)), std::abs(z) - 0.5 * host.size(1)};
  return distance_to_sides(out, e, 2);
}

// sizes: lengths of the sides along the axes of the frame.
template <class Real>
Distance<Real> distance_to_box(const Placed<Real>& host, const Vector<Real>& d) {
  Vector<Real> e[3];
  Real out[3];
  for (Index k = 0; k < 3; ++k) {
    const Real x = dot(host.axis(k), d);
    e[k] = x < 0.0 ? -host.axis(k) : host.axis(k);
    out[k] = std::abs(x) - 0.5 * host.size(k);
  }
  return distance_to_sides(out, e, 3);
}

template <class Real>
Distance<Real> distance_to(const Placed<Real>& host, const Vector<Real>& point) {
  const Vector<Real> d = point - host.r;
  if (host.kind() == PLANE) return {dot(host.axis(2), d), host.axis(2)};
  if (host.kind() == SPHERE) return distance_to_sphere(host, d);
  return host.kind() == BOX ? distance_to_box(host, d) : distance_to_cylinder(host, d);
}

// How the normal at a point inside turns with a motion of the point: a' dn/dx.
template <class Real>
Vector<Real> normal_slope(const Placed<Real>& host, const Distance<Real>& from, const Vector<Real>& a) {
  const Vector<Real> none{0.0, 0.0, 0.0}, &n = from.normal, axis = host.axis(2);
  if (host.kind() == PLANE || host.kind() == BOX) return none;
  const Real radius = from.value + host.size(0);  // of the point from the centre or the axis
  const bool flat = host.kind() == CYLINDER && std::abs(dot(n, axis)) > 0.5;  // an end
  if (flat || !(radius > 0.0)) return none;
  Vector<Real> across = a - dot(a, n) * n;
  if (host.kind() == CYLINDER) across = across - dot(a, axis) * axis;
  return (1.0 / radius) * across;
}

// Half the smallest extent of a shape; infinite for a plane, and for what surrounds a hollow.
inline double half_extent(const double* numbers) {
  switch (Index(numbers[0])) {
    case PLANE:
    case HOLLOW_CYLINDER:
      return INF;
    case SPHERE:
      return numbers[1];
    case CYLINDER:
      return smaller(numbers[1], 0.5 * numbers[2]);
    default:
      return 0.5 * smaller(smaller(numbers[1], numbers[2]), numbers[3]);
  }
}

}  // namespace flexbody
