// A product of matrices with tiles in registers: 128 threads make 128 x 16 elements. A is
// stored by columns, B by columns of its transpose, C by columns.
#include "../kernels/common.cuh"

enum { TILE = 16, HEIGHT = 8 };

extern "C" __global__ void sgemm(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b, int m, int n, int depth,
                                 float alpha, float beta) {
  __shared__ float tile[HEIGHT][TILE];
  float sums[TILE];
  for (int i = 0; i < TILE; i++) sums[i] = 0.0f;
  const int id = threadY() * TILE + threadX();
  const int row = blockX() * TILE * HEIGHT + id, column = blockY() * TILE;
  for (int k = 0; k < depth; k += HEIGHT) {
    tile[threadY()][threadX()] = b[column + threadX() + (k + threadY()) * n];
    barrier();
    for (int j = 0; j < HEIGHT; j++) {
      const float x = a[row + (k + j) * m];
#pragma unroll
      for (int i = 0; i < TILE; i++) sums[i] += x * tile[j][i];
    }
    barrier();
  }
  for (int i = 0; i < TILE; i++) {
    const int at = row + (column + i) * m;
    c[at] = c[at] * beta + alpha * sums[i];
  }
}
