// Controllers: see controllers.hpp.
#include "controllers.hpp"

#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../kinematics/coordinate.hpp"
#include "../laws/law.hpp"
#include "find_states.hpp"
#include "force_elements.hpp"
#include "force_laws.hpp"

namespace flexbody {

namespace {

// A place of a controller: its kind, frames, joint coordinate, whether the rate is measured, and the value that
// counts as zero.
struct Place {
  Index kind, first, second, coordinate;
  bool rate;
  double zero;

  explicit Place(const double* p)
      : kind(Index(p[PLACE_KIND])),
        first(Index(p[PLACE_FIRST])),
        second(Index(p[PLACE_SECOND])),
        coordinate(Index(p[PLACE_COORDINATE])),
        rate(p[PLACE_RATE] != 0.0),
        zero(p[PLACE_ZERO]) {}
};

// A measured value and its rate; the rate is NaN where it is not known.
template <class Real>
struct Measured {
  Real value, rate;
};

}  // namespace

// From the first frame of a place to the second one.
template <class Real>
static Vector<Real> between_frames(const Work<Real>& work, const Place& place) {
  return vector_of(work.frame_r, place.second) - vector_of(work.frame_r, place.first);
}

template <class Real>
static Measured<Real> measured(const Layout& layout, const Work<Real>& work, const Place& place) {
  if (place.kind == OF_FUNCTION) return {0.0, 0.0};
  if (place.kind == OF_COORDINATE)
    return {work.coordinate[place.coordinate], coordinate_rate(layout, work, place.coordinate)};
  const Vector<Real> d = between_frames(work, place);
  const Vector<Real> v = vector_of(work.frame_v, place.second) - vector_of(work.frame_v, place.first);
  if (place.kind == OF_LINE) {
    const Real length = std::sqrt(dot(d, d));
    return {length, dot(d, v) / length};
  }
  const Vector<Real> n = column_of(work.frame_R, place.first, 2);
  const Vector<Real> w = vector_of(work.frame_w, place.first);
  if (place.kind == OF_POINT) return {dot(n, d), dot(n, v) + dot(d, cross(w, n))};
  return {NaN, dot(n, vector_of(work.frame_w, place.second) - w)};
}

// Add a load with the sign of the residual on frame f.
template <class Real>
static void add_load_at(Work<Real>& work, Index f, const Vector<Real>& force, const Vector<Real>& moment) {
  const Reals<Real> load = work.frame_load[f];
  put(load, 0, vector_of(load, 0) - force);
  put(load, 3, vector_of(load, 3) - moment);
}

// Add the load of a unit output times `size` at a place, where `now` is measured.
template <class Real>
static void act(const Layout& layout, Work<Real>& work, const Place& place, const Measured<Real>& now, Real size) {
  const Vector<Real> none{0.0, 0.0, 0.0};
  if (place.kind == OF_COORDINATE) {
    const auto g = work.coordinate_slope[place.coordinate];
    const Index frames[2] = {layout.coordinate(place.coordinate, COORDINATE_FIRST),
                             layout.coordinate(place.coordinate, COORDINATE_SECOND)};
    for (Index side = 0; side < 2; ++side)
      add_load_at(work, frames[side], size * vector_of(g, 2 * side), size * vector_of(g, 2 * side + 1));
    return;
  }
  if (place.kind == OF_TURN) {
    const Vector<Real> moment = size * column_of(work.frame_R, place.first, 2);
    add_load_at(work, place.second, none, moment);
    add_load_at(work, place.first, none, -moment);
    return;
  }
  const Vector<Real> d = between_frames(work, place);
  const Vector<Real> along =
      place.kind == OF_LINE ? (size / now.value) * d : size * column_of(work.frame_R, place.first, 2);
  add_load_at(work, place.second, along, none);
  add_load_at(work, place.first, -along, -cross(d, along));
}

// The errors x of a controller and their rates; of the first one the target may be a function of time.
template <class Real>
static void find_errors(const Layout& layout, Work<Real>& work, Index e, double t, Reals<Real> x, Reals<Real> rate) {
  const double* p = law_numbers(layout, e);
  const Index n = Index(p[CONTROL_INPUTS]), signal = Index(p[CONTROL_SIGNAL]);
  const Reals<Real> u = work.law_input[e];
  const bool follows = call_law(layout.element_input, e, t, u.data);
  if (!follows) u[0] = layout.element_value[layout.element(e, VALUE_AT)];
  for (Index i = 0; i < n; ++i) {
    const Place place(p + CONTROL_TARGETS + n + PLACE_NUMBERS * i);
    const Measured<Real> now = measured(layout, work, place);
    const Real value = place.rate ? now.rate : now.value;
    work.signal[signal + i] = value - place.zero;
    x[i] = (i == 0 ? u[0] : Real(p[CONTROL_TARGETS + i])) - work.signal[signal + i];
    rate[i] = (i == 0 && follows ? u[1] : Real(0.0)) - (place.rate ? Real(NaN) : now.rate);
  }
}

// Outputs of a controller whose law is called, and the rates of its states.
template <class Real>
static void call_controller(const Layout& layout, Work<Real>& work, Index e, double t, const double* p, Reals<Real> x,
                            Reals<Real> rate, Reals<Real> outputs) {
  const Index first = layout.element(e, STATE_AT), nz = layout.element(e, STATES), m = outputs.size();
  Buffer<Real> out(m + nz + 3);
  const LawAt<Real> law{reinterpret_cast<ForceLaw>(layout.element(e, LAW)),
                        t,
                        work.law_input[e].data,
                        {x.data, {x.size()}},
                        {rate.data, {rate.size()}},
                        p,
                        m,
                        nz};
  const Reals<Real> z = work.law_state.part(first, nz);
  law(z, out.view());
  if (nz > 0 && work.law_mode != GIVEN)
    find_states(law, work.law_mode, work.law_kappa, work.law_known.part(first, nz), z, out.view());
  for (Index k = 0; k < m; ++k) outputs[k] = out[k];
  for (Index k = 0; k < nz; ++k) work.law_rate[first + k] = out[m + k];
}

// Outputs of a controller that is held: they are among its states, which stay.
template <class Real>
static void hold_controller(const Layout& layout, Work<Real>& work, Index e, Reals<Real> outputs) {
  const Index first = layout.element(e, STATE_AT);
  for (Index k = first; k < first + layout.element(e, STATES); ++k) {
    if (work.law_mode == STEPPED) work.law_state[k] = work.law_known[k];
    work.law_rate[k] = 0.0;
  }
  for (Index k = 0; k < outputs.size(); ++k) outputs[k] = work.law_state[first + 1 + k];
}

template <class Real>
static void evaluate_controller(const Layout& layout, Work<Real>& work, Index e, double t) {
  const double* p = law_numbers(layout, e);
  const Index n = Index(p[CONTROL_INPUTS]), m = Index(p[CONTROL_OUTPUTS]);
  const double* places = p + CONTROL_TARGETS + n;
  Buffer<Real> x(n), rate(n);
  find_errors(layout, work, e, t, x.view(), rate.view());
  const Reals<Real> outputs = work.signal.part(Index(p[CONTROL_SIGNAL]) + n, m);
  if (p[CONTROL_HELD] != 0.0) {
    hold_controller(layout, work, e, outputs);
  } else {
    call_controller(layout, work, e, t, places + PLACE_NUMBERS * (n + m), x.view(), rate.view(), outputs);
  }
  bool finite = true;
  const Index first = layout.element(e, STATE_AT), nz = layout.element(e, STATES);
  for (Index k = 0; k < m; ++k) finite = finite && std::isfinite(outputs[k]);
  for (Index k = 0; k < nz; ++k) finite = finite && std::isfinite(work.law_rate[first + k]);
  if (!finite) {
    work.bad_time = t;
    work.bad_element = e;
    work.bad_deformation = work.signal[Index(p[CONTROL_SIGNAL])];
    work.bad_rate = 0.0;
  }
  Real power = 0.0;
  for (Index k = 0; k < m; ++k) {
    const Place place(places + PLACE_NUMBERS * (n + k));
    if (place.kind == OF_INPUT) continue;
    const Measured<Real> now = measured(layout, work, place);
    const Reals<Real> acted = work.acted[Index(p[CONTROL_SIGNAL]) + n + k];
    acted[0] = now.value, acted[1] = now.rate;
    act(layout, work, place, now, outputs[k]);
    power += outputs[k] * now.rate;
  }
  work.element_power(e, ELEMENT_STORED) = work.element_power(e, ELEMENT_DISSIPATED) = 0.0;
  work.element_power(e, ELEMENT_INPUT) = power;
}

template <class Real>
void evaluate_controllers(const Layout& layout, Work<Real>& work, double t) {
  for (Index e = 0; e < layout.element.shape[0]; ++e)
    if (layout.element(e, GEOMETRY) == CONTROL) evaluate_controller(layout, work, e, t);
}

template <class Real>
Real mean_input(const Layout& layout, const Work<Real>& work, Index e, Reals<Real> signal, Array<Real, 2, 2> acted,
                double h) {
  const double* p = law_numbers(layout, e);
  const Index first = Index(p[CONTROL_SIGNAL]) + Index(p[CONTROL_INPUTS]);
  Real power = 0.0;
  for (Index k = first; k < first + Index(p[CONTROL_OUTPUTS]); ++k) {
    const Real way = work.acted(k, 0) - acted(k, 0), rate = 0.5 * (work.acted(k, 1) + acted(k, 1));
    power += 0.5 * (work.signal[k] + signal[k]) * (std::isfinite(way) ? way / h : rate);
  }
  return power;
}

template double mean_input<double>(const Layout&, const Work<double>&, Index, Reals<double>, Array<double, 2, 2>,
                                   double);
template void evaluate_controllers<double>(const Layout&, Work<double>&, double);

}  // namespace flexbody

