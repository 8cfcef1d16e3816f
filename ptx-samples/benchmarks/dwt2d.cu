// Discrete wavelet transform, 5/3 lifting of integers: a step along rows and one along
// columns, in a tile of shared memory with the neighbours that it needs. Rows of the input
// are pitch samples apart: the next level's lie in the low quarter of what this one leaves.
#include "../kernels/common.cuh"

enum { TX = 64, TY = 8, MARGIN = 2 };

// mirror keeps a coordinate inside, as the transform wants it.
__device__ inline int mirror(int i, int n) { return i < 0 ? -i : i >= n ? 2 * (n - 1) - i : i; }

extern "C" __global__ void dwt2d(int* __restrict__ out, const int* __restrict__ in, int width, int height, int pitch) {
  __shared__ int tile[TY + 2 * MARGIN][TX + 2 * MARGIN];
  const int x0 = blockX() * TX - MARGIN, y0 = blockY() * TY - MARGIN;
  for (int i = threadX(); i < (TY + 2 * MARGIN) * (TX + 2 * MARGIN); i += blockWidth()) {
    const int x = i % (TX + 2 * MARGIN), y = i / (TX + 2 * MARGIN);
    tile[y][x] = in[mirror(y0 + y, height) * pitch + mirror(x0 + x, width)];
  }
  barrier();
  // Along rows: odd samples less the mean of their neighbours, then even ones corrected.
  for (int i = threadX(); i < (TY + 2 * MARGIN) * (TX / 2 + 1); i += blockWidth()) {
    const int x = 2 * (i % (TX / 2 + 1)) + 1, y = i / (TX / 2 + 1);
    tile[y][x] -= (tile[y][x - 1] + tile[y][x + 1]) >> 1;
  }
  barrier();
  for (int i = threadX(); i < (TY + 2 * MARGIN) * (TX / 2); i += blockWidth()) {
    const int x = 2 * (i % (TX / 2)) + 2, y = i / (TX / 2);
    tile[y][x] += (tile[y][x - 1] + tile[y][x + 1] + 2) >> 2;
  }
  barrier();
  // Along columns.
  for (int i = threadX(); i < TX * (TY / 2 + 1); i += blockWidth()) {
    const int x = i % TX + MARGIN, y = 2 * (i / TX) + 1;
    tile[y][x] -= (tile[y - 1][x] + tile[y + 1][x]) >> 1;
  }
  barrier();
  for (int i = threadX(); i < TX * (TY / 2); i += blockWidth()) {
    const int x = i % TX + MARGIN, y = 2 * (i / TX) + 2;
    tile[y][x] += (tile[y - 1][x] + tile[y + 1][x] + 2) >> 2;
  }
  barrier();
  // Low halves go to the left and above.
  for (int i = threadX(); i < TX * TY; i += blockWidth()) {
    const int x = blockX() * TX + i % TX, y = blockY() * TY + i / TX;
    const int tx = x / 2 + (x & 1 ? width / 2 : 0), ty = y / 2 + (y & 1 ? height / 2 : 0);
    out[ty * width + tx] = tile[i / TX + MARGIN][i % TX + MARGIN];
  }
}
