// The equations of a whole system in the global description, see equations.hpp.
#include "equations.hpp"

#include "../../../fem/core/export.hpp"
#include "../constraints/constraint.hpp"
#include "../constraints/following_shapes.hpp"
#include "../data/kinds.hpp"
#include "../forces/force_elements.hpp"
#include "../forces/loads.hpp"
#include "../forces/reaction_friction.hpp"
#include "../kinematics/body.hpp"
#include "../kinematics/coordinate.hpp"
#include "../kinematics/frame.hpp"
#include "../kinematics/path.hpp"

namespace flexbody {

template <class Real>
void place(const Layout& layout, Work<Real>& work, double t, Vectors<Real> c, EulerParameters<Real> q,
           Reals<Real> alpha) {
  place_bodies(layout, work, q, alpha);
  place_frames(layout, work, c, alpha);
  evaluate_rows(layout, work, t);
  if (work.coordinate.size() > 0) place_coordinates(layout, work);
  place_shapes(layout, work, alpha);
  if (work.leg_slope.shape[0] > 0) place_legged(layout, work, t);
}

template <class Real>
void move(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v) {
  move_frames(layout, work, alpha, v, true);
  move_shapes(layout, work, v);
  evaluate_elements(layout, work);
}

template <class Real>
void drift(const Layout& layout, Work<Real>& work, Reals<Real> alpha, Reals<Real> v) {
  move_frames(layout, work, alpha, v, false);
  move_shapes(layout, work, v);
  evaluate_elements(layout, work);
}

template <class Real>
void blocks(const Layout& layout, Work<Real>& work) {
  work.G.fill(0.0);
  for (Index s = 0; s < layout.side_frame.size(); ++s) {
    add_load(layout, work, layout.side_frame[s], layout.side_body[s], work.slope, layout.side_slot[s], work.G,
             layout.side_block[s]);
  }
  add_shape_blocks(layout, work);
}

namespace {

// What constraint rows first .. last - 1 have in common: they act on the same frames.
struct RowGroup {
  const Layout& layout;
  Index first, last;

  Index sides() const { return layout.row_side_at[first + 1] - layout.row_side_at[first]; }
  Index frame(Index side) const { return layout.side_frame[layout.row_side_at[first] + side]; }
  Index slot(Index row, Index side) const { return layout.side_slot[layout.row_side_at[row] + side]; }
};

}  // namespace

// Add the directions of rows times factors (last - first,) to the loads on their frames.
template <class Real>
FLEXBODY_INLINE static void load_rows(const Work<Real>& work, const RowGroup& group, const Real* factors) {
  for (Index s = 0; s < group.sides(); ++s) {
    const Reals<Real> load = work.frame_load[group.frame(s)];
    Vector<Real> force = vector_of(load, 0), moment = vector_of(load, 3);
    for (Index k = group.first; k < group.last; ++k) {
      const Index slot = group.slot(k, s);
      force += factors[k - group.first] * vector_of(work.slope, slot, 0);
      moment += factors[k - group.first] * vector_of(work.slope, slot, 1);
    }
    put(load, 0, force);
    put(load, 3, moment);
  }
}

// Work.residual += J^T load of all frames, J their Jacobians.
template <class Real>
static void add_frame_loads(const Layout& layout, Work<Real>& work) {
  const Index frames = layout.frame_body.size();
  const Array<Real, 3, 2, 3> loads{work.frame_load.data, {frames, 2, 3}};
  for (Index f = 0; f < frames; ++f) {
    const Index b = layout.frame_body[f];
    if (b >= 0) add_load(layout, work, f, b, loads, f, work.residual, layout.v_at[b]);
  }
}

// Add the loads of all constraint rows on their frames, and their power; multipliers (nr,).
template <class Real>
static void add_rows(const Layout& layout, Work<Real>& work, Reals<Real> multipliers) {
  for (Index g = 0; g + 1 < layout.row_group_at.size(); ++g) {
    const RowGroup group{layout, layout.row_group_at[g], layout.row_group_at[g + 1]};
    load_rows(work, group, multipliers.data + group.first);
  }
  for (Index k = 0; k < layout.row_kind.size(); ++k) work.power[INPUT] += multipliers[k] * work.phi_t[k];
}

template <class Real>
void residual(const Layout& layout, Work<Real>& work, double t, Reals<Real> alpha, Reals<Real> v, Reals<Real> vdot,
              Reals<Real> multipliers) {
  work.power[DISSIPATED] = work.power[INPUT] = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    if (layout.body_modes[b] == 0) {
      rigid_residual(layout, work, b, v, vdot);
    } else {
      body_residual(layout, work, b, alpha, v, vdot, work.residual);
    }
  }
  if (layout.load_frame.shape[0] > 0) add_loads(layout, work, t, alpha, v);
  if (any_friction(work)) find_normal_forces(layout, work, multipliers);
  work.frame_load.fill(0.0);
  evaluate_laws(layout, work, t);
  add_elements(layout, work);
  add_rows(layout, work, multipliers);
  add_frame_loads(layout, work);
  add_shape_loads(layout, work, multipliers);
}

