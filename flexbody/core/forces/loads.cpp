// Loads: see loads.hpp.
#include "loads.hpp"

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../kinematics/frame.hpp"
#include "../laws/law.hpp"

namespace flexbody {

// The three numbers of load k at time t.
template <class Real>
static Vector<Real> load_numbers(const Layout& layout, Index k, double t) {
  double given[3];
  if (call_law(layout.load_law, k, t, given)) return {given[0], given[1], given[2]};
  return vector_of(layout.load_value, k);
}

// The force or moment (3,) of load k at time t in inertial components: `R A' F` where it turns with its frame f,
// whose axes are R, and A in the base of the undeformed body.
template <class Real>
static Vector<Real> inertial_load(const Layout& layout, const Work<Real>& work, Index k, Index f, double t) {
  const Vector<Real> value = load_numbers<Real>(layout, k, t);
  const Index kind = layout.load_frame(k, LOAD_KIND);
  if (kind == FORCE_INERTIAL || kind == MOMENT_INERTIAL) return value;
  return matrix_of(work.frame_R, f) * transposed_times(matrix_of(layout.frame_A, f), value);
}

// out (n) = s (a + B alpha) for the next n numbers a and n x N numbers B of a BODY_LOAD; returns what follows them.
template <class Real>
static const double* changed(const double* given, double s, Index n, Reals<Real> alpha, Real* out) {
  const Index N = alpha.size();
  const double* row = given + n;
  for (Index i = 0; i < n; ++i, row += N) {
    Real sum = given[i];
    for (Index k = 0; k < N; ++k) sum += row[k] * alpha[k];
    out[i] = s * sum;
  }
  return row;
}

// residual -= Q, input power += Q . v for the generalized forces Q of the BODY_LOAD k on body b.
template <class Real>
static void add_body_load(const Layout& layout, Work<Real>& work, Index k, Index b, double t, Reals<Real> alpha,
                          Reals<Real> v) {
  const Index N = layout.body_modes[b], first = layout.v_at[b];
  const double s = load_numbers<double>(layout, k, t).x;
  const Reals<Real> own = alpha.part(layout.alpha_at[b], N);
  Buffer<Real> out(6 + N);
  const double* at = layout.load_change.data + layout.load_change_at[k];
  at = changed(at, s, 3, own, out.data);
  at = changed(at, s, 3, own, out.data + 3);
  changed(at, s, N, own, out.data + 6);
  put(out.view(), 0, matrix_of(work.Q, b) * vector_of(out.view(), 0));
  for (Index l = 0; l < 6 + N; ++l) {
    work.residual[first + l] -= out[l];
    work.load[first + l] += out[l];
    work.power[INPUT] += out[l] * v[first + l];
  }
}

// Q = J^T F, residual -= Q, input power += F . v (M . w) for each load on a body, J its frame's Jacobian.
template <class Real>
void add_loads(const Layout& layout, Work<Real>& work, double t, Reals<Real> alpha, Reals<Real> v) {
  const Vector<Real> none{0.0, 0.0, 0.0};
  work.load.fill(0.0);
  for (Index k = 0; k < layout.load_frame.shape[0]; ++k) {
    const Index f = layout.load_frame(k, LOAD_FRAME), kind = layout.load_frame(k, LOAD_KIND),
                b = layout.frame_body[f];
    if (b < 0) continue;
    if (kind == BODY_LOAD) {
      add_body_load(layout, work, k, b, t, alpha, v);
      continue;
    }
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
    for (Index l = 0; l < size; ++l) {
      work.residual[first + l] -= out[l];
      work.load[first + l] += out[l];
    }
  }
}

template void add_loads<double>(const Layout&, Work<double>&, double, Reals<double>, Reals<double>);

}  // namespace flexbody
