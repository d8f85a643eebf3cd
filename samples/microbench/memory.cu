// Memory latency by pointer chase over working sets from within the L1 to far
// beyond the L2, and bandwidth of reads, writes and copies.
#include <cstdint>
#include <numeric>
#include <random>

#include "bench.cuh"

constexpr int kHops = 4096;

// Follows `kHops` pointers with one thread. Cached: through the L1; otherwise
// the L2 is the first cache.
template <bool Cached> __global__ void chase(uint64_t at, long long *span, uint64_t *out) {
  for (int phase = 0; phase < 2; phase++) { // the first brings caches and TLB in
    long long from = cycles();
#pragma unroll 1
    for (int n = 0; n < kHops; n++) {
      if (Cached)
        asm volatile("ld.global.ca.u64 %0, [%0];" : "+l"(at)::"memory");
      else
        asm volatile("ld.global.cg.u64 %0, [%0];" : "+l"(at)::"memory");
    }
    span[0] = from;
    span[1] = cycles();
  }
  *out = at;
}

// A ring of addresses through `bytes` of memory at `base` in random order, one
// in each `stride` bytes, so that no prefetcher and no open row helps. It starts
// at the base.
static std::vector<uint64_t> ring(uint64_t base, size_t bytes, size_t stride) {
  size_t n = bytes / stride;
  std::vector<uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0u);
  std::shuffle(order.begin() + 1, order.end(), std::mt19937(1));
  std::vector<uint64_t> next(bytes / sizeof(uint64_t));
  for (size_t i = 0; i < n; i++)
    next[order[i] * (stride / sizeof(uint64_t))] = base + uint64_t(order[(i + 1) % n]) * stride;
  return next;
}

static void latency(const Bench &b, size_t most) {
  constexpr size_t kStride = 128;
  uint64_t *next, *out;
  long long *span;
  CHECK(cudaMalloc(&next, most));
  CHECK(cudaMalloc(&out, sizeof *out));
  CHECK(cudaMallocManaged(&span, 2 * sizeof *span));
  for (bool cached : {true, false}) {
    Half half;
    for (size_t bytes = 4096; bytes <= most; bytes *= 2) {
      std::vector<uint64_t> host = ring((uint64_t)next, bytes, kStride);
      CHECK(cudaMemcpy(next, host.data(), bytes, cudaMemcpyHostToDevice));
      std::vector<double> per;
      for (int i = -1; i < kRuns; i++) {
        if (cached)
          chase<true><<<1, 1>>>((uint64_t)next, span, out);
        else
          chase<false><<<1, 1>>>((uint64_t)next, span, out);
        CHECK(cudaDeviceSynchronize());
        if (i >= 0)
          per.push_back(double(span[1] - span[0]) / kHops);
      }
      b.row(cached ? "chase_l1" : "chase_l2", "bytes=" + std::to_string(bytes), half.take(), "cycles_per_load", "cycles", per);
    }
  }
  CHECK(cudaFree(next));
  CHECK(cudaFree(out));
  CHECK(cudaFree(span));
}

__global__ void read_all(const float4 *from, size_t n, float *out) {
  float sum = 0;
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    float4 v;
    asm volatile("ld.global.cg.v4.f32 {%0,%1,%2,%3}, [%4];" : "=f"(v.x), "=f"(v.y), "=f"(v.z), "=f"(v.w) : "l"(from + i));
    sum += v.x + v.y + v.z + v.w;
  }
  if (sum == 1.2345f) // never: keeps the loads
    *out = sum;
}

__global__ void write_all(float4 *to, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    to[i] = make_float4(1, 2, 3, 4);
}

__global__ void copy_all(const float4 *from, float4 *to, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x)
    to[i] = from[i];
}

// Bandwidth over working sets: below the size of the L2 it is the L2's. Each
// kernel passes `passes` times over its data by repeated launches.
static void bandwidth(const Bench &b, size_t most) {
  float4 *from, *to;
  float *out;
  CHECK(cudaMalloc(&from, most));
  CHECK(cudaMalloc(&to, most));
  CHECK(cudaMalloc(&out, sizeof *out));
  CHECK(cudaMemset(from, 0, most));
  int grid = b.sms() * 8, block = 256;
  EventTimer timer;
  for (const char *what : {"read", "write", "copy"}) {
    Half half;
    for (size_t bytes = 1 << 20; bytes <= most; bytes *= 2) {
      size_t n = bytes / sizeof(float4);
      int passes = int(std::max<size_t>(1, (size_t(1) << 30) / bytes));
      std::vector<double> rate;
      for (int i = -2; i < kRuns; i++) {
        double ns = timer.ns([&] {
          for (int p = 0; p < passes; p++) {
            if (what[0] == 'r')
              read_all<<<grid, block>>>(from, n, out);
            else if (what[0] == 'w')
              write_all<<<grid, block>>>(to, n);
            else
              copy_all<<<grid, block>>>(from, to, n);
          }
        });
        double moved = double(bytes) * passes * (what[0] == 'c' ? 2 : 1);
        if (i >= 0)
          rate.push_back(moved / ns); // bytes a nanosecond = 1e9 bytes a second
      }
      b.row("bandwidth", std::string(what) + ";bytes=" + std::to_string(bytes), half.take(), "rate", "GB/s", rate);
    }
  }
  CHECK(cudaFree(from));
  CHECK(cudaFree(to));
  CHECK(cudaFree(out));
}

int main() {
  Bench b;
  Bench::header();
  size_t free_bytes = 0, total = 0;
  CHECK(cudaMemGetInfo(&free_bytes, &total));
  size_t most = size_t(1) << 30;
  while (most > free_bytes / 4)
    most /= 2;
  latency(b, most);
  bandwidth(b, most);
}
