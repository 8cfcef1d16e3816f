// Temperature of a chip: some steps of a stencil by a CTA, whose outermost threads compute
// what the inner ones need. The step's constants are divided for by each thread, and 2.0 is
// a double, as in the program that this stands in for.
#include "../kernels/common.cuh"

enum { SIDE = 16 };

__device__ inline bool within(int x, int low, int high) { return low <= x && x <= high; }

extern "C" __global__ void hotspot(int steps, const float* __restrict__ power, const float* __restrict__ from, float* __restrict__ to,
                                   int columns, int rows, int border, float cap, float rx, float ry, float rz, float step) {
  __shared__ float now[SIDE][SIDE], watts[SIDE][SIDE], next[SIDE][SIDE];
  const float ambient = 80.0f;
  const float stepOverCap = step / cap, overX = 1.0f / rx, overY = 1.0f / ry, overZ = 1.0f / rz;
  const int tx = threadX(), ty = threadY(), inner = SIDE - 2 * steps;
  const int top = inner * blockY() - border, left = inner * blockX() - border;
  const int y = top + ty, x = left + tx, at = columns * y + x;
  if (within(y, 0, rows - 1) && within(x, 0, columns - 1)) {
    now[ty][tx] = from[at];
    watts[ty][tx] = power[at];
  }
  barrier();
  const int validTop = top < 0 ? -top : 0, validBottom = top + SIDE > rows ? SIDE - 1 - (top + SIDE - rows) : SIDE - 1;
  const int validLeft = left < 0 ? -left : 0, validRight = left + SIDE > columns ? SIDE - 1 - (left + SIDE - columns) : SIDE - 1;
  const int n = larger(ty - 1, validTop), s = smaller(ty + 1, validBottom), w = larger(tx - 1, validLeft), e = smaller(tx + 1, validRight);
  bool computed = false;
  for (int i = 0; i < steps; i++) {
    computed = false;
    if (within(tx, i + 1, SIDE - i - 2) && within(ty, i + 1, SIDE - i - 2) && within(tx, validLeft, validRight) && within(ty, validTop, validBottom)) {
      computed = true;
      const float t = now[ty][tx];
      next[ty][tx] = t + stepOverCap * (watts[ty][tx] + (now[s][tx] + now[n][tx] - 2.0 * t) * overY +
                                        (now[ty][e] + now[ty][w] - 2.0 * t) * overX + (ambient - t) * overZ);
    }
    barrier();
    if (i == steps - 1) break;
    if (computed) now[ty][tx] = next[ty][tx];
    barrier();
  }
  if (computed) to[at] = next[ty][tx];
}
