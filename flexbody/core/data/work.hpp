// Scratch. The Python side is in structures.py, field by field.
#pragma once
#include "../../../fem/core/array.hpp"

namespace flexbody {

// Euler parameters of many bodies, (nb, 4).
template <class Real>
using EulerParameters = Array<Real, 2, 4>;

// By how much steps miss drives before they are corrected, see drive_errors.hpp.
struct DriveMisses {
  Index tried;    // the row that the step being tried misses most
  double missed;  // and by how much, m
  Index row;      // of the accepted steps since the last check the row missed most, -1 for none
  double since;   // the times between which it was missed, s
  double until;
  double allowed;  // by how much a drive may be missed before it is checked, m
};

// Scratch, and what the last evaluation left for others to read.
template <class Real>
struct Work {
  // bodies
  Array<Real, 3, 3, 3> Q;   // (nb, 3, 3)
  Array<Real, 2, 3> D1;     // (nb, 3)
  Array<Real, 3, 3, 3> J;   // (nb, 3, 3)
  Array<Real, 3, 3, 3> D2;  // (na, 3, 3)
  Array<Real, 2, 3> D3;     // (na, 3)
  Array<Real, 1> axial;     // stretch s, shortening h and T alpha (N) of each axial mode
  // frames
  Array<Real, 2, 3> frame_p;     // (nf, 3) position from the reference point, body base
  Array<Real, 2, 3> frame_r;     // (nf, 3) inertial position
  Array<Real, 3, 3, 3> frame_R;  // (nf, 3, 3) axes (columns), inertial
  Array<Real, 1> frame_rows;     // as Layout.frame_modes, as it stands: Pi (3, N) and T Th (3, N) of each frame
  Array<Real, 1> term;           // S alpha of each second-order term
  Array<Real, 2, 3> frame_v;     // (nf, 3) inertial velocity
  Array<Real, 2, 3> frame_w;     // (nf, 3) inertial angular velocity
  Array<Real, 2, 3> frame_a;     // (nf, 3) acceleration for zero vdot (bias)
  Array<Real, 2, 3> frame_b;     // (nf, 3) angular acceleration for zero vdot (bias)
  Array<Real, 2, 34> path;       // (np, 34) see PathNumber
  Array<Real, 1> path_rows;      // of each path its columns at s with two derivatives, products of alpha
  Array<Real, 2, 6> frame_load;  // (nf, 6) inertial force and moment of all rows on each frame
  // constraint rows and joint coordinates
  Array<Index, 1> active;      // (nr,) 0 for redundant rows, which are left out
  Array<Real, 1> phi;          // (nr,) scaled constraint residuals, m
  Array<Real, 1> phi_t;        // (nr,) their partial time derivative
  Array<Real, 1> driven;       // (nr,) values of the functions of time of their drives, rad or m
  Array<Real, 3, 2, 3> slope;  // (2 m + legs, 2, 3) derivative of a row by r and theta of one frame
  Array<Real, 3, 4, 3>
      direction;  // (m, 4, 3) the same memory: derivative by r_first, theta_first, r_second, theta_second
  Array<Real, 3, 2, 3> leg_slope;  // (legs, 2, 3) the same memory: the derivatives by the legs
  Array<Real, 1> shape;            // of each set of shapes that follow contacts, see following_shapes.cpp
  Array<Real, 1> coordinate;       // (nu,) joint coordinates that rows or forces use
  Array<Real, 3, 4, 3>
      coordinate_slope;           // (nu, 4, 3) their derivatives by r_first, theta_first, r_second, theta_second
  Array<Real, 2, 5> revolutions;  // (nc, 5) see RevolutionColumn
  // forces
  Index law_mode;                          // how the states of force laws are found: GIVEN, STEPPED, RELAXED
  double law_kappa;                        // the factor of their rates in an implicit step, s
  double law_time;                         // of the latest evaluation, s
  double bad_time;                         // the latest evaluation of a law that was not finite: its time, s
  Index bad_element;                       // the element, -1 for none
  double bad_deformation;                  // its first deformation
  double bad_rate;                         // and its rate
  double bad_network_time;                 // the latest evaluation of a network without equilibrium: its time, s
  Index bad_network;                       // the network, -1 for none
  Index bad_network_cause;                 // see NetworkCause
  Array<Real, 1> deformation;              // (nx,)
  Array<Real, 1> deformation_rate;         // (nx,)
  Array<Real, 1> element_force;            // (nx,)
  Array<Real, 3, 4, 3> deformation_slope;  // (nx, 4, 3) by r_first, theta_first, r_second, theta_second
  Array<Real, 1> law_state;                // (nz,)
  Array<Real, 1> law_rate;                 // (nz,)
  Array<Real, 1> law_known;                // (nz,) what an implicit step knows of them
  Array<Real, 2, 3> law_input;             // (ne, 3) the input u of each law
  Array<Real, 2, 3> element_power;         // (ne, 3) see ElementPowerColumn
  Array<Real, 2, 4> peak;                  // (ne, 4) the largest force of each at a step, see PeakColumn
  Array<Real, 2, 4> depth;                 // (ne, 4) of contacts, see DepthColumn
  Array<Real, 2, 7> turned;                // (nx, 7) how often the forces turn, see TurnColumn
  Array<Real, 1> signal;                   // (*,) what controllers measure, and their outputs
  Array<Real, 2, 2> acted;                 // (*, 2) value (NaN of a turn) and rate where these outputs act
  Array<Real, 2, 30> massless;             // (nm, 30) see MasslessColumn
  Array<Real, 2, 9>
      friction_record;             // (nh, 9) see FrictionRecord: of nh frictions that follow their joint's reaction
  Array<Real, 2> friction_system;  // (nh, nh + 2) the equations of these forces: matrix, right side, forces
  Array<Real, 2> friction_motion;  // (nh, nv) the motion that a unit of each force causes
  Array<Real, 2> friction_multipliers;  // (nh, m) and the multipliers
  Array<Real, 1> power;                 // (2,) see PowerEntry, W
  Array<Real, 1> load;                  // (nv,) generalized forces of the loads on bodies
  // equations of motion and their solution
  Array<Real, 1> residual;    // (nv,)
  Array<Real, 1> G;           // the Jacobian's blocks, by body; as they were when the iteration matrix was factorised
  Array<Real, 1> matrix;      // each body's iteration matrix, then its Cholesky factor B
  Array<Real, 1> Y;           // as G: B^-1 G^T
  Array<Real, 1> S;           // Schur complement, then its factor, in panels
  Array<Real, 1> diagonal;    // (m,) its diagonal before elimination, in the order of the elimination
  Array<Real, 1> compliance;  // (m - nr,) of the deformations
  Array<Index, 1> kept;       // (m,) 0 for rows that are left out, in that order too
  Index rank;
  double pivot;                 // the smallest pivot over its diagonal
  double held;                  // the least part of a load on massless bodies that joints and springs take up
  Array<Real, 1> right;         // (m,)
  Array<Real, 1> solution;      // (m,)
  Array<Real, 1> other;         // (m,) a second right side
  Array<Real, 2, 2> solutions;  // (m, 2)
  Array<Real, 1> unused;        // (m,)
};

// What a run has done so far.
struct Counts {
  Index steps;
  Index rejected;
  Index iterations;
  Index factorisations;
  Index rank_losses;
  Index vibrating;        // steps whose size vibrations determined
  Index striking;         // steps whose size forces that set in, slide or jump may have determined
  Index without_bristle;  // steps behind which spheres touch for whose friction there is no bristle
};

}  // namespace flexbody
