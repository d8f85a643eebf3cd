package policies_test

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace/tracetest"
)

// launchedAhead is two kernels of one warp. Instructions take 100 cycles. The first triggers behind ten of them and has
// ten more; the second waits behind five.
const launchedAhead = `
launch a grid=1 block=32
cta 0
warp 0
int R1 <- R1 x10
PREEXIT control
int R1 <- R1 x10
exit
launch b grid=1 block=32
cta 0
warp 0
int R1 <- R1 x5
ACQBULK control
int R2 <- R2 x5
exit
`

// The second kernel is dispatched a cycle behind the trigger of the first, and its warp goes on when that has ended.
func TestProgrammaticLaunch(t *testing.T) {
	cfg := tiny(t, 2, 1)
	cfg.Host.LaunchLatency, cfg.Host.LaunchOverheadNs, cfg.KMU.DispatchLatency = 0, 0, 50
	l, _ := run(t, launchedAhead, cfg, "pdl")
	a, b := l.kernels[0], l.kernels[1]
	trigger := l.ctas[0].Start + 9*100 + 1
	if want := trigger + 1 + model.Time(cfg.KMU.DispatchLatency); b.Dispatch != want {
		t.Errorf("the second is dispatched in cycle %d, want %d", b.Dispatch, want)
	}
	if l.ctas[1].Start >= a.End-500 {
		t.Errorf("it begins in cycle %d, with the first until %d", l.ctas[1].Start, a.End)
	}
	goesOn := a.End + 1
	if last, got := goesOn+1+4*100, b.End; got < last+1 || got > last+100+model.Time(cfg.SM.ExitLatency)+2 {
		t.Errorf("it ends in cycle %d; its last instruction issues in %d", got, last)
	}
}

// Under pdl an edge between streams follows its port: the second kernel is dispatched behind the trigger, or the
// begin, of the first, and waits for its end where the edge is programmatic. Elsewhere all edges count as completed.
func TestPortsBetweenStreams(t *testing.T) {
	for _, c := range []struct {
		port, policy  string
		at            model.Time // behind the start of the first kernel
		waits, before bool
	}{
		{port: "programmatic", policy: "pdl", at: 9*100 + 1, waits: true, before: true},
		{port: "begun", policy: "pdl", at: 0, before: true},
		{port: "completed", policy: "pdl"}, {port: "programmatic", policy: "hyperq"}, {port: "begun", policy: "graph"},
	} {
		text := strings.Replace(launchedAhead, "launch b grid=1 block=32",
			"record 1 port="+c.port+"\nwait 1 stream=1\nlaunch b grid=1 block=32 stream=1 programmatic", 1)
		cfg := tiny(t, 2, 1)
		cfg.Host.LaunchLatency, cfg.Host.LaunchOverheadNs, cfg.KMU.DispatchLatency = 0, 0, 50
		l, _ := run(t, text, cfg, c.policy)
		a, b := l.kernels[slices.IndexFunc(l.kernels, named("a"))], l.kernels[slices.IndexFunc(l.kernels, named("b"))]
		first := l.ctas[slices.IndexFunc(l.ctas, func(x model.CTARecord) bool { return x.Kernel == a.ID })]
		switch want := first.Start + c.at + 1 + 50; {
		case !c.before && b.Dispatch < a.End:
			t.Errorf("%s, port %s: the second enters in cycle %d, the first ends in %d", c.policy, c.port, b.Dispatch, a.End)
		case c.before && (b.Dispatch > want || b.Dispatch < want-5):
			t.Errorf("%s, port %s: the second enters in cycle %d, want %d", c.policy, c.port, b.Dispatch, want)
		case c.waits != (b.End > a.End) && c.before:
			t.Errorf("%s, port %s: the second ends in cycle %d, the first in %d", c.policy, c.port, b.End, a.End)
		}
	}
}

func named(name string) func(model.KernelRecord) bool {
	return func(k model.KernelRecord) bool { return k.Function == name }
}

