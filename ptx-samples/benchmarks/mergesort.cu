// Merge sort: 1,024 keys with their values in shared memory, by searching each key's rank
// in the half that it does not come from.
#include "../kernels/common.cuh"

// below returns how many of n sorted keys are below one, or equal to it; step is the
// smallest power of two that is n or more.
__device__ inline int below(unsigned key, const unsigned* of, int n, int step, bool equal) {
  int at = 0;
  for (; n > 0 && step > 0; step >>= 1) {
    const int next = at + step < n ? at + step : n;
    if (of[next - 1] < key || (equal && of[next - 1] == key)) at = next;
  }
  return at;
}

extern "C" __global__ void mergeSortShared(unsigned* __restrict__ keys, unsigned* __restrict__ values) {
  __shared__ unsigned k[1024], v[1024];
  const int thread = threadX(), base = blockX() * 1024 + thread;
  k[thread] = keys[base];
  v[thread] = values[base];
  k[thread + 512] = keys[base + 512];
  v[thread + 512] = values[base + 512];
  for (int stride = 1; stride < 1024; stride <<= 1) {
    const int low = thread & (stride - 1);
    unsigned* bk = k + 2 * (thread - low);
    unsigned* bv = v + 2 * (thread - low);
    barrier();
    const unsigned ka = bk[low], va = bv[low], kb = bk[low + stride], vb = bv[low + stride];
    const int pa = below(ka, bk + stride, stride, stride, false) + low;
    const int pb = below(kb, bk, stride, stride, true) + low;
    barrier();
    bk[pa] = ka;
    bv[pa] = va;
    bk[pb] = kb;
    bv[pb] = vb;
  }
  barrier();
  keys[base] = k[thread];
  values[base] = v[thread];
  keys[base + 512] = k[thread + 512];
  values[base + 512] = v[thread + 512];
}
