// A product of halves by wmma, summed in single precision: a CTA of 8 warps makes 128 x 128
// of c from panels of a and b in shared memory, a warp 32 x 64 of that in 2 x 4 fragments.
// Rows of panels are 8 halves longer than what they hold, so that they begin at other banks.
// n need not fill the last CTA.
#include "../kernels/common.cuh"

typedef int four __attribute__((ext_vector_type(4)));

constexpr int TILE = 128, DEPTH = 32, SKEW = 8, ROW_A = DEPTH + SKEW, ROW_B = TILE + SKEW;

// copy16 copies 8 halves, or zeros them.
__device__ inline void copy16(short* to, const short* from, bool there) {
  four v = {0, 0, 0, 0};
  if (there) v = *(const four*)from;
  *(four*)to = v;
}

extern "C" __global__ void wmmaGemm(float* __restrict__ c, const short* __restrict__ a, const short* __restrict__ b, int n, int depth, float alpha, float beta) {
  __shared__ __attribute__((aligned(32))) short ta[TILE * ROW_A], tb[DEPTH * ROW_B];
  const int t = threadX(), warp = t / 32;
  const int firstRow = blockY() * TILE, firstColumn = blockX() * TILE;
  const int row = warp / 2 * 32, column = warp % 2 * 64;
  float sums[2][4][8] = {};
  for (int k = 0; k < depth; k += DEPTH) {
#pragma unroll
    for (int piece = t; piece < TILE * DEPTH / 8; piece += 256) {
      const int i = piece / (DEPTH / 8), j = piece % (DEPTH / 8) * 8;
      copy16(ta + i * ROW_A + j, a + (firstRow + i) * depth + k + j, true);
    }
#pragma unroll
    for (int piece = t; piece < TILE * DEPTH / 8; piece += 256) {
      const int i = piece / (TILE / 8), j = piece % (TILE / 8) * 8;
      copy16(tb + i * ROW_B + j, b + (k + i) * n + firstColumn + j, firstColumn + j < n);
    }
    barrier();
#pragma unroll
    for (int l = 0; l < DEPTH; l += 16) {
      int fa[2][8], fb[8];
      for (int i = 0; i < 2; i++) __hmma_m16n16k16_ld_a(fa[i], (const int*)(ta + (row + 16 * i) * ROW_A + l), ROW_A, 0);
#pragma unroll
      for (int j = 0; j < 4; j++) {
        __hmma_m16n16k16_ld_b(fb, (const int*)(tb + l * ROW_B + column + 16 * j), ROW_B, 0);
        for (int i = 0; i < 2; i++) __hmma_m16n16k16_mma_f32f32(sums[i][j], fa[i], fb, sums[i][j], 0, 0);
      }
    }
    barrier();
  }
#pragma unroll
  for (int i = 0; i < 2; i++)
#pragma unroll
    for (int j = 0; j < 4; j++) {
      const int y = firstRow + row + 16 * i, x = firstColumn + column + 16 * j;
      if (x >= n) continue;
      float old[8];
      __hmma_m16n16k16_ld_c_f32(old, c + y * n + x, n, 0);
      for (int e = 0; e < 8; e++) old[e] = alpha * sums[i][j][e] + beta * old[e];
      __hmma_m16n16k16_st_c_f32(c + y * n + x, old, n, 0);
    }
}
