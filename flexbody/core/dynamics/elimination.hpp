// Block elimination of the equations of motion with constraints.
//
// [M G^T; G -1/s] [x; y] = [f; g] is solved body by body and joint by joint. Each body's own matrix has a Cholesky
// factor M = B B^T; with Y = B^-1 G^T the rows' Schur complement is S = Y^T Y + diag(0, 1/s), where rows meet only if
// they share a body. It is factorised in the order and with the fill that elimination.py found once for the system,
// so that the work grows linearly with the length of a chain or a tree.
//
// Rows that depend on earlier ones show as vanishing pivots and are left out; redundant constraints are left out from
// the start (Work.active). A deformation enters as a row with compliance 1/s, so that stiff springs between bodies
// keep the bodies' matrices apart.
//
// The matrix of a massless body is zero, and joints alone hold it. It gets an auxiliary mass D
// (Layout.auxiliary_mass) in `matrices`, which `solve` takes out again exactly. With the auxiliary mass the solution
// for a load D u on the massless bodies beside the given one is x(u) = x(0) + X u; the solution without it is that
// with u = x on the massless bodies. In weighted coordinates, x~ = B^T x, these few equations are (1 - P X P) u = P
// x~(0) with P the part of the massless bodies; the matrix is symmetric and its eigenvalues lie between 0 and 1. The
// method of conjugate gradients solves it in few steps, one for each different eigenvalue. Where nothing holds a
// massless body the eigenvalue is zero: u has no part there, so that such a motion goes on without acceleration. What
// resists least (Work.held) counts among the pivots.
#pragma once
#include "../../../fem/core/array.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// A pivot below this fraction of the row's own diagonal marks a dependent row. Redundant rows are left out beforehand
// (Work.active); a light body between heavy ones makes pivots of the ratio of their masses, so that only singular
// positions should come below this.
constexpr double PIVOT = 1e-13;
// A pivot below this has lost half of its digits: solutions are refined.
constexpr double CANCELLED = 1e-7;

// Auxiliary masses are taken out until this part of the loads on them is left, in so many steps at most, unless
// joints resist a motion by less than the last. Below RESISTANCE_KNOWN of the loads a motion is mixed with round-off,
// which nothing may hold, and tells no pivot.
constexpr double MOTION_LEFT = 1e-15, IDLE_RESISTANCE = 1e-12, RESISTANCE_KNOWN = 1e-11;
constexpr int GRADIENT_STEPS = 200;

// Whether there are massless bodies, which have an auxiliary mass.
inline bool has_massless(const Layout& layout) {
  for (Index b = 0; b < layout.auxiliary_mass.size(); ++b)
    if (layout.auxiliary_mass[b] > 0.0) return true;
  return false;
}

// The Cholesky factor B of a body's matrix (n, n), lower triangle, row by row; its diagonal is kept as reciprocals.
// The first `apart` velocities (three in a mean-displacement frame and of a rigid body, else none) are coupled to no
// other.
template <class Real>
struct BodyFactor {
  const Real* B;
  Index n, apart;

  // Six velocities, the translations apart: then sums are written out.
  bool is_plain() const { return n == 6 && apart == 3; }
};

template <class Real>
BodyFactor<Real> body_factor(const Layout& layout, const Work<Real>& work, Index b) {
  const Index n = 6 + layout.body_modes[b];
  return {work.matrix.part(layout.matrix_at[b], n * n).data, n, 3 * layout.body_mean[b]};
}

// x = B^-1 x of one body, x (n,).
template <class Real>
inline void forward_body(const BodyFactor<Real>& factor, Real* __restrict x) {
  const Real* __restrict B = factor.B;
  if (factor.is_plain()) {
    const Real x3 = x[3] * B[21];
    const Real x4 = (x[4] - B[27] * x3) * B[28];
    x[0] *= B[0];
    x[1] *= B[7];
    x[2] *= B[14];
    x[3] = x3;
    x[4] = x4;
    x[5] = (x[5] - B[33] * x3 - B[34] * x4) * B[35];
    return;
  }
  const Index n = factor.n, first = factor.apart;
  for (Index i = 0; i < first; ++i) x[i] *= B[i * n + i];
  for (Index i = first; i < n; ++i) {
    const Real* row = B + i * n;
    Real value = x[i];
    for (Index k = first; k < i; ++k) value -= row[k] * x[k];
    x[i] = value * row[i];
  }
}

