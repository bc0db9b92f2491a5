// Contact of two shapes on the frames of an element: gaps, slips and their directions at each point of contact.
//
// Gaps are measured from the surface of the host (a plane, sphere, cylinder or box) to points of the guest: the
// centre of a sphere, the corners of a box, four points on each rim of a cylinder on a plane, two points on the axis
// of a cylinder in a hollow one. With the distance D of such a point from the host, the outward normal n of the host
// there, and the radius R of the guest about it,
//
//     gap = D - R          contact point C = P - (R + gap/2) n
//     gap. = n . (v_guest(C) - v_host(C))
//     slip_k = e_k . (1 - n n') (v_guest(C) - v_host(C)),   e_k the axes of the host's frame
//
// A pin in a hollow cylinder slides along the edge of the hollow: its gap moves with m instead of n, see
// contact_points.cpp. So normal forces and friction act at one point of both bodies.
#pragma once
#include "../data/kinds.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Gap, slips (as deformations zero), their rates and directions of element e between two shapes; needs `move_frames`.
template <class Real>
void evaluate_contact(const Layout& layout, Work<Real>& work, Index e);

// Whether no contact can have been passed over in a step of size h (s) that ends here: no guest has moved, relative
// to its host, farther than its gap and half of what is in its way. A plane has no other side.
template <class Real>
bool contacts_are_seen(const Layout& layout, const Work<Real>& work, double h);

}  // namespace flexbody
