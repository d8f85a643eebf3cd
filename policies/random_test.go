package policies_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/trace/tracetest"
)

// nestedText is a random program: kernels of one to three CTAs of one or two warps. Their lanes launch others, to
// some depth, some into a shared stream, some waited for.
func nestedText(r *rand.Rand) string {
	var b strings.Builder
	next, functions := 1, []string{"work", "other"}
	for id := 0; id < next; id++ {
		head := "kernel " + functions[r.IntN(2)]
		if id == 0 {
			head = "launch parent"
		}
		ctas := 1 + r.IntN(3)
		fmt.Fprintf(&b, "%s grid=%d block=64", head, ctas)
		if id > 0 {
			b.WriteString(" child")
		}
		for cta := range ctas {
			fmt.Fprintf(&b, "\ncta %d\n", cta)
			for warp := range 1 + r.IntN(2) {
				fmt.Fprintf(&b, " warp %d\n  int x%d\n", warp, 1+r.IntN(3000))
				if lanes := r.IntN(4); lanes > 0 && next < 40 && (id == 0 || r.IntN(3) == 0) {
					b.WriteString("  devlaunch\n")
					for lane := range lanes {
						marked := []string{" marked", "", " marked shared"}[r.IntN(3)]
						fmt.Fprintf(&b, "  child %d lane=%d work=%d params=32%s\n", next, lane*3, r.IntN(90), marked)
						next++
					}
					b.WriteString([]string{"", "  devsync\n", "  int x40\n  devsync\n"}[r.IntN(3)])
				}
				b.WriteString([]string{"  exit\n", ""}[r.IntN(2)])
			}
		}
	}
	return b.String()
}

// Whatever programs launch, on a machine with two CTAs an SM, three entries in the
// distributor and two queues, every policy comes to an end, without a violation.
func TestRandomNests(t *testing.T) {
	for seed := range uint64(5) {
		text := nestedText(rand.New(rand.NewPCG(seed, 1)))
		r := tracetest.FromText(t, text)
		for _, blocks := range []bool{true, false} {
			cfg := kepler(t, 2, blocks)
			cfg.SM.MaxCTAs, cfg.KMU.Entries, cfg.KMU.HWQs = 2, 3, 2
			cs, err := policies.Parse("flat,cdp,cdp-ideal,dtbl,dtbl,match=kde,agt=2,fallback=api,dtbl,kde=2,dtbl-ideal,"+
				"threshold=40,spawn,spawn+dtbl,cdp,launch=aggregated-group", nil)
			if err != nil {
				t.Fatal(err)
			}
			results, err := runs.Run(context.Background(), &runs.Job{Trace: r, Name: "t", Config: cfg, Choices: cs, Audit: true})
			if err != nil {
				t.Fatalf("seed %d, blocking %v: %v\n%s", seed, blocks, err, text)
			}
			for _, x := range results {
				for _, v := range x.Violations {
					t.Errorf("seed %d, blocking %v, %s: cycle %d, %s: %s", seed, blocks, x.Policy, v.Time, v.Rule, v.What)
				}
			}
		}
	}
}

// Where nothing contends (an SM for each CTA, an entry and a queue for each kernel) an
// ideal policy is never slower than the real one, and no copies never slower than copies.
func TestIdealIsNeverSlower(t *testing.T) {
	never := func(name, text string, cfg *hardware.Config, list string) {
		t.Helper()
		cs, err := policies.Parse(list, nil)
		if err != nil {
			t.Fatal(err)
		}
		results, err := runs.Run(context.Background(),
			&runs.Job{Trace: tracetest.FromText(t, text), Name: "t", Config: cfg, Choices: cs, Audit: true})
		if err != nil {
			t.Fatalf("%s: %v\n%s", name, err, text)
		}
		for i := 1; i < len(results); i++ {
			if slow, ideal := results[i-1], results[i]; ideal.Run.Cycles > slow.Run.Cycles {
				t.Errorf("%s: %s takes %d cycles, %s %d\n%s", name, ideal.Policy, ideal.Run.Cycles, slow.Policy, slow.Run.Cycles,
					text)
			}
		}
	}
	for seed := range uint64(15) {
		text := nestedText(rand.New(rand.NewPCG(seed, 2)))
		cfg := kepler(t, 128, seed%2 == 0)
		cfg.SM.MaxCTAs, cfg.KMU.Entries, cfg.KMU.HWQs, cfg.KMU.CTAsPerCycle = 1, 1024, 1024, 128
		never(fmt.Sprintf("seed %d", seed), text, cfg, "cdp,cdp-ideal")
		never(fmt.Sprintf("seed %d", seed), text, cfg, "dtbl,dtbl-ideal")
	}
	cfg := tiny(t, 8, 1)
	cfg.Host.PCIeGBs, cfg.Host.CopyLatencyNs = 15, 100
	never("figure 8", figure8(), cfg, "serial,single-overlap")
	never("figure 8", figure8(), cfg, "serial,nocopy")
	never("figure 8", figure8(), cfg, "serial,crcs,crcs,crcs-profiler=off")
}
