// Contacts among many spheres, and of these with planes, cylinders, boxes and spheres of other kinds: an element
// without deformations, whose frames are those of the spheres and then of the other shapes, FIRST to SECOND.
//
// Pairs of spheres are found by cells of the size of the largest sphere, in a table by their coordinates; only
// spheres in the same cell or in neighbours can touch.
//
// Where friction sticks, each pair that touches has a bristle among the states of the law, see PairState: the pair is
// a state too, so that states are all that is stored. A pair that touches for the first time has its bristle from the
// end of that step on, and keeps it until it has straightened behind the contact.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Add the loads of element e to Work.frame_load, with the sign of the residual, and set its powers; needs
// `move_frames`.
template <class Real>
void add_cloud(const Layout& layout, Work<Real>& work, Index e);

// Let the pairs of all clouds whose friction sticks have bristles while they touch: changes the states (nz,) of an
// accepted step between two steps, and returns whether it has; counts `full` up if a pair that touches finds no room
// for one; needs `place`.
template <class Real>
bool exchange_pairs(const Layout& layout, const Work<Real>& work, Reals<Real> states, Index& full);

// Whether no sphere can have passed another one in a step of size h (s): each has moved by less than its radius, or
// by less than that of the smallest.
template <class Real>
bool cloud_is_slow(const Layout& layout, const Work<Real>& work, Index e, double h);

}  // namespace flexbody
