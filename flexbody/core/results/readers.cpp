// Readers of results: what a stored motion says of energies, frames, reactions and forces, time by time.
#include "../../../fem/core/export.hpp"
#include "../data/kinds.hpp"
#include "../dynamics/equations.hpp"
#include "../forces/contact_surface.hpp"
#include "../forces/force_elements.hpp"
#include "../forces/networks.hpp"
#include "../forces/reaction_friction.hpp"
#include "../kinematics/body.hpp"
#include "../kinematics/frame.hpp"
#include "../kinematics/path.hpp"

namespace flexbody {

namespace {

// The address of an array that is only read, for functions whose arguments are arrays that may be written.
double* read_only(const double* x) {
  return const_cast<double*>(x);
}

// A stored motion of nt times: positions c (nt, nb, 3), q (nt, nb, 4), alpha (nt, na), velocities v (nt, nv).
struct Motion {
  Array<double, 3, 3> c;
  Array<double, 3, 4> q;
  Array<double, 2> alpha, v;

  Motion(const Layout& layout, Index nt, const double* c, const double* q, const double* alpha, const double* v)
      : c{read_only(c), {nt, layout.body_mass.size(), 3}},
        q{read_only(q), {nt, layout.body_mass.size(), 4}},
        alpha{read_only(alpha), {nt, layout.alpha_at[layout.body_mass.size()]}},
        v{read_only(v), {nt, layout.v_at[layout.body_mass.size()]}} {}
};

}  // namespace

// out (3,) = kinetic, strain and gravity energy (J) of a state.
static void observe_energies(const Layout& layout, Work<double>& work, Vectors<double> c, EulerParameters<double> q,
                             Reals<double> alpha, Reals<double> v, double t, Reals<double> out) {
  place(layout, work, t, c, q, alpha);
  move(layout, work, alpha, v);
  evaluate_laws(layout, work, t);
  energies(layout, work, c, alpha, v, out);
}

// a += c.. + Q (omega. x p + Pi alpha..), b += Q (omega. + T Th alpha..): what vdot adds to the biases of frame f.
static void add_accelerations(const Layout& layout, const Work<double>& work, Reals<const double> vdot, Index f,
                              double* a, double* b) {
  const Index body = layout.frame_body[f];
  if (body < 0) return;
  const Index n = layout.body_modes[body], first = layout.v_at[body], at = layout.frame_at[f];
  for (Index l = 0; l < 3; ++l) {
    a[l] += vdot[first + l];
    const Index m = (l + 1) % 3, n2 = (l + 2) % 3;
    double along = vdot[first + 3 + m] * work.frame_p(f, n2) - vdot[first + 3 + n2] * work.frame_p(f, m);
    double turning = vdot[first + 3 + l];
    for (Index i = 0; i < n; ++i) {
      along += work.frame_rows[at + l * n + i] * vdot[first + 6 + i];
      turning += work.frame_rows[at + (3 + l) * n + i] * vdot[first + 6 + i];
    }
    for (Index row = 0; row < 3; ++row) {
      a[row] += work.Q(body, row, l) * along;
      b[row] += work.Q(body, row, l) * turning;
    }
  }
}

// What vdot adds to s.. of path p; a, b (nf, 3) accelerations of all frames, without it for the frame that slides.
static double path_acceleration(const Layout& layout, const Work<double>& work, Index p, const double* a,
                                const double* b) {
  const Index i = 3 * layout.path(p, PATH_FRAME), j = 3 * layout.path(p, PATH_FOLLOWER);
  const PathSlope<double> s = path_slope(layout, work, p);
  double added = 0.0;
  for (Index l = 0; l < 3; ++l) {
    added += s.first_r[l] * a[i + l] + s.first_theta[l] * b[i + l];
    added += s.second_r[l] * a[j + l] + s.second_theta[l] * b[j + l];
  }
  return added;
}

// a, b (nf, 3) += p_s s.. and the turning per s times s.., as far as vdot adds to it, of frames that slide.
static void add_path_accelerations(const Layout& layout, Work<double>& work, double* a, double* b) {
  for (Index p = 0; p < layout.path.shape[0]; ++p) {
    const Index i = layout.path(p, PATH_FRAME);
    const double added = path_acceleration(layout, work, p, a, b);
    work.path(p, PATH_ACCELERATION) += added;
    for (Index l = 0; l < 3; ++l) {
      a[3 * i + l] += added * work.path(p, PATH_TANGENT + l);
      b[3 * i + l] += added * work.path(p, PATH_TURNING + l);
    }
  }
}

}  // namespace flexbody

