package megakernel

import (
	"slices"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// twoStreams is two kernels of two CTAs in a stream, and one in another. CTA 0 of the second reads a word that CTA 0 of
// the first has written, and CTA 1 writes one that CTA 1 of the first reads.
const twoStreams = `
launch a grid=2 block=32
cta 0
warp 0
store <- R1 @0x10000+4
exit
cta 1
warp 0
load R1 <- R2 @0x20000+4
exit
launch b grid=2 block=32
cta 0
warp 0
load R1 <- R2 @0x10000+0
exit
cta 1
warp 0
store <- R1 @0x2007c+0
exit
launch c grid=1 block=32 stream=1
cta 0
warp 0
store <- R1 @0x10000+4
exit
`

// step is a fact about a task that the book is told: it is queued (q), on an SM (p), has begun (b) or ended (e).
type step struct {
	what        byte
	kernel, cta uint32
	at          model.Time
}

// ran is a task on its whole way, which begins in cycle t and ends a hundred later.
func ran(kernel, cta uint32, t model.Time) []step {
	return []step{{'q', kernel, cta, t}, {'b', kernel, cta, t}, {'p', kernel, cta, t}, {'e', kernel, cta, t + 100}}
}

// sound is a run in which each rule holds, as narrowly as it can: one worker, a queue of two, a decision of 10 cycles
// and a way of 40.
func sound() []step {
	return slices.Concat([]step{{'q', 0, 0, 50}, {'q', 2, 0, 50}}, ran(0, 0, 50)[1:], ran(0, 1, 150), ran(1, 0, 250),
		ran(1, 1, 350), ran(2, 0, 450)[1:])
}

// without is a run without one of its steps.
func without(i int) []step { return slices.Delete(sound(), i, i+1) }

// Each rule finds a log that is wrong in one fact, and nothing in a sound one.
func TestQueueBookFindsFalseLogs(t *testing.T) {
	later := func(what byte, kernel, cta uint32, by model.Time) []step {
		log := sound()
		i := slices.IndexFunc(log, func(s step) bool { return s.what == what && s.kernel == kernel && s.cta == cta })
		log[i].at += by
		return log
	}
	for name, c := range map[string]struct {
		log     []step
		kernels bool // as the grain
		rule    string
	}{
		"sound":                             {sound(), false, ""},
		"read a latency behind the end":     {later('e', 0, 0, 50), false, ""},
		"read a cycle before that":          {later('e', 0, 0, 51), false, "mega-depends"},
		"written a latency behind the end":  {later('b', 1, 1, -50), false, ""},
		"written a cycle before that":       {later('b', 1, 1, -51), false, "mega-depends"},
		"sound, but for kernels as a whole": {sound(), true, "mega-depends"},
		"not ended":                         {slices.Concat(sound()[:4], ran(1, 0, 250)), false, "mega-depends"},
		"not ended, but another task": {slices.Concat(ran(0, 1, 50), ran(1, 1, 250), ran(0, 0, 350), ran(1, 0, 500),
			ran(2, 0, 600)), false, ""},
		"before its kernel's turn":      {slices.Concat(ran(1, 0, 0), sound()), false, "mega-depends"},
		"three queued":                  {slices.Insert(sound(), 2, step{'q', 0, 1, 50}), false, "mega-queue"},
		"queued twice":                  {slices.Insert(sound(), 2, step{'q', 0, 0, 50}), false, "mega-once"},
		"queued on its SM":              {slices.Insert(sound(), 5, step{'q', 0, 0, 50}), false, "mega-once"},
		"queued outside of the grid":    {slices.Insert(sound(), 2, step{'q', 0, 2, 50}), false, "mega-once"},
		"begins twice":                  {slices.Insert(sound(), 3, step{'b', 0, 0, 50}), false, "mega-once"},
		"ends without a begin":          {without(2), false, "mega-once"},
		"ends twice":                    {slices.Insert(sound(), 5, step{'e', 0, 0, 150}), false, "mega-once"},
		"never ends":                    {without(8), false, "mega-once"},
		"two at once, of one worker":    {slices.Insert(sound(), 3, step{'b', 2, 0, 50}), false, "mega-workers"},
		"without an entry, ahead of it": {without(5), false, ""},
	} {
		t.Run(name, func(t *testing.T) {
			cfg, err := hardware.Preset("gk110-ppcs")
			if err != nil {
				t.Fatal(err)
			}
			cfg.SM.Count = 2
			u := New(Config{Workers: 1, Queue: 1, Kernels: c.kernels})
			u.schedule.decision, u.schedule.latency = 10, 40
			var found []string
			b := u.Audit(tracetest.FromText(t, twoStreams), cfg, func(rule string, _ model.Time, _ string, _ ...any) {
				found = append(found, rule)
			}).(*queueBook)
			feed(b, c.log)
			if (len(found) > 0) != (c.rule != "") || c.rule != "" && !slices.Contains(found, c.rule) {
				t.Errorf("found %q, want %q", found, c.rule)
			}
		})
	}
}

// feed tells a book of a log, and then of the ends of all kernels.
func feed(b *queueBook, log []step) {
	for _, s := range log {
		r := &model.CTARecord{Kernel: s.kernel, CTA: s.cta, Dispatch: s.at, End: s.at}
		switch s.what {
		case 'q':
			b.queues(s.kernel, s.cta, s.at)
		case 'p':
			b.Placed(r)
		case 'b':
			b.begins(s.kernel, s.cta, 0, s.at)
		case 'e':
			b.CTA(r)
		}
	}
	for kernel := range uint32(3) {
		b.Kernel(&model.KernelRecord{ID: kernel})
	}
}

// The words of a CTA are joined over its accesses, in order; shared memory has none, and an atomic reads and writes.
func TestTouchedWords(t *testing.T) {
	code := trace.Function{Insts: []trace.Inst{{Width: 8, Space: trace.SpaceGlobal, Flags: trace.InstLoad},
		{Width: 4, Space: trace.SpaceShared, Flags: trace.InstStore},
		{Width: 4, Space: trace.SpaceGlobal, Flags: trace.InstLoad | trace.InstStore | trace.InstAtomic}}}
	w := trace.Warp{Path: []uint32{0, 1, 2, 0}, Lists: []uint64{400, 40, 36, 404},
		Mem: []trace.Access{{List: 1, Count: 4}, {Base: 4000, Count: 1}, {Base: 42, Count: 1},
			{Base: 44, Stride: 8, Count: 2}}}
	got := touched(&code, &trace.CTA{Warps: []trace.Warp{w}})
	if want := []words{{9, 15}, {100, 103}}; !slices.Equal(got[0], want) {
		t.Errorf("it reads %v, want %v", got[0], want)
	}
	if want := []words{{10, 12}}; !slices.Equal(got[1], want) {
		t.Errorf("it writes %v, want %v", got[1], want)
	}
}
