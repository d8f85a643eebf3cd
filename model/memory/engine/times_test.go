package engine

import (
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"gpureplay/model/clock"
	"gpureplay/model/hardware"
)

var update = flag.Bool("update", false, "write testdata/times.txt anew")

// settings are the keys of a random machine that may have another value than the base, and these values.
var settings = map[string][]any{
	"sm.atomic_conflicts": {"merged", "split", "serial"},
	"clock.icnt_mhz":      {700.0, 1300.0}, "clock.l2_mhz": {900.0, 1100.0}, "clock.dram_mhz": {600.0, 1700.0},
	"l1.bytes": {2048, 8192}, "l1.sector_bytes": {64, 128}, "l1.ways": {1, 4, 16}, "l1.latency": {1, 30},
	"l1.bypass_latency": {1, 30}, "l1.banks": {1, 2}, "l1.mshrs": {0, 1, 3}, "l1.merge": {0, 1, 2},
	"l1.miss_queue": {1, 2, 6}, "l1.global_loads": {false}, "l1.write_allocate": {false}, "l1.write_ratio_pct": {20},
	"icnt.latency": {1, 11}, "icnt.sms_per_port": {2, 4}, "icnt.flit_bytes": {32, 16}, "icnt.queue": {1, 4},
	"icnt.head_of_line": {true}, "l2.bytes": {4096, 16384}, "l2.slices": {2, 4, 3}, "l2.write_back": {false},
	"l2.sector_bytes": {64}, "l2.ways": {4, 8}, "l2.latency": {1, 50}, "l2.mshrs": {0, 1, 4}, "l2.merge": {0, 1},
	"l2.miss_queue": {1, 4}, "l2.queue": {1, 4}, "l2.hash": {"xor", "ipoly"}, "l2.set_hash": {"ipoly"},
	"l2.copies_warm": {true}, "dram.channels": {2, 3}, "dram.banks": {8, 16}, "dram.bank_groups": {2, 4},
	"dram.row_bytes": {2048, 512}, "dram.bus_bytes": {8, 32}, "dram.burst_bytes": {16, 64},
	"dram.data_rate": {2, 4}, "dram.bank_hash": {"xor", "ipoly"},
	"dram.dual_bus": {true}, "dram.lead": {7}, "dram.clock_sums": {true}, "dram.window": {1, 4}, "dram.return": {1, 6},
	"dram.write_queue": {8},
	"dram.write_high":  {6}, "dram.write_low": {2}, "dram.tccd": {2}, "dram.tccdl": {3}, "dram.trrd": {4},
	"dram.trtpl": {3}, "dram.trefi": {400}, "dram.trfc": {60}, "tlb.entries": {1, 4}, "tlb.miss_latency": {25},
	"shared.banks": {16}, "shared.wide": {"first"}, "shared.latency": {1, 3},
}

// machine is the small machine of the promise files with four SMs and some of the settings, at random. Draws that are
// no machine are drawn again.
func machine(t *testing.T, seed uint64) *hardware.Config {
	t.Helper()
	r := rand.New(rand.NewPCG(seed, 3))
	keys := slices.Sorted(maps.Keys(settings))
	for {
		c, err := hardware.LoadConfig("../../testdata/machine.toml")
		if err != nil {
			t.Fatal(err)
		}
		c.SM.Count, c.Memory.Engine = trafficSMs, [2]string{"reserve", "cycle"}[seed/2%2]
		for _, k := range keys {
			if r.IntN(4) > 0 {
				continue
			}
			if err := c.Set(k, fmt.Sprint(settings[k][r.IntN(len(settings[k]))])); err != nil {
				t.Fatal(err)
			}
		}
		if err := c.Validate(); err == nil {
			return c
		}
	}
}

// presets that the traffic runs on, with settings that the small machine cannot have.
var presets = [][]string{{"a100"}, {"gk110-ppcs"}, {"k20c"}, {"qv100"}, {"qv100", "dram.bank_hash=xor"},
	{"rtx3070", "icnt.sms_per_port=2"}, {"rtx3070", "dram.bank_hash=ipoly"}, {"rtx3070", "memory.engine=reserve"},
	{"titanx-maxwell"}, {"mi300x"}}

const machines = 160

// Random traffic takes the times in the file, on presets and on random machines of both engines. The reference
// model (model/internal/reference) judges whether they are right, in whole machines; this test names a change.
func TestTimes(t *testing.T) {
	var out strings.Builder
	line := func(name string, cfg *hardware.Config, seed uint64, cycles clock.Time) {
		x := newTraffic(cfg, seed)
		if err := x.run(cycles); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		fmt.Fprintf(&out, "%s, %s: %s\n", name, cfg.Memory.Engine, x)
	}
	for i, words := range presets {
		cfg, err := hardware.Preset(words[0])
		for _, s := range words[1:] {
			key, value, _ := strings.Cut(s, "=")
			err = cmp.Or(err, cfg.Set(key, value))
		}
		if err = cmp.Or(err, cfg.Validate()); err != nil {
			t.Fatal(words, err)
		}
		line(strings.Join(words, " "), cfg, uint64(i), 3000)
	}
	for seed := range uint64(machines) {
		line(fmt.Sprint("machine ", seed), machine(t, seed), seed, 1500)
	}
	const file = "testdata/times.txt"
	if *update {
		if err := os.WriteFile(file, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	was := strings.Split(string(want), "\n")
	for i, got := range strings.Split(out.String(), "\n") {
		if i >= len(was) || got != was[i] {
			t.Errorf("got\n%s\nwant\n%s\n(go test ./model/memory/engine -update writes the file anew)", got,
				was[min(i, len(was)-1)])
		}
	}
}

// No time depends on whether a write-back register acts in each cycle that it may, or for several cycles at once.
func TestRegisterWaits(t *testing.T) {
	for seed := range uint64(machines / 4) {
		var got [2]string
		for i := range got {
			x := newTraffic(machine(t, seed), seed)
			for _, p := range x.ports {
				p.Registers(hashedBanks{})
			}
			x.waits = i == 1
			if err := x.run(1500); err != nil {
				t.Fatalf("machine %d: %v", seed, err)
			}
			got[i] = x.String()
		}
		if got[0] != got[1] {
			t.Errorf("machine %d: in each cycle\n%s\nin some\n%s", seed, got[0], got[1])
		}
	}
}
