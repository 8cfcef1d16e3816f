#include "common.cuh"

constexpr int FILTERS = 4;  // filters a CTA computes

// conv_tiled computes, for each CTA, a tile of blockWidth x blockHeight outputs of FILTERS filters.
// Channel by channel the CTA copies the input patch under its tile, padding included, and the
// filters' taps into shared memory; a thread holds the FILTERS sums of one output pixel.
// blockZ is the group of filters. bias may be null. Dynamic shared memory, in floats:
// ((blockWidth-1)*stride + kernel) * ((blockHeight-1)*stride + kernel) + FILTERS*kernel*kernel.
extern "C" __global__ void conv_tiled(float* __restrict__ out, const float* __restrict__ in,
                                      const float* __restrict__ weights, const float* __restrict__ bias, int channels,
                                      int height, int width, int filters, int outHeight, int outWidth, int kernel,
                                      int stride, int pad, int activation) {
  DYNAMIC_SHARED(float, shared);
  const int patchWidth = (blockWidth() - 1) * stride + kernel;
  const int patchHeight = (blockHeight() - 1) * stride + kernel;
  const int patchSize = patchWidth * patchHeight;
  const int kernelSize = kernel * kernel;
  float* patch = shared;
  float* taps = shared + patchSize;

  const int threads = blockWidth() * blockHeight();
  const int thread = threadY() * blockWidth() + threadX();
  const int firstFilter = blockZ() * FILTERS;
  const int firstRow = blockY() * blockHeight() * stride - pad;
  const int firstColumn = blockX() * blockWidth() * stride - pad;

  float sum[FILTERS] = {};
  for (int c = 0; c < channels; c++) {
    const float* plane = in + c * height * width;
    for (int i = thread; i < patchSize; i += threads) {
      const int row = firstRow + i / patchWidth;
      const int column = firstColumn + i % patchWidth;
      const bool inside = row >= 0 && row < height && column >= 0 && column < width;
      patch[i] = inside ? plane[row * width + column] : 0.0f;
    }
    for (int i = thread; i < FILTERS * kernelSize; i += threads) {
      const int filter = firstFilter + i / kernelSize;
      const int tap = i % kernelSize;
      taps[i] = filter < filters ? weights[(filter * channels + c) * kernelSize + tap] : 0.0f;
    }
    barrier();
    for (int ky = 0; ky < kernel; ky++) {
      const float* row = patch + (threadY() * stride + ky) * patchWidth + threadX() * stride;
      for (int kx = 0; kx < kernel; kx++) {
        const float* tap = taps + ky * kernel + kx;
#pragma unroll
        for (int f = 0; f < FILTERS; f++) sum[f] += row[kx] * tap[f * kernelSize];
      }
    }
    barrier();
  }

  const int x = globalX();
  const int y = globalY();
  if (x >= outWidth || y >= outHeight) return;
#pragma unroll
  for (int f = 0; f < FILTERS; f++) {
    const int filter = firstFilter + f;
    if (filter >= filters) return;
    const float b = bias ? bias[filter] : 0.0f;
    out[(filter * outHeight + y) * outWidth + x] = activate(sum[f] + b, activation);
  }
}
