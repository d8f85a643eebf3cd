package model_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// kinds are random traces, with the policies that they are for.
var kinds = map[string]func(r *rand.Rand) (text string, machine []string){
	"streams": func(r *rand.Rand) (string, []string) { return randomTrace(r), randomMachine(r) },
	"serial": func(r *rand.Rand) (string, []string) {
		return overlapTrace(r), append(overlapMachine(r), "policy=serial")
	},
	"bounds": func(r *rand.Rand) (string, []string) {
		return overlapTrace(r), append(overlapMachine(r), "policy="+[]string{"nocopy", "single-overlap"}[r.IntN(2)])
	},
	"overlap": func(r *rand.Rand) (string, []string) { return overlapTrace(r), overlapMachine(r) },
	"nests": func(r *rand.Rand) (string, []string) {
		return nestTrace(r), nestMachine(r, "flat", "cdp", "cdp-ideal", "dtbl,match=kde", "dtbl,fallback=api",
			"dtbl,agt=2,alloc=hash", "dtbl-ideal", "threshold=3", "spawn", "spawn+dtbl")
	},
	"tasks": func(r *rand.Rand) (string, []string) {
		policy := []string{"hyperq", "serial", "fusion", "gemtc,batch=4", "pagoda", "pagoda-batch,batch-size=3"}[r.IntN(6)]
		small := []string{"sm.max_warps=32", "sm.max_threads=1024", "sm.shared_bytes=65536", "l1.unified=0", "l1.carveouts="}
		return taskTrace(r, true, policy == "fusion"), append(append(randomMachine(r), small...), "policy="+policy)
	},
}

// eachKind calls f for random traces of each kind.
func eachKind(t *testing.T, seeds uint64, f func(t *testing.T, text string, machine []string)) {
	for name, random := range kinds {
		t.Run(name, func(t *testing.T) {
			for seed := range seeds {
				text, machine := random(rand.New(rand.NewPCG(seed, 11)))
				f(t, text, machine)
				if t.Failed() {
					t.Fatalf("seed %d: %s\n%s", seed, strings.Join(machine, " "), text)
				}
			}
		})
	}
}

// Under every policy: all clocks, links and the storage twice as fast, and all times
// of the host half as long: every cycle count stays.
func TestScalingClocksUnderEveryPolicy(t *testing.T) {
	eachKind(t, 12, func(t *testing.T, text string, machine []string) {
		c, _ := tiny(t, machine...)
		fast := append([]string{}, machine...)
		for key, value := range map[string]float64{
			"clock.core_mhz": 2 * c.Clock.CoreMHz, "clock.icnt_mhz": 2 * c.Clock.IcntMHz, "clock.l2_mhz": 2 * c.Clock.L2MHz,
			"clock.dram_mhz": 2 * c.Clock.DRAMMHz, "host.pcie_gb_s": 2 * c.Host.PCIeGBs,
			"host.storage_mb_s":       2 * c.Host.StorageMBs,
			"host.launch_overhead_ns": c.Host.LaunchOverheadNs / 2, "host.copy_latency_ns": c.Host.CopyLatencyNs / 2,
			"host.copy_call_ns": c.Host.CopyCallNs / 2,
		} {
			fast = append(fast, fmt.Sprintf("%s=%v", key, value))
		}
		text = replaced(text, `\barrival=(\d+)`, func(n int) string { return fmt.Sprintf("arrival=%d", 2*n) })
		halved := replaced(text, `\barrival=(\d+)`, func(n int) string { return fmt.Sprintf("arrival=%d", n/2) })
		halved = replaced(halved, `work ns=(\d+)0\b`, func(n int) string { return fmt.Sprintf("work ns=%d", 5*n) })
		if got, want := told(t, halved, fast), told(t, text, machine); got != want {
			t.Error("the run differs")
		}
	})
}

