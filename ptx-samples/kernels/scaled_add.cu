#include "common.cuh"

// scaled_add: out[i] = act(a[i] + scale * b[i]); one thread an element; a may be null, and
// out may be a or b.
extern "C" __global__ void scaled_add(float* out, const float* a, const float* b, float scale, int count,
                                      int activation) {
  const int i = globalX();
  if (i < count) out[i] = activate((a ? a[i] : 0.0f) + scale * b[i], activation);
}
