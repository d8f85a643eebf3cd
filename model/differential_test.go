package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// randomTrace returns a small trace as text: a few kernels in a few streams,
// warps of mixed instructions, barriers and accesses close to each other.
func randomTrace(r *rand.Rand) string {
	var b strings.Builder
	for k := range 1 + r.IntN(3) {
		warps, shared := 1+r.IntN(4), r.IntN(3)*3000
		ctas := 1 + r.IntN(4)
		fmt.Fprintf(&b, "launch k%d grid=%d block=%d shared=%d stream=%d\n", k, ctas, warps*32, shared, r.IntN(2))
		for c := 0; c < ctas; c++ {
			fmt.Fprintf(&b, "cta %d\n", c)
			for w := range warps {
				fmt.Fprintf(&b, "warp %d\n", w)
				for range 1 + r.IntN(14) {
					randomInst(r, &b)
				}
				b.WriteString("exit\n")
			}
		}
	}
	return b.String()
}

func randomInst(r *rand.Rand, b *strings.Builder) {
	reg := func() string { return fmt.Sprintf("R%d", 1+r.IntN(6)) }
	if r.IntN(8) == 0 {
		fmt.Fprintf(b, "int mask=%08x\n", r.Uint32()&r.Uint32())
	} else if r.IntN(4) == 0 {
		b.WriteString("int mask=ffffffff\n")
	}
	width := []int{1, 2, 4, 8, 16}[r.IntN(5)]
	at := fmt.Sprintf("@0x%x+%d", 0x1000+r.IntN(300)*4, []int{0, 0, 1, 4, 4, 4, 8, 16, 32, 128, 512}[r.IntN(11)])
	switch r.IntN(14) {
	case 0, 1:
		fmt.Fprintf(b, "int %s <- %s %s\n", reg(), reg(), reg())
	case 2:
		fmt.Fprintf(b, "%s %s <- %s\n", []string{"fp16", "fp32", "fp64", "sfu", "tensor", "uniform"}[r.IntN(6)], reg(), reg())
	case 3:
		fmt.Fprintf(b, "control <- %s\n", reg())
	case 4:
		fmt.Fprintf(b, "barrier imm=%d\n", r.IntN(8)/6)
	case 5:
		b.WriteString("fence\n")
	case 6:
		fmt.Fprintf(b, "load shared w%d %s <- %s %s\n", width, reg(), reg(), at)
	case 7:
		fmt.Fprintf(b, "store shared w%d <- %s %s\n", width, reg(), at)
	case 8:
		fmt.Fprintf(b, "load constant %s\n", reg())
	case 9, 10:
		fmt.Fprintf(b, "load w%d %s <- %s %s\n", width, reg(), reg(), at)
	case 11:
		fmt.Fprintf(b, "load bypass %s <- %s %s\n", reg(), reg(), at)
	case 12:
		fmt.Fprintf(b, "store w%d <- %s %s\n", width, reg(), at)
	case 13:
		fmt.Fprintf(b, "atomic %s <- %s %s\n", reg(), reg(), at)
	}
}

