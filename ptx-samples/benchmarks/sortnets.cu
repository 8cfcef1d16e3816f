// Bitonic sorting network: 1,024 keys with their values in shared memory, and a step of the
// merge in global memory.
#include "../kernels/common.cuh"

__device__ inline void compare(unsigned& ka, unsigned& va, unsigned& kb, unsigned& vb, bool up) {
  if ((ka > kb) == up) {
    unsigned t = ka; ka = kb; kb = t;
    t = va; va = vb; vb = t;
  }
}

extern "C" __global__ void bitonicShared(unsigned* __restrict__ keys, unsigned* __restrict__ values) {
  __shared__ unsigned k[1024], v[1024];
  const int thread = threadX(), base = blockX() * 1024 + thread;
  k[thread] = keys[base];
  v[thread] = values[base];
  k[thread + 512] = keys[base + 512];
  v[thread + 512] = values[base + 512];
  for (int size = 2; size < 1024; size <<= 1) {
    const bool up = (thread & (size / 2)) == 0;
    for (int stride = size / 2; stride > 0; stride >>= 1) {
      barrier();
      const int at = 2 * thread - (thread & (stride - 1));
      compare(k[at], v[at], k[at + stride], v[at + stride], up);
    }
  }
  const bool up = (blockX() & 1) == 0;
  for (int stride = 512; stride > 0; stride >>= 1) {
    barrier();
    const int at = 2 * thread - (thread & (stride - 1));
    compare(k[at], v[at], k[at + stride], v[at + stride], up);
  }
  barrier();
  keys[base] = k[thread];
  values[base] = v[thread];
  keys[base + 512] = k[thread + 512];
  values[base + 512] = v[thread + 512];
}

extern "C" __global__ void bitonicMergeGlobal(unsigned* __restrict__ keys, unsigned* __restrict__ values, int size, int stride) {
  const int i = globalX();
  const bool up = (i & (size / 2)) == 0;
  const int at = 2 * i - (i & (stride - 1));
  unsigned ka = keys[at], va = values[at], kb = keys[at + stride], vb = values[at + stride];
  compare(ka, va, kb, vb, up);
  keys[at] = ka;
  values[at] = va;
  keys[at + stride] = kb;
  values[at + stride] = vb;
}
