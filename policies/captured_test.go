package policies_test

import (
	"cmp"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// The timeline of this program on a machine of 1000 MHz, a cycle a nanosecond. Cycle 0 is where the host's program
// begins: a millisecond of its work before the first recorded start, which is so cycle 1,000,000. Kernel 0 and, in
// a stream of its own, kernel 1 begin as recorded. So does kernel 2, which was recorded to begin before kernel 1
// had ended, as a programmatic launch does. Kernel 3 was not, and waits for kernel 2. The copy back begins as
// recorded and takes the recorded time; the one after it begins at once.
const timeline = `
array a bytes=4096
work 1000000
launch f grid=1 block=32 fidelity=kernel start=1000 duration=500
launch f grid=1 block=32 fidelity=kernel stream=1 start=1200 duration=500
launch f grid=1 block=32 fidelity=kernel stream=1 start=1300 duration=500
launch f grid=1 block=32 fidelity=kernel stream=1 start=1800 duration=100
d2h a async stream=2 start=5000 duration=300
d2h a async stream=2
`

func TestCapturedTimeline(t *testing.T) {
	cfg := tiny(t, 2, 1)
	l, _ := run(t, timeline, cfg, "captured")
	dispatch := model.Time(cfg.KMU.DispatchLatency)
	byID := map[uint32]model.KernelRecord{}
	for _, k := range l.kernels {
		byID[k.ID] = k
	}
	for id, want := range []model.Time{1_000_000, 1_000_200, 1_000_300, max(1_000_800, byID[2].End+dispatch)} {
		if got := byID[uint32(id)].Dispatch; got != want {
			t.Errorf("kernel %d is dispatched in cycle %d, want %d", id, got, want)
		}
	}
	if byID[1].End < 1_000_700 {
		t.Errorf("kernel 1 ends in cycle %d, before its recorded duration", byID[1].End)
	}
	var copies []model.StageRecord
	for _, s := range l.stages {
		if s.Stage == model.StageD2H {
			copies = append(copies, s)
		}
	}
	if len(copies) != 2 || copies[0].Start != 1_004_000 || copies[0].End != 1_004_300 || copies[1].Start != 1_004_300 {
		t.Errorf("copies %+v, want the first from 1,004,000 to 1,004,300 and the second from then on", copies)
	}
}

// Where nothing was recorded the policy is refused with a sentence.
func TestCapturedNeedsTimes(t *testing.T) {
	cs, err := policies.Parse("captured", nil)
	if err != nil {
		t.Fatal(err)
	}
	f, err := policies.ProfileTrace(tracetest.FromText(t, contractTraces["pipeline"]), host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	if cs[0].MissingInput(f) == "" {
		t.Error("a trace without times is taken")
	}
}

// In a real capture no kernel begins before its recorded start.
func TestCapturedRealTimeline(t *testing.T) {
	paths, _ := filepath.Glob(filepath.Join(tracetest.Data(t), "nvprof-*", "*.csv"))
	if len(paths) == 0 {
		t.Fatal("no capture of nvprof")
	}
	r := converttest.Trace(t, paths[0])
	cfg, err := hardware.Preset("titanx-maxwell")
	if err != nil {
		t.Fatal(err)
	}
	l, sum, err := replay(t, r, cfg, "captured", 0)
	if err != nil || len(l.kernels) != r.Kernels() {
		t.Fatalf("%d of %d kernels end: %v", len(l.kernels), r.Kernels(), err)
	}
	perNs := cfg.Clock.CoreMHz / 1000
	last := int64(0)
	for i := range l.kernels {
		k := &l.kernels[i]
		last = max(last, k.Recorded.StartNs+k.Recorded.DurationNs)
		if float64(k.Dispatch) < float64(k.Recorded.StartNs)*perNs {
			t.Fatalf("kernel %d is dispatched in cycle %d, recorded to start at %d ns", k.ID, k.Dispatch, k.Recorded.StartNs)
		}
	}
	if ends := float64(sum.Cycles) / perNs; ends < float64(last)*0.999 {
		t.Errorf("the replay ends after %.0f ns, the capture after %d", ends, last)
	}
}

// In a capture of a B200, whose kernels were launched programmatically, the pairs of neighbours that overlapped do so
// in a replay, and no others.
func TestCapturedKeepsOverlaps(t *testing.T) {
	r := converttest.Trace(t, tracetest.Data(t, "kineto-tracelens/b200__eager_trace.json.gz"))
	cfg, err := hardware.Preset("b200")
	if err != nil {
		t.Fatal(err)
	}
	l, _, err := replay(t, r, cfg, "captured", 0)
	if err != nil {
		t.Fatal(err)
	}
	slices.SortFunc(l.kernels, func(a, b model.KernelRecord) int { return cmp.Compare(a.ID, b.ID) })
	recorded, kept := 0, 0
	for i := 1; i < len(l.kernels); i++ {
		var k trace.Kernel
		if err := r.Kernel(l.kernels[i].ID, &k); err != nil {
			t.Fatal(err)
		}
		overlaps := l.kernels[i].Dispatch < l.kernels[i-1].End
		if k.Flags&trace.KernelProgrammatic == 0 {
			if overlaps {
				t.Errorf("kernel %d begins in cycle %d, before the end of the one before it in %d", i, l.kernels[i].Dispatch,
					l.kernels[i-1].End)
			}
			continue
		}
		recorded++
		if overlaps {
			kept++
		}
	}
	if recorded != 74 || kept != 74 {
		t.Errorf("%d of %d recorded overlaps are kept, want 74 of 74", kept, recorded)
	}
}

// The missing parts of a trace are named, and nothing else.
func TestMissing(t *testing.T) {
	for name, want := range map[string][]string{
		"pipeline": {"child launches", "narrow tasks", "recorded start times", "recorded times of the host's calls"},
		"times": {"instructions of 3 of 3 kernels", "memory accesses", "arrays", "file reads", "copies back",
			"arrays of copies: 1 ",
			"child launches", "narrow tasks", "recorded times of the host's calls"},
	} {
		f, err := policies.ProfileTrace(tracetest.FromText(t, contractTraces[name]), host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		got := f.Missing()
		if len(got) != len(want) {
			t.Errorf("%s lacks %q, want %d of them", name, got, len(want))
			continue
		}
		for i, w := range want {
			if !strings.HasPrefix(got[i], w) {
				t.Errorf("%s lacks %q, want %q", name, got[i], w)
			}
		}
	}
}

// Without boundaries no recorded time lies between a call and the begin of its work: neither the delay of a launch nor
// the recorded start of a kernel without a call.
func TestNoRecordedDelaysWithoutBoundaries(t *testing.T) {
	tr := tracetest.FromText(t, `
launch f grid=1 block=32 fidelity=kernel host=0 start=900000 duration=500
launch f grid=1 block=32 fidelity=kernel stream=1 start=700000 duration=500
`)
	cfg := tiny(t, 2, 1)
	for policy, late := range map[string]bool{"hyperq": true, "boundary-free": false} {
		cs, err := policies.Parse(policy, nil)
		if err != nil {
			t.Fatal(err)
		}
		results, err := runs.Run(t.Context(), &runs.Job{Trace: tr, Name: "t", Config: cfg, Choices: cs,
			Timing: &host.Timing{Host: host.TimesRecorded}})
		if err != nil {
			t.Fatal(err)
		}
		if n := results[0].Run.Cycles; n >= 900_000 != late || n < 500 {
			t.Errorf("%s takes %d cycles", policy, n)
		}
	}
}
