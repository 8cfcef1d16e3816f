// Local modified over-relaxation of a convection-diffusion equation in double precision:
// the coefficients are computed from the velocities each time. Colours as in sor.cu.
#include "../kernels/common.cuh"

extern "C" __global__ void lmsorRed(double* __restrict__ red, const double* __restrict__ black, const double* __restrict__ f,
                                    const double* __restrict__ g, int pitch, double c, double w) {
  const int x = globalX(), j = globalY() + 1, odd = j & 1;
  if (x < odd || x >= pitch - 1 + odd) return; // the border
  const int at = j * pitch + x;
  const double fx = f[at], gx = g[at];
  const double west = black[at - odd], east = black[at - odd + 1], north = black[at - pitch], south = black[at + pitch];
  const double l = c * (1.0 + fx), r = c * (1.0 - fx), t = c * (1.0 - gx), b = c * (1.0 + gx);
  red[at] = (1.0 - w) * red[at] + w * (l * west + r * east + t * south + b * north);
}