using namespace flexbody;

// A PID controller; p = (kp, ki, kd, filter time, lower and upper limit, tracking time), z = the integral's part of
// the output where ki is not zero, then the filtered error where the filter time is not zero.
//
// y = kp e + z_1 + kd e. (filtered: kd (e - z_2) / T, z_2. = (e - z_2) / T), within its limits;
// z_1. = ki e + (limited y - y) / tracking time: K. J. Astrom, T. Hagglund, Advanced PID Control (2006) 3.5.
FLEXBODY_LAW(pid) {
  Index at = 0;
  const Index integral = p[1] != 0.0 ? at++ : -1, filter = p[3] > 0.0 && p[2] != 0.0 ? at++ : -1;
  double y = p[0] * x[0];
  if (integral >= 0) y += z[integral];
  if (filter >= 0) {
    const double slope = (x[0] - z[filter]) / p[3];
    y += p[2] * slope;
    out[1 + filter] = slope;
  } else if (p[2] != 0.0) {
    y += p[2] * rate[0];
  }
  const double limited = y > p[5] ? p[5] : y < p[4] ? p[4] : y;
  if (integral >= 0) out[1 + integral] = p[1] * x[0] + (p[6] > 0.0 ? (limited - y) / p[6] : 0.0);
  out[0] = limited;
  out[1 + at] = out[2 + at] = out[3 + at] = 0.0;
}

