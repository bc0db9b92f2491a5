// The distance of a point from a surface of revolution, with its derivatives: from the middle line of the rim of a
// wheel, a circle, or from a cone. A line that touches the surface lies where this distance is least along it.
//
// With the height h along the axis and the distance q from it
//
//   RIM     D = sqrt((q - radius)^2 + h^2)
//   TREAD   D = (q - radius - slope h) / sqrt(1 + slope^2)
#pragma once
#include <cmath>

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"

namespace flexbody {

template <class Real>
struct RoundDistance {
  Real value;
  Vector<Real> gradient, axis, radial;  // unit vectors along the axis and away from it
  Real by_q, by_qq, by_qh, by_hh, q;    // derivatives by q and h

  // The second derivative by the place, times x.
  Vector<Real> curved(const Vector<Real>& x) const {
    const Real out = dot(radial, x), along = dot(axis, x);
    const Vector<Real> around = x - out * radial - along * axis;
    return (by_qq * out + by_qh * along) * radial + (by_qh * out + by_hh * along) * axis + (by_q / q) * around;
  }
};

// At d from the middle of a rim or tread; the sizes are its radius and slope.
template <class Real>
RoundDistance<Real> round_distance(Index touch, const double* size, const Vector<Real>& d, const Vector<Real>& axis) {
  using std::sqrt;
  const Real h = dot(axis, d);
  const Vector<Real> w = d - h * axis;
  const Real q = sqrt(dot(w, w));
  RoundDistance<Real> out;
  out.q = q, out.axis = axis, out.radial = (1.0 / q) * w;
  Real by_h;
  if (touch == RIM) {
    const Real beyond = q - size[0], D = sqrt(beyond * beyond + h * h);
    out.value = D, out.by_q = beyond / D, by_h = h / D;
    out.by_qq = by_h * by_h / D, out.by_qh = -out.by_q * by_h / D, out.by_hh = out.by_q * out.by_q / D;
  } else {
    const double cosine = 1.0 / std::sqrt(1.0 + size[1] * size[1]);
    out.value = cosine * (q - size[0] - size[1] * h), out.by_q = cosine, by_h = -cosine * size[1];
    out.by_qq = out.by_qh = out.by_hh = 0.0;
  }
  out.gradient = out.by_q * out.radial + by_h * axis;
  return out;
}

}  // namespace flexbody
