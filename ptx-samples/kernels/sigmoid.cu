#include "common.cuh"

constexpr float LOG2_E = 1.44269504f;

// sigmoid: out[i] = 1 / (1 + exp(-in[i])), or that times in[i], which is swish
// (Ramachandran et al. 2017); one thread an element; out may be in.
extern "C" __global__ void sigmoid(float* out, const float* in, int count, int swish) {
  const int i = globalX();
  if (i >= count) return;
  const float x = in[i];
  out[i] = (swish ? x : 1.0f) / (1.0f + exp2Approx(-x * LOG2_E));
}
