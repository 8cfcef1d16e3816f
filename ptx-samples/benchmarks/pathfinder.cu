// The cheapest path through a grid from above: some rows by a CTA, which reads more
// columns than it writes.
#include "../kernels/common.cuh"

enum { WIDTH = 256 };

extern "C" __global__ void pathfinder(int* __restrict__ to, const int* __restrict__ wall, const int* __restrict__ from,
                                      int columns, int first, int steps, int halo) {
  __shared__ int before[WIDTH], after[WIDTH];
  const int thread = threadX(), inner = WIDTH - 2 * halo;
  const int start = inner * blockX() - halo, x = start + thread;
  const bool valid = x >= 0 && x < columns;
  const int left = start < 0 ? -start : 0;
  const int right = smaller(WIDTH - 1, columns - 1 - start);
  const int w = larger(thread - 1, left), e = smaller(thread + 1, right);
  if (valid) before[thread] = from[x];
  barrier();
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (thread >= i + 1 && thread <= WIDTH - i - 2 && valid) {
      computed = true;
      const int shortest = smaller(smaller(before[w], before[thread]), before[e]);
      after[thread] = shortest + wall[columns * (first + i) + x];
    }
    barrier();
    if (i == steps - 1) break;
    if (computed) before[thread] = after[thread];
    barrier();
  }
  if (computed) to[x] = after[thread];
}
