// Trees of rigid bodies on revolutes in pinocchio, its algorithms called many times; for relative_speed.py.
#include <ctime>
#include <memory>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <string>

using namespace pinocchio;

struct Chain {
  Model model;
  std::unique_ptr<Data> data;
};

static double cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

// n bodies: parent (n,), placement (n, 12) of each joint in its parent (axes row by row, origin), axis (n, 3), mass
// (n,), center (n, 3), inertia (n, 9) about the center.
extern "C" Chain* make_chain(int n, int aligned, const int* parent, const double* placement, const double* axis,
                             const double* mass, const double* center, const double* inertia) {
  Chain* chain = new Chain;
  for (int k = 0; k < n; ++k) {
    const double* P = placement + 12 * k;
    Eigen::Matrix3d R = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>(P);
    const SE3 at(R, Eigen::Vector3d(P[9], P[10], P[11]));
    const Eigen::Vector3d e(axis[3 * k], axis[3 * k + 1], axis[3 * k + 2]);
    const std::string name = "j" + std::to_string(k);
    const JointIndex from = parent[k] < 0 ? 0 : parent[k] + 1;
    const JointIndex j = aligned ? chain->model.addJoint(from, JointModelRY(), at, name)
                                 : chain->model.addJoint(from, JointModelRevoluteUnaligned(e), at, name);
    const Eigen::Matrix3d J = Eigen::Map<const Eigen::Matrix3d>(inertia + 9 * k);
    chain->model.appendBodyToJoint(
        j, Inertia(mass[k], Eigen::Vector3d(center[3 * k], center[3 * k + 1], center[3 * k + 2]), J));
  }
  chain->data.reset(new Data(chain->model));
  return chain;
}

// CPU seconds of `count` calls; what: 0 ABA in local, 1 in world coordinates, 2 RNEA; x, out (n,) accelerations or
// torques.
extern "C" double run_chain(Chain* chain, int what, int count, const double* q, const double* v, const double* x,
                            double* out) {
  const int n = chain->model.nv;
  const Eigen::VectorXd Q = Eigen::Map<const Eigen::VectorXd>(q, n), V = Eigen::Map<const Eigen::VectorXd>(v, n),
                        X = Eigen::Map<const Eigen::VectorXd>(x, n);
  Data& data = *chain->data;
  const double start = cpu();
  for (int i = 0; i < count; ++i) {
    if (what == 0) aba(chain->model, data, Q, V, X, Convention::LOCAL);
    if (what == 1) aba(chain->model, data, Q, V, X, Convention::WORLD);
    if (what == 2) rnea(chain->model, data, Q, V, X);
  }
  const double taken = cpu() - start;
  Eigen::Map<Eigen::VectorXd>(out, n) = what == 2 ? data.tau : data.ddq;
  return taken;
}
