#include "common.cuh"

// vector_add: out[i] = a[i] + b[i]; one thread an element.
extern "C" __global__ void vector_add(float* out, const float* a, const float* b, int count) {
  const int i = globalX();
  if (i < count) out[i] = a[i] + b[i];
}
