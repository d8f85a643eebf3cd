package analyse

import (
	"cmp"
	"database/sql"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/replay/capture"
)

// activity is a record of a made capture: a call, a wait, a kernel or a copy.
type activity struct {
	cat, name string // as the PyTorch profiler has them
	at        uint64 // thread of a call, or stream
	start     float64
	ns        int64 // how long it took
	id        int
	grid      int64
	bytes     int64
}

// madeCapture is a random capture whose truth is known: threads that launch kernels and graphs, copy, and wait, each
// in streams of its own, on a device whose clock may be another one, with a profiler that may lose records.
type madeCapture struct {
	r       *rand.Rand
	all     []activity
	id      int
	begin   int64            // of the first call, ns by the host's clock
	end     int64            // of the last work
	last    map[uint64]int64 // per stream: end of its last work
	copies  [][2]int64       // begin and end of each copy: they share an engine
	offset  float64          // of the device's clock, ns
	drift   float64          // and its rate, of one
	overlap bool             // kernels of a stream may overlap
	loses   float64          // share of activities that the profiler lost
	lost    int
}

func (c *madeCapture) n(from, to int64) int64 { return from + c.r.Int64N(to-from+1) }

// device is a time by the device's clock.
func (c *madeCapture) device(ns int64) float64 { return float64(ns) + c.offset + float64(ns)*c.drift }

func (c *madeCapture) call(name string, thread uint64, start, ns int64) {
	c.begin = min(c.begin, start)
	c.all = append(c.all, activity{cat: "cuda_runtime", name: name, at: thread, start: float64(start), ns: ns, id: c.id})
}

// done notes work of the device, or loses it.
func (c *madeCapture) done(a activity, start int64) {
	end := start + a.ns
	c.last[a.at] = max(c.last[a.at], end)
	c.end = max(c.end, end)
	if c.r.Float64() < c.loses {
		c.lost++
		return
	}
	a.start = c.device(start)
	c.all = append(c.all, a)
}

// kernel runs a kernel on a stream, no earlier than a time, and returns its end.
func (c *madeCapture) kernel(stream uint64, from int64, id int) int64 {
	before, duration := c.last[stream], c.n(5e3, 150e3)
	start := max(from, before+c.n(500, 1500))
	if c.overlap && before > from && c.r.IntN(3) == 0 {
		start = max(from, before-c.n(1e3, 4e3))
	}
	name, grid := fmt.Sprintf("k%d", c.r.IntN(4)), c.n(1, 400)
	if grid%8 > 0 { // most are small: the times depend on no grid, the replay's cost does
		grid = (grid + 7) / 8
	}
	c.done(activity{cat: "kernel", name: name, at: stream, ns: duration, id: id, grid: grid}, start)
	return start + duration
}

// copy copies to the device behind the work of a stream, once the engine is free, and returns its end.
func (c *madeCapture) copy(stream uint64, from int64) int64 {
	bytes := c.n(4<<10, 4<<20)
	ns := bytes / 20 // 20 GB/s
	start := max(from, c.last[stream]+c.n(500, 1500))
	slices.SortFunc(c.copies, func(a, b [2]int64) int { return cmp.Compare(a[0], b[0]) })
	for _, other := range c.copies {
		if start < other[1] && other[0] < start+ns {
			start = other[1] + c.n(300, 800)
		}
	}
	c.copies = append(c.copies, [2]int64{start, start + ns})
	c.done(activity{cat: "gpu_memcpy", name: "Memcpy HtoD (Pinned -> Device)", at: stream, ns: ns, id: c.id,
		bytes: bytes}, start)
	return start + ns
}

// hostThread is a host thread with its streams.
type hostThread struct {
	id      uint64
	at      int64 // when it goes on
	streams []uint64
	steps   int
}

