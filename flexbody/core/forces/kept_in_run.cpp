#include "kept_in_run.hpp"

namespace flexbody {

template <class Real>
static Real size_of_three(Reals<Real> x, Index at) {
  return std::sqrt(square(x[at]) + square(x[at + 1]) + square(x[at + 2]));
}

// The force of element e: F of one deformation; of a contact the sum of the normal forces of its points; of two
// flanks their difference; of slip, surfaces and elements between two frames the size; of a cloud that of the largest
// force on one of its shapes.
template <class Real>
static Real one_force(const Layout& layout, const Work<Real>& work, Index e) {
  const Index at = layout.element(e, AT), count = layout.element(e, COUNT), kind = layout.element(e, GEOMETRY);
  if (kind == CONTACT) {
    Real sum = 0.0;
    for (Index i = 0; i < count; i += PER_POINT) sum += work.element_force[at + i];
    return -sum;
  }
  if (kind == CLOUD || (kind == SURFACE && count == 0)) {
    const Index last = layout.element(e, SECOND), from = kind == CLOUD ? layout.element(e, FIRST) : last;
    Real largest = 0.0;
    for (Index f = from; f <= last; ++f) largest = larger(largest, size_of_three(work.frame_load[f], 0));
    return largest;
  }
  if (kind == TANGENTS && count == 2) return work.element_force[at + 1] - work.element_force[at];
  if (kind == SLIP) return std::hypot(work.element_force[at], work.element_force[at + 1]);
  if (count == 6) return size_of_three(work.element_force, at);
  return count == 1 ? work.element_force[at] : Real(0.0);
}

template <class Real>
void forces_of_elements(const Layout& layout, const Work<Real>& work, Reals<Real> out) {
  for (Index e = 0; e < work.peak.shape[0]; ++e) {
    out[2 * e] = one_force(layout, work, e);
    const bool turns = layout.element(e, GEOMETRY) == BETWEEN;
    out[2 * e + 1] = turns ? size_of_three(work.element_force, layout.element(e, AT) + 3) : Real(0.0);
  }
}

template <class Real>
void keep_peaks(const Layout& layout, Work<Real>& work, double t) {
  const Index n = work.peak.shape[0];
  if (n == 0) return;
  Buffer<Real> force(2 * n);
  forces_of_elements(layout, work, force.view());
  for (Index k = 0; k < 2 * n; ++k) {
    const Index e = k / 2, column = k % 2 == 0 ? PEAK_FORCE : PEAK_MOMENT;
    if (!(std::abs(force[k]) > std::abs(work.peak(e, column)))) continue;
    work.peak(e, column) = force[k];
    work.peak(e, column + 1) = t;
  }
}

// A force turns where it comes back by this part of its largest size; turns are counted anew where that has grown by
// the factor GROWN, so that those of small forces before don't count.
constexpr double BACK = 0.2, GROWN = 4.0;

template <class Real>
static void keep_turns(Work<Real>& work, double t) {
  for (Index k = 0; k < work.turned.shape[0]; ++k) {
    const Reals<Real> kept = work.turned[k];
    const Real force = work.element_force[k];
    kept[TURN_SIZE] = larger(kept[TURN_SIZE], std::abs(force));
    if (kept[TURN_SIZE] > GROWN * kept[TURN_BEGUN]) {
      kept[TURN_BEGUN] = kept[TURN_SIZE];
      kept[TURN_COUNT] = 0.0;
    }
    const Real sense = kept[TURN_SENSE] < 0.0 ? -1.0 : 1.0, back = sense * (kept[TURN_EXTREME] - force);
    const bool turns = back > BACK * kept[TURN_SIZE];
    if (!(back < 0.0) && !turns) continue;
    kept[TURN_EXTREME] = force;
    if (!turns) continue;
    kept[TURN_SENSE] = -sense;
    if (kept[TURN_COUNT] == 0.0) kept[TURN_SINCE] = t;
    kept[TURN_LAST] = t;
    kept[TURN_COUNT] += 1.0;
  }
}

template <class Real>
static void keep_depths(const Layout& layout, Work<Real>& work, double t) {
  for (Index e = 0; e < work.depth.shape[0]; ++e) {
    const Index kind = layout.element(e, GEOMETRY), at = layout.element(e, AT);
    if (kind != CONTACT && kind != CLOUD && kind != SURFACE) continue;
    const Reals<Real> depth = work.depth[e];
    Real half = 0.0;
    if (kind == CONTACT) {
      const Index count = layout.element(e, COUNT);
      Real sum = 0.0;
      depth[DEPTH_NOW] = 0.0;
      for (Index i = 0; i < count; i += PER_POINT) {
        depth[DEPTH_NOW] = larger(depth[DEPTH_NOW], -work.deformation[at + i]);
        sum -= work.deformation[at + i];
      }
      // the middle of a box or cylinder is the mean of its points
      const bool on_plane = Index(law_numbers(layout, e)[HOST_SHAPE]) == PLANE;
      if (on_plane && count > PER_POINT) half = depth[DEPTH_NOW] - sum * PER_POINT / count;
    }
    if (!(depth[DEPTH_NOW] - half > depth[DEPTH_MOST] - depth[DEPTH_HALF])) continue;
    depth[DEPTH_MOST] = depth[DEPTH_NOW];
    depth[DEPTH_HALF] = half;
    depth[DEPTH_TIME] = t;
  }
}

template <class Real>
void keep_forces(const Layout& layout, Work<Real>& work, double t) {
  keep_peaks(layout, work, t);
  keep_depths(layout, work, t);
  keep_turns(work, t);
}

template void forces_of_elements<double>(const Layout&, const Work<double>&, Reals<double>);
template void keep_peaks<double>(const Layout&, Work<double>&, double);
template void keep_forces<double>(const Layout&, Work<double>&, double);

}  // namespace flexbody
