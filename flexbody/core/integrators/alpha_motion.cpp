// The unknowns of the generalized-alpha method, see alpha_motion.hpp.
#include "alpha_motion.hpp"

#include "../dynamics/elimination.hpp"
#include "../kinematics/rotation.hpp"
#include "norms.hpp"

namespace flexbody {

// s of the trial: that of the state, moved along the motions of each hinge.
template <class Real>
static void move_places(const Tree<Real>& tree, Reals<Real> from, Reals<Real> x, Reals<Real> out) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    const Index first = tree.speed_at[k], last = tree.speed_at[k + 1];
    Index at = tree.place_at[k];
    for (Index m = first; m < last; ++m)
      if (tree.motion(m, MOTION_KIND) == SHIFT) out[at] = from[at] + x[m], ++at;
    if (tree.ball[k]) {
      turned_euler(from.part(at, 4), vector_of(x, last - 3), out.part(at, 4));
      continue;
    }
    for (Index m = first; m < last; ++m)
      if (tree.motion(m, MOTION_KIND) != SHIFT) out[at] = from[at] + x[m], ++at;
  }
}

template <class Real>
void move_position(const Layout& layout, const AlphaState<Real>& state, AlphaTrial<Real>& trial, double t) {
  if (is_relative(state)) {
    Tree<Real>& tree = *state.tree;
    const Index nh = tree.speed_at[tree.body.size()];
    move_places(tree, state.places, trial.increment, trial.places);
    for (Index i = 0; i < trial.alpha.size(); ++i) trial.alpha[i] = state.alpha[i] + trial.increment[nh + i];
    drive_tree(layout, tree, t, trial.places, trial.v);
    for (Index d = 0; d < tree.drive.shape[0]; ++d) trial.vdot[tree.drive(d, 0)] = tree.given[tree.drive(d, 0)];
    return;
  }
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index first = layout.v_at[b], n = layout.body_modes[b], at = layout.alpha_at[b];
    for (Index k = 0; k < 3; ++k) trial.c(b, k) = state.c(b, k) + trial.increment[first + k];
    turned_euler(state.q[b], vector_of(trial.increment, first + 3), trial.q[b]);
    for (Index i = 0; i < n; ++i) trial.alpha[at + i] = state.alpha[at + i] + trial.increment[first + 6 + i];
  }
}

template <class Real>
void move_bodies(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial) {
  Tree<Real>& tree = *state.tree;
  const TreeSpeeds<Real> speeds = tree_speeds(tree, trial.v), rates = tree_speeds(tree, trial.vdot);
  const Real power[2] = {work.power[0], work.power[1]};  // what `residual` has found stays
  move_tree(layout, work, tree, trial.places, trial.alpha, speeds, &rates);
  for (Index k = 0; k < 2; ++k) work.power[k] = power[k];
  set_bodies(layout, work, tree, speeds.modal);
  Buffer<Real> none(speeds.modal.size());
  for (Index k = 0; k < tree.body.size(); ++k) link_at(tree, k).rate = {{0.0, 0.0, 0.0}, {0.0, 0.0, 0.0}};
  set_body_accelerations(layout, work, tree, none.view());
}

template <class Real>
void set_bodies_of_state(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial) {
  state.tree->time[0] = state.t;
  trial.places.copy(state.places);
  trial.alpha.copy(state.alpha);
  trial.v.copy(state.v);
  trial.vdot.copy(state.vdot);
  move_bodies(layout, work, state, trial);
  state.c.copy(trial.c);
  state.q.copy(trial.q);
  state.body_v.copy(trial.body_v);
  state.body_vdot.copy(trial.body_vdot);
}

template <class Real>
void add_own(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x,
             Reals<Real> out) {
  if (!is_relative(state)) {
    for (Index i = 0; i < out.size(); ++i) out[i] += x[i];
    return;
  }
  Buffer<Real> own(out.size());
  hinge_speeds(layout, work, *state.tree, x, tree_speeds(*state.tree, own.view()));
  for (Index i = 0; i < out.size(); ++i) out[i] += own[i];
}

template <class Real>
void spread(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x,
            Reals<Real> out) {
  if (is_relative(state)) {
    tree_velocities(layout, work, *state.tree, tree_speeds(*state.tree, x), out);
  } else if (x.data != out.data) {
    out.copy(x);
  }
}

template <class Real>
Real speed_norm(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x) {
  if (!is_relative(state)) return system_norm(layout, work, x);
  Buffer<Real> of_bodies(state.body_v.size());
  spread(layout, work, state, x, of_bodies.view());
  return system_norm(layout, work, of_bodies.view());
}

template <class Real>
Real reaction_norm(const Layout& layout, const Work<Real>& work, Reals<Real> y) {
  Buffer<Real> x(layout.v_at[layout.body_mass.size()]);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index n = 6 + layout.body_modes[b], first = layout.v_at[b];
    if (layout.auxiliary_mass[b] > 0.0) continue;  // its reactions are in equilibrium
    Index at = layout.body_block_at[b];
    for (Index r = layout.body_row_at[b]; r < layout.body_row_at[b + 1]; ++r, at += n) {
      const Index k = layout.elimination[layout.body_row[r]];
      if (k >= layout.row_kind.size()) continue;  // a deformation
      for (Index i = 0; i < n; ++i) x[first + i] += work.G[at + i] * y[k];
    }
  }
  forward_bodies(layout, work, x.view());
  backward_bodies(layout, work, x.view());
  return system_norm(layout, work, x.view());
}

template void move_position<double>(const Layout&, const AlphaState<double>&, AlphaTrial<double>&, double);
template void move_bodies<double>(const Layout&, Work<double>&, AlphaState<double>&, AlphaTrial<double>&);
template void set_bodies_of_state<double>(const Layout&, Work<double>&, AlphaState<double>&, AlphaTrial<double>&);
template void add_own<double>(const Layout&, const Work<double>&, const AlphaState<double>&, Reals<double>,
                              Reals<double>);
template void spread<double>(const Layout&, const Work<double>&, const AlphaState<double>&, Reals<double>,
                             Reals<double>);
template double reaction_norm<double>(const Layout&, const Work<double>&, Reals<double>);
template double speed_norm<double>(const Layout&, const Work<double>&, const AlphaState<double>&, Reals<double>);

}  // namespace flexbody
