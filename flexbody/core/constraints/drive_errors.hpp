// Drives whose functions jump.
//
// The row of a driven angle is the sine of what is missing, with a second root at the opposite angle: where a
// function jumps by more than a quarter of a turn, Newton's method may well end there. So a step is refused that
// arrives, before it is corrected or after, more than a quarter of a turn from a drive. Jumps that are smaller are
// followed by the correction of the positions, without a velocity, and nothing else would tell: by how much steps
// miss drives before they are corrected is noted in DriveMisses, for flexbody/leaps.py to look at the function.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Whether row k is a driven angle that is off by more than a quarter of a turn; needs `place`.
template <class Real>
bool opposite(const Layout& layout, const Work<Real>& work, Index k);

// A row for which `opposite` holds, -1 if there is none.
template <class Real>
Index opposite_row(const Layout& layout, const Work<Real>& work);

// Note which drive is missed most where a step arrives; false if one is by more than a quarter of a turn. Needs
// `place`.
template <class Real>
bool meet_drives(const Layout& layout, const Work<Real>& work, DriveMisses& misses);

// Keep what `meet_drives` has noted of a step from `before` to t that is accepted, if more is missed than ever.
inline void keep_misses(DriveMisses& misses, double before, double t) {
  if (!(misses.missed > misses.allowed)) return;
  misses.row = misses.tried;
  misses.since = before;
  misses.until = t;
  misses.allowed = misses.missed;
}

}  // namespace flexbody
