// Gradients of shape functions in space, and the determinants of many elements at once.
#include "isoparametric.hpp"

#include "export.hpp"

namespace flexbody {

template <class Real>
Real gradients(Array<const Real, 2> X, Numbers2 dN, Array<Real, 2> g) {
  const Inverse<Real> J = inverted(jacobian(X, dN));
  for (Index i = 0; i < dN.shape[0]; ++i) {
    const Vector<double> there = vector_of(dN, i);
    for (Index a = 0; a < 3; ++a) g(a, i) = dot(there, J.inverse.column(a));
  }
  return J.determinant;
}

template <class Real>
void add_products(Real c, Given<Real, 2> g, Array<Real, 2> G) {
  const Index n = g.shape[1];
  Index pair = 0;
  for (Index i = 0; i < n; pair += n - i, ++i)
    for (Index a = 0; a < 3; ++a) {
      const Real s = c * g(a, i);
      for (Index b = 0; b < 3; ++b) {
        const Real* __restrict row = &g(b, i);
        Real* __restrict sum = &G(3 * a + b, pair);
        for (Index j = 0; j < n - i; ++j) sum[j] += s * row[j];
      }
    }
}

// det J (ne, q) of elements X (ne, nn, 3) at points with dN (q, nn, 3).
template <class Real>
static void determinants(Array<const Real, 3> X, Numbers3 dN, Array<Real, 2> out) {
  for (Index e = 0; e < X.shape[0]; ++e)
    for (Index q = 0; q < dN.shape[0]; ++q) out(e, q) = determinant(jacobian(X[e], dN[q]));
}

template double gradients<double>(Array<const double, 2>, Numbers2, Array<double, 2>);
template void add_products<double>(double, Given<double, 2>, Array<double, 2>);

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void fem_determinants(Index ne, Index nn, Index q, const double* X, const double* dN, double* out) {
  determinants<double>({X, {ne, nn, 3}}, {dN, {q, nn, 3}}, {out, {ne, q}});
}