template <class Real>
void matrices(const Layout& layout, Work<Real>& work, double mass, double damping, double stiffness,
              Reals<Real> compliance) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index size = 6 + layout.body_modes[b], at = layout.matrix_at[b];
    if (size == 6) {
      rigid_matrix(layout, work, b, mass);
    } else {
      body_matrix(layout, work, b, mass, damping, stiffness, matrix_at(work.matrix, at, size, size));
    }
  }
  if (stiffness > 0.0 || damping > 0.0) {
    tangents(layout, work, damping, stiffness, compliance);
  } else {
    compliance.fill(-1.0);
  }
}

template <class Real>
void masses(const Layout& layout, Work<Real>& work) {
  matrices(layout, work, 1.0, 0.0, 0.0, work.compliance);
  blocks(layout, work);
}

template <class Real>
void row_rates(const Layout& layout, const Work<Real>& work, Reals<Real> out) {
  for (Index g = 0; g + 1 < layout.row_group_at.size(); ++g) {
    const RowGroup group{layout, layout.row_group_at[g], layout.row_group_at[g + 1]};
    for (Index k = group.first; k < group.last; ++k) out[k] = work.phi_t[k];
    for (Index s = 0; s < group.sides(); ++s) {
      const auto [v, w] = material_velocity(layout, work, group.frame(s));
      for (Index k = group.first; k < group.last; ++k) {
        const Index slot = group.slot(k, s);
        out[k] += dot(vector_of(work.slope, slot, 0), v) + dot(vector_of(work.slope, slot, 1), w);
      }
    }
  }
  add_shape_rates(layout, work, out);
}

template <class Real>
void row_products(const Layout& layout, const Work<Real>& work, Reals<Real> v, Reals<Real> out) {
  const Index rows = layout.row_kind.size();
  out.fill(0.0);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b], first = layout.v_at[b];
    Index at = layout.body_block_at[b];
    for (Index r = layout.body_row_at[b]; r < layout.body_row_at[b + 1]; ++r, at += n) {
      const Index k = layout.elimination[layout.body_row[r]];
      if (k >= rows) continue;
      for (Index i = 0; i < n; ++i) out[k] += work.G[at + i] * v[first + i];
    }
  }
}

template <class Real>
void velocity_residual(const Layout& layout, Work<Real>& work, Reals<Real> v, Reals<Real> out) {
  blocks(layout, work);
  row_products(layout, work, v, out);
  for (Index k = 0; k < out.size(); ++k) out[k] += work.phi_t[k];
}

template <class Real>
void biases(const Layout& layout, Work<Real>& work, double t, Reals<Real> out) {
  const bool legged = work.leg_slope.shape[0] > 0;
  accelerate_shapes(layout, work);
  for (Index k = 0; k < layout.row_kind.size(); ++k) {
    if (layout.row_kind[k] < COUPLING) {
      out[k] = row_bias(layout, work, k, t);
    } else if (legged) {
      out[k] = legged_bias(layout, work, k, t);
    }
  }
}

template <class Real>
void dense(const Layout& layout, Work<Real>& work, Array<Real, 2> mass_matrix, Array<Real, 2> jacobian) {
  mass_matrix.fill(0.0);
  jacobian.fill(0.0);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b], n = layout.v_at[b + 1] - first;
    Buffer<Real, 2> block(n, n);
    body_matrix(layout, work, b, 1.0, 0.0, 0.0, block.view());
    for (Index i = 0; i < n; ++i)
      for (Index j = 0; j < n; ++j) mass_matrix(first + i, first + j) = block(i, j);
  }
  blocks(layout, work);
  for (Index k = 0; k < layout.row_kind.size(); ++k) {
    for (Index s = layout.row_side_at[k]; s < layout.row_side_at[k + 1]; ++s) {
      const Index b = layout.side_body[s], at = layout.side_block[s], first = layout.v_at[b];
      for (Index i = 0; i < 6 + layout.body_modes[b]; ++i) jacobian(k, first + i) = work.G[at + i];
    }
  }
}

