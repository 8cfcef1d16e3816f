#include "common.cuh"

// concat joins two tensors along their channels, which in CHW is one after the other.
// One thread an element of out; the warp that spans the seam diverges.
extern "C" __global__ void concat(float* __restrict__ out, const float* __restrict__ first,
                                  const float* __restrict__ second, int firstCount, int secondCount) {
  const int i = globalX();
  if (i >= firstCount + secondCount) return;
  if (i < firstCount) {
    out[i] = first[i];
  } else {
    out[i] = second[i - firstCount];
  }
}
