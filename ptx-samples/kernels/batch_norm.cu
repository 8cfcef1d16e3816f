#include "common.cuh"

// batch_norm is inference's batch normalisation (Ioffe and Szegedy 2015, algorithm 2, line 11),
// followed by the activation: gamma * (x - mean) / sqrt(variance + epsilon) + beta; out may be in.
// One thread an element: x runs over the plane, blockY is the channel.
extern "C" __global__ void batch_norm(float* out, const float* in, const float* __restrict__ gamma,
                                      const float* __restrict__ beta, const float* __restrict__ mean,
                                      const float* __restrict__ variance, float epsilon, int area, int activation) {
  const int i = globalX();
  const int channel = blockY();
  if (i >= area) return;
  const float scale = gamma[channel] / squareRoot(variance[channel] + epsilon);
  const float x = in[channel * area + i] - mean[channel];
  out[channel * area + i] = activate(scale * x + beta[channel], activation);
}