template <class Real>
void energies(const Layout& layout, Work<Real>& work, Vectors<Real> c, Reals<Real> alpha, Reals<Real> v,
              Reals<Real> out) {
  out[0] = out[1] = out[2] = 0.0;
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b];
    const auto energy = body_energy(layout, work, b, c, alpha, v.part(first, layout.v_at[b + 1] - first));
    out[0] += energy.kinetic;
    out[1] += energy.strain;
    out[2] += energy.potential;
  }
  for (Index e = 0; e < layout.element.shape[0]; ++e) out[1] += work.element_power(e, ELEMENT_STORED);
}

template void place<double>(const Layout&, Work<double>&, double, Vectors<double>, EulerParameters<double>,
                            Reals<double>);
template void move<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>);
template void drift<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>);
template void blocks<double>(const Layout&, Work<double>&);
template void residual<double>(const Layout&, Work<double>&, double, Reals<double>, Reals<double>, Reals<double>,
                               Reals<double>);
template void matrices<double>(const Layout&, Work<double>&, double, double, double, Reals<double>);
template void masses<double>(const Layout&, Work<double>&);
template void row_rates<double>(const Layout&, const Work<double>&, Reals<double>);
template void row_products<double>(const Layout&, const Work<double>&, Reals<double>, Reals<double>);
template void velocity_residual<double>(const Layout&, Work<double>&, Reals<double>, Reals<double>);
template void biases<double>(const Layout&, Work<double>&, double, Reals<double>);
template void dense<double>(const Layout&, Work<double>&, Array<double, 2>, Array<double, 2>);
template void energies<double>(const Layout&, Work<double>&, Vectors<double>, Reals<double>, Reals<double>,
                               Reals<double>);

}  // namespace flexbody

using namespace flexbody;

namespace {

// Arrays of the shapes that the layout gives: alpha (na,), v (nv,), of rows (nr,).
struct Shapes {
  Index bodies, modes, velocities, rows;

  explicit Shapes(const Layout* layout)
      : bodies(layout->body_mass.size()),
        modes(layout->alpha_at[bodies]),
        velocities(layout->v_at[bodies]),
        rows(layout->row_kind.size()) {}

  Reals<double> alpha(double* data) const { return {data, {modes}}; }
  Reals<double> v(double* data) const { return {data, {velocities}}; }
  Reals<double> row(double* data) const { return {data, {rows}}; }
  Vectors<double> c(double* data) const { return {data, {bodies, 3}}; }
  EulerParameters<double> q(double* data) const { return {data, {bodies, 4}}; }
};

}  // namespace

// c (nb, 3), q (nb, 4), alpha (na,).
FLEXBODY_EXPORT void flexbody_place(const Layout* layout, Work<double>* work, double t, double* c, double* q,
                                    double* alpha) {
  const Shapes as(layout);
  place(*layout, *work, t, as.c(c), as.q(q), as.alpha(alpha));
}

FLEXBODY_EXPORT void flexbody_move(const Layout* layout, Work<double>* work, double* alpha, double* v) {
  const Shapes as(layout);
  move(*layout, *work, as.alpha(alpha), as.v(v));
}

FLEXBODY_EXPORT void flexbody_blocks(const Layout* layout, Work<double>* work) {
  blocks(*layout, *work);
}

// multipliers (nr,).
FLEXBODY_EXPORT void flexbody_residual(const Layout* layout, Work<double>* work, double t, double* alpha, double* v,
                                       double* vdot, double* multipliers) {
  const Shapes as(layout);
  residual(*layout, *work, t, as.alpha(alpha), as.v(v), as.v(vdot), as.row(multipliers));
}

// compliance (m - nr,).
FLEXBODY_EXPORT void flexbody_matrices(const Layout* layout, Work<double>* work, double mass, double damping,
                                       double stiffness, double* compliance) {
  matrices(*layout, *work, mass, damping, stiffness, Reals<double>{compliance, {work->compliance.size()}});
}

FLEXBODY_EXPORT void flexbody_masses(const Layout* layout, Work<double>* work) {
  masses(*layout, *work);
}

// out (nr,).
FLEXBODY_EXPORT void flexbody_velocity_residual(const Layout* layout, Work<double>* work, double* v, double* out) {
  const Shapes as(layout);
  velocity_residual(*layout, *work, as.v(v), as.row(out));
}

// out (nr,).
FLEXBODY_EXPORT void flexbody_biases(const Layout* layout, Work<double>* work, double t, double* out) {
  biases(*layout, *work, t, Shapes(layout).row(out));
}

// mass_matrix (nv, nv), jacobian (nr, nv).
FLEXBODY_EXPORT void flexbody_dense(const Layout* layout, Work<double>* work, double* mass_matrix, double* jacobian) {
  const Index nv = Shapes(layout).velocities, nr = layout->row_kind.size();
  dense(*layout, *work, Array<double, 2>{mass_matrix, {nv, nv}}, Array<double, 2>{jacobian, {nr, nv}});
}
