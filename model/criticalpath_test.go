package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// unlimited changes the tiny machine to one in which only the dependences of the trace cause waits. It has an SM
// for each CTA, a scheduler for each warp, a slice with a channel of its own for each SM, and every latency at its
// least. Then an instruction issues in the cycle after the one before it, and
//
//	arithmetic  1 cycle        load, atomic   2: a burst and the slice's answer
//	constant    4: the way     store          1: the slice's acknowledgement
//	CTA, kernel, launch call, return from children: the next cycle
var unlimited = []string{
	"sm.count=64", "sm.max_ctas=1", "sm.schedulers=16", "sm.pipeline_depth=0", "sm.operand_collectors=0",
	"exec.int.latency=1", "exec.control.latency=1",
	"shared.latency=0", "l1.latency=0", "l1.bypass_latency=0", "l1.mshrs=0", "l1.merge=0", "l1.miss_queue=4096",
	"icnt.latency=0",
	"l2.bytes=262144", "l2.slices=64", "l2.ways=32", "l2.latency=0", "l2.mshrs=0", "l2.merge=0", "l2.miss_queue=4096",
	"l2.queue=4096",
	"dram.channels=64", "dram.bus_bytes=32", "dram.latency=0", "dram.window=4096", "dram.tccd=1", "dram.trrd=0",
	"dram.trcd=0", "dram.tras=0",
	"dram.trp=0", "dram.trc=0", "dram.tcl=0", "dram.twl=0", "dram.tcdlr=0", "dram.twr=0",
	"kmu.hwqs=1024", "kmu.entries=1024", "kmu.ctas_per_cycle=64", "launch.device_sync=1", "launch.blocks_warp=false",
}

// path builds a random trace of kernels, and beside it the length of its longest path,
// from the dependences that it wrote down itself.
type path struct {
	r        *rand.Rand
	host     strings.Builder // launches
	children strings.Builder
	launches int
	kids     int
	sms      int // CTAs so far: each has an SM of its own
}

// warpPath is one warp on its way.
type warpPath struct {
	at, done model.Time // next issue, all results
	ready    [8]model.Time
}

func (w *warpPath) issue(latency model.Time, dst, src int) model.Time {
	t := max(w.at, w.ready[dst], w.ready[src])
	w.at = t + 1
	if latency > 0 {
		w.ready[dst] = t + latency
		w.done = max(w.done, t+latency)
	}
	return t
}

// alone writes a CTA of one warp with memory accesses, fences and, if it may, child
// launches, and returns when the CTA and its children have ended, from its start.
func (p *path) alone(b *strings.Builder, kids bool) (cta, children model.Time) {
	var w warpPath
	sm, slices := p.sms, 64
	p.sms++
	fmt.Fprintln(b, "warp 0")
	open := model.Time(0) // end of the children that have not been waited for
	for i := range 2 + p.r.IntN(12) {
		d, s := p.r.IntN(8), p.r.IntN(8)
		at := fmt.Sprintf("@%#x+0", 0x100000+256*(sm%slices+slices*i))
		switch p.r.IntN(7) {
		case 0:
			fmt.Fprintf(b, "load bypass R%d <- R%d %s\n", d, s, at)
			w.issue(2, d, s)
		case 1:
			fmt.Fprintf(b, "atomic R%d <- R%d %s\n", d, s, at)
			w.issue(2, d, s)
		case 2:
			// behind a fence, or its acknowledgement could meet a load's data at the SM's port
			fmt.Fprintf(b, "fence\nstore <- R%d R%d %s\n", d, s, at)
			w.at = max(w.at+1, w.done)
			t := w.issue(0, d, s)
			w.done = max(w.done, t+1)
		case 3:
			fmt.Fprintf(b, "load constant R%d <- R%d\n", d, s)
			w.issue(4, d, s)
		case 4:
			fmt.Fprintln(b, "fence")
			w.at = max(w.at+1, w.done)
		default:
			fmt.Fprintf(b, "int R%d <- R%d\n", d, s)
			w.issue(1, d, s)
		}
		if kids && p.sms < 40 && p.r.IntN(4) == 0 { // 64 SMs in all
			open = max(open, p.launch(b, &w))
			children = max(children, open)
		}
		if kids && p.r.IntN(4) == 0 {
			fmt.Fprintln(b, "devsync")
			w.at = max(w.at+1, open+1)
		}
	}
	fmt.Fprintln(b, "exit")
	return max(w.done, w.at+1), children
}

