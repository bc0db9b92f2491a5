// Stiffness and mass of isotropic solids, summed over all elements of one kind.
//
// Elements with a constant J (straight tetrahedra, parallelepipeds) take the integrals over the reference element,
// which are the same for all of them; the others are integrated point by point. Pairs of nodes as in
// isoparametric.hpp. The matrices go into one block pattern: 3 x 3 blocks K (entries, 3, 3) and scalars M (entries,).
#include "export.hpp"
#include "isoparametric.hpp"
#include "pattern.hpp"

namespace flexbody {

namespace {

// Elements of one kind, with what is known at the points at which they are integrated.
template <class Real>
struct IsotropicSolids {
  Array<const Real, 3> X;         // (ne, nn, 3) nodal coordinates
  Numbers3 dN;                    // (q, nn, 3) gradients in the reference element at the points of the stiffness
  Table w;                        // (q,) weights of these
  Numbers2 mass_N;                // (p, nn) shape functions at the points of the mass
  Numbers3 mass_dN;               // (p, nn, 3)
  Table mass_w;                   // (p,)
  Array<const Real, 2> material;  // (ne, 3) lambda, mu (Lame's constants), rho of each element
};

// Integrals over the reference element.
struct ReferenceIntegrals {
  Numbers2 bent;       // (r, nn) X is the image of an affine map if it has no part along these
  Numbers2 stiffness;  // (9, pairs) int dN_ic dN_jd, row 3c + d
  Numbers2 mass;       // (nn, nn) int N_i N_j
};

// The matrices of one element: K_ab,ij in row 3a + b, and int rho N_i N_j.
template <class Real>
struct PairMatrices {
  Array<Real, 2> stiffness;  // (9, pairs)
  Array<Real, 1> mass;       // (pairs,)
};

}  // namespace

// K_ab,ij = lambda G_ab,ij + mu (G_ba,ij + delta_ab G_cc,ij) in place of the products of gradients G = int g_ai g_bj:
// sigma = lambda tr(eps) I + 2 mu eps. Of i = j the upper triangle is right.
template <class Real>
static void apply_lame(Real lambda, Real mu, Array<Real, 2> K) {
  for (Index p = 0; p < K.shape[1]; ++p) {
    const Real trace = mu * (K(0, p) + K(4, p) + K(8, p));
    for (Index a = 0; a < 3; ++a) {
      K(4 * a, p) = (lambda + mu) * K(4 * a, p) + trace;
      for (Index b = a + 1; b < 3; ++b) {
        const Real ab = K(3 * a + b, p), ba = K(3 * b + a, p);
        K(3 * a + b, p) = lambda * ab + mu * ba;
        K(3 * b + a, p) = lambda * ba + mu * ab;
      }
    }
  }
}

// int lambda g_ai g_bj + mu (g_bi g_aj + delta_ab g_i . g_j), point by point.
template <class Real>
static void integrate_stiffness(const IsotropicSolids<Real>& solids, Index e, Array<Real, 2> K) {
  Buffer<Real, 2> g(3, solids.X.shape[1]);
  K.fill(0.0);
  for (Index q = 0; q < solids.w.shape[0]; ++q)
    add_products(gradients(solids.X[e], solids.dN[q], g) * solids.w[q], g, K);
  apply_lame(solids.material(e, 0), solids.material(e, 1), K);
}

// int rho N_i N_j, point by point.
template <class Real>
static void integrate_mass(const IsotropicSolids<Real>& solids, Index e, Array<Real, 1> mass) {
  const Index nn = solids.X.shape[1];
  mass.fill(0.0);
  for (Index q = 0; q < solids.mass_w.shape[0]; ++q) {
    const Real det = determinant(jacobian(solids.X[e], solids.mass_dN[q]));
    const Real c = det * solids.mass_w[q] * solids.material(e, 2);
    const Table N = solids.mass_N[q];
    for (Index i = 0, pair = 0; i < nn; ++i) {
      const Real s = c * N[i];
      for (Index j = i; j < nn; ++j) mass[pair++] += s * N[j];
    }
  }
}

// The diagonal scaled to the element's mass (Hinton, Rock and Zienkiewicz 1976).
template <class Real>
static void lump(Index nn, Array<Real, 1> mass) {
  Real total = 0.0, diagonal = 0.0;
  for (Index i = 0, pair = 0; i < nn; ++i) {
    diagonal += mass[pair];
    total += mass[pair++];
    for (Index j = i + 1; j < nn; ++j, ++pair) {
      total += 2.0 * mass[pair];
      mass[pair] = 0.0;
    }
  }
  for (Index i = 0, pair = 0; i < nn; pair += nn - i, ++i) mass[pair] *= total / diagonal;
}

// Whether J is the same everywhere: no part of X along `bent` (r, nn), to 1e-12 of the element's size. Never of
// numbers that carry derivatives: a node of an affine element that moves bends it.
template <class Real>
static bool is_affine(Array<const Real, 2> X, Numbers2 bent) {
  if constexpr (!std::is_floating_point_v<Real>) return false;
  using std::abs;
  Real size = 0.0, far = 0.0;
  for (Index a = 0; a < 3; ++a) {
    Real low = X(0, a), high = X(0, a);
    for (Index i = 1; i < X.shape[0]; ++i) low = smaller(low, X(i, a)), high = larger(high, X(i, a));
    size = larger(size, high - low);
    far = larger(larger(far, abs(low)), abs(high));
  }
  const Real limit = 1e-12 * size + 1e-15 * far;
  for (Index r = 0; r < bent.shape[0]; ++r)
    for (Index a = 0; a < 3; ++a) {
      Real total = 0.0;
      for (Index i = 0; i < X.shape[0]; ++i) total += bent(r, i) * X(i, a);
      if (abs(total) > limit) return false;
    }
  return true;
}

// The stiffness is A R with R_cd,ij = int dN_ic dN_jd over the reference element, A (9, 9).
//
// For constant J, with I = J^-1, int g_ai g_bj = det J I_ca I_db R_cd; the isotropic stiffness is lambda times that,
// plus mu times its transpose, plus mu times its trace on the diagonal.
template <class Real>
static void transformation(const Inverse<Real>& J, Real lambda, Real mu, Real (&A)[9][9]) {
  const Matrix<Real>& I = J.inverse;
  for (Index c = 0; c < 3; ++c)
    for (Index d = 0; d < 3; ++d) {
      const Real s = dot(I.row(c), I.row(d));
      for (Index a = 0; a < 3; ++a)
        for (Index b = 0; b < 3; ++b) {
          Real value = lambda * I(c, a) * I(d, b) + mu * I(c, b) * I(d, a);
          if (a == b) value += mu * s;
          A[3 * a + b][3 * c + d] = J.determinant * value;
        }
    }
}

// Both matrices of an element with constant J.
template <class Real>
static void transform(const IsotropicSolids<Real>& solids, Index e, const ReferenceIntegrals& reference,
                      PairMatrices<Real> out) {
  const Inverse<Real> J = inverted(jacobian(solids.X[e], solids.dN[0]));
  Real A[9][9];
  transformation(J, solids.material(e, 0), solids.material(e, 1), A);
  const Numbers2& R = reference.stiffness;
  const Index pairs = R.shape[1], nn = solids.X.shape[1];
  for (Index r = 0; r < 9; ++r) {
    const double* __restrict R0 = R.data;
    Real* __restrict K = &out.stiffness(r, 0);
    const Real A0 = A[r][0], A1 = A[r][1], A2 = A[r][2], A3 = A[r][3], A4 = A[r][4], A5 = A[r][5], A6 = A[r][6],
               A7 = A[r][7], A8 = A[r][8];
    for (Index p = 0; p < pairs; ++p)  // all nine written out: vectorised as it stands
      K[p] = (A0 * R0[p] + A1 * R0[pairs + p] + A2 * R0[2 * pairs + p]) +
             (A3 * R0[3 * pairs + p] + A4 * R0[4 * pairs + p] + A5 * R0[5 * pairs + p]) +
             (A6 * R0[6 * pairs + p] + A7 * R0[7 * pairs + p] + A8 * R0[8 * pairs + p]);
  }
  const Real density = solids.material(e, 2) * J.determinant;
  for (Index i = 0, pair = 0; i < nn; ++i)
    for (Index j = i; j < nn; ++j) out.mass[pair++] = density * reference.mass(i, j);
}

// Add one element's matrices to K and M; `where` (nn, nn) are the places of its entries. Symmetric to the last bit.
template <class Real>
static void add_element(PairMatrices<Real> element, Array<Index, 2> where, Array<Real, 3> K, Array<Real, 1> M) {
  const Index nn = where.shape[0];
  for (Index i = 0, pair = 0; i < nn; ++i) {
    const Index p = where(i, i);
    M[p] += element.mass[pair];
    for (Index a = 0; a < 3; ++a)
      for (Index b = 0; b < 3; ++b) K(p, a, b) += element.stiffness(a < b ? 3 * a + b : 3 * b + a, pair);
    ++pair;
    for (Index j = i + 1; j < nn; ++j, ++pair) {
      const Index upper = where(i, j), lower = where(j, i);
      M[upper] += element.mass[pair];
      M[lower] += element.mass[pair];
      for (Index a = 0; a < 3; ++a)
        for (Index b = 0; b < 3; ++b) {
          const Real value = element.stiffness(3 * a + b, pair);
          K(upper, a, b) += value;
          K(lower, b, a) += value;
        }
    }
  }
}

// Add all elements to K (entries, 3, 3) and M (entries,).
template <class Real>
static void add_elements(IndexRows nodes, const IsotropicSolids<Real>& solids, const ReferenceIntegrals& reference,
                         bool lumped, const Pattern& pattern, Array<Real, 3> K, Array<Real, 1> M) {
  const Index ne = nodes.shape[0], nn = nodes.shape[1];
  Buffer<Index, 3> where(ne, nn, nn);
  block_positions(nodes, pattern, where);
  Buffer<Real, 2> stiffness(9, pairs_of(nn));
  Buffer<Real> mass(pairs_of(nn));
  const PairMatrices<Real> element{stiffness, mass};
  for (Index e = 0; e < ne; ++e) {
    if (is_affine(solids.X[e], reference.bent)) {
      transform(solids, e, reference, element);
    } else {
      integrate_stiffness(solids, e, stiffness);
      integrate_mass(solids, e, mass);
    }
    if (lumped) lump(nn, mass);
    add_element(element, where[e], K, M);
  }
}

// K_e (ne, nn, 3, nn, 3) and scalar M_e (ne, nn, nn) of all elements, integrated point by point.
template <class Real>
static void element_matrices(const IsotropicSolids<Real>& solids, Array<Real, 5> K, Array<Real, 3> M) {
  const Index ne = solids.X.shape[0], nn = solids.X.shape[1];
  Buffer<Real, 2> stiffness(9, pairs_of(nn));
  Buffer<Real> mass(pairs_of(nn));
  for (Index e = 0; e < ne; ++e) {
    integrate_stiffness(solids, e, stiffness);
    integrate_mass(solids, e, mass);
    for (Index i = 0, pair = 0; i < nn; ++i)
      for (Index j = i; j < nn; ++j, ++pair) {
        M(e, i, j) = M(e, j, i) = mass[pair];
        for (Index a = 0; a < 3; ++a)
          for (Index b = i == j ? a : 0; b < 3; ++b) K(e, i, a, j, b) = K(e, j, b, i, a) = stiffness(3 * a + b, pair);
      }
  }
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void fem_add_elements(Index ne, Index nn, Index q, Index p, Index r, Index n, const Index* nodes,
                                      const double* X, const double* dN, const double* w, const double* mass_N,
                                      const double* mass_dN, const double* mass_w, const double* material,
                                      Index lumped, const double* bent, const double* reference_stiffness,
                                      const double* reference_mass, const Index* indptr, const Index* indices,
                                      double* K, double* M) {
  const IsotropicSolids<double> solids{{X, {ne, nn, 3}},      {dN, {q, nn, 3}}, {w, {q}},           {mass_N, {p, nn}},
                                       {mass_dN, {p, nn, 3}}, {mass_w, {p}},    {material, {ne, 3}}};
  const ReferenceIntegrals reference{
      {bent, {r, nn}}, {reference_stiffness, {9, pairs_of(nn)}}, {reference_mass, {nn, nn}}};
  const Index entries = indptr[n];
  add_elements<double>({nodes, {ne, nn}}, solids, reference, lumped != 0, {{indptr, {n + 1}}, {indices, {entries}}},
                       {K, {entries, 3, 3}}, {M, {entries}});
}

FLEXBODY_EXPORT void fem_element_matrices(Index ne, Index nn, Index q, Index p, const double* X, const double* dN,
                                          const double* w, const double* mass_N, const double* mass_dN,
                                          const double* mass_w, const double* material, double* K, double* M) {
  const IsotropicSolids<double> solids{{X, {ne, nn, 3}},      {dN, {q, nn, 3}}, {w, {q}},           {mass_N, {p, nn}},
                                       {mass_dN, {p, nn, 3}}, {mass_w, {p}},    {material, {ne, 3}}};
  element_matrices<double>(solids, {K, {ne, nn, 3, nn, 3}}, {M, {ne, nn, nn}});
}
