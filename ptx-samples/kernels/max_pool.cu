#include "common.cuh"

// max_pool takes the maximum under a window; padding never wins. One thread an output
// element: x and y run over the output plane, blockZ is the channel.
extern "C" __global__ void max_pool(float* __restrict__ out, const float* __restrict__ in, int height, int width,
                                    int outHeight, int outWidth, int kernel, int stride, int pad) {
  const int x = globalX();
  const int y = globalY();
  const int channel = blockZ();
  if (x >= outWidth || y >= outHeight) return;

  const float* plane = in + channel * height * width;
  float maximum = -__builtin_huge_valf();
  for (int ky = 0; ky < kernel; ky++) {
    const int row = y * stride - pad + ky;
    if (row < 0 || row >= height) continue;
    for (int kx = 0; kx < kernel; kx++) {
      const int column = x * stride - pad + kx;
      if (column < 0 || column >= width) continue;
      maximum = larger(maximum, plane[row * width + column]);
    }
  }
  out[(channel * outHeight + y) * outWidth + x] = maximum;
}
