// Base functions that follow contacts along lines of a flexible body.
//
// Beside its other base functions the body has r coordinates eta = F alpha. They are held to the shapes for loads
// where the contacts are,
//
//   eta = sum_j n_j(s_j) beta_j = A beta,
//
// with a curve n_j (r) for each contact and direction of its load, a cubic spline of the path coordinate s_j. The m
// amplitudes beta are no unknowns of their own: with W = A + (1 0)' they are
//
//   V beta = W' eta,   V = W' A,
//
// and the rows l = m .. r - 1 hold eta_l - A_l beta = 0, from which the first m equations follow. So the rows are
//
//   phi_l.  = (F_l - g_l W' F) alpha. + sum_j c_lj s_j.,   V' g_l = A_l'
//   c_lj    = -A'_lj beta_j - g_lj (A'_j . (eta - A beta)) + g_l (W' A'_j) beta_j
//   phi_l.. = ... - (2 A. beta. + A.. beta + A beta..)_l
//
// with A' = dA/ds, A. = A' s., A.. = A'' s.^2 + A' s..: the terms Phi_s s., Phi_s s.. and Phi_ss s.^2 of base
// functions that change with s (Koppens 6.2; Wang and Wei, J. Sound Vib. 116 (1987) 149).
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Evaluate eta, A, beta and the rows' derivatives by alpha; alpha (na,). Needs `place_frames`.
template <class Real>
void place_shapes(const Layout& layout, Work<Real>& work, Reals<Real> alpha);

// Evaluate eta. from the velocities v (nv,).
template <class Real>
void move_shapes(const Layout& layout, Work<Real>& work, Reals<Real> v);

// Evaluate beta. and beta.. for zero vdot, which `shape_bias` needs; needs `move_frames` and `move_shapes`.
template <class Real>
void accelerate_shapes(const Layout& layout, const Work<Real>& work);

// Value of row k; its derivatives by the legs go to Work.leg_slope. Needs `place_shapes`.
template <class Real>
Real shape_row(const Layout& layout, Work<Real>& work, Index k);

// Second time derivative of row k for zero vdot; needs `accelerate_shapes`.
template <class Real>
Real shape_bias(const Layout& layout, const Work<Real>& work, Index k);

// The derivatives (N,) of row k by the modal coordinates of body b; null if there are none. Needs `place_shapes`.
template <class Real>
const Real* shape_modal(const Layout& layout, const Work<Real>& work, Index k, Index b);

// What the rates of modal coordinates add to the rates out (nr,) of all rows; needs `move_shapes`.
template <class Real>
void add_shape_rates(const Layout& layout, const Work<Real>& work, Reals<Real> out);

// Work.residual += the loads of all rows on modal coordinates; multipliers (nr,).
template <class Real>
void add_shape_loads(const Layout& layout, Work<Real>& work, Reals<Real> multipliers);

// Work.G += the derivatives of all rows by modal coordinates.
template <class Real>
void add_shape_blocks(const Layout& layout, Work<Real>& work);

}  // namespace flexbody
