// Stiffness as rows of the iteration matrix: `K = l d l'`, so that the rows `l' g` have the compliances 1/d.
#pragma once
#include <cmath>

#include "../../../fem/core/array.hpp"

namespace flexbody {

// K (m, m) symmetric, its lower triangle; l replaces what is below the diagonal, and d the diagonal: zero where it is
// not positive.
template <class Real>
void factorise_stiffness(Array<Real, 2> K) {
  for (Index k = 0; k < K.shape[0]; ++k) {
    const Real whole = K(k, k);
    Real pivot = whole;
    for (Index j = 0; j < k; ++j) pivot -= K(k, j) * K(k, j) * K(j, j);
    const bool good = pivot > 1e-12 * std::abs(whole);
    K(k, k) = good ? pivot : Real(0.0);
    for (Index i = k + 1; i < K.shape[0]; ++i) {
      Real value = K(i, k);
      for (Index j = 0; j < k; ++j) value -= K(i, j) * K(k, j) * K(j, j);
      K(i, k) = good ? value / pivot : Real(0.0);
    }
  }
}

// 1/d, or -1 for a row that is left out.
template <class Real>
Real compliance_of(Real d) {
  return d > 0.0 ? 1.0 / d : -1.0;
}

}  // namespace flexbody
