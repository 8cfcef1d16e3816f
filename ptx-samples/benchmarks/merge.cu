// Merges of sorted runs: pairs of them are cut at every 128th key of both, and each piece is
// merged in shared memory by a CTA. The runs are mergesort.cu's.
#include "mergesort.cu"

enum { PIECE = 128 };

// mergeLimits finds where pieces begin: a thread for each 128th key of a run, which knows
// its place among those of both runs.
extern "C" __global__ void mergeLimits(int* __restrict__ limitsA, int* __restrict__ limitsB, const unsigned* __restrict__ keys, int stride) {
  const int samples = stride / PIECE, at = globalX(), pair = at / (2 * samples), in = at % samples;
  const bool second = at % (2 * samples) >= samples;
  const unsigned* const a = keys + 2 * stride * pair;
  const unsigned* const mine = second ? a + stride : a;
  const unsigned* const other = second ? a : a + stride;
  const unsigned key = mine[in * PIECE];
  const int rank = below(key, other, stride, stride, second);
  const int place = 2 * samples * pair + in + (rank + PIECE - 1) / PIECE;
  limitsA[place] = second ? rank : in * PIECE;
  limitsB[place] = second ? in * PIECE : rank;
}

extern "C" __global__ void mergePieces(unsigned* __restrict__ toKeys, unsigned* __restrict__ toValues, const unsigned* __restrict__ keys,
                                       const unsigned* __restrict__ values, const int* __restrict__ limitsA, const int* __restrict__ limitsB,
                                       int stride) {
  __shared__ unsigned k[2 * PIECE], v[2 * PIECE];
  __shared__ int fromA, fromB, countA, countB;
  const int thread = threadX(), pieces = 2 * stride / PIECE, piece = blockX() % pieces;
  const int base = 2 * stride * (blockX() / pieces);
  if (thread == 0) {
    const bool last = piece == pieces - 1;
    fromA = limitsA[blockX()];
    fromB = limitsB[blockX()];
    countA = (last ? stride : limitsA[blockX() + 1]) - fromA;
    countB = (last ? stride : limitsB[blockX() + 1]) - fromB;
  }
  barrier();
  unsigned ka = 0, va = 0, kb = 0, vb = 0;
  if (thread < countA) {
    k[thread] = ka = keys[base + fromA + thread];
    va = values[base + fromA + thread];
  }
  if (thread < countB) {
    k[PIECE + thread] = kb = keys[base + stride + fromB + thread];
    vb = values[base + stride + fromB + thread];
  }
  barrier();
  const int pa = thread < countA ? thread + below(ka, k + PIECE, countB, PIECE, false) : 0;
  const int pb = thread < countB ? thread + below(kb, k, countA, PIECE, true) : 0;
  barrier();
  if (thread < countA) {
    k[pa] = ka;
    v[pa] = va;
  }
  if (thread < countB) {
    k[pb] = kb;
    v[pb] = vb;
  }
  barrier();
  const int to = base + fromA + fromB, count = countA + countB;
  for (int i = thread; i < count; i += PIECE) {
    toKeys[to + i] = k[i];
    toValues[to + i] = v[i];
  }
}
