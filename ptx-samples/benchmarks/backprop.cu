// A layer of a neural network: sums of 16 inputs for 16 hidden units by a CTA, and the
// change of its weights. The steps of the sum are powers that each thread computes, whose
// remainder says who adds, and the rates are doubles, as in the program that this stands
// in for.
#include "../kernels/common.cuh"

enum { HIDDEN = 16 };

extern "C" __global__ void layerForward(float* __restrict__ partial, const float* __restrict__ input, float* __restrict__ weights) {
  __shared__ float node[16], product[16][HIDDEN];
  const int x = threadX(), y = threadY(), row = blockY() * 16 + y, at = row * HIDDEN + x;
  if (x == 0) node[y] = input[row];
  barrier();
  product[y][x] = weights[at];
  barrier();
  product[y][x] *= node[y];
  barrier();
  for (int i = 1; i <= 4; i++) {
    const int power = (int)exp2Approx((float)i);
    if (y % power == 0) product[y][x] += product[y + power / 2][x];
    barrier();
  }
  weights[at] = product[y][x];
  barrier();
  if (x == 0) partial[blockY() * HIDDEN + y] = product[x][y];
}

extern "C" __global__ void adjustWeights(float* __restrict__ weights, float* __restrict__ before, const float* __restrict__ delta,
                                         const float* __restrict__ input) {
  const int x = threadX(), row = blockY() * 16 + threadY(), at = row * HIDDEN + x;
  weights[at] += 0.3 * delta[x] * input[row] + 0.3 * before[at];
  before[at] = 0.3 * delta[x] * input[row] + 0.3 * before[at];
}
