// Cosine transform of 8x8 blocks of an image: by products with the matrix of cosines, in
// constant memory, a thread for each pixel; and by additions that share what the rows of
// the matrix have in common, a thread for a column and then a row of eight.
#include "../kernels/common.cuh"

#define __constant__ __attribute__((constant))

extern "C" {
__constant__ float cosine[64]; // [pixel][frequency]
}

extern "C" __global__ void dct(float* __restrict__ out, const float* __restrict__ in, int width) {
  __shared__ float block[64], half[64];
  const int x = threadX(), y = threadY(), i = y * 8 + x;
  const int at = (blockY() * 8 + y) * width + blockX() * 8 + x;
  block[i] = in[at];
  barrier();
  float sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += cosine[k * 8 + y] * block[k * 8 + x];
  half[i] = sum;
  barrier();
  sum = 0.0f;
#pragma unroll
  for (int k = 0; k < 8; k++) sum += half[y * 8 + k] * cosine[k * 8 + x];
  out[at] = sum;
}

// transform does eight values that lie `step` apart: c[i] is cos(i pi / 16) * sqrt(2).
__device__ inline void transform(float* v, int step) {
  const float a = 1.387039845f, b = 1.306562965f, c = 1.175875602f, d = 0.785694958f, e = 0.541196100f, f = 0.275899379f;
  const float norm = 0.3535533905932737f;
  const float p07 = v[0] + v[7 * step], p16 = v[step] + v[6 * step], p25 = v[2 * step] + v[5 * step], p34 = v[3 * step] + v[4 * step];
  const float m07 = v[0] - v[7 * step], m16 = v[step] - v[6 * step], m25 = v[2 * step] - v[5 * step], m34 = v[3 * step] - v[4 * step];
  const float even = p07 + p34, odd = p16 + p25, outer = p07 - p34, inner = p16 - p25;
  v[0] = norm * (even + odd);
  v[4 * step] = norm * (even - odd);
  v[2 * step] = norm * (b * outer + e * inner);
  v[6 * step] = norm * (e * outer - b * inner);
  v[step] = norm * (a * m07 + c * m16 + d * m25 + f * m34);
  v[3 * step] = norm * (c * m07 - f * m16 - a * m25 - d * m34);
  v[5 * step] = norm * (d * m07 - a * m16 + f * m25 + c * m34);
  v[7 * step] = norm * (f * m07 - d * m16 + c * m25 - a * m34);
}

enum { WIDTH = 32, HEIGHT = 16, PITCH = WIDTH + 1 };

extern "C" __global__ void dctShared(float* __restrict__ out, const float* __restrict__ in, int width) {
  __shared__ float tile[HEIGHT * PITCH];
  const int x = threadX(), left = threadY() * 8, top = __nvvm_read_ptx_sreg_tid_z() * 8;
  const int at = (blockY() * HEIGHT + top) * width + blockX() * WIDTH + left + x;
  float* const mine = tile + top * PITCH + left;
#pragma unroll
  for (int i = 0; i < 8; i++) mine[i * PITCH + x] = in[at + i * width];
  barrier();
  transform(mine + x * PITCH, 1);
  barrier();
  transform(mine + x, PITCH);
  barrier();
#pragma unroll
  for (int i = 0; i < 8; i++) out[at + i * width] = mine[i * PITCH + x];
}
