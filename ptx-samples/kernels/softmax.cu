#include "common.cuh"

constexpr int THREADS = 256;  // the block
constexpr float LOG2_E = 1.44269504f;

// reduce combines the CTA's values, one a thread, in a tree in shared memory.
template <typename Combine>
__device__ inline float reduce(float* scratch, float value, Combine combine) {
  const int thread = threadX();
  scratch[thread] = value;
  barrier();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (thread < half) scratch[thread] = combine(scratch[thread], scratch[thread + half]);
    barrier();
  }
  const float result = scratch[0];
  barrier();  // scratch may be written again
  return result;
}

// softmax: out[i] = exp(in[i] - max) / sum of exp(in - max), over rows of `count` elements.
// One CTA of THREADS threads a row.
extern "C" __global__ void softmax(float* __restrict__ out, const float* __restrict__ in, int count) {
  __shared__ float scratch[THREADS];
  const float* row = in + blockX() * count;
  float* result = out + blockX() * count;

  float maximum = -__builtin_huge_valf();
  for (int i = threadX(); i < count; i += THREADS) maximum = larger(maximum, row[i]);
  maximum = reduce(scratch, maximum, [](float a, float b) { return larger(a, b); });

  float sum = 0.0f;
  for (int i = threadX(); i < count; i += THREADS) sum += exp2Approx((row[i] - maximum) * LOG2_E);
  sum = reduce(scratch, sum, [](float a, float b) { return a + b; });

  for (int i = threadX(); i < count; i += THREADS) result[i] = exp2Approx((row[i] - maximum) * LOG2_E) / sum;
}
