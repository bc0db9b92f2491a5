// Loads: forces and moments at frames, given as functions of time (Koppens 4.2).
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Subtract all point forces and moments from Work.residual and add their power to Work.power; needs `move`.
template <class Real>
void add_loads(const Layout& layout, Work<Real>& work, double t);

}  // namespace flexbody
