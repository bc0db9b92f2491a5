// Loads: see loads.hpp.
#include "loads.hpp"

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../kinematics/frame.hpp"
#include "../laws/law.hpp"

namespace flexbody {

// The force or moment (3,) of load k at time t in inertial components: `R A' F` where it turns with its frame f,
// whose axes are R, and A in the base of the undeformed body.
template <class Real>
static Vector<Real> inertial_load(const Layout& layout, const Work<Real>& work, Index k, Index f, double t) {
  double given[3];
  Vector<Real> value = vector_of(layout.load_value, k);
  if (call_law(layout.load_law, k, t, given)) value = {given[0], given[1], given[2]};
  const Index kind = layout.load_frame(k, LOAD_KIND);
  if (kind == FORCE_INERTIAL || kind == MOMENT_INERTIAL) return value;
  return matrix_of(work.frame_R, f) * transposed_times(matrix_of(layout.frame_A, f), value);
}

// residual -= J^T F, input power += F . v (M . w) for each load on a body, J its frame's Jacobian.
template <class Real>
void add_loads(const Layout& layout, Work<Real>& work, double t) {
  const Vector<Real> none{0.0, 0.0, 0.0};
  for (Index k = 0; k < layout.load_frame.shape[0]; ++k) {
    const Index f = layout.load_frame(k, LOAD_FRAME), kind = layout.load_frame(k, LOAD_KIND),
                b = layout.frame_body[f];
    if (b < 0) continue;
    const Vector<Real> load = inertial_load(layout, work, k, f, t);
    const Index size = 6 + layout.body_modes[b], first = layout.v_at[b];
    Buffer<Real> out(size);
    if (kind == FORCE_BODY || kind == FORCE_INERTIAL) {
      load_on_frame(layout, work, f, load, none, out.view());
      work.power[INPUT] += dot(load, vector_of(work.frame_v, f));
    } else {
      load_on_frame(layout, work, f, none, load, out.view());
      work.power[INPUT] += dot(load, vector_of(work.frame_w, f));
    }
    for (Index l = 0; l < size; ++l) work.residual[first + l] -= out[l];
  }
}

template void add_loads<double>(const Layout&, Work<double>&, double);

}  // namespace flexbody
