// Velocities in coordinates in which the mass matrix is one, see mass_metric.hpp.
#include "mass_metric.hpp"

#include "../../../fem/core/export.hpp"
#include "elimination.hpp"

namespace flexbody {

template <class Real>
bool weighted_rows(const Layout& layout, Work<Real>& work) {
  if (!factorise_bodies(layout, work)) return false;
  fill_complement(layout, work);
  return true;
}

template <class Real>
void weigh(const Layout& layout, const Work<Real>& work, Reals<Real> x, bool inverse) {
  if (inverse) {
    forward_bodies(layout, work, x);
    return;
  }
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    const auto [B, n, apart] = body_factor(layout, work, b);
    Real* own = x.part(layout.v_at[b], n).data;
    for (Index i = 0; i < n; ++i) {
      own[i] /= B[i * n + i];
      if (i < apart) continue;
      for (Index k = i + 1; k < n; ++k) own[i] += B[k * n + i] * own[k];
    }
  }
}

template <class Real>
void unweigh(const Layout& layout, const Work<Real>& work, Reals<Real> x) {
  backward_bodies(layout, work, x);
}

template bool weighted_rows<double>(const Layout&, Work<double>&);
template void weigh<double>(const Layout&, const Work<double>&, Reals<double>, bool);
template void unweigh<double>(const Layout&, const Work<double>&, Reals<double>);

}  // namespace flexbody

using namespace flexbody;

// x (nv,).
static Reals<double> velocities(const Layout& layout, double* x) {
  return {x, {layout.v_at[layout.body_mass.size()]}};
}

FLEXBODY_EXPORT Index flexbody_weighted_rows(const Layout* layout, Work<double>* work) {
  return weighted_rows(*layout, *work);
}

FLEXBODY_EXPORT void flexbody_weigh(const Layout* layout, Work<double>* work, double* x, Index inverse) {
  weigh(*layout, *work, velocities(*layout, x), inverse != 0);
}

FLEXBODY_EXPORT void flexbody_unweigh(const Layout* layout, Work<double>* work, double* x) {
  unweigh(*layout, *work, velocities(*layout, x));
}
