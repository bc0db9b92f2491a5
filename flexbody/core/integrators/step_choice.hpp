// The choice of the next step of the generalized-alpha method, after one that failed or that its error judges.
#pragma once
#include "../dynamics/elimination.hpp"
#include "../forces/law_states.hpp"
#include "../forces/reaction_friction.hpp"
#include "step_error.hpp"

namespace flexbody {

// A step with this part of its error is repeated with the same size.
constexpr double STEADY = 0.81;
// Where a singular position magnifies round-off beyond the tolerance, a failed step is tried again with twice the
// size, up to this number of times.
constexpr Index LONGER_TRIES = 8;
// A step ends beside a singular position where round-off is magnified so many times as much as before it. One of
// twice the size ends at least a third as far behind. Where there is no room for it, and round-off is magnified by
// NEXT_TO, two steps of PASSING of the size end a quarter before and a sixth behind, or farther.
constexpr double BESIDE = 9.0, NEXT_TO = 64.0, PASSING = 2.0 / 3.0;
// Round-off in an acceleration fades by rho_inf in a step, or by this if that is less.
constexpr double FADES = 0.9;
// Massless bodies are about to lose what holds them where the least resistance has fallen to this part of the largest
// so far. It is the square of the sine of an angle, as that between two bars in line.
constexpr double NEARLY_LOST = 1e-3;

// A fixed step is divided down to this part of it.
constexpr double SMALLEST_DIVISION = 1e-4;

// Whether massless bodies are about to lose what holds them: their speed has no bound there, and behind such a
// position lies another motion, after an impact that no equation gives.
template <class Real>
bool is_nearly_lost(const Work<Real>& work, const AlphaState<Real>& state) {
  return work.held < NEARLY_LOST * state.best_held;
}

// Whether dry friction may bring bodies to rest.
template <class Real>
bool may_come_to_rest(const Layout& layout, const Work<Real>& work) {
  bool may = any_friction(work);
  for (Index e = 0; e < layout.element.shape[0]; ++e) {
    const Index geometry = layout.element(e, GEOMETRY);
    may = may || layout.element(e, DRY_FRICTION) != 0 || geometry == SLIP || geometry == CONTACT ||
          geometry == CLOUD || geometry == SURFACE;
  }
  return may;
}

// Divide a fixed step, of which a part of size h failed; false if it is not to be divided further. Where dry friction
// brings a body to rest within a step, Newton's iteration passes over the narrow range of speeds in which it changes.
template <class Real>
bool divide_step(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state, double h, Index status) {
  if (status != NO_CONVERGENCE || !may_come_to_rest(layout, work)) return false;
  if (state.divided_until == 0.0) {
    state.divided_until = state.t + h;
    state.whole_step = state.wanted;
  }
  if (0.25 * h < SMALLEST_DIVISION * state.whole_step) return false;
  state.wanted = 0.25 * h;
  return true;
}

// Choose the next part of a fixed step that is divided, behind one of them; whole steps again at its end.
template <class Real>
void go_on_in_step(AlphaState<Real>& state) {
  const double left = state.divided_until - state.t;
  if (left > 1e-9 * state.whole_step) {
    state.wanted = left > 3.0 * state.wanted ? 2.0 * state.wanted : left;
  } else {
    state.wanted = state.whole_step;
    state.divided_until = 0.0;
  }
}

// Choose the step after one of size h that failed; false if the run ends here.
template <class Real>
bool retry(const Layout& layout, const Work<Real>& work, AlphaState<Real>& state, double h, Index status,
           const AlphaSettings& settings) {
  state.counts->rejected += 1;
  state.factored = 0.0;
  if (settings.rtol == 0.0 && divide_step(layout, work, state, h, status)) return true;
  if (settings.rtol == 0.0 || 0.25 * h < settings.min_step) {
    state.bad_row = status != DRIVE_JUMPED ? worst_row(work) : state.misses->tried;
    return false;
  }
  // near a singular position round-off is magnified by one over its distance, and shorter steps are no better: longer
  // ones pass it. Elsewhere shorter and longer ones are tried in turn, but none that passes where massless bodies
  // lose what holds them
  if (is_nearly_lost(work, state)) {
    state.wanted = 0.25 * h;
    return true;
  }
  state.tries += 1;
  if (state.tries == 1) state.first_try = h;
  const double tries = double(state.tries);
  const Real magnified = magnified_error(layout, work, settings.error_constant, settings.rtol);
  if (state.tries <= LONGER_TRIES && work.pivot < NEARLY_SINGULAR && magnified > STEADY) {
    state.wanted = state.first_try * std::pow(2.0, tries);
    return true;
  }
  state.wanted =
      state.first_try * (state.tries % 2 == 1 ? std::pow(0.25, tries) : std::pow(1.7, std::floor(tries / 2)));
  return true;
}

// Choose another step where one of size h ends beside a singular position; false if it does not, or has to.
//
// Positions that are uncertain by round-off turn the velocities there by one over the smallest pivot, and what these
// lose to the other motion that begins at such a position does not come back.
template <class Real>
bool ends_elsewhere(AlphaState<Real>& state, double h, double remaining, Real magnified,
                    const AlphaSettings& settings) {
  const Real nearer = magnified / larger(state.magnified, 1.0);
  if (state.tries > 0 || !(nearer > BESIDE) || h > 0.9 * remaining) return false;
  const bool room = 2.0 * h <= smaller(remaining, settings.max_step);
  if (!room && (!(nearer > NEXT_TO) || PASSING * h < settings.min_step)) return false;
  state.tries = 1;
  state.first_try = h;
  state.wanted = room ? remaining / std::rint(0.5 * remaining / h) : PASSING * h;
  return true;
}

// Judge a step of size h that converged by its error, and choose the next one; false if it is to be tried again.
template <class Real>
bool judge(const Layout& layout, Work<Real>& work, AlphaState<Real>& state, AlphaTrial<Real>& trial, double h,
           double remaining, bool sure, const AlphaSettings& settings) {
  const double smallest = settings.min_step;
  if (!sure && 0.5 * h > smallest) {
    state.counts->rejected += 1;
    state.wanted = 0.5 * h;
    return false;
  }
  Real error = error_of_step(layout, work, state, trial, h, settings);
  if (state.law_state.size() > 0) {
    error = larger(error, error_of_states(work, state, h, settings.alpha_f, settings.rtol));
  }
  // a step that passes a singular position is judged as one of the size that failed there: its error grows with h^2
  const bool longer = state.tries > 0 && h > state.first_try;
  const double size = longer ? state.first_try : h;
  error *= square(size / h);
  // near a singular position, and some steps behind it, a shorter step would only magnify round-off more
  const bool lost = is_nearly_lost(work, state);
  const Real now = magnified_error(layout, work, settings.error_constant, settings.rtol);
  const Real rest = smaller(settings.alpha_f / (1.0 - settings.alpha_f), FADES) * state.magnified;
  const Real magnified = larger(now, rest);
  if (!lost && error > STEADY && error < magnified) {
    if (ends_elsewhere(state, h, remaining, now, settings)) {
      state.counts->rejected += 1;
      return false;
    }
    error = STEADY;
  }
  const double factor = smaller(3.0, larger(0.2, 0.9 / std::sqrt(error + 1e-30)));
  // (at a nearly singular position the step that converged is taken as it is)
  if (error > 1.5 && 0.8 * h > smallest && (state.tries == 0 || lost || work.pivot > CANCELLED)) {
    state.counts->rejected += 1;
    if (longer) {
      state.tries += 1;
      state.wanted = state.first_try * std::pow(0.25, double(state.tries));
      return false;
    }
    state.tries = 0;
    state.wanted = larger(h * smaller(factor, 0.8), smallest);  // below what next_step would keep
    return false;
  }
  state.wanted = larger(size * factor, smallest);
  state.magnified = magnified;
  state.counts->vibrating += state.vibrates;
  if (error > LIMITS) count_strikes(layout, work, state);
  return true;
}

}  // namespace flexbody
