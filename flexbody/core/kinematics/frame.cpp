// Pose, twist and bias acceleration of frames on bodies, see frame.hpp.
#include "frame.hpp"

#include "path.hpp"
#include "rotation.hpp"

namespace flexbody {

// y = S x of a second-order term, four rows at a time: sums of one row wait for each other.
template <class Real>
static void term_times(const double* S, const Real* x, Index n, Real* y) {
  Index i = 0;
  for (; i + 4 <= n; i += 4, S += 4 * n) {
    Real one = 0.0, two = 0.0, three = 0.0, four = 0.0;
    for (Index j = 0; j < n; ++j) {
      one += S[j] * x[j];
      two += S[n + j] * x[j];
      three += S[2 * n + j] * x[j];
      four += S[3 * n + j] * x[j];
    }
    y[i] = one, y[i + 1] = two, y[i + 2] = three, y[i + 3] = four;
  }
  for (; i < n; ++i, S += n) {
    y[i] = 0.0;
    for (Index j = 0; j < n; ++j) y[i] += S[j] * x[j];
  }
}

// The parts (3,) of a second-order term's direction for the place and for the rotation vector.
template <class Real>
FLEXBODY_INLINE static Vector<Real> place_part(const Layout& layout, Index m) {
  return {layout.term_direction(m, 0), layout.term_direction(m, 1), layout.term_direction(m, 2)};
}
template <class Real>
FLEXBODY_INLINE static Vector<Real> rotation_part(const Layout& layout, Index m) {
  return {layout.term_direction(m, 3), layout.term_direction(m, 4), layout.term_direction(m, 5)};
}

// r = c + Q p and R = Q A of frame f on body b; p and A (3, 3) in the body's base. Needs Q.
template <class Real>
FLEXBODY_INLINE static void carry(Work<Real>& work, Vectors<Real> c, Index b, Index f, const Vector<Real>& p,
                                  const Matrix<Real>& A) {
  const Matrix<Real> Q = matrix_of(work.Q, b);
  put(work.frame_p, f, p);
  put(work.frame_r, f, plus_product(vector_of(c, b), Q, p));
  for (Index l = 0; l < 3; ++l) {
    const Vector<Real> axis = Q * A.column(l);
    work.frame_R(f, 0, l) = axis.x, work.frame_R(f, 1, l) = axis.y, work.frame_R(f, 2, l) = axis.z;
  }
}

// p += alpha' GF alpha / 2, theta += alpha' GM alpha / 2 and Pi = Phi + GF alpha; leaves S alpha in work.term.
template <class Real>
static void bend_frame(const Layout& layout, Work<Real>& work, Index f, const Real* alpha, Index n, Vector<Real>& p,
                       Vector<Real>& theta) {
  const Index at = layout.frame_at[f];
  const double* Phi = layout.frame_modes.part(at, 3 * n).data;
  Real* Pi = work.frame_rows.part(at, 3 * n).data;
  for (Index i = 0; i < 3 * n; ++i) Pi[i] = Phi[i];
  for (Index m = layout.frame_term_at[f]; m < layout.frame_term_at[f + 1]; ++m) {
    const double* S = layout.term_value.part(layout.term_at[m], n * n).data;
    Real* term = work.term.part(layout.term_row[m], n).data;
    Real half = 0.0;
    term_times(S, alpha, n, term);
    for (Index i = 0; i < n; ++i) half += 0.5 * alpha[i] * term[i];
    const Vector<Real> direction = place_part<Real>(layout, m);
    p += half * direction;
    theta += half * rotation_part<Real>(layout, m);
    for (Index i = 0; i < n; ++i) {
      Pi[i] += direction.x * term[i];
      Pi[n + i] += direction.y * term[i];
      Pi[2 * n + i] += direction.z * term[i];
    }
  }
}

// T Th (3, N) of frame f: T (B + GM alpha), column by column. Needs bend_frame.
template <class Real>
static void place_rotations(const Layout& layout, Work<Real>& work, Index f, Index n,
                            const TangentCoefficients<Real>& tangent, const Vector<Real>& theta) {
  const Index at = layout.frame_at[f] + 3 * n;
  const double* B = layout.frame_modes.part(at, 3 * n).data;
  Real* rows = work.frame_rows.part(at, 3 * n).data;
  for (Index i = 0; i < n; ++i) {
    Vector<Real> column{B[i], B[n + i], B[2 * n + i]};
    for (Index m = layout.frame_term_at[f]; m < layout.frame_term_at[f + 1]; ++m)
      column += work.term[layout.term_row[m] + i] * rotation_part<Real>(layout, m);
    column = tangent_times(tangent, theta, column);
    rows[i] = column.x, rows[n + i] = column.y, rows[2 * n + i] = column.z;
  }
}

// Evaluate position, axes, Pi and T Th of frame f on the flexible body b.
template <class Real>
static void place_bent(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha, Index b, Index f) {
  const Index n = layout.body_modes[b], at = layout.frame_at[f];
  const Real* a = alpha.part(layout.alpha_at[b], n).data;
  const double* Phi = layout.frame_modes.part(at, 6 * n).data;
  const double* B = Phi + 3 * n;
  Vector<Real> p{layout.frame_x(f, 0), layout.frame_x(f, 1), layout.frame_x(f, 2)}, theta{0.0, 0.0, 0.0};
  p = plus_product(p, Phi, a, n);
  theta = plus_product(theta, B, a, n);
  if (layout.frame_term_at[f + 1] > layout.frame_term_at[f]) bend_frame(layout, work, f, a, n, p, theta);
  const TangentCoefficients<Real> tangent = tangent_coefficients(theta);
  Matrix<Real> A;
  for (Index l = 0; l < 3; ++l) {
    const Vector<Real> axis{layout.frame_A(f, 0, l), layout.frame_A(f, 1, l), layout.frame_A(f, 2, l)};
    const Vector<Real> bent = exponential_times(tangent, theta, axis);
    A(0, l) = bent.x, A(1, l) = bent.y, A(2, l) = bent.z;
  }
  place_rotations(layout, work, f, n, tangent, theta);
  carry(work, c, b, f, p, A);
}

template <class Real>
void place_frame(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha, Index f) {
  if (layout.frame_path[f] >= 0) {
    place_frame(layout, work, c, alpha, layout.path(layout.frame_path[f], PATH_FOLLOWER));
    place_on_path(layout, work, c, alpha, f);
    return;
  }
  const Index b = layout.frame_body[f];
  if (b >= 0 && layout.body_modes[b] > 0) {
    place_bent(layout, work, c, alpha, b, f);
    return;
  }
  const Vector<Real> p{layout.frame_x(f, 0), layout.frame_x(f, 1), layout.frame_x(f, 2)};
  Matrix<Real> A;
  for (Index k = 0; k < 3; ++k)
    for (Index l = 0; l < 3; ++l) A(k, l) = layout.frame_A(f, k, l);
  if (b >= 0) {
    carry(work, c, b, f, p, A);
  } else {
    put(work.frame_p, f, p);
    put(work.frame_r, f, p);
    put(work.frame_R, f, A);
  }
}

template <class Real>
void place_frames(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha) {
  for (Index f = 0; f < layout.frame_body.size(); ++f)
    if (layout.frame_path[f] < 0) place_frame(layout, work, c, alpha, f);
  for (Index p = 0; p < layout.path.shape[0]; ++p) place_on_path(layout, work, c, alpha, layout.path(p, PATH_FRAME));
}

namespace {

// What alpha. alone accelerates at a frame, in components of Q.
template <class Real>
struct RateTerms {
  Vector<Real> pull, turning;
};

}  // namespace

// GF and GM with the rates: pull = alpha.' GF alpha., turning = Tdot theta. + T (alpha.' GM alpha.). Needs
// place_bent.
template <class Real>
static RateTerms<Real> rate_terms(const Layout& layout, const Work<Real>& work, Index f, const Real* alpha,
                                  const Real* rate, Index n) {
  const Vector<Real> zero{0.0, 0.0, 0.0};
  const double* B = layout.frame_modes.part(layout.frame_at[f] + 3 * n, 3 * n).data;
  Vector<Real> theta = plus_product(zero, B, alpha, n), thetadot = plus_product(zero, B, rate, n);
  Vector<Real> pull = zero, twist = zero;
  Buffer<Real> of_rate(n);
  for (Index m = layout.frame_term_at[f]; m < layout.frame_term_at[f + 1]; ++m) {
    const double* S = layout.term_value.part(layout.term_at[m], n * n).data;
    const Real* term = work.term.part(layout.term_row[m], n).data;
    Real half = 0.0, first = 0.0, second = 0.0;  // of alpha' S alpha / 2, and its derivatives
    term_times(S, rate, n, of_rate.data);
    for (Index i = 0; i < n; ++i) {
      half += 0.5 * alpha[i] * term[i];
      first += rate[i] * term[i];
      second += rate[i] * of_rate[i];
    }
    const Vector<Real> direction = rotation_part<Real>(layout, m);
    theta += half * direction;
    thetadot += first * direction;
    pull += second * place_part<Real>(layout, m);
    twist += second * direction;
  }
  const TangentCoefficients<Real> tangent = tangent_coefficients(theta);
  const Vector<Real> turning = tangent_rate(tangent, theta, thetadot);
  return {pull, turning + tangent_times(tangent, theta, twist)};
}

// Evaluate the twist of frame f on body b, and if wanted its bias accelerations:
// v = c. + Q (omega x p + p.), w = Q (omega + T theta.), a = Q (omega x (omega x p + 2 p.) + pull),
// b = Q (omega x T theta. + turning).
template <class Real>
FLEXBODY_INLINE static void move_carried(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v,
                                         bool with_bias, Index b, Index f) {
  const Vector<Real> zero{0.0, 0.0, 0.0};
  const Index n = layout.body_modes[b], first = layout.v_at[b];
  const Real* rate = v.part(first + 6, n).data;
  const Real* rows = work.frame_rows.part(layout.frame_at[f], 6 * n).data;
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> omega = vector_of(v, first + 3);
  const Vector<Real> swept = cross(omega, vector_of(work.frame_p, f));
  const Vector<Real> pdot = plus_product(zero, rows, rate, n), turned = plus_product(zero, rows + 3 * n, rate, n);
  put(work.frame_v, f, plus_product(vector_of(v, first), Q, swept + pdot));
  put(work.frame_w, f, Q * (omega + turned));
  if (!with_bias) return;
  Vector<Real> a = cross(omega, swept + 2.0 * pdot), spin_rate = cross(omega, turned);
  if (n > 0) {
    const Real* modal = alpha.part(layout.alpha_at[b], n).data;
    const RateTerms<Real> terms = rate_terms(layout, work, f, modal, rate, n);
    a += terms.pull;
    spin_rate += terms.turning;
  }
  put(work.frame_a, f, Q * a);
  put(work.frame_b, f, Q * spin_rate);
}

template <class Real>
void move_frame(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v, bool with_bias, Index f) {
  const Vector<Real> zero{0.0, 0.0, 0.0};
  const Index b = layout.frame_body[f], path = layout.frame_path[f];
  if (path >= 0) {
    move_frame(layout, work, alpha, v, with_bias, layout.path(path, PATH_FOLLOWER));
    move_on_path(layout, work, alpha, v, with_bias, f);
  } else if (b >= 0) {
    move_carried(layout, work, alpha, v, with_bias, b, f);
  } else {
    put(work.frame_v, f, zero);
    put(work.frame_w, f, zero);
    put(work.frame_a, f, zero);
    put(work.frame_b, f, zero);
  }
}

template <class Real>
void move_frames(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v, bool with_bias) {
  for (Index f = 0; f < layout.frame_body.size(); ++f)
    if (layout.frame_path[f] < 0) move_frame(layout, work, alpha, v, with_bias, f);
  for (Index p = 0; p < layout.path.shape[0]; ++p)
    move_on_path(layout, work, alpha, v, with_bias, layout.path(p, PATH_FRAME));
}

template void place_frame<double>(const Layout&, Work<double>&, Vectors<double>, Reals<double>, Index);
template void place_frames<double>(const Layout&, Work<double>&, Vectors<double>, Reals<double>);
template void move_frame<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, bool, Index);
template void move_frames<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>, bool);

}  // namespace flexbody
