package analyse

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/replay/capture"
)

// madeCapture is a random capture whose truth is known: threads that launch kernels and graphs into streams of their
// own and wait for them, on a device whose clock may be another one, with a profiler that may lose records.
type madeCapture struct {
	r       *rand.Rand
	events  []string
	id      int
	begin   int64            // of the first call, ns by the host's clock
	end     int64            // of the last work
	last    map[uint64]int64 // per stream: end of its last kernel
	offset  float64          // of the device's clock, ns
	drift   float64          // and its rate, of one
	overlap bool             // kernels of a stream may overlap
	loses   float64          // share of activities that the profiler lost
	lost    int
}

func (c *madeCapture) n(from, to int64) int64 { return from + c.r.Int64N(to-from+1) }

// device is a time by the device's clock.
func (c *madeCapture) device(ns int64) float64 { return float64(ns) + c.offset + float64(ns)*c.drift }

func (c *madeCapture) event(cat, name string, thread uint64, start float64, ns int64, args string) {
	if cat == "cuda_runtime" {
		c.begin = min(c.begin, int64(start))
	}
	c.events = append(c.events,
		fmt.Sprintf(`{"ph":"X","cat":%q,"name":%q,"pid":1,"tid":%d,"ts":%.3f,"dur":%.3f,"args":{%s}}`,
			cat, name, thread, 1e6+start/1000, float64(ns)/1000, args))
}

// kernel runs a kernel on a stream, no earlier than a time, and returns its end.
func (c *madeCapture) kernel(stream uint64, from int64, id int) int64 {
	before, duration := c.last[stream], c.n(5e3, 150e3)
	start := max(from, before+c.n(500, 1500))
	if c.overlap && before > from && c.r.IntN(3) == 0 {
		start = max(from, before-c.n(1e3, 4e3))
	}
	end := start + duration
	c.last[stream] = max(before, end)
	c.end = max(c.end, end)
	if c.r.Float64() < c.loses {
		c.lost++
		return end
	}
	c.event("kernel", fmt.Sprintf("k%d", c.r.IntN(4)), stream, c.device(start), duration,
		fmt.Sprintf(`"device":0,"stream":%d,"correlation":%d,"grid":[%d,1,1],"block":[128,1,1]`, stream, id, c.n(1, 400)))
	return end
}

// thread is the program of a host thread with its streams.
func (c *madeCapture) thread(thread uint64, streams []uint64, steps int) {
	at := c.n(0, 50e3)
	for range steps {
		stream := streams[c.r.IntN(len(streams))]
		at += c.n(1e3, 30e3)
		c.id++
		switch c.r.IntN(6) {
		case 0: // a graph, whose kernels may begin in the call
			took := c.n(20e3, 300e3)
			c.event("cuda_runtime", "cudaGraphLaunch", thread, float64(at), took, fmt.Sprintf(`"correlation":%d`, c.id))
			id, from := c.id, at+c.n(took/2, took+10e3)
			for range c.n(2, 6) {
				from = c.kernel(stream, from, id)
			}
			at += took
		case 1:
			done := max(at, c.last[stream]) + c.n(1e3, 4e3)
			c.event("cuda_runtime", "cudaStreamSynchronize", thread, float64(at), done-at, fmt.Sprintf(`"correlation":%d`, c.id))
			c.event("cuda_sync", "Stream Sync", stream, float64(at), done-at,
				fmt.Sprintf(`"correlation":%d,"stream":%d,"device":0,"cuda_sync_kind":"Stream Sync"`, c.id, stream))
			at = done
		default:
			took := c.n(3e3, 9e3)
			c.event("cuda_runtime", "cudaLaunchKernel", thread, float64(at), took, fmt.Sprintf(`"correlation":%d`, c.id))
			c.kernel(stream, at+took+c.n(1e3, 4e3), c.id)
			at += took
		}
	}
}

// makeCapture draws a capture; the seed chooses its oddities.
func makeCapture(seed uint64) *madeCapture {
	c := &madeCapture{r: rand.New(rand.NewPCG(seed, 40)), last: map[uint64]int64{}, begin: math.MaxInt64}
	if c.r.IntN(3) == 0 {
		c.offset = float64(c.n(-3600, 3600)) * 1e9
	}
	if c.r.IntN(4) == 0 {
		c.drift = float64(c.n(-50, 50)) * 1e-6
	}
	c.overlap = c.r.IntN(3) == 0
	if c.r.IntN(4) == 0 {
		c.loses = 0.02
	}
	stream := uint64(7)
	for thread := range uint64(c.n(1, 3)) {
		var streams []uint64
		for range c.n(1, 3) {
			streams = append(streams, stream)
			stream++
		}
		c.thread(100+thread, streams, int(c.n(150, 300)))
	}
	return c
}

// Random captures with a known truth: the default replay is within 5 % of it in 95 of 100, and where it is not, the
// verdict or a counter says that records are missing or wrong.
func TestRandomCaptures(t *testing.T) {
	const all = 100
	good := 0
	for seed := range uint64(all) {
		c := makeCapture(seed)
		path := filepath.Join(t.TempDir(), "c.json")
		text := `{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A100-SXM4-80GB",` +
			`"computeMajor":8,"computeMinor":0,` +
			`"numSms":108}],"traceEvents":[` + strings.Join(c.events, ",\n") + "]}"
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		r := converttest.Trace(t, path)
		x, err := CorrelateCapture(t.Context(), r, path)
		if err != nil {
			t.Fatal(err)
		}
		recorded, replayed := pct(x.RecordedNs, c.end-c.begin), pct(x.ReplayedNs, c.end-c.begin)
		v, _, err := capture.Judge(r)
		if err != nil {
			t.Fatal(err)
		}
		told := v.Trust > capture.Believable || len(x.Lost) > 0
		if math.Abs(replayed) <= 5 && math.Abs(x.CapturedPct()) <= 0.1 && math.Abs(recorded) <= 1 {
			good++
			continue
		}
		t.Logf("seed %d: recorded %+.2f %%, captured %+.3f %%, replayed %+.2f %%; offset %.0f s, drift %g, overlap %t, "+
			"%d lost; told: %t", seed, recorded, x.CapturedPct(), replayed, c.offset/1e9, c.drift, c.overlap, c.lost, told)
		if !told {
			t.Errorf("seed %d is off, and nothing says so", seed)
		}
	}
	t.Logf("%d of %d within their bounds", good, all)
	if good < 95 {
		t.Errorf("%d of %d captures are within their bounds, want 95", good, all)
	}
}
