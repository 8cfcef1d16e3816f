// A layer of a neural network: sums of 16 inputs for 16 hidden units by a CTA, and the
// change of its weights.
#include "../kernels/common.cuh"

enum { HIDDEN = 16 };

extern "C" __global__ void layerForward(float* __restrict__ partial, const float* __restrict__ input, const float* __restrict__ weights) {
  __shared__ float node[16], product[16][HIDDEN];
  const int x = threadX(), y = threadY(), row = blockY() * 16 + y;
  if (x == 0) node[y] = input[row];
  barrier();
  product[y][x] = weights[row * HIDDEN + x] * node[y];
  barrier();
  for (int power = 2; power <= 16; power <<= 1) {
    if ((y & (power - 1)) == 0) product[y][x] += product[y + power / 2][x];
    barrier();
  }
  if (y == 0) partial[blockY() * HIDDEN + x] = product[0][x];
}

extern "C" __global__ void adjustWeights(float* __restrict__ weights, float* __restrict__ before, const float* __restrict__ delta,
                                         const float* __restrict__ input) {
  const int x = threadX(), row = blockY() * 16 + threadY(), at = row * HIDDEN + x;
  const float change = 0.3f * delta[x] * input[row] + 0.3f * before[at];
  weights[at] += change;
  before[at] = change;
}
