// American-style lattice of options, one CTA of 128 threads each: every thread has 16
// neighbouring nodes in registers and gets the one beyond from its neighbour.
#include "../kernels/common.cuh"

enum { THREADS = 128, NODES = 16 };

extern "C" __global__ void binomial(float* __restrict__ value, const float* __restrict__ spot, const float* __restrict__ strike,
                                    int steps, float move, float up, float down) {
  __shared__ float first[THREADS + 1];
  const int thread = threadX();
  const int option = blockX();
  const float s = spot[option], x = strike[option];
  float call[NODES + 1];
#pragma unroll
  for (int i = 0; i < NODES; i++) {
    const float d = s * exp2Approx(move * (float)(2 * (thread * NODES + i) - steps)) - x;
    call[i] = larger(d, 0.0f);
  }
  if (thread == 0) first[THREADS] = 0.0f;
  for (int step = steps; step > 0; step--) {
    first[thread] = call[0];
    barrier();
    call[NODES] = first[thread + 1];
    barrier();
    if (thread * NODES <= step) {
#pragma unroll
      for (int i = 0; i < NODES; i++) call[i] = up * call[i + 1] + down * call[i];
    }
  }
  if (thread == 0) value[option] = call[0];
}