// randomMachine returns changes of the tiny machine.
func randomMachine(r *rand.Rand) []string {
	var all []string
	set := func(key string, values ...any) {
		all = append(all, fmt.Sprintf("%s=%v", key, values[r.IntN(len(values))]))
	}
	set("sm.count", 1, 2, 3)
	set("sm.schedulers", 1, 2, 4)
	set("sm.issue_width", 1, 2)
	set("sm.warp_scheduler", "gto", "lrr")
	set("sm.max_ctas", 1, 2, 4)
	set("sm.operand_collectors", 0, 1, 4)
	set("sm.pipeline_depth", 0, 5)
	set("sm.cta_launch_latency", 0, 90)
	set("l1.mshrs", 0, 1, 4)
	set("l1.merge", 0, 1, 4)
	set("l1.miss_queue", 1, 4, 64)
	set("l1.ways", 1, 2, 4)
	set("l1.write_allocate", true, false)
	set("l1.global_loads", true, true, false)
	set("icnt.flit_bytes", 16, 40)
	set("l2.slices", 1, 2)
	set("l2.bytes", 1024, 8192)
	set("l2.mshrs", 0, 1, 8)
	set("l2.merge", 0, 1, 4)
	set("l2.miss_queue", 1, 4, 64)
	set("l2.queue", 1, 4, 64)
	set("l2.hash", "linear", "xor")
	set("dram.window", 1, 4, 64)
	set("dram.trrd", 0, 7)
	set("dram.tccd", 1, 5)
	set("dram.bus_bytes", 4, 16, 32)
	set("clock.dram_mhz", 1000, 850, 1750)
	set("clock.icnt_mhz", 1000, 700, 1300)
	set("clock.l2_mhz", 1000, 900)
	set("tlb.entries", 0, 0, 2)
	set("tlb.miss_latency", 50)
	set("tlb.page_bytes", 512)
	set("kmu.hwqs", 1, 32)
	set("kmu.entries", 1, 32)
	set("kmu.ctas_per_cycle", 1, 2)
	set("kmu.dispatch_latency", 0, 7)
	set("host.launch_latency", 0, 30)
	return all
}

// differ collects what the fast machine tells, in the naive one's form.
type differ struct {
	eventLog
	n     map[[3]uint32]uint32
	insts map[instKey][2]model.Time
	ctas  map[[2]uint32][3]model.Time
	ended []nEnd
}

func (d *differ) Inst(r *model.InstRecord) {
	w := [3]uint32{r.Kernel, r.CTA, r.Warp}
	d.insts[instKey{r.Kernel, r.CTA, r.Warp, d.n[w]}] = [2]model.Time{r.Issue, r.Done}
	d.n[w]++
}

func (d *differ) CTA(r *model.CTARecord) {
	d.ctas[[2]uint32{r.Kernel, r.CTA}] = [3]model.Time{model.Time(r.SM), r.Dispatch, r.End}
}

func (d *differ) Kernel(r *model.KernelRecord) {
	d.ended = append(d.ended, nEnd{r.ID, r.Dispatch, r.FirstCTA, r.End})
}

// The fast machine agrees with the naive one in every instruction's issue and
// result, every CTA's place and times and every kernel's times.
func TestAgainstNaive(t *testing.T) {
	runs := 2000
	if testing.Short() {
		runs = 300
	}
	const shards = 4
	for shard := range shards {
		t.Run(fmt.Sprint(shard), func(t *testing.T) {
			t.Parallel()
			for seed := shard; seed < runs; seed += shards {
				r := rand.New(rand.NewPCG(uint64(seed), 7))
				text, machine := randomTrace(r), randomMachine(r)
				if !agree(t, text, machine) {
					t.Fatalf("seed %d: %s\n%s", seed, strings.Join(machine, " "), text)
				}
			}
		})
	}
}

func agree(t *testing.T, text string, machine []string) bool {
	c, policy := tiny(t, machine...)
	tr := tracetest.FromText(t, text)
	d := &differ{n: map[[3]uint32]uint32{}, insts: map[instKey][2]model.Time{}, ctas: map[[2]uint32][3]model.Time{}}
	replay(t, tr, c, policy, d)
	n := newNaive(t, tr, c)
	n.run()
	ok := len(n.insts) == len(d.insts) && len(n.ctas) == len(d.ctas) && len(n.ended) == len(d.ended)
	first, at := "", model.Time(1<<62)
	for k, want := range n.insts {
		if got := d.insts[k]; got != want && want[0] < at {
			first, at = fmt.Sprintf("instruction %+v: issued and done %v, naive %v", k, got, want), want[0]
		}
	}
	for k, want := range n.ctas {
		if got := d.ctas[k]; got != want && want[2] < at {
			first, at = fmt.Sprintf("CTA %v: SM, placed, ended %v, naive %v", k, got, want), want[1]
		}
	}
	for i, want := range n.ended {
		if ok && d.ended[i] != want && want.at < at {
			first, at = fmt.Sprintf("kernel %+v, naive %+v", d.ended[i], want), want.at
		}
	}
	if first != "" {
		t.Error(first)
	}
	return ok && first == ""
}
