#include "common.cuh"

// bias_act adds a channel's bias and activates, in place. bias may be null.
// One thread an element: x runs over the plane, blockY is the channel.
extern "C" __global__ void bias_act(float* data, const float* __restrict__ bias, int area, int activation) {
  const int i = globalX();
  const int channel = blockY();
  if (i >= area) return;
  float* element = data + channel * area + i;
  const float b = bias ? bias[channel] : 0.0f;
  *element = activate(*element + b, activation);
}
