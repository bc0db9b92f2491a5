// Stiffness and displacement gradients of solids of any linear elastic material, with or without incompatible modes.
#include "export.hpp"
#include "solid_fields.hpp"

namespace flexbody {

namespace {

// Products of the fields, integrated over one element of n displacements; see Fields.
template <class Real>
struct Products {
  Array<Real, 2> gradients;  // (9, pairs) G_ab,ij = int g_ai g_bj, row 3a + b
  Array<Real, 3> mixed;      // (v, n, 3) int s_k g_ai
  Array<Real, 2> volumes;    // (v, v) int s_k s_l
};

}  // namespace

template <class Real>
static void integrate(Array<const Real, 2> X, const Fields& fields, Table w, Array<Real, 2> g,
                      const Products<Real>& out) {
  const Inverse<Real> J0 = inverted(jacobian(X, fields.centre));
  out.gradients.fill(0.0);
  out.mixed.fill(0.0);
  out.volumes.fill(0.0);
  for (Index q = 0; q < w.shape[0]; ++q) {
    const Real det = all_gradients(X, fields, q, J0, g);
    const Real c = det * w[q], scale = J0.determinant / det;
    add_products(c, g, out.gradients);
    for (Index k = 0; k < fields.volumes(); ++k) {
      const Real s = c * scale * fields.swell(q, k);
      for (Index i = 0; i < g.shape[1]; ++i)
        for (Index a = 0; a < 3; ++a) out.mixed(k, i, a) += s * g(a, i);
      for (Index l = 0; l < fields.volumes(); ++l) out.volumes(k, l) += s * scale * fields.swell(q, l);
    }
  }
}

// K_ia,jb = sum_cd C_acbd G_cd,ij, both triangles, with C (9, 9): C_acbd in row 3a + b, column 3c + d.
template <class Real>
static void contract_displacements(Array<const Real, 2> C, Given<Real, 2> G, Index n, Array<Real, 2> K) {
  const Index pairs = G.shape[1];
  Buffer<Real> total(n);
  for (Index i = 0, pair = 0; i < n; pair += n - i, ++i)
    for (Index a = 0; a < 3; ++a)
      for (Index b = 0; b < 3; ++b) {
        const Reals<const Real> C_ab = C[3 * a + b];
        const Real C0 = C_ab[0], C1 = C_ab[1], C2 = C_ab[2], C3 = C_ab[3], C4 = C_ab[4], C5 = C_ab[5], C6 = C_ab[6],
                   C7 = C_ab[7], C8 = C_ab[8];
        const Real* __restrict G0 = &G(0, pair);
        Real* __restrict sum = total.data;
        for (Index j = 0; j < n - i; ++j)  // all nine written out: vectorised as it stands
          sum[j] = C0 * G0[j] + C1 * G0[pairs + j] + C2 * G0[2 * pairs + j] + C3 * G0[3 * pairs + j] +
                   C4 * G0[4 * pairs + j] + C5 * G0[5 * pairs + j] + C6 * G0[6 * pairs + j] + C7 * G0[7 * pairs + j] +
                   C8 * G0[8 * pairs + j];
        for (Index j = b < a ? i + 1 : i; j < n; ++j)
          K(3 * i + a, 3 * j + b) = K(3 * j + b, 3 * i + a) = total[j - i];
      }
}

// The rest of K: a volume strain s has the stress p_ab s with p_ab = C_abcc.
template <class Real>
static void contract_volumes(Array<const Real, 2> C, const Products<Real>& products, Array<Real, 2> K) {
  const Index v = products.mixed.shape[0], n = products.mixed.shape[1];
  for (Index k = 0; k < v; ++k) {
    for (Index i = 0; i < n; ++i)
      for (Index a = 0; a < 3; ++a) {
        Real total = 0.0;
        for (Index b = 0; b < 3; ++b)
          for (Index c = 0; c < 3; ++c) total += C(3 * a + c, 3 * b + c) * products.mixed(k, i, b);
        K(3 * n + k, 3 * i + a) = K(3 * i + a, 3 * n + k) = total;
      }
    Real total = 0.0;
    for (Index a = 0; a < 3; ++a)
      for (Index c = 0; c < 3; ++c) total += C(3 * a + c, 3 * a + c);
    for (Index l = 0; l < v; ++l) K(3 * n + k, 3 * n + l) = total * products.volumes(k, l);
  }
}

// Eliminate all after the first nd unknowns of K, which no load acts on: internal = T u.
//
// Cholesky: K_aa = L L', Y = L^-1 K_au, K_uu -= Y' Y (symmetric to the last bit), T = -L'^-1 Y.
template <class Real>
static void condense(Array<Real, 2> K, Index nd, Array<Real, 2> T) {
  using std::sqrt;
  const Index m = K.shape[0] - nd;
  const auto L = [&](Index i, Index j) -> Real& { return K(nd + i, nd + j); };
  for (Index i = 0; i < m; ++i)
    for (Index j = 0; j <= i; ++j) {
      Real total = L(i, j);
      for (Index k = 0; k < j; ++k) total -= L(i, k) * L(j, k);
      L(i, j) = i == j ? sqrt(total) : total / L(j, j);
    }
  for (Index i = 0; i < m; ++i) {
    for (Index k = 0; k < nd; ++k) T(i, k) = K(nd + i, k);
    for (Index j = 0; j < i; ++j) add_row(&T(i, 0), -L(i, j), &T(j, 0), nd);
    const Real f = 1.0 / L(i, i);
    for (Index k = 0; k < nd; ++k) T(i, k) *= f;
  }
  for (Index k = 0; k < m; ++k)
    for (Index i = 0; i < nd; ++i) add_row(&K(i, i), -T(k, i), &T(k, i), nd - i);
  for (Index i = 0; i < nd; ++i)
    for (Index j = 0; j < i; ++j) K(i, j) = K(j, i);
  for (Index i = m - 1; i >= 0; --i) {
    for (Index j = i + 1; j < m; ++j) add_row(&T(i, 0), L(j, i), &T(j, 0), nd);
    const Real f = -1.0 / L(i, i);
    for (Index k = 0; k < nd; ++k) T(i, k) *= f;
  }
}

// K (ne, nd, nd) of elements X (ne, nn, 3), and T (ne, 3 m + v, nd) from nodal to internal displacements.
template <class Real>
static void stiffness(Array<const Real, 3> X, const Fields& fields, Table w, Array<const Real, 2> C, Array<Real, 3> K,
                      Array<Real, 3> T) {
  const Index n = fields.displacements(), v = fields.volumes(), nd = 3 * fields.nodes();
  Buffer<Real, 2> g(3, n), G(9, pairs_of(n)), volumes(v, v), Ke(fields.unknowns(), fields.unknowns());
  Buffer<Real, 3> mixed(v, n, 3);
  for (Index e = 0; e < X.shape[0]; ++e) {
    const Products<Real> products{G, mixed, volumes};
    integrate(X[e], fields, w, g, products);
    contract_displacements(C, G, n, Ke);
    contract_volumes(C, products, Ke);
    if (fields.unknowns() > nd) condense(Ke, nd, T[e]);
    for (Index i = 0; i < nd; ++i) K[e][i].copy(Ke[i].part(0, nd));
  }
}

// H_ab = d u_a / d x_b, (ne, q, 3, 3), of nodal and internal displacements u (ne, 3 nn + 3 m + v).
template <class Real>
static void displacement_gradients(Array<const Real, 3> X, Array<const Real, 2> u, const Fields& fields,
                                   Array<Real, 4> H) {
  const Index n = fields.displacements();
  Buffer<Real, 2> g(3, n);
  for (Index e = 0; e < X.shape[0]; ++e) {
    const Inverse<Real> J0 = inverted(jacobian(X[e], fields.centre));
    for (Index q = 0; q < fields.points(); ++q) {
      const Real scale = J0.determinant / all_gradients(X[e], fields, q, J0, g);
      Matrix<Real> sum{};
      for (Index i = 0; i < n; ++i)
        for (Index a = 0; a < 3; ++a)
          for (Index b = 0; b < 3; ++b) sum(a, b) += u(e, 3 * i + a) * g(b, i);
      for (Index k = 0; k < fields.volumes(); ++k)
        for (Index a = 0; a < 3; ++a) sum(a, a) += u(e, 3 * n + k) * scale * fields.swell(q, k);
      put(H[e], q, sum);
    }
  }
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void fem_solid_stiffness(Index ne, Index nn, Index q, Index m, Index v, const double* X,
                                         const double* dN, const double* w, const double* modes, const double* swell,
                                         const double* centre, const double* C, double* K, double* T) {
  const Fields fields{{dN, {q, nn, 3}}, {modes, {q, m, 3}}, {swell, {q, v}}, {centre, {nn, 3}}};
  stiffness<double>({X, {ne, nn, 3}}, fields, {w, {q}}, {C, {9, 9}}, {K, {ne, 3 * nn, 3 * nn}},
                    {T, {ne, 3 * m + v, 3 * nn}});
}

FLEXBODY_EXPORT void fem_solid_displacement_gradients(Index ne, Index nn, Index q, Index m, Index v, const double* X,
                                                      const double* u, const double* dN, const double* modes,
                                                      const double* swell, const double* centre, double* H) {
  const Fields fields{{dN, {q, nn, 3}}, {modes, {q, m, 3}}, {swell, {q, v}}, {centre, {nn, 3}}};
  displacement_gradients<double>({X, {ne, nn, 3}}, {u, {ne, fields.unknowns()}}, fields, {H, {ne, q, 3, 3}});
}
