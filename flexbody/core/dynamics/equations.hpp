// The equations of a whole system in the global description: residual, iteration matrix, energies.
//
// M vdot + bias + G^T lambda = loads and Phi(q, t) = 0, Koppens (4.20) with Lagrange multipliers.
#pragma once
#include "../../../fem/core/array.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Evaluate all bodies, frames and constraint rows (residuals and directions) at a position: t in s, c (nb, 3),
// q (nb, 4), alpha (na,).
template <class Real>
void place(const Layout& layout, Work<Real>& work, double t, Vectors<Real> c, EulerParameters<Real> q,
           Reals<Real> alpha);

// Evaluate the velocities and bias accelerations of all frames, and the elements' deformations and rates; alpha
// (na,), v (nv,). Needs `place`.
template <class Real>
void move(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v);

// As `move` without the bias accelerations, which implicit integration does not need.
template <class Real>
void drift(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v);

// Write the Jacobian G of rows and elements for the bodies' velocities into Work.G. Needs `place`, `move`
// and, for the elements, `matrices`, which combines their rows.
template <class Real>
void blocks(const Layout& layout, Work<Real>& work);

// Work.residual = M vdot + bias - loads + G^T lambda, (4.20), and Work.power = (dissipated, input), W; alpha (na,),
// v and vdot (nv,), multipliers (nr,), or more. Needs `place` and `move` (or `drift`).
template <class Real>
void residual(const Layout& layout, Work<Real>& work, double t, Reals<Real> alpha, Reals<Real> v, Reals<Real> vdot,
              Reals<Real> multipliers);

// Work.matrix = mass M + damping D + stiffness K of each body, and compliance (m - nr,) = 1/s of each deformation,
// s = stiffness dF/dx + damping dF/dx. ; -1 where s is not positive. Needs `residual`.
template <class Real>
void matrices(const Layout& layout, Work<Real>& work, double mass, double damping, double stiffness,
              Reals<Real> compliance);

// Work.matrix = M of each body (lower triangles) and Work.G; needs `place`.
template <class Real>
void masses(const Layout& layout, Work<Real>& work);

// out = Phi. = G v + Phi_t (nr,), with the velocities of the latest `move` or `drift`.
template <class Real>
void row_rates(const Layout& layout, const Work<Real>& work, Reals<Real> out);

// out = G v (nr,), v (nv,); needs `blocks`.
template <class Real>
void row_products(const Layout& layout, const Work<Real>& work, Reals<Real> v, Reals<Real> out);

// out = Phi. = G v + Phi_t (nr,) with v (nv,); needs `place`.
template <class Real>
void velocity_residual(const Layout& layout, Work<Real>& work, Reals<Real> v, Reals<Real> out);

// out = bias of each row, Phi.. = G vdot + out (nr,); needs `place` and `move`.
template <class Real>
void biases(const Layout& layout, Work<Real>& work, double t, Reals<Real> out);

// Dense M (nv, nv) and G (nr, nv), for starts, checks and reports; needs `place`.
template <class Real>
void dense(const Layout& layout, Work<Real>& work, Array<Real, 2> mass_matrix, Array<Real, 2> jacobian);

// out = kinetic, strain (modes, elements) and gravity energy (J); c (nb, 3), alpha (na,), v (nv,). Needs `place`,
// `move`, and `evaluate_laws`.
template <class Real>
void energies(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha, Reals<Real> v,
              Reals<Real> out);

}  // namespace flexbody
