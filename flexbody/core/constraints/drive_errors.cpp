// Drives whose functions jump, see drive_errors.hpp.
#include "drive_errors.hpp"

#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"

namespace flexbody {

// The derivative of the row by the angle is the cosine of what is missing, about e_z(first): opposite where negative.
template <class Real>
bool opposite(const Layout& layout, const Work<Real>& work, Index k) {
  if (layout.row_kind[k] != ANGLE || layout.row_frame(k, ROW_DRIVE) < 0) return false;
  const Index i = layout.row_frame(k, ROW_FIRST);
  return dot(vector_of(work.direction, k, 3), column_of(work.frame_R, i, 2)) < 0.0;
}

template <class Real>
Index opposite_row(const Layout& layout, const Work<Real>& work) {
  if (layout.drive_law.shape[0] == 0) return -1;
  for (Index k = 0; k < layout.row_kind.size(); ++k)
    if (opposite(layout, work, k)) return k;
  return -1;
}

template <class Real>
bool meet_drives(const Layout& layout, const Work<Real>& work, DriveMisses& misses) {
  using std::abs;
  misses.missed = 0.0;
  if (layout.drive_law.shape[0] == 0) return true;
  for (Index k = 0; k < layout.row_kind.size(); ++k) {
    if (layout.row_frame(k, ROW_DRIVE) < 0) continue;
    if (opposite(layout, work, k)) {
      misses.tried = k;
      return false;
    }
    if (abs(work.phi[k]) > misses.missed) {
      misses.tried = k;
      misses.missed = abs(work.phi[k]);
    }
  }
  return true;
}

template bool opposite<double>(const Layout&, const Work<double>&, Index);
template Index opposite_row<double>(const Layout&, const Work<double>&);
template bool meet_drives<double>(const Layout&, const Work<double>&, DriveMisses&);

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT Index flexbody_opposite_row(const Layout* layout, const Work<double>* work) {
  return opposite_row(*layout, *work);
}

FLEXBODY_EXPORT Index flexbody_meet_drives(const Layout* layout, const Work<double>* work, DriveMisses* misses) {
  return meet_drives(*layout, *work, *misses);
}

FLEXBODY_EXPORT void flexbody_keep_misses(DriveMisses* misses, double before, double t) {
  keep_misses(*misses, before, t);
}
