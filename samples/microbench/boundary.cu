// What lies between two dependent kernels: a stream, a graph, a programmatic edge, launches by the device, and a part
// of the SMs. The kernel is that of gpu-small-kernels: each element from one array to the other.
#include "bench.cuh"

#include <cuda.h>

constexpr int kChain = 512; // kernels of a run

// One step; with pdl it lets the next one begin, and waits for the one before.
template <bool pdl> __global__ void step(const double *from, double *to, int n) {
#if __CUDA_ARCH__ >= 900
  if (pdl) {
    asm volatile("griddepcontrol.launch_dependents;");
    asm volatile("griddepcontrol.wait;" ::: "memory");
  }
#endif
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = from[i] * 0.25;
}

struct Arrays {
  double *a, *b;
  explicit Arrays(size_t n) {
    CHECK(cudaMalloc(&a, n * sizeof *a));
    CHECK(cudaMalloc(&b, n * sizeof *b));
    CHECK(cudaMemset(a, 0, n * sizeof *a));
  }
  ~Arrays() {
    cudaFree(a);
    cudaFree(b);
  }
};

// The SM clock while it runs, from the two clocks of one warp.
__global__ void spin(double *mhz) {
  unsigned long long t0 = global_ns(), t1;
  long long c0 = cycles();
  do
    t1 = global_ns();
  while (t1 - t0 < 5000000);
  *mhz = 1e3 * double(cycles() - c0) / double(t1 - t0);
}

static void clocks(const Bench &b) {
  double *mhz;
  CHECK(cudaMallocManaged(&mhz, sizeof *mhz));
  std::vector<double> sm;
  for (int i = -1; i < kRuns; i++) {
    spin<<<1, 1>>>(mhz);
    CHECK(cudaDeviceSynchronize());
    if (i >= 0)
      sm.push_back(*mhz);
  }
  b.row("clock", "sm", "set", "sm_clock", "MHz", sm);
  CHECK(cudaFree(mhz));
}

template <bool pdl> static void launch(cudaStream_t s, const Arrays &x, int n, int k) {
  cudaLaunchConfig_t c{};
  c.gridDim = dim3(n / 256 + 1);
  c.blockDim = dim3(256);
  c.stream = s;
  cudaLaunchAttribute edge{};
  edge.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  edge.val.programmaticStreamSerializationAllowed = 1;
  c.attrs = &edge;
  c.numAttrs = pdl ? 1 : 0;
  CHECK(cudaLaunchKernelEx(&c, step<pdl>, (const double *)(k % 2 ? x.b : x.a), k % 2 ? x.a : x.b, n));
}

// Time per kernel of a chain, launched by work(stream, k).
template <class F> static std::vector<double> chain(F run) {
  EventTimer timer;
  std::vector<double> per;
  for (int i = -3; i < kRuns; i++) {
    double ns = timer.ns(run);
    if (i >= 0)
      per.push_back(ns / kChain);
  }
  return per;
}

template <bool pdl> static void stream_and_graph(const Bench &b, int n, const char *half) {
  Arrays x(n);
  std::string name = std::string("edge=") + (pdl ? "programmatic" : "full") + ";n=" + std::to_string(n);
  cudaStream_t s;
  CHECK(cudaStreamCreate(&s));
  auto all = [&] {
    for (int k = 0; k < kChain; k++)
      launch<pdl>(s, x, n, k);
  };
  auto per = chain([&] {
    all();
    CHECK(cudaStreamSynchronize(s));
  });
  b.row("boundary_stream", name, half, "time_per_kernel", "ns", per);
  cudaGraph_t g;
  cudaGraphExec_t e;
  CHECK(cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal));
  all();
  CHECK(cudaStreamEndCapture(s, &g));
  CHECK(cudaGraphInstantiate(&e, g, 0));
  per = chain([&] {
    CHECK(cudaGraphLaunch(e, s));
    CHECK(cudaStreamSynchronize(s));
  });
  b.row("boundary_graph", name, half, "time_per_kernel", "ns", per);
  CHECK(cudaGraphExecDestroy(e));
  CHECK(cudaGraphDestroy(g));
  CHECK(cudaStreamDestroy(s));
}

// A kernel that launches its successor: behind its own end (tail), or at once.
__global__ void link(int left, unsigned long long *at) {
  at[left] = global_ns();
  if (left > 0)
    link<<<1, 1, 0, cudaStreamTailLaunch>>>(left - 1, at);
}

__global__ void leaf(unsigned long long *at) { *at = global_ns(); }

