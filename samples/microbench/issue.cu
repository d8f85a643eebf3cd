// Issue latency and rate of each instruction class. Latency: one warp, each
// instruction needs the one before. Rate: 32 warps an SM, eight independent
// chains each; the value is warp instructions per SM and cycle.
#include <cstdint>

#include "bench.cuh"

constexpr int kSteps = 64;  // instructions of a chain in the loop's body
constexpr int kLoops = 64;

// One step of a chain on a 32-bit or 64-bit register. The assembler cannot fold
// these: multiply-adds with operands that it does not know.
struct Int {
  using T = int;
  static __device__ void step(T &x, T a) { asm volatile("mad.lo.s32 %0, %0, %1, %1;" : "+r"(x) : "r"(a)); }
};
struct Logic {
  using T = int;
  static __device__ void step(T &x, T a) { asm volatile("lop3.b32 %0, %0, %1, %1, 0x1e;" : "+r"(x) : "r"(a)); }
};
struct Fp32 {
  using T = float;
  static __device__ void step(T &x, T a) { asm volatile("fma.rn.f32 %0, %0, %1, %1;" : "+f"(x) : "f"(a)); }
};
struct Fp64 {
  using T = double;
  static __device__ void step(T &x, T a) { asm volatile("fma.rn.f64 %0, %0, %1, %1;" : "+d"(x) : "d"(a)); }
};
struct Fp16 {
  using T = uint32_t; // two halves
  static __device__ void step(T &x, T a) { asm volatile("fma.rn.f16x2 %0, %0, %1, %1;" : "+r"(x) : "r"(a)); }
};
struct Sfu {
  using T = float;
  static __device__ void step(T &x, T a) { asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x)); (void)a; }
};

template <class C, int Chains> __global__ void run(long long *span, typename C::T *out, typename C::T a) {
  typename C::T x[Chains];
  for (int i = 0; i < Chains; i++)
    x[i] = a + typename C::T(i);
  __syncthreads();
  long long from = cycles();
#pragma unroll 1
  for (int n = 0; n < kLoops; n++) {
#pragma unroll
    for (int s = 0; s < kSteps / Chains; s++)
#pragma unroll
      for (int i = 0; i < Chains; i++)
        C::step(x[i], a);
  }
  long long to = cycles();
  typename C::T sum = x[0];
  for (int i = 1; i < Chains; i++)
    sum = sum + x[i];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) {
    span[2 * blockIdx.x] = from;
    span[2 * blockIdx.x + 1] = to;
  }
}

// A tensor instruction of 16 x 8 x 16 halves: four accumulators of a chain.
template <int Chains> __global__ void run_tensor(long long *span, float *out, uint32_t a) {
#if __CUDA_ARCH__ >= 800
  float c[Chains][4] = {};
  a += threadIdx.x >> 10; // of the lane, so that it stays out of the uniform registers
  __syncthreads();
  long long from = cycles();
#pragma unroll 1
  for (int n = 0; n < kLoops; n++) {
#pragma unroll
    for (int s = 0; s < kSteps / Chains; s++)
#pragma unroll
      for (int i = 0; i < Chains; i++)
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%4,%4}, {%4,%4}, {%0,%1,%2,%3};"
                     : "+f"(c[i][0]), "+f"(c[i][1]), "+f"(c[i][2]), "+f"(c[i][3])
                     : "r"(a));
  }
  long long to = cycles();
  float sum = 0;
  for (int i = 0; i < Chains; i++)
    sum += c[i][0] + c[i][1] + c[i][2] + c[i][3];
  out[blockIdx.x * blockDim.x + threadIdx.x] = sum;
  if (threadIdx.x == 0) {
    span[2 * blockIdx.x] = from;
    span[2 * blockIdx.x + 1] = to;
  }
#endif
}

