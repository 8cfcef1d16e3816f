// Cosine transform of 8x8 blocks of an image, as two products with a matrix.
#include "../kernels/common.cuh"

extern "C" __global__ void dct(float* __restrict__ out, const float* __restrict__ in, const float* __restrict__ cosine, int width) {
  __shared__ float matrix[64], block[64], half[64];
  const int x = threadX(), y = threadY(), i = y * 8 + x;
  const int at = (blockY() * 8 + y) * width + blockX() * 8 + x;
  matrix[i] = cosine[i];
  block[i] = in[at];
  barrier();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += matrix[y * 8 + k] * block[k * 8 + x];
  half[i] = sum;
  barrier();
  sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += half[y * 8 + k] * matrix[x * 8 + k];
  out[at] = sum;
}
