// States of force laws: see find_states.hpp.
#include "find_states.hpp"

#include "../dynamics/dense_solve.hpp"

namespace flexbody {

// Smaller states count as zero: an iteration that converges to zero ends at numbers without significant digits
constexpr double SMALLEST_STATE = 1e-200;
// Newton's iterations for the states of a law
constexpr int ITERATIONS = 30;
// Steps that follow states to where they stay, and the longest of the first step, s
constexpr int STEPS = 500;
constexpr double LONGEST_TIME = 1.0;
// Enlargements, by a factor of 1000 each, of a difference that changes nothing but round-off
constexpr int ENLARGEMENTS = 3;

// slope (nz,) = derivatives of the state rates by state i, by a difference. size: of the state, or of its change;
// enough: the largest rate whose round-off in a difference of that size does no harm. out = the law at z; moved = z
// on entry and on return; near: work space of the size of out.
template <class Real>
static void state_slope(const LawAt<Real>& law, Index i, Real size, Real enough, Reals<Real> out, Reals<Real> moved,
                        Reals<Real> near, Reals<Real> slope) {
  const Real z = moved[i];
  Real h = size > SMALLEST_STATE ? 1e-7 * size : Real(1e-7);
  slope.fill(0.0);
  for (int enlarged = 0; enlarged <= ENLARGEMENTS; ++enlarged, h *= 1e3) {
    moved[i] = z + h;
    law(moved, near);
    Real change = 0.0, largest = 0.0;
    bool finite = true;
    for (Index k = law.m; k < law.m + law.nz; ++k) {
      finite = finite && std::isfinite(near[k]);
      change = larger(change, std::abs(near[k] - out[k]));
      largest = larger(largest, std::abs(out[k]));
    }
    // a law may end before the enlarged difference does: what was found before it stands
    if (!finite && enlarged > 0) break;
    for (Index k = 0; k < law.nz; ++k) slope[k] = (near[law.m + k] - out[law.m + k]) / h;
    // a state near zero says nothing of the size of its changes
    if (!(change < 1e-11 * largest) || largest <= enough) break;
  }
  moved[i] = z;
}

// Derivatives of the state rates by the states, by differences, as the matrix A (nz, nz) of Newton's iteration:
// `I - kappa df/dz` for STEPPED, `-df/dz` for RELAXED. out = the law at z; known (nz,), see `find_states`.
template <class Real>
static void state_matrix(const LawAt<Real>& law, Index mode, double kappa, Reals<Real> known, Reals<Real> z,
                         Reals<Real> out, Array<Real, 2> A) {
  const Index m = law.m, nz = law.nz;
  Buffer<Real> moved(nz), near(out.size()), slope(nz);
  moved.copy(z);
  for (Index i = 0; i < nz; ++i) {
    const Real size = larger(larger(std::abs(z[i]), std::abs(known[i])), std::abs(kappa * out[m + i]));
    // beside 1 in the matrix, round-off of such rates is nothing
    const Real enough = mode == STEPPED ? size / kappa : Real(0.0);
    state_slope(law, i, size, enough, out, moved.view(), near.view(), slope.view());
    for (Index k = 0; k < nz; ++k) A(k, i) = mode == STEPPED ? (k == i ? 1.0 : 0.0) - kappa * slope[k] : -slope[k];
  }
}

// Newton's iteration for the states z (nz,) of a law, see `find_states`; whether it ends at finite states.
template <class Real>
static bool iterate_states(const LawAt<Real>& law, Index mode, double kappa, Reals<Real> known, Reals<Real> z,
                           Reals<Real> out) {
  const Index m = law.m, nz = law.nz;
  Buffer<Real, 2> A(nz, nz);
  Buffer<Real> b(nz), top(nz);
  for (Index i = 0; i < nz; ++i) top[i] = std::abs(z[i]);
  for (int iteration = 0; iteration < ITERATIONS; ++iteration) {
    state_matrix(law, mode, kappa, known, z, out, A.view());
    for (Index i = 0; i < nz * nz; ++i)
      if (!std::isfinite(A.data[i])) return false;
    for (Index i = 0; i < nz; ++i) b[i] = mode == STEPPED ? known[i] + kappa * out[m + i] - z[i] : out[m + i];
    dense_solve(A.view(), [&](Index i) -> Real& { return b[i]; });
    bool done = true;
    for (Index i = 0; i < nz; ++i) {
      if (!std::isfinite(b[i])) return false;
      z[i] = std::abs(z[i] + b[i]) > SMALLEST_STATE ? z[i] + b[i] : Real(0.0);
      // differences leave a factor of 1e-7 of each correction; a state that goes to zero has no size of its own
      top[i] = larger(top[i], std::abs(z[i]));
      done = done && std::abs(b[i]) <= 1e-8 * std::abs(z[i]) + 1e-14 * top[i] + SMALLEST_STATE;
    }
    law(z, out);
    if (done) return true;
  }
  // a limit cycle of round-off is none: what is left is small against the state
  for (Index i = 0; i < nz; ++i)
    if (!(std::abs(b[i]) <= 1e-6 * std::abs(z[i]) + 1e-12 * top[i] + SMALLEST_STATE)) return false;
  return true;
}

// A time that is short for the states z (nz,): the first of them changes by a tenth in it, s. out = the law at z.
template <class Real>
static double short_time(const LawAt<Real>& law, Reals<Real> z, Reals<Real> out) {
  Real shortest = LONGEST_TIME;
  for (Index i = 0; i < law.nz; ++i) {
    const Real rate = std::abs(out[law.m + i]);
    if (z[i] != 0.0 && 10.0 * shortest * rate > std::abs(z[i])) shortest = 0.1 * std::abs(z[i]) / rate;
  }
  return shortest;
}

// Follow the states in steps of growing length, which end where Newton's iteration finds the way by itself; whether
// it ends at finite states (pseudo-transient continuation: C. T. Kelley, D. E. Keyes, SIAM J. Numer. Anal. 35 (1998)
// 508).
template <class Real>
static bool follow_states(const LawAt<Real>& law, Reals<Real> z, Reals<Real> out) {
  Buffer<Real> from(law.nz);
  double kappa = short_time(law, z, out);
  for (int step = 0; step < STEPS; ++step) {
    from.copy(z);
    if (iterate_states(law, STEPPED, kappa, from.view(), z, out)) {
      kappa *= 2.0;
      from.copy(z);
      if (iterate_states(law, RELAXED, 0.0, from.view(), z, out)) return true;
    } else {
      kappa *= 0.25;
    }
    z.copy(from);
    law(z, out);
  }
  return false;
}

template <class Real>
void find_states(const LawAt<Real>& law, Index mode, double kappa, Reals<Real> known, Reals<Real> z,
                 Reals<Real> out) {
  Buffer<Real> from(law.nz);
  from.copy(z);
  if (iterate_states(law, mode, kappa, known, z, out)) return;
  if (mode == RELAXED) {
    z.copy(from);
    law(z, out);
    if (follow_states(law, z, out)) return;
  }
  z.fill(0.0);  // the next evaluation begins anew
  if (mode == RELAXED) {
    // differences about a state that is nearly zero may change nothing but round-off; zero has a difference of its
    // own
    law(z, out);
    if (iterate_states(law, mode, kappa, known, z, out)) return;
    z.fill(0.0);
  }
  out[0] = NaN;
}

template void find_states<double>(const LawAt<double>&, Index, double, Reals<double>, Reals<double>, Reals<double>);

}  // namespace flexbody
