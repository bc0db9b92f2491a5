// Coordinates of a tree and the drives that prescribe some of them, see tree.hpp.
#include "../constraints/constraint.hpp"
#include "../kinematics/rotation.hpp"
#include "tree.hpp"

namespace flexbody {

template <class Real>
void drive_tree(const Layout& layout, Tree<Real>& tree, double t, Reals<Real> s, Reals<Real> u) {
  tree.time[0] = t;
  for (Index d = 0; d < tree.drive.shape[0]; ++d) {
    const Index m = tree.drive(d, 0);
    const DriveMotion motion = drive_value(layout, tree.driven(m, DRIVEN_BY), t);
    const Index at = tree.driven(m, DRIVEN_PLACE);
    const Real place = tree.driven_from[m] + motion.value;
    tree.missed[m] = s[at] - place;
    s[at] = place;
    u[m] = motion.rate;
    tree.given[m] = motion.acceleration;
  }
}

template <class Real>
void add_drive_misses(const Layout& layout, Work<Real>& work, const Tree<Real>& tree) {
  for (Index d = 0; d < tree.drive.shape[0]; ++d) {
    const Index m = tree.drive(d, 0);
    const Index row = tree.driven(m, DRIVEN_ROW);
    const Real missed = layout.row_kind[row] == ANGLE ? std::sin(tree.missed[m]) : tree.missed[m];
    work.phi[row] += layout.row_scale[row] * missed;
  }
}

template <class Real>
Index jumped_row(const Tree<Real>& tree) {
  for (Index d = 0; d < tree.drive.shape[0]; ++d) {
    const Index m = tree.drive(d, 0);
    const bool turns = tree.motion(m, MOTION_KIND) != SHIFT;
    if (turns && std::cos(tree.missed[m]) < 0.0) return tree.driven(m, DRIVEN_ROW);
  }
  return -1;
}

template <class Real>
void place_rates(const Tree<Real>& tree, Reals<Real> s, Reals<Real> u, Reals<Real> out) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    Index at = tree.place_at[k];
    if (tree.kind[k] == ONE_TURN) {
      out[at] = u[tree.speed_at[k]];
      continue;
    }
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      if (tree.motion(m, MOTION_KIND) == SHIFT) out[at++] = u[m];
    if (tree.ball[k]) {
      const EulerRate<Real> rate = euler_rate(s.part(at, 4), 0.5 * vector_of(u, tree.speed_at[k + 1] - 3));
      for (Index l = 0; l < 4; ++l) out[at + l] = rate.rate[l];
      continue;
    }
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      if (tree.motion(m, MOTION_KIND) != SHIFT) out[at++] = u[m];
  }
}

template <class Real>
void place_changes(const Tree<Real>& tree, Reals<Real> s, Reals<Real> ds, Reals<Real> out) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    Index at = tree.place_at[k];
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      if (tree.motion(m, MOTION_KIND) == SHIFT) out[m] = ds[at++];
    if (tree.ball[k]) {
      // a change of the Euler parameters as a rotation, Koppens (B.17)
      const Real *q = s.part(at, 4).data, *e = ds.part(at, 4).data;
      const Index m = tree.speed_at[k + 1] - 3;
      out[m] = 2.0 * (-q[1] * e[0] + q[0] * e[1] + q[3] * e[2] - q[2] * e[3]);
      out[m + 1] = 2.0 * (-q[2] * e[0] - q[3] * e[1] + q[0] * e[2] + q[1] * e[3]);
      out[m + 2] = 2.0 * (-q[3] * e[0] + q[2] * e[1] - q[1] * e[2] + q[0] * e[3]);
      continue;
    }
    for (Index m = tree.speed_at[k]; m < tree.speed_at[k + 1]; ++m)
      if (tree.motion(m, MOTION_KIND) != SHIFT) out[m] = ds[at++];
  }
}

template <class Real>
void normalise_tree(const Tree<Real>& tree, Reals<Real> s) {
  for (Index k = 0; k < tree.body.size(); ++k) {
    if (!tree.ball[k]) continue;
    const Reals<Real> q = s.part(tree.place_at[k + 1] - 4, 4);
    const Real norm = std::sqrt(square(q[0]) + square(q[1]) + square(q[2]) + square(q[3]));
    for (Index l = 0; l < 4; ++l) q[l] /= norm;
  }
}

template void drive_tree<double>(const Layout&, Tree<double>&, double, Reals<double>, Reals<double>);
template void add_drive_misses<double>(const Layout&, Work<double>&, const Tree<double>&);
template Index jumped_row<double>(const Tree<double>&);
template void place_rates<double>(const Tree<double>&, Reals<double>, Reals<double>, Reals<double>);
template void place_changes<double>(const Tree<double>&, Reals<double>, Reals<double>, Reals<double>);
template void normalise_tree<double>(const Tree<double>&, Reals<double>);

}  // namespace flexbody