// Under every policy: other registers, streams, arrays and functions: the run stays.
func TestRenamingUnderEveryPolicy(t *testing.T) {
	eachKind(t, 12, func(t *testing.T, text string, machine []string) {
		other := replaced(text, `\bR(\d)\b`, func(n int) string { return fmt.Sprintf("R%d", 160-7*n) }) // of the same bank
		other = replaced(other, `\bstream=(\d+)`, func(n int) string { return fmt.Sprintf("stream=%d", 70-n) })
		other = replaced(other, `\bsyncstream (\d+)`, func(n int) string { return fmt.Sprintf("syncstream %d", 70-n) })
		other = replaced(other, `\bk(\d+) grid`, func(n int) string { return fmt.Sprintf("a.kernel%d grid", 9-n) })
		other = replaced(other, `\b[df](\d+) grid`, func(n int) string { return fmt.Sprintf("body%d grid", 9-n) })
		other = replaced(other, `\bfunction d(\d+)\n`, func(n int) string { return fmt.Sprintf("function body%d\n", 9-n) })
		for _, word := range []string{"array ", "read ", "write ", "h2d ", "d2h ", "d2d ", "memset ", "range ", "@"} {
			for _, name := range []string{"a", "b", "c"} {
				for _, end := range []string{" ", "\n", "["} {
					other = strings.ReplaceAll(other, word+name+end, word+"vector_"+name+end)
				}
			}
		}
		if told(t, text, machine) != told(t, other, machine) {
			t.Errorf("the run differs from that of\n%s", other)
		}
	})
}

// Where one thing follows another, as under serial and its bounds, and where equal
// tasks do not wait for each other: faster links, storage and calls never hurt.
func TestFasterHostNeverHurts(t *testing.T) {
	// No phase of a clock, a burst, a refresh, schedulers or fetches in turn that a kernel could hit or miss. No
	// collectors, no dirty lines of the kernel before, any number of MSHRs, for which CTAs that begin together
	// compete, and no requests that overtake each other in DRAM. No TLB of few entries: CTAs that begin together
	// evict each other's pages. With it seed 7 under serial takes 1,607 cycles without the latency of a CTA's start
	// and 1,591 with it. Without a TLB it takes 1,363 and 1,397.
	still := []string{"dram.trefi=0", "dram.bus_bytes=32", "clock.dram_mhz=1000", "clock.icnt_mhz=1000",
		"clock.l2_mhz=1000", "l2.copies_warm=false", "kmu.ctas_per_cycle=1", "dram.channels=2", "l2.slices=2",
		"l1.mshrs=0", "sm.pipeline=direct", "memory.engine=reserve", "tlb.entries=0"}
	still = append(append(still, plainMemory...), "l2.bytes=65536")
	for _, policy := range []string{"serial", "nocopy", "single-overlap", "hyperq", "fusion", "gemtc", "gemtc,batch=3"} {
		for seed := range uint64(24) {
			r := rand.New(rand.NewPCG(seed, 12))
			text, machine := overlapTrace(r), append(append(overlapMachine(r), still...), "policy="+policy)
			if !strings.Contains("serial nocopy single-overlap", policy) {
				machine = append(machine, "sm.schedulers=4") // one for each CTA that an SM has
				text = strings.Repeat(fmt.Sprintf("spawn f grid=%d block=32 in=%d out=%d\ncta 0..1\nwarp 0\nint x%d R1 <- "+
					"R1\nexit\n", 2,
					100+r.IntN(300), 100+r.IntN(300), 1+r.IntN(200)), 2+r.IntN(8)) + "sync\n"
			}
			c, _ := tiny(t, machine...)
			base := cyclesOf(t, text, machine...)
			for _, change := range []string{
				fmt.Sprintf("host.pcie_gb_s=%v", 2*c.Host.PCIeGBs), fmt.Sprintf("host.storage_mb_s=%v", 2*c.Host.StorageMBs),
				"host.copy_latency_ns=0",
				"host.launch_latency=0", "host.launch_overhead_ns=0", "kmu.dispatch_latency=0", "sm.cta_launch_latency=0",
			} {
				if got := cyclesOf(t, text, append(append([]string{}, machine...), change)...); got > base {
					t.Errorf("%s, seed %d: %s takes %d cycles, %d without: %s\n%s", policy, seed, change, got, base,
						strings.Join(machine, " "), text)
				}
			}
		}
	}
}