using namespace flexbody;

// out (3,) = kinetic, strain and gravity energy (J) of a state.
FLEXBODY_EXPORT void flexbody_observe(const Layout* layout, Work<double>* work, const double* c, const double* q,
                                      const double* alpha, const double* v, double t, double* out) {
  const Motion motion(*layout, 1, c, q, alpha, v);
  observe_energies(*layout, *work, motion.c[0], motion.q[0], motion.alpha[0], motion.v[0], t, {out, {3}});
}

// out (nt, 3), with law_states (nt, nz), and angles near counted_coordinates (nt, nc).
FLEXBODY_EXPORT void flexbody_observe_all(const Layout* layout, Work<double>* work, Index nt, const double* t,
                                          const double* c, const double* q, const double* alpha, const double* v,
                                          const double* law_states, const double* counted_coordinates, double* out) {
  const Motion motion(*layout, nt, c, q, alpha, v);
  const Index nz = work->law_state.size(), nc = work->revolutions.shape[0];
  for (Index k = 0; k < nt; ++k) {
    for (Index i = 0; i < nc; ++i) work->revolutions(i, EXPECTED) = counted_coordinates[k * nc + i];
    for (Index i = 0; i < nz; ++i) work->law_state[i] = law_states[k * nz + i];
    observe_energies(*layout, *work, motion.c[k], motion.q[k], motion.alpha[k], motion.v[k], t[k],
                     {out + 3 * k, {3}});
  }
}

// Axes R (nt, nf, 3, 3), places r, velocities u, w and accelerations a, b (nt, nf, 3) of all frames, and s, s. and
// s.. (nt, np, 3) of all paths; vdot (nt, nv).
FLEXBODY_EXPORT void flexbody_observe_frames(const Layout* layout, Work<double>* work, Index nt, const double* c,
                                             const double* q, const double* alpha, const double* v,
                                             const double* vdot, double* R, double* r, double* u, double* w,
                                             double* a, double* b, double* paths) {
  const Motion motion(*layout, nt, c, q, alpha, v);
  const Index nf = layout->frame_body.size(), nv = motion.v.shape[1];
  for (Index k = 0; k < nt; ++k) {
    place_bodies(*layout, *work, motion.q[k], motion.alpha[k]);
    place_frames(*layout, *work, motion.c[k], motion.alpha[k]);
    move_frames(*layout, *work, motion.alpha[k], motion.v[k], true);
    for (Index f = 0; f < nf; ++f) {
      const Index at = 3 * (k * nf + f);
      for (Index l = 0; l < 3; ++l) {
        for (Index m = 0; m < 3; ++m) R[3 * at + 3 * l + m] = work->frame_R(f, l, m);
        r[at + l] = work->frame_r(f, l);
        u[at + l] = work->frame_v(f, l);
        w[at + l] = work->frame_w(f, l);
        a[at + l] = work->frame_a(f, l);
        b[at + l] = work->frame_b(f, l);
      }
      add_accelerations(*layout, *work, {vdot + k * nv, {nv}}, f, a + at, b + at);
    }
    add_path_accelerations(*layout, *work, a + 3 * k * nf, b + 3 * k * nf);
    for (Index p = 0; p < layout->path.shape[0]; ++p)
      for (Index number = PATH_S; number <= PATH_ACCELERATION; ++number) *paths++ = work->path(p, number);
  }
}

// out (nt, nb, 3) = kinetic, strain and gravity energy (J) of every body.
FLEXBODY_EXPORT void flexbody_observe_bodies(const Layout* layout, Work<double>* work, Index nt, const double* c,
                                             const double* q, const double* alpha, const double* v, double* out) {
  const Motion motion(*layout, nt, c, q, alpha, v);
  for (Index k = 0; k < nt; ++k) {
    place_bodies(*layout, *work, motion.q[k], motion.alpha[k]);
    for (Index b = 0; b < layout->body_mass.size(); ++b) {
      const auto own = motion.v[k].part(layout->v_at[b], layout->v_at[b + 1] - layout->v_at[b]);
      const auto found = body_energy(*layout, *work, b, motion.c[k], motion.alpha[k], own);
      *out++ = found.kinetic;
      *out++ = found.strain;
      *out++ = found.potential;
    }
  }
}

