// Accelerations and multipliers, see accelerations.hpp.
#include "accelerations.hpp"

#include "../forces/reaction_friction.hpp"
#include "elimination.hpp"
#include "equations.hpp"

namespace flexbody {

template <class Real>
bool accelerations(const Layout& layout, Work<Real>& work, double t, Reals<Real> compliance, Reals<Real> vdot,
                   Reals<Real> y) {
  const Index nr = layout.row_kind.size();
  biases(layout, work, t, work.right);
  matrices(layout, work, 1.0, 0.0, 0.0, compliance);
  blocks(layout, work);
  if (!factorise(layout, work, compliance)) return false;
  for (Index k = 0; k < work.right.size(); ++k) work.right[k] = k < nr ? -work.right[k] : 0.0;
  for (Index i = 0; i < vdot.size(); ++i) vdot[i] = -work.residual[i];
  solve(layout, work, work.right, vdot, y);
  if (any_friction(work)) {
    find_unit_responses(layout, work);
    solve_friction(layout, work, vdot, y);
  }
  return true;
}

template bool accelerations<double>(const Layout&, Work<double>&, double, Reals<double>, Reals<double>,
                                    Reals<double>);

}  // namespace flexbody
