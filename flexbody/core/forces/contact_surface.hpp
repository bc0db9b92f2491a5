// Contact of a body's surface with a plane, sphere, cylinder or box.
//
// The surface is an elastic foundation: each point presses with the stiffness of its part of the area, |A . n| for an
// area vector A. Since this changes with the attitude, the energy of the foundation gives a moment too. An element of
// a rigid body has six deformations: the motion of the other shape's body seen from the frame of the surface, along
// and about the inertial axes, at this frame. They have no values, since only their rates are needed; their forces
// are the resultant on the surface. An element of a flexible body has none, and a frame for each point, FIRST to
// SECOND - 1; its forces are added to Work.frame_load. SECOND is the frame of the other shape.
//
// Points of a rigid body are looked at in groups, the leaves of a tree; a group whose sphere does not touch the shape
// is passed.
#pragma once
#include "../../../fem/core/vector.hpp"
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Rows and rates of the six deformations of element e; needs `move_frames`.
template <class Real>
void evaluate_surface(const Layout& layout, Work<Real>& work, Index e);

// Forces and powers of element e; the forces of a flexible body are added to Work.frame_load, with the sign of the
// residual.
template <class Real>
void press_surface(const Layout& layout, Work<Real>& work, Index e);

// K (6, 6) = stiffness dF/dx + damping dF/dx. of the element e of a rigid body.
template <class Real>
void surface_stiffness(const Layout& layout, Work<Real>& work, Index e, double damping, double stiffness,
                       Array<Real, 2> K);

// Where element e presses: the mean of the points that touch, each by its elastic force; the place of the surface's
// first frame where none does.
template <class Real>
Vector<Real> pressed_point(const Layout& layout, const Work<Real>& work, Index e);

// Whether no point can have passed the shape in a step of size h (s): each has moved by less than half of its
// smallest extent.
template <class Real>
bool surface_is_slow(const Layout& layout, const Work<Real>& work, Index e, double h);

}  // namespace flexbody
