// Energetic and active connections: deformations of an element, its law, and the loads on its frames.
//
// An element has deformations `x` (one, or six between two frames), rates `x.` and directions `g` with
// `x. = g . (v_first, w_first, v_second, w_second)`; its law gives forces `F` against growing deformations, and the
// loads on the frames are `-F g`: in balance and independent of rigid motion, because `x` is (Sol 3.4).
//
// A law may have states, `z. = f(t, x, x., z)` (Sol 3.5.3). Work.law_mode tells how they are found:
//
// * GIVEN    `z` is what the integrator says
// * STEPPED  `z - kappa f(z) = known`: what an implicit step makes of the state equation, solved element by element
// * RELAXED  `f(z) = 0`
//
// so that an element with states enters Newton's iteration as one without, its stiffness and damping included.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Deformations, rates and directions of all elements; needs `place_frames` and `move_frames`, and
// `place_coordinates` where elements act along joint coordinates.
template <class Real>
void evaluate_elements(const Layout& layout, Work<Real>& work);

// Forces, states and powers of all elements; needs `evaluate_elements`.
template <class Real>
void evaluate_laws(const Layout& layout, Work<Real>& work, double t);

// Bring the states of element e to where they stay, NaN where there is no such place; needs `evaluate_elements`.
template <class Real>
void relax(const Layout& layout, Work<Real>& work, Index e, double t);

// Subtract the loads of all elements from Work.residual and add their powers; needs `evaluate_laws`.
template <class Real>
void add_elements(const Layout& layout, Work<Real>& work);

// Stiffness of all elements in the iteration matrix, as rows: `stiffness dF/dx + damping dF/dx.`; compliance
// (m - nr,) of springs and deformations receives what belongs to each row. Needs `evaluate_laws`.
template <class Real>
void tangents(const Layout& layout, Work<Real>& work, double damping, double stiffness, Reals<Real> compliance);

}  // namespace flexbody