// Chains across streams end, and pass the auditor, which compares each access with the accesses of earlier kernels. A
// third kernel of a chain enters when the first has ended.
func TestPortChains(t *testing.T) {
	early := 0
	for c := range randomChains(t, 200, 47, 1) {
		lines := strings.Split(c.text, "\n")
		k, streams := 0, 2+c.r.IntN(2)
		for i, line := range lines {
			if strings.HasPrefix(line, "launch ") {
				before, at := (k+streams-1)%streams, k%streams
				lines[i] = fmt.Sprintf("%s stream=%d programmatic", line, at)
				if k > 0 {
					lines[i] = fmt.Sprintf("record %d port=programmatic stream=%d\nwait %d stream=%d\n%s", 10+k, before, 10+k, at,
						lines[i])
				}
				k++
			}
		}
		c.text = strings.Join(lines, "\n")
		for name, l := range c.under("pdl", "pdl,trigger=begin", "pdl,trigger=last-load", "pdl,trigger=end,wait=begin") {
			slices.SortFunc(l.kernels, func(a, b model.KernelRecord) int { return cmp.Compare(a.ID, b.ID) })
			for i := range l.kernels {
				if i > 0 && l.kernels[i].Dispatch < l.kernels[i-1].End {
					early++
				}
				if i > 1 && l.kernels[i].Dispatch < l.kernels[i-2].End {
					t.Fatalf("%s: kernel %d enters in cycle %d, kernel %d ends in %d", name, i, l.kernels[i].Dispatch, i-2,
						l.kernels[i-2].End)
				}
			}
		}
	}
	if early < 100 {
		t.Errorf("%d kernels enter before the one in front of them has ended", early)
	}
}

// The L1 is flushed when the first warp of a kernel on the SM has waited, and not when its first CTA comes. Before its
// wait the second kernel hits lines of the first one on the same SM; behind it, no kernel hits them.
func TestProgrammaticFlush(t *testing.T) {
	const first = `
launch a grid=2 block=32
cta 0
warp 0
load R1 <- R2 @0x10000+4
int R3 <- R1
PREEXIT control
exit
cta 1
warp 0
PREEXIT control
int R1 <- R1 x90
exit
launch b grid=1 block=32
cta 0
warp 0
load R1 <- R2 @0x10000+4
int R3 <- R1 x3
`
	const wait, again = "ACQBULK control\n", "load R1 <- R2 @0x10000+4\nint R3 <- R1 x3\n"
	for text, want := range map[string][2]uint64{
		first + "exit\n":                        {4, 4},  // nothing waits: no flush
		first + wait + "exit\n":                 {4, 4},  // a flush behind the hit
		first + wait + again + "exit\n":         {8, 4},  // whose effect the second load sees
		first + again + wait + again + "exit\n": {12, 8}, // which the one before the wait does not
	} {
		l, _ := run(t, text, tiny(t, 2, 1), "pdl")
		w := l.kernels[slices.IndexFunc(l.kernels, func(k model.KernelRecord) bool { return k.Function == "b" })].Work
		if got := [2]uint64{w.L1Accesses, w.L1Hits}; got != want {
			t.Errorf("%d accesses and hits, want %d, of\n%s", got, want, text)
		}
	}
}

// Random chains pass the auditor, which checks each access against those of the kernels before. No more than two of
// their kernels are on the GPU at once, and none ends before the one in front of it.
func TestProgrammaticChains(t *testing.T) {
	for c := range randomChains(t, 200, 42, 1) {
		for name, l := range c.under("pdl", "pdl,trigger=begin", "pdl,trigger=last-load", "pdl,trigger=end",
			"pdl,trigger=begin,wait=begin") {
			slices.SortFunc(l.kernels, func(a, b model.KernelRecord) int { return cmp.Compare(a.ID, b.ID) })
			for i := range l.kernels {
				for j := i + 2; j < len(l.kernels); j++ {
					if l.kernels[j].Dispatch < l.kernels[i].End {
						t.Fatalf("%s: kernel %d enters in cycle %d, kernel %d ends in %d", name, j, l.kernels[j].Dispatch, i,
							l.kernels[i].End)
					}
				}
			}
		}
	}
}

// Without a trigger a programmatic launch changes nothing: every record is that of hyperq.
func TestNoTrigger(t *testing.T) {
	for seed := range uint64(50) {
		r := rand.New(rand.NewPCG(seed, 43))
		sameRecords(t, fmt.Sprint("seed ", seed), overlapping(r, false), tiny(t, 1+r.IntN(3), 1+r.IntN(3)))
	}
	for _, preset := range []string{"a100", "rtx3070", "k20c"} {
		cfg, err := hardware.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		for seed := range uint64(5) {
			sameRecords(t, preset, overlapping(rand.New(rand.NewPCG(seed, 44)), false), cfg)
		}
	}
}

func sameRecords(t *testing.T, name, text string, cfg *hardware.Config) {
	t.Helper()
	r := tracetest.FromText(t, text)
	want, _, err := replay(t, r, cfg, "hyperq", 0)
	if err != nil {
		t.Fatal(err)
	}
	got, _, err := replay(t, r, cfg, "pdl", 0)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.kernels, want.kernels) || !reflect.DeepEqual(got.ctas, want.ctas) {
		t.Errorf("%s: records differ:\n%+v\n%+v", name, got.kernels, want.kernels)
	}
}
