#include "common.cuh"

// conv_depthwise convolves every channel with a filter of its own. One thread an output
// element: x and y run over the output plane, blockZ is the channel. bias may be null.
extern "C" __global__ void conv_depthwise(float* __restrict__ out, const float* __restrict__ in,
                                          const float* __restrict__ weights, const float* __restrict__ bias, int height,
                                          int width, int outHeight, int outWidth, int kernel, int stride, int pad,
                                          int activation) {
  const int x = globalX();
  const int y = globalY();
  const int channel = blockZ();
  if (x >= outWidth || y >= outHeight) return;

  const float* plane = in + channel * height * width;
  const float* taps = weights + channel * kernel * kernel;
  // The taps that fall inside the plane: the padding is never visited.
  const int top = y * stride - pad;
  const int left = x * stride - pad;
  const int firstY = larger(0, -top), lastY = smaller(kernel, height - top);
  const int firstX = larger(0, -left), lastX = smaller(kernel, width - left);

  float sum = bias ? bias[channel] : 0.0f;
  for (int ky = firstY; ky < lastY; ky++) {
    for (int kx = firstX; kx < lastX; kx++) {
      sum += plane[(top + ky) * width + left + kx] * taps[ky * kernel + kx];
    }
  }
  out[(channel * outHeight + y) * outWidth + x] = activate(sum, activation);
}
