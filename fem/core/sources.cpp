// What the library was built from: the build gives hashes of the C++ files and of the Python files that call it.
#include "export.hpp"

#ifndef FLEXBODY_SOURCES
#define FLEXBODY_SOURCES "flexbody core: by hand"
#endif

FLEXBODY_EXPORT const char* fem_core_sources() {
  return FLEXBODY_SOURCES;
}
