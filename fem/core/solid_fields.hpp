// What moves inside a solid: its shape functions, and the internal fields of incompatible modes.
//
// Arrays as in isoparametric.hpp. `modes` (q, m, 3) are the gradients of m internal displacement fields, in the
// reference element, at the quadrature points; their physical gradients are taken with the Jacobian J0 at the centre
// and scaled by det J0 / det J, so that they vanish in the mean over any element (Taylor, Beresford and Wilson 1976).
// `swell` (q, v) are v internal fields of volume strain, scaled likewise (Simo, Armero and Taylor 1993). With m = v =
// 0 the elements are the plain ones. Unknowns of an element: 3 for each of its nodes, 3 for each mode, one for each
// volume strain.
#pragma once
#include "isoparametric.hpp"

namespace flexbody {

// Fields in one kind of element at q points, in the reference element.
struct Fields {
  Numbers3 dN;      // (q, nn, 3) gradients of the shape functions
  Numbers3 modes;   // (q, m, 3) gradients of the internal displacements
  Numbers2 swell;   // (q, v) internal volume strains
  Numbers2 centre;  // (nn, 3) gradients of the shape functions at the centre

  Index points() const { return dN.shape[0]; }
  Index nodes() const { return dN.shape[1]; }
  Index displacements() const { return nodes() + modes.shape[1]; }
  Index volumes() const { return swell.shape[1]; }
  Index unknowns() const { return 3 * displacements() + volumes(); }
};

// Gradients g (3, n) of the shape functions and of the internal displacements at point q; returns det J.
template <class Real>
inline Real all_gradients(Array<const Real, 2> X, const Fields& fields, Index q, const Inverse<Real>& J0,
                          Array<Real, 2> g) {
  const Index nn = fields.nodes();
  const Real det = gradients(X, fields.dN[q], g), scale = J0.determinant / det;
  for (Index k = 0; k < fields.modes.shape[1]; ++k) {
    const Vector<double> mode = vector_of(fields.modes, q, k);
    for (Index a = 0; a < 3; ++a) g(a, nn + k) = scale * dot(mode, J0.inverse.column(a));
  }
  return det;
}

// row += f * other, n numbers.
template <class Real>
inline void add_row(Real* __restrict row, std::type_identity_t<Real> f, const Real* __restrict other, Index n) {
  for (Index k = 0; k < n; ++k) row[k] += f * other[k];
}

}  // namespace flexbody
