// Point queries in a B+ tree of order 256 and three levels, a CTA each: its threads compare
// all keys of a node at once. The nodes of a level lie one after the other.
#include "../kernels/common.cuh"

extern "C" __global__ void findKey(int* __restrict__ answer, const int* __restrict__ root, const int* __restrict__ inner,
                                   const int* __restrict__ leaves, const int* __restrict__ records, const int* __restrict__ queries) {
  __shared__ int node;
  const int thread = threadX(), query = queries[blockX()];
  const int* levels[3] = {root, inner, leaves};
  if (thread == 0) node = 0;
  barrier();
#pragma unroll
  for (int l = 0; l < 3; l++) {
    const int here = node, at = here * 256 + thread;
    const int key = levels[l][at], next = thread < 255 ? levels[l][at + 1] : 0x7fffffff;
    barrier();
    if (key <= query && query < next) node = at;
    barrier();
  }
  if (thread == 0) answer[blockX()] = records[node];
}
