// Symmetric equations `K x = b` whose matrix need not be definite, nor regular.
//
// Unknowns of one block (three translations, three rotations) share a scale, the root of their largest diagonal. A
// definite matrix has a Cholesky factor. Another one is taken apart into eigenvectors (Jacobi's method): x follows
// the eigenvalues' absolute values, and has no part along vectors that nothing resists.
#pragma once
#include <cmath>

#include "../../../fem/core/array.hpp"

namespace flexbody {

template <class Real>
class SymmetricSystem {
 public:
  // block (n,) is the number of each unknown's block.
  SymmetricSystem(Index n, Array<Index, 1> block)
      : n_(n), block_(block), K_(n, n), factor_(n, n), vectors_(n, n), scale_(n), value_(n), part_(n) {}

  // K (n, n), to be filled before `factorise`.
  Array<Real, 2> matrix() { return K_.view(); }

  void factorise() {
    rescale();
    definite_ = cholesky();
    if (!definite_) eigenvectors();
  }

  bool definite() const { return definite_; }

  // The largest diagonal.
  Real largest() const {
    Real found = 0.0;
    for (Index i = 0; i < n_; ++i) found = larger(found, Real(std::abs(K_(i, i))));
    return found;
  }

  // The least eigenvalue of the scaled matrix; 0 for a definite one.
  Real least() const {
    Real found = 0.0;
    for (Index i = 0; i < n_ && !definite_; ++i) found = smaller(found, Real(value_[i]));
    return found;
  }

  void solve(Reals<Real> b, Reals<Real> x) {
    for (Index i = 0; i < n_; ++i) x[i] = b[i] / scale_[i];
    if (definite_) {
      solve_cholesky(x);
    } else {
      project(x);
      x.fill(0.0);
      for (Index l = 0; l < n_; ++l) {
        if (std::abs(value_[l]) <= LEAST) continue;
        const Real part = part_[l] / std::abs(value_[l]);
        for (Index i = 0; i < n_; ++i) x[i] += part * vectors_(i, l);
      }
    }
    for (Index i = 0; i < n_; ++i) x[i] /= scale_[i];
  }

  // The length of the part of b that nothing resists.
  Real idle_part(Reals<Real> b) {
    if (definite_) return 0.0;
    Real sum = 0.0;
    for (Index l = 0; l < n_; ++l) {
      if (std::abs(value_[l]) > LEAST) continue;
      Real along = 0.0, size = 0.0;
      for (Index i = 0; i < n_; ++i) along += b[i] * vectors_(i, l) / scale_[i];
      for (Index i = 0; i < n_; ++i) size += square(vectors_(i, l) / scale_[i]);
      sum += along * along / size;
    }
    return std::sqrt(sum);
  }

 private:
  // Smaller eigenvalues of the scaled matrix, and smaller pivots, are round-off of differences
  static constexpr double LEAST = 1e-9;

  void rescale() {
    for (Index i = 0; i < n_; ++i) {
      Real largest = 0.0;
      for (Index j = 0; j < n_; ++j)
        if (block_[j] == block_[i]) largest = larger(largest, Real(std::abs(K_(j, j))));
      scale_[i] = largest > 0.0 ? std::sqrt(largest) : Real(1.0);
    }
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) factor_(i, j) = K_(i, j) / (scale_[i] * scale_[j]);
  }

  bool cholesky() {
    for (Index j = 0; j < n_; ++j) {
      Real pivot = factor_(j, j);
      for (Index l = 0; l < j; ++l) pivot -= square(factor_(j, l));
      if (!(pivot > LEAST)) return false;
      factor_(j, j) = std::sqrt(pivot);
      for (Index i = j + 1; i < n_; ++i) {
        Real value = factor_(i, j);
        for (Index l = 0; l < j; ++l) value -= factor_(i, l) * factor_(j, l);
        factor_(i, j) = value / factor_(j, j);
      }
    }
    return true;
  }

  void solve_cholesky(Reals<Real> x) const {
    for (Index i = 0; i < n_; ++i) {
      for (Index l = 0; l < i; ++l) x[i] -= factor_(i, l) * x[l];
      x[i] /= factor_(i, i);
    }
    for (Index i = n_ - 1; i >= 0; --i) {
      for (Index l = i + 1; l < n_; ++l) x[i] -= factor_(l, i) * x[l];
      x[i] /= factor_(i, i);
    }
  }

  // part = vectors' x.
  void project(Reals<Real> x) {
    for (Index l = 0; l < n_; ++l) {
      part_[l] = 0.0;
      for (Index i = 0; i < n_; ++i) part_[l] += vectors_(i, l) * x[i];
    }
  }

  // value, vectors of the scaled matrix by Jacobi's rotations (Golub and Van Loan, Matrix Computations, 8.5).
  void eigenvectors() {
    Array<Real, 2> A = factor_.view();
    for (Index i = 0; i < n_; ++i)
      for (Index j = 0; j < n_; ++j) {
        A(i, j) = K_(i, j) / (scale_[i] * scale_[j]);
        vectors_(i, j) = i == j ? 1.0 : 0.0;
      }
    for (int sweep = 0; sweep < 30; ++sweep) {
      Real off = 0.0;
      for (Index p = 0; p < n_; ++p)
        for (Index q = 0; q < p; ++q) off += square(A(p, q));
      if (!(off > 1e-26)) break;
      for (Index p = 0; p < n_; ++p)
        for (Index q = p + 1; q < n_; ++q)
          if (A(p, q) != 0.0) rotate(A, p, q);
    }
    for (Index i = 0; i < n_; ++i) value_[i] = A(i, i);
  }

  // Turn the coordinates p and q so that A_pq vanishes.
  void rotate(Array<Real, 2> A, Index p, Index q) {
    const Real tau = (A(q, q) - A(p, p)) / (2.0 * A(p, q));
    const Real t = (tau >= 0.0 ? 1.0 : -1.0) / (std::abs(tau) + std::sqrt(1.0 + tau * tau));
    const Real c = 1.0 / std::sqrt(1.0 + t * t), s = t * c;
    const auto turn = [&](Real& first, Real& second) {
      const Real x = first, y = second;
      first = c * x - s * y, second = s * x + c * y;
    };
    for (Index i = 0; i < n_; ++i) turn(A(i, p), A(i, q));
    for (Index i = 0; i < n_; ++i) turn(A(p, i), A(q, i));
    for (Index i = 0; i < n_; ++i) turn(vectors_(i, p), vectors_(i, q));
  }

  Index n_;
  Array<Index, 1> block_;
  Buffer<Real, 2> K_, factor_, vectors_;
  Buffer<Real> scale_, value_, part_;
  bool definite_ = false;
};

}  // namespace flexbody