// out (nt, nj, 2, 3) = -sum lambda_k dPhi_k/dr and -sum lambda_k dPhi_k/dtheta of the second frame, over the rows
// rows[j, 0] .. rows[j, 1] - 1 of each of nj joints: force and moment on its second body. multipliers (nt, nr).
FLEXBODY_EXPORT void flexbody_observe_reactions(const Layout* layout, Work<double>* work, Index nt, const double* t,
                                                const double* c, const double* q, const double* alpha,
                                                const double* multipliers, Index nj, const Index* rows, double* out) {
  const Motion motion(*layout, nt, c, q, alpha, nullptr);
  const Index nr = layout->row_kind.size();
  for (Index k = 0; k < nt; ++k) {
    place(*layout, *work, t[k], motion.c[k], motion.q[k], motion.alpha[k]);
    for (Index j = 0; j < nj; ++j) {
      for (Index i = 0; i < 2; ++i) {
        for (Index l = 0; l < 3; ++l) {
          double value = 0.0;
          for (Index row = rows[2 * j]; row < rows[2 * j + 1]; ++row) {
            value -= multipliers[k * nr + row] * work->direction(row, 2 + i, l);
          }
          *out++ = value;
        }
      }
    }
  }
}

// x (nt, 3, nx) = deformations, rates and forces of elements; g (nt, nx, 4, 3) their directions; power (nt, ne, 3)
// see ElementPowerColumn; normal (nt, nh) of friction; pressed (nt, np, 12) force and moment of contacts without
// deformations on the frames `pressed_frame` (np,), the places of these, and where surfaces are pressed; massless
// (nt, nm, 18) = place, axes, velocity and angular velocity of massless bodies. multipliers (nt, nr).
FLEXBODY_EXPORT void flexbody_observe_forces(const Layout* layout, Work<double>* work, Index nt, const double* t,
                                             const double* c, const double* q, const double* alpha, const double* v,
                                             const double* law_states, const double* counted_coordinates,
                                             const double* multipliers, Index np, const Index* pressed_frame,
                                             double* x, double* g, double* power, double* normal, double* pressed,
                                             double* massless) {
  const Motion motion(*layout, nt, c, q, alpha, v);
  const Index ne = layout->element.shape[0], nx = work->deformation.size();
  const Index nz = work->law_state.size(), nc = work->revolutions.shape[0], nr = layout->row_kind.size();
  for (Index k = 0; k < nt; ++k) {
    for (Index i = 0; i < nc; ++i) work->revolutions(i, EXPECTED) = counted_coordinates[k * nc + i];
    place(*layout, *work, t[k], motion.c[k], motion.q[k], motion.alpha[k]);
    move(*layout, *work, motion.alpha[k], motion.v[k]);
    for (Index i = 0; i < nz; ++i) work->law_state[i] = law_states[k * nz + i];
    find_normal_forces(*layout, *work, {read_only(multipliers + k * nr), {nr}});
    work->frame_load.fill(0.0);
    evaluate_laws(*layout, *work, t[k]);
    move_networks(*layout, *work, t[k]);
    for (Index i = 0; i < np; ++i) {
      const Index f = pressed_frame[i];
      for (Index l = 0; l < 6; ++l) *pressed++ = -work->frame_load(f, l);
      for (Index l = 0; l < 3; ++l) *pressed++ = work->frame_r(f, l);
      Vector<double> point = vector_of(work->frame_r, f);
      for (Index e = 0; e < ne; ++e)
        if (layout->element(e, GEOMETRY) == SURFACE && layout->element(e, FIRST) == f)
          point = pressed_point(*layout, *work, e);
      for (Index l = 0; l < 3; ++l) *pressed++ = point[l];
    }
    for (Index i = 0; i < work->friction_record.shape[0]; ++i) *normal++ = work->friction_record(i, NORMAL_FORCE);
    const Array<double, 2> now{x + k * 3 * nx, {3, nx}};
    now[HISTORY_DEFORMATION].copy(work->deformation);
    now[HISTORY_RATE].copy(work->deformation_rate);
    now[HISTORY_FORCE].copy(work->element_force);
    for (Index i = 0; i < 3 * ne; ++i) *power++ = work->element_power.data[i];
    for (Index i = 0; i < 12 * nx; ++i) *g++ = work->deformation_slope.data[i];
    for (Index i = 0; i < work->massless.shape[0]; ++i)
      for (Index l = 0; l < MASSLESS_BESIDE; ++l) *massless++ = work->massless(i, l);
  }
}
