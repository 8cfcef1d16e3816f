// k-means: the nearest of some centres for each point; features lie one after the other.
#include "../kernels/common.cuh"

extern "C" __global__ void kmeans(int* __restrict__ membership, const float* __restrict__ features, const float* __restrict__ centres,
                                  int points, int dimensions, int clusters) {
  const int point = globalX();
  if (point >= points) return;
  int nearest = -1;
  float least = 3.40282347e38f;
  for (int c = 0; c < clusters; c++) {
    float distance = 0.0f;
    for (int l = 0; l < dimensions; l++) {
      const float d = features[l * points + point] - centres[c * dimensions + l];
      distance += d * d;
    }
    if (distance < least) {
      least = distance;
      nearest = c;
    }
  }
  membership[point] = nearest;
}