// A linear controller; p = (n inputs, m outputs, k states, A, B, C, D by rows): z. = A z + B e, y = C z + D e.
FLEXBODY_LAW(linear_control) {
  const Index n = Index(p[0]), m = Index(p[1]), k = Index(p[2]);
  const double *A = p + 3, *B = A + k * k, *C = B + k * n, *D = C + m * k;
  for (Index i = 0; i < m; ++i) {
    out[i] = 0.0;
    for (Index j = 0; j < k; ++j) out[i] += C[i * k + j] * z[j];
    for (Index j = 0; j < n; ++j) out[i] += D[i * n + j] * x[j];
  }
  for (Index i = 0; i < k; ++i) {
    out[m + i] = 0.0;
    for (Index j = 0; j < k; ++j) out[m + i] += A[i * k + j] * z[j];
    for (Index j = 0; j < n; ++j) out[m + i] += B[i * n + j] * x[j];
  }
  out[m + k] = out[m + k + 1] = out[m + k + 2] = 0.0;
}

// The law of a controller that measures the deformation of its own element, and its rate; p = (1 for linear_control,
// 0 for pid; n inputs, k states, whether each input is the rate, the targets, then the numbers of that law).
//
// F = -y, and the power of y is put in.
FLEXBODY_LAW(collocated) {
  const Index n = Index(p[1]), k = Index(p[2]);
  Buffer<double> e(n), slope(n);
  for (Index i = 0; i < n; ++i) {
    const bool of_rate = p[3 + i] != 0.0;
    e[i] = (i == 0 ? u[0] : p[3 + n + i]) - (of_rate ? rate[0] : x[0]);
    slope[i] = of_rate ? NaN : (i == 0 ? u[1] : 0.0) - rate[0];
  }
  const auto law = p[0] != 0.0 ? flexbody_law_linear_control : flexbody_law_pid;
  law(t, u, &e[0], &slope[0], z, p + 3 + 2 * n, out);
  out[k + 3] = out[0] * rate[0];
  out[0] = -out[0];
}

// The law of a controller that is held; it is not called.
FLEXBODY_LAW(held) {
  out[0] = out[1] = out[2] = out[3] = 0.0;
}
