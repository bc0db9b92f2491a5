// Joint coordinates that are followed over time: the slide along z and the angle about z of two frames.
#include "followed_coordinates.hpp"

#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"
#include "body.hpp"
#include "frame.hpp"

namespace flexbody {

template <class Real>
void track(const Layout& layout, Work<Real>& work, Vectors<Real> c, EulerParameters<Real> q, Reals<Real> alpha,
           Reals<Real> v, Tracked<Real>& tracked) {
  place_bodies(layout, work, q, alpha);
  place_frames(layout, work, c, alpha);
  move_frames(layout, work, alpha, v, false);
  const auto& R = work.frame_R;
  const auto& counted = work.revolutions;
  for (Index k = 0; k < tracked.value.size(); ++k) {
    const Index i = tracked.frame(k, 0), j = tracked.frame(k, 1);
    const auto w = vector_of(work.frame_w, i);
    Real value = 0.0, rate = 0.0;
    if (tracked.number[k] < 0) {
      // z . (r_j - r_i), and w_i x z = R_i (w_local x e_z)
      const Real wx = dot(w, column_of(R, i, 0)), wy = dot(w, column_of(R, i, 1));
      for (Index l = 0; l < 3; ++l) {
        const Real d = work.frame_r(j, l) - work.frame_r(i, l);
        value += R(i, l, 2) * d;
        rate += R(i, l, 2) * (work.frame_v(j, l) - work.frame_v(i, l)) + (wy * R(i, l, 0) - wx * R(i, l, 1)) * d;
      }
    } else {
      const auto x = column_of(R, j, 0);
      const Real angle = std::atan2(dot(column_of(R, i, 1), x), dot(column_of(R, i, 0), x));
      for (Index l = 0; l < 3; ++l) rate += R(i, l, 2) * (work.frame_w(j, l) - work.frame_w(i, l));
      value = angle + 2.0 * PI * std::rint((counted(tracked.number[k], LAST_ANGLE) - angle) / (2.0 * PI));
    }
    tracked.value[k] = value;
    tracked.rate[k] = rate;
  }
}

template void track<double>(const Layout&, Work<double>&, Vectors<double>, EulerParameters<double>, Reals<double>,
                            Reals<double>, Tracked<double>&);

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void flexbody_read_coordinates(const Layout* layout, Work<double>* work, double* c, double* q,
                                               double* alpha, double* v, Tracked<double>* tracked) {
  const Index nb = layout->body_mass.size();
  track<double>(*layout, *work, {c, {nb, 3}}, {q, {nb, 4}}, {alpha, {layout->alpha_at[nb]}}, {v, {layout->v_at[nb]}},
                *tracked);
}
