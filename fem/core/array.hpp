// Views of arrays that Python owns: row by row (C order), without copies, checked in the debug build.
#pragma once
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <type_traits>

// Before small functions of the innermost loops: a call would cost as much as what they do.
#if defined(_MSC_VER)
#define FLEXBODY_INLINE __forceinline
#else
#define FLEXBODY_INLINE __attribute__((always_inline)) inline
#endif

// Before the innermost loops where their length may be a small constant: they are written out.
#if defined(__GNUC__) && !defined(__clang__)
#define FLEXBODY_UNROLL _Pragma("GCC unroll 8")
#else
#define FLEXBODY_UNROLL
#endif

namespace flexbody {

using Index = std::int64_t;

constexpr double PI = 3.14159265358979323846;
constexpr double NaN = std::numeric_limits<double>::quiet_NaN();
constexpr double INF = std::numeric_limits<double>::infinity();

// Stop where an index lies outside its array: only in the debug build (FLEXBODY_CHECK=1).
inline void check_index([[maybe_unused]] Index i, [[maybe_unused]] Index size) {
#ifdef FLEXBODY_CHECK
  if (i < 0 || i >= size) {
    std::fprintf(stderr, "flexbody core: index %lld is outside an array of %lld\n", (long long)i, (long long)size);
    std::abort();
  }
#endif
}

// An array of N dimensions, the last of which may be constants (Width), so that places are found without a product;
// `a(i, j)` is an entry, `a[i]` a row (an entry if N is 1).
template <class T, int N, Index... Width>
struct Array {
  static_assert(sizeof...(Width) < N, "the first dimension is no constant");

  T* data;
  Index shape[N];

  operator Array<T, N>() const
    requires(sizeof...(Width) > 0)
  {
    Array<T, N> out{data, {}};
    for (int d = 0; d < N; ++d) out.shape[d] = shape[d];
    return out;
  }

  FLEXBODY_INLINE Index extent(int d) const {
    constexpr int given = N - int(sizeof...(Width));
    constexpr Index width[] = {Width..., 0};
    return d < given ? shape[d] : width[d - given];
  }

  // The entries of a row.
  FLEXBODY_INLINE Index width() const {
    Index n = 1;
    for (int d = 1; d < N; ++d) n *= extent(d);
    return n;
  }

  FLEXBODY_INLINE Index size() const { return shape[0] * width(); }

  template <class... I>
  FLEXBODY_INLINE T& operator()(I... indices) const {
    static_assert(sizeof...(I) == N, "one index for each dimension");
    const Index at[N] = {Index(indices)...};
    Index place = 0;
    for (int d = 0; d < N; ++d) {
      check_index(at[d], shape[d]);
      place = place * extent(d) + at[d];
    }
    return data[place];
  }

  FLEXBODY_INLINE decltype(auto) operator[](Index i) const {
    check_index(i, shape[0]);
    if constexpr (N == 1) {
      return (data[i]);
    } else {
      auto row = row_type();
      row.data = data + i * width();
      for (int d = 1; d < N; ++d) row.shape[d - 1] = extent(d);
      return row;
    }
  }

  // Entries first .. first + count - 1 along the first dimension.
  Array part(Index first, Index count) const {
    Array out = *this;
#ifdef FLEXBODY_CHECK
    if (count > 0) check_index(first, shape[0]), check_index(first + count - 1, shape[0]);
#endif
    out.data += first * width();
    out.shape[0] = count;
    return out;
  }

  void fill(std::remove_const_t<T> value) const {
    const Index n = size();
    for (Index i = 0; i < n; ++i) data[i] = value;
  }

  // Copy the entries of an array of this shape, which lies elsewhere.
  template <class U, Index... Other>
  void copy(const Array<U, N, Other...>& other) const {
    T* __restrict to = data;
    const U* __restrict from = other.data;
    const Index n = size();
#ifdef FLEXBODY_CHECK
    for (int d = 0; d < N; ++d) check_index(other.shape[d], shape[d] + 1), check_index(shape[d], other.shape[d] + 1);
#endif
    for (Index i = 0; i < n; ++i) to[i] = from[i];
  }

  // The same array, only to be read.
  operator Array<const T, N, Width...>() const
    requires(!std::is_const_v<T>)
  {
    Array<const T, N, Width...> out{data, {}};
    for (int d = 0; d < N; ++d) out.shape[d] = shape[d];
    return out;
  }

 private:
  // An array of a dimension less, empty.
  static auto row_type() {
    if constexpr (sizeof...(Width) < N - 1) {
      return Array<T, N - 1, Width...>{};
    } else {
      return without_first<Width...>();
    }
  }
  template <Index First, Index... Rest>
  static Array<T, N - 1, Rest...> without_first() {
    return {};
  }
};

template <class Real>
using Reals = Array<Real, 1>;
template <class Real>
using Vectors = Array<Real, 2, 3>;
using Table = Array<const double, 1>;   // numbers of the layout
using Indices = Array<const Index, 1>;  // whole numbers of the layout
using IndexRows = Array<const Index, 2>;
// Numbers that a function only reads; their type follows from its other arguments.
template <class Real, int N>
using Given = Array<const std::type_identity_t<Real>, N>;

// Flat memory seen as a matrix of this shape.
template <class T>
Array<T, 2> matrix_at(const Array<T, 1>& flat, Index first, Index rows, Index columns) {
#ifdef FLEXBODY_CHECK
  if (rows * columns > 0) check_index(first, flat.shape[0]), check_index(first + rows * columns - 1, flat.shape[0]);
#endif
  return {flat.data + first, {rows, columns}};
}

// Memory of `count` times `size` bytes, all zero. Where there is none the process ends: nothing can be computed, and
// nothing can be thrown.
inline void* allocate(Index count, std::size_t size) {
  void* const memory = std::calloc(std::size_t(count), size);
  if (memory == nullptr) {
    std::fprintf(stderr, "flexbody core: there is no memory for %lld numbers of %lld bytes; the process ends\n",
                 (long long)count, (long long)size);
    std::abort();
  }
  return memory;
}

// Scratch memory of a function: on the stack where it is small, else allocated; zeros.
template <class T, int N = 1, int Small = 96, Index... Width>
struct Buffer : Array<T, N, Width...> {
  T small[Small];
  T* large = nullptr;

  template <class... I>
    requires(sizeof...(I) == N)
  explicit Buffer(I... sizes) : Array<T, N, Width...>{small, {Index(sizes)...}} {
    const Index n = this->size();
    if (n > Small) {
      this->data = large = static_cast<T*>(allocate(n, sizeof(T)));
    } else {
      for (Index i = 0; i < n; ++i) small[i] = T(0);
    }
  }
  Buffer(const Buffer&) = delete;
  Buffer& operator=(const Buffer&) = delete;
  ~Buffer() { std::free(large); }

  const Array<T, N, Width...>& view() const { return *this; }
};

template <class Real>
Real square(Real x) {
  return x * x;
}

// As Python's max and min: the first argument where both are equal or one is NaN.
template <class Real>
Real larger(Real a, Real b) {
  return b > a ? b : a;
}
template <class Real>
Real smaller(Real a, Real b) {
  return b < a ? b : a;
}

}  // namespace flexbody
