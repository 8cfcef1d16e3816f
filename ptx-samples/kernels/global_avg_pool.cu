#include "common.cuh"

// global_avg_pool: out[channel] is the mean of the channel's plane. A block is one warp
// wide; each of its warps takes a channel and adds its lanes' sums by shuffles.
extern "C" __global__ void global_avg_pool(float* __restrict__ out, const float* __restrict__ in, int channels,
                                           int area) {
  const int channel = globalY();
  if (channel >= channels) return;
  float sum = 0.0f;
  for (int i = threadX(); i < area; i += 32) sum += in[channel * area + i];
  for (int delta = 16; delta > 0; delta /= 2) sum += shuffleDown(sum, delta);
  if (threadX() == 0) out[channel] = sum / float(area);
}
