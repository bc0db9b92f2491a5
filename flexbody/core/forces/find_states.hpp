// The states of force laws where they are not given: Newton's iteration for each law.
#pragma once
#include "../data/kinds.hpp"
#include "../laws/law.hpp"

namespace flexbody {

// The law of an element at given time, input, deformations and rates, as a function of its states.
template <class Real>
struct LawAt {
  ForceLaw law;
  double t;
  const double* u;
  Reals<const Real> x, rate;
  const double* p;
  Index m, nz;

  // out (m + nz + 3,) = forces, state rates, stored energy (J), dissipated and input power (W).
  void operator()(Reals<Real> z, Reals<Real> out) const { law(t, u, x.data, rate.data, z.data, p, out.data); }
};

// How the states of laws are found, and the factor of their rates in an implicit step (s).
struct StateEquation {
  Index mode;
  double kappa;
};

// Find the states z (nz,) of a law by Newton's iteration: `z - kappa f(z) = known` for STEPPED, `f(z) = 0` for
// RELAXED. out = the law at z on entry and on return; out[0] is NaN where no states are found.
template <class Real>
void find_states(const LawAt<Real>& law, Index mode, double kappa, Reals<Real> known, Reals<Real> z, Reals<Real> out);

}  // namespace flexbody
