// Concurrent narrow kernels: n streams of one small kernel that spins for a
// fixed time. Kernels that ran at once = n x time of one / time of all.
#include "bench.cuh"

__global__ void spin(long long span) {
  long long from = cycles();
  while (cycles() - from < span)
    ;
}

int main() {
  Bench b;
  Bench::header();
  constexpr long long kSpan = 2000000; // a millisecond or so: far above the launch
  constexpr int kMost = 256;
  std::vector<cudaStream_t> streams(kMost);
  for (auto &s : streams)
    CHECK(cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking));
  for (int threads : {32, 256}) {
    Half half;
    double alone = 0;
    for (int n : {1, 2, 4, 8, 12, 16, 24, 32, 33, 40, 48, 64, 96, 128, 129, 160, 192, 256}) {
      std::vector<double> ns, at_once;
      for (int i = -2; i < kRuns; i++) {
        CHECK(cudaDeviceSynchronize());
        double t0 = now_ns();
        for (int k = 0; k < n; k++)
          spin<<<1, threads, 0, streams[k]>>>(kSpan);
        CHECK(cudaDeviceSynchronize());
        if (i >= 0)
          ns.push_back(now_ns() - t0);
      }
      std::vector<double> sorted = ns;
      std::sort(sorted.begin(), sorted.end());
      if (n == 1)
        alone = sorted[sorted.size() / 2];
      for (double t : ns)
        at_once.push_back(n * alone / t);
      std::string name = "threads=" + std::to_string(threads) + ";kernels=" + std::to_string(n);
      const char *h = half.take();
      b.row("hyperq", name, h, "all_kernels", "ns", ns);
      b.row("hyperq", name, h, "at_once", "kernels", at_once);
    }
  }
  for (auto &s : streams)
    CHECK(cudaStreamDestroy(s));
}