// With unlimited resources: one kernel after another under serial is the sum of their
// paths; launches that cost nothing change nothing under cdp and cdp-ideal; tasks
// take the longest of their paths, in streams and fused.
func TestUnlimitedUnderOtherPolicies(t *testing.T) {
	cycles := func(text, policy string) model.Time {
		c, _ := tiny(t, unlimited...)
		return replay(t, tracetest.FromText(t, text), c, policy, nil).Cycles
	}
	for seed := range uint64(40) {
		p := &path{r: rand.New(rand.NewPCG(seed, 13))}
		sum, most := model.Time(0), model.Time(0)
		for range 1 + p.r.IntN(5) {
			takes := p.kernel(p.r.IntN(3))
			sum, most = sum+takes, max(most, takes)
		}
		text := renumbered(p)
		if got := cycles(text, "serial"); got != sum {
			t.Fatalf("seed %d: serial takes %d cycles, the paths are %d together\n%s", seed, got, sum, text)
		}
		if p.kids > 0 {
			want := cycles(text, "hyperq")
			for _, policy := range []string{"cdp", "cdp-ideal"} {
				if got := cycles(text, policy); got != want {
					t.Fatalf("seed %d: %s takes %d cycles, hyperq %d\n%s", seed, policy, got, want, text)
				}
			}
			continue
		}
		tasks := replaced(text, `launch k(\d+)`, func(n int) string { return fmt.Sprintf("spawn k%d", n) })
		tasks = strings.NewReplacer(" stream=0", "", " stream=1", "", " stream=2", "").Replace(tasks) + "sync\n"
		if got := cycles(tasks, "hyperq"); got != most {
			t.Fatalf("seed %d: tasks in streams take %d cycles, the longest path is %d\n%s", seed, got, most, tasks)
		}
	}
}

// Children do the same work however they are launched, and however their groups are kept. cdp and dtbl issue the
// same instructions with the same lanes and launch the same requests, and no more groups join than are launched.
func TestChildrenDoTheSameWork(t *testing.T) {
	for seed := range uint64(24) {
		r := rand.New(rand.NewPCG(seed, 13))
		text, machine := nestTrace(r), randomMachine(r)
		tr := tracetest.FromText(t, text)
		run := func(policy string) *model.Summary {
			c, p := tiny(t, append(machine, "policy="+policy)...)
			return replay(t, tr, c, p, newDiffer())
		}
		want := run("cdp")
		for _, policy := range []string{"cdp-ideal", "dtbl", "dtbl,match=kde,fallback=api", "dtbl,agt=1,ahead=2",
			"dtbl,agt=2,alloc=hash", "dtbl,kde=3", "dtbl-ideal"} {
			got := run(policy)
			if got.WarpInsts != want.WarpInsts || got.ThreadInsts != want.ThreadInsts || got.LaunchesMade != want.LaunchesMade ||
				got.LaunchesInlined != want.LaunchesInlined {
				t.Errorf("seed %d, %s: %d instructions, %d launches, %d inlined; cdp has %d, %d, %d\n%s", seed, policy,
					got.WarpInsts, got.LaunchesMade, got.LaunchesInlined, want.WarpInsts, want.LaunchesMade, want.LaunchesInlined,
					text)
			}
			if got.LaunchesCoalesced > got.LaunchesMade {
				t.Errorf("seed %d, %s: %d of %d groups joined", seed, policy, got.LaunchesCoalesced, got.LaunchesMade)
			}
		}
	}
}
