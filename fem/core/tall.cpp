// Products of tall matrices: few columns, and as many rows as a mesh has unknowns.
//
// One thread and always the same order of sums, so that the digits don't depend on the machine. Libraries of linear
// algebra share such short work between all processors, whose waiting for each other takes longer than the work.
#include "array.hpp"
#include "export.hpp"

namespace flexbody {

constexpr Index BLOCK = 256;  // rows that stay in the fastest memory

namespace {

// A matrix (n, k), its rows or its columns one after the other in memory.
template <class Real>
struct Tall {
  const Real* data;
  Index rows, columns;
  bool by_columns;

  // Rows first .. first + count - 1 as columns, `stride` apart; copied into a buffer (BLOCK columns) if need be.
  const Real* block(Index first, Index count, Real* buffer, Index& stride) const {
    stride = by_columns ? rows : BLOCK;
    if (by_columns) return data + first;
    for (Index r = 0; r < count; ++r)
      for (Index k = 0; k < columns; ++k) buffer[k * BLOCK + r] = data[(first + r) * columns + k];
    return buffer;
  }
};

}  // namespace

// a' b of n numbers, in four sums that don't wait for each other.
template <class Real>
static Real dot(const Real* a, const Real* b, Index n) {
  Real s0 = 0.0, s1 = 0.0, s2 = 0.0, s3 = 0.0;
  Index r = 0;
  for (; r + 4 <= n; r += 4) {
    s0 += a[r] * b[r];
    s1 += a[r + 1] * b[r + 1];
    s2 += a[r + 2] * b[r + 2];
    s3 += a[r + 3] * b[r + 3];
  }
  for (; r < n; ++r) s0 += a[r] * b[r];
  return (s0 + s1) + (s2 + s3);
}

// A' B (k, l) of A (n, k), B (n, l).
template <class Real>
static void inner(const Tall<Real>& A, const Tall<Real>& B, Array<Real, 2> out) {
  Buffer<Real> of_A(A.by_columns ? 0 : BLOCK * A.columns), of_B(B.by_columns ? 0 : BLOCK * B.columns);
  out.fill(0.0);
  for (Index first = 0; first < A.rows; first += BLOCK) {
    const Index count = smaller(BLOCK, A.rows - first);
    Index step_A, step_B;
    const Real *a = A.block(first, count, of_A.data, step_A), *b = B.block(first, count, of_B.data, step_B);
    for (Index i = 0; i < A.columns; ++i)
      for (Index j = 0; j < B.columns; ++j) out(i, j) += dot(a + i * step_A, b + j * step_B, count);
  }
}

// A S (n, l) of A (n, k), S (k, l).
template <class Real>
static void combine(const Tall<Real>& A, Array<const Real, 2> S, Array<Real, 2> out) {
  Buffer<Real> of_A(A.by_columns ? 0 : BLOCK * A.columns);
  Real sum[BLOCK];
  for (Index first = 0; first < A.rows; first += BLOCK) {
    const Index count = smaller(BLOCK, A.rows - first), l = S.shape[1];
    Index step;
    const Real* a = A.block(first, count, of_A.data, step);
    for (Index j = 0; j < l; ++j) {
      for (Index r = 0; r < count; ++r) sum[r] = 0.0;
      for (Index k = 0; k < A.columns; ++k) {
        const Real* __restrict column = a + k * step;
        const Real s = S(k, j);
        for (Index r = 0; r < count; ++r) sum[r] += s * column[r];
      }
      for (Index r = 0; r < count; ++r) out(first + r, j) = sum[r];
    }
  }
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void fem_tall_inner(Index n, Index k, Index l, const double* A, Index A_by_columns, const double* B,
                                    Index B_by_columns, double* out) {
  inner<double>({A, n, k, A_by_columns != 0}, {B, n, l, B_by_columns != 0}, {out, {k, l}});
}

FLEXBODY_EXPORT void fem_tall_combine(Index n, Index k, Index l, const double* A, Index A_by_columns, const double* S,
                                      double* out) {
  combine<double>({A, n, k, A_by_columns != 0}, {S, {k, l}}, {out, {n, l}});
}
