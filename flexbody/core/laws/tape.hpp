// Recorded functions and their exact derivatives.
//
// A user's function is recorded once as a tape of elementary operations (flexbody/functions/tracing.py): rows
// (operation, first argument, second argument), arguments being earlier rows. Forward differentiation runs along the
// tape: values with gradients, or with first and second derivatives along a path (A. Griewank, A. Walther, Evaluating
// Derivatives, 2nd ed., SIAM 2008, chapters 3 and 13).
#pragma once
#include <cmath>

#include "../../../fem/core/array.hpp"

namespace flexbody {

// Operations; the first two have a constant and the number of an input in place of arguments. The Python side is
// tape.py.
enum class Operation : Index {
  CONSTANT = 0,
  INPUT = 1,
  ADD = 2,
  SUBTRACT = 3,
  MULTIPLY = 4,
  DIVIDE = 5,
  POWER = 6,
  ARCTAN2 = 7,
  NEGATIVE = 8,
  ABSOLUTE = 9,
  SQRT = 10,
  EXP = 11,
  LOG = 12,
  SIN = 13,
  COS = 14,
  TAN = 15,
  ARCSIN = 16,
  ARCCOS = 17,
  ARCTAN = 18,
  SINH = 19,
  COSH = 20,
  TANH = 21,
};

// f(x) and its first and second derivative.
template <class Real>
struct Unary {
  Real f, fx, fxx;
};

// f(x, y) and its first and second derivatives.
template <class Real>
struct Binary {
  Real f, fx, fy, fxx, fxy, fyy;
};

// A value with its first and second derivative along a path.
template <class Real>
struct Along {
  Real f, d, e;
};

// `x^y`; where x is not above zero the exponent must be constant: nothing depends on it.
template <class Real>
inline Binary<Real> power(const Real& x, const Real& y) {
  using std::log, std::pow;
  const Real f = pow(x, y);
  const Real fx = y != 0.0 ? y * pow(x, y - 1.0) : Real(0.0);
  const Real fxx = y != 0.0 && y != 1.0 ? y * (y - 1.0) * pow(x, y - 2.0) : Real(0.0);
  if (!(x > 0.0)) return {f, fx, 0.0, fxx, 0.0, 0.0};
  const Real l = log(x);
  return {f, fx, f * l, fxx, fx * l + f / x, f * l * l};
}

// `atan2(x, y)`, the angle of the point (y, x).
template <class Real>
inline Binary<Real> arctan2(const Real& x, const Real& y) {
  using std::atan2;
  const Real n = x * x + y * y;
  const Real nn = n * n;
  return {atan2(x, y), y / n, -x / n, -2.0 * x * y / nn, (x * x - y * y) / nn, 2.0 * x * y / nn};
}

// An operation of two arguments, from ADD to ARCTAN2.
template <class Real>
inline Binary<Real> binary(Operation operation, const Real& x, const Real& y) {
  using enum Operation;
  switch (operation) {
    case ADD:
      return {x + y, 1.0, 1.0, 0.0, 0.0, 0.0};
    case SUBTRACT:
      return {x - y, 1.0, -1.0, 0.0, 0.0, 0.0};
    case MULTIPLY:
      return {x * y, y, x, 0.0, 1.0, 0.0};
    case DIVIDE: {
      const Real f = x / y;
      return {f, 1.0 / y, -f / y, 0.0, -1.0 / (y * y), 2.0 * f / (y * y)};
    }
    case ARCTAN2:
      return arctan2(x, y);
    default:
      return power(x, y);
  }
}

// The inverse of sine or cosine: f with the sign (1 or -1) of its derivative `sign / sqrt(1 - x^2)`.
template <class Real>
inline Unary<Real> inverse_sine(const Real& f, double sign, const Real& x) {
  using std::sqrt;
  const Real root = sqrt(1.0 - x * x);
  return {f, sign / root, sign * x / (root * root * root)};
}

// An operation of one argument, from NEGATIVE on.
template <class Real>
inline Unary<Real> unary(Operation operation, const Real& x) {
  using std::abs, std::copysign, std::sqrt, std::exp, std::log, std::sin, std::cos, std::tan, std::asin, std::acos,
      std::atan, std::sinh, std::cosh, std::tanh;
  using enum Operation;
  switch (operation) {
    case NEGATIVE:
      return {-x, -1.0, 0.0};
    case ABSOLUTE:
      return {abs(x), copysign(Real(1.0), x), 0.0};
    case SQRT: {
      const Real f = sqrt(x);
      return {f, 0.5 / f, -0.25 / (f * x)};
    }
    case EXP: {
      const Real f = exp(x);
      return {f, f, f};
    }
    case LOG:
      return {log(x), 1.0 / x, -1.0 / (x * x)};
    case SIN:
      return {sin(x), cos(x), -sin(x)};
    case COS:
      return {cos(x), -sin(x), -cos(x)};
    case TAN: {
      const Real f = tan(x);
      return {f, 1.0 + f * f, 2.0 * f * (1.0 + f * f)};
    }
    case ARCSIN:
      return inverse_sine(Real(asin(x)), 1.0, x);
    case ARCCOS:
      return inverse_sine(Real(acos(x)), -1.0, x);
    case ARCTAN: {
      const Real n = 1.0 + x * x;
      return {atan(x), 1.0 / n, -2.0 * x / (n * n)};
    }
    case SINH:
      return {sinh(x), cosh(x), sinh(x)};
    case COSH:
      return {cosh(x), sinh(x), cosh(x)};
    default: {
      const Real f = tanh(x);
      return {f, 1.0 - f * f, -2.0 * f * (1.0 - f * f)};
    }
  }
}

// What a function compared while it was recorded: row a below row b, at most b, or equal to it.
enum class Relation : Index { BELOW, AT_MOST, EQUAL };

// Whether all comparisons of a tape, rows (relation, a, b, outcome), come out for the inputs x (n,) as they were
// recorded; false where a value is not finite.
bool comparisons_hold(IndexRows tape, Table constants, Reals<double> x, IndexRows comparisons);

// The value of a tape's last row at the inputs x (n,).
template <class Real>
Real tape_value(IndexRows tape, Table constants, Reals<Real> x);

// The same; out (m,) = its gradient, with seeds (n, m), the derivatives of the inputs by what it is taken by.
template <class Real>
Real gradient(IndexRows tape, Table constants, Reals<Real> x, Array<Real, 2> seeds, Reals<Real> out);

// Value, first and second derivative of a tape's last row along a path; x, first, second (n,) the inputs, and their
// derivatives by the path's parameter.
template <class Real>
Along<Real> along(IndexRows tape, Table constants, Reals<Real> x, Reals<Real> first, Reals<Real> second);

}  // namespace flexbody
