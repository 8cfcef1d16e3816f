// Speckle-reducing diffusion by tiles in shared memory: coefficients, then the image.
#include "../kernels/common.cuh"

enum { SIDE = 16 };

extern "C" __global__ void coefficients(float* __restrict__ east, float* __restrict__ west, float* __restrict__ north,
                                        float* __restrict__ south, const float* __restrict__ image, float* __restrict__ c, int side, float q0) {
  __shared__ float tile[SIDE + 2][SIDE + 2];
  const int tx = threadX(), ty = threadY(), x = globalX(), y = globalY(), at = y * side + x;
  const float j = image[at];
  tile[ty + 1][tx + 1] = j;
  if (ty == 0) tile[0][tx + 1] = image[larger(y - 1, 0) * side + x];
  if (ty == SIDE - 1) tile[SIDE + 1][tx + 1] = image[smaller(y + 1, side - 1) * side + x];
  if (tx == 0) tile[ty + 1][0] = image[y * side + larger(x - 1, 0)];
  if (tx == SIDE - 1) tile[ty + 1][SIDE + 1] = image[y * side + smaller(x + 1, side - 1)];
  barrier();
  const float n = tile[ty][tx + 1] - j, s = tile[ty + 2][tx + 1] - j, w = tile[ty + 1][tx] - j, e = tile[ty + 1][tx + 2] - j;
  const float g2 = (n * n + s * s + w * w + e * e) / (j * j), l = (n + s + w + e) / j;
  const float num = 0.5f * g2 - 0.0625f * (l * l), den = 1.0f + 0.25f * l;
  const float k = 1.0f / (1.0f + (num / (den * den) - q0) / (q0 * (1.0f + q0)));
  c[at] = smaller(larger(k, 0.0f), 1.0f);
  east[at] = e;
  west[at] = w;
  south[at] = s;
  north[at] = n;
}

extern "C" __global__ void diffuse(const float* __restrict__ east, const float* __restrict__ west, const float* __restrict__ north,
                                   const float* __restrict__ south, float* __restrict__ image, const float* __restrict__ c, int side, float lambda) {
  __shared__ float tile[SIDE + 1][SIDE + 1];
  const int tx = threadX(), ty = threadY(), x = globalX(), y = globalY(), at = y * side + x;
  tile[ty][tx] = c[at];
  if (ty == SIDE - 1) tile[SIDE][tx] = c[smaller(y + 1, side - 1) * side + x];
  if (tx == SIDE - 1) tile[ty][SIDE] = c[y * side + smaller(x + 1, side - 1)];
  barrier();
  const float here = tile[ty][tx];
  const float d = here * north[at] + tile[ty + 1][tx] * south[at] + here * west[at] + tile[ty][tx + 1] * east[at];
  image[at] += 0.25f * lambda * d;
}
