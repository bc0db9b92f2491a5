// Geometric stiffness of solids: what a stress does that goes with the material, int sigma_ab u_d,a u_d,b / 2.
//
// From the quadratic part of Green and Lagrange's strain, 1/2 grad(u)' grad(u), against the stress.
#include "export.hpp"
#include "solid_fields.hpp"

namespace flexbody {

// int g_i . sigma g_j (ne, nn, nn) for stresses (ne, q, 3, 3) at the quadrature points.
template <class Real>
static void geometric(Array<const Real, 3> X, Numbers3 dN, Table w, Array<const Real, 4> stress, Array<Real, 3> out) {
  const Index nn = X.shape[1];
  Buffer<Real, 2> g(3, nn);
  out.fill(0.0);
  for (Index e = 0; e < X.shape[0]; ++e) {
    for (Index q = 0; q < w.shape[0]; ++q) {
      const Real c = gradients(X[e], dN[q], g) * w[q];
      const Matrix<Real> sigma = matrix_of(stress[e], q);
      for (Index i = 0; i < nn; ++i) {
        const Vector<Real> s = c * (sigma * Vector<Real>{g(0, i), g(1, i), g(2, i)});
        const Real* __restrict x = &g(0, 0), * __restrict y = &g(1, 0), * __restrict z = &g(2, 0);
        Real* __restrict row = &out(e, i, 0);
        for (Index j = i; j < nn; ++j) row[j] += s.x * x[j] + s.y * y[j] + s.z * z[j];
      }
    }
    for (Index i = 0; i < nn; ++i)
      for (Index j = 0; j < i; ++j) out(e, i, j) = out(e, j, i);
  }
}

namespace {

// Phi' K_G[sigma(u_k)] Phi of many displacements u_k, summed over elements, without the matrices K_G.
template <class Real>
struct GeometricProducts {
  const Fields& fields;
  Table w;                     // (q,) weights of the points
  Array<const Real, 2> C;      // (9, 9): C_acbd in row 3a + b, column 3c + d
  Array<Real, 3> deformation;  // (3, 3, loads) u_a,b
  Array<Real, 2> stress;       // (6, loads) xx, yy, zz, yz, xz, xy, each times w det J
  Array<Real, 3> shape;        // (3, 3, N) Phi_d,a
  Array<Real, 2> product;      // (6, N) of one base function with all from it on
  Array<Real, 2> sum;          // (pairs of base functions, loads)

