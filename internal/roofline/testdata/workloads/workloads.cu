// The inner loops of three of the programs that the thesis measured (chapter 5,
// table 5.5), written anew from what they compute: their floating-point work a
// unit is what derived_work_identities.tsv gives.
//
//   clang-19 -x cuda --cuda-device-only --cuda-gpu-arch=sm_70 -nocudainc -nocudalib --cuda-feature=+ptx70 \
//     -I../../../../ptx-samples/kernels -std=c++17 -Wall -Wextra -Werror -O3 -S -o workloads.ptx workloads.cu
#include "common.cuh"

// nearest computes the Euclidean distance of each place from (x, y).
extern "C" __global__ void nearest(const float *places, float *distances, int n, float x, float y) {
  int i = globalX();
  if (i >= n) return;
  float dx = places[2 * i] - x, dy = places[2 * i + 1] - y;
  distances[i] = squareRoot(dx * dx + dy * dy);
}

// kmeans finds the nearest of the clusters' centres for each point. Features
// are stored feature by feature, centres one after the other.
extern "C" __global__ void kmeans(const float *features, int featureCount, int n, int clusterCount, const float *centres, int *membership) {
  int i = globalX();
  if (i >= n) return;
  int nearest = -1;
  float least = 3.40282347e+38f;
  for (int c = 0; c < clusterCount; c++) {
    float distance = 0;
    for (int f = 0; f < featureCount; f++) {
      float d = features[f * n + i] - centres[c * featureCount + f];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[i] = nearest;
}

struct Body {
  double v, x, y, z;
};

// expo returns e^x for x < 700: 2^n times a polynomial in x - n ln 2.
__device__ inline double expo(double x) {
  const double magic = 6755399441055744.0;  // 1.5 * 2^52: adding it rounds to an integer
  double shifted = x * 1.4426950408889634 + magic;
  int n = (int)__builtin_bit_cast(long long, shifted);
  double whole = shifted - magic;
  double r = whole * -0.6931471805598903 + x;
  r = whole * -5.497923018708371e-14 + r;
  double p = 2.505210838544172e-08;
  const double c[] = {2.755731922398589e-07, 2.7557319223985893e-06, 2.48015873015873e-05, 1.984126984126984e-04, 1.388888888888889e-03,
                      8.333333333333333e-03, 4.1666666666666664e-02, 1.6666666666666666e-01, 0.5, 1.0, 1.0};
#pragma unroll
  for (double k : c) p = p * r + k;
  double e = __builtin_bit_cast(double, __builtin_bit_cast(long long, p) + ((long long)n << 52));
  return x < -700.0 ? 0.0 : e;
}

constexpr int bodies = 100;  // in a box

// particles adds up the potential and the forces that the bodies of a box and of
// its neighbours have on each body of the box; a CTA of 128 threads a box.
extern "C" __global__ void particles(int side, double alpha, const Body *place, const double *charge, Body *force) {
  __shared__ Body mine[bodies], other[bodies];
  __shared__ double q[bodies];
  double a2 = 2.0 * alpha * alpha;
  int box = blockX(), t = threadX();
  int bx = box % side, by = box / side % side, bz = box / (side * side);
  if (t < bodies) mine[t] = place[box * bodies + t];
  barrier();
  Body sum = {};
  for (int z = larger(bz - 1, 0); z <= smaller(bz + 1, side - 1); z++)
    for (int y = larger(by - 1, 0); y <= smaller(by + 1, side - 1); y++)
      for (int x = larger(bx - 1, 0); x <= smaller(bx + 1, side - 1); x++) {
        int near = (z * side + y) * side + x;
        if (t < bodies) {
          other[t] = place[near * bodies + t];
          q[t] = charge[near * bodies + t];
        }
        barrier();
        if (t < bodies) {
          Body a = mine[t];
          for (int j = 0; j < bodies; j++) {
            Body b = other[j];
            double r2 = a.v + b.v - (a.x * b.x + a.y * b.y + a.z * b.z);
            double v = expo(-a2 * r2), fs = 2.0 * v;
            sum.v += q[j] * v;
            sum.x += q[j] * (fs * (a.x - b.x));
            sum.y += q[j] * (fs * (a.y - b.y));
            sum.z += q[j] * (fs * (a.z - b.z));
          }
        }
        barrier();
      }
  if (t < bodies) force[box * bodies + t] = sum;
}
