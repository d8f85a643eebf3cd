// Package captures holds small captures for the tutorials. Its test writes them: a training step as PyTorch's profiler
// records it, and a matrix product as Accel-Sim's tracer does. Both are synthetic and name no real program.
package captures

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"testing"

	"gpureplay/convert/accelsim"
	"gpureplay/samples"
	_ "gpureplay/samples/probes"
	"gpureplay/trace/container"
)

var update = flag.Bool("update", false, "write the captures anew")

// event is one event of Chrome's trace format, with times in microseconds.
type event struct {
	Ph   string         `json:"ph"`
	Cat  string         `json:"cat"`
	Name string         `json:"name"`
	Pid  int            `json:"pid"`
	Tid  int            `json:"tid"`
	Ts   float64        `json:"ts"`
	Dur  float64        `json:"dur"`
	Args map[string]any `json:"args,omitempty"`
}

// training builds the capture of a few training steps: a host thread that launches, and one stream that executes.
type training struct {
	events []event
	host   float64 // time of the host thread, us
	device float64 // end of the stream's last work, us
	id     int     // of the last call
	seed   uint32
}

const (
	pid    = 4711
	stream = 7
	begin  = 1_700_000_000_000_000 // us
)

// jitter returns a number from 0 to n-1, the same in every run.
func (c *training) jitter(n uint32) float64 {
	c.seed = c.seed*1664525 + 1013904223
	return float64(c.seed >> 8 % n)
}

// call records a call of the runtime and returns its id.
func (c *training) call(name string, us float64) int {
	c.id++
	c.host += 3 + c.jitter(6)
	c.events = append(c.events, event{"X", "cuda_runtime", name, pid, pid, begin + c.host, us,
		map[string]any{"correlation": c.id, "cbid": 211}})
	c.host += us
	return c.id
}

// kernel launches a kernel of so many CTAs and threads that runs for us microseconds.
func (c *training) kernel(name string, ctas, threads int, us float64) {
	id := c.call("cudaLaunchKernel", 4+c.jitter(3))
	start := max(c.host+2, c.device+1)
	us += c.jitter(2)
	c.device = start + us
	c.events = append(c.events, event{"X", "kernel", name, 0, stream, begin + start, us, map[string]any{
		"device": 0, "context": 1, "stream": stream, "correlation": id,
		"grid": []int{ctas, 1, 1}, "block": []int{threads, 1, 1},
		"registers per thread": 32, "shared memory": 0,
	}})
}

// copyIn copies a batch to the device and waits for it.
func (c *training) copyIn(bytes int, us float64) {
	id := c.call("cudaMemcpyAsync", 6)
	start := max(c.host+1, c.device+1)
	c.device = start + us
	c.events = append(c.events, event{"X", "gpu_memcpy", "Memcpy HtoD (Pinned -> Device)", 0, stream, begin + start, us,
		map[string]any{"device": 0, "context": 1, "stream": stream, "correlation": id, "bytes": bytes}})
}

// wait synchronises the stream.
func (c *training) wait() {
	us := max(2, c.device+2-c.host)
	c.call("cudaStreamSynchronize", us)
}

// step is one training step of a network of eight layers.
func (c *training) step(n string) {
	start := c.host
	c.copyIn(1<<20, 90)
	for range 8 {
		c.kernel("ampere_sgemm_128x64_nn", 216, 128, 38)
		c.kernel("void at::native::vectorized_elementwise_kernel<4, relu>(int, float*)", 512, 128, 5)
	}
	c.kernel("void softmax_warp_forward<float, 10>(float*, float const*, int)", 64, 128, 4)
	for range 8 {
		c.kernel("ampere_sgemm_64x64_nt", 160, 128, 45)
		c.kernel("void at::native::vectorized_elementwise_kernel<4, relu_backward>(int, float*)", 512, 128, 6)
	}
	c.kernel("void multi_tensor_apply_kernel<SGD>(TensorListMetadata<3>)", 320, 512, 14)
	c.wait()
	c.events = append(c.events, event{"X", "user_annotation", "ProfilerStep#" + n, pid, pid, begin + start,
		c.host - start, nil})
	c.host += 120 // the data loader
}

// trainingCapture is the capture as PyTorch's profiler writes it, packed.
func trainingCapture() ([]byte, error) {
	c := training{seed: 1}
	for _, n := range []string{"1", "2", "3", "4"} {
		c.step(n)
	}
	text, err := json.Marshal(map[string]any{
		"schemaVersion": 1,
		"deviceProperties": []any{map[string]any{"id": 0, "name": "NVIDIA A100-SXM4-40GB", "totalGlobalMem": 42297524224,
			"computeMajor": 8, "computeMinor": 0, "maxThreadsPerBlock": 1024, "maxThreadsPerMultiprocessor": 2048,
			"regsPerBlock": 65536, "regsPerMultiprocessor": 65536, "warpSize": 32, "sharedMemPerBlock": 49152,
			"sharedMemPerMultiprocessor": 167936, "numSms": 108}},
		"traceEvents": c.events,
	})
	if err != nil {
		return nil, err
	}
	return pack(append(text, '\n'))
}

func pack(b []byte) ([]byte, error) {
	var out bytes.Buffer
	w := gzip.NewWriter(&out)
	if _, err := w.Write(b); err != nil {
		return nil, err
	}
	err := w.Close()
	return out.Bytes(), err
}

// The capture of a training step is the one that the generator writes.
func TestTrainingCapture(t *testing.T) {
	capture, err := trainingCapture()
	if err != nil {
		t.Fatal(err)
	}
	same(t, "training.json.gz", capture)
}

// same compares a shipped file with its content, or writes it with -update.
func same(t *testing.T, name string, want []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(name, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(name); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not the generator's (%v): go test ./samples/captures -update", name, err)
	}
}

// The traced kernel is the product of two matrices of the sample matmul, as an archive of a capture.
func TestTracedKernel(t *testing.T) {
	files, err := tracedKernel(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	z := gzip.NewWriter(&out)
	w := tar.NewWriter(z)
	for _, path := range files {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		head := tar.Header{Name: "matmul/" + filepath.Base(path), Mode: 0o644, Size: int64(len(content)),
			Format: tar.FormatUSTAR}
		if err := w.WriteHeader(&head); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	same(t, "matmul.tar.gz", out.Bytes())
}

// tracedKernel exports the sample matmul as a capture into a folder and returns its files.
func tracedKernel(dir string) ([]string, error) {
	g, err := samples.Get("matmul")
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "matmul.trace.zst")
	f, err := os.Create(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	if err := g.Write(f, "m=64", "n=64", "k=64"); err != nil {
		return nil, err
	}
	r, err := container.Open(path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	capture := filepath.Join(dir, "capture")
	if _, err := accelsim.Export(context.Background(), r, capture, 86); err != nil {
		return nil, err
	}
	return filepath.Glob(filepath.Join(capture, "[^.]*")) // not the export's manifest
}