  void add(Array<const Real, 2> X, Array<const Real, 2> u, Array<const Real, 2> Phi, Array<Real, 2> g) const;
  void add_point(Real weight) const;
};

}  // namespace

// F_ab = sum_i u_ia g_bi of many displacements u (3 n, m): F (3, 3, m).
template <class Real>
static void displacement_gradients(Given<Real, 2> u, Given<Real, 2> g, Index n, Array<Real, 3> F) {
  F.fill(0.0);
  for (Index i = 0; i < n; ++i)
    for (Index a = 0; a < 3; ++a)
      for (Index b = 0; b < 3; ++b) add_row(&F(a, b, 0), g(b, i), &u(3 * i + a, 0), u.shape[1]);
}

// One element: u (unknowns, loads), see Fields; base functions Phi (3 nn, N).
template <class Real>
void GeometricProducts<Real>::add(Array<const Real, 2> X, Array<const Real, 2> u, Array<const Real, 2> Phi,
                                  Array<Real, 2> g) const {
  const Inverse<Real> J0 = inverted(jacobian(X, fields.centre));
  const Index n = fields.displacements();
  for (Index q = 0; q < fields.points(); ++q) {
    const Real det = all_gradients(X, fields, q, J0, g), scale = J0.determinant / det;
    displacement_gradients(u, g, n, deformation);
    for (Index v = 0; v < fields.volumes(); ++v)
      for (Index a = 0; a < 3; ++a)
        add_row(&deformation(a, a, 0), scale * fields.swell(q, v), &u(3 * n + v, 0), u.shape[1]);
    displacement_gradients(Phi, g, fields.nodes(), shape);
    add_point(det * w[q]);
  }
}

// sum_ij,k += weight sigma_ab Phi_d,a,i Phi_d,b,j with sigma_ac = C_acbd u_b,d, for i <= j.
template <class Real>
void GeometricProducts<Real>::add_point(Real weight) const {
  constexpr Index A[6] = {0, 1, 2, 1, 0, 0}, B[6] = {0, 1, 2, 2, 2, 1};
  const Index loads = sum.shape[1], N = shape.shape[2];
  stress.fill(0.0);
  for (Index s = 0; s < 6; ++s)
    for (Index b = 0; b < 3; ++b)
      for (Index d = 0; d < 3; ++d)
        add_row(&stress(s, 0), weight * C(3 * A[s] + b, 3 * B[s] + d), &deformation(b, d, 0), loads);
  for (Index i = 0, pair = 0; i < N; ++i) {
    product.fill(0.0);
    for (Index s = 0; s < 6; ++s)
      for (Index d = 0; d < 3; ++d) {
        add_row(&product(s, i), shape(d, A[s], i), &shape(d, B[s], i), N - i);
        if (A[s] != B[s]) add_row(&product(s, i), shape(d, B[s], i), &shape(d, A[s], i), N - i);
      }
    for (Index j = i; j < N; ++j, ++pair) {
      const Real p0 = product(0, j), p1 = product(1, j), p2 = product(2, j), p3 = product(3, j), p4 = product(4, j),
                 p5 = product(5, j);
      const Real* __restrict sigma = stress.data;
      Real* __restrict total = &sum(pair, 0);
      for (Index k = 0; k < loads; ++k)
        total[k] += p0 * sigma[k] + p1 * sigma[loads + k] + p2 * sigma[2 * loads + k] + p3 * sigma[3 * loads + k] +
                    p4 * sigma[4 * loads + k] + p5 * sigma[5 * loads + k];
    }
  }
}

// Phi' K_G[sigma(u_k)] Phi (loads, N, N) of elements X (ne, nn, 3), u (ne, unknowns, loads), Phi (ne, 3 nn, N).
template <class Real>
static void geometric_products(Array<const Real, 3> X, const Fields& fields, Table w, Array<const Real, 2> C,
                               Array<const Real, 3> u, Array<const Real, 3> Phi, Array<Real, 3> out) {
  const Index loads = u.shape[2], N = Phi.shape[2];
  if (out.size() == 0) return;
  Buffer<Real, 3> deformation(3, 3, loads), shape(3, 3, N);
  Buffer<Real, 2> stress(6, loads), product(6, N), sum(pairs_of(N), loads), g(3, fields.displacements());
  const GeometricProducts<Real> products{fields, w, C, deformation, stress, shape, product, sum};
  for (Index e = 0; e < X.shape[0]; ++e) products.add(X[e], u[e], Phi[e], g);
  for (Index i = 0, pair = 0; i < N; ++i)
    for (Index j = i; j < N; ++j, ++pair)
      for (Index k = 0; k < loads; ++k) out(k, i, j) = out(k, j, i) = sum(pair, k);
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void fem_solid_geometric(Index ne, Index nn, Index q, const double* X, const double* dN,
                                         const double* w, const double* stress, double* out) {
  geometric<double>({X, {ne, nn, 3}}, {dN, {q, nn, 3}}, {w, {q}}, {stress, {ne, q, 3, 3}}, {out, {ne, nn, nn}});
}

FLEXBODY_EXPORT void fem_solid_geometric_products(Index ne, Index nn, Index q, Index m, Index v, Index loads, Index N,
                                                  const double* X, const double* dN, const double* w,
                                                  const double* modes, const double* swell, const double* centre,
                                                  const double* C, const double* u, const double* Phi, double* out) {
  const Fields fields{{dN, {q, nn, 3}}, {modes, {q, m, 3}}, {swell, {q, v}}, {centre, {nn, 3}}};
  geometric_products<double>({X, {ne, nn, 3}}, fields, {w, {q}}, {C, {9, 9}}, {u, {ne, fields.unknowns(), loads}},
                             {Phi, {ne, 3 * nn, N}}, {out, {loads, N, N}});
}
