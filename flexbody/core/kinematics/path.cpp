// Frames that slide along a path, see path.hpp.
#include "path.hpp"

#include "path_line.hpp"
#include "rotation.hpp"

namespace flexbody {

namespace {

// A vector with its first two derivatives by s.
template <class Real>
struct Along {
  Vector<Real> v, d, dd;
};

}  // namespace

// b, divided by its length.
template <class Real>
static Along<Real> direction(const Along<Real>& b) {
  using std::sqrt;
  const Real length = sqrt(dot(b.v, b.v)), part = 1.0 / length, length1 = part * dot(b.v, b.d);
  const Real length2 = part * (dot(b.d, b.d) + dot(b.v, b.dd) - length1 * length1);
  const Vector<Real> e = part * b.v, e1 = part * (b.d - length1 * e);
  return {e, e1, part * (b.dd - length2 * e - (2.0 * length1) * e1)};
}

// a - (a . z) z, divided by its length; z of length one.
template <class Real>
static Along<Real> direction_beside(const Along<Real>& a, const Along<Real>& z) {
  const Real f = dot(a.v, z.v), f1 = dot(a.d, z.v) + dot(a.v, z.d);
  const Real f2 = dot(a.dd, z.v) + 2.0 * dot(a.d, z.d) + dot(a.v, z.dd);
  return direction(
      Along<Real>{a.v - f * z.v, a.d - f1 * z.v - f * z.d, a.dd - f2 * z.v - (2.0 * f1) * z.d - f * z.dd});
}

template <class Real>
static Along<Real> product(const Along<Real>& a, const Along<Real>& b) {
  return {cross(a.v, b.v), cross(a.d, b.v) + cross(a.v, b.d),
          cross(a.dd, b.v) + 2.0 * cross(a.d, b.d) + cross(a.v, b.dd)};
}

template <class Real>
static Along<Real> column_along(const PathArrays<Real>& path, Index at) {
  const auto part = [&](int d) -> Vector<Real> {
    const Real* x = path.value[d] + at;
    return {x[0], x[1], x[2]};
  };
  return {part(0), part(1), part(2)};
}

// A (3, 3) of the undeformed line; its turning per s, `sum e x e_s / 2`, and the derivative of this go to the
// numbers.
template <class Real>
static Matrix<Real> undeformed_axes(const PathArrays<Real>& path, const Vector<Real>& third) {
  const Along<Real> x = column_along(path, 0), up = column_along(path, 3);
  const Along<Real> ez = direction(Along<Real>{x.d, x.dd, third});
  const Along<Real> ex = direction_beside(up, ez), ey = product(ez, ex);
  const Vector<Real> turning = 0.5 * (cross(ex.v, ex.d) + cross(ey.v, ey.d) + cross(ez.v, ez.d));
  const Vector<Real> rate = 0.5 * (cross(ex.v, ex.dd) + cross(ey.v, ey.dd) + cross(ez.v, ez.dd));
  const Reals<Real> numbers{path.numbers, {PATH_NUMBERS}};
  put(numbers, PATH_AXES_TURNING, turning);
  put(numbers, PATH_AXES_TURNING + 3, rate);
  return {{{ex.v.x, ey.v.x, ez.v.x}, {ex.v.y, ey.v.y, ez.v.y}, {ex.v.z, ey.v.z, ez.v.z}}};
}

// Columns at s with the first derivative, x and the direction with the second too, and the third derivative of x;
// beyond the ends they grow linearly, or with the curvature of the end.
template <class Real>
static Vector<Real> evaluate_columns(const PathArrays<Real>& path, Real s) {
  const Place<Real> place = locate(path, s);
  Real third[6];
  Real* const out[4] = {path.value[0], path.value[1], path.value[2], third};
  evaluate<4>(path, place, 0, 6, out);
  evaluate<2>(path, place, 6, path.width, out);
  if (place.beyond == 0.0) return {third[0], third[1], third[2]};
  for (Index i = 0; i < path.width; ++i) path.value[0][i] += place.beyond * path.value[1][i];
  for (Index i = 0; i < 6; ++i) {
    if (!path.bent_beyond()) path.value[2][i] = 0.0;
    path.value[0][i] += 0.5 * place.beyond * place.beyond * path.value[2][i];
    path.value[1][i] += place.beyond * path.value[2][i];
  }
  return {0.0, 0.0, 0.0};
}

// The second derivative of all columns at s, where it is not there yet; zero beyond ends with a straight line.
template <class Real>
static void evaluate_curves(const PathArrays<Real>& path, Real s) {
  const Place<Real> place = locate(path, s);
  if (place.beyond == 0.0) {
    evaluate<3>(path, place, 0, path.width, path.value);
  } else if (!path.bent_beyond()) {
    for (Index i = 0; i < path.width; ++i) path.value[2][i] = 0.0;
  }
}

// Pi = Phi + G alpha for the place and T (B + G alpha) for the rotation.
template <class Real>
static void set_rows(const PathArrays<Real>& path, const TangentCoefficients<Real>& tangent,
                     const Vector<Real>& theta, const Real* alpha, Real* rows) {
  const Index n = path.n;
  for (Index i = 0; i < 6 * n; ++i) rows[i] = path.value[0][6 + i];
  const Real* second = path.second(path.value[0]);
  for (Index m = 0; m < path.r; ++m) {
    const Index i = path.terms[3 * m], j = path.terms[3 * m + 1], k = path.terms[3 * m + 2];
    rows[k * n + i] += second[m] * alpha[j];
    if (i != j) rows[k * n + j] += second[m] * alpha[i];
  }
  for (Index i = 0; i < n; ++i) {
    const Vector<Real> turned =
        tangent_times(tangent, theta, Vector<Real>{rows[3 * n + i], rows[4 * n + i], rows[5 * n + i]});
    for (Index l = 0; l < 3; ++l) rows[(3 + l) * n + i] = turned[l];
  }
}

// alpha_i alpha_j of all second-order terms, half of it where i is j.
template <class Real>
static void set_products(const PathArrays<Real>& path, const Real* alpha) {
  for (Index m = 0; m < path.r; ++m) {
    const Index i = path.terms[3 * m], j = path.terms[3 * m + 1];
    path.half[m] = (i == j ? 0.5 : 1.0) * alpha[i] * alpha[j];
  }
}

// The body that carries a path: rotation and reference point; the ground is at rest.
template <class Real>
static Matrix<Real> rotation_of(const Work<Real>& work, Index b) {
  if (b < 0) return {{{1.0, 0.0, 0.0}, {0.0, 1.0, 0.0}, {0.0, 0.0, 1.0}}};
  return matrix_of(work.Q, b);
}

template <class Real>
void place_on_path(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha, Index f) {
  const Index p = layout.frame_path[f];
  const PathArrays<Real> path(layout, work, p);
  const Vector<Real> none{0.0, 0.0, 0.0};
  const Index b = path.body;
  const Real* modal = b < 0 ? nullptr : alpha.part(layout.alpha_at[b], path.n).data;
  const Matrix<Real> Q = rotation_of(work, b);
  const Vector<Real> origin = b < 0 ? none : vector_of(c, b);
  const Vector<Real> y = transposed_times(Q, vector_of(work.frame_r, path.follower) - origin);
  set_products(path, modal);
  Line<Real> line{path, modal};
  const Vector<Real> normal = transposed_times(Q, column_of(work.frame_R, path.follower, 1));
  const Vector<Real> axis = transposed_times(Q, column_of(work.frame_R, path.follower, 2));
  const Real s = path.touch == FACE ? find_touch(line, normal)
                 : path.on_round()  ? find_round(line, y, axis)
                                    : find_s(line, y);
  const Vector<Real> third = evaluate_columns(path, s);
  Vector<Real> place[3];
  line.at(s, place);
  const Matrix<Real> undeformed = undeformed_axes(path, third);
  Vector<Real> axes[3] = {undeformed.column(0), undeformed.column(1), undeformed.column(2)};
  const auto numbers = work.path[p];
  Vector<Real> turning = vector_of(numbers, PATH_AXES_TURNING);
  if (path.n > 0) {
    const Vector<Real> theta = combined(path, path.value[0], modal, 3);
    const TangentCoefficients<Real> tangent = tangent_coefficients(theta);
    set_rows(path, tangent, theta, modal, work.frame_rows.data + layout.frame_at[f]);
    turning = exponential_times(tangent, theta, turning) +
              tangent_times(tangent, theta, combined(path, path.value[1], modal, 3));
    for (Vector<Real>& axis : axes) axis = exponential_times(tangent, theta, axis);
  }
  put(work.frame_p, f, place[0]);
  put(work.frame_r, f, plus_product(origin, Q, place[0]));
  for (Index l = 0; l < 3; ++l) {
    const Vector<Real> axis = Q * axes[l];
    work.frame_R(f, 0, l) = axis.x, work.frame_R(f, 1, l) = axis.y, work.frame_R(f, 2, l) = axis.z;
  }
  numbers[PATH_S] = s;
  if (path.on_round()) {
    const RoundDistance<Real> round = round_distance(path.touch, path.sizes, place[0] - y, axis);
    const Vector<Real> pull = round.curved(place[1]);
    put(numbers, PATH_NORMAL, Q * round.gradient);
    put(numbers, PATH_PULL, Q * pull);
    numbers[PATH_CURVED] = dot(place[1], pull) + dot(place[2], round.gradient);
  } else {
    numbers[PATH_CURVED] =
        path.touch == FACE ? -dot(place[2], normal) : dot(place[1], place[1]) - dot(place[2], y - place[0]);
  }
  put(numbers, PATH_TANGENT, Q * place[1]);
  put(numbers, PATH_TURNING, Q * turning);
}

namespace {

// What deformation rates add to the line at s, in the base of its body: the rates of p_s and theta_s, and for fixed s
// alpha.' S alpha. as an acceleration of place and rotation.
template <class Real>
struct LineRates {
  Vector<Real> theta, slope, turning, pull, twist;
};

}  // namespace

template <class Real>
static LineRates<Real> line_rates(const PathArrays<Real>& path, const Real* alpha, const Real* rate) {
  const Index n = path.n;
  const Vector<Real> none{0.0, 0.0, 0.0};
  LineRates<Real> out{none, none, none, none, none};
  out.theta = plus_product(none, path.value[0] + 6 + 3 * n, rate, n);
  out.slope = plus_product(none, path.value[1] + 6, rate, n);
  out.turning = plus_product(none, path.value[1] + 6 + 3 * n, rate, n);
  const Real *now = path.second(path.value[0]), *slope = path.second(path.value[1]);
  for (Index m = 0; m < path.r; ++m) {
    const Index i = path.terms[3 * m], j = path.terms[3 * m + 1], k = path.terms[3 * m + 2];
    const double once = i == j ? 0.5 : 1.0;
    const Real first = once * (rate[i] * alpha[j] + alpha[i] * rate[j]), second = 2.0 * once * rate[i] * rate[j];
    if (k < 3) {
      out.slope[k] += first * slope[m];
      out.pull[k] += second * now[m];
    } else {
      out.theta[k - 3] += first * now[m];
      out.turning[k - 3] += first * slope[m];
      out.twist[k - 3] += second * now[m];
    }
  }
  return out;
}

namespace {

// The y axis n of the follower in the base of the line's body b, with its first two derivatives by time, the second
// for zero vdot.
template <class Real>
struct FaceNormal {
  Vector<Real> n, rate, bias;
};

}  // namespace

template <class Real>
static FaceNormal<Real> face_normal(const Work<Real>& work, const Matrix<Real>& Q, Index follower,
                                    const Vector<Real>& omega) {
  const Vector<Real> n = transposed_times(Q, column_of(work.frame_R, follower, 1));
  const Vector<Real> w = transposed_times(Q, vector_of(work.frame_w, follower));
  const Vector<Real> spin = transposed_times(Q, vector_of(work.frame_b, follower));
  const Vector<Real> absolute = cross(w, n), rate = absolute - cross(omega, n);
  return {n, rate, cross(spin, n) + cross(w, absolute) - cross(omega, absolute + rate)};
}

// Minus what s.. adds to the second time derivative of p_s . n = 0: `n.. . p_s + 2 s. n. . p_ss + s.^2 n . p_sss`.
template <class Real>
static Real touch_acceleration(const PathArrays<Real>& path, const FaceNormal<Real>& face, const Vector<Real>& slope,
                               const Vector<Real>& curve, Real sdot) {
  Real x[3], first[3], second[3], third[3];
  Real* const out[4] = {x, first, second, third};
  const Place<Real> place = locate(path, path.numbers[PATH_S]);
  Vector<Real> jump{0.0, 0.0, 0.0};
  if (place.beyond == 0.0) {
    evaluate<4>(path, place, 0, 3, out);
    jump = {third[0], third[1], third[2]};
  }
  return dot(face.bias, slope) + (2.0 * sdot) * dot(face.rate, curve) + (sdot * sdot) * dot(face.n, jump);
}

// Minus what s. adds to the time derivative of `p_s . grad D`: `p_s . (w x grad D + H (d. - w x d)) + p_s. . grad D`,
// with d. the velocity of the material point from the follower, w the angular velocity of the follower, both against
// the body of the line, and d its place from the follower. `away` is -d. and `d` is -d there.
template <class Real>
static Real round_rate(const Work<Real>& work, const PathArrays<Real>& path, const Matrix<Real>& Q,
                       const Vector<Real>& omega, const LineRates<Real>& rates, const Vector<Real>& slope,
                       const Vector<Real>& d, const Vector<Real>& away) {
  const Reals<Real> numbers{path.numbers, {PATH_NUMBERS}};
  const Vector<Real> normal = transposed_times(Q, vector_of(numbers, PATH_NORMAL));
  const Vector<Real> pull = transposed_times(Q, vector_of(numbers, PATH_PULL));
  const Vector<Real> w = transposed_times(Q, vector_of(work.frame_w, path.follower)) - omega;
  return dot(pull, away - cross(w, d)) - dot(slope, cross(w, normal)) - dot(rates.slope, normal);
}

// The derivative of the angular velocity `T thetadot` of the sections along s: with `q(x) = (dT . x) x`, its
// symmetric part is that of the polarised q, and the rest follows from `d_s (T d_t theta) - d_t (T d_s theta) = T d_s
// theta x T d_t theta`.
template <class Real>
static Vector<Real> turning_along(const TangentCoefficients<Real>& tangent, const Vector<Real>& theta,
                                  const Vector<Real>& theta_s, const LineRates<Real>& rates) {
  const auto q = [&](const Vector<Real>& x) { return tangent_rate(tangent, theta, x); };
  const auto T = [&](const Vector<Real>& x) { return tangent_times(tangent, theta, x); };
  const Vector<Real> both = q(theta_s + rates.theta) - q(theta_s) - q(rates.theta);
  return 0.5 * (both + cross(T(theta_s), T(rates.theta))) + T(rates.turning);
}

template <class Real>
void move_on_path(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v, bool with_bias, Index f) {
  const Index p = layout.frame_path[f];
  const PathArrays<Real> path(layout, work, p);
  const Vector<Real> none{0.0, 0.0, 0.0};
  const Index b = path.body, n = path.n, at = b < 0 ? 0 : layout.v_at[b];
  const Real* modal = b < 0 ? nullptr : alpha.part(layout.alpha_at[b], n).data;
  const Real* rate = b < 0 ? nullptr : v.part(at + 6, n).data;
  const Matrix<Real> Q = rotation_of(work, b);
  const Vector<Real> speed = b < 0 ? none : vector_of(v, at), omega = b < 0 ? none : vector_of(v, at + 3);
  const Real* rows = work.frame_rows.data + layout.frame_at[f];
  const Vector<Real> swept = cross(omega, vector_of(work.frame_p, f));
  const Vector<Real> bent = plus_product(none, rows, rate, n), turned = plus_product(none, rows + 3 * n, rate, n);
  const LineRates<Real> rates = line_rates(path, modal, rate);
  const Vector<Real> slope = combined(path, path.value[1], modal, 0);
  const Vector<Real> d = transposed_times(Q, vector_of(work.frame_r, path.follower) - vector_of(work.frame_r, f));
  const Vector<Real> away =
      transposed_times(Q, vector_of(work.frame_v, path.follower) - speed) - swept - cross(omega, d) - bent;
  const auto numbers = work.path[p];
  FaceNormal<Real> face{none, none, none};
  if (path.touch == FACE) face = face_normal(work, Q, path.follower, omega);
  const Real g_rate = path.touch == FACE ? dot(slope, face.rate)
                      : path.on_round()  ? round_rate(work, path, Q, omega, rates, slope, d, away)
                                         : dot(slope, away) + dot(d, rates.slope);
  const Real sdot = g_rate / numbers[PATH_CURVED];
  numbers[PATH_RATE] = sdot;
  const Vector<Real> moved = bent + sdot * slope, turning = sdot * vector_of(numbers, PATH_TURNING);
  put(work.frame_v, f, plus_product(speed, Q, swept + moved));
  put(work.frame_w, f, Q * (omega + turned) + turning);
  if (!with_bias) return;
  evaluate_curves(path, numbers[PATH_S]);
  const Vector<Real> curve = combined(path, path.value[2], modal, 0);
  // the material point and axes at s, as for a frame that does not slide
  const Vector<Real> theta = combined(path, path.value[0], modal, 3);
  const TangentCoefficients<Real> tangent = tangent_coefficients(theta);
  const Vector<Real> own_turn =
      tangent_rate(tangent, theta, rates.theta) + tangent_times(tangent, theta, rates.twist);
  put(numbers, PATH_BIAS, Q * (cross(omega, swept + 2.0 * bent) + rates.pull));
  put(numbers, PATH_BIAS + 3, Q * (cross(omega, turned) + own_turn));
  // the sliding ones
  Vector<Real> a =
      cross(omega, swept + 2.0 * moved) + rates.pull + (2.0 * sdot) * rates.slope + (sdot * sdot) * curve;
  const Vector<Real> of_follower = transposed_times(Q, vector_of(work.frame_a, path.follower));
  Real acceleration = 0.0;  // of a round follower it moves no row: the distance does not change with s
  if (path.touch == FACE) acceleration = touch_acceleration(path, face, slope, curve, sdot) / numbers[PATH_CURVED];
  if (path.touch == NEAREST) acceleration = dot(slope, of_follower - a) / dot(slope, slope);
  a += acceleration * slope;
  const Vector<Real> theta_s = combined(path, path.value[1], modal, 3);
  put(numbers, PATH_PASSING, Q * (sdot * (cross(omega, slope) + rates.slope)));
  put(numbers, PATH_PASSING + 3, Q * (sdot * turning_along(tangent, theta, theta_s, rates)));
  const Vector<Real> theta_ss = combined(path, path.value[2], modal, 3);
  const Vector<Real> thetadot = rates.theta + sdot * theta_s;
  const Vector<Real> second =
      rates.twist + (2.0 * sdot) * rates.turning + (sdot * sdot) * theta_ss + acceleration * theta_s;
  const auto turn = [&](Index k) { return exponential_times(tangent, theta, vector_of(numbers, k)); };
  const Vector<Real> own = turn(PATH_AXES_TURNING), change = turn(PATH_AXES_TURNING + 3);
  const Vector<Real> bending = tangent_times(tangent, theta, thetadot);
  Vector<Real> spin = tangent_rate(tangent, theta, thetadot) + tangent_times(tangent, theta, second);
  spin += sdot * cross(bending, own) + (sdot * sdot) * change + acceleration * own;
  numbers[PATH_ACCELERATION] = acceleration;
  put(work.frame_a, f, Q * a);
  put(work.frame_b, f, Q * (cross(omega, bending + sdot * own) + spin));
}

template void place_on_path<double>(const Layout&, Work<double>&, Vectors<double>, Reals<double>, Index);
template void move_on_path<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, bool, Index);

}  // namespace flexbody
