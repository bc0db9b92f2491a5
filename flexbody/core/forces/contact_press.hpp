// Forces of contact at points, added to the loads of frames: for elements without deformations.
#pragma once
#include "../data/work.hpp"
#include "bristles.hpp"
#include "contact_law.hpp"

namespace flexbody {

// The bristle of friction that sticks at a point: its bending, the rate of this, and what an implicit step knows of
// it. None where friction does not stick, or the pair has not touched before.
template <class Real>
struct Bristle {
  Real *zeta = nullptr, *rate = nullptr;
  const Real* known = nullptr;
};

// The law of an element, and the energy, power and depth of its points so far.
template <class Real>
struct Pressing {
  Work<Real>& work;
  const double* friction;
  Hardness law;
  Real stored = 0.0, dissipated = 0.0, depth = 0.0;

  // hardness: stiffness, exponent and dissipation; friction: its five numbers, from MU on, then presliding
  Pressing(Work<Real>& work, const double* hardness, const double* friction)
      : work(work), friction(friction), law{hardness[0], hardness[1], hardness[2]} {}

  void put_powers(Index e) {
    work.element_power(e, ELEMENT_STORED) = stored;
    work.element_power(e, ELEMENT_DISSIPATED) = dissipated;
    work.element_power(e, ELEMENT_INPUT) = 0.0;
    work.depth(e, DEPTH_NOW) = depth;
  }
};

// Bristle k of those whose states begin at `at`, `width` for each, of which the bending begins at `offset`.
template <class Real>
Bristle<Real> bristle_at(Work<Real>& work, Index at, Index k, Index width, Index offset) {
  const Index i = at + k * width + offset;
  return {&work.law_state[i], &work.law_rate[i], &work.law_known[i]};
}

// A bristle as the equation of the states says, see Work.law_mode, with its rate: bent by the slip, or straightening.
template <class Real>
Vector<Real> bend(const Pressing<Real>& pressing, const Bristle<Real>& bristle, bool touches,
                  const Vector<Real>& slip) {
  const double *friction = pressing.friction, presliding = friction[PRESLIDING];
  const auto three = [](const Real* a) { return Vector<Real>{a[0], a[1], a[2]}; };
  Vector<Real> zeta = three(bristle.zeta);
  if (pressing.work.law_mode == STEPPED)
    zeta = stepped_bristle(friction, presliding, touches, three(bristle.known), pressing.work.law_kappa, slip);
  const Vector<Real> rate = bristle_rate(friction, presliding, touches, zeta, slip);
  for (Index k = 0; k < BRISTLES; ++k) bristle.zeta[k] = zeta[k], bristle.rate[k] = rate[k];
  return zeta;
}

// Let a bristle straighten: it does where nothing else is found.
template <class Real>
void straighten(const Pressing<Real>& pressing, const Bristle<Real>& bristle) {
  bend(pressing, bristle, false, {0.0, 0.0, 0.0});
}

// Add a load with the sign of the residual on frame f: a force at the point C, and a moment.
template <class Real>
void add_to_frame(Work<Real>& work, Index f, const Vector<Real>& force, const Vector<Real>& C,
                  const Vector<Real>& moment = {0.0, 0.0, 0.0}) {
  const Reals<Real> load = work.frame_load[f];
  put(load, 0, vector_of(load, 0) - force);
  put(load, 3, vector_of(load, 3) - cross(C - vector_of(work.frame_r, f), force) - moment);
}

// The velocity of frame j at the point C, seen from frame i there.
template <class Real>
Vector<Real> velocity_beside(const Work<Real>& work, Index i, Index j, const Vector<Real>& C) {
  return vector_of(work.frame_v, j) + cross(vector_of(work.frame_w, j), C - vector_of(work.frame_r, j)) -
         vector_of(work.frame_v, i) - cross(vector_of(work.frame_w, i), C - vector_of(work.frame_r, i));
}

// The force on what moves with the velocity v beside a surface of normal n, for a share of the law's stiffness.
template <class Real>
Vector<Real> force_at_point(Pressing<Real>& pressing, Real gap, const Vector<Real>& n, const Vector<Real>& v,
                            const Bristle<Real>& bristle, Real share = 1.0) {
  const Real rate = dot(n, v);
  Hardness law = pressing.law;
  law.stiffness *= share;
  const Pressed now = pressed(law, gap, rate);
  Vector<Real> force = now.normal * n;
  pressing.depth = larger(pressing.depth, Real(now.depth));
  pressing.stored += now.elastic * now.depth / (law.exponent + 1.0);
  pressing.dissipated += (now.elastic - now.normal) * rate;
  if (pressing.friction[MU_STATIC] > 0.0 && now.normal > 0.0) {
    const Vector<Real> slip = v - rate * n;
    if (bristle.zeta) {
      const Vector<Real> zeta = bend(pressing, bristle, true, slip);
      // what rolls turns the surface beside its bristle: only the bending along the surface is friction
      const Vector<Real> drag = now.normal * friction_of_bristle(pressing.friction, zeta - dot(n, zeta) * n, slip);
      pressing.dissipated += dot(drag, slip);
      return force - drag;
    }
    const Real size = std::sqrt(dot(slip, slip)), drag = now.normal * friction_over_slip(pressing.friction, size);
    force -= drag * slip;
    pressing.dissipated += drag * size * size;
  }
  return force;
}

// The same from frame i to frame j at the point C, as loads of both.
template <class Real>
void press(Pressing<Real>& pressing, Index i, Index j, Real gap, const Vector<Real>& n, const Vector<Real>& C,
           const Bristle<Real>& bristle) {
  Work<Real>& work = pressing.work;
  const Vector<Real> force = force_at_point(pressing, gap, n, velocity_beside(work, i, j, C), bristle);
  add_to_frame(work, j, force, C);
  add_to_frame(work, i, -force, C);
}

}  // namespace flexbody