// x = B^-T x of one body, x (n,).
template <class Real>
inline void backward_body(const BodyFactor<Real>& factor, Real* __restrict x) {
  const Real* __restrict B = factor.B;
  if (factor.is_plain()) {
    const Real x5 = x[5] * B[35];
    const Real x4 = (x[4] - B[34] * x5) * B[28];
    x[0] *= B[0];
    x[1] *= B[7];
    x[2] *= B[14];
    x[3] = (x[3] - B[33] * x5 - B[27] * x4) * B[21];
    x[4] = x4;
    x[5] = x5;
    return;
  }
  const Index n = factor.n, first = factor.apart;
  for (Index i = n - 1; i >= first; --i) {
    const Real* row = B + i * n;
    const Real value = x[i] * row[i];
    x[i] = value;
    for (Index k = first; k < i; ++k) x[k] -= row[k] * value;
  }
  for (Index i = 0; i < first; ++i) x[i] *= B[i * n + i];
}

// y . x of a row y of Y and a body's part of x, n each; the first six products are summed in pairs.
template <class Real>
FLEXBODY_INLINE Real row_times(const Real* y, const Real* x, Index n) {
  Real value = (y[0] * x[0] + y[1] * x[1]) + (y[2] * x[2] + y[3] * x[3]);
  value += y[4] * x[4] + y[5] * x[5];
  for (Index i = 6; i < n; ++i) value += y[i] * x[i];
  return value;
}

// Factorise each body's matrix in place, M = B B^T (lower triangle, reciprocal diagonal); false if one is not
// definite. In a mean-displacement frame, and of a rigid body, the translations are not coupled to the rest.
template <class Real>
bool factorise_bodies(const Layout& layout, Work<Real>& work);

// x = B^-1 x for all bodies, x (nv,). Needs `factorise_bodies`.
template <class Real>
void forward_bodies(const Layout& layout, const Work<Real>& work, Reals<Real> x);

// x = B^-T x for all bodies, x (nv,). Needs `factorise_bodies`.
template <class Real>
void backward_bodies(const Layout& layout, const Work<Real>& work, Reals<Real> x);

// Work.Y = B^-1 G^T and the entries of S = Y^T Y. Needs `factorise_bodies` and `blocks`.
template <class Real>
void fill_complement(const Layout& layout, Work<Real>& work);

// Factorise S in place, panel by panel; vanishing pivots leave their rows out.
template <class Real>
void factorise_rows(const Layout& layout, Work<Real>& work);

// Factorise with the bodies' matrices in Work.matrix and the rows in Work.G (`matrices`, `blocks`). compliance
// (m - nr,) holds 1/s of each deformation; a negative value leaves it out. False if a body's matrix is not
// positive definite.
template <class Real>
bool factorise(const Layout& layout, Work<Real>& work, Reals<Real> compliance);

// [M G^T; G -1/s] [x; y] = [f; g]: x (nv,) holds f on entry, right (m,) is g; x and y (m,) are the solution, without
// the auxiliary mass. Needs `factorise`.
//
// Where x is to be added to accelerations `before` (nv,), f has - D before at massless bodies, so that motions which
// nothing holds don't accelerate in the sum.
template <class Real>
void solve(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y,
           Reals<Real> before = {});

// As `solve` for f = 0: the smallest x in the metric of the bodies' matrices with G x = right.
template <class Real>
void solve_rows_only(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y);

// `solve` for right, x, y, and `solve_rows_only` for other (m,) and shift (nv,), at once: two right sides cost little
// more than one, as long as no digits are lost.
template <class Real>
void solve_two(const Layout& layout, Work<Real>& work, Reals<Real> right, Reals<Real> x, Reals<Real> y,
               Reals<Real> other, Reals<Real> shift, Reals<Real> before = {});

}  // namespace flexbody
