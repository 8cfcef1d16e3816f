// Products of matrices as they are written: a thread for each element, without tiles; and
// with tiles in shared memory that are as large as a CTA.
#include "../kernels/common.cuh"

extern "C" __global__ void gemm(float* c, const float* __restrict__ a, const float* __restrict__ b, int n, int depth, float alpha, float beta) {
  const int j = globalX(), i = globalY();
  float x = c[i * n + j] * beta;
#pragma unroll 4
  for (int k = 0; k < depth; k++) x += alpha * a[i * depth + k] * b[k * n + j];
  c[i * n + j] = x;
}

extern "C" __global__ void product(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n, int depth) {
  const int j = globalX(), i = globalY();
  float x = 0.0f;
#pragma unroll 4
  for (int k = 0; k < depth; k++) x += a[i * depth + k] * b[k * n + j];
  c[i * n + j] = x;
}

extern "C" __global__ void tiled(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n, int depth) {
  __shared__ float ta[32][32], tb[32][32];
  const int x = threadX(), y = threadY(), j = globalX(), i = globalY();
  float sum = 0.0f;
  for (int k = 0; k < depth; k += 32) {
    ta[y][x] = a[i * depth + k + x];
    tb[y][x] = b[(k + y) * n + j];
    barrier();
#pragma unroll
    for (int l = 0; l < 32; l++) sum += ta[y][l] * tb[l][x];
    barrier();
  }
  c[i * n + j] = sum;
}