// step is one step of a thread.
func (c *madeCapture) step(h *hostThread) {
	stream := h.streams[c.r.IntN(len(h.streams))]
	at := h.at + c.n(1e3, 30e3)
	c.id++
	switch c.r.IntN(8) {
	case 0: // a graph, whose kernels may begin in the call
		took := c.n(20e3, 300e3)
		c.call("cudaGraphLaunch", h.id, at, took)
		id, from := c.id, at+c.n(took/2, took+10e3)
		for range c.n(2, 6) {
			from = c.kernel(stream, from, id)
		}
		at += took
	case 1:
		done := max(at, c.last[stream]) + c.n(1e3, 4e3)
		c.call("cudaStreamSynchronize", h.id, at, done-at)
		c.all = append(c.all, activity{cat: "cuda_sync", name: "Stream Sync", at: stream, start: float64(at),
			ns: done - at, id: c.id})
		at = done
	case 2: // a copy, half of them with a call that returns before it ends
		took := c.n(3e3, 9e3)
		end := c.copy(stream, at+took+c.n(1e3, 4e3))
		name := "cudaMemcpyAsync"
		if c.r.IntN(2) == 0 {
			name, took = "cudaMemcpy", end-at+c.n(1e3, 4e3)
		}
		c.call(name, h.id, at, took)
		at += took
	case 3: // a stream waits for an event of another
		other := h.streams[c.r.IntN(len(h.streams))]
		c.call("cudaEventRecord", h.id, at, 1500)
		c.id++
		c.call("cudaStreamWaitEvent", h.id, at+2e3, 1500)
		c.last[stream] = max(c.last[stream], c.last[other])
		at += 4e3
	default:
		took := c.n(3e3, 9e3)
		c.call("cudaLaunchKernel", h.id, at, took)
		c.kernel(stream, at+took+c.n(1e3, 4e3), c.id)
		at += took
	}
	h.at = at
	h.steps--
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
	var threads []*hostThread
	for id := range uint64(c.n(1, 3)) {
		h := &hostThread{id: 100 + id, at: c.n(0, 50e3), steps: int(c.n(150, 300))}
		for range c.n(1, 3) {
			h.streams = append(h.streams, stream)
			stream++
		}
		threads = append(threads, h)
	}
	for len(threads) > 0 { // in the order of time, since all copies share an engine
		first := slices.MinFunc(threads, func(a, b *hostThread) int { return cmp.Compare(a.at, b.at) })
		if c.step(first); first.steps == 0 {
			threads = slices.DeleteFunc(threads, func(h *hostThread) bool { return h == first })
		}
	}
	return c
}

