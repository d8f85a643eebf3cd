package convert_test

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"regexp"
	"runtime"
	"testing"
	"time"

	"gpureplay/convert"
	"gpureplay/convert/converttest"
	"gpureplay/trace"
)

// A kernel whose name the user calls irregular is marked so, whatever the format.
func TestIrregular(t *testing.T) {
	gpucachesim := t.TempDir()
	converttest.Put(t, gpucachesim, "commands.json", converttest.GpucachesimList)
	converttest.Put(t, gpucachesim, "kernel-0.msgpack", string(converttest.GpucachesimKernel()))
	for path, name := range map[string]string{
		converttest.Put(t, t.TempDir(), "k.json", converttest.KinetoSample): "a kernel", gpucachesim: "float",
		converttest.MacsimFolder(t):                            "scale",
		converttest.HyfissFolder(t):                            "scale",
		converttest.Database(t, converttest.NvprofFamily()...): "child", converttest.Put(t, t.TempDir(), "c.json",
			converttest.ChakraText()): "gemm",
	} {
		opt := convert.Options{Device: -1, Irregular: regexp.MustCompile(name)}
		r, err := converttest.Try(t, path, "", opt)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Kernels {
			k := &r.Kernels[i]
			if want := opt.Irregular.MatchString(r.Functions[k.Function].Name); want != (k.Flags&trace.KernelIrregular != 0) {
				t.Errorf("%s: kernel %d of %s: irregular is not %v", path, i, r.Functions[k.Function].Name, want)
			}
		}
	}
}

// nothing takes a trace and keeps nothing.
type nothing struct{ kernels, functions uint32 }

func (n *nothing) SetMeta(trace.Meta) {}

func (n *nothing) AddArray(trace.Array) uint32 { return 0 }

func (n *nothing) AddScope(trace.Scope) uint32 { return 1 }

func (n *nothing) AddFunction(string) uint32 { n.functions++; return n.functions - 1 }

func (n *nothing) AddInst(uint32, trace.Inst) uint32 { return 0 }

func (n *nothing) Diagnose(trace.Diagnostic) {}

func (n *nothing) Host(*trace.HostOp) error { return nil }

func (n *nothing) NextKernel() uint32 { return n.kernels }

func (n *nothing) WriteCTA(*trace.CTA) error { return nil }

func (n *nothing) EndKernel(trace.KernelFlags) error { return nil }

func (n *nothing) BeginKernel(*trace.Kernel) (uint32, error) { n.kernels++; return n.kernels - 1, nil }

// writeKineto writes a trace like those of PyTorch's profiler until it has about
// size bytes: one kernel with its call for every seven events of the host.
func writeKineto(w io.Writer, size int64) (kernels int, err error) {
	out := bufio.NewWriterSize(w, 1<<20)
	written := int64(0)
	put := func(format string, args ...any) {
		n, _ := fmt.Fprintf(out, format, args...)
		written += int64(n)
	}
	put(`{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"GPU","numSms":108,"computeMajor":8,"computeMinor":0}],` +
		`"traceEvents":[` + "\n")
	for ; written < size; kernels++ {
		at := 1695835572943613 + 40*float64(kernels)
		for i := range 7 {
			put(`  {
    "ph": "X", "cat": "cpu_op", "name": "aten::_convolution_%d", "pid": 2869224, "tid": 2869224,
    "ts": %.3f, "dur": 31.250,
    "args": {"External id": %d, "Record function id": 0, "Sequence number": %d, "Fwd thread id": 0, "Ev Idx": %d}
  },
`, i, at+float64(i), kernels, kernels, kernels*7+i)
		}
		put(`  {"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": %.3f, "dur": 4.5,`+
			` "args": {"External id": %[2]d, "cbid": 211, "correlation": %[2]d}},
  {"ph": "s", "id": %[2]d, "pid": 1, "tid": 1, "ts": %.3[1]f, "cat": "ac2g", "name": "ac2g"},
  {"ph": "X", "cat": "kernel", "name": "void at::native::vectorized_elementwise_kernel<4, `+
			`at::native::FillFunctor<float>, std::array<char*, %[3]d> >(int, at::native::FillFunctor<float>)", "pid": 0, `+
			`"tid": 7, "ts": %.3[4]f, "dur": 8.125,
   "args": {"External id": %[2]d, "queued": 0, "device": 0, "context": 1, "stream": %[5]d, "correlation": %[2]d, `+
			`"registers per thread": 16, "shared memory": 0, "blocks per SM": 1.185185, "warps per SM": 4.740741, "grid": `+
			`[%[6]d, 1, 1], "block": [128, 1, 1], "est. achieved occupancy %%": 7}},
`, at+8, kernels+1, kernels%500, at+12, 7+kernels%4, 1+kernels%4096)
	}
	put(`{"ph": "M", "name": "process_name"}]}`)
	return kernels, out.Flush()
}

