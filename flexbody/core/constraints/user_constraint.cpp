// Rows of users' own constraints, see user_constraint.hpp.
#include "user_constraint.hpp"

#include "../../../fem/core/export.hpp"
#include "../../../fem/core/vector.hpp"
#include "../data/kinds.hpp"
#include "../kinematics/path.hpp"
#include "../laws/law.hpp"
#include "../laws/tape.hpp"

namespace flexbody {

// Numbers that are kept without allocation: the inputs and a buffer for callbacks, and seeds.
constexpr int NUMBERS = 256, SEEDS = 2048;

// Column `axis` of a frame's R, whose first entry is x[at].
template <class Real>
static Vector<Real> axis_of(Reals<Real> x, Index at, Index axis) {
  return {x[at + axis], x[at + 3 + axis], x[at + 6 + axis]};
}

template <class Real>
static void put_axis(Reals<Real> x, Index at, Index axis, const Vector<Real>& e) {
  for (Index l = 0; l < 3; ++l) x[at + 3 * l + axis] = e[l];
}

template <class Real>
void seeds_of(Reals<Real> x, bool holonomic, Array<Real, 2> out) {
  out.fill(0.0);
  for (Index leg = 0; leg < x.size() / WIDTH; ++leg) {
    const Index at = 1 + WIDTH * leg, column = 6 * leg;
    for (Index k = 0; k < 3; ++k) {
      if (!holonomic) {
        out(at + 12 + k, column + k) = 1.0;
        out(at + 15 + k, column + 3 + k) = 1.0;
        continue;
      }
      out(at + k, column + k) = 1.0;
      Vector<Real> unit{0.0, 0.0, 0.0};
      unit[k] = 1.0;
      for (Index axis = 0; axis < 3; ++axis) {
        const Vector<Real> turned = cross(unit, axis_of(x, at + 3, axis));
        for (Index l = 0; l < 3; ++l) out(at + 3 + 3 * l + axis, column + 3 + k) = turned[l];
      }
    }
  }
  if (holonomic) out(0, out.shape[1] - 1) = 1.0;
}

template <class Real>
void path_of(Reals<Real> x, Array<Real, 3> biases, Reals<Real> first, Reals<Real> second) {
  first.fill(0.0);
  second.fill(0.0);
  first[0] = 1.0;
  for (Index leg = 0; leg < x.size() / WIDTH; ++leg) {
    const Index at = 1 + WIDTH * leg;
    const Vector<Real> v = vector_of(x, at + 12), w = vector_of(x, at + 15);
    const Vector<Real> a = vector_of(biases, leg, 0), b = vector_of(biases, leg, 1);
    put(first, at, v);
    put(second, at, a);
    put(first, at + 12, a);
    put(first, at + 15, b);
    for (Index axis = 0; axis < 3; ++axis) {
      const Vector<Real> e = axis_of(x, at + 3, axis);
      const Vector<Real> rate = cross(w, e);
      put_axis(first, at + 3, axis, rate);
      put_axis(second, at + 3, axis, cross(w, rate) + cross(b, e));
    }
  }
}

namespace {

// Where the parts of row k lie.
struct UserRow {
  Index first, legs;     // its legs
  Index inputs;          // number of inputs
  IndexRows tape;        // its operations
  Table constants;       // their constants
  Callback called_back;  // in place of a tape, null for none
};

}  // namespace

static UserRow row_of(const Layout& layout, Index k) {
  const Index first = layout.row_leg_at[k], legs = layout.row_leg_at[k + 1] - first;
  const Index start = layout.row_operation_at[k], count = layout.row_operation_at[k + 1] - start;
  return {first,
          legs,
          1 + WIDTH * legs,
          layout.operation.part(start, count),
          layout.operation_constant.part(start, count),
          reinterpret_cast<Callback>(layout.row_callback[k])};
}

// Fill the inputs x of a row, velocities zero unless `moving`.
template <class Real>
static void fill_inputs(const Layout& layout, const Work<Real>& work, const UserRow& row, double t, bool moving,
                        Reals<Real> x) {
  const Vector<Real> zero{0.0, 0.0, 0.0};
  x[0] = t;
  for (Index leg = 0; leg < row.legs; ++leg) {
    const Index f = layout.leg_frame[row.first + leg], at = 1 + WIDTH * leg;
    put(x, at, vector_of(work.frame_r, f));
    for (Index l = 0; l < 3; ++l)
      for (Index m = 0; m < 3; ++m) x[at + 3 + 3 * l + m] = work.frame_R(f, l, m);
    const Velocities<Real> material = moving ? material_velocity(layout, work, f) : Velocities<Real>{zero, zero};
    put(x, at + 12, material.v);
    put(x, at + 15, material.w);
  }
}

// biases (legs, 2, 3) of v and w of a row's frames.
template <class Real>
static void fill_biases(const Layout& layout, const Work<Real>& work, const UserRow& row, Array<Real, 3> biases) {
  for (Index leg = 0; leg < row.legs; ++leg) {
    const Index f = layout.leg_frame[row.first + leg];
    put(biases, leg, 0, vector_of(work.frame_a, f));
    put(biases, leg, 1, vector_of(work.frame_b, f));
  }
}

// Where a frame slides along a line: its place and axes move along too, and the velocity of the point of the body
// that is there changes with s; first (n,) as of `path_of`.
template <class Real>
static void follow_lines(const Layout& layout, const Work<Real>& work, const UserRow& row, Reals<Real> x,
                         Reals<Real> first) {
  for (Index leg = 0; leg < row.legs; ++leg) {
    const Index f = layout.leg_frame[row.first + leg], at = 1 + WIDTH * leg, p = layout.frame_path[f];
    if (p < 0) continue;
    const auto numbers = work.path[p];
    const Vector<Real> w = vector_of(work.frame_w, f);
    put(first, at, vector_of(work.frame_v, f));
    for (Index axis = 0; axis < 3; ++axis) put_axis(first, at + 3, axis, cross(w, axis_of(x, at + 3, axis)));
    put(first, at + 12, vector_of(numbers, PATH_BIAS) + vector_of(numbers, PATH_PASSING));
    put(first, at + 15, vector_of(numbers, PATH_BIAS + 3) + vector_of(numbers, PATH_PASSING + 3));
  }
}

// Numbers that a callback gets: what is asked for, inputs, biases. They are followed by what it gives: value,
// gradient.
static Index given_to_callback(const UserRow& row) {
  return 1 + row.inputs + BIASES * row.legs;
}

// Value of a row; slope (6 legs + 1,) = its gradient.
template <class Real>
static Real value_and_slope(const Layout& layout, const Work<Real>& work, const UserRow& row, bool holonomic,
                            double t, Reals<Real> slope) {
  if (row.called_back) {
    const Index end = given_to_callback(row);
    Buffer<Real, 1, NUMBERS> buffer(end + 1 + slope.size());  // [0] 0 asks for the gradient
    fill_inputs(layout, work, row, t, false, buffer.part(1, row.inputs));
    row.called_back(t, buffer.data);
    slope.copy(buffer.part(end + 1, slope.size()));
    return buffer[end];
  }
  Buffer<Real, 1, NUMBERS> x(row.inputs);
  Buffer<Real, 2, SEEDS> seeds(row.inputs, slope.size());
  fill_inputs(layout, work, row, t, false, x.view());
  seeds_of(x.view(), holonomic, seeds.view());
  return gradient(row.tape, row.constants, x.view(), seeds.view(), slope);
}

template <class Real>
RowValue<Real> user_row(const Layout& layout, Work<Real>& work, Index k, double t) {
  const UserRow row = row_of(layout, k);
  const bool holonomic = layout.row_kind[k] == HOLONOMIC;
  Buffer<Real> slope(6 * row.legs + 1);
  const Real value = value_and_slope(layout, work, row, holonomic, t, slope.view());
  for (Index leg = 0; leg < row.legs; ++leg) {
    put(work.leg_slope, row.first + leg, 0, vector_of(slope, 6 * leg));
    put(work.leg_slope, row.first + leg, 1, vector_of(slope, 6 * leg + 3));
  }
  if (holonomic) return {value, slope[6 * row.legs]};
  return {0.0, value};  // nothing is held but velocities
}

template <class Real>
Real user_bias(const Layout& layout, const Work<Real>& work, Index k, double t) {
  const UserRow row = row_of(layout, k);
  if (row.called_back) {
    const Index end = given_to_callback(row);
    Buffer<Real, 1, NUMBERS> buffer(end + 1 + 6 * row.legs + 1);
    buffer[0] = 1.0;
    fill_inputs(layout, work, row, t, true, buffer.part(1, row.inputs));
    fill_biases(layout, work, row, Array<Real, 3>{buffer.data + 1 + row.inputs, {row.legs, 2, 3}});
    row.called_back(t, buffer.data);
    return buffer[end];
  }
  Buffer<Real, 1, NUMBERS> x(row.inputs), first(row.inputs), second(row.inputs);
  Buffer<Real, 3> biases(row.legs, 2, 3);
  fill_inputs(layout, work, row, t, true, x.view());
  fill_biases(layout, work, row, biases.view());
  path_of(x.view(), biases.view(), first.view(), second.view());
  follow_lines(layout, work, row, x.view(), first.view());
  const Along<Real> found = along(row.tape, row.constants, x.view(), first.view(), second.view());
  return layout.row_kind[k] == HOLONOMIC ? found.e : found.d;
}

template void seeds_of<double>(Reals<double>, bool, Array<double, 2>);
template void path_of<double>(Reals<double>, Array<double, 3>, Reals<double>, Reals<double>);
template RowValue<double> user_row<double>(const Layout&, Work<double>&, Index, double);
template double user_bias<double>(const Layout&, const Work<double>&, Index, double);

}  // namespace flexbody

using namespace flexbody;

FLEXBODY_EXPORT void flexbody_seeds_of(double* x, Index inputs, Index holonomic, double* out, Index columns) {
  seeds_of<double>({x, {inputs}}, holonomic != 0, {out, {inputs, columns}});
}

FLEXBODY_EXPORT void flexbody_path_of(double* x, Index inputs, double* biases, double* first, double* second) {
  path_of<double>({x, {inputs}}, {biases, {inputs / WIDTH, 2, 3}}, {first, {inputs}}, {second, {inputs}});
}