// launch writes a call of one or two lanes and returns when the last child ends: the
// call takes a cycle, a child runs as any kernel.
func (p *path) launch(b *strings.Builder, w *warpPath) (end model.Time) {
	n := 1 + p.r.IntN(2)
	fmt.Fprintf(b, "devlaunch\nchild %d lane=0..%d work=1 params=64 marked\n", p.kids, n-1)
	call := w.at
	w.at++
	for range n {
		p.kids++
		p.sms++
		fmt.Fprint(&p.children, "kernel child grid=1 block=32 child\ncta 0\n")
		var body strings.Builder
		takes, _ := p.alone(&body, false)
		p.children.WriteString(body.String())
		end = max(end, call+1+takes+1)
	}
	return end
}

// together writes a CTA of some warps of arithmetic that meet at barriers.
func (p *path) together(b *strings.Builder, warps int) model.Time {
	p.sms++
	rounds := 1 + p.r.IntN(3)
	all := make([]warpPath, warps)
	text := make([]strings.Builder, warps)
	for range rounds {
		last := model.Time(0)
		for i := range all {
			for range p.r.IntN(12) {
				d, s := p.r.IntN(8), p.r.IntN(8)
				fmt.Fprintf(&text[i], "int R%d <- R%d\n", d, s)
				all[i].issue(1, d, s)
			}
			fmt.Fprintln(&text[i], "barrier")
			last = max(last, all[i].at)
			all[i].at++
		}
		for i := range all {
			all[i].at = last + 1
		}
	}
	end := model.Time(0)
	for i := range all {
		fmt.Fprintf(b, "warp %d\n%sexit\n", i, text[i].String())
		end = max(end, all[i].done, all[i].at+1)
	}
	return end
}

// kernel writes a kernel of one kind or the other and returns how long it takes.
func (p *path) kernel(stream int) model.Time {
	warps, ctas := 1+p.r.IntN(4), 1+p.r.IntN(3)
	fmt.Fprintf(&p.host, "launch k%d grid=%d block=%d stream=%d\n", p.launches, ctas, 32*warps, stream)
	p.launches++
	end := model.Time(0)
	for c := range ctas {
		fmt.Fprintf(&p.host, "cta %d\n", c)
		if warps > 1 {
			end = max(end, p.together(&p.host, warps)+1)
			continue
		}
		cta, children := p.alone(&p.host, true)
		end = max(end, cta+1)
		if children > 0 {
			end = max(end, children+1)
		}
	}
	return end
}

// With unlimited resources and the least latencies a run takes the critical path of
// its trace: registers, fences, barriers, children and their synchronisation within a
// kernel; streams, events and synchronisations of the host between kernels.
func TestUnlimitedIsTheCriticalPath(t *testing.T) {
	for seed := range uint64(150) {
		p := &path{r: rand.New(rand.NewPCG(seed, 3))}
		var streams [3]model.Time // when the work of each has ended
		var events [2]model.Time
		var host model.Time
		for range 1 + p.r.IntN(6) {
			st, ev := p.r.IntN(3), p.r.IntN(2)
			streams[st] = max(streams[st], host)
			switch p.r.IntN(6) {
			case 0:
				fmt.Fprintf(&p.host, "record %d stream=%d\n", ev, st)
				events[ev] = streams[st]
			case 1:
				fmt.Fprintf(&p.host, "wait %d stream=%d\n", ev, st)
				streams[st] = max(streams[st], events[ev])
			case 2:
				fmt.Fprintln(&p.host, "sync")
				host = max(host, streams[0], streams[1], streams[2])
			default:
				streams[st] += p.kernel(st)
			}
		}
		want := max(streams[0], streams[1], streams[2])
		text := renumbered(p)
		c, policy := tiny(t, unlimited...)
		if got := replay(t, tracetest.FromText(t, text), c, policy, nil).Cycles; got != want {
			t.Fatalf("seed %d: %d cycles, the critical path is %d\n%s", seed, got, want, text)
		}
	}
}

// renumbered gives the children the numbers behind the host's kernels.
func renumbered(p *path) string {
	text := p.host.String() + p.children.String()
	return replaced(text, `\bchild (\d+) lane`, func(n int) string { return fmt.Sprintf("child %d lane", n+p.launches) })
}
