// What a run keeps of the forces of elements at its steps: peaks, how often they turn, how deep contacts go.
#pragma once
#include "force_elements.hpp"

namespace flexbody {

// out (2 ne,) = what peaks are the largest of: the force of each element and, between two frames, its moment; needs
// `evaluate_laws`.
template <class Real>
void forces_of_elements(const Layout& layout, const Work<Real>& work, Reals<Real> out);

// Keep the largest forces and their times in Work.peak; needs `evaluate_laws` at t (s).
template <class Real>
void keep_peaks(const Layout& layout, Work<Real>& work, double t);

// Keep the largest forces, how often the force along each deformation turns back by a part of its largest size
// (Work.turned), and how deep the shapes of contacts are inside each other at most (Work.depth); needs
// `evaluate_laws` at the end of a step, at t (s).
template <class Real>
void keep_forces(const Layout& layout, Work<Real>& work, double t);

}  // namespace flexbody
