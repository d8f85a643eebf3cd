package policies_test

import (
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/trace/tracetest"
)

// pairs is two kernels of two CTAs. CTA i of the second reads the word that CTA i of the first has written.
// Instructions take 100 cycles, and the second CTA of the first kernel has more of them.
const pairs = `
array a base=0x10000 bytes=4K
launch a grid=2 block=32
cta 0
warp 0
int R1 <- R2 x2
store <- R1 @0x10000+4
exit
cta 1
warp 0
int R1 <- R1 x30
store <- R1 @0x10100+4
exit
launch b grid=2 block=32
cta 0
warp 0
load R1 <- R2 @0x10000+4
exit
cta 1
warp 0
load R1 <- R2 @0x10100+4
exit
`

// A task begins the latency of a task behind the end of its producer: the first one while the other producer runs. With
// kernels as the grain both wait for it.
func TestTaskFollowsItsProducer(t *testing.T) {
	cfg := tiny(t, 4, 1)
	cfg.L1.BypassLatency, cfg.L2.Latency = 40, 160
	for _, c := range []struct {
		policy  string
		latency model.Time
		kernels bool
	}{
		{"megakernel,prefetch=0", 920, false}, {"megakernel,prefetch=0,task-latency=90", 90, false},
		{"megakernel,prefetch=0,grain=kernel", 920, true},
	} {
		l, _ := run(t, pairs, cfg, c.policy)
		latency := c.latency
		for cta := range uint32(2) {
			producer := l.cta(t, 0, cta).End
			if c.kernels {
				producer = max(producer, l.cta(t, 0, 1-cta).End)
			}
			if at := l.cta(t, 1, cta).Dispatch; at < producer+latency || at > producer+latency+1 {
				t.Errorf("%s: task %d begins in cycle %d, its producers end in %d and the latency is %d", c.policy, cta, at,
					producer, latency)
			}
		}
	}
}

// Random chains end and pass the auditor, which checks each access against those of the kernels before, and the tasks
// of an SM against its workers.
func TestMegakernelChains(t *testing.T) {
	for c := range randomChains(t, 200, 45, 2) {
		for name, l := range c.under("megakernel", "megakernel,workers=1", "megakernel,grain=kernel",
			"megakernel,task-latency=0", "megakernel,cta=fill", "megakernel,workers=1,prefetch=0") {
			for i := range l.ctas {
				if !l.ctas[i].Resident {
					t.Fatalf("%s: CTA %d is no task", name, i)
				}
			}
		}
	}
}

// A worker and a task that runs ahead hold the shared memory that they state, which is no power of two.
func TestTasksHoldWhatTheyState(t *testing.T) {
	cfg := tiny(t, 1, 4)
	cfg.SM.SharedBytes = 48 << 10
	l, _ := run(t, strings.ReplaceAll(pairs, "block=32", "block=32 shared=33000"), cfg, "megakernel,workers=1")
	if a, b := l.cta(t, 0, 0), l.cta(t, 0, 1); b.Dispatch >= a.End {
		t.Errorf("no task is beside another one: one ends in cycle %d, the other comes in cycle %d", a.End, b.Dispatch)
	}
}

// Workers share an SM: with one of them tasks of a kernel run one after another.
func TestWorkers(t *testing.T) {
	text := pairs
	cfg := tiny(t, 1, 4)
	l, _ := run(t, text, cfg, "megakernel,workers=1,prefetch=0")
	if a, b := l.cta(t, 0, 0), l.cta(t, 0, 1); b.Dispatch < a.End {
		t.Errorf("task 1 begins in cycle %d, task 0 ends in %d", b.Dispatch, a.End)
	}
	l, _ = run(t, text, cfg, "megakernel,workers=2")
	if a, b := l.cta(t, 0, 0), l.cta(t, 0, 1); b.Dispatch >= a.End {
		t.Errorf("task 1 waits for a worker until cycle %d", b.Dispatch)
	}
}

// loadsFirst is two kernels of one CTA. The second loads four words that nothing writes, and then one that the first
// writes.
const loadsFirst = `
array a base=0x10000 bytes=4K
array w base=0x40000 bytes=64K
launch a grid=1 block=32
cta 0
warp 0
int R1 <- R1 x30
store <- R1 @0x10000+4
exit
launch b grid=1 block=32
cta 0
warp 0
load R1 <- R2 @0x40000+4
load R3 <- R2 @0x41000+4
load R4 <- R2 @0x42000+4
load R5 <- R2 @0x43000+4
load R6 <- R2 @0x10000+4
int R7 <- R6
exit
`

// The loads of a task that read nothing in flight issue while the task before it runs, as far as pages hold their data.
// The others wait.
func TestLoadsAhead(t *testing.T) {
	cfg := tiny(t, 1, 4)
	early, _ := run(t, loadsFirst, cfg, "megakernel,workers=1")
	late, _ := run(t, loadsFirst, cfg, "megakernel,workers=1,prefetch=0")
	a, b := early.cta(t, 0, 0), early.cta(t, 1, 0)
	if b.Start >= a.End-1000 {
		t.Errorf("the second task begins in cycle %d, the first ends in %d", b.Start, a.End)
	}
	if at := late.cta(t, 1, 0).Start; at <= a.End {
		t.Errorf("without pages it begins in cycle %d, the first ends in %d", at, a.End)
	}
	saved := late.cta(t, 1, 0).End - b.End
	if saved < 3 { // four loads issue before
		t.Errorf("loading ahead saves %d cycles", saved)
	}
}

// A megakernel that no SM has room for is an error of one line.
func TestMegakernelWithoutRoom(t *testing.T) {
	cs, err := policies.Parse("megakernel,workers=64", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = runs.Run(t.Context(), &runs.Job{Trace: tracetest.FromText(t, pairs), Config: tiny(t, 1, 1), Choices: cs})
	if err == nil || !strings.Contains(err.Error(), "64 workers of 1 warps") || strings.Contains(err.Error(), "\n") {
		t.Errorf("64 workers: %v", err)
	}
}
