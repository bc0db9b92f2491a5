// Rotations for calls from Python, see rotation.hpp.
#include "rotation.hpp"

#include "../../../fem/core/export.hpp"

namespace flexbody {

// Q (3, 3) of the Euler parameters q (4,).
FLEXBODY_EXPORT void flexbody_matrix_of_euler(double* q, double* Q) {
  put(Array<double, 3>{Q, {1, 3, 3}}, 0, matrix_of_euler(Reals<double>{q, {4}}));
}

// out (n, 4) = q (n, 4) turned by the rotation vectors theta (n, 3).
FLEXBODY_EXPORT void flexbody_turned_euler(Index n, double* q, double* theta, double* out) {
  for (; n > 0; --n, q += 4, theta += 3, out += 4)
    turned_euler(Reals<double>{q, {4}}, Vector<double>{theta[0], theta[1], theta[2]}, Reals<double>{out, {4}});
}

}  // namespace flexbody
