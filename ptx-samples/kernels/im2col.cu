#include "common.cuh"

// im2col writes the matrix whose product with the weights is the convolution: row
// (channel, ky, kx), column (output pixel). One thread an element: x runs over the
// pixels, blockY is the row.
extern "C" __global__ void im2col(float* __restrict__ columns, const float* __restrict__ in, int height, int width,
                                  int outHeight, int outWidth, int kernel, int stride, int pad) {
  const int pixel = globalX();
  const int outArea = outHeight * outWidth;
  if (pixel >= outArea) return;

  const int matrixRow = blockY();
  const int channel = matrixRow / (kernel * kernel);
  const int tap = matrixRow % (kernel * kernel);
  const int row = pixel / outWidth * stride - pad + tap / kernel;
  const int column = pixel % outWidth * stride - pad + tap % kernel;

  float value = 0.0f;
  if (row >= 0 && row < height && column >= 0 && column < width) {
    value = in[(channel * height + row) * width + column];
  }
  columns[matrixRow * outArea + pixel] = value;
}
