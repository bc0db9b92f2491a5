// Base functions that follow contacts, see following_shapes.hpp.
#include "following_shapes.hpp"

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../dynamics/dense_solve.hpp"
#include "../kinematics/path.hpp"

namespace flexbody {

namespace {

// Number of powers of a curve's polynomials: cubic splines.
constexpr Index POWERS = 4;

// The arrays of a set of shapes: r coordinates, m curves, N modal coordinates. Matrices have a row for each
// coordinate, or for each equation of beta.
template <class Real>
struct ShapeSet {
  Index body, first, r, m, n, curve;
  const double* F;              // (r, N)
  Real *eta, *rate;             // (r,)
  Real* A[3];                   // (r, m), with derivatives by s
  Real *V, *beta, *dot, *ddot;  // (m, m), (m,) beta, beta. and beta.. for zero vdot
  Real* WF;                     // (m, N) W' F
  Real *g, *modal;              // (r - m, m), (r - m, N) of the rows

  ShapeSet(const Layout& layout, const Work<Real>& work, Index set)
      : body(layout.shape_set(set, SET_BODY)),
        first(layout.shape_set(set, SET_ROW)),
        r(layout.shape_set(set, SET_SIZE)),
        m(layout.shape_set(set, SET_CURVES)),
        n(layout.body_modes[body]),
        curve(layout.shape_set(set, SET_CURVE_AT)),
        F(layout.shape_value.data + layout.shape_set(set, SET_VALUE_AT)) {
    Real* at = work.shape.data + layout.shape_set(set, SET_WORK_AT);
    const auto take = [&](Index size) {
      Real* const here = at;
      at += size;
      return here;
    };
    eta = take(r), rate = take(r);
    for (Real*& derivative : A) derivative = take(r * m);
    V = take(m * m), beta = take(m), dot = take(m), ddot = take(m), WF = take(m * n);
    g = take((r - m) * m), modal = take((r - m) * n);
  }

  // Entry (l, p) of W.
  Real W(Index l, Index p) const { return A[0][l * m + p] + (l == p ? 1.0 : 0.0); }

