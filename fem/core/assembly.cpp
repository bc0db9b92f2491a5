// Element matrices that are ready, added to assembled ones.
#include "export.hpp"
#include "pattern.hpp"

namespace flexbody {

// Add matrices Ke (ne, nn, 3, nn, 3) of elements with nodes (ne, nn) to the blocks K (entries, 3, 3).
template <class Real>
static void add_blocks(IndexRows nodes, Array<const Real, 5> Ke, const Pattern& pattern, Array<Real, 3> K) {
  const Index ne = nodes.shape[0], nn = nodes.shape[1];
  Buffer<Index, 3> where(ne, nn, nn);
  block_positions(nodes, pattern, where);
  for (Index e = 0; e < ne; ++e)
    for (Index i = 0; i < nn; ++i)
      for (Index j = 0; j < nn; ++j)
        for (Index a = 0; a < 3; ++a)
          for (Index b = 0; b < 3; ++b) K(where(e, i, j), a, b) += Ke(e, i, a, j, b);
}

// Add matrices (ne, nd, nd) at the rows and columns dofs (ne, nd) to data (entries,).
template <class Real>
static void add_matrices(IndexRows dofs, Array<const Real, 3> matrices, const Pattern& pattern, Array<Real, 1> data) {
  const Index nd = dofs.shape[1];
  for (Index e = 0; e < dofs.shape[0]; ++e)
    for (Index i = 0; i < nd; ++i) {
      Index p = 0, before = -2;
      for (Index j = 0; j < nd; ++j) {
        const Index column = dofs(e, j);
        // a node's freedoms follow each other, here as there
        p = column == before + 1 ? p + 1 : pattern.position(dofs(e, i), column);
        before = column;
        data[p] += matrices(e, i, j);
      }
    }
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void fem_add_blocks(Index ne, Index nn, Index n, const Index* nodes, const double* Ke,
                                    const Index* indptr, const Index* indices, double* K) {
  const Pattern pattern{{indptr, {n + 1}}, {indices, {indptr[n]}}};
  add_blocks<double>({nodes, {ne, nn}}, {Ke, {ne, nn, 3, nn, 3}}, pattern, {K, {indptr[n], 3, 3}});
}

FLEXBODY_EXPORT void fem_add_matrices(Index ne, Index nd, Index n, const Index* dofs, const double* matrices,
                                      const Index* indptr, const Index* indices, double* data) {
  const Pattern pattern{{indptr, {n + 1}}, {indices, {indptr[n]}}};
  add_matrices<double>({dofs, {ne, nd}}, {matrices, {ne, nd, nd}}, pattern, {data, {indptr[n]}});
}
