// Vectors of three components and 3 x 3 matrices as values. Sums run from left to right.
#pragma once
#include "array.hpp"

namespace flexbody {

template <class Real>
struct Vector {
  Real x, y, z;

  Real& operator[](Index k) { return k == 0 ? x : k == 1 ? y : z; }
  const Real& operator[](Index k) const { return k == 0 ? x : k == 1 ? y : z; }
  Vector& operator+=(const Vector& b) {
    x += b.x, y += b.y, z += b.z;
    return *this;
  }
  Vector& operator-=(const Vector& b) {
    x -= b.x, y -= b.y, z -= b.z;
    return *this;
  }
};

template <class Real>
FLEXBODY_INLINE Vector<Real> operator+(const Vector<Real>& a, const Vector<Real>& b) {
  return {a.x + b.x, a.y + b.y, a.z + b.z};
}
template <class Real>
FLEXBODY_INLINE Vector<Real> operator-(const Vector<Real>& a, const Vector<Real>& b) {
  return {a.x - b.x, a.y - b.y, a.z - b.z};
}
template <class Real>
FLEXBODY_INLINE Vector<Real> operator-(const Vector<Real>& a) {
  return {-a.x, -a.y, -a.z};
}
template <class Real>
FLEXBODY_INLINE Vector<Real> operator*(std::type_identity_t<Real> s, const Vector<Real>& a) {
  return {s * a.x, s * a.y, s * a.z};
}
template <class Number, class Real>
FLEXBODY_INLINE auto dot(const Vector<Number>& a, const Vector<Real>& b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
template <class Real>
FLEXBODY_INLINE Vector<Real> cross(const Vector<Real>& a, const Vector<Real>& b) {
  return {a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

// A 3 x 3 matrix; m[k][l] is row k, column l.
template <class Real>
struct Matrix {
  Real m[3][3];

  Real& operator()(Index k, Index l) { return m[k][l]; }
  const Real& operator()(Index k, Index l) const { return m[k][l]; }
  Vector<Real> column(Index l) const { return {m[0][l], m[1][l], m[2][l]}; }
  Vector<Real> row(Index k) const { return {m[k][0], m[k][1], m[k][2]}; }
};

// A x.
template <class Real>
FLEXBODY_INLINE Vector<Real> operator*(const Matrix<Real>& A, const Vector<Real>& x) {
  return {dot(A.row(0), x), dot(A.row(1), x), dot(A.row(2), x)};
}
// A' x.
template <class Real>
FLEXBODY_INLINE Vector<Real> transposed_times(const Matrix<Real>& A, const Vector<Real>& x) {
  return {dot(A.column(0), x), dot(A.column(1), x), dot(A.column(2), x)};
}

// s + A x, each component summed from left to right.
template <class Real>
FLEXBODY_INLINE Vector<Real> plus_product(const Vector<Real>& s, const Matrix<Real>& A, const Vector<Real>& x) {
  return {s.x + A.m[0][0] * x.x + A.m[0][1] * x.y + A.m[0][2] * x.z,
          s.y + A.m[1][0] * x.x + A.m[1][1] * x.y + A.m[1][2] * x.z,
          s.z + A.m[2][0] * x.x + A.m[2][1] * x.y + A.m[2][2] * x.z};
}
// The same for M (3, n), row after row in memory.
template <class Number, class Real>
FLEXBODY_INLINE Vector<Real> plus_product(Vector<Real> s, const Number* M, const Real* x, Index n) {
  for (Index i = 0; i < n; ++i) {
    s.x += M[i] * x[i];
    s.y += M[n + i] * x[i];
    s.z += M[2 * n + i] * x[i];
  }
  return s;
}
// s + a x b, each component summed from left to right.
template <class Real>
FLEXBODY_INLINE Vector<Real> plus_cross(const Vector<Real>& s, const Vector<Real>& a, const Vector<Real>& b) {
  return {s.x + a.y * b.z - a.z * b.y, s.y + a.z * b.x - a.x * b.z, s.z + a.x * b.y - a.y * b.x};
}

// What lies in an array at an index, or from a place on; matrices of arrays (., 3, 3).
template <class T>
FLEXBODY_INLINE Vector<std::remove_const_t<T>> vector_of(const Array<T, 1>& a, Index at = 0) {
  return {a[at], a[at + 1], a[at + 2]};
}
template <class T, Index... W>
FLEXBODY_INLINE Vector<std::remove_const_t<T>> vector_of(const Array<T, 2, W...>& a, Index i) {
  return {a(i, 0), a(i, 1), a(i, 2)};
}
template <class T, Index... W>
FLEXBODY_INLINE Vector<std::remove_const_t<T>> vector_of(const Array<T, 3, W...>& a, Index i, Index j) {
  return {a(i, j, 0), a(i, j, 1), a(i, j, 2)};
}
template <class T, Index... W>
FLEXBODY_INLINE Matrix<std::remove_const_t<T>> matrix_of(const Array<T, 3, W...>& a, Index i) {
  const T* m = &a(i, 0, 0);
  return {{{m[0], m[1], m[2]}, {m[3], m[4], m[5]}, {m[6], m[7], m[8]}}};
}
template <class T, Index... W>
FLEXBODY_INLINE Matrix<std::remove_const_t<T>> matrix_of(const Array<T, 2, W...>& a) {
  return {{{a(0, 0), a(0, 1), a(0, 2)}, {a(1, 0), a(1, 1), a(1, 2)}, {a(2, 0), a(2, 1), a(2, 2)}}};
}
// Column l of the matrix at an index.
template <class T, Index... W>
FLEXBODY_INLINE Vector<std::remove_const_t<T>> column_of(const Array<T, 3, W...>& a, Index i, Index l) {
  return {a(i, 0, l), a(i, 1, l), a(i, 2, l)};
}

template <class T>
FLEXBODY_INLINE void put(const Array<T, 1>& a, Index at, const Vector<T>& x) {
  a[at] = x.x, a[at + 1] = x.y, a[at + 2] = x.z;
}
template <class T, Index... W>
FLEXBODY_INLINE void put(const Array<T, 2, W...>& a, Index i, const Vector<T>& x) {
  a(i, 0) = x.x, a(i, 1) = x.y, a(i, 2) = x.z;
}
template <class T, Index... W>
FLEXBODY_INLINE void put(const Array<T, 3, W...>& a, Index i, Index j, const Vector<T>& x) {
  a(i, j, 0) = x.x, a(i, j, 1) = x.y, a(i, j, 2) = x.z;
}
template <class T, Index... W>
FLEXBODY_INLINE void put(const Array<T, 3, W...>& a, Index i, const Matrix<T>& A) {
  T* m = &a(i, 0, 0);
  m[0] = A.m[0][0], m[1] = A.m[0][1], m[2] = A.m[0][2];
  m[3] = A.m[1][0], m[4] = A.m[1][1], m[5] = A.m[1][2];
  m[6] = A.m[2][0], m[7] = A.m[2][1], m[8] = A.m[2][2];
}

}  // namespace flexbody
