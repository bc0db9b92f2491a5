// A system as flat arrays. The Python side is Layout in structures.py, field by field.
#pragma once
#include "../../../fem/core/array.hpp"

namespace flexbody {

// A system as flat arrays. nb bodies, na modal coordinates, nf frames, nr constraint rows, ne force elements with
// nx deformations, nz states of force laws; m = nr + nx rows of the iteration matrix.
//
// A row acts on at most two bodies, or more where joints are coupled. Rows between more than two frames (and those
// of the kinds from COUPLING on) list these frames as their legs. A law is a pair: the address of a function and of
// what it is called with, both 0 for none.
struct Layout {
  Array<const double, 1> gravity;  // (3,) m/s^2
  double length;                   // characteristic length of the system, m
  // bodies
  Array<const double, 1> body_mass;          // (nb,) kg
  Array<const double, 1> auxiliary_mass;     // (nb,) kg, of massless bodies, see elimination.hpp; else 0
  Array<const double, 1> body_size;          // (nb,) radius of gyration of each body, m
  Array<const Index, 1> body_modes;          // (nb,) number of modal coordinates N
  Array<const Index, 1> body_mean;           // (nb,) 1 where C1, C2 and C6 vanish
  Array<const Index, 1> alpha_at;            // (nb + 1,) offsets into alpha
  Array<const Index, 1> v_at;                // (nb + 1,) offsets into v = (c', omega, alpha') of each body
  Array<const Index, 1> body_axial;          // (nb,) number of axial modes whose force is in the strain energy
  Array<const Index, 1> axial_at;            // (nb,) offsets into Work.axial
  Array<const Index, 2, 11> coefficient_at;  // (nb, 11) offsets, see Coefficient
  // C1 (3) C2 (N,3) C3 (3,3) C4 (N,3,3) C5 (N,3,3,N) C6 (N,3) C7 (N,N,3) C8 K D (N,N);
  // AXIAL: direction (N) and quadratic T (N,N) of each axial mode
  Array<const double, 1> coefficients;
  Array<const Index, 1> matrix_at;  // (nb + 1,) offsets of each body's (6 + N)^2 matrix
  // frames
  Array<const Index, 1> frame_body;      // (nf,) body, -1 for the ground
  Array<const double, 2, 3> frame_x;     // (nf, 3) position from the body's reference point, m
  Array<const double, 3, 3, 3> frame_A;  // (nf, 3, 3) axes of the undeformed frame (columns), body base
  Array<const Index, 1> frame_at;        // (nf + 1,) offsets: Phi (3, N) and B (3, N) of each frame
  Array<const double, 1> frame_modes;
  Array<const Index, 1> frame_term_at;  // (nf + 1,) offsets: the second-order terms of each frame, none for most
  Array<const double, 2, 6>
      term_direction;             // (nt, 6) what a unit of alpha' S alpha / 2 adds to place and rotation vector
  Array<const Index, 1> term_at;  // (nt,) offsets of S (N, N) in term_value
  Array<const double, 1> term_value;
  Array<const Index, 1> term_row;  // (nt,) offsets of S alpha in Work.term
  // frames that slide along a path, see path.hpp
  Array<const Index, 1> frame_path;  // (nf,) the path of each frame, -1 for those that do not slide
  Array<const Index, 2, 11> path;    // (np, 11) see PathColumn
  // of each path: s as drawn, sizes of a rim or tread (3,), the breaks, coefficients (segments, degree + 1, columns)
  // in rising powers
  Array<const double, 1> path_value;
  Array<const Index, 2, 3> path_term;  // (*, 3) i, j and component (0 to 2 place, 3 to 5 rotation) of a term
  // constraint rows
  Array<const Index, 1> row_kind;             // (nr,)
  Array<const Index, 2, 5> row_frame;         // (nr, 5) see RowColumn
  Array<const double, 1> row_scale;           // (nr,) 1 for lengths, the characteristic length for angles
  Array<const Index, 1> row_leg_at;           // (nr + 1,) offsets of each row's legs, for kinds from COUPLING on
  Array<const Index, 1> row_part_at;          // (nr + 1,) offsets of the parts of couplings
  Array<const Index, 1> row_operation_at;     // (nr + 1,) offsets of the recorded operations of users' functions
  Array<const Index, 1> row_callback;         // (nr,) address of a user's function that is called back, 0 for none
  Array<const Index, 1> leg_frame;            // (*,) the frame of each leg
  Array<const Index, 2, 3> part;              // (*, 3) of couplings, see PartColumn
  Array<const double, 1> part_factor;         // (*,)
  Array<const Index, 2, 3> operation;         // (*, 3) recorded operations of users' functions, see tape.hpp
  Array<const double, 1> operation_constant;  // (*,)
  Array<const Index, 1> slip_operation_at;    // (*,) offsets of the recorded operations of slip, after those of rows
  // base functions that follow contacts, see following_shapes.hpp
  Array<const Index, 2, 7> shape_set;    // (*, 7) see ShapeSetColumn
  Array<const Index, 2, 5> shape_curve;  // (*, 5) see ShapeCurveColumn
  // F (r, N) of each set; of each curve its breaks and coefficients (segments, 4, r) in rising powers
  Array<const double, 1> shape_value;
  Array<const double, 2, 2> drive_value;  // (nd, 2) see DriveColumn, used where there is no law
  Array<const Index, 2, 2> drive_law;     // (nd, 2)
  // joint coordinates: first those that rows or forces use, then joints' other angles, whose revolutions are counted
  // too
  Array<const Index, 2, 7> coordinate;         // (nc, 7) see CoordinateColumn
  Array<const double, 2, 2> coordinate_value;  // (nc, 2) see CoordinateValueColumn
  // elimination, see elimination.py
  Array<const Index, 1>
      row_side_at;  // (m + 1,) offsets into the sides: moving frames that a row or deformation acts on
  Array<const Index, 1> row_group_at;  // (*,) offsets of groups of constraint rows that act on the same frames
  Array<const Index, 1> side_frame;    // (*,)
  Array<const Index, 1> side_body;     // (*,)
  Array<const Index, 1> side_slot;   // (*,) where in Work.slope: 2 k and 2 k + 1 for the frames of row k; legs follow
  Array<const Index, 1> side_block;  // (*,) offset of the block in Work.G that the side adds to
  Array<const Index, 1> elimination;    // (m,) the rows in the order in which they are eliminated
  Array<const Index, 1> body_row_at;    // (nb + 1,) offsets into body_row
  Array<const Index, 1> body_row;       // (*,) the rows at each body, by their place in the elimination
  Array<const Index, 1> body_block_at;  // (nb + 1,) offsets in Work.G of each body's blocks, one row after the other
  Array<const Index, 1> body_pair_at;   // (nb + 1,) offsets into pair
  Array<const Index, 1> pair;           // (*,) where in Work.S the products of a body's rows go, lower triangle
  Array<const Index, 1> panel_row_at;   // (np + 1,) the panels' rows, by their place in the elimination
  Array<const Index, 1>
      panel_at;  // (np + 1,) offsets in Work.S: a panel's own rows and those below, over its own columns
  Array<const Index, 1> below_at;     // (np + 1,) offsets into below
  Array<const Index, 1> below;        // (*,) the rows below each panel
  Array<const Index, 1> update_at;    // (np + 1,) offsets into update
  Array<const Index, 1> update;       // (*,) where in Work.S the products of a panel's rows below go, lower triangle
  Array<const Index, 1> diagonal_at;  // (m,) offsets in Work.S of the diagonal, in the order of the elimination
  Array<const Index, 1> carrier_at;   // (nb + 1,) offsets into carrier
  Array<const Index, 1> carrier;  // (*,) what may carry each body: -1, the ground, then bodies, the next ones first
  // forces
  Array<const Index, 2, 2> load_frame;     // (nl, 2) see LoadColumn
  Array<const double, 2, 3> load_value;    // (nl, 3) N or Nm
  Array<const Index, 2, 2> load_law;       // (nl, 2)
  Array<const Index, 1> load_change_at;    // (nl,) offset in load_change of a BODY_LOAD, -1 of others
  Array<const double, 1> load_change;      // (*,) of each BODY_LOAD, see loads.hpp
  Array<const Index, 2, 15> element;       // (ne, 15) see ElementColumn
  Array<const Index, 2, 2> element_input;  // (ne, 2) the law of the input
  Array<const double, 1> element_value;    // input, reference of each deformation, the law's numbers of each element
  Array<const Index, 1> deformation_element;   // (nx,) the element of each deformation
  Array<const Index, 2, 6> reaction_friction;  // (nh, 6) see ReactionFrictionColumn
  // networks of elements round bodies without mass, see networks.hpp
  Array<const Index, 1> frame_massless;       // (nf,) the massless body of each frame, -1 for most
  Array<const Index, 1> massless_at;          // (nm + 1,) offsets of the unknowns of each massless body, 3 or 6
  Array<const double, 2, 3> massless_center;  // (nm, 3) its place as drawn, m
  Array<const double, 2, 12> massless_start;  // (nm, 12) place and axes beside the host of its network as drawn
  Array<const Index, 1> net_at;               // (ng + 1,) offsets of the massless bodies of each network
  Array<const Index, 1> net_element_at;       // (ng + 1,) offsets into net_element
  Array<const Index, 1> net_element;          // (*,) the elements of each network
  Array<const Index, 1> net_frame_at;         // (ng + 1,) offsets into net_frame
  Array<const Index, 1> net_frame;            // (*,) the frames of each network on moving bodies
  Array<const Index, 1> net_slot;             // (ng,) where in Work.slope the legs of its rows begin, frame by frame
  Array<const Index, 1> net_host;             // (ng,) an outer frame, beside which places are remembered
  Array<const Index, 1> net_active;           // (ng,) 1 where forces do work of their own, so that rates are needed
  double net_moment;                          // step of differences by the time, s
  Array<const double, 1> net_length;          // (ng,) characteristic length, m
};

}  // namespace flexbody
