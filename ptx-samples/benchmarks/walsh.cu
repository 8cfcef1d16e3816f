// Fast Walsh transform: a radix-4 step over global memory, and all steps of 2^11 points
// in shared memory.
#include "../kernels/common.cuh"

extern "C" __global__ void walshGlobal(float* __restrict__ data, int stride) {
  const int at = globalX();
  const int low = at & (stride - 1);
  const int i0 = ((at - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
  const float a = data[i0], b = data[i1], c = data[i2], d = data[i3];
  const float s = a + c, t = a - c, u = b + d, v = b - d;
  data[i0] = s + u;
  data[i1] = s - u;
  data[i2] = t + v;
  data[i3] = t - v;
}

extern "C" __global__ void walshShared(float* __restrict__ data, int logN) {
  DYNAMIC_SHARED(float, tile);
  const int n = 1 << logN;
  float* part = data + blockX() * n;
  for (int i = threadX(); i < n; i += blockWidth()) tile[i] = part[i];
  int stride = n >> 2;
  const int at = threadX();
  for (; stride > 0; stride >>= 2) {
    const int low = at & (stride - 1);
    const int i0 = ((at - low) << 2) + low, i1 = i0 + stride, i2 = i1 + stride, i3 = i2 + stride;
    barrier();
    const float a = tile[i0], b = tile[i1], c = tile[i2], d = tile[i3];
    const float s = a + c, t = a - c, u = b + d, v = b - d;
    tile[i0] = s + u;
    tile[i1] = s - u;
    tile[i2] = t + v;
    tile[i3] = t - v;
  }
  if (logN & 1) { // the last step has two points
    barrier();
    for (int i = at; i < n / 2; i += blockWidth()) {
      const float a = tile[2 * i], b = tile[2 * i + 1];
      tile[2 * i] = a + b;
      tile[2 * i + 1] = a - b;
    }
  }
  barrier();
  for (int i = threadX(); i < n; i += blockWidth()) part[i] = tile[i];
}
