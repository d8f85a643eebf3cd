// Launch costs of the host path: the empty kernel, the call on the host,
// back-to-back and dependent launches, and the pace at which CTAs start.
#include "bench.cuh"

__global__ void empty() {}

// Notes when it started and ended.
__global__ void stamp(unsigned long long *at) {
  at[0] = global_ns();
  __threadfence();
  at[1] = global_ns();
}

// Tells the host that it runs.
__global__ void raise_flag(volatile int *flag, int value) { *flag = value; }

// From the call to the return of the synchronisation, and to the first sign of
// life of the kernel in the host's memory.
static void single(const Bench &b) {
  Half half;
  std::vector<double> sync, call, sign;
  volatile int *flag;
  int *device;
  CHECK(cudaHostAlloc((void **)&flag, sizeof *flag, cudaHostAllocMapped));
  CHECK(cudaHostGetDevicePointer((void **)&device, (void *)flag, 0));
  for (int i = -5; i < kRuns; i++) { // five to warm up
    CHECK(cudaDeviceSynchronize());
    double t0 = now_ns();
    empty<<<1, 32>>>();
    double t1 = now_ns();
    CHECK(cudaDeviceSynchronize());
    double t2 = now_ns();
    *flag = -1000;
    double t3 = now_ns();
    raise_flag<<<1, 1>>>(device, i);
    while (*flag != i)
      ;
    double t4 = now_ns();
    if (i >= 0) {
      call.push_back(t1 - t0);
      sync.push_back(t2 - t0);
      sign.push_back(t4 - t3);
    }
  }
  CHECK(cudaDeviceSynchronize());
  b.row("launch", "call", half.take(), "host_time", "ns", call);
  b.row("launch", "call_to_sync", half.take(), "round_trip", "ns", sync);
  b.row("launch", "call_to_flag", half.take(), "round_trip", "ns", sign);
  CHECK(cudaFreeHost((void *)flag));
}

// n empty kernels in one stream: time per kernel.
static void back_to_back(const Bench &b) {
  Half half;
  EventTimer timer;
  for (int n = 1; n <= 1024; n *= 2) {
    std::vector<double> per;
    for (int i = -3; i < kRuns; i++) {
      CHECK(cudaDeviceSynchronize());
      double ns = timer.ns([&] {
        for (int k = 0; k < n; k++)
          empty<<<1, 32>>>();
      });
      if (i >= 0)
        per.push_back(ns / n);
    }
    b.row("back_to_back", "kernels=" + std::to_string(n), half.take(), "time_per_kernel", "ns", per);
  }
}

// The time from the end of a kernel to the start of the next one that waits for
// it: what DTBL calls kernel dispatching.
static void dependent(const Bench &b) {
  constexpr int kChain = 64;
  unsigned long long *at;
  CHECK(cudaMallocManaged(&at, 2 * kChain * sizeof *at));
  std::vector<double> set, test;
  for (int i = -3; i < kRuns; i++) {
    for (int k = 0; k < kChain; k++)
      stamp<<<1, 1>>>(at + 2 * k);
    CHECK(cudaDeviceSynchronize());
    for (int k = 1; i >= 0 && k < kChain; k++)
      (k % 2 ? set : test).push_back(double(at[2 * k]) - double(at[2 * k - 1]));
  }
  b.row("dependent", "gap=odd", "set", "end_to_start", "ns", set);
  b.row("dependent", "gap=even", "test", "end_to_start", "ns", test);
  CHECK(cudaFree(at));
}

// Empty kernels of many CTAs: the slope over the number of CTAs is the pace at
// which CTAs start, or the time that a CTA holds its place over the places.
static void cta_pace(const Bench &b) {
  Half half;
  EventTimer timer;
  for (int threads = 32; threads <= 1024; threads += 32)
    for (int ctas : {1024, 4096, 16384, 65536}) {
      std::vector<double> ns;
      for (int i = -3; i < kRuns; i++) {
        double t = timer.ns([&] { empty<<<ctas, threads>>>(); });
        if (i >= 0)
          ns.push_back(t);
      }
      b.row("cta_pace", "threads=" + std::to_string(threads) + ";ctas=" + std::to_string(ctas), half.take(), "kernel_time", "ns", ns);
    }
}

int main() {
  Bench b;
  Bench::header();
  single(b);
  back_to_back(b);
  dependent(b);
  cta_pace(b);
}
