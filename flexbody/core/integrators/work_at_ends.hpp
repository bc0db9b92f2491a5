// The mean powers of contacts of clouds and surfaces in a step, and the work of users' constraints that depend on
// time.
//
// What they are told needs the frames at both ends of the step: clouds and surfaces are evaluated at each end with
// the mean velocities of the step, as other elements are, and the function of a constraint at each end with the time
// of the other one.
#pragma once
#include "../constraints/user_constraint.hpp"
#include "../data/alpha_state.hpp"
#include "../forces/contact_cloud.hpp"
#include "../forces/contact_surface.hpp"
#include "../forces/force_elements.hpp"

namespace flexbody {

// Keep the frames at the beginning of the next step.
template <class Real>
void keep_frames(const Work<Real>& work, AlphaState<Real>& state) {
  state.work_frame_r.copy(work.frame_r);
  state.work_frame_R.copy(work.frame_R);
  state.work_frame_w.copy(work.frame_w);
}

namespace {

// Work arrays at one end of a step, of which nothing is written to those of the run: with the frames as they are or
// were, the mean velocities of the step, and the means of the states of laws.
template <class Real>
struct AtEnd {
  Buffer<Real, 2, 96, 3> v, w;
  Buffer<Real, 2, 96, 6> load;
  Buffer<Real> z, rate, force;
  Buffer<Real, 2, 96, 3> power;
  Buffer<Real, 2, 96, 4> depth;
  Work<Real> work;

  AtEnd(const Layout& layout, const Work<Real>& now, const AlphaState<Real>& state, double h, bool before)
      : v(now.frame_r.shape[0], 3),
        w(now.frame_r.shape[0], 3),
        load(now.frame_r.shape[0], 6),
        z(now.law_state.size()),
        rate(now.law_state.size()),
        force(now.element_force.size()),
        power(layout.element.shape[0], 3),
        depth(layout.element.shape[0], 4),
        work(now) {
    for (Index f = 0; f < now.frame_r.shape[0]; ++f)
      for (Index k = 0; k < 3; ++k) {
        v(f, k) = (now.frame_r(f, k) - state.work_frame_r(f, k)) / h;
        w(f, k) = 0.5 * (now.frame_w(f, k) + state.work_frame_w(f, k));
      }
    for (Index i = 0; i < z.size(); ++i) z[i] = 0.5 * (state.law_state[i] + now.law_state[i]);
    if (before) {
      work.frame_r = state.work_frame_r;
      work.frame_R = state.work_frame_R;
    }
    work.frame_v = v.view();
    work.frame_w = w.view();
    work.frame_load = load.view();
    work.law_state = z.view();
    work.law_rate = rate.view();
    work.element_force = force.view();
    work.element_power = power.view();
    work.depth = depth.view();
    work.law_mode = GIVEN;
  }
};

}  // namespace

// Whether element e is a cloud of spheres or a surface in contact.
inline bool is_many(const Layout& layout, Index e) {
  return layout.element(e, GEOMETRY) == CLOUD || layout.element(e, GEOMETRY) == SURFACE;
}

// The power that a cloud or surface dissipates at one end of a step with the mean velocities, W.
template <class Real>
Real loss_at_end(const Layout& layout, AtEnd<Real>& end, Index e) {
  if (layout.element(e, GEOMETRY) == CLOUD)
    add_cloud(layout, end.work, e);
  else
    press_surface(layout, end.work, e);
  return end.power(e, ELEMENT_DISSIPATED);
}

// What clouds and surfaces dissipate in a step of size h more than half the sum of both powers times h, J.
template <class Real>
Real loss_of_many(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, double h) {
  bool any = false;
  const auto loses = [&](Index e) {
    return is_many(layout, e) &&
           (state.work_power(e, ELEMENT_DISSIPATED) != 0.0 || work.element_power(e, ELEMENT_DISSIPATED) != 0.0);
  };
  for (Index e = 0; e < layout.element.shape[0]; ++e) any = any || loses(e);
  if (!any) return 0.0;
  AtEnd<Real> before(layout, work, state, h, true), behind(layout, work, state, h, false);
  Real more = 0.0;
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    if (!loses(e)) continue;
    more += 0.5 * h * (loss_at_end(layout, before, e) + loss_at_end(layout, behind, e));
    more -= 0.5 * h * (state.work_power(e, ELEMENT_DISSIPATED) + work.element_power(e, ELEMENT_DISSIPATED));
  }
  return more;
}

// What users' constraints put in during a step of size h to t more than half the sum of both powers times h, J.
//
// The mean multiplier times what the function f of a constraint changes by time alone, half of it at each end,
// (f(x, t') - f(x, t) + f(x', t') - f(x', t)) / 2; of one for velocities times the mean of its rate.
template <class Real>
Real work_of_users(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                   const AlphaTrial<Real>& trial, double t, double h) {
  Real more = 0.0;
  for (Index k = 0; k < layout.row_kind.size(); ++k) {
    const Index kind = layout.row_kind[k];
    if (kind != HOLONOMIC && kind != VELOCITY) continue;
    const Real one = state.work_phi_t[k], other = work.phi_t[k];
    if (one == 0.0 && other == 0.0) continue;
    const Real before = state.multipliers[k], behind = trial.multipliers[k];
    Real way = 0.5 * h * (one + other);
    if (kind == HOLONOMIC) {
      Work<Real> then = work;
      Buffer<Real, 3> slope(work.leg_slope.shape[0], 2, 3);
      then.leg_slope = Array<Real, 3, 2, 3>{slope.data, {work.leg_slope.shape[0], 2, 3}};
      const Real behind_then = user_row(layout, then, k, t - h).value,
                 behind_now = user_row(layout, then, k, t).value;
      then.frame_r = state.work_frame_r;
      then.frame_R = state.work_frame_R;
      const Real before_now = user_row(layout, then, k, t).value,
                 before_then = user_row(layout, then, k, t - h).value;
      way = 0.5 * layout.row_scale[k] * (behind_now - behind_then + before_now - before_then);
    }
    more += 0.5 * (before + behind) * way - 0.5 * h * (before * one + behind * other);
  }
  return more;
}

}  // namespace flexbody
