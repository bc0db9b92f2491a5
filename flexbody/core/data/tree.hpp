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
  Array<const Index, 1> carrier;       // (nb,) the hinge that leads to that body, -1 for the ground
  Array<const Index, 1> hinge;         // (nb,) the hinge that leads to body b
  Array<const Index, 1> kind;          // (nb,) see HingeKind
  Array<const Index, 2, 2> frame;      // (nb, 2) the inner and the outer frame of the joint, -1 for a free joint
  Array<const Index, 1> reversed;      // (nb,) 1 where the outer frame is the first frame of the joint
  Array<const Index, 1> ball;          // (nb,) 1 where Euler parameters describe the rotation
  Array<const Index, 1> place_at;      // (nb + 1,) offsets into s
  Array<const Index, 1> speed_at;      // (nb + 1,) offsets into u, `motion` and `column`
  Array<const Index, 2, 3> motion;     // (nh, 3) see MotionColumn
  Array<const Index, 2, 3> driven;     // (nh, 3) see DrivenColumn
  Array<const double, 1> driven_from;  // (nh,) place where the driven coordinate is zero
  Array<const Index, 2, 2> drive;      // (nd, 2) of each driven motion: its number and its hinge
  Array<const double, 2, 2> screw;     // (nb, 2) of a screw: translation where its angle is zero, m, and per rad, m
  Array<const Index, 1> called;        // (nb,) address of the function of a user's own hinge, 0 for none
  Array<const double, 1> unit;         // (nh,) what counts as one unit of each speed: m, rad, or of a user's hinge
  // between rigid bodies, in the base of a link, the outer frame of its hinge
  Array<const double, 2, 12> seat;   // (nb, 12) axes (3, 3) and origin of the inner frame in the base of its carrier
  Array<const double, 2, 10> rigid;  // (nb, 10) mass, its centre, inertia xx xy xz yy yz zz about the origin
  Array<const Index, 1> watched;     // (*,) the frames that forces act on or depend on
  Array<const Index, 1> own_at;      // (nb + 1,) offsets of each hinge's own speeds: those not driven, then alpha.
  Array<const Index, 1> matrix_at;   // (nb + 1,) offsets into `matrix`: m^2 for m own speeds
  Array<const Index, 1> modal_at;    // (nb + 1,) offsets into `modal_inertia`: N^2, by hinges
  Array<const Index, 1> carried_at;  // (nb + 1,) rows of `carried`: N of the carrier
  Array<const Index, 1> row_at;      // (nb + 1,) offsets into `row`
  Array<const Index, 1> row;         // (*,) the constraint rows of each hinge
  Array<const Index, 1> closing;     // (nc,) the constraint rows of no hinge: those that close loops
  // closing rows along the tree, see loops.hpp: fronts of hinges (nb), then those at their carriers
  Array<const Index, 1> closing_frame;  // (*,) the frames of closing rows and forces, where there are closing rows
  Array<const Index, 1> front_at;       // (fronts + 1,) offsets into the rows of all fronts
  Array<const Index, 1> front_row;      // (*,) the constraint rows of each front, its own ones first
  Array<const Index, 1> front_to;    // (*,) where each is in the rows of all fronts at the next front; -1 for its own
  Array<const Index, 1> front_own;   // (fronts,) number of rows that are eliminated there
  Array<const Index, 1> front_next;  // (fronts,) the front to which the others go, -1 for none
  Array<const Index, 1> front_matrix_at;  // (fronts + 1,) offsets into `row_matrix`: n^2 for n rows
  Array<const Index, 1> front_speed_at;   // (nb + 1,) offsets into `row_own`: n times the own speeds of the hinge
  Array<const Index, 1> group_at;         // (nb + 2,) the fronts at each carrier, the ground first
  // motion of the bodies as in the global description
  Array<Real, 2, 3> c;                // (nb, 3) m
  Array<Real, 2, 4> q;                // (nb, 4)
  Array<Real, 1> given;               // (nh,) du/dt of the driven motions
  Array<Real, 1> missed;              // (nh,) by how much a step without correction would miss the drive, m or rad
  Array<Real, 1> time;                // (1,) s, for which users' own hinges are asked
  Array<Real, 2, 6> carried_by_time;  // (nb, 6) twist that the function of a user's own hinge causes by the time
  Array<Real, 1> v;                   // (nv,)
  Array<Real, 1> vdot;                // (nv,)
  Array<Real, 2, 3> kept_c;           // (nb, 3) of the last accepted state
  Array<Real, 2, 4> kept_q;           // (nb, 4)
  Array<Real, 1> kept_v;              // (nv,)
  Array<Real, 1> kept_vdot;           // (nv,)
  // sweeps, see link.hpp; twists are at the outer frame, inertial
  Array<Real, 2, 60> link;         // (nb + 1, 60) the ground, then each hinge's body
  Array<Real, 2, 6> column;        // (nh, 6) H: what a unit of each speed adds to the twist
  Array<Real, 2, 6> carried;       // (*, 6) what a unit of each alpha. of the carrier adds to it
  Array<Real, 2, 6> held;          // (na, 6) velocities (body base) of a body for each alpha., its outer frame held
  Array<Real, 2, 6> modal_column;  // (na, 6) momentum for each alpha., the outer frame held
  Array<Real, 1> modal_inertia;    // inertia of the alpha. of each body, the outer frame held: upper triangles
  Array<Real, 1> modal_load;       // (na,)
  Array<Real, 1> matrix;           // of own speeds, K = L D L': L' above the diagonal, 1 / D on it
  Array<Real, 2, 6> drag;          // (own, 6) L^-1 times the load that each own rate leaves at the outer frame
  Array<Real, 1> own;              // right sides of own speeds, L^-1 times them, then their rates
  // rows of fronts that are not left out (Work.active): each front's at its first places
  Array<Index, 1> kept_active;  // (nr,) Work.active for which they were found
  Array<Index, 2, 2> kept;      // (fronts, 2) numbers of such rows: those to be eliminated there, all
  Array<Index, 1> kept_row;     // (*,) the constraint rows
  Array<Index, 1> kept_to;      // (*,) the place of each in the next front
  Array<Real, 2, 6> row_load;   // (*, 6) load that a unit of each row of a front leaves at its link
  Array<Real, 1> row_start;     // (*,) diagonals of G Y G' before elimination
  Array<Real, 1> row_left;      // (*,) what the motion so far leaves of the second derivative of each row
  Array<Real, 1> row_matrix;    // the matrices of all fronts
  Array<Real, 1> row_own;       // parts of rows along own speeds
  Array<Real, 1> row_right;     // (nr,) what closing rows demand
  Array<Real, 1> row_force;     // (nr,) multipliers of closing rows
};

}  // namespace flexbody
