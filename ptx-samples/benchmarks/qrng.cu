// Quasi-random numbers: points of a sequence in three dimensions, each the exclusive or of
// table entries, and the inverse of the normal distribution (Moro).
#include "../kernels/common.cuh"

extern "C" {
__attribute__((constant)) unsigned table[3][31]; // [dimension][bit]
}

extern "C" __global__ void quasirandom(float* __restrict__ out, unsigned seed, int n) {
  const unsigned thread = globalX(), threads = blockWidth() * __nvvm_read_ptx_sreg_nctaid_x();
  const int dimension = threadY();
  unsigned entry[31]; // loaded once, as ptxas does it
#pragma unroll
  for (int bit = 0; bit < 31; bit++) entry[bit] = table[dimension][bit];
  for (unsigned at = thread; at < (unsigned)n; at += threads) {
    unsigned result = 0, data = seed + at;
#pragma unroll
    for (int bit = 0; bit < 31; bit++, data >>= 1)
      if (data & 1) result ^= entry[bit];
    out[dimension * n + at] = (float)(result + 1) * (1.0f / 2147483648.0f);
  }
}

__device__ inline float moro(float p) {
  const bool negative = p >= 0.5f;
  const float u = negative ? 1.0f - p : p;
  const float y = 0.5f - u;
  float z;
  if (y < 0.42f) {
    const float r = y * y;
    z = y * (((-25.4410604963f * r + 41.3911977353f) * r + -18.6150006252f) * r + 2.50662823884f) /
        ((((3.13082909833f * r + -21.0622410182f) * r + 23.0833674374f) * r + -8.4735109309f) * r + 1.0f);
  } else {
    const float r = log2Approx(-log2Approx(u) * 0.69314718f) * 0.69314718f;
    z = 0.337475482272615f + r * (0.976169019091719f + r * (0.160797971491821f + r * (2.76438810333863E-02f +
        r * (3.8405729373609E-03f + r * (3.951896511919E-04f + r * (3.21767881768E-05f + r * (2.888167364E-07f + r * 3.960315187E-07f)))))));
  }
  return negative ? z : -z;
}

extern "C" __global__ void inverseNormal(float* __restrict__ out, int n) {
  const unsigned distance = (unsigned)-1 / (n + 1);
  for (int at = globalX(); at < n; at += blockWidth() * __nvvm_read_ptx_sreg_nctaid_x()) {
    const unsigned d = (at + 1) * distance;
    out[at] = moro((float)d * (1.0f / 4294967296.0f));
  }
}
