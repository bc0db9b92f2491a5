// Sweeps of the dynamics along a tree, see tree.hpp: Slaats (3.53) to (3.61), with flexible bodies and the right sign
// of (3.54).
//
// The own speeds p of hinge k are its free motions and the alpha. of its body. With S what a unit of each adds at the
// outer frame, and M what the frame shows of the body and all that it carries, their equations are
// S' (M (y + S p') + load) = 0 for the acceleration y that arrives. K = S' M S = L D L', drag = L^-1 S' M, and inward
// remain M - drag' D^-1 drag and load - drag' D^-1 L^-1 S' load.
#include "../../../fem/core/export.hpp"
#include "sweeps.hpp"
#include "tree.hpp"

namespace flexbody {

template <class Real>
bool factor_tree(const Layout& layout, Tree<Real>& tree) {
  for (Index k = tree.body.size() - 1; k >= 0; --k) {
    if (!factor_hinge(layout, tree, k)) return false;
    add_to_carrier(layout, tree, k);
  }
  return true;
}

template <class Real>
void solve_tree(const Layout& layout, Tree<Real>& tree, const TreeSpeeds<Real>& out) {
  for (Index k = tree.body.size() - 1; k >= 0; --k) {
    reduce_loads(layout, tree, k);
    pass_loads(layout, tree, k);
  }
  for (Index k = 0; k < tree.body.size(); ++k) sweep_outward(layout, tree, k, out);
}

template <class Real>
Twist<Real> hinge_load(const Tree<Real>& tree, Index k, Reals<Real> rates) {
  const Link<Real>& link = link_at(tree, k);
  Twist<Real> y = link.rate;
  each_free_motion(tree, k, [&](Index, Index m) { add(y, -rates[m], twist_at(tree.column, m)); });
  Twist<Real> load = link.M * y;
  add(load, 1.0, link.load);
  for (Index i = tree.front_at[k] + tree.kept(k, 0); i < tree.front_at[k] + tree.kept(k, 1); ++i)
    add(load, tree.row_force[tree.kept_row[i]], twist_at(tree.row_load, i));
  return load;
}

template <class Real>
void forces_on_speeds(const Layout& layout, Tree<Real>& tree, const TreeSpeeds<Real>& out) {
  for (Index k = tree.body.size() - 1; k >= 0; --k) {
    const Link<Real>& link = link_at(tree, k);
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      out.u[m] = dot(twist_at(tree.column, m), link.load);
    const Index c = tree.carrier[k], first = tree.carried_at[k], n = tree.carried_at[k + 1] - first;
    if (c < 0) continue;
    add(link_at(tree, c).load, 1.0, moved_load(link.load, link.d));
    for (Index i = 0; i < n; ++i)
      tree.modal_load[layout.alpha_at[tree.inner[k]] + i] += dot(twist_at(tree.carried, first + i), link.load);
  }
  out.modal.copy(tree.modal_load);
}

template bool factor_tree<double>(const Layout&, Tree<double>&);
template void solve_tree<double>(const Layout&, Tree<double>&, const TreeSpeeds<double>&);
template Twist<double> hinge_load<double>(const Tree<double>&, Index, Reals<double>);
template void forces_on_speeds<double>(const Layout&, Tree<double>&, const TreeSpeeds<double>&);

}  // namespace flexbody

using namespace flexbody;

// Inverse dynamics: out (nh + na,) = the forces along the speeds that cause their rates (nh + na,), at the state y =
// (s, alpha, u, alpha.); of inertia, gravity, elasticity and damping; and, if `loaded`, against the forces at time t
// of loads and force elements, for which Work is placed and moved at the state.
FLEXBODY_EXPORT void flexbody_tree_forces(const Layout* layout, Work<double>* work, Tree<double>* tree, double t,
                                          const double* y, const double* rates, Index loaded, double* out) {
  const Index nb = tree->body.size(), np = tree->place_at[nb], nh = tree->speed_at[nb], na = layout->alpha_at[nb];
  const auto speeds = [&](const double* x) {  // (only read)
    double* at = const_cast<double*>(x);
    return TreeSpeeds<double>{{at, {nh}}, {at + nh, {na}}};
  };
  const TreeSpeeds<double> given = speeds(rates);
  double* state = const_cast<double*>(y);
  move_tree<double>(*layout, *work, *tree, {state, {np}}, {state + np, {na}}, speeds(y + np + na), &given);
  if (loaded) {
    const Reals<double> modal{state + np + na + nh, {na}};
    set_bodies(*layout, *work, *tree, modal);
    force_loads(*layout, *work, *tree, t, {state + np, {na}}, modal, true);
  }
  forces_on_speeds(*layout, *tree, speeds(out));
}
