#include "common.cuh"

// local_response_norm divides each element by a power of its neighbours' squares, the
// neighbours being `window` channels around its own (Krizhevsky et al. 2012, section 3.3):
// out = in / (k + alpha * sum of squares)^power.
// One thread an element: x runs over the plane, blockY is the channel.
extern "C" __global__ void local_response_norm(float* __restrict__ out, const float* __restrict__ in, int channels,
                                               int area, int window, float k, float alpha, float power) {
  const int i = globalX();
  const int channel = blockY();
  if (i >= area) return;
  const int first = larger(0, channel - window / 2);
  const int last = smaller(channels - 1, channel + window / 2);
  float sum = 0.0f;
  for (int c = first; c <= last; c++) {
    const float x = in[c * area + i];
    sum += x * x;
  }
  const float scale = exp2Approx(-power * log2Approx(k + alpha * sum));
  out[channel * area + i] = in[channel * area + i] * scale;
}
