// How far, how fast and how freely a body vibrates, in a run whose steps follow vibrations.
//
// Of some steps the filter F with a very large k, see vibrations.hpp, leaves what stiffness holds of the velocity v,
// the acceleration a and the jerk j of the body, and the deflections d that a causes. Of one vibration of frequency w
// the sizes of d, v, a and j rise by w each; of several d, v belong to the slow and a, j to the fast ones. Mean
// values of their logarithms tell the ratios: pulses, in which a and j are those of the force, and decay hardly
// change them. The largest v is that of the largest amplitude, beside pulses too, as it does not jump.
//
// Between changes of the loads K v = -M j, but for damping, in a base that turns with the body where its deformations
// do. The part -K^-1 M j of v tells apart what vibrates freely from what a force or a drive does: of a force of
// frequency u it is (u / w)^2.
#pragma once
#include "../data/alpha_state.hpp"
#include "../kinematics/body.hpp"
#include "norms.hpp"
#include "vibrations.hpp"

namespace flexbody {

// That part is bounded on both sides of one, as what does not belong to the vibration may be either sign.
constexpr double MOST_BALANCE = 2.0;

// x (nv,) of accelerations, as deflections, behind a pass of the filter; `held` (nv,) are those of x that a stiffness
// holds. Needs the factors of F with RIGID.
template <class Real>
void as_deflections(const Layout& layout, Work<Real>& work, Reals<Real> x, Reals<Real> held, double h,
                    const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  held.copy(x);
  filter(layout, work, mass, x);
  for (Index i = 0; i < x.size(); ++i) held[i] -= x[i];
  const double unit = RIGID * h * h * settings.beta / mass;
  for (Index i = 0; i < x.size(); ++i) x[i] *= unit;
}

// Size of x (nv,) of body b, its rigid motion and its deformation, root mean square over mass.
template <class Real>
Real whole_size(const Layout& layout, const Work<Real>& work, Index b, Reals<Real> x) {
  const auto squares = body_squares(layout, work, b, x);
  return std::sqrt(squares.rigid + squares.modal);
}

// x (nv,) of the change of the accelerations in a step of size h, as bodies that rotate see it.
template <class Real>
void seen_by_bodies(const Layout& layout, const Work<Real>& work, const AlphaTrial<Real>& trial, Reals<Real> x,
                    double h) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const Index at = layout.v_at[b];
    const Vector<Real> turned =
        cross(matrix_of(work.Q, b) * vector_of(trial.body_v, at + 3), specific_force(layout, trial.body_vdot, at));
    for (Index k = 0; k < 3; ++k) x[at + k] -= h * turned[k];
  }
}

// Add to state.ringing what body b does in a step of size h; `change` (nv,) is that of the accelerations. The factors
// are those of F with RIGID.
template <class Real>
void measure_ringing(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                     Reals<Real> change, Index b, double h, const AlphaSettings& settings) {
  const Index nv = change.size();
  Buffer<Real> x(nv), held(nv), speed(nv);
  for (Index i = 0; i < trial.own.size(); ++i) trial.own[i] = trial.v[i] - state.v[i];
  spread(layout, work, state, trial.own, x.view());
  for (Index i = 0; i < nv; ++i) speed[i] = trial.body_v[i] - 0.5 * x[i];
  // sizes of what stiffness holds of x, and of the deflections
  const auto size_of = [&](Reals<Real> what) { return double(whole_size(layout, work, b, what)); };
  const auto pass = [&] {
    as_deflections(layout, work, x.view(), held.view(), h, settings);
    return size_of(held.view());
  };
  // the deflections that the jerk in x causes, against the velocity
  const auto balance = [&] {
    pass();
    for (Index i = 0; i < nv; ++i) x[i] = speed[i] - held[i] / h, held[i] = speed[i] + held[i] / h;
    const double part =
        (square(size_of(x.view())) - square(size_of(held.view()))) / square(2.0 * size_of(speed.view()));
    return part > 0.0 ? smaller(part, MOST_BALANCE) : 0.0;
  };
  const double acceleration = pass() / h, deflection = pass() / h;
  x.copy(speed.view());
  const double fastest = pass();
  speed.copy(held.view());
  x.copy(change);
  const double jerk = pass() / h, standing = balance();
  x.copy(change);
  seen_by_bodies(layout, work, trial, x.view(), h);
  pass();
  const double turning = balance();
  const double sizes[] = {deflection, fastest, acceleration, jerk};
  const auto of = state.ringing[b];
  of[RINGING_STEPS] += 1.0;
  for (double size : sizes)
    if (!(size > 0.0)) return;  // (NaN too)
  of[RINGING_TIME] += h;
  for (Index i = 0; i < 4; ++i) of[RINGING_DEFLECTION + i] += h * std::log(sizes[i]);
  of[RINGING_BALANCE] += h * (std::abs(standing - 1.0) < std::abs(turning - 1.0) ? standing : turning);
  of[RINGING_TOP_SPEED] = larger<Real>(of[RINGING_TOP_SPEED], fastest);
}

}  // namespace flexbody
