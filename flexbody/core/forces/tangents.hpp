// Two wheels and the common tangents of their circles: the lines of action of teeth, and the spans of belts.
//
// Circles of radii r_1 and r_2 about c_1 and c_2 lie in a plane with the normal z, the axis of the first wheel. With
// `c_2 - c_1 = D u`, `v = z x u` and A = r_1 - r_2 (r_2 below zero for tangents that cross between the wheels),
//
//     sin(gamma) = A / D,    m = sin(gamma) u + s cos(gamma) v,    e = cos(gamma) u - s sin(gamma) v
//
// are the normal and the direction of the tangent on side s = 1 or -1; it touches the first circle in c_1 + r_1 m. A
// thread along the tangent that winds on both circles without slip grows by
//
//     l = D cos(gamma) + A gamma + s (r_1 turn_1 - r_2 turn_2),    l. = e . (velocity of 2 - velocity of 1)
//
// with the angles by which the wheels have turned against the line of centres. Between involute teeth the gap along
// the line of action is l for external gears (base circles, r_2 < 0) and -l for internal ones (r_2 > 0), whatever the
// distance of the axes. Teeth with the base helix angle beta touch along
//
//     n = cos(beta) e + s sin(beta) z,
//
// and their gap has the part s sin(beta) a with the axial distance a of both wheels where the pitch circles touch. Of
// a rack, u is fixed to the rack and gamma given.
//
// Angles are joint coordinates, which are continuous over many revolutions, minus the angle by which the line of
// centres has turned against the carrier of each wheel, below half a turn. That wheels tilt is taken into account to
// the first order. The frames of an element are the first wheel, the carriers of both, and the second wheel; their
// axes are parallel as drawn: x along the line of centres, z along the axis. Numbers are those of TangentNumber, then
// those of the law.
//
// The lines of action of bevel gears are great circles of a sphere about the apex. The force of a flank acts at the
// pitch point P along its normal f there, both fixed to the carrier; with the displacements u of both wheels at P,
//
//     gap = f . (u_2 - u_1) - rest,    u = d + turn (z x rho) + tilt x rho,    rho = P - origin as drawn
//
// of the displacement d of the wheel's origin, its angle and the small tilt of its axis z. While the axes are as
// drawn, this is the thread between the base cones, `R sin(delta_b) turn` of each, R the cone distance.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Deformations, rates and directions of element e; needs `place_coordinates` and `move_frames`.
template <class Real>
void evaluate_tangents(const Layout& layout, Work<Real>& work, Index e);

}  // namespace flexbody
