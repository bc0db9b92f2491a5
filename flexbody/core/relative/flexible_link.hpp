// Flexible bodies in a tree: how their deformation moves the frames of hinges, and their inertia at the outer frame.
#pragma once
#include "../data/layout.hpp"
#include "link.hpp"

namespace flexbody {

// A frame in motion.
template <class Real>
struct MovingFrame {
  Matrix<Real> R;
  Vector<Real> r;
  Twist<Real> twist, bias;
};

// Frame f on a flexible body, with the bias acceleration of its body (Tree.vdot); leaves it in Work too.
template <class Real>
MovingFrame<Real> bent_frame(const Layout& layout, Work<Real>& work, const Tree<Real>& tree, Index f,
                             Reals<Real> alpha);

// Tree.carried of hinge k, whose outer frame lies at `arm` from the inner one.
template <class Real>
void carry_modes(const Layout& layout, const Work<Real>& work, const Tree<Real>& tree, Index k,
                 const Vector<Real>& arm);

// Motion of the flexible body of hinge k from that of its outer frame, its inertia and its residual: Tree.c, v, vdot,
// held, modal_column, modal_inertia, modal_load, and Link.M and load; modal velocities (na,) and their rates, zero by
// default.
template <class Real>
void move_flexible(const Layout& layout, Work<Real>& work, Tree<Real>& tree, Index k, Reals<Real> alpha,
                   Reals<Real> modal, const Reals<Real>* modal_rates);

}  // namespace flexbody
