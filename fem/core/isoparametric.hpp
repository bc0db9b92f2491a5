// Isoparametric solids, x(xi) = sum_i N_i(xi) x_i: the Jacobian, gradients, and products of gradients.
//
// Arrays: X (nn, 3) nodal coordinates of an element, dN (nn, 3) gradients of its nn shape functions in the reference
// element, at one point. Gradients g (3, n) in space hold one component of all n functions in a row, so that the
// innermost loops run along rows. What belongs to two nodes i <= j stands in the column of their pair: pairs of i = 0
// first, and in each the j from i on. What belongs to the reference element depends on no variable: it stays double.
#pragma once
#include "array.hpp"
#include "vector.hpp"

namespace flexbody {

using Numbers2 = Array<const double, 2>;  // of the reference element
using Numbers3 = Array<const double, 3>;

// J_ab = d x_a / d xi_b = sum_i x_ia dN_ib.
template <class Real>
inline Matrix<Real> jacobian(const Array<const Real, 2>& X, const Numbers2& dN) {
  Matrix<Real> J{};
  for (Index i = 0; i < X.shape[0]; ++i)
    for (Index a = 0; a < 3; ++a)
      for (Index b = 0; b < 3; ++b) J(a, b) += X(i, a) * dN(i, b);
  return J;
}

template <class Real>
inline Real determinant(const Matrix<Real>& J) {
  return J(0, 0) * (J(1, 1) * J(2, 2) - J(1, 2) * J(2, 1)) - J(0, 1) * (J(1, 0) * J(2, 2) - J(1, 2) * J(2, 0)) +
         J(0, 2) * (J(1, 0) * J(2, 1) - J(1, 1) * J(2, 0));
}

// What a Jacobian is needed for.
template <class Real>
struct Inverse {
  Matrix<Real> inverse;
  Real determinant;
};

// J^-1 = adj J / det J.
template <class Real>
inline Inverse<Real> inverted(const Matrix<Real>& J) {
  const Real det = determinant(J), r = 1.0 / det;
  return {{{{(J(1, 1) * J(2, 2) - J(1, 2) * J(2, 1)) * r, (J(0, 2) * J(2, 1) - J(0, 1) * J(2, 2)) * r,
             (J(0, 1) * J(1, 2) - J(0, 2) * J(1, 1)) * r},
            {(J(1, 2) * J(2, 0) - J(1, 0) * J(2, 2)) * r, (J(0, 0) * J(2, 2) - J(0, 2) * J(2, 0)) * r,
             (J(0, 2) * J(1, 0) - J(0, 0) * J(1, 2)) * r},
            {(J(1, 0) * J(2, 1) - J(1, 1) * J(2, 0)) * r, (J(0, 1) * J(2, 0) - J(0, 0) * J(2, 1)) * r,
             (J(0, 0) * J(1, 1) - J(0, 1) * J(1, 0)) * r}}},
          det};
}

// The number of pairs i <= j of n functions.
inline Index pairs_of(Index n) {
  return n * (n + 1) / 2;
}

// g_ai = d N_i / d x_a = sum_b dN_ib (J^-1)_ba into the first nn columns of g (3, n); returns det J.
template <class Real>
Real gradients(Array<const Real, 2> X, Numbers2 dN, Array<Real, 2> g);

// G_ab,ij += c g_ai g_bj for i <= j: g (3, n), G (9, pairs) with row 3a + b.
template <class Real>
void add_products(Real c, Given<Real, 2> g, Array<Real, 2> G);

}  // namespace flexbody
