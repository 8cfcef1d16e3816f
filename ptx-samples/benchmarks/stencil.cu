// Seven-point stencil: a thread goes up a column and keeps what is below and above it.
#include "../kernels/common.cuh"

extern "C" __global__ void stencil(float* __restrict__ to, const float* __restrict__ from, int nx, int ny, int nz, float centre, float around) {
  const int x = globalX(), y = globalY(), plane = nx * ny;
  if (x < 1 || y < 1 || x > nx - 2 || y > ny - 2) return;
  int at = y * nx + x + plane;
  float below = from[at - plane], here = from[at];
  for (int z = 1; z < nz - 1; z++, at += plane) {
    const float above = from[at + plane];
    to[at] = around * (above + below + from[at - 1] + from[at + 1] + from[at - nx] + from[at + nx]) - centre * here;
    below = here;
    here = above;
  }
}
