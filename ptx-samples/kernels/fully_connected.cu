#include "common.cuh"

// fully_connected: out = act(weights in + bias), weights outputs x inputs. A block is one
// warp wide; each of its warps takes an output, its lanes stride over the inputs and add
// their sums by shuffles.
extern "C" __global__ void fully_connected(float* __restrict__ out, const float* __restrict__ in,
                                           const float* __restrict__ weights, const float* __restrict__ bias,
                                           int inputs, int outputs, int activation) {
  const int output = globalY();
  if (output >= outputs) return;
  const float* row = weights + output * inputs;
  float sum = 0.0f;
  for (int i = threadX(); i < inputs; i += 32) sum += row[i] * in[i];
  for (int delta = 16; delta > 0; delta /= 2) sum += shuffleDown(sum, delta);
  if (threadX() == 0) out[output] = activate(sum + bias[output], activation);
}
