#include "common.cuh"

constexpr int FILTERS = 4;  // filters a thread computes

// conv_window convolves with a window of any height and width. One thread computes FILTERS
// filters of one output pixel: x and y run over the output plane, blockZ over groups of
// filters. The padding (so many rows and columns before the plane, and whatever is needed
// behind it) is never visited. bias may be null.
extern "C" __global__ void conv_window(float* __restrict__ out, const float* __restrict__ in,
                                       const float* __restrict__ weights, const float* __restrict__ bias, int channels,
                                       int height, int width, int filters, int outHeight, int outWidth,
                                       int kernelHeight, int kernelWidth, int stride, int padRows, int padColumns,
                                       int activation) {
  const int x = globalX();
  const int y = globalY();
  const int firstFilter = blockZ() * FILTERS;
  if (x >= outWidth || y >= outHeight) return;

  const int top = y * stride - padRows;
  const int left = x * stride - padColumns;
  const int firstY = larger(0, -top), lastY = smaller(kernelHeight, height - top);
  const int firstX = larger(0, -left), lastX = smaller(kernelWidth, width - left);

  float sum[FILTERS] = {};
  for (int c = 0; c < channels; c++) {
    const float* plane = in + c * height * width;
    for (int ky = firstY; ky < lastY; ky++) {
      for (int kx = firstX; kx < lastX; kx++) {
        const float value = plane[(top + ky) * width + left + kx];
#pragma unroll
        for (int f = 0; f < FILTERS; f++) {
          // A filter beyond the last repeats the last; its sum is not stored.
          const int filter = smaller(firstFilter + f, filters - 1);
          sum[f] += value * weights[((filter * channels + c) * kernelHeight + ky) * kernelWidth + kx];
        }
      }
    }
  }
#pragma unroll
  for (int f = 0; f < FILTERS; f++) {
    const int filter = firstFilter + f;
    if (filter >= filters) return;
    const float b = bias ? bias[filter] : 0.0f;
    out[(filter * outHeight + y) * outWidth + x] = activate(sum[f] + b, activation);
  }
}
