package model_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"gpureplay/model"
	"gpureplay/trace"
)

// nWriteback is the write-back register of a load/store unit of the cycle engine, with
// the results that wait for it: of shared memory, of requests that pass by the L1, and of fills.
type nWriteback struct {
	entering []nResult // loads of shared memory that keep the unit
	waiting  [3][]nResult
	asked    int // first
	has      *nResult
}

// nResult may be written from a cycle on.
type nResult struct {
	from model.Time
	h    *nHeld
	left []int // banks that are not written
	mshr *nMSHR
}

// written gives the banks of an instruction's results, the first eight registers.
func (n *naive) written(in *trace.Inst) (banks []int) {
	var seen []trace.Reg
	for _, r := range in.Dst {
		if r < trace.RegUniform && !slices.Contains(seen, r) && len(seen) < 8 {
			seen = append(seen, r)
			banks = append(banks, int(r)%(n.cfg.SM.RegisterBanks/n.cfg.SM.Schedulers))
		}
	}
	return banks
}

// writes has a result of an access wait for the register, in the order of time.
func (u *nLSU) writes(client int, from model.Time, h *nHeld, mshr *nMSHR) {
	q := &u.register.waiting[client]
	i := len(*q)
	for i > 0 && (*q)[i-1].from > from {
		i--
	}
	*q = slices.Insert(*q, i, nResult{from: from, h: h, left: h.banksWritten, mshr: mshr})
}

// step has a load of shared memory enter that at the end of a cycle, if there is room: one
// that does not keeps the unit. Then the register acts for the fourth cycle behind. Its result
// is written, unless arithmetic writes into a bank then that it needs. If the register is
// empty, it gets another result, of its clients in turn.
func (w *nWriteback) step(u *nLSU) {
	shared := u.n.cfg.Shared
	if len(w.entering) > 0 && w.entering[0].from <= u.n.t && len(w.waiting[0]) < max(1, shared.Latency) {
		u.writes(0, u.n.t-1+model.Time(shared.Latency+shared.Writeback), w.entering[0].h, nil)
		w.entering = w.entering[1:]
	}
	if len(w.entering) > 0 && w.entering[0].from <= u.n.t {
		u.free = max(u.free, u.n.t+1)
	}
	t := u.n.t + 4
	if x := w.has; x != nil {
		for len(x.left) > 0 {
			banks := u.s.coll.scheds[x.h.sched].writes
			if banks[nWrite{t, x.left[0]}] {
				break
			}
			banks[nWrite{t, x.left[0]}] = true
			x.left = x.left[1:]
		}
		if len(x.left) == 0 {
			w.has = nil
			u.answered(x.h, t)
		}
	}
	for i := range w.waiting {
		c := (w.asked + i) % len(w.waiting)
		if q := &w.waiting[c]; w.has == nil && len(*q) > 0 && (*q)[0].from <= t+1 {
			x := (*q)[0]
			*q = (*q)[1:]
			w.has, w.asked = &x, c+1
			if x.mshr != nil {
				x.mshr.waiting--
				x.mshr.free = max(x.mshr.free, u.n.t)
			}
			break
		}
	}
}

// Machines that write many results of memory into few banks, of short stages of shared
// memory, agree with the naive one.
func TestWritebackAgainstNaive(t *testing.T) {
	compareMany(t, 2*time.Second, 60, func(r *rand.Rand) (text string, machine []string) {
		machine = append(randomMachine(r), "memory.engine=cycle", "sm.pipeline=collector")
		set := func(key string, values ...any) {
			machine = append(machine, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
		}
		set("sm.schedulers", 1, 2, 4)
		set("sm.operand_collectors", 4, 8)
		set("sm.register_banks", 4, 8)
		set("sm.pipeline_depth", 0, 3, 5)
		set("shared.latency", 1, 2, 3, 7)
		set("shared.writeback", 0, 1, 4, 5)
		set("exec.int.latency", 1, 2, 4)
		return loadingText(r), machine
	})
}

// loadingText is a trace of warps that load, from shared memory above all, and add.
func loadingText(r *rand.Rand) string {
	return warpsText(r, 2, 14, func(b *strings.Builder) {
		x, y := 1+r.IntN(12), 1+r.IntN(12)
		switch r.IntN(12) {
		case 0, 1, 2:
			fmt.Fprintf(b, "int R%d <- R%d\n", x, y)
		case 3:
			fmt.Fprintf(b, "load bypass R%d @0x%x+%d\n", x, 0x1000+4*r.IntN(64), 4*r.IntN(9))
		case 4:
			fmt.Fprintf(b, "load R%d R%d @0x%x+%d\n", x, y, 0x1000+4*r.IntN(64), 4*r.IntN(9))
		case 5:
			fmt.Fprintf(b, "store shared <- R%d @0x0+4\n", x)
		default:
			fmt.Fprintf(b, "load shared R%d @0x0+%d\n", x, []int{0, 4, 4, 4, 8}[r.IntN(5)])
		}
	})
}

// warpsText is a trace of up to three CTAs of eight warps. Each has a number of instructions:
// the least, and fewer than so many more.
func warpsText(r *rand.Rand, least, more int, inst func(b *strings.Builder)) string {
	var b strings.Builder
	ctas := 1 + r.IntN(3)
	fmt.Fprintf(&b, "launch k grid=%d block=256 shared=256\n", ctas)
	for c := range ctas {
		fmt.Fprintf(&b, "cta %d\n", c)
		for w := range 8 {
			fmt.Fprintf(&b, "warp %d\n", w)
			for range least + r.IntN(more) {
				inst(&b)
			}
			b.WriteString("exit\n")
		}
	}
	return b.String()
}
