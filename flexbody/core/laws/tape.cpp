// Recorded functions and their derivatives, see tape.hpp.
#include "tape.hpp"

#include "../../../fem/core/export.hpp"

namespace flexbody {

// Numbers of a tape's rows that are kept without allocation, and entries of their gradients.
constexpr int ROWS = 256, ENTRIES = 2048;

// f (n,) = the values of all rows.
template <class Real, class Values>
static void run(IndexRows tape, Table constants, Reals<Real> x, Values& f) {
  for (Index k = 0; k < tape.shape[0]; ++k) {
    const Operation operation{tape(k, 0)};
    const Index a = tape(k, 1), b = tape(k, 2);
    if (operation == Operation::CONSTANT)
      f[k] = constants[k];
    else if (operation == Operation::INPUT)
      f[k] = x[a];
    else if (operation <= Operation::ARCTAN2)
      f[k] = binary(operation, f[a], f[b]).f;
    else
      f[k] = unary(operation, f[a]).f;
  }
}

template <class Real>
Real tape_value(IndexRows tape, Table constants, Reals<Real> x) {
  const Index size = tape.shape[0];
  Buffer<Real, 1, ROWS> f(size);
  run(tape, constants, x, f);
  return f[size - 1];
}

bool comparisons_hold(IndexRows tape, Table constants, Reals<double> x, IndexRows comparisons) {
  Buffer<double, 1, ROWS> f(tape.shape[0]);
  run(tape, constants, x, f);
  for (Index k = 0; k < comparisons.shape[0]; ++k) {
    const double a = f[comparisons(k, 1)], b = f[comparisons(k, 2)];
    if (!std::isfinite(a) || !std::isfinite(b)) return false;
    const Relation relation{comparisons(k, 0)};
    const bool found = relation == Relation::BELOW ? a < b : relation == Relation::AT_MOST ? a <= b : a == b;
    if (found != (comparisons(k, 3) != 0)) return false;
  }
  return true;
}

template <class Real>
Real gradient(IndexRows tape, Table constants, Reals<Real> x, Array<Real, 2> seeds, Reals<Real> out) {
  const Index size = tape.shape[0], m = out.size();
  Buffer<Real, 1, ROWS> f(size);
  Buffer<Real, 2, ENTRIES> g(size, m);
  for (Index k = 0; k < size; ++k) {
    const Operation operation{tape(k, 0)};
    const Index a = tape(k, 1), b = tape(k, 2);
    if (operation == Operation::CONSTANT) {
      f[k] = constants[k];
    } else if (operation == Operation::INPUT) {
      f[k] = x[a];
      g[k].copy(seeds[a]);
    } else if (operation <= Operation::ARCTAN2) {
      const Binary<Real> result = binary(operation, f[a], f[b]);
      f[k] = result.f;
      for (Index i = 0; i < m; ++i) g(k, i) = result.fx * g(a, i) + result.fy * g(b, i);
    } else {
      const Unary<Real> result = unary(operation, f[a]);
      f[k] = result.f;
      for (Index i = 0; i < m; ++i) g(k, i) = result.fx * g(a, i);
    }
  }
  out.copy(g[size - 1]);
  return f[size - 1];
}

// After `f(x, y)`: `f. = fx x. + fy y.`, `f.. = fx x.. + fy y.. + fxx x.^2 + 2 fxy x. y. + fyy y.^2`.
template <class Real>
static Along<Real> chain(const Binary<Real>& r, const Along<Real>& x, const Along<Real>& y) {
  return {r.f, r.fx * x.d + r.fy * y.d,
          r.fx * x.e + r.fy * y.e + r.fxx * x.d * x.d + 2.0 * r.fxy * x.d * y.d + r.fyy * y.d * y.d};
}

template <class Real>
static Along<Real> chain(const Unary<Real>& r, const Along<Real>& x) {
  return {r.f, r.fx * x.d, r.fx * x.e + r.fxx * x.d * x.d};
}

template <class Real>
Along<Real> along(IndexRows tape, Table constants, Reals<Real> x, Reals<Real> first, Reals<Real> second) {
  const Index size = tape.shape[0];
  Buffer<Real, 2, 3 * ROWS> rows(size, 3);
  const auto at = [&](Index k) { return Along<Real>{rows(k, 0), rows(k, 1), rows(k, 2)}; };
  for (Index k = 0; k < size; ++k) {
    const Operation operation{tape(k, 0)};
    const Index a = tape(k, 1), b = tape(k, 2);
    Along<Real> now;
    if (operation == Operation::CONSTANT)
      now = {constants[k], 0.0, 0.0};
    else if (operation == Operation::INPUT)
      now = {x[a], first[a], second[a]};
    else if (operation <= Operation::ARCTAN2)
      now = chain(binary(operation, rows(a, 0), rows(b, 0)), at(a), at(b));
    else
      now = chain(unary(operation, rows(a, 0)), at(a));
    rows(k, 0) = now.f, rows(k, 1) = now.d, rows(k, 2) = now.e;
  }
  return at(size - 1);
}

template double tape_value<double>(IndexRows, Table, Reals<double>);
template double gradient<double>(IndexRows, Table, Reals<double>, Array<double, 2>, Reals<double>);
template Along<double> along<double>(IndexRows, Table, Reals<double>, Reals<double>, Reals<double>);

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT double flexbody_gradient(const Index* tape, const double* constants, Index size, double* x,
                                         Index inputs, double* seeds, double* out, Index m) {
  return gradient<double>({tape, {size, 3}}, {constants, {size}}, {x, {inputs}}, {seeds, {inputs, m}}, {out, {m}});
}

// out (3,) = value, first and second derivative.
FLEXBODY_EXPORT void flexbody_along(const Index* tape, const double* constants, Index size, double* x, double* first,
                                    double* second, Index inputs, double* out) {
  const Along<double> found =
      along<double>({tape, {size, 3}}, {constants, {size}}, {x, {inputs}}, {first, {inputs}}, {second, {inputs}});
  out[0] = found.f, out[1] = found.d, out[2] = found.e;
}

FLEXBODY_EXPORT Index flexbody_comparisons_hold(const Index* tape, const double* constants, Index size, double* x,
                                                Index inputs, const Index* comparisons, Index count) {
  return comparisons_hold({tape, {size, 3}}, {constants, {size}}, {x, {inputs}}, {comparisons, {count, 4}});
}

// f(x); NaN where it or a derivative is not finite.
FLEXBODY_EXPORT double flexbody_unary(Index operation, double x) {
  const Unary<double> r = unary(Operation{operation}, x);
  return std::isfinite(r.f) && std::isfinite(r.fx) && std::isfinite(r.fxx) ? r.f : NaN;
}

// f(x, y); NaN where its first two derivatives by x or y are not finite.
FLEXBODY_EXPORT double flexbody_binary(Index operation, double x, double y) {
  const Binary<double> r = binary(Operation{operation}, x, y);
  const double derivatives[] = {r.fx, r.fy, r.fxx, r.fxy, r.fyy};
  for (const double d : derivatives)
    if (!std::isfinite(d)) return NaN;
  return r.f;
}
