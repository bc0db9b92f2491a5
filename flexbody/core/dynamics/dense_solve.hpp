// Small dense systems of linear equations.
#pragma once
#include <cmath>
#include <utility>

#include "../../../fem/core/array.hpp"

namespace flexbody {

// A x = b, with x in place of b, by elimination with exchanges of rows; A (n, n), or with more columns, is
// overwritten. `b(i)` is entry i of the right side, which may be one of the columns of A from n on. A singular matrix
// gives NaN.
template <class Real, class Entry>
void dense_solve(const Array<Real, 2>& A, Entry b) {
  const Index n = A.shape[0];
  for (Index k = 0; k < n; ++k) {
    Index best = k;
    for (Index i = k + 1; i < n; ++i)
      if (std::abs(A(i, k)) > std::abs(A(best, k))) best = i;
    if (best != k) {
      for (Index j = k; j < n; ++j) std::swap(A(k, j), A(best, j));
      std::swap(b(k), b(best));
    }
    for (Index i = k + 1; i < n; ++i) {
      const Real factor = A(i, k) / A(k, k);
      for (Index j = k + 1; j < n; ++j) A(i, j) -= factor * A(k, j);
      b(i) -= factor * b(k);
    }
  }
  for (Index k = n - 1; k >= 0; --k) {
    for (Index j = k + 1; j < n; ++j) b(k) -= A(k, j) * b(j);
    b(k) /= A(k, k);
  }
}

}  // namespace flexbody
