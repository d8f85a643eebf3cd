// Device-side launches (CUDA dynamic parallelism): cycles that the call holds a
// warp of which x lanes launch, and the time until their children run. The form
// that DTBL and SPAWN use is Ax + b.
#include "bench.cuh"

__global__ void child(unsigned long long *started) {
  if (threadIdx.x == 0)
    atomicMin(started, global_ns());
}

// One warp; the first `lanes` lanes launch a child of one warp each.
__global__ void parent(int lanes, long long *span, unsigned long long *asked, unsigned long long *started) {
  __syncwarp();
  long long from = cycles();
  if (threadIdx.x == 0)
    *asked = global_ns();
  if (int(threadIdx.x) < lanes)
    child<<<1, 32, 0, cudaStreamFireAndForget>>>(started);
  __syncwarp();
  long long to = cycles();
  if (threadIdx.x == 0) {
    span[0] = from;
    span[1] = to;
  }
}

int main() {
  Bench b;
  Bench::header();
  long long *span;
  unsigned long long *at;
  CHECK(cudaMallocManaged(&span, 2 * sizeof *span));
  CHECK(cudaMallocManaged(&at, 2 * sizeof *at));
  Half half;
  for (int lanes : {1, 2, 3, 4, 6, 8, 12, 16, 24, 32}) {
    std::vector<double> held, until;
    for (int i = -2; i < kRuns; i++) {
      at[0] = 0;
      at[1] = ~0ull;
      parent<<<1, 32>>>(lanes, span, at, at + 1);
      CHECK(cudaDeviceSynchronize());
      if (i >= 0) {
        held.push_back(double(span[1] - span[0]));
        until.push_back(double(at[1]) - double(at[0]));
      }
    }
    const char *h = half.take();
    b.row("child", "lanes=" + std::to_string(lanes), h, "call", "cycles", held);
    b.row("child", "lanes=" + std::to_string(lanes), h, "call_to_first_child", "ns", until);
  }
  CHECK(cudaFree(span));
  CHECK(cudaFree(at));
}
