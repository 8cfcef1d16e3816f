// Speckle-reducing anisotropic diffusion: derivatives and the coefficient of each pixel.
#include "../kernels/common.cuh"

extern "C" __global__ void srad(float* __restrict__ c, float* __restrict__ dN, float* __restrict__ dS, float* __restrict__ dW,
                                float* __restrict__ dE, const float* __restrict__ image, int rows, int columns, float q0) {
  const int at = globalX();
  if (at >= rows * columns) return;
  const int row = at % rows, column = at / rows;
  const float j = image[at];
  const float n = image[larger(row - 1, 0) + rows * column] - j, s = image[smaller(row + 1, rows - 1) + rows * column] - j;
  const float w = image[row + rows * larger(column - 1, 0)] - j, e = image[row + rows * smaller(column + 1, columns - 1)] - j;
  const float g2 = (n * n + s * s + w * w + e * e) / (j * j), l = (n + s + w + e) / j;
  const float num = 0.5f * g2 - 0.0625f * (l * l), den = 1.0f + 0.25f * l;
  const float q = num / (den * den);
  const float k = 1.0f / (1.0f + (q - q0) / (q0 * (1.0f + q0)));
  dN[at] = n;
  dS[at] = s;
  dW[at] = w;
  dE[at] = e;
  c[at] = smaller(larger(k, 0.0f), 1.0f);
}