__global__ void forget(int children, unsigned long long *at) {
  for (int i = 0; i < children; i++)
    leaf<<<1, 1, 0, cudaStreamFireAndForget>>>(at + i);
}

static void device(const Bench &b) {
  constexpr int kLinks = 20; // fewer than the depth that the runtime allows
  unsigned long long *at;
  CHECK(cudaMallocManaged(&at, 64 * sizeof *at));
  std::vector<double> tail, apart;
  for (int i = -3; i < kRuns; i++) {
    link<<<1, 1>>>(kLinks, at);
    CHECK(cudaDeviceSynchronize());
    if (i >= 0)
      tail.push_back((double(at[0]) - double(at[kLinks])) / kLinks);
    forget<<<1, 1>>>(64, at);
    CHECK(cudaDeviceSynchronize());
    if (i >= 0)
      apart.push_back((double(*std::max_element(at, at + 64)) - double(*std::min_element(at, at + 64))) / 63);
  }
  b.row("device_tail", "links=20", "set", "start_to_start", "ns", tail);
  b.row("device_forget", "children=64", "test", "start_to_start", "ns", apart);
  CHECK(cudaFree(at));
}

__global__ void add(const float4 *x, const float4 *y, float4 *z, size_t n) {
  for (size_t i = blockIdx.x * size_t(blockDim.x) + threadIdx.x; i < n; i += size_t(gridDim.x) * blockDim.x) {
    float4 p = x[i], q = y[i];
    z[i] = make_float4(p.x + q.x, p.y + q.y, p.z + q.z, p.w + q.w);
  }
}

// A vector addition beyond the L2, in a stream.
static void addition(const Bench &b, const char *test, const std::string &name, const char *half, cudaStream_t s, int ctas) {
  size_t n = (256u << 20) / sizeof(float4);
  float4 *x;
  CHECK(cudaMalloc(&x, 3 * n * sizeof *x));
  cudaEvent_t from, to;
  CHECK(cudaEventCreate(&from));
  CHECK(cudaEventCreate(&to));
  std::vector<double> rate;
  for (int i = -3; i < kRuns; i++) {
    float ms;
    CHECK(cudaEventRecord(from, s));
    add<<<ctas, 1024, 0, s>>>(x, x + n, x + 2 * n, n);
    CHECK(cudaEventRecord(to, s));
    CHECK(cudaEventSynchronize(to));
    CHECK(cudaEventElapsedTime(&ms, from, to));
    if (i >= 0)
      rate.push_back(3e-6 * double(n * sizeof *x) / ms);
  }
  b.row(test, name, half, "rate", "GB/s", rate);
  CHECK(cudaEventDestroy(from));
  CHECK(cudaEventDestroy(to));
  CHECK(cudaFree(x));
}

// The same in green contexts of a few SMs.
static void masks(const Bench &b) {
  Half half;
  addition(b, "vector_add", "sms=all", half.take(), nullptr, 2 * b.sms());
#if CUDA_VERSION >= 12050
  CUdevice d;
  CUdevResource whole;
  if (cuDeviceGet(&d, 0) != CUDA_SUCCESS || cuDeviceGetDevResource(d, &whole, CU_DEV_RESOURCE_TYPE_SM) != CUDA_SUCCESS)
    return;
  for (unsigned sms = 8; sms < unsigned(b.sms()); sms *= 2) {
    CUdevResource part;
    CUdevResourceDesc desc;
    CUgreenCtx green;
    CUstream s;
    unsigned groups = 1;
    if (cuDevSmResourceSplitByCount(&part, &groups, &whole, nullptr, 0, sms) != CUDA_SUCCESS ||
        cuDevResourceGenerateDesc(&desc, &part, 1) != CUDA_SUCCESS ||
        cuGreenCtxCreate(&green, desc, d, CU_GREEN_CTX_DEFAULT_STREAM) != CUDA_SUCCESS ||
        cuGreenCtxStreamCreate(&s, green, CU_STREAM_NON_BLOCKING, 0) != CUDA_SUCCESS)
      return;
    addition(b, "green_context", "sms=" + std::to_string(part.sm.smCount), half.take(), s, 2 * int(part.sm.smCount));
    cuStreamDestroy(s);
    cuGreenCtxDestroy(green);
  }
#endif
}

int main() {
  Bench b;
  Bench::header();
  clocks(b);
  Half half;
  for (int n : {4096, 16384, 65536, 262144}) {
    const char *h = half.take();
    stream_and_graph<false>(b, n, h);
    if (b.prop.major >= 9)
      stream_and_graph<true>(b, n, h);
  }
  device(b);
  masks(b);
}