// Shared memory: a chain of loads whose lanes fall into one bank `degree` times.
__global__ void run_shared(long long *span, unsigned *out, int degree) {
  __shared__ unsigned next[32 * 32]; // each word holds its own address
  unsigned base = (unsigned)__cvta_generic_to_shared(next);
  for (int i = threadIdx.x; i < 32 * 32; i += blockDim.x)
    next[i] = base + 4 * i;
  __syncthreads();
  unsigned at = base + 4 * ((threadIdx.x % degree) * 32 + threadIdx.x / degree);
  long long from = cycles();
#pragma unroll 1
  for (int n = 0; n < kLoops; n++)
#pragma unroll
    for (int s = 0; s < kSteps; s++)
      asm volatile("ld.shared.u32 %0, [%0];" : "+r"(at)::"memory");
  long long to = cycles();
  out[threadIdx.x] = at;
  if (threadIdx.x == 0) {
    span[0] = from;
    span[1] = to;
  }
}

// Barriers of a CTA of w warps, one after another.
__global__ void run_barrier(long long *span) {
  __syncthreads();
  long long from = cycles();
#pragma unroll 1
  for (int n = 0; n < kLoops; n++)
#pragma unroll
    for (int s = 0; s < kSteps; s++)
      __syncthreads();
  long long to = cycles();
  if (threadIdx.x == 0) {
    span[0] = from;
    span[1] = to;
  }
}

// Launches and reports cycles per instruction of the first CTA, scaled.
template <class F> static void measure(const Bench &b, const char *test, const std::string &name, const char *half,
                                       const char *quantity, const char *unit, long long *span, double scale, bool inverse, F launch) {
  std::vector<double> values;
  for (int i = -2; i < kRuns; i++) {
    launch();
    CHECK(cudaGetLastError());
    CHECK(cudaDeviceSynchronize());
    double per = double(span[1] - span[0]) / (kSteps * kLoops) / scale;
    if (i >= 0)
      values.push_back(inverse ? 1 / per : per);
  }
  b.row(test, name, half, quantity, unit, values);
}

template <class C> static void arithmetic(const Bench &b, const char *name, long long *span, void *out, typename C::T a) {
  auto *result = (typename C::T *)out;
  Half half;
  measure(b, "latency", name, half.take(), "cycles_per_instruction", "cycles", span, 1, false, [&] { run<C, 1><<<1, 32>>>(span, result, a); });
  for (int warps : {1, 2, 4, 8, 16, 32}) // of one SM
    measure(b, "rate", std::string(name) + ";warps=" + std::to_string(warps), half.take(), "warp_instructions_per_cycle", "1/cycle", span, warps, true,
            [&] { run<C, 8><<<1, 32 * warps>>>(span, result, a); });
}

int main() {
  Bench b;
  Bench::header();
  long long *span;
  void *out;
  CHECK(cudaMallocManaged(&span, 2 * sizeof *span));
  CHECK(cudaMalloc(&out, 1024 * sizeof(double)));
  arithmetic<Int>(b, "int", span, out, 3);
  arithmetic<Logic>(b, "logic", span, out, 5);
  arithmetic<Fp32>(b, "fp32", span, out, 1.0001f);
  arithmetic<Fp64>(b, "fp64", span, out, 1.0001);
  arithmetic<Fp16>(b, "fp16", span, out, 0x3c013c01u);
  arithmetic<Sfu>(b, "sfu", span, out, 0.5f);
  Half half;
  if (b.prop.major >= 8) {
    measure(b, "latency", "tensor", half.take(), "cycles_per_instruction", "cycles", span, 1, false, [&] { run_tensor<1><<<1, 32>>>(span, (float *)out, 0x3c003c00u); });
    for (int warps : {1, 2, 4, 8, 16, 32})
      measure(b, "rate", "tensor;warps=" + std::to_string(warps), half.take(), "warp_instructions_per_cycle", "1/cycle", span, warps, true,
              [&] { run_tensor<4><<<1, 32 * warps>>>(span, (float *)out, 0x3c003c00u); });
  }
  for (int degree = 1; degree <= 32; degree *= 2)
    measure(b, "shared", "conflict=" + std::to_string(degree), half.take(), "cycles_per_load", "cycles", span, 1, false, [&] { run_shared<<<1, 32>>>(span, (unsigned *)out, degree); });
  for (int warps : {1, 2, 4, 8, 16, 32})
    measure(b, "barrier", "warps=" + std::to_string(warps), half.take(), "cycles_per_barrier", "cycles", span, 1, false, [&] { run_barrier<<<1, 32 * warps>>>(span); });
  CHECK(cudaFree(span));
  CHECK(cudaFree(out));
}
