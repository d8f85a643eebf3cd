// What every program of this folder shares: error checks, medians, and rows of
// the one output format (README.md, "Output").
#pragma once

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include <cuda_runtime.h>

#define CHECK(call)                                                                            \
  do {                                                                                         \
    cudaError_t status_ = (call);                                                              \
    if (status_ != cudaSuccess) {                                                              \
      fprintf(stderr, "%s:%d: %s: %s\n", __FILE__, __LINE__, #call, cudaGetErrorString(status_)); \
      exit(1);                                                                                 \
    }                                                                                          \
  } while (0)

constexpr int kRuns = 21; // of every case; the median is reported

// Wall time of the host in nanoseconds.
inline double now_ns() {
  using namespace std::chrono;
  return duration<double, std::nano>(steady_clock::now().time_since_epoch()).count();
}

// Counts the cases of a test: even ones are for setting a preset, odd ones for
// testing it, so that neither half lies at one end of a range.
struct Half {
  int next = 0;
  const char *take() { return next++ % 2 == 0 ? "set" : "test"; }
};

struct Bench {
  cudaDeviceProp prop{};
  int driver = 0, runtime = 0, khz = 0;

  Bench() {
    CHECK(cudaSetDevice(0));
    CHECK(cudaGetDeviceProperties(&prop, 0));
    CHECK(cudaDriverGetVersion(&driver));
    CHECK(cudaRuntimeGetVersion(&runtime));
    CHECK(cudaDeviceGetAttribute(&khz, cudaDevAttrClockRate, 0));
  }

  int sms() const { return prop.multiProcessorCount; }

  // One row. samples is changed: it is sorted. The spread is the distance of the
  // quartiles over the median.
  void row(const char *test, const std::string &name, const char *half, const char *quantity,
           const char *unit, std::vector<double> &samples) const {
    std::sort(samples.begin(), samples.end());
    size_t n = samples.size();
    double median = samples[n / 2];
    double spread = median != 0 ? 100 * (samples[n * 3 / 4] - samples[n / 4]) / median : 0;
    printf("\"%s\",%d.%d,%d,%d,%d,%s,%s,%s,%s,%.6g,%s,%zu,%.2f\n", prop.name, prop.major, prop.minor, driver,
           runtime, khz / 1000, test, name.c_str(), half, quantity, median, unit, n, spread);
    fflush(stdout);
  }

  static void header() {
    printf("gpu,capability,driver,runtime,max_mhz,test,case,half,quantity,value,unit,runs,spread_pct\n");
  }
};

// Times work on a stream with a pair of events, in nanoseconds.
struct EventTimer {
  cudaEvent_t from, to;
  EventTimer() {
    CHECK(cudaEventCreate(&from));
    CHECK(cudaEventCreate(&to));
  }
  ~EventTimer() {
    cudaEventDestroy(from);
    cudaEventDestroy(to);
  }
  template <class F> double ns(F work) {
    float ms = 0;
    CHECK(cudaEventRecord(from));
    work();
    CHECK(cudaEventRecord(to));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    return 1e6 * ms;
  }
};

// The GPU's nanosecond clock; its step is up to a microsecond on some GPUs.
__device__ inline unsigned long long global_ns() {
  unsigned long long t;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(t));
  return t;
}

// The SM's cycle counter. The memory clobber keeps it in its place.
__device__ inline long long cycles() {
  long long t;
  asm volatile("mov.u64 %0, %%clock64;" : "=l"(t)::"memory");
  return t;
}
