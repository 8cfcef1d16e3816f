// Conjugate gradients: a sparse matrix times a vector, dot products in two steps, and
// vectors to which multiples of others are added; the factors stay on the GPU. The matrix has
// three elements a row, as the published one, on its diagonal and beside it: columns are
// told by how far they are from that.
#include "../kernels/common.cuh"

enum { THREADS = 256 };

extern "C" __global__ void sparse(float* __restrict__ y, const int* __restrict__ row, const int* __restrict__ column,
                                  const float* __restrict__ value, const float* __restrict__ x, int n) {
  const int i = globalX();
  if (i >= n) return;
  float sum = 0.0f;
#pragma unroll 1
  for (int k = row[i]; k < row[i + 1]; k++) sum += value[k] * x[i + column[k]];
  y[i] = sum;
}

__device__ inline void reduce(float* out, float mine) {
  __shared__ float part[THREADS];
  part[threadX()] = mine;
  barrier();
  for (int step = THREADS / 2; step > 0; step >>= 1) {
    if (threadX() < step) part[threadX()] += part[threadX() + step];
    barrier();
  }
  if (threadX() == 0) out[blockX()] = part[0];
}

extern "C" __global__ void dot(float* __restrict__ partial, const float* __restrict__ a, const float* __restrict__ b, int n) {
  float sum = 0.0f;
#pragma unroll 1
  for (int i = globalX(); i < n; i += blockWidth() * __nvvm_read_ptx_sreg_nctaid_x()) sum += a[i] * b[i];
  reduce(partial, sum);
}

extern "C" __global__ void total(float* __restrict__ out, const float* __restrict__ partial, int n) {
  float sum = 0.0f;
#pragma unroll 1
  for (int i = threadX(); i < n; i += THREADS) sum += partial[i];
  reduce(out, sum);
}

// step: y = own y + sign * (over / under) x.
extern "C" __global__ void step(float* __restrict__ y, const float* __restrict__ x, const float* __restrict__ over,
                                const float* __restrict__ under, float sign, int n) {
  const int i = globalX();
  if (i < n) y[i] += sign * (*over / *under) * x[i];
}
