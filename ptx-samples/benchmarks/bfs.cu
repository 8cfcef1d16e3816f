// Breadth-first search, level by level: nodes of the last level give their neighbours a
// cost, then those that got one are the next level.
#include "../kernels/common.cuh"

extern "C" __global__ void visit(const int* __restrict__ start, const int* __restrict__ count, const int* __restrict__ edges,
                                 unsigned char* level, unsigned char* next, const unsigned char* visited, int* cost, int n) {
  const int node = globalX();
  if (node >= n || !level[node]) return;
  level[node] = 0;
  for (int i = start[node]; i < start[node] + count[node]; i++) {
    const int to = edges[i];
    if (!visited[to]) {
      cost[to] = cost[node] + 1;
      next[to] = 1;
    }
  }
}

extern "C" __global__ void advance(unsigned char* level, unsigned char* next, unsigned char* visited, int* more, int n) {
  const int node = globalX();
  if (node >= n || !next[node]) return;
  level[node] = visited[node] = 1;
  next[node] = 0;
  *more = 1;
}
