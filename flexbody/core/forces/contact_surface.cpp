// Surfaces of bodies in contact: see contact_surface.hpp.
#include "contact_surface.hpp"

#include "contact_distance.hpp"
#include "contact_press.hpp"
#include "force_elements.hpp"

namespace flexbody {

namespace {

// The numbers of a surface, see SurfaceNumber, and its frames.
struct Surface {
  const double* p;
  Index first, other;
  bool rigid;

  Surface(const Layout& layout, Index e)
      : p(law_numbers(layout, e)),
        first(layout.element(e, FIRST)),
        other(layout.element(e, SECOND)),
        rigid(layout.element(e, COUNT) > 0) {}

  Index points() const { return Index(p[SURFACE_POINTS]); }
  Index leaves() const { return Index(p[SURFACE_LEAVES]); }
  Index frame_of(Index i) const { return rigid ? first : first + i; }
  // end of its points, centre and radius
  const double* leaf(Index l) const { return p + SURFACE_LEAF + 5 * l; }
  // area vector and place
  const double* area(Index i) const { return leaf(leaves()) + 6 * i; }
  const double* place(Index i) const { return area(i) + 3; }
};

// A point that touches: its number and frame, its place and where it presses, gap and normal, and the area that is
// pressed, with the derivatives of this by a rotation and by a motion of the point.
template <class Real>
struct Touch {
  Index number, frame;
  Vector<Real> place, at;
  Real gap;
  Vector<Real> normal;
  Real area;
  Vector<Real> by_rotation, by_place;
};

}  // namespace

// Place of a point of a body: the frame's, and what a rigid body adds.
template <class Real>
static Vector<Real> carried(const Work<Real>& work, Index f, const double* offset) {
  const Vector<Real> x{offset[0], offset[1], offset[2]};
  return plus_product(vector_of(work.frame_r, f), matrix_of(work.frame_R, f), x);
}

// Call `use` for each of the points i = from .. to - 1 that touches.
template <class Real, class Use>
static void for_touching(const Work<Real>& work, const Surface& surface, const Placed<Real>& host, Index from,
                         Index to, const Use& use) {
  for (Index i = from; i < to; ++i) {
    const Index f = surface.frame_of(i);
    const Vector<Real> at = carried(work, f, surface.place(i));
    const Distance<Real> gap = distance_to(host, at);
    if (!(gap.value < 0.0)) continue;
    const double* S = surface.area(i);
    const Vector<Real> area = matrix_of(work.frame_R, f) * Vector<Real>{S[0], S[1], S[2]};
    const Vector<Real>& n = gap.normal;
    const double sign = dot(area, n) < 0.0 ? -1.0 : 1.0;
    use(Touch<Real>{i, f, at, at - (0.5 * gap.value) * n, gap.value, n, sign * dot(area, n), sign * cross(area, n),
                    sign * normal_slope(host, gap, area)});
  }
}

// The same for all points.
template <class Real, class Use>
static void for_touching(const Work<Real>& work, const Surface& surface, const Use& use) {
  const Placed<Real> host = placed(work, surface.other, surface.p + SURFACE_SHAPE);
  if (!surface.rigid) for_touching(work, surface, host, 0, surface.points(), use);
  for (Index l = 0, from = 0; l < surface.leaves(); ++l) {
    const double* leaf = surface.leaf(l);
    const Index to = Index(leaf[0]);
    const Vector<Real> centre = carried(work, surface.first, leaf + 1);
    if (distance_to(host, centre).value < leaf[4]) for_touching(work, surface, host, from, to, use);
    from = to;
  }
}

template <class Real>
void evaluate_surface(const Layout& layout, Work<Real>& work, Index e) {
  const Index i = layout.element(e, FIRST), j = layout.element(e, SECOND), at = layout.element(e, AT);
  const Vector<Real> none{0.0, 0.0, 0.0}, arm = vector_of(work.frame_r, i) - vector_of(work.frame_r, j);
  const Vector<Real> v = velocity_beside(work, i, j, vector_of(work.frame_r, i));
  const Vector<Real> w = vector_of(work.frame_w, j) - vector_of(work.frame_w, i);
  for (Index k = 0; k < 3; ++k) {
    const Vector<Real> axis{Real(k == 0), Real(k == 1), Real(k == 2)};
    const auto along = work.deformation_slope[at + k], about = work.deformation_slope[at + 3 + k];
    put(along, 0, -axis), put(along, 1, none), put(along, 2, axis), put(along, 3, cross(arm, axis));
    put(about, 0, none), put(about, 1, -axis), put(about, 2, none), put(about, 3, axis);
    work.deformation[at + k] = work.deformation[at + 3 + k] = 0.0;
    work.deformation_rate[at + k] = v[k];
    work.deformation_rate[at + 3 + k] = w[k];
  }
}

template <class Real>
void press_surface(const Layout& layout, Work<Real>& work, Index e) {
  const Surface surface(layout, e);
  Pressing<Real> pressing(work, surface.p + SURFACE_HARDNESS, surface.p + SURFACE_FRICTION);
  const Vector<Real> origin = vector_of(work.frame_r, surface.first);
  const Index states = layout.element(e, STATE_AT);
  const bool sticks = layout.element(e, STATES) > 0;
  for (Index i = 0; sticks && i < surface.points(); ++i)
    straighten(pressing, bristle_at(work, states, i, BRISTLES, 0));
  Vector<Real> force{0.0, 0.0, 0.0}, moment{0.0, 0.0, 0.0};
  for_touching(work, surface, [&](const Touch<Real>& now) {
    const Vector<Real> v = velocity_beside(work, surface.other, now.frame, now.at);
    const Bristle<Real> bristle = sticks ? bristle_at(work, states, now.number, BRISTLES, 0) : Bristle<Real>{};
    const Vector<Real> one = force_at_point(pressing, now.gap, now.normal, v, bristle, now.area);
    // the energy of a unit of area, times the change of the area
    const double energy = pressed_energy(pressing.law, now.gap);
    const Vector<Real> beside = -energy * now.by_place, turning = -energy * now.by_rotation;
    if (surface.rigid) {
      force += one + beside;
      moment += cross(now.at - origin, one) + cross(now.place - origin, beside) + turning;
    } else {
      add_to_frame(work, now.frame, one, now.at);
      add_to_frame(work, now.frame, beside, now.place, turning);
      add_to_frame(work, surface.other, -one, now.at);
      add_to_frame(work, surface.other, -beside, now.place, -turning);
    }
  });
  if (!std::isfinite(origin.x + origin.y + origin.z)) pressing.stored = NaN, force.x = NaN;
  pressing.put_powers(e);
  const Index at = layout.element(e, AT);
  for (Index k = 0; k < layout.element(e, COUNT); ++k) work.element_force[at + k] = k < 3 ? force[k] : moment[k - 3];
}

// Add weight J' P J to K, for the motion u = dx + dtheta x arm at a point: J u.
template <class Real>
static void add_stiffness(Array<Real, 2> K, const Matrix<Real>& P, const Vector<Real>& arm, double weight) {
  Vector<Real> u[6], f[6];
  for (Index k = 0; k < 3; ++k) {
    u[k] = {Real(k == 0), Real(k == 1), Real(k == 2)};
    u[3 + k] = cross(u[k], arm);
  }
  for (Index k = 0; k < 6; ++k) f[k] = P * u[k];
  for (Index k = 0; k < 6; ++k)
    for (Index l = 0; l < 6; ++l) K(k, l) += weight * dot(u[k], f[l]);
}

// The derivative (3, 3) of the friction at a point by its velocity, with a bristle as a step bends it, by central
// differences.
template <class Real>
static Matrix<Real> bristle_slope(const Work<Real>& work, const double* friction, Index state, Real normal,
                                  const Vector<Real>& n, const Vector<Real>& slip) {
  const bool stepped = work.law_mode == STEPPED;
  const Real* z = (stepped ? work.law_known : work.law_state).data + state;
  const Vector<Real> known{z[0], z[1], z[2]};
  const auto drag = [&](const Vector<Real>& s) {
    const double kappa = stepped ? work.law_kappa : 0.0;
    return friction_of_bristle(friction, stepped_bristle(friction, friction[PRESLIDING], true, known, kappa, s), s);
  };
  const Real h = 1e-5 * (friction[REGULARISATION_VELOCITY] + std::sqrt(dot(slip, slip)));
  Matrix<Real> out;
  for (Index l = 0; l < 3; ++l) {
    Vector<Real> step = (-h * n[l]) * n;  // no slip along the normal n
    step[l] += h;
    const Vector<Real> change = (0.5 * normal / h) * (drag(slip + step) - drag(slip - step));
    for (Index k = 0; k < 3; ++k) out(k, l) = change[k];
  }
  return out;
}

template <class Real>
void surface_stiffness(const Layout& layout, Work<Real>& work, Index e, double damping, double stiffness,
                       Array<Real, 2> K) {
  const Surface surface(layout, e);
  const double *hardness = surface.p + SURFACE_HARDNESS, *friction = surface.p + SURFACE_FRICTION;
  const Index states = layout.element(e, STATE_AT);
  const bool sticks = layout.element(e, STATES) > 0;
  K.fill(0.0);
  for_touching(work, surface, [&](const Touch<Real>& now) {
    const Hardness law{hardness[0] * now.area, hardness[1], hardness[2]};
    const Vector<Real> v = velocity_beside(work, surface.other, now.frame, now.at), &n = now.normal;
    const Real rate = dot(n, v);
    const Vector<Real> slip = v - rate * n;
    const Real size = std::sqrt(dot(slip, slip)), inverse = size > 0.0 ? 1.0 / size : 0.0;
    const Pressed force = pressed(law, now.gap, rate);
    const PressedSlope slope = slope_of(law, friction, force, size);
    Matrix<Real> by_x, by_rate, by_slip;
    if (sticks) by_slip = bristle_slope(work, friction, states + BRISTLES * now.number, force.normal, n, slip);
    for (Index k = 0; k < 3; ++k)
      for (Index l = 0; l < 3; ++l) {
        const Real normal = n[k] * n[l], along = inverse * slip[k] * (inverse * slip[l]);
        by_x(k, l) = slope.by_depth * normal;
        const Real held = slope.across * (Real(k == l) - normal - along) + slope.along * along;
        by_rate(k, l) = slope.by_rate * normal + (sticks ? by_slip(k, l) : held);
      }
    const Vector<Real> arm = now.at - vector_of(work.frame_r, surface.first);
    add_stiffness(K, by_x, arm, stiffness);
    add_stiffness(K, by_rate, arm, damping);
  });
}

template <class Real>
Vector<Real> pressed_point(const Layout& layout, const Work<Real>& work, Index e) {
  const Surface surface(layout, e);
  const double* hardness = surface.p + SURFACE_HARDNESS;
  const Vector<Real> first = vector_of(work.frame_r, surface.first);
  Vector<Real> moved{0.0, 0.0, 0.0};
  Real total = 0.0;
  for_touching(work, surface, [&](const Touch<Real>& now) {
    const Real weight = now.area * power_of(-now.gap, hardness[1]);
    total += weight;
    moved += weight * (now.at - first);
  });
  return total > 0.0 ? first + (1.0 / total) * moved : first;
}

template <class Real>
bool surface_is_slow(const Layout& layout, const Work<Real>& work, Index e, double h) {
  const Surface surface(layout, e);
  const double depth = half_extent(surface.p + SURFACE_SHAPE);
  if (!(depth < INF)) return true;
  Real fastest = 0.0;
  for (Index i = 0; i < surface.points(); ++i) {
    const Index f = surface.frame_of(i);
    const Vector<Real> v = velocity_beside(work, surface.other, f, carried(work, f, surface.place(i)));
    fastest = larger(fastest, dot(v, v));
  }
  return std::sqrt(fastest) * h <= depth;
}

template void evaluate_surface<double>(const Layout&, Work<double>&, Index);
template void press_surface<double>(const Layout&, Work<double>&, Index);
template void surface_stiffness<double>(const Layout&, Work<double>&, Index, double, double, Array<double, 2>);
template Vector<double> pressed_point<double>(const Layout&, const Work<double>&, Index);
template bool surface_is_slow<double>(const Layout&, const Work<double>&, Index, double);

}  // namespace flexbody
