#include "common.cuh"

// scale_channels multiplies each channel by a factor (the excitation of Hu et al. 2018).
// One thread an element: x runs over the plane, blockY is the channel.
extern "C" __global__ void scale_channels(float* __restrict__ out, const float* __restrict__ in,
                                          const float* __restrict__ factors, int area) {
  const int i = globalX();
  const int channel = blockY();
  if (i < area) out[channel * area + i] = in[channel * area + i] * factors[channel];
}
