// Velocities in coordinates in which the mass matrix is one, by the factors of elimination.hpp.
#pragma once
#include "../../../fem/core/array.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Factorise the mass matrices in Work.matrix, M = B B^T, and leave Work.Y = B^-1 G^T; false if one is not definite.
// Needs `masses`.
template <class Real>
bool weighted_rows(const Layout& layout, Work<Real>& work);

// x = B^T x in place, whose square is x' M x; with `inverse` x = B^-1 x; x (nv,). Needs `weighted_rows`.
template <class Real>
void weigh(const Layout& layout, const Work<Real>& work, Reals<Real> x, bool inverse);

// x = B^-T x in place: from weighted to generalized velocities, x (nv,). Needs `weighted_rows`.
template <class Real>
void unweigh(const Layout& layout, const Work<Real>& work, Reals<Real> x);

}  // namespace flexbody
