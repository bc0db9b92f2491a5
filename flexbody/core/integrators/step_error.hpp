// The local error of a step of the generalized-alpha method over what it may be.
#pragma once
#include "norms.hpp"
#include "vibrations.hpp"

namespace flexbody {

// A body that is slower than this part of the fastest is judged as if it were that fast.
constexpr double SLOW_BODY = 1e-3;
// The same beside vibrations: what only vibrates, as on a stiff mount, has no motion of its own.
constexpr double HELD_BODY = 0.3;
// Steps of one size for which the error beside vibrations is computed once, with mounts or flexible bodies.
constexpr Index LOOKS_EVERY = 8;

// The rigid and the modal part of an error over what a step may add.
//
// That is rtol * (distance moved in the step at top speed). Rigid motion and deformation of each body are judged by
// their own top speed, but by no less than the part `least` of the fastest in the system. x times `factor` is an
// error of positions.
template <class Real>
BodySize<Real> excess_parts(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state,
                            Reals<Real> x, double factor, double h, double rtol, double least) {
  const Index nb = layout.body_mass.size();
  Real fastest = 0.0;
  for (Index k = 0; k < 2 * nb; ++k) fastest = larger(fastest, state.top_speed.data[k]);
  BodySize<Real> worst{0.0, 0.0};
  const Real rest = 1e-12 * layout.length, slow = least * fastest;
  for (Index b = 0; b < nb; ++b) {
    const auto size = body_norms(layout, work, b, x);
    const Real rigid = rtol * h * larger(state.top_speed(b, RIGID_SPEED), slow) + rest;
    const Real modal = rtol * h * larger(state.top_speed(b, MODAL_SPEED), slow) + rest;
    worst = {larger(worst.rigid, factor * size.rigid / rigid), larger(worst.modal, factor * size.modal / modal)};
  }
  return worst;
}

// The larger of both.
template <class Real>
Real excess(const Layout& layout, const Work<Real>& work, const AlphaState<Real>& state, Reals<Real> x, double factor,
            double h, double rtol) {
  const auto parts = excess_parts(layout, work, state, x, factor, h, rtol, SLOW_BODY);
  return larger(parts.rigid, parts.modal);
}

// x = the change of the accelerations in the step.
template <class Real>
void acceleration_change(const AlphaState<Real>& state, const AlphaTrial<Real>& trial, Reals<Real> x) {
  for (Index i = 0; i < x.size(); ++i) x[i] = trial.vdot[i] - state.vdot[i];
}

// trial.delta = F^-passes times the change of the accelerations, F with the stiffness times `stiffened`; false if a
// body's matrix is not positive definite.
template <class Real>
bool filtered_change(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                     double h, const AlphaSettings& settings, double stiffened, int passes) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  matrices(layout, work, mass, h * settings.gamma, stiffened * h * h * settings.beta, state.compliance);
  blocks(layout, work);
  if (!factorise(layout, work, state.compliance)) return false;
  acceleration_change(state, trial, trial.delta);
  for (int pass = 0; pass < passes; ++pass) filter(layout, work, mass, trial.delta);
  return true;
}

// Enlarge the largest deformations by those that a load as that of the present accelerations would cause at rest:
// what is set free swings by them. Needs the factors of F(RIGID).
template <class Real>
void static_deformation(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                        double h, const AlphaSettings& settings) {
  const double mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  const double stiffness = RIGID * settings.beta * h * h / mass;
  trial.delta.copy(trial.vdot);
  filter(layout, work, mass, trial.delta);
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto size = body_norms(layout, work, b, trial.delta);
    state.deformation[b] = larger<Real>(state.deformation[b], stiffness * size.modal);
  }
}

// The errors of the vibrations that the step follows, and of the smooth motion: e2 and e3 of vibrations.hpp, over
// what they may be. Leaves no factors of the iteration matrix, but its rank and smallest pivot.
template <class Real>
BesideVibrations<Real> look_beside(const Layout& layout, Work<Real>& work, AlphaState<Real>& state,
                                   AlphaTrial<Real>& trial, double h, const AlphaSettings& settings) {
  const double factor = settings.error_constant * h * h;
  const Real pivot = work.pivot;
  const Index rank = work.rank;
  BesideVibrations<Real> found{INF, INF};
  state.factored = 0.0;
  const bool flexible = gives_way(layout);
  bool good = true;
  if (flexible) {
    const double part = FOLLOWED_PART * settings.vibrations;
    good = filtered_change(layout, work, state, trial, h, settings, followed_stiffness(settings.vibrations), 2);
    found.followed = vibration_error(layout, work, state, trial.delta, factor, part, MODAL_FOLLOWED);
  } else {
    found.followed = 0.0;
  }
  const double stiffened = flexible ? RIGID : STIFFENED / settings.rtol;
  if (good && filtered_change(layout, work, state, trial, h, settings, stiffened, 3)) {
    found.smooth = excess_parts(layout, work, state, trial.delta, factor, h, settings.rtol, HELD_BODY).rigid;
    if (flexible) static_deformation(layout, work, state, trial, h, settings);
  }
  work.pivot = pivot;
  work.rank = rank;
  return found;
}

// As `error_of_step`, with vibrations judged by what of their amplitude is lost: see vibrations.hpp. `usual` is the
// usual error. What a look found serves for some steps of the same size, unless the usual error grows.
template <class Real>
Real error_beside_vibrations(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial,
                             double h, Real usual, const AlphaSettings& settings) {
  const double factor = settings.error_constant * h * h, mass = (1.0 - settings.alpha_m) / (1.0 - settings.alpha_f);
  filter(layout, work, mass, trial.delta);
  const Real lost = vibration_error(layout, work, state, trial.delta, factor, settings.vibrations, MODAL_LOST);
  const bool same = std::abs(h - state.looked_step) <= 1e-6 * h && usual < 2.0 * state.looked_usual;
  if (same && state.looked < LOOKS_EVERY && gives_way(layout)) {
    state.looked += 1;
  } else {
    const auto found = look_beside(layout, work, state, trial, h, settings);
    state.followed = found.followed;
    state.smooth = found.smooth;
    state.looked_step = h;
    state.looked_usual = usual;
    state.looked = 1;
  }
  const Real vibrations = larger<Real>(lost, state.followed);
  state.vibrates = vibrations > state.smooth;
  return larger<Real>(vibrations, state.smooth);
}

// Local error of the positions over its tolerance, see `excess`.
//
// The error is error_constant h^3 times the third derivative, taken from the change of the accelerations. Summed over
// a run, the local errors are at most about rtol times the path travelled; a step with 1.5 times its tolerance is
// still accepted.
template <class Real>
Real error_of_step(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
                   const AlphaSettings& settings) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto speed = body_norms(layout, work, b, trial.v);
    state.top_speed(b, RIGID_SPEED) = larger(state.top_speed(b, RIGID_SPEED), speed.rigid);
    state.top_speed(b, MODAL_SPEED) = larger(state.top_speed(b, MODAL_SPEED), speed.modal);
  }
  acceleration_change(state, trial, trial.delta);
  const Real error = excess(layout, work, state, trial.delta, settings.error_constant * h * h, h, settings.rtol);
  state.vibrates = 0;
  if (settings.vibrations == 0.0) return error;
  measure_motion(layout, state, trial);
  if (!(error > 1.0) || !only_vibrates(layout, work, state.compliance)) return error;
  return smaller(error, error_beside_vibrations(layout, work, state, trial, h, error, settings));
}

}  // namespace flexbody
