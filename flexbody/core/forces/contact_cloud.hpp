// Contacts among many spheres, and of these with planes, cylinders, boxes and spheres of other kinds: an element
// without deformations, whose frames are those of the spheres and then of the other shapes, FIRST to SECOND.
//
// Pairs of spheres are found by cells of the size of the largest sphere, in a table by their coordinates; only
// spheres in the same cell or in neighbours can touch.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Add the loads of element e to Work.frame_load, with the sign of the residual, and set its powers; needs
// `move_frames`.
template <class Real>
void add_cloud(const Layout& layout, Work<Real>& work, Index e);

// Whether no sphere can have passed another one in a step of size h (s): each has moved by less than its radius, or
// by less than that of the smallest.
template <class Real>
bool cloud_is_slow(const Layout& layout, const Work<Real>& work, Index e, double h);

}  // namespace flexbody
