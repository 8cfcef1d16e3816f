// Speckle-reducing anisotropic diffusion: derivatives and the coefficient of each pixel,
// whose neighbours stand in tables. The constants are doubles, as in the program that this
// stands in for.
#include "../kernels/common.cuh"

extern "C" __global__ void srad(float* __restrict__ c, float* __restrict__ dN, float* __restrict__ dS, float* __restrict__ dW,
                                float* __restrict__ dE, const float* __restrict__ image, const int* __restrict__ north,
                                const int* __restrict__ south, const int* __restrict__ west, const int* __restrict__ east, int rows,
                                int columns, float q0) {
  const int at = globalX();
  if (at >= rows * columns) return;
  int row = (at + 1) % rows - 1, column = (at + 1) / rows;
  if ((at + 1) % rows == 0) {
    row = rows - 1;
    column--;
  }
  const float j = image[at];
  const float n = image[north[row] + rows * column] - j, s = image[south[row] + rows * column] - j;
  const float w = image[row + rows * west[column]] - j, e = image[row + rows * east[column]] - j;
  const float g2 = (n * n + s * s + w * w + e * e) / (j * j), l = (n + s + w + e) / j;
  const float num = 0.5 * g2 - 0.0625 * (l * l), den = 1 + 0.25 * l;
  const float q = num / (den * den);
  const float k = 1.0 / (1.0 + (q - q0) / (q0 * (1 + q0)));
  dN[at] = n;
  dS[at] = s;
  dW[at] = w;
  dE[at] = e;
  c[at] = smaller(larger(k, 0.0f), 1.0f);
}
