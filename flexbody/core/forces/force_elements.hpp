// Energetic and active connections: deformations of an element, its law, and the loads on its frames.
//
// An element has deformations `x` (one, or six between two frames), rates `x.` and directions `g` with
// `x. = g . (v_first, w_first, v_second, w_second)`; its law gives forces `F` against growing deformations, and the
// loads on the frames are `-F g`: in balance and independent of rigid motion, because `x` is (Sol 3.4).
//
// A law may have states, `z. = f(t, x, x., z)` (Sol 3.5.3). Work.law_mode sets how they are found:
//
// * GIVEN    `z` is what the integrator says
// * STEPPED  `z - kappa f(z) = known`: what an implicit step makes of the state equation, solved element by element
// * RELAXED  `f(z) = 0`
//
// so that an element with states enters Newton's iteration as one without, its stiffness and damping included.
//
// The laws are the C functions of force_laws.hpp, or users' own. Their stiffness is their own slope, or found by
// differences.
#pragma once
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// The numbers p of the law of element e.
inline const double* law_numbers(const Layout& layout, Index e) {
  return layout.element_value.data + layout.element(e, VALUE_AT) + 1 + layout.element(e, COUNT);
}

// Whether the k-th of six deformations is the rotation about an axis that is free, which has a rate alone.
inline bool is_free(Index free, Index k) {
  return k >= 3 && (free == ALL_AXES || k == 3 + free);
}

// Deformations, rates and directions of all elements; needs `place_frames` and `move_frames`, and
// `place_coordinates` where elements act along joint coordinates.
template <class Real>
void evaluate_elements(const Layout& layout, Work<Real>& work);

// The same of element e.
template <class Real>
void evaluate_element(const Layout& layout, Work<Real>& work, Index e);

// Force, state rates and powers of element e, which is no cloud and no surface; needs `evaluate_element`.
template <class Real>
void evaluate_law(const Layout& layout, Work<Real>& work, Index e, double t);

// Forces, states and powers of all elements, and the loads of clouds of spheres, which are added to Work.frame_load
// here; needs `evaluate_elements`, and `find_normal_forces` where friction
// follows reactions.
template <class Real>
void evaluate_laws(const Layout& layout, Work<Real>& work, double t);

// Whether the law of element e is a user's function in another language, whose work counts as input.
bool is_called_back(const Layout& layout, Index e);

// Powers of an element, W.
template <class Real>
struct MeanPowers {
  Real dissipated, input;
};

// What the law of element e says at time t with the input u (3,), deformations x and rates (m,), and states z (nz,).
template <class Real>
MeanPowers<Real> mean_powers(const Layout& layout, Index e, double t, Reals<Real> u, Reals<Real> x, Reals<Real> rate,
                             Reals<Real> z);

// Bring the states of element e to where they stay, NaN where there is no such place; needs `evaluate_elements`.
template <class Real>
void relax(const Layout& layout, Work<Real>& work, Index e, double t);

// Add the forces of all elements to Work.frame_load, with the sign of the residual, and their powers to Work.power;
// needs `evaluate_laws`.
template <class Real>
void add_elements(const Layout& layout, Work<Real>& work);

// out (nv,) = what a unit of the k-th force of element e adds to the residual; needs `evaluate_elements`.
template <class Real>
void unit_load(const Layout& layout, const Work<Real>& work, Index e, Index k, Reals<Real> out);

// K (m, m) = `stiffness dF/dx + damping dF/dx.` of element e; needs `evaluate_law`.
template <class Real>
void element_stiffness(const Layout& layout, Work<Real>& work, Index e, double damping, double stiffness,
                       Array<Real, 2> K);

// Stiffness of all elements in the iteration matrix, as rows: `stiffness dF/dx + damping dF/dx.`; compliance (m -
// nr,) of the deformations receives what belongs to each row, -1 where the stiffness is not positive. Needs
// `evaluate_laws`.
template <class Real>
void tangents(const Layout& layout, Work<Real>& work, double damping, double stiffness, Reals<Real> compliance);

}  // namespace flexbody
