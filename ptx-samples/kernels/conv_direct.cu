#include "common.cuh"

// conv_direct is the convolution as it is defined: one thread an output element, and a test
// of the padding at every row and tap. x and y run over the output plane, blockZ is the filter.
// bias may be null.
extern "C" __global__ void conv_direct(float* __restrict__ out, const float* __restrict__ in,
                                       const float* __restrict__ weights, const float* __restrict__ bias, int channels,
                                       int height, int width, int outHeight, int outWidth, int kernel, int stride,
                                       int pad, int activation) {
  const int x = globalX();
  const int y = globalY();
  const int filter = blockZ();
  if (x >= outWidth || y >= outHeight) return;

  float sum = bias ? bias[filter] : 0.0f;
  for (int c = 0; c < channels; c++) {
    const float* plane = in + c * height * width;
    const float* taps = weights + (filter * channels + c) * kernel * kernel;
    for (int ky = 0; ky < kernel; ky++) {
      const int row = y * stride - pad + ky;
      if (row < 0 || row >= height) continue;
      for (int kx = 0; kx < kernel; kx++) {
        const int column = x * stride - pad + kx;
        if (column < 0 || column >= width) continue;
        sum += plane[row * width + column] * taps[ky * kernel + kx];
      }
    }
  }
  out[(filter * outHeight + y) * outWidth + x] = activate(sum, activation);
}
