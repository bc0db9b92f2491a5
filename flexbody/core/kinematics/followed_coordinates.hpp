// Joint coordinates that are followed over time from outside.
#pragma once
#include "../data/alpha_state.hpp"
#include "../data/layout.hpp"

namespace flexbody {

// Read all coordinates at the state of the last accepted step, up to which revolutions are counted.
template <class Real>
void track(const Layout& layout, Work<Real>& work, Vectors<Real> c, EulerParameters<Real> q, Reals<Real> alpha,
           Reals<Real> v, Tracked<Real>& tracked);

}  // namespace flexbody
