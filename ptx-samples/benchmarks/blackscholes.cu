// Prices of European options by Black and Scholes: two options a thread.
#include "../kernels/common.cuh"

typedef float pair __attribute__((ext_vector_type(2)));

__device__ inline float exponential(float x) { return exp2Approx(x * 1.44269504f); }

__device__ inline float normal(float d) {
  const float k = 1.0f / (1.0f + 0.2316419f * __builtin_fabsf(d));
  const float n = 0.39894228f * exponential(-0.5f * d * d) *
                  (k * (0.31938153f + k * (-0.356563782f + k * (1.781477937f + k * (-1.821255978f + k * 1.330274429f)))));
  return d > 0.0f ? 1.0f - n : n;
}

__device__ inline void price(float& call, float& put, float s, float x, float t, float rate, float volatility) {
  const float root = squareRoot(t);
  const float d1 = (log2Approx(s / x) * 0.69314718f + (rate + 0.5f * volatility * volatility) * t) / (volatility * root), d2 = d1 - volatility * root;
  const float n1 = normal(d1), n2 = normal(d2), discounted = x * exponential(-rate * t);
  call = s * n1 - discounted * n2;
  put = discounted * (1.0f - n2) - s * (1.0f - n1);
}

extern "C" __global__ void blackScholes(pair* __restrict__ call, pair* __restrict__ put, const pair* __restrict__ spot, const pair* __restrict__ strike,
                                        const pair* __restrict__ years, float rate, float volatility, int n) {
  const int i = globalX();
  if (i >= n / 2) return;
  const pair s = spot[i], x = strike[i], t = years[i];
  float c0, c1, p0, p1;
  price(c0, p0, s.x, x.x, t.x, rate, volatility);
  price(c1, p1, s.y, x.y, t.y, rate, volatility);
  call[i] = pair{c0, c1};
  put[i] = pair{p0, p1};
}
