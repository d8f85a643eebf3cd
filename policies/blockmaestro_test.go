package policies_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/trace/tracetest"
)

// neighbours is the worked example: two kernels of four CTAs. CTA j of the second reads the writes of CTAs j-reach to
// j+reach of the first. Each CTA takes a unit, and the host waits between the two.
func neighbours(reach int) string {
	var b strings.Builder
	b.WriteString("array a bytes=512\n")
	for k := range 2 {
		if k == 1 {
			b.WriteString("sync\n")
		}
		fmt.Fprintf(&b, "launch k%d grid=4 block=32\n", k)
		for c := range 4 {
			fmt.Fprintf(&b, "cta %d\n", c)
			if k == 0 {
				fmt.Fprintf(&b, "range a write %d..%d\n", 128*c, 128*(c+1))
			} else {
				fmt.Fprintf(&b, "range a read %d..%d\n", 128*max(0, c-reach), 128*min(4, c+1+reach))
			}
			b.WriteString("warp 0\n int R1 <- R1 x100\n exit\n")
		}
	}
	return b.String()
}

// Three places and a launch of a unit: in order the kernels end at 5, with the second
// launched ahead at 4, and by CTAs at 3. With two places both priorities end at 4, and
// differ in the second round.
func TestBlockMaestroExample(t *testing.T) {
	for _, c := range []struct {
		policy string
		places int
		units  int64
		second string // CTAs placed in the second unit
	}{
		{"serial", 3, 5, "P3"},
		{"blockmaestro,deps=kernel", 3, 4, "P3"},
		{"blockmaestro", 3, 3, "P3 C0 C1"},
		{"blockmaestro,priority=consumer", 3, 3, "C0 C1 P3"},
		{"blockmaestro,deps=raw", 3, 3, "P3 C0 C1"},
		{"blockmaestro,parents=1", 3, 4, "P3"},
		{"blockmaestro", 2, 4, "P2 P3"},
		{"blockmaestro,priority=consumer", 2, 4, "C0 P2"},
	} {
		cfg := tiny(t, c.places, 1)
		cfg.Host.LaunchLatency, cfg.Host.LaunchOverheadNs, cfg.KMU.DispatchLatency = unit, 0, 0
		cfg.KMU.CTAsPerCycle = float64(c.places)
		l, sum := run(t, neighbours(1), cfg, c.policy)
		if got := (sum.Cycles+unit/2)/unit - 1; got != c.units {
			t.Errorf("%s with %d places: %d units, want %d", c.policy, c.places, got, c.units)
		}
		slices.SortStableFunc(l.ctas, func(a, b model.CTARecord) int { return int(a.Dispatch - b.Dispatch) })
		var second []string
		for _, r := range l.ctas {
			if r.Dispatch/unit == 2 {
				second = append(second, fmt.Sprintf("%c%d", "PC"[r.Kernel], r.CTA))
			}
		}
		if got := strings.Join(second, " "); got != c.second {
			t.Errorf("%s with %d places: %s in the second unit, want %s", c.policy, c.places, got, c.second)
		}
	}
}

// A CTA waits for no CTA whose range only touches its own: each of the second kernel's waits for one. With room for a
// parent each, none waits for a whole kernel.
func TestBlockMaestroTouchingRanges(t *testing.T) {
	cfg := tiny(t, 4, 1)
	for reach, want := range []float64{0, 4} {
		_, sum := run(t, neighbours(reach), cfg, "blockmaestro,parents=1")
		if got := metric(sum, "blockmaestro_fully_connected"); got != want {
			t.Errorf("of CTAs that read %d neighbours on each side %v wait for a whole kernel, want %v", reach, got, want)
		}
	}
}

// hazardous is two kernels. The second overwrites data that the first reads and writes, elsewhere than in the CTAs
// that it reads from.
const hazardous = `
array a bytes=256
array b bytes=256
launch k0 grid=2 block=32
cta 0
range a read 0..128
range b write 0..128
warp 0
 int R1 <- R1 x400
 load R2 <- R1 @a+4
 store <- R1 R2 @b+4
 exit
cta 1
range b write 128..132
warp 0
 exit
launch k1 grid=2 block=32
cta 0
range b read 128..132
range a write 0..128
range b write 0..128
warp 0
 store <- R1 @a+4
 store <- R1 @b+4
 exit
cta 1
range b read 128..132
warp 0
 exit
`

// The auditor finds dependences that are left out if they go through reads, and nothing if all are kept.
func TestBlockMaestroHazards(t *testing.T) {
	for policy, want := range map[string][]string{"blockmaestro,deps=raw": {"war", "waw"}, "blockmaestro": nil,
		"blockmaestro,deps=kernel": nil} {
		cs, err := policies.Parse(policy, nil)
		if err != nil {
			t.Fatal(err)
		}
		results, err := runs.Run(context.Background(),
			&runs.Job{Trace: tracetest.FromText(t, hazardous), Name: "hazards", Config: tiny(t, 4, 1), Choices: cs, Audit: true})
		if err != nil {
			t.Fatal(err)
		}
		var rules []string
		for _, v := range results[0].Violations {
			rules = append(rules, v.Rule)
		}
		slices.Sort(rules)
		if rules = slices.Compact(rules); !slices.Equal(rules, want) {
			t.Errorf("%s: the auditor finds %v, want %v", policy, rules, want)
		}
	}
}

// The paper's buffers, for 28 SMs of 32 CTAs.
func TestBlockMaestroCost(t *testing.T) {
	cs, err := policies.Parse("blockmaestro", nil)
	if err != nil {
		t.Fatal(err)
	}
	cfg := tiny(t, 28, 32)
	lines := cs[0].Cost(cfg)
	if sum := lines[len(lines)-1]; sum.Value != 22624 {
		t.Errorf("%s: %v bytes, want 22624", sum.What, sum.Value)
	}
}
