// Slip of two surfaces that roll on each other: see slip.hpp.
#include "slip.hpp"

#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"
#include "../constraints/user_constraint.hpp"
#include "../kinematics/path.hpp"
#include "../laws/tape.hpp"
#include "following_bristle.hpp"

namespace flexbody {

constexpr Index INPUTS = 1 + 2 * WIDTH, COLUMNS = 13;

template <class Real>
void evaluate_slip(const Layout& layout, Work<Real>& work, Index e) {
  const Index frames[2] = {layout.element(e, FIRST), layout.element(e, SECOND)}, at = layout.element(e, AT);
  Buffer<Real, 1, INPUTS> x(INPUTS);
  Buffer<Real, 2, INPUTS * COLUMNS> seeds(INPUTS, COLUMNS);
  Buffer<Real, 1, COLUMNS> slope(COLUMNS);
  x.view().fill(0.0);
  for (Index leg = 0; leg < 2; ++leg) {
    const Index start = 1 + WIDTH * leg;
    put(x, start, vector_of(work.frame_r, frames[leg]));
    for (Index l = 0; l < 3; ++l)
      for (Index m = 0; m < 3; ++m) x[start + 3 + 3 * l + m] = work.frame_R(frames[leg], l, m);
  }
  seeds_of(x.view(), false, seeds.view());
  for (Index k = 0; k < layout.element(e, COUNT); ++k) {
    const Index first = layout.slip_operation_at[layout.element(e, COORDINATE) + k];
    const Index count = layout.slip_operation_at[layout.element(e, COORDINATE) + k + 1] - first;
    gradient(layout.operation.part(first, count), layout.operation_constant.part(first, count), x.view(),
             seeds.view(), slope.view());
    Real rate = 0.0;
    for (Index leg = 0; leg < 2; ++leg) {
      const Vector<Real> by_v = vector_of(slope, 6 * leg), by_w = vector_of(slope, 6 * leg + 3);
      const Velocities<Real> now = material_velocity(layout, work, frames[leg]);
      put(work.deformation_slope[at + k], 2 * leg, by_v);
      put(work.deformation_slope[at + k], 2 * leg + 1, by_w);
      rate += dot(by_v, now.v) + dot(by_w, now.w);
    }
    work.deformation[at + k] = 0.0;
    work.deformation_rate[at + k] = rate;
  }
}

template void evaluate_slip<double>(const Layout&, Work<double>&, Index);

}  // namespace flexbody

using namespace flexbody;

// u = (N, 0); the speed of rolling has no force.
FLEXBODY_LAW(sticking_slip) {
  const FollowingBristle now = following_bristle(SLIP, p, rate, 0.0);
  const Vector<double> held = u[0] * friction_over_normal(now, z);
  out[0] = held.x, out[1] = held.y, out[2] = out[3] = 0.0;
  following_bristle_rate(now, z, out + SLIP_RATES);
  double* powers = out + SLIP_RATES + FOLLOWING_BRISTLES;
  powers[0] = powers[2] = 0.0;
  powers[1] = dot(held, now.slip);
}

// The same without states.
FLEXBODY_LAW(slip) {
  const SlipForces found = slip_forces(p, u[0], rate);
  for (int k = 0; k < SLIP_FORCES; ++k) out[k] = found.force[k];
  out[SLIP_FORCES] = out[SLIP_RATES] = out[SLIP_RATES + 2] = 0.0;
  out[SLIP_RATES + 1] = out[0] * rate[0] + out[1] * rate[1] + out[2] * rate[2];
}
