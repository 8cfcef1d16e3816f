#include "common.cuh"

// residual_add: out[i] = act(a[i] + b[i]); one thread an element; out may be a or b.
extern "C" __global__ void residual_add(float* out, const float* a, const float* b, int count, int activation) {
  const int i = globalX();
  if (i < count) out[i] = activate(a[i] + b[i], activation);
}
