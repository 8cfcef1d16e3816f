// Magnetic resonance imaging: Q of each voxel, a sum over samples of k-space.
#include "../kernels/common.cuh"

extern "C" __global__ void mriq(float* __restrict__ qr, float* __restrict__ qi, const float* __restrict__ x, const float* __restrict__ y,
                                const float* __restrict__ z, const float* __restrict__ k, int samples) {
  const int at = globalX();
  const float px = x[at], py = y[at], pz = z[at];
  float r = qr[at], i = qi[at];
  for (int s = 0; s < samples; s++) {
    const float* of = k + 4 * s; // kx, ky, kz, phi
    const float angle = 6.2831853071795864769f * (of[0] * px + of[1] * py + of[2] * pz);
    r += of[3] * __nvvm_cos_approx_f(angle);
    i += of[3] * __nvvm_sin_approx_f(angle);
  }
  qr[at] = r;
  qi[at] = i;
}