// BenchmarkKineto converts a generated trace of 200 MB (or KINETO_MB) and
// reports MB/s and the most memory in use.
func BenchmarkKineto(b *testing.B) {
	size := int64(200)
	if text := os.Getenv("KINETO_MB"); text != "" {
		if _, err := fmt.Sscan(text, &size); err != nil {
			b.Fatal(err)
		}
	}
	path := converttest.Put(b, b.TempDir(), "k.json", "")
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	kernels, err := writeKineto(f, size<<20)
	if err != nil {
		b.Fatal(err)
	}
	f.Close()
	b.SetBytes(size << 20)
	peak, stop := watchMemory()
	for b.Loop() {
		in, err := convert.Open(path, nil)
		if err != nil {
			b.Fatal(err)
		}
		var n nothing
		if err := convert.Convert(b.Context(), in, "", &n, convert.Options{Device: -1, TempDir: b.TempDir()}); err != nil {
			b.Fatal(err)
		}
		if int(n.kernels) != kernels {
			b.Fatalf("%d kernels of %d", n.kernels, kernels)
		}
	}
	stop()
	b.ReportMetric(float64(*peak)/(1<<20), "peak-MiB")
}

// watchMemory follows the memory that the runtime holds.
func watchMemory() (peak *uint64, stop func()) {
	peak = new(uint64)
	done, ended := make(chan struct{}), make(chan struct{})
	go func() {
		defer close(ended)
		for {
			var m runtime.MemStats
			runtime.ReadMemStats(&m)
			*peak = max(*peak, m.Sys-m.HeapReleased)
			select {
			case <-done:
				return
			case <-time.After(20 * time.Millisecond):
			}
		}
	}()
	return peak, func() { close(done); <-ended }
}

// BenchmarkNsys converts a generated export of 200,000 kernels with their calls
// and reports rows/s.
func BenchmarkNsys(b *testing.B) {
	const kernels = 200_000
	path := converttest.Database(b, converttest.NsysTables,
		`CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER, `+
			`nameId INTEGER)`,
		`INSERT INTO StringIds VALUES (1, 'k'), (2, 'cudaLaunchKernel_v7000')`,
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO `+
			`CUPTI_ACTIVITY_KIND_KERNEL
			SELECT i * 1000 + 500, i * 1000 + 900, 0, 1, 7 + i %% 3, i, 0, 1, 1, 16, i %% 100 + 1, 1, 1, 64, 1, 1, 0, 0, 0 `+
			`FROM n`, kernels),
		fmt.Sprintf(`WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < %d) INSERT INTO `+
			`CUPTI_ACTIVITY_KIND_RUNTIME
			SELECT i * 1000, i * 1000 + 100, 5, i, 2 FROM n`, kernels))
	peak, stop := watchMemory()
	for b.Loop() {
		var n nothing
		in, err := convert.Open(path, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := convert.Convert(b.Context(), in, "", &n, convert.Options{Device: -1, TempDir: b.TempDir()}); err != nil ||
			n.kernels != kernels {
			b.Fatalf("%d kernels, %v", n.kernels, err)
		}
	}
	stop()
	b.ReportMetric(float64(2*kernels*b.N)/b.Elapsed().Seconds(), "rows/s")
	b.ReportMetric(float64(*peak)/(1<<20), "peak-MiB")
}
