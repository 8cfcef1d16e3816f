// Queries in a B+ tree of order 256 and three levels, a CTA each: its threads compare all
// keys of a node at once, and the one that has found it asks for the child. A point query has
// one answer, a query of a range where it begins and how many records it has. A level is
// two arrays: the keys of its nodes, one node after the other, and their children; those of
// leaves are records. That is as large as the published tree, 17.4 MB: [recalled] its nodes hold
// 256 keys and as many children, too, and half of both are in use, as keys came in order.
#include "../kernels/common.cuh"

// within reports whether a query is in the part of a node that a thread has the first key
// of, which stands at `at`.
__device__ inline bool within(const int* level, int at, int thread, int query) {
  const int next = thread < 255 ? level[at + 1] : 0x7fffffff;
  return level[at] <= query && query < next;
}

extern "C" __global__ void findKey(int* __restrict__ answer, const int* __restrict__ root, const int* __restrict__ inner,
                                   const int* __restrict__ leaves, const int* __restrict__ rootChildren,
                                   const int* __restrict__ innerChildren, const int* __restrict__ leafRecords,
                                   const int* __restrict__ records, const int* __restrict__ queries) {
  __shared__ int node;
  const int thread = threadX(), query = queries[blockX()];
  const int* levels[3] = {root, inner, leaves};
  const int* children[3] = {rootChildren, innerChildren, leafRecords};
  if (thread == 0) node = 0;
  barrier();
#pragma unroll
  for (int l = 0; l < 3; l++) {
    const int at = node * 256 + thread;
    const bool mine = within(levels[l], at, thread, query);
    barrier();
    if (mine) node = children[l][at];
    barrier();
  }
  if (thread == 0) answer[blockX()] = records[node];
}

extern "C" __global__ void findRange(int* __restrict__ start, int* __restrict__ length, const int* __restrict__ root,
                                     const int* __restrict__ inner, const int* __restrict__ leaves, const int* __restrict__ rootChildren,
                                     const int* __restrict__ innerChildren, const int* __restrict__ leafRecords,
                                     const int* __restrict__ records, const int* __restrict__ queries, int span) {
  __shared__ int first, last;
  const int thread = threadX(), from = queries[blockX()], to = from + span;
  const int* levels[3] = {root, inner, leaves};
  const int* children[3] = {rootChildren, innerChildren, leafRecords};
  if (thread == 0) first = last = 0;
  barrier();
#pragma unroll
  for (int l = 0; l < 3; l++) {
    const int a = first * 256 + thread, b = last * 256 + thread;
    const bool begins = within(levels[l], a, thread, from), ends = within(levels[l], b, thread, to);
    barrier();
    if (begins) first = children[l][a];
    if (ends) last = children[l][b];
    barrier();
  }
  if (thread == 0) {
    start[blockX()] = records[first];
    length[blockX()] = last - first + 1;
  }
}