  // x = V^-1 x, or V^-T x; x (m,).
  void solve(Real* x, bool transposed) const {
    Buffer<Real, 2, 16> matrix(m, m);
    for (Index p = 0; p < m; ++p)
      for (Index j = 0; j < m; ++j) matrix(p, j) = transposed ? V[j * m + p] : V[p * m + j];
    dense_solve(matrix.view(), [&](Index i) -> Real& { return x[i]; });
  }
};

}  // namespace

// The curve j of a set at its path coordinate, with two derivatives, in column j of A.
template <class Real>
static void evaluate_curve(const Layout& layout, const Work<Real>& work, const ShapeSet<Real>& set, Index j) {
  const Index c = set.curve + j, segments = layout.shape_curve(c, CURVE_SEGMENTS);
  const double* breaks = layout.shape_value.data + layout.shape_curve(c, CURVE_VALUE_AT);
  Real s = work.path(layout.shape_curve(c, CURVE_PATH), PATH_S);
  const double length = breaks[segments] - breaks[0];
  if (layout.shape_curve(c, CURVE_CLOSED) != 0) s -= length * std::floor((s - breaks[0]) / length);
  Index low = 0, high = segments;
  while (high - low > 1) {
    const Index middle = (low + high) / 2;
    (breaks[middle] <= s ? low : high) = middle;
  }
  const double* power = breaks + segments + 1 + low * POWERS * set.r;
  const Real x = s - breaks[low];
  for (Index l = 0; l < set.r; ++l, ++power) {
    const double a = power[0], b = power[set.r], c2 = power[2 * set.r], d = power[3 * set.r];
    set.A[0][l * set.m + j] = a + x * (b + x * (c2 + x * d));
    set.A[1][l * set.m + j] = b + x * (2.0 * c2 + 3.0 * x * d);
    set.A[2][l * set.m + j] = 2.0 * c2 + 6.0 * x * d;
  }
}

// V, beta, and the rows' derivatives by the modal coordinates.
template <class Real>
static void solve_set(const ShapeSet<Real>& set) {
  const Index r = set.r, m = set.m, n = set.n;
  for (Index p = 0; p < m; ++p) {
    set.beta[p] = 0.0;
    for (Index i = 0; i < n; ++i) set.WF[p * n + i] = 0.0;
    for (Index j = 0; j < m; ++j) set.V[p * m + j] = 0.0;
    for (Index l = 0; l < r; ++l) {
      const Real w = set.W(l, p);
      set.beta[p] += w * set.eta[l];
      for (Index j = 0; j < m; ++j) set.V[p * m + j] += w * set.A[0][l * m + j];
      for (Index i = 0; i < n; ++i) set.WF[p * n + i] += w * set.F[l * n + i];
    }
  }
  set.solve(set.beta, false);
  for (Index l = m; l < r; ++l) {
    Real *g = set.g + (l - m) * m, *modal = set.modal + (l - m) * n;
    for (Index p = 0; p < m; ++p) g[p] = set.A[0][l * m + p];
    set.solve(g, true);
    for (Index i = 0; i < n; ++i) modal[i] = set.F[l * n + i];
    for (Index p = 0; p < m; ++p)
      for (Index i = 0; i < n; ++i) modal[i] -= g[p] * set.WF[p * n + i];
  }
}

template <class Real>
void place_shapes(const Layout& layout, Work<Real>& work, Reals<Real> alpha) {
  for (Index k = 0; k < layout.shape_set.shape[0]; ++k) {
    const ShapeSet<Real> set(layout, work, k);
    const Real* modal = alpha.part(layout.alpha_at[set.body], set.n).data;
    for (Index l = 0; l < set.r; ++l) {
      set.eta[l] = 0.0;
      for (Index i = 0; i < set.n; ++i) set.eta[l] += set.F[l * set.n + i] * modal[i];
    }
    for (Index j = 0; j < set.m; ++j) evaluate_curve(layout, work, set, j);
    solve_set(set);
  }
}

template <class Real>
void move_shapes(const Layout& layout, Work<Real>& work, Reals<Real> v) {
  for (Index k = 0; k < layout.shape_set.shape[0]; ++k) {
    const ShapeSet<Real> set(layout, work, k);
    const Real* modal = v.part(layout.v_at[set.body] + 6, set.n).data;
    for (Index l = 0; l < set.r; ++l) {
      set.rate[l] = 0.0;
      for (Index i = 0; i < set.n; ++i) set.rate[l] += set.F[l * set.n + i] * modal[i];
    }
  }
}

namespace {

// A. and A.. of curve j at coordinate l, for zero vdot.
template <class Real>
struct Moved {
  Real first, second;
};

}  // namespace

template <class Real>
static Moved<Real> moved(const Layout& layout, const Work<Real>& work, const ShapeSet<Real>& set, Index l, Index j) {
  const auto path = work.path[layout.shape_curve(set.curve + j, CURVE_PATH)];
  const Real rate = path[PATH_RATE], slope = set.A[1][l * set.m + j];
  return {slope * rate, set.A[2][l * set.m + j] * rate * rate + slope * path[PATH_ACCELERATION]};
}

// V beta. = W' eta. + A.' (eta - A beta) - W' A. beta
// V beta.. = 2 A.' eta. + A..' eta - 2 V. beta. - V.. beta,   V. = A.'A + W'A.,   V.. = A..'A + 2 A.'A. + W'A..
template <class Real>
void accelerate_shapes(const Layout& layout, const Work<Real>& work) {
  for (Index k = 0; k < layout.shape_set.shape[0]; ++k) {
    const ShapeSet<Real> set(layout, work, k);
    const Index r = set.r, m = set.m;
    Buffer<Real> left(r), first(r), second(r), along(r);  // eta - A beta, A. beta, A.. beta, A beta.
    for (Index l = 0; l < r; ++l) {
      left[l] = set.eta[l], first[l] = second[l] = 0.0;
      for (Index j = 0; j < m; ++j) {
        const Moved<Real> a = moved(layout, work, set, l, j);
        left[l] -= set.A[0][l * m + j] * set.beta[j];
        first[l] += a.first * set.beta[j];
        second[l] += a.second * set.beta[j];
      }
    }
    for (Index p = 0; p < m; ++p) {
      set.dot[p] = 0.0;
      for (Index l = 0; l < r; ++l)
        set.dot[p] += set.W(l, p) * (set.rate[l] - first[l]) + moved(layout, work, set, l, p).first * left[l];
    }
    set.solve(set.dot, false);
    for (Index l = 0; l < r; ++l) {
      along[l] = 0.0;
      for (Index j = 0; j < m; ++j) {
        along[l] += set.A[0][l * m + j] * set.dot[j];
        second[l] += 2.0 * moved(layout, work, set, l, j).first * set.dot[j];  // A.. beta + 2 A. beta.
      }
    }
    for (Index p = 0; p < m; ++p) {
      set.ddot[p] = 0.0;
      for (Index l = 0; l < r; ++l) {
        const Moved<Real> a = moved(layout, work, set, l, p);
        set.ddot[p] += 2.0 * a.first * (set.rate[l] - along[l] - first[l]) + a.second * left[l];
        set.ddot[p] -= set.W(l, p) * second[l];
      }
    }
    set.solve(set.ddot, false);
  }
}

// The coordinate l of row k.
static Index coordinate_of(const Layout& layout, Index k) {
  return layout.row_frame(k, ROW_SECOND_AXIS);
}

template <class Real>
Real shape_row(const Layout& layout, Work<Real>& work, Index k) {
  const ShapeSet<Real> set(layout, work, layout.row_frame(k, ROW_FIRST_AXIS));
  const Index l = coordinate_of(layout, k), m = set.m, first = layout.row_leg_at[k];
  const Real* g = set.g + (l - m) * m;
  Real value = set.eta[l];
  for (Index j = 0; j < m; ++j) value -= set.A[0][l * m + j] * set.beta[j];
  work.leg_slope.part(first, layout.row_leg_at[k + 1] - first).fill(0.0);
  for (Index j = 0; j < m; ++j) {
    Real by_s = -set.A[1][l * m + j] * set.beta[j];
    for (Index i = 0; i < set.r; ++i) {
      const Real slope = set.A[1][i * m + j];
      Real left = set.eta[i], weight = 0.0;
      for (Index p = 0; p < m; ++p) {
        left -= set.A[0][i * m + p] * set.beta[p];
        weight += g[p] * set.W(i, p);
      }
      by_s += slope * (weight * set.beta[j] - g[j] * left);
    }
    const Index leg = first + layout.shape_curve(set.curve + j, CURVE_LEG);
    const PathSlope<Real> of_s = path_slope(layout, work, layout.shape_curve(set.curve + j, CURVE_PATH));
    const Vector<Real> parts[4] = {of_s.first_r, of_s.first_theta, of_s.second_r, of_s.second_theta};
    for (Index side = 0; side < 4; ++side)
      for (Index c = 0; c < 3; ++c) work.leg_slope(leg + side / 2, side % 2, c) += by_s * parts[side][c];
  }
  return value;
}

template <class Real>
Real shape_bias(const Layout& layout, const Work<Real>& work, Index k) {
  const ShapeSet<Real> set(layout, work, layout.row_frame(k, ROW_FIRST_AXIS));
  const Index l = coordinate_of(layout, k);
  Real value = 0.0;
  for (Index j = 0; j < set.m; ++j) {
    const Moved<Real> a = moved(layout, work, set, l, j);
    value -= set.A[0][l * set.m + j] * set.ddot[j] + 2.0 * a.first * set.dot[j] + a.second * set.beta[j];
  }
  return value;
}

template <class Real>
const Real* shape_modal(const Layout& layout, const Work<Real>& work, Index k, Index b) {
  if (layout.row_kind[k] != FOLLOWING) return nullptr;
  const ShapeSet<Real> set(layout, work, layout.row_frame(k, ROW_FIRST_AXIS));
  return set.body == b ? set.modal + (k - set.first) * set.n : nullptr;
}

template <class Real>
void add_shape_rates(const Layout& layout, const Work<Real>& work, Reals<Real> out) {
  for (Index k = 0; k < layout.shape_set.shape[0]; ++k) {
    const ShapeSet<Real> set(layout, work, k);
    const Index m = set.m;
    Buffer<Real> weighed(m);  // W' eta.
    for (Index p = 0; p < m; ++p) {
      weighed[p] = 0.0;
      for (Index l = 0; l < set.r; ++l) weighed[p] += set.W(l, p) * set.rate[l];
    }
    for (Index l = m; l < set.r; ++l) {
      Real rate = set.rate[l];
      for (Index p = 0; p < m; ++p) rate -= set.g[(l - m) * m + p] * weighed[p];
      out[set.first + l - m] += rate;
    }
  }
}

template <class Real>
void add_shape_loads(const Layout& layout, Work<Real>& work, Reals<Real> multipliers) {
  for (Index k = 0; k < layout.shape_set.shape[0]; ++k) {
    const ShapeSet<Real> set(layout, work, k);
    Real* out = work.residual.part(layout.v_at[set.body] + 6, set.n).data;
    for (Index l = 0; l < set.r - set.m; ++l) {
      const Real factor = multipliers[set.first + l];
      for (Index i = 0; i < set.n; ++i) out[i] += factor * set.modal[l * set.n + i];
    }
  }
}

template <class Real>
void add_shape_blocks(const Layout& layout, Work<Real>& work) {
  for (Index k = 0; k < layout.shape_set.shape[0]; ++k) {
    const ShapeSet<Real> set(layout, work, k);
    for (Index l = 0; l < set.r - set.m; ++l) {
      Index side = layout.row_side_at[set.first + l];
      while (layout.side_body[side] != set.body) ++side;
      Real* out = work.G.part(layout.side_block[side] + 6, set.n).data;
      for (Index i = 0; i < set.n; ++i) out[i] += set.modal[l * set.n + i];
    }
  }
}

template void place_shapes<double>(const Layout&, Work<double>&, Reals<double>);
template void move_shapes<double>(const Layout&, Work<double>&, Reals<double>);
template void accelerate_shapes<double>(const Layout&, const Work<double>&);
template double shape_row<double>(const Layout&, Work<double>&, Index);
template double shape_bias<double>(const Layout&, const Work<double>&, Index);
template const double* shape_modal<double>(const Layout&, const Work<double>&, Index, Index);
template void add_shape_rates<double>(const Layout&, const Work<double>&, Reals<double>);
template void add_shape_loads<double>(const Layout&, Work<double>&, Reals<double>);
template void add_shape_blocks<double>(const Layout&, Work<double>&);

}  // namespace flexbody
