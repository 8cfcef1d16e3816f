// Lattice Boltzmann, 19 directions in three dimensions: a cell relaxes what flows into it
// and sends it on. Directions lie one after the other; space wraps around.
#include "../kernels/common.cuh"

extern "C" __global__ void lbm(float* __restrict__ to, const float* __restrict__ from, int nx, int ny, int nz, float omega) {
  constexpr int cx[19] = {0, 0, 0, 1, -1, 0, 0, 1, -1, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1};
  constexpr int cy[19] = {0, 1, -1, 0, 0, 0, 0, 1, 1, -1, -1, 1, 1, -1, -1, 0, 0, 0, 0};
  constexpr int cz[19] = {0, 0, 0, 0, 0, 1, -1, 0, 0, 0, 0, 1, -1, 1, -1, 1, 1, -1, -1};
  const int x = threadX(), y = blockX(), z = blockY(), cells = nx * ny * nz, at = (z * ny + y) * nx + x;
  float f[19], density = 0.0f, ux = 0.0f, uy = 0.0f, uz = 0.0f;
#pragma unroll
  for (int d = 0; d < 19; d++) {
    f[d] = from[d * cells + at];
    density += f[d];
    ux += cx[d] * f[d];
    uy += cy[d] * f[d];
    uz += cz[d] * f[d];
  }
  ux /= density;
  uy /= density;
  uz /= density;
  const float base = 1.0f - 1.5f * (ux * ux + uy * uy + uz * uz);
  const int xs[3] = {x == 0 ? nx - 1 : x - 1, x, x == nx - 1 ? 0 : x + 1};
  const int ys[3] = {y == 0 ? ny - 1 : y - 1, y, y == ny - 1 ? 0 : y + 1};
  const int zs[3] = {z == 0 ? nz - 1 : z - 1, z, z == nz - 1 ? 0 : z + 1};
#pragma unroll
  for (int d = 0; d < 19; d++) {
    const float weight = d == 0 ? 1.0f / 3 : d < 7 ? 1.0f / 18 : 1.0f / 36;
    const float u = cx[d] * ux + cy[d] * uy + cz[d] * uz;
    const float rest = weight * density * (base + 3.0f * u + 4.5f * u * u);
    to[d * cells + (zs[cz[d] + 1] * ny + ys[cy[d] + 1]) * nx + xs[cx[d] + 1]] = f[d] - omega * (f[d] - rest);
  }
}
