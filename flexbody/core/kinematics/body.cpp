// The equations of motion of one body, see body.hpp.
#include "body.hpp"

#include "../../../fem/core/export.hpp"
#include "rotation.hpp"

namespace flexbody {

namespace {

// The strain energy of axial modes has s h + h^2 / 2 more, s = d . alpha, h = alpha' T alpha / 2, see modal/axial.py.
// An axial mode of a body in memory: its numbers d (N), T (N, N), and as it stands s, h and T alpha (N).
template <class Real>
struct AxialMode {
  const double *d, *T;
  Real *stretch, *shortening, *slope;

  AxialMode(const Layout& layout, const Work<Real>& work, Index b, Index k) {
    const Index n = layout.body_modes[b];
    d = layout.coefficients.part(layout.coefficient_at(b, AXIAL) + k * (n + n * n), n + n * n).data;
    T = d + n;
    stretch = work.axial.part(layout.axial_at[b] + k * (2 + n), 2 + n).data;
    shortening = stretch + 1;
    slope = stretch + 2;
  }
};

}  // namespace

// Evaluate s, h and T alpha of every axial mode of body b, alpha (N,) its own.
template <class Real>
static void place_axial(const Layout& layout, Work<Real>& work, Index b, const Real* alpha) {
  const Index n = layout.body_modes[b];
  for (Index k = 0; k < layout.body_axial[b]; ++k) {
    const AxialMode<Real> mode(layout, work, b, k);
    Real stretch = 0.0, shortening = 0.0;
    for (Index i = 0; i < n; ++i) {
      Real value = 0.0;
      for (Index j = 0; j < n; ++j) value += mode.T[i * n + j] * alpha[j];
      mode.slope[i] = value;
      stretch += mode.d[i] * alpha[i];
      shortening += 0.5 * value * alpha[i];
    }
    *mode.stretch = stretch, *mode.shortening = shortening;
  }
}

// out (N,) += d h + (s + h) T alpha, the gradient of the axial modes' energy. Needs place_axial.
template <class Real>
static void add_axial_force(const Layout& layout, const Work<Real>& work, Index b, Real* out) {
  const Index n = layout.body_modes[b];
  for (Index k = 0; k < layout.body_axial[b]; ++k) {
    const AxialMode<Real> mode(layout, work, b, k);
    const Real shortening = *mode.shortening, force = *mode.stretch + shortening;
    for (Index i = 0; i < n; ++i) out[i] += mode.d[i] * shortening + force * mode.slope[i];
  }
}

// out (6 + N, 6 + N) += stiffness times the second derivative of the axial modes' energy. Needs place_axial.
template <class Real>
static void add_axial_matrix(const Layout& layout, const Work<Real>& work, Index b, double stiffness,
                             Array<Real, 2> out) {
  const Index n = layout.body_modes[b];
  for (Index k = 0; k < layout.body_axial[b]; ++k) {
    const AxialMode<Real> mode(layout, work, b, k);
    const Real force = *mode.stretch + *mode.shortening;
    for (Index i = 0; i < n; ++i) {
      for (Index j = 0; j < n; ++j) {
        Real value = mode.d[i] * mode.slope[j] + mode.slope[i] * (mode.d[j] + mode.slope[j]);
        value += force * mode.T[i * n + j];
        out(6 + i, 6 + j) += stiffness * value;
      }
    }
  }
}

// D2_i = C4_i + sum_j C5_ij alpha_j (2.44) and J = C3 + sum_i alpha_i (D2_i + C4_i') (2.42) of the flexible body b,
// alpha (N,) its own.
template <class Real>
static void place_inertia(const Layout& layout, Work<Real>& work, Index b, const Real* alpha) {
  const Index n = layout.body_modes[b], first = layout.alpha_at[b];
  const double* c3 = coefficient(layout, b, C3, 9).data;
  const double* c4 = coefficient(layout, b, C4, 9 * n).data;
  const double* c5 = coefficient(layout, b, C5, 9 * n * n).data;
  Real* J = work.J[b].data;
  Real* D2 = work.D2.part(first, n).data;
  for (Index at = 0; at < 9 * n; at += 3) {
    const Vector<Real> value = plus_product(Vector<Real>{c4[at], c4[at + 1], c4[at + 2]}, c5 + at * n, alpha, n);
    D2[at] = value.x, D2[at + 1] = value.y, D2[at + 2] = value.z;
  }
  for (Index k = 0; k < 9; ++k) J[k] = c3[k];
  for (Index i = 0; i < n; ++i)
    for (Index k = 0; k < 3; ++k)
      for (Index l = 0; l < 3; ++l) J[3 * k + l] += alpha[i] * (D2[9 * i + 3 * k + l] + c4[9 * i + 3 * l + k]);
}

// D1 = C1 + sum_i alpha_i C2_i (2.43) and D3_i = C6_i - sum_j C7_ij alpha_j (2.45) of the flexible body b, alpha (N,)
// its own.
template <class Real>
static void place_moments(const Layout& layout, Work<Real>& work, Index b, const Real* alpha) {
  const Index n = layout.body_modes[b], first = layout.alpha_at[b];
  const double* c1 = coefficient(layout, b, C1, 3).data;
  const double* c7 = coefficient(layout, b, C7, 3 * n * n).data;
  Real* D1 = work.D1[b].data;
  Real* D3 = work.D3.part(first, n).data;
  for (Index k = 0; k < 3; ++k) D1[k] = c1[k];
  for (Index i = 0; i < n; ++i) {
    Vector<Real> value{0.0, 0.0, 0.0};
    for (Index j = 0; j < n; ++j) {
      const double* c = c7 + 3 * (i * n + j);
      value.x -= c[0] * alpha[j], value.y -= c[1] * alpha[j], value.z -= c[2] * alpha[j];
    }
    D3[3 * i] = value.x, D3[3 * i + 1] = value.y, D3[3 * i + 2] = value.z;
  }
  if (layout.body_mean[b] != 0) return;
  const double* c2 = coefficient(layout, b, C2, 3 * n).data;
  const double* c6 = coefficient(layout, b, C6, 3 * n).data;
  for (Index i = 0; i < n; ++i) {
    for (Index k = 0; k < 3; ++k) {
      D1[k] += alpha[i] * c2[3 * i + k];
      D3[3 * i + k] += c6[3 * i + k];
    }
  }
}

template <class Real>
void place_deformed(const Layout& layout, Work<Real>& work, Index b, Reals<Real> alpha) {
  const Real* a = alpha.part(layout.alpha_at[b], layout.body_modes[b]).data;
  if (layout.body_axial[b] > 0) place_axial(layout, work, b, a);
  place_inertia(layout, work, b, a);
  place_moments(layout, work, b, a);
}

template <class Real>
void place_bodies(const Layout& layout, Work<Real>& work, EulerParameters<Real> q, Reals<Real> alpha) {
  for (Index b = 0; b < layout.body_mass.size(); ++b) {
    put(work.Q, b, matrix_of_euler(q[b]));
    if (layout.body_modes[b] > 0) place_deformed(layout, work, b, alpha);  // J and D1 of rigid bodies are constant
  }
}

// Add what C2, which vanishes in a mean-displacement frame, adds to the residual of body b:
// Q (C2' alpha.. + 2 omega x C2' alpha.) to its translation rows, C2 Q' (c.. - g) to its modal rows.
template <class Real>
static void add_C2_terms(const Layout& layout, const Work<Real>& work, Index b, Reals<Real> v, Reals<Real> vdot,
                         Reals<Real> out) {
  const Index n = layout.body_modes[b], r = layout.v_at[b];
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const double* c2 = coefficient(layout, b, C2, 3 * n).data;
  const Vector<Real> s = transposed_times(Q, specific_force(layout, vdot, r));
  Vector<Real> rate{0.0, 0.0, 0.0}, acceleration{0.0, 0.0, 0.0};
  for (Index i = 0; i < n; ++i) {
    const Index at = r + 6 + i;
    const Vector<Real> value{c2[3 * i], c2[3 * i + 1], c2[3 * i + 2]};
    rate += v[at] * value;
    acceleration += vdot[at] * value;
    out[at] = out[at] + value.x * s.x + value.y * s.y + value.z * s.z;
  }
  acceleration += 2.0 * cross(vector_of(v, r + 3), rate);
  put(out, r, vector_of(out, r) + Q * acceleration);
}

// The modal rows of (2.46) with K alpha and D alpha., and what alpha. and alpha.. add to the rows of rotation:
// sum_i 2 alpha_i. D2_i omega + alpha_i.. D3_i.
template <class Real>
static void modal_rows(const Layout& layout, Work<Real>& work, Index b, Reals<Real> alpha, Reals<Real> v,
                       Reals<Real> vdot, Reals<Real> out) {
  const Index r = layout.v_at[b], n = layout.body_modes[b], first = layout.alpha_at[b];
  const Vector<Real> omega = vector_of(v, r + 3), spin_rate = vector_of(vdot, r + 3);
  const Real* a = alpha.part(first, n).data;
  const Real* rate = v.part(r + 6, n).data;
  const Real* acceleration = vdot.part(r + 6, n).data;
  const double* c7 = coefficient(layout, b, C7, 3 * n * n).data;
  const double* c8 = coefficient(layout, b, C8, n * n).data;
  const double* stiff = coefficient(layout, b, K, n * n).data;
  const double* damp = coefficient(layout, b, D, n * n).data;
  Vector<Real> added{0.0, 0.0, 0.0};
  Real power = work.power[DISSIPATED];
  for (Index i = 0; i < n; ++i) {
    const Vector<Real> p = matrix_of(work.D2, first + i) * omega, D3 = vector_of(work.D3, first + i);
    added += 2.0 * rate[i] * p + acceleration[i] * D3;
    Real value = dot(D3, spin_rate) - dot(omega, p), damped = 0.0;
    for (Index j = 0; j < n; ++j) {
      const Index at = i * n + j;
      const double* c = c7 + 3 * at;
      damped += damp[at] * rate[j];
      value += c8[at] * acceleration[j] + stiff[at] * a[j];
      value -= 2.0 * rate[j] * (omega.x * c[0] + omega.y * c[1] + omega.z * c[2]);
    }
    out[r + 6 + i] = value + damped;
    power += rate[i] * damped;
  }
  work.power[DISSIPATED] = power;
  put(out, r + 3, vector_of(out, r + 3) + added);
}

template <class Real>
void body_residual(const Layout& layout, Work<Real>& work, Index b, Reals<Real> alpha, Reals<Real> v,
                   Reals<Real> vdot, Reals<Real> out) {
  const Index n = layout.body_modes[b], r = layout.v_at[b];
  rigid_rows(layout, work, b, v, vdot, out, r);
  modal_rows(layout, work, b, alpha, v, vdot, out);
  if (layout.body_axial[b] > 0) add_axial_force(layout, work, b, out.part(r + 6, n).data);
  if (layout.body_mean[b] == 0) add_C2_terms(layout, work, b, v, vdot, out);
}

// The rigid part (6, 6) of mass M: m I, -Q D1~ and its transpose, J.
template <class Real>
static void rigid_block(const Layout& layout, const Work<Real>& work, Index b, double mass, Array<Real, 2> out) {
  const Vector<Real> D1 = vector_of(work.D1, b);
  const Vector<Real> arm[3] = {{0.0, -D1.z, D1.y}, {D1.z, 0.0, -D1.x}, {-D1.y, D1.x, 0.0}};  // e_k x D1
  const Matrix<Real> Q = matrix_of(work.Q, b), J = matrix_of(work.J, b);
  for (Index k = 0; k < 3; ++k) {
    const Vector<Real> column = mass * (Q * arm[k]);
    for (Index l = 0; l < 3; ++l) {
      out(k, l) = 0.0;
      out(3 + k, 3 + l) = mass * J(k, l);
      out(l, 3 + k) = column[l];
      out(3 + k, l) = column[l];
    }
    out(k, k) = mass * layout.body_mass[b];
  }
}

template <class Real>
void body_matrix(const Layout& layout, const Work<Real>& work, Index b, double mass, double damping, double stiffness,
                 Array<Real, 2> out) {
  const Index n = layout.body_modes[b], first = layout.alpha_at[b];
  rigid_block(layout, work, b, mass, out);
  if (n == 0) return;
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const double* c2 = coefficient(layout, b, C2, 3 * n).data;
  const double* c8 = coefficient(layout, b, C8, n * n).data;
  const double* stiff = coefficient(layout, b, K, n * n).data;
  const double* damp = coefficient(layout, b, D, n * n).data;
  const bool mean = layout.body_mean[b] != 0;
  for (Index i = 0; i < n; ++i) {
    Vector<Real> moved{0.0, 0.0, 0.0};
    if (!mean) moved = mass * (Q * Vector<Real>{c2[3 * i], c2[3 * i + 1], c2[3 * i + 2]});
    const Vector<Real> turned = mass * vector_of(work.D3, first + i);
    put(out[6 + i], 0, moved);
    put(out[6 + i], 3, turned);
    for (Index k = 0; k < 3; ++k) {
      out(k, 6 + i) = moved[k];
      out(3 + k, 6 + i) = turned[k];
    }
    Real* row = out[6 + i].part(6, n).data;
    for (Index j = 0; j < n; ++j) {
      const Index at = i * n + j;
      row[j] = mass * c8[at] + damping * damp[at] + stiffness * stiff[at];
    }
  }
  if (layout.body_axial[b] > 0 && stiffness != 0.0) add_axial_matrix(layout, work, b, stiffness, out);
}

template <class Real>
void body_momentum(const Layout& layout, const Work<Real>& work, Index b, const Real* x, Real* out) {
  const Index n = layout.body_modes[b], first = layout.alpha_at[b];
  const double* c2 = coefficient(layout, b, C2, 3 * n).data;
  const double* c8 = coefficient(layout, b, C8, n * n).data;
  const Matrix<Real> Q = matrix_of(work.Q, b);
  const Vector<Real> D1 = vector_of(work.D1, b), moved{x[0], x[1], x[2]}, turned{x[3], x[4], x[5]};
  const Vector<Real> own = transposed_times(Q, moved);
  Vector<Real> first_moment = cross(turned, D1);  // what acts on Q in the rows of translation
  Vector<Real> moment = plus_cross(matrix_of(work.J, b) * turned, D1, own);  // the rows of rotation
  for (Index i = 0; i < n; ++i) {
    const Vector<Real> C2_i{c2[3 * i], c2[3 * i + 1], c2[3 * i + 2]}, D3 = vector_of(work.D3, first + i);
    first_moment += x[6 + i] * C2_i;
    moment += x[6 + i] * D3;
    Real value = dot(C2_i, own) + dot(D3, turned);
    for (Index j = 0; j < n; ++j) value += c8[i * n + j] * x[6 + j];
    out[6 + i] = value;
  }
  const Vector<Real> force = plus_product(layout.body_mass[b] * moved, Q, first_moment);
  for (Index k = 0; k < 3; ++k) out[k] = force[k], out[3 + k] = moment[k];
}

// alpha' K alpha / 2 and s h + h^2 / 2 of the axial modes; alpha (na,). Needs place_bodies.
template <class Real>
static Real strain_energy(const Layout& layout, const Work<Real>& work, Index b, Reals<Real> alpha) {
  const Index n = layout.body_modes[b];
  const Reals<Real> a = alpha.part(layout.alpha_at[b], n);
  const Table stiff = coefficient(layout, b, K, n * n);
  Real strain = 0.0;
  for (Index i = 0; i < n; ++i)
    for (Index j = 0; j < n; ++j) strain += 0.5 * a[i] * stiff[i * n + j] * a[j];
  for (Index k = 0; k < layout.body_axial[b]; ++k) {
    const AxialMode<Real> mode(layout, work, b, k);
    strain += *mode.shortening * (*mode.stretch + 0.5 * *mode.shortening);
  }
  return strain;
}

template <class Real>
BodyEnergy<Real> body_energy(const Layout& layout, const Work<Real>& work, Index b, Vectors<Real> c,
                             Reals<Real> alpha, Reals<Real> v) {
  const Index size = 6 + layout.body_modes[b];
  Buffer<Real> momentum(size);
  body_momentum(layout, work, b, v.data, momentum.data);
  Real kinetic = 0.0, potential = 0.0;
  for (Index i = 0; i < size; ++i) kinetic += 0.5 * v[i] * momentum[i];
  const Vector<Real> moment = matrix_of(work.Q, b) * vector_of(work.D1, b);
  for (Index k = 0; k < 3; ++k) potential -= layout.gravity[k] * (layout.body_mass[b] * c(b, k) + moment[k]);
  return {kinetic, strain_energy(layout, work, b, alpha), potential};
}

template void place_deformed<double>(const Layout&, Work<double>&, Index, Reals<double>);
template void place_bodies<double>(const Layout&, Work<double>&, EulerParameters<double>, Reals<double>);
template void body_residual<double>(const Layout&, Work<double>&, Index, Reals<double>, Reals<double>, Reals<double>,
                                    Reals<double>);
template void body_matrix<double>(const Layout&, const Work<double>&, Index, double, double, double,
                                  Array<double, 2>);
template void body_momentum<double>(const Layout&, const Work<double>&, Index, const double*, double*);
template BodyEnergy<double> body_energy<double>(const Layout&, const Work<double>&, Index, Vectors<double>,
                                                Reals<double>, Reals<double>);

// out (6 + N, 6 + N) = mass M + damping D + stiffness K of body b.
FLEXBODY_EXPORT void flexbody_body_matrix(const Layout* layout, Work<double>* work, Index b, double mass,
                                          double damping, double stiffness, double* out) {
  const Index size = 6 + layout->body_modes[b];
  body_matrix(*layout, *work, b, mass, damping, stiffness, Array<double, 2>{out, {size, size}});
}

}  // namespace flexbody
