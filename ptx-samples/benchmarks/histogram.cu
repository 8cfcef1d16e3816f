// Histogram of 64 bins: each thread of a CTA counts in bytes of its own in shared memory.
#include "../kernels/common.cuh"

enum { THREADS = 64, BINS = 64 };

extern "C" __global__ void histogram(unsigned* __restrict__ partial, const unsigned* __restrict__ data, int words, int perThread) {
  __shared__ unsigned char counts[BINS * THREADS];
  const int thread = threadX();
  for (int i = 0; i < BINS; i++) counts[i * THREADS + thread] = 0;
  const int first = blockX() * THREADS * perThread + thread;
  for (int i = 0; i < perThread; i++) {
    const int at = first + i * THREADS;
    if (at >= words) break;
    const unsigned w = data[at];
#pragma unroll
    for (int byte = 0; byte < 4; byte++) counts[(w >> (8 * byte + 2) & 63) * THREADS + thread]++;
  }
  barrier();
  unsigned sum = 0;
  for (int i = 0; i < THREADS; i++) sum += counts[thread * THREADS + ((i + thread) & (THREADS - 1))];
  partial[blockX() * BINS + thread] = sum;
}
