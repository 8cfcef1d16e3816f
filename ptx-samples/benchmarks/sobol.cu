// Sobol sequences: 64 threads make the points of a dimension, each by the direction
// numbers of the bits of its Gray code.
#include "../kernels/common.cuh"

extern "C" __global__ void sobol(float* __restrict__ out, const unsigned* __restrict__ directions, int vectors) {
  __shared__ unsigned v[32];
  const int dimension = blockY();
  const unsigned* mine = directions + 32 * dimension;
  float* to = out + (long long)vectors * dimension;
  if (threadX() < 32) v[threadX()] = mine[threadX()];
  barrier();
  const int first = globalX(), stride = blockWidth() * __nvvm_read_ptx_sreg_nctaid_x();
  unsigned gray = first ^ (first >> 1), x = 0;
  const int logStride = __builtin_ctz(stride);
  for (int k = 0; k < logStride; k++, gray >>= 1) x ^= -(gray & 1) & v[k];
  if (first < vectors) to[first] = (float)x * 2.3283064e-10f;
  const unsigned last = v[logStride - 1];
  for (int i = first + stride; i < vectors; i += stride) {
    x ^= last ^ v[__builtin_ctz(~((unsigned)(i - stride) | (unsigned)(stride - 1)))];
    to[i] = (float)x * 2.3283064e-10f;
  }
}
