#include "common.cuh"

constexpr int THREADS = 256;  // the block

// sumOf adds the CTA's values, one a thread, in a tree in shared memory.
__device__ inline float sumOf(float* scratch, float value) {
  const int thread = threadX();
  scratch[thread] = value;
  barrier();
  for (int half = THREADS / 2; half > 0; half /= 2) {
    if (thread < half) scratch[thread] += scratch[thread + half];
    barrier();
  }
  const float result = scratch[0];
  barrier();  // scratch may be written again
  return result;
}

// group_norm normalises groups of `channels` channels of `area` elements by their own mean and
// variance (Wu and He 2018), then by the channel's gamma and beta, both or none of which are
// null, followed by the activation. Without gamma and beta it standardises weights (Qiao et
// al. 2019): a group is a filter. One CTA of THREADS threads a group.
extern "C" __global__ void group_norm(float* __restrict__ out, const float* __restrict__ in,
                                      const float* __restrict__ gamma, const float* __restrict__ beta, float epsilon,
                                      int channels, int area, int activation) {
  __shared__ float scratch[THREADS];
  const int count = channels * area;
  const float* group = in + blockX() * count;

  float sum = 0.0f;
  for (int i = threadX(); i < count; i += THREADS) sum += group[i];
  const float mean = sumOf(scratch, sum) / float(count);
  float squares = 0.0f;
  for (int i = threadX(); i < count; i += THREADS) squares += (group[i] - mean) * (group[i] - mean);
  const float scale = 1.0f / squareRoot(sumOf(scratch, squares) / float(count) + epsilon);

  for (int i = threadX(); i < count; i += THREADS) {
    float x = (group[i] - mean) * scale;
    if (gamma) {
      const int channel = blockX() * channels + i / area;
      x = x * gamma[channel] + beta[channel];
    }
    out[blockX() * count + i] = activate(x, activation);
  }
}
