#include "explicit_peaks.hpp"

#include "../forces/kept_in_run.hpp"

namespace flexbody {

// Forces are kept at so many places of a step: at these stages, of which the late ones are exact to 1e-3 of the
// amplitude at two radians of a vibration per step and to 1e-5 at one, and at the end.
constexpr Index PLACES = 6;
constexpr Index STAGE_AT[PLACES] = {3, 6, 5, 9, 10, 12};
// The polynomial through them is evaluated in so many equal parts of a step.
constexpr Index PARTS = 20;
// A maximum is evaluated if it is larger than what is known by this part, and at most so many in a step, which are as
// many as the step itself takes.
constexpr double NOTABLE = 1e-5;
constexpr Index MOST = 12;

// The values (PARTS + 1,) of the polynomial through the forces (PLACES,) of column k, by Lagrange's formula.
template <class Real>
static void along_step(const ExplicitState<Real>& state, const Tableau& tableau, Index k, Real* out) {
  double at[PLACES];
  for (Index i = 0; i < PLACES; ++i) at[i] = STAGE_AT[i] == 12 ? 1.0 : tableau.C[STAGE_AT[i]];
  for (Index p = 0; p <= PARTS; ++p) {
    const double x = double(p) / PARTS;
    out[p] = 0.0;
    for (Index i = 0; i < PLACES; ++i) {
      double weight = 1.0;
      for (Index j = 0; j < PLACES; ++j)
        if (j != i) weight *= (x - at[j]) / (at[i] - at[j]);
      out[p] += weight * state.forces(i, k);
    }
  }
}

// Where in the step, 0 to 1, the force of column k is larger in size than `known`; -1 where it is not.
template <class Real>
static double place_of_peak(const ExplicitState<Real>& state, const Tableau& tableau, Index k, Real known) {
  Real largest = 0.0, values[PARTS + 1];
  for (Index i = 0; i < PLACES; ++i) largest = larger(largest, std::abs(state.forces(i, k)));
  // a vibration of three radians per step is at most 8 % larger between these places
  if (!(largest > 0.9 * known)) return -1.0;
  along_step(state, tableau, k, values);
  Index p = 0;
  for (Index i = 1; i <= PARTS; ++i)
    if (std::abs(values[i]) > std::abs(values[p])) p = i;
  if (p == 0 || p == PARTS) return -1.0;  // the ends are known
  const Real left = std::abs(values[p - 1]), here = std::abs(values[p]), right = std::abs(values[p + 1]);
  const Real bend = left - 2.0 * here + right, shift = bend < 0.0 ? Real(0.5 * (left - right) / bend) : Real(0.0);
  if (!(here - 0.25 * (left - right) * shift > (1.0 + NOTABLE) * known)) return -1.0;
  return double((p + shift) / PARTS);
}

// The parts (7, ny) of the interpolation in the step of size h to the trial; evaluates three more stages.
template <class Real>
static bool interpolation(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau,
                          double h, Array<Real, 2> F) {
  const Index ny = state.y.size();
  Buffer<Real> y(ny), multipliers(state.trial_multipliers.size());
  for (Index s = 13; s < 16; ++s) {
    y.copy(state.y);
    for (Index r = 0; r < s; ++r)
      for (Index i = 0; i < ny; ++i) y[i] += h * tableau.A_more(s - 13, r) * state.stages(r, i);
    const double at = state.t + tableau.C_more[s - 13] * h;
    if (!rates(layout, work, state, at, y.view(), state.stages[s], multipliers.view(), Extent::RATES)) return false;
  }
  for (Index i = 0; i < ny; ++i) {
    const Real way = state.trial[i] - state.y[i];
    F(0, i) = way;
    F(1, i) = h * state.stages(0, i) - way;
    F(2, i) = 2.0 * way - h * (state.stages(12, i) + state.stages(0, i));
    for (Index k = 0; k < 4; ++k) {
      F(3 + k, i) = 0.0;
      for (Index r = 0; r < 16; ++r) F(3 + k, i) += h * tableau.D(k, r) * state.stages(r, i);
    }
  }
  return true;
}

// Evaluate the machine at the part x of the step, between 0 and 1:
// y + x (F0 + (1 - x) (F1 + x (F2 + (1 - x) (F3 + ...)))).
template <class Real>
static bool evaluate_within(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, Array<Real, 2> F,
                            double x, double t) {
  const Index ny = state.y.size();
  Buffer<Real> y(ny), rate(ny), multipliers(state.trial_multipliers.size());
  for (Index i = 0; i < ny; ++i) {
    Real sum = 0.0;
    for (Index k = 6; k >= 0; --k) sum = (sum + F(k, i)) * (k % 2 == 0 ? x : 1.0 - x);
    y[i] = state.y[i] + sum;
  }
  normalise(layout, state, y.view());
  return rates(layout, work, state, t, y.view(), rate.view(), multipliers.view(), Extent::RATES);
}

template <class Real>
void keep_stage_forces(const Layout& layout, const Work<Real>& work, ExplicitState<Real>& state, Index s) {
  if (state.forces.shape[1] == 0) return;
  for (Index i = 0; i < PLACES; ++i)
    if (STAGE_AT[i] == s) forces_of_elements(layout, work, state.forces[i]);
}

// Where in the step, 0 to 1, the force of column k is larger than what is known of it; -1 where it is not.
template <class Real>
static double place_of_larger(const Work<Real>& work, const ExplicitState<Real>& state, const Tableau& tableau,
                              Index k) {
  const Real peak = work.peak(k / 2, k % 2 == 0 ? PEAK_FORCE : PEAK_MOMENT);
  return place_of_peak(state, tableau, k, larger(std::abs(peak), std::abs(state.forces(PLACES - 1, k))));
}

template <class Real>
void find_peaks(const Layout& layout, Work<Real>& work, ExplicitState<Real>& state, const Tableau& tableau, double h,
                double end) {
  const Index n = state.forces.shape[1], losses = state.counts->rank_losses;
  Index first = 0;
  while (first < n && place_of_larger(work, state, tableau, first) < 0.0) ++first;
  if (first == n) return;
  Buffer<Real, 2> F(7, state.y.size());
  Index evaluated = 0;
  bool good = interpolation(layout, work, state, tableau, h, F.view());
  for (Index k = first; k < n && good && evaluated < MOST; ++k) {
    const double x = place_of_larger(work, state, tableau, k);
    if (x < 0.0) continue;
    const double t = state.t + x * h;
    good = evaluate_within(layout, work, state, F.view(), x, t);
    if (good) keep_peaks(layout, work, t);
    ++evaluated;
  }
  rates(layout, work, state, end, state.trial, state.stages[12], state.trial_multipliers, Extent::MOTION);
  state.counts->rank_losses = losses;
}

template void keep_stage_forces<double>(const Layout&, const Work<double>&, ExplicitState<double>&, Index);
template void find_peaks<double>(const Layout&, Work<double>&, ExplicitState<double>&, const Tableau&, double,
                                 double);

}  // namespace flexbody
