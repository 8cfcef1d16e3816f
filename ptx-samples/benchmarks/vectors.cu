// Vectors: the sum of two, one to which a number is added in place, and the product of two
// Walsh transforms.
#include "../kernels/common.cuh"

extern "C" __global__ void add(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int n) {
  const int i = globalX();
  if (i < n) c[i] = a[i] + b[i];
}

extern "C" __global__ void increment(int* data, int by) {
  const int i = globalX();
  data[i] += by;
}

extern "C" __global__ void modulate(float* __restrict__ data, const float* __restrict__ by, int n) {
  const float scale = 1.0f / n;
#pragma unroll 1
  for (int i = globalX(); i < n; i += blockWidth() * __nvvm_read_ptx_sreg_nctaid_x()) data[i] *= scale * by[i];
}
