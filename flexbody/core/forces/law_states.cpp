// Coefficients of the generalized-alpha method for equations of first order, for Python; see law_states.hpp.
#include "law_states.hpp"

#include "../../../fem/core/export.hpp"

using namespace flexbody;

// out (3,) = delta_m, delta_f, theta.
FLEXBODY_EXPORT void flexbody_first_order(double alpha_f, double* out) {
  const auto [delta_m, delta_f, theta] = first_order(alpha_f);
  out[0] = delta_m, out[1] = delta_f, out[2] = theta;
}