// kineto writes the capture as PyTorch's profiler does.
func (c *madeCapture) kineto(t *testing.T) string {
	var events []string
	for _, a := range c.all {
		args := fmt.Sprintf(`"correlation":%d`, a.id)
		switch a.cat {
		case "kernel":
			args += fmt.Sprintf(`,"device":0,"stream":%d,"grid":[%d,1,1],"block":[128,1,1]`, a.at, a.grid)
		case "gpu_memcpy":
			args += fmt.Sprintf(`,"device":0,"stream":%d,"bytes":%d`, a.at, a.bytes)
		case "cuda_sync":
			args += fmt.Sprintf(`,"device":0,"stream":%d,"cuda_sync_kind":"Stream Sync"`, a.at)
		}
		const event = `{"ph":"X","cat":%q,"name":%q,"pid":1,"tid":%d,"ts":%.3f,"dur":%.3f,"args":{%s}}`
		events = append(events, fmt.Sprintf(event, a.cat, a.name, a.at, 1e6+a.start/1000, float64(a.ns)/1000, args))
	}
	path := filepath.Join(t.TempDir(), "c.json")
	text := `{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A100-SXM4-80GB",` +
		`"computeMajor":8,"computeMinor":0,"numSms":108}],"traceEvents":[` + strings.Join(events, ",\n") + "]}"
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// nsysTables are the tables of Nsight Systems that the captures have.
const nsysTables = `CREATE TABLE StringIds (id INTEGER PRIMARY KEY, value TEXT);
CREATE TABLE CUPTI_ACTIVITY_KIND_KERNEL (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
	streamId INTEGER, correlationId INTEGER, globalPid INTEGER, demangledName INTEGER, shortName INTEGER,
	registersPerThread INTEGER, gridX INTEGER, gridY INTEGER, gridZ INTEGER, blockX INTEGER, blockY INTEGER,
	blockZ INTEGER, staticSharedMemory INTEGER,
	dynamicSharedMemory INTEGER, localMemoryPerThread INTEGER, graphNodeId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_MEMCPY (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
	streamId INTEGER,
	correlationId INTEGER, globalPid INTEGER, bytes INTEGER, copyKind INTEGER, srcKind INTEGER, dstKind INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_RUNTIME (start INTEGER, end INTEGER, globalTid INTEGER, correlationId INTEGER,
	nameId INTEGER);
CREATE TABLE CUPTI_ACTIVITY_KIND_SYNCHRONIZATION (start INTEGER, end INTEGER, deviceId INTEGER, contextId INTEGER,
	streamId INTEGER, correlationId INTEGER, globalPid INTEGER, syncType INTEGER, eventId INTEGER)`

// nsys writes the capture as Nsight Systems does.
func (c *madeCapture) nsys(t *testing.T) string {
	path := filepath.Join(t.TempDir(), "c.sqlite")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	statements := []string{nsysTables}
	names := map[string]int{}
	id := func(name string) int {
		if names[name] == 0 {
			names[name] = len(names) + 1
			statements = append(statements, fmt.Sprintf("INSERT INTO StringIds VALUES (%d, '%s')", len(names), name))
		}
		return names[name]
	}
	const pid, hour = 1 << 24, 4e12 // by the device's clock too, no time is negative
	for _, a := range c.all {
		from, to := int64(hour+a.start), int64(hour+a.start)+a.ns
		var row string
		switch a.cat {
		case "cuda_runtime":
			row = fmt.Sprintf("RUNTIME VALUES (%d,%d,%d,%d,%d)", from, to, pid+int(a.at), a.id, id(a.name))
		case "kernel":
			row = fmt.Sprintf("KERNEL VALUES (%d,%d,0,1,%d,%d,%d,%d,%d,16,%d,1,1,128,1,1,0,0,0,NULL)", from, to, a.at,
				a.id, pid, id(a.name), id(a.name), a.grid)
		case "gpu_memcpy":
			row = fmt.Sprintf("MEMCPY VALUES (%d,%d,0,1,%d,%d,%d,%d,1,1,2)", from, to, a.at, a.id, pid, a.bytes)
		case "cuda_sync":
			row = fmt.Sprintf("SYNCHRONIZATION VALUES (%d,%d,0,1,%d,%d,%d,3,NULL)", from, to, a.at, a.id, pid)
		}
		statements = append(statements, "INSERT INTO CUPTI_ACTIVITY_KIND_"+row)
	}
	if _, err := db.Exec("BEGIN;" + strings.Join(statements, ";\n") + ";COMMIT"); err != nil {
		t.Fatal(err)
	}
	return path
}

// Random captures with a known truth, as two profilers write them: the default replay is within 5 % of it in 95 of
// 100, and where it is not, the verdict or a counter says that records are missing or wrong.
func TestRandomCaptures(t *testing.T) {
	for name, write := range map[string]func(*madeCapture, *testing.T) string{
		"kineto": (*madeCapture).kineto, "nsys": (*madeCapture).nsys,
	} {
		t.Run(name, func(t *testing.T) { replayRandomCaptures(t, write) })
	}
}

func replayRandomCaptures(t *testing.T, write func(*madeCapture, *testing.T) string) {
	const all = 100
	good := 0
	for seed := range uint64(all) {
		c := makeCapture(seed)
		path := write(c, t)
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
