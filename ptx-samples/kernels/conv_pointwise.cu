#include "common.cuh"

constexpr int FILTERS = 4;  // filters a thread computes

// conv_pointwise is the 1x1 convolution, with a stride for projections. One thread computes
// FILTERS filters of one output pixel: x runs over the output plane, blockY over groups of
// filters. Every lane of a warp reads the same weights. bias may be null.
extern "C" __global__ void conv_pointwise(float* __restrict__ out, const float* __restrict__ in,
                                          const float* __restrict__ weights, const float* __restrict__ bias,
                                          int channels, int height, int width, int filters, int outHeight, int outWidth,
                                          int stride, int activation) {
  const int pixel = globalX();
  const int outArea = outHeight * outWidth;
  const int firstFilter = blockY() * FILTERS;
  if (pixel >= outArea) return;

  const int row = pixel / outWidth * stride;
  const int column = pixel % outWidth * stride;
  const float* input = in + row * width + column;

  float sum[FILTERS] = {};
  for (int c = 0; c < channels; c++) {
    const float value = input[c * height * width];
#pragma unroll
    for (int f = 0; f < FILTERS; f++) {
      // A filter beyond the last repeats the last; its sum is not stored.
      const int filter = smaller(firstFilter + f, filters - 1);
      sum[f] += value * weights[filter * channels + c];
    }
  }
#pragma unroll
  for (int f = 0; f < FILTERS; f++) {
    const int filter = firstFilter + f;
    if (filter >= filters) return;
    const float b = bias ? bias[filter] : 0.0f;
    out[filter * outArea + pixel] = activate(sum[f] + b, activation);
  }
}
