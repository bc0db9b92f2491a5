// Drives whose functions jump.
//
// The row of a driven angle is the sine of its error. It is also zero half a revolution away, and Newton's method may
// converge to that angle if the function jumps by more than a quarter of a revolution. A step is therefore refused if
// the error of a driven angle is above a quarter of a revolution, before or after the correction of positions. The
// correction follows smaller jumps without a velocity and without a message. DriveMisses therefore holds the largest
// residual before a correction, and flexbody/analyses/drive_jumps.py examines the function of that drive.
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Whether row k is a driven angle with an error above a quarter of a revolution; needs `place`.
template <class Real>
bool opposite(const Layout& layout, const Work<Real>& work, Index k);

// A row for which `opposite` holds, -1 if there is none.
template <class Real>
Index opposite_row(const Layout& layout, const Work<Real>& work);

// Store the drive with the largest residual at the end of a step; return false if the error of an angle is above a
// quarter of a revolution. Needs `place`.
template <class Real>
bool meet_drives(const Layout& layout, const Work<Real>& work, DriveMisses& misses);

// Store the residual of `meet_drives` for an accepted step from `before` to t if it is the largest so far.
inline void keep_misses(DriveMisses& misses, double before, double t) {
  if (!(misses.missed > misses.allowed)) return;
  misses.row = misses.tried;
  misses.since = before;
  misses.until = t;
  misses.allowed = misses.missed;
}

}  // namespace flexbody
