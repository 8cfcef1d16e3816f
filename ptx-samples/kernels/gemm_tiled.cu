#include "common.cuh"

constexpr int TILE = 64;               // rows and columns of C that a CTA computes
constexpr int DEPTH = 16;              // columns of A and rows of B that are in shared memory at a time
constexpr int SIDE = 16;               // the block is SIDE x SIDE threads
constexpr int PER_THREAD = TILE / SIDE;  // rows and columns of C that a thread computes

// gemm_tiled: C = A B, row-major, A rows x depth, B depth x columns. blockX is the tile's
// column, blockY its row. A thread's elements of C lie SIDE apart, so that a warp's loads
// from shared memory and stores to C are contiguous. Elements beyond a matrix read as zero.
extern "C" __global__ void gemm_tiled(float* __restrict__ c, const float* __restrict__ a, const float* __restrict__ b,
                                      int rows, int columns, int depth) {
  __shared__ float tileA[TILE][DEPTH + 1];  // the odd stride keeps a column's elements in different banks
  __shared__ float tileB[DEPTH][TILE];

  const int firstRow = blockY() * TILE;
  const int firstColumn = blockX() * TILE;
  const int thread = threadY() * SIDE + threadX();

  float sum[PER_THREAD][PER_THREAD] = {};
  for (int k0 = 0; k0 < depth; k0 += DEPTH) {
    for (int i = thread; i < TILE * DEPTH; i += SIDE * SIDE) {
      const int row = firstRow + i / DEPTH, k = k0 + i % DEPTH;
      tileA[i / DEPTH][i % DEPTH] = row < rows && k < depth ? a[row * depth + k] : 0.0f;
    }
    for (int i = thread; i < DEPTH * TILE; i += SIDE * SIDE) {
      const int k = k0 + i / TILE, column = firstColumn + i % TILE;
      tileB[i / TILE][i % TILE] = k < depth && column < columns ? b[k * columns + column] : 0.0f;
    }
    barrier();
#pragma unroll
    for (int k = 0; k < DEPTH; k++) {
#pragma unroll
      for (int i = 0; i < PER_THREAD; i++) {
#pragma unroll
        for (int j = 0; j < PER_THREAD; j++) {
          sum[i][j] += tileA[threadY() + i * SIDE][k] * tileB[k][threadX() + j * SIDE];
        }
      }
    }
    barrier();
  }

#pragma unroll
  for (int i = 0; i < PER_THREAD; i++) {
#pragma unroll
    for (int j = 0; j < PER_THREAD; j++) {
      const int row = firstRow + threadY() + i * SIDE;
      const int column = firstColumn + threadX() + j * SIDE;
      if (row < rows && column < columns) c[row * columns + column] = sum[i][j];
    }
  }
}
