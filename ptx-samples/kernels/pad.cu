#include "common.cuh"

// pad writes each plane with zeros around it, or, where top or left is negative, without its
// first rows or columns. One thread an output element: x and y run over the output plane,
// blockZ is the channel.
extern "C" __global__ void pad(float* __restrict__ out, const float* __restrict__ in, int height, int width,
                               int outHeight, int outWidth, int top, int left) {
  const int x = globalX();
  const int y = globalY();
  const int channel = blockZ();
  if (x >= outWidth || y >= outHeight) return;
  const int row = y - top, column = x - left;
  float value = 0.0f;
  if (row >= 0 && row < height && column >= 0 && column < width) value = in[(channel * height + row) * width + column];
  out[(channel * outHeight + y) * outWidth + x] = value;
}
