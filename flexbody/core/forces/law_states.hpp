// States of force laws in the generalized-alpha method: equations of first order beside the mechanical ones.
#pragma once
#include "../../../fem/core/array.hpp"
#include "../data/alpha_state.hpp"
#include "../data/kinds.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Coefficients of the generalized-alpha method for equations of first order.
struct FirstOrder {
  double delta_m, delta_f, theta;
};

// Coefficients of the method for z. = f with the same spectral radius rho at infinity: delta_m = (3 rho - 1) /
// (2 (rho + 1)), delta_f = alpha_f = rho / (rho + 1), theta = 1/2 + delta_f - delta_m.
//
// K. E. Jansen, C. H. Whiting, G. M. Hulbert, Comput. Methods Appl. Mech. Eng. 190 (2000) 305; with states of
// controllers beside mechanics O. Bruels, M. Arnold, J. Comput. Nonlinear Dyn. 3 (2008) 041007.
inline FirstOrder first_order(double alpha_f) {
  const double rho = alpha_f / (1.0 - alpha_f);
  const double delta_m = 0.5 * (3.0 * rho - 1.0) / (rho + 1.0);
  return {delta_m, alpha_f, 0.5 + alpha_f - delta_m};
}

// Tell the force laws what the step knows of their states: z - kappa z. = known at its end.
//
// z' = z + h ((1 - theta) a + theta a'), with the method's variable a from (1 - delta_m) a' + delta_m a =
// (1 - delta_f) z.' + delta_f z. ; primes are values at the end of the step.
template <class Real>
void expect_states(Work<Real>& work, AlphaState<Real>& state, double h, double alpha_f) {
  const auto [delta_m, delta_f, theta] = first_order(alpha_f);
  work.law_mode = STEPPED;
  work.law_kappa = h * theta * (1.0 - delta_f) / (1.0 - delta_m);
  for (Index i = 0; i < state.law_state.size(); ++i) {
    const Real past = (delta_f * state.law_rate[i] - delta_m * state.law_variable[i]) / (1.0 - delta_m);
    work.law_known[i] = state.law_state[i] + h * ((1.0 - theta) * state.law_variable[i] + theta * past);
    work.law_state[i] = state.law_state[i] + h * state.law_rate[i];
  }
}

// Take over the states of force laws, their rates and the method's variable, and the largest of them so far.
template <class Real>
void accept_states(Work<Real>& work, AlphaState<Real>& state, double h, double alpha_f) {
  const auto [delta_m, delta_f, theta] = first_order(alpha_f);
  for (Index i = 0; i < state.law_state.size(); ++i) {
    const Real rate = work.law_rate[i], before = state.law_rate[i];
    state.law_variable[i] =
        ((1.0 - delta_f) * rate + delta_f * before - delta_m * state.law_variable[i]) / (1.0 - delta_m);
    state.law_slope[i] = (rate - before) / h;
    state.law_top_rate[i] = larger(state.law_top_rate[i], std::abs(rate));
    state.law_top[i] = larger(state.law_top[i], std::abs(work.law_state[i]));
    state.law_state[i] = work.law_state[i];
    state.law_rate[i] = rate;
  }
}

// Local error of the states over its tolerance: rtol times the distance moved in the step at top rate.
//
// Or of a hundredth of the largest value, so that jumps of the rate need no end of steps. The error is constant h^3
// times the third derivative, here a second difference of the rates.
template <class Real>
Real error_of_states(const Work<Real>& work, const AlphaState<Real>& state, double h, double alpha_f, double rtol) {
  const auto [delta_m, delta_f, theta] = first_order(alpha_f);
  const double constant = std::abs(1.0 / 12.0 + (delta_m - delta_f) * (delta_f - 0.5));
  Real worst = 0.0;
  for (Index i = 0; i < state.law_state.size(); ++i) {
    const Real rate = work.law_rate[i];
    const Real error = constant * h * (rate - state.law_rate[i] - h * state.law_slope[i]);
    const Real top = larger(h * larger(state.law_top_rate[i], std::abs(rate)),
                            0.01 * larger(state.law_top[i], std::abs(work.law_state[i])));
    worst = larger(worst, std::abs(error) / (rtol * top + 1e-300));
  }
  return worst;
}

}  // namespace flexbody
