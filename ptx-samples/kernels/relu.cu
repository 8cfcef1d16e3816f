#include "common.cuh"

// relu: out[i] = max(in[i], 0); one thread an element; out may be in.
extern "C" __global__ void relu(float* out, const float* in, int count) {
  const int i = globalX();
  if (i < count) out[i] = larger(in[i], 0.0f);
}
