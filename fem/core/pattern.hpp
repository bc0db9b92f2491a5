// Sparse symmetric matrices by rows: row i holds columns indices[indptr[i]:indptr[i + 1]], in ascending order.
#pragma once
#include "array.hpp"

namespace flexbody {

struct Pattern {
  Indices indptr;   // (n + 1,)
  Indices indices;  // (entries,)

  Index rows() const { return indptr.shape[0] - 1; }

  // Where column j stands in row i, which holds it (binary search); block_positions is faster for many.
  Index position(Index i, Index j) const {
    Index low = indptr[i], high = indptr[i + 1] - 1;
    while (low < high) {
      const Index middle = (low + high) / 2;
      if (indices[middle] < j) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return low;
  }
};

// Where the entry of nodes k and l of element e stands in the pattern, (ne, nn, nn), of nodes (ne, nn).
void block_positions(IndexRows nodes, const Pattern& pattern, Array<Index, 3> out);

}  // namespace flexbody
