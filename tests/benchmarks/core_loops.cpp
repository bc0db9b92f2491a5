// Functions of the compiled core called many times, so that no call from Python is measured; for relative_speed.py.
#include <cstdint>
#include <ctime>

static double cpu() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return t.tv_sec + 1e-9 * t.tv_nsec;
}

using Rates = std::int64_t (*)(void*, void*, void*, double, double*, double*, double*, std::int64_t);
using Forces = void (*)(void*, void*, void*, double, double*, double*, std::int64_t, double*);

// CPU seconds of `count` calls of flexbody_rates, of the equations of motion alone.
extern "C" double run_rates(Rates rates, int count, void* layout, void* work, void* state, double* y, double* out,
                            double* multipliers) {
  const double start = cpu();
  for (int i = 0; i < count; ++i) rates(layout, work, state, 0.0, y, out, multipliers, 0);
  return cpu() - start;
}

// CPU seconds of `count` calls of flexbody_tree_forces, without loads and force elements.
extern "C" double run_forces(Forces forces, int count, void* layout, void* work, void* tree, double* y, double* rates,
                             double* out) {
  const double start = cpu();
  for (int i = 0; i < count; ++i) forces(layout, work, tree, 0.0, y, rates, 0, out);
  return cpu() - start;
}
