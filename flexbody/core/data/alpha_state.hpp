// Settings and state of the generalized-alpha method. The Python side is in structures.py, field by field.
#pragma once
#include "../../../fem/core/array.hpp"
#include "tree.hpp"
#include "work.hpp"

namespace flexbody {

// The generalized-alpha method as it was chosen.
struct AlphaSettings {
  double alpha_m;
  double alpha_f;
  double beta;
  double gamma;
  double error_constant;  // the local error of positions is this times h^3 times the third derivative
  double rtol;            // 0: fixed step
  Index by_default;       // whether neither rtol nor vibrations was given, see step_error.hpp
  double newton_rtol;
  Index max_iterations;
  double min_step;    // s
  double crawl;       // s, smaller steps end the run where massless bodies lose what holds them
  double max_step;    // s
  Index stabilized;   // 1: index 2, 0: index 3
  double vibrations;  // the part of the motion that a step may lose of vibrations, 0: they are resolved
  Index tells;        // whether steps that vibrations determine are counted, also where all are resolved
  double duration;    // of the run, s
  double share;       // what Newton's iteration may leave of the local error, 0: only newton_rtol counts
};

// All that a run of the generalized-alpha method carries from step to step. It integrates n speeds: those of bodies
// (nv,) in the global description, of a tree in the relative one, see alpha_motion.hpp.
template <class Real>
struct AlphaState {
  double t;              // s
  double wanted;         // step, s
  double last;           // step that the method's variable a fits, s
  double factored;       // step of the latest factorisation, s
  Index fresh;           // whether it belongs to the step that is tried
  Index tries;           // failed ones of the present step
  double first_try;      // step of the first one, s
  double divided_until;  // end of a fixed step that is divided, s; 0 for none
  double whole_step;     // its size, s
  double before;         // last step taken, s
  double earlier;        // the step before it, s
  double changed;        // size of the second difference of the accelerations over the last two steps
  double contraction;    // of Newton's iteration, as measured some steps ago
  double recent;         // the largest acceleration that occurred lately
  double stiffest;       // force element: stiffness times what a unit of its force accelerates it by, 1/s^2
  double best_held;      // the largest Work.held of the steps so far
  double magnified;      // the error of a step that may be round-off, which singular positions magnify
  double balanced;       // part of the accelerations that balanced forces would cause singly
  Array<Real, 2, 3> c;   // (nb, 3)
  Array<Real, 2, 4> q;   // (nb, 4)
  Array<Real, 1> alpha;
  Array<Real, 1> v;
  Array<Real, 1> vdot;
  Array<Real, 1> a;            // (n,) the method's own acceleration-like variable
  Array<Real, 1> jerk;         // (vdot - vdot_before) / step
  Index jumped;                // see Jump
  Array<Real, 2> before_jump;  // (2, n) vdot and jerk before the jump
  Array<Real, 2> behind_jump;  // (2, n) and behind it
  Array<Real, 1> mean;         // divided difference of v over the last step
  Array<Real, 1> slope;        // over the last two
  Array<Real, 1> curve;        // over the last three
  Array<Real, 1> multipliers;
  Array<Real, 1> multipliers_rate;
  Array<Real, 1> multipliers_curve;
  Array<Real, 1> energy;              // (2,) dissipated and input energy, J
  Array<Real, 1> power;               // (2,) their powers at t, W
  Array<Real, 1> work_deformation;    // (nx,) of the elements at t, see work_in_step.hpp
  Array<Real, 1> work_rate;           // (nx,) and their rates
  Array<Real, 1> work_force;          // (nx,) and their forces
  Array<Real, 2, 3> work_input;       // (ne, 3) inputs of their laws at t
  Array<Real, 2, 3> work_power;       // (ne, 3) their energies and powers at t, see ElementPowerColumn
  Array<Real, 1> work_signal;         // (*,) Work.signal at t
  Array<Real, 2, 2> work_acted;       // (*, 2) Work.acted at t
  Array<Real, 1> work_phi_t;          // (nr,) Work.phi_t at t
  Array<Real, 1> work_driven;         // (nr,) Work.driven at t
  Array<Real, 1> work_load;           // (nv,) generalized forces of the loads at t
  Array<Real, 2, 3> work_frame_r;     // (nf, 3) the frames at t; none where no work needs them, see work_at_ends.hpp
  Array<Real, 3, 3, 3> work_frame_R;  // (nf, 3, 3)
  Array<Real, 2, 3> work_frame_w;     // (nf, 3)
  Array<Real, 1> law_state;           // (nz,)
  Array<Real, 1> law_rate;
  Array<Real, 1> law_variable;  // the method's own rate-like variable
  Array<Real, 1> law_slope;     // of the rates
  Array<Real, 1> law_top_rate;  // the largest so far
  Array<Real, 1> law_top;
  Array<Real, 2, 2> top_speed;       // (nb, 2) of motion and of deformation of each body
  Array<Real, 2, 3> first_c;         // (nb, 3) where the run began
  Array<Real, 2, 4> first_q;         // (nb, 4)
  Index vibrates;                    // whether vibrations determined the step that was looked at last
  Index filtered_count;              // number of steps that the latest filtered error has judged
  Index filtered_wait;               // the number that it may judge
  Index filtered_blows;              // number of elements that struck in the first of them
  double filtered_step;              // their size, s
  double filtered_usual;             // the usual error of the first of them
  double filtered_error;             // the filtered error, over what it may be
  double filtered_whirl;             // what it loses of the whirl of rotors, over what it may
  Array<double, 1> load_reach;       // (nl,) range of the force of time of each load in the run, 0 if not known
  Array<double, 1> input_reach;      // (ne,) of the input of each element
  Array<double, 1> drive_reach;      // (nd,) zeros
  Array<Real, 2, 8> ringing;         // (nb, 8) of each body's vibrations that determined steps, see RingingColumn
  double stretch;                    // the largest deformation of an elastic element since the run began, m
  Array<Real, 1> first_deformation;  // (nx,) where the run began
  Array<Real, 1> twist;    // (nx,) the largest rotation in elastic elements since then, rad, or change of belts, m
  double travel;           // the farthest that a body has moved from there, m
  double foreseen_travel;  // the same, or what a pilot run foresees if that is more, m
  Array<Real, 2, 3> axes;  // (*, 3) of the rotation of each body beside its carriers, see AxisColumn
  double rotation;         // the fastest rotation of a body so far, or what a pilot run foresees, rad/s
  double loosest;          // by how much the tolerance may grow by default; 1 without a pilot run
  double remembered;       // the longest time found for which errors are remembered, s; 0 if not looked for
  Array<double, 1> prescribed;  // (nb,) 1 for bodies whose motion drives prescribe, else 0
  double prescribed_part;       // of the errors of their positions that a step is judged by
  double largest_rtol;          // the largest tolerance of a step so far; 0 before the first
  Array<Real, 1> deformation;   // (nb,) the largest deformation of each body so far, m, root mean square over mass
  Array<Real, 1> compliance;    // (m - nr,)
  Array<Real, 1> held_since;    // (m - nr,) since when the force of an element has hardly changed, s
  Array<Real, 1> held_force;    // (m - nr,) its force then
  Array<Real, 1> struck;        // (m - nr,) number of steps whose size its blows may have determined
  Array<Real, 1> held_rate;     // (m - nr,) its stiffness times what a unit of its force accelerates it by, 1/s^2
  Array<Real, 2, 15> swings;    // (m - nr, 15) of its force, see SwingColumn
  double ring_steps;            // since the vibrations of bodies were looked at
  double ring_time;             // the time since then, s
  double ring_cubes;            // sum of the cubes of the steps since then, s^3
  double ring_step;             // size of the step that was looked at, s
  Array<Real, 2, 20> rings;     // (na + m - nr, 20) of modal coordinates and forces, see RingColumn
  Array<Real, 2, 6> lost;       // (nb, 6) of the vibrations of bodies, see LostColumn
  Index bad_row;                // the row with the largest residual where Newton's iteration failed
  Counts* counts;
  DriveMisses* misses;
  Array<Real, 1> places;     // (np,) of a tree; empty in the global description
  Array<Real, 1> body_v;     // (nv,) of the bodies: v itself in the global description
  Array<Real, 1> body_vdot;  // (nv,)
  Tree<Real>* tree;          // empty in the global description
};

// The step of the generalized-alpha method that is being tried.
template <class Real>
struct AlphaTrial {
  Array<Real, 2, 3> c;
  Array<Real, 2, 4> q;
  Array<Real, 1> alpha;
  Array<Real, 1> v;
  Array<Real, 1> vdot;
  Array<Real, 1> a;
  Array<Real, 1> multipliers;
  Array<Real, 1> delta;      // (nv,) Newton correction
  Array<Real, 1> ydelta;     // (m,)
  Array<Real, 1> increment;  // (n,)
  Array<Real, 1> p;          // (n,) correction of the positions, in generalized displacements
  Array<Real, 1> move;       // (nv,) its Newton correction
  Array<Real, 1> miss;       // (nr,) residual of the velocities
  Array<Real, 1> places;     // (np,) of a tree; empty in the global description
  Array<Real, 1> body_v;     // (nv,) of the bodies: v itself in the global description
  Array<Real, 1> body_vdot;  // (nv,)
  Array<Real, 1> own;        // (n,) scratch: delta itself in the global description
};

// Joint coordinates that are followed over time. nc of them.
template <class Real>
struct Tracked {
  Array<Index, 2, 2> frame;  // (nc, 2) the joint's frames
  Array<Index, 1> number;    // (nc,) of the angle about z among the counted coordinates, -1 for the slide along z
  Array<Real, 1> value;      // (nc,) rad (continuous over many revolutions) or m
  Array<Real, 1> rate;       // (nc,)
};

}  // namespace flexbody
