// Controllers: elements that measure anywhere in the machine, and act anywhere.
//
// A controller has inputs, each the error `target - measured` of a place with its rate, and outputs, each the load at
// a place (positive where it increases what is measured there) or the input of another element. Its law is a C
// function as those of force elements (law.hpp): x = the errors, rate = their rates, out = the outputs, the rates of
// the states and three numbers without meaning. The outputs of a controller that is held are its states from the
// second on.
//
// Places, by their numbers of Layout.element_value:
//
// * OF_COORDINATE  a joint coordinate
// * OF_LINE        the distance between two frames
// * OF_POINT       `d . n` of the vector d from the first frame to the second one, n the z axis of the first
// * OF_TURN        `w . n` of the angular velocity of the second frame relative to the first, or a moment about n
// * OF_INPUT       the input of another element, which has the number of the output
#pragma once
#include "../data/layout.hpp"
#include "../data/work.hpp"

namespace flexbody {

// Work.signal = what controllers measure and their outputs, their states' rates and powers, and the loads of their
// outputs, which are added to Work.frame_load with the sign of the residual; needs `evaluate_elements`.
template <class Real>
void evaluate_controllers(const Layout& layout, Work<Real>& work, double t);

// The mean power (W) that controller e puts in during a step of size h, at whose beginning Work.signal and Work.acted
// were `signal` and `acted`.
template <class Real>
Real mean_input(const Layout& layout, const Work<Real>& work, Index e, Reals<Real> signal, Array<Real, 2, 2> acted,
                double h);

}  // namespace flexbody
