// Rotations in three dimensions: Euler parameters, rotation vectors and their tangent operators.
//
// Euler parameters q = (q0, q1, q2, q3) and the rotation matrix Q follow Koppens (B.5), (B.6), (B.13).
#pragma once
#include <cmath>

#include "../../../fem/core/vector.hpp"

namespace flexbody {

// Rotation matrix of unit Euler parameters q (4,), Koppens (B.13).
template <class Real>
Matrix<Real> matrix_of_euler(Reals<Real> q) {
  const Real q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
  return {{{q0 * q0 + q1 * q1 - q2 * q2 - q3 * q3, 2.0 * (q1 * q2 - q0 * q3), 2.0 * (q1 * q3 + q0 * q2)},
           {2.0 * (q1 * q2 + q0 * q3), q0 * q0 - q1 * q1 + q2 * q2 - q3 * q3, 2.0 * (q2 * q3 - q0 * q1)},
           {2.0 * (q1 * q3 - q0 * q2), 2.0 * (q2 * q3 + q0 * q1), q0 * q0 - q1 * q1 - q2 * q2 + q3 * q3}}};
}

// Derivatives of four Euler parameters.
template <class Real>
struct EulerRate {
  Real rate[4];
};

// q. = G^T omega / 2 of the Euler parameters q (4,), Koppens (2.47) with G of (B.16); half = omega / 2, or half of a
// small rotation, for the change of q.
template <class Real>
EulerRate<Real> euler_rate(Reals<Real> q, const Vector<Real>& half) {
  const Real q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3], x = half.x, y = half.y, z = half.z;
  return {{-q1 * x - q2 * y - q3 * z, q0 * x - q3 * y + q2 * z, q3 * x + q0 * y - q1 * z, -q2 * x + q1 * y + q0 * z}};
}

// out (4,) = Euler parameters of Q(q) exp(theta~): q turned by the rotation vector theta (body components).
// `out` may be `q`.
template <class Real>
void turned_euler(Reals<Real> q, const Vector<Real>& theta, Reals<Real> out) {
  using std::abs, std::cos, std::sin, std::sqrt;
  const Real angle2 = dot(theta, theta);
  Real cosine, sine;  // cos(t/2), sin(t/2) / t
  if (angle2 < 1e-2) {
    // Taylor series, the first neglected terms are below 1e-19
    const Real x = 0.25 * angle2;
    cosine = 1.0 - x * (1.0 / 2) * (1.0 - x * (1.0 / 12) * (1.0 - x * (1.0 / 30) * (1.0 - x * (1.0 / 56))));
    sine = 0.5 * (1.0 - x * (1.0 / 6) * (1.0 - x * (1.0 / 20) * (1.0 - x * (1.0 / 42) * (1.0 - x * (1.0 / 72)))));
  } else {
    const Real angle = sqrt(angle2);
    cosine = cos(0.5 * angle);
    sine = sin(0.5 * angle) / angle;
  }
  const Real x = sine * theta.x, y = sine * theta.y, z = sine * theta.z;
  const Real q0 = q[0], q1 = q[1], q2 = q[2], q3 = q[3];
  const Real p0 = q0 * cosine - q1 * x - q2 * y - q3 * z;
  const Real p1 = q1 * cosine + q0 * x + q2 * z - q3 * y;
  const Real p2 = q2 * cosine + q0 * y + q3 * x - q1 * z;
  const Real p3 = q3 * cosine + q0 * z + q1 * y - q2 * x;
  const Real norm2 = p0 * p0 + p1 * p1 + p2 * p2 + p3 * p3;
  // 1 / norm; where only round-off parts it from one, the first two terms of its series are exact
  const Real scale = abs(norm2 - 1.0) < 1e-9 ? Real(1.5 - 0.5 * norm2) : Real(1.0 / sqrt(norm2));
  out[0] = scale * p0, out[1] = scale * p1, out[2] = scale * p2, out[3] = scale * p3;
}

// exp(theta~) = I + s theta~ + a theta~^2 and its left tangent T = I + a theta~ + b theta~^2, t = |theta|:
// s = sin(t)/t, a = (1 - cos t)/t^2, b = (t - sin t)/t^3; da, db are the derivatives of a, b by t, divided by t.
// (R = exp(theta~): Rdot R^T = (T thetadot)~.)
template <class Real>
struct TangentCoefficients {
  Real s, a, b, da, db;
};

template <class Real>
TangentCoefficients<Real> tangent_coefficients(const Vector<Real>& theta) {
  using std::cos, std::sin, std::sqrt;
  const Real t2 = dot(theta, theta);
  TangentCoefficients<Real> k;
  if (t2 < 1e-2) {
    // Taylor series, the first neglected term is below 1e-17
    k.s = 1.0 - t2 / 6.0 * (1.0 - t2 / 20.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0)));
    k.a = 0.5 - t2 / 24.0 * (1.0 - t2 / 30.0 * (1.0 - t2 / 56.0 * (1.0 - t2 / 90.0)));
    k.b = 1.0 / 6.0 - t2 / 120.0 * (1.0 - t2 / 42.0 * (1.0 - t2 / 72.0 * (1.0 - t2 / 110.0)));
    k.da = -1.0 / 12.0 + t2 / 180.0 * (1.0 - t2 / 37.333333333333336 * (1.0 - t2 / 67.5 * (1.0 - t2 / 105.6)));
    k.db = -1.0 / 60.0 + t2 / 1260.0 * (1.0 - t2 / 48.0 * (1.0 - t2 / 82.5 * (1.0 - t2 / 124.8)));
    return k;
  }
  const Real t = sqrt(t2), sine = sin(t), cosine = cos(t);
  k.s = sine / t;
  k.a = (1.0 - cosine) / t2;
  k.b = (t - sine) / (t2 * t);
  k.da = (k.s - 2.0 * k.a) / t2;
  k.db = (k.a - 3.0 * k.b) / t2;
  return k;
}

// exp(theta~) x.
template <class Real>
Vector<Real> exponential_times(const TangentCoefficients<Real>& k, const Vector<Real>& theta, const Vector<Real>& x) {
  const Vector<Real> f = cross(theta, x), g = cross(theta, f);
  return x + k.s * f + k.a * g;
}

// T x, T the left tangent.
template <class Real>
Vector<Real> tangent_times(const TangentCoefficients<Real>& k, const Vector<Real>& theta, const Vector<Real>& x) {
  const Vector<Real> f = cross(theta, x), g = cross(theta, f);
  return x + k.a * f + k.b * g;
}

// Tdot thetadot for the left tangent T of exp(theta~).
template <class Real>
Vector<Real> tangent_rate(const TangentCoefficients<Real>& k, const Vector<Real>& theta, const Vector<Real>& rate) {
  const Real along = dot(theta, rate);
  const Vector<Real> f = cross(theta, rate), g = cross(theta, f);
  return (k.da * along) * f + (k.db * along) * g + k.b * cross(rate, f);
}

}  // namespace flexbody
