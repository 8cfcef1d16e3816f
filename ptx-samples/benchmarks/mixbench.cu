// Operations against bytes: of four times eight elements each is squared and added to so
// many times. Nothing is stored, which no compiler knows.
#include "../kernels/common.cuh"

template <class T>
__device__ inline void mix(T* out, const T* __restrict__ in, T seed, int iterations) {
  const int stride = blockWidth() * __nvvm_read_ptx_sreg_nctaid_x();
  int at = blockX() * blockWidth() * 8 + threadX();
#pragma unroll 1
  for (int fused = 0; fused < 4; fused++, at += stride * 8) {
    T t[8];
#pragma unroll
    for (int j = 0; j < 8; j++) t[j] = in[at + j * blockWidth()];
#pragma unroll 4
    for (int k = 0; k < iterations; k++)
#pragma unroll
      for (int j = 0; j < 8; j++) t[j] = t[j] * t[j] + seed;
    T sum = 0;
#pragma unroll
    for (int j = 0; j < 8; j += 2) sum += t[j] * t[j + 1];
    if (sum == (T)-1) out[at] = sum;
  }
}

extern "C" __global__ void mixFloat(float* out, const float* __restrict__ in, float seed, int iterations) { mix(out, in, seed, iterations); }
extern "C" __global__ void mixDouble(double* out, const double* __restrict__ in, double seed, int iterations) { mix(out, in, seed, iterations); }
extern "C" __global__ void mixInt(int* out, const int* __restrict__ in, int seed, int iterations) { mix(out, in, seed, iterations); }
