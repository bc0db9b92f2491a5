// The tree of a machine in the relative description. The Python side is in structures.py, field by field.
#pragma once
#include "../../../fem/core/array.hpp"
#include "work.hpp"

namespace flexbody {

// A tree of nb hinges; hinge k leads to a body. Empty in the global description.
//
// The places s (np,) of a hinge are its shifts along the axes of the first frame, m, then its angles, rad, or four
// Euler parameters of a ball or free joint. Its speeds u (nh,) are the motions of `motion`, in this order.
template <class Real>
struct Tree {
  Array<const Index, 1> body;          // (nb,) the body that hinge k leads to
  Array<const Index, 1> inner;         // (nb,) the body that carries it, -1 for the ground
  Array<const Index, 2, 2> frame;      // (nb, 2) the inner and the outer frame of the joint, -1 for a free joint
  Array<const Index, 1> reversed;      // (nb,) 1 where the outer frame is the first frame of the joint
  Array<const Index, 1> ball;          // (nb,) 1 where Euler parameters describe the rotation
  Array<const Index, 1> place_at;      // (nb + 1,) offsets into s
  Array<const Index, 1> speed_at;      // (nb + 1,) offsets into u and `motion`
  Array<const Index, 2, 3> motion;     // (nh, 3) see MotionColumn
  Array<const Index, 2, 3> driven;     // (nh, 3) see DrivenColumn
  Array<const double, 1> driven_from;  // (nh,) place where the driven coordinate is zero
  Array<const double, 2, 2> screw;     // (nb, 2) of a screw: translation where its angle is zero, m, and per rad, m
  Array<const Index, 1> matrix_at;     // (nb + 1,) offsets into `matrix`: m^2 for m speeds, modal ones included
  Array<const Index, 1> own_at;        // (nb + 1,) offsets into `own` and columns of `drag`: m
  Array<const Index, 1> row_at;        // (nb + 1,) offsets into `row`
  Array<const Index, 1> row;           // (*,) the constraint rows of each hinge
  Array<Real, 2, 3> c;                 // (nb, 3) m
  Array<Real, 2, 4> q;                 // (nb, 4)
  Array<Real, 1> given;                // (nh,) du/dt of the driven motions
  Array<Real, 1> missed;               // (nh,) by how much a step without correction would miss the drive, m or rad
  Array<Real, 1> v;                    // (nv,)
  Array<Real, 1> vdot;                 // (nv,)
  Array<Real, 2, 3> kept_c;            // (nb, 3) of the last accepted state
  Array<Real, 2, 4> kept_q;            // (nb, 4)
  Array<Real, 1> kept_v;               // (nv,)
  Array<Real, 1> kept_vdot;            // (nv,)
  Array<Real, 1> inertia;              // as Work.matrix: of each body with all that it carries
  Array<Real, 1> load;                 // (nv,) likewise
  Array<Real, 1> matrix;               // Cholesky factor of the matrix of each hinge's own speeds
  Array<Real, 1> own;                  // right side of the own speeds, then their rates
  Array<Real, 1> drag;                 // (6 m,) of each hinge, (6, m): what own accelerations cost at the outer frame
  Array<Real, 3, 6, 6> carried;        // (nb, 6, 6) inertia that the hinge shows at its outer frame
  Array<Real, 2, 6> wrench;  // (nb, 6) load there without acceleration of the inner body, then the whole load
  Array<Real, 2, 6> shift;   // (nb, 6) acceleration of the outer frame without any other
};

}  // namespace flexbody
