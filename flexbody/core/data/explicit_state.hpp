// Settings and state of the explicit method. The Python side is in structures.py, field by field.
#pragma once
#include "../../../fem/core/array.hpp"
#include "tree.hpp"
#include "work.hpp"

namespace flexbody {

// The explicit method as it was chosen.
struct ExplicitSettings {
  double rtol;      // 0: fixed step
  double min_step;  // s
  double max_step;  // s
  Index always;     // 1: a smallest step is taken whatever its error
  double pace;      // one over the duration of the run, 1/s
  double crawl;     // s, smaller steps end the run near a singular position
};

// The state ``y`` = (positions, alpha, velocities, z of laws, dissipated and input energy), its rate, and workspace.
// Positions and velocities are c, q and v in the global description; places s, and speeds u and alpha. of a tree.
template <class Real>
struct ExplicitState {
  double t;              // s
  double wanted;         // step, s
  double last;           // s
  double largest_pivot;  // of the states so far
  double pace;           // 1/s, one over the time of the run
  Array<Real, 1> y;
  Array<Real, 1> rate;
  Array<Real, 1> trial;
  Array<Real, 2> stages;       // (16, ny) the last three are those of the interpolation
  Array<Real, 1> multipliers;  // (m,)
  Array<Real, 1> trial_multipliers;
  Array<Real, 1> error;            // (nv,) error as a generalized displacement
  Array<Real, 1> error_rate;       // (nv,) and as a generalized velocity
  Array<Real, 1> no_acceleration;  // (nv,) zeros
  Array<Real, 1> no_multipliers;   // (nr,) zeros
  Array<Real, 1> miss;             // (nr,)
  Array<Real, 1> compliance;       // (m - nr,)
  Array<Real, 2, 3> top;           // (nb, 3) see TopColumn
  Array<Real, 1> law_pace;  // (nz,) by how much a law's rate changes where positions do by the machine's length
  Array<Real, 1> law_top;   // (nz,) largest state of each force law so far
  Array<Real, 1> law_size;  // (nz,) size of the states that counts in any case
  Array<Real, 2> forces;    // (6, 2 ne) of elements at places of the step, see explicit_peaks.cpp
  Index smallest;           // accepted steps in sequence whose error was too large, and that could not be shorter
  Index bad_row;
  Counts* counts;
  DriveMisses* misses;
  Tree<Real>* tree;  // empty in the global description
};

// Coefficients of the pair 8(5,3) of Dormand and Prince.
struct Tableau {
  Array<const double, 2> A;   // (12, 12)
  Array<const double, 1> B;   // (12,)
  Array<const double, 1> C;   // (12,)
  Array<const double, 1> E3;  // (13,)
  Array<const double, 1> E5;  // (13,)
  // of the interpolation within a step
  Array<const double, 2> A_more;  // (3, 16)
  Array<const double, 1> C_more;  // (3,)
  Array<const double, 2> D;       // (4, 16)
};

}  // namespace flexbody
