// Gradients of shape functions in space, and the determinants of many elements at once.
#include "isoparametric.hpp"

#include "export.hpp"

namespace flexbody {

double gradients(Numbers2 X, Numbers2 dN, Array<double, 2> g) {
  const Inverse J = inverted(jacobian(X, dN));
  for (Index i = 0; i < dN.shape[0]; ++i) {
    const Vector<double> there = vector_of(dN, i);
    for (Index a = 0; a < 3; ++a) g(a, i) = dot(there, J.inverse.column(a));
  }
  return J.determinant;
}

void add_products(double c, Array<double, 2> g, Array<double, 2> G) {
  const Index n = g.shape[1];
  Index pair = 0;
  for (Index i = 0; i < n; pair += n - i, ++i)
    for (Index a = 0; a < 3; ++a) {
      const double s = c * g(a, i);
      for (Index b = 0; b < 3; ++b) {
        const double* __restrict row = &g(b, i);
        double* __restrict sum = &G(3 * a + b, pair);
        for (Index j = 0; j < n - i; ++j) sum[j] += s * row[j];
      }
    }
}

// det J (ne, q) of elements X (ne, nn, 3) at points with dN (q, nn, 3).
static void determinants(Numbers3 X, Numbers3 dN, Array<double, 2> out) {
  for (Index e = 0; e < X.shape[0]; ++e)
    for (Index q = 0; q < dN.shape[0]; ++q) out(e, q) = determinant(jacobian(X[e], dN[q]));
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void fem_determinants(Index ne, Index nn, Index q, const double* X, const double* dN, double* out) {
  determinants({X, {ne, nn, 3}}, {dN, {q, nn, 3}}, {out, {ne, q}});
}
