// Networks: springs round bodies without mass, whose places follow from equilibrium (Sol 3.5, static condensation).
//
// A network has outer frames, on bodies and the ground, and massless bodies between them. The unknowns of a massless
// body are its place and, where elements turn it, its rotation: y = (delta / L, theta) with the length L of the
// network and theta in the base of the body. With the forces f(y) on the massless bodies, conjugate to y,
//
//     f(y) = 0,    K = -df/dy
//
// is solved by Newton's method at each evaluation of the forces, from the place beside the first outer frame that was
// found before. K is found by differences, so that it holds the change of directions too. Freedoms that nothing
// resists and nothing loads stay where they are; an equilibrium that is not stable is none.
//
// The rates of the deformations follow from `K y. = df/dt` with the motion of the outer frames. Laws don't depend on
// them: there is no damping inside a network.
//
// In the iteration matrix the forces of a network have the condensed stiffness `K_e - K_e B K^-1 B' K_e`, with K_e of
// the elements and B = dx/dy. Its rows act on all outer frames, which are their legs in Work.slope.
#pragma once
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Whether element e acts on a massless body.
inline bool in_network(const Layout& layout, Index e) {
  if (layout.massless_center.shape[0] == 0) return false;
  return layout.frame_massless[layout.element(e, FIRST)] >= 0 ||
         layout.frame_massless[layout.element(e, SECOND)] >= 0;
}

// Place the massless bodies in equilibrium, and evaluate the elements of all networks; needs `evaluate_elements`.
// Where there is no stable equilibrium, the frames are NaN and Work.bad_network says why.
template <class Real>
void settle_networks(const Layout& layout, Work<Real>& work, double t);

// Velocities of the massless bodies and rates of their elements; needs `settle_networks`.
template <class Real>
void move_networks(const Layout& layout, Work<Real>& work, double t);

// The rows of the iteration matrix of the elements of all networks, as `tangents`.
template <class Real>
void network_tangents(const Layout& layout, Work<Real>& work, double stiffness, Reals<Real> compliance);

}  // namespace flexbody
