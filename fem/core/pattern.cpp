// Which nodes an element joins: the sparsity pattern of assembled matrices, and places in it.
#include "pattern.hpp"

#include "export.hpp"

namespace flexbody {

namespace {

// Elements by their nodes: element e has the nodes flat[starts[e]:starts[e + 1]].
struct Elements {
  Indices starts;  // (ne + 1,)
  Indices flat;    // (sum of nn,)

  Index count() const { return starts.shape[0] - 1; }
};

}  // namespace

// Where each of n nodes occurs in flat: place[first[i]:first[i + 1]], in ascending order.
static void sort_by_node(Indices flat, Array<Index, 1> first, Array<Index, 1> place) {
  const Index n = first.shape[0] - 1;
  first.fill(0);
  for (Index k = 0; k < flat.shape[0]; ++k) first[flat[k] + 1] += 1;
  for (Index i = 0; i < n; ++i) first[i + 1] += first[i];
  Buffer<Index> next(n);
  next.copy(first.part(0, n));
  for (Index k = 0; k < flat.shape[0]; ++k) place[next[flat[k]]++] = k;
}

// Call visit(i, j) once for each node i and each node j that shares an element with it; i ascends.
template <class Visit>
static void visit_neighbours(const Elements& elements, Index n, Visit visit) {
  Buffer<Index> owner(elements.flat.shape[0]), place(elements.flat.shape[0]), first(n + 1), seen(n);
  for (Index e = 0; e < elements.count(); ++e)
    for (Index k = elements.starts[e]; k < elements.starts[e + 1]; ++k) owner[k] = e;
  sort_by_node(elements.flat, first, place);
  seen.fill(-1);
  for (Index i = 0; i < n; ++i)
    for (Index t = first[i]; t < first[i + 1]; ++t) {
      const Index e = owner[place[t]];
      for (Index k = elements.starts[e]; k < elements.starts[e + 1]; ++k) {
        const Index j = elements.flat[k];
        if (seen[j] == i) continue;
        seen[j] = i;
        visit(i, j);
      }
    }
}

// indptr (n + 1,) of the pattern; returns the number of its entries.
static Index count_columns(const Elements& elements, Array<Index, 1> indptr) {
  const Index n = indptr.shape[0] - 1;
  indptr.fill(0);
  visit_neighbours(elements, n, [&](Index i, Index) { indptr[i + 1] += 1; });
  for (Index i = 0; i < n; ++i) indptr[i + 1] += indptr[i];
  return indptr[n];
}

// The columns of all rows. Written as the transpose, which has its rows sorted; the pattern is symmetric.
static void write_columns(const Elements& elements, Indices indptr, Array<Index, 1> indices) {
  const Index n = indptr.shape[0] - 1;
  Buffer<Index> next(n);
  next.copy(indptr.part(0, n));
  visit_neighbours(elements, n, [&](Index i, Index j) { indices[next[j]++] = i; });
}

// Row by row: each row is spread once over a table of all columns, in which every element then looks.
void block_positions(IndexRows nodes, const Pattern& pattern, Array<Index, 3> out) {
  const Index n = pattern.rows(), nn = nodes.shape[1];
  Buffer<Index> first(n + 1), place(nodes.size());
  sort_by_node({nodes.data, {nodes.size()}}, first, place);
  Buffer<Index> where(n);
  for (Index i = 0; i < n; ++i) {
    if (first[i] == first[i + 1]) continue;
    for (Index p = pattern.indptr[i]; p < pattern.indptr[i + 1]; ++p) where[pattern.indices[p]] = p;
    for (Index t = first[i]; t < first[i + 1]; ++t) {
      const Index e = place[t] / nn, k = place[t] % nn;
      for (Index l = 0; l < nn; ++l) out(e, k, l) = where[nodes(e, l)];
    }
  }
}

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT Index fem_count_columns(Index ne, Index places, Index n, const Index* starts, const Index* flat,
                                        Index* indptr) {
  return count_columns({{starts, {ne + 1}}, {flat, {places}}}, {indptr, {n + 1}});
}

FLEXBODY_EXPORT void fem_write_columns(Index ne, Index places, Index n, const Index* starts, const Index* flat,
                                       const Index* indptr, Index* indices) {
  write_columns({{starts, {ne + 1}}, {flat, {places}}}, {indptr, {n + 1}}, {indices, {indptr[n]}});
}
