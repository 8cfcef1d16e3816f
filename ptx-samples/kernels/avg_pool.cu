#include "common.cuh"

// avg_pool takes the mean of the elements under a window, padding not counted. One thread
// an output element: x and y run over the output plane, blockZ is the channel.
extern "C" __global__ void avg_pool(float* __restrict__ out, const float* __restrict__ in, int height, int width,
                                    int outHeight, int outWidth, int kernel, int stride, int pad) {
  const int x = globalX();
  const int y = globalY();
  const int channel = blockZ();
  if (x >= outWidth || y >= outHeight) return;

  const float* plane = in + channel * height * width;
  const int firstRow = larger(0, y * stride - pad), lastRow = smaller(height, y * stride - pad + kernel);
  const int firstColumn = larger(0, x * stride - pad), lastColumn = smaller(width, x * stride - pad + kernel);
  float sum = 0.0f;
  for (int row = firstRow; row < lastRow; row++) {
    for (int column = firstColumn; column < lastColumn; column++) sum += plane[row * width + column];
  }
  const int count = (lastRow - firstRow) * (lastColumn - firstColumn);
  out[(channel * outHeight + y) * outWidth + x] = sum / float(count);
}
