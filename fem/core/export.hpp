// Functions that Python calls: plain C, no exceptions across the border.
#pragma once

#if defined(_WIN32)
#define FLEXBODY_EXPORT extern "C" __declspec(dllexport)
#else
#define FLEXBODY_EXPORT extern "C" __attribute__((visibility("default")))
#endif
