// The largest forces of elements between the ends of explicit steps.
//
// The forces at five stages of a step and at its end tell where one is largest: at the maximum of the polynomial
// through them. The force is then evaluated at the state there, by the interpolation of order 7 that belongs to the
// method (E. Hairer, S. P. Norsett, G. Wanner, Solving Ordinary Differential Equations I, II.6, and their DOP853).
// Forces that are not larger than what is known cost no evaluation.
#pragma once
#include "explicit.hpp"

namespace flexbody {

// Keep the forces at stage s of a step in state.forces, where it is one of those that are used; needs `rates`.
template <class Real>
void keep_stage_forces(const Layout& layout, const Work<Real>& work, ExplicitState<Real>& state, Index s);

// Find the largest forces within the step of size h to the trial, whose stages are known, and keep them in Work.peak.
// All else is as before.
template <class Real>
void find_peaks(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau, double h,
                double end);

}  // namespace flexbody
