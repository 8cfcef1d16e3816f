// Successive over-relaxation by colours in double precision: the red elements of a square
// and its border, of which a thread has those of two rows. Element (column i, row j) stands
// at (i / 2, j) of its colour's matrix; red ones have i + j odd.
#include "../kernels/common.cuh"

enum { WIDTH = 32, ROWS = 8 };

extern "C" __global__ void sorRed(double* __restrict__ red, const double* __restrict__ black, int pitch, double w) {
  __shared__ double tile[2 * ROWS + 2][WIDTH + 2];
  const int tx = threadX(), ty = threadY(), x = globalX(), firstRow = blockY() * 2 * ROWS;
  for (int r = ty; r < 2 * ROWS + 2; r += ROWS) {
    const double* const row = black + (firstRow + r) * pitch;
    if (x < pitch) tile[r][tx + 1] = row[x];
    if (tx == 0 && x > 0) tile[r][0] = row[x - 1];
    if (tx == WIDTH - 1 && x + 1 < pitch) tile[r][WIDTH + 1] = row[x + 1];
  }
  barrier();
  if (x >= pitch) return;
  const double stays = 1.0 - w;
  const int r = 2 * ty + 1, c = tx + 1, at = (firstRow + r) * pitch + x; // rows count from the border's, 0
  if (x > 0) { // an odd row's first element is the border's
    const double sum = tile[r - 1][c] + tile[r + 1][c] + tile[r][c - 1] + tile[r][c];
    red[at] = stays * red[at] + w * (0.25 * sum);
  }
  if (x < pitch - 1) { // an even row's last one is
    const double sum = tile[r][c] + tile[r + 2][c] + tile[r + 1][c] + tile[r + 1][c + 1];
    red[at + pitch] = stays * red[at + pitch] + w * (0.25 * sum);
  }
}
