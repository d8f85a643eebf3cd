package replay

import (
	"context"
	"encoding/csv"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/policiestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// launchOfReference is the constant launch latency in every cycle count of the reference; net cycles are without
// it. They have a cycle more than a count from the first CTA on, which is placed at the end of that cycle
// (docs/model, "How far it is off").
const (
	launchOfReference = 5000
	cycleOfPlacing    = 1
)

// kernelCycles keeps each kernel's cycles from its first CTA to its end.
type kernelCycles struct {
	model.Observer
	cycles map[uint32]model.Time
}

func (k kernelCycles) Kernel(r *model.KernelRecord) { k.cycles[r.ID] = r.End - r.FirstCTA }

// TestReference compares net cycles per kernel with Accel-Sim's own results, on the presets of the configurations
// that it ran. The presets come from the configurations' facts; nothing is fitted to these figures. The model is
// held to these bounds: median error 5 %, 90th percentile 15 %, total 10 %; L1 and L2 accesses 3 %, L2 misses and
// DRAM traffic 10 %.
func TestReference(t *testing.T) {
	dir := tracetest.Data(t, "accelsim-reference")
	want := referenceCycles(t, filepath.Join(dir, "cycles.csv"))
	var errs []float64
	same := 0
	for _, c := range []struct{ capture, list, config, preset string }{
		{"accelsim-rodinia-bfs-a100", "kernelslist.g", "SM86_RTX3070", "rtx3070"},
		{"accelsim-vectoradd-a100", "kernelslist.g", "SM86_RTX3070", "rtx3070"},
		{"accelsim-simpletorch-v100", "traces/kernelslist.g", "SM7_QV100", "qv100"},
	} {
		ref := want[c.capture+","+c.config]
		got, sum := replayed(t, tracetest.Data(t, c.capture, filepath.FromSlash(c.list)), c.preset)
		var total, totalRef model.Time
		for i, r := range ref {
			e := percentOff(float64(got[uint32(i)]), float64(r))
			t.Logf("%s on %s, kernel %d: %d cycles, reference %d (%+.1f %%)", c.capture, c.preset, i+1, got[uint32(i)], r, e)
			errs = append(errs, math.Abs(e))
			if got[uint32(i)] == r {
				same++
			}
			total += got[uint32(i)]
			totalRef += r
		}
		e := percentOff(float64(total), float64(totalRef))
		t.Logf("%s on %s, total: %d cycles, reference %d (%+.1f %%)", c.capture, c.preset, total, totalRef, e)
		if math.Abs(e) > 10 {
			t.Errorf("%s on %s: the total is %+.1f %% off, more than 10 %%", c.capture, c.preset, e)
		}
		if c.capture == "accelsim-rodinia-bfs-a100" {
			checkCounters(t, filepath.Join(dir, "counters.csv"), sum)
		}
	}
	slices.Sort(errs)
	median, p90 := errs[len(errs)/2], errs[len(errs)*9/10]
	line := fmt.Sprintf("over %d kernels the median error is %.1f %% and the 90th percentile %.1f %%; %d are equal",
		len(errs), median, p90, same)
	t.Log(line)
	if page, err := os.ReadFile("../docs/accuracy.md"); err != nil ||
		!strings.Contains(strings.Join(strings.Fields(string(page)), " "), line) {
		t.Errorf("docs/accuracy.md does not say %q (%v)", line, err)
	}
	if median > 5 || p90 > 15 {
		t.Errorf("median error %.1f %% (at most 5), 90th percentile %.1f %% (at most 15)", median, p90)
	}
}

func percentOff(got, want float64) float64 { return (got - want) / want * 100 }

// referenceCycles returns the net cycles by capture and configuration, in the
// order of the kernels.
func referenceCycles(t *testing.T, path string) map[string][]model.Time {
	all := map[string][]model.Time{}
	for _, row := range readCSV(t, path) {
		n, err := strconv.ParseInt(row[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		all[row[0]+","+row[1]] = append(all[row[0]+","+row[1]], n-launchOfReference)
	}
	return all
}

func readCSV(t *testing.T, path string) [][]string {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	if err != nil || len(rows) < 2 {
		t.Fatalf("%s: %d rows, %v", path, len(rows), err)
	}
	return rows[1:]
}

// replayed returns the cycles of each kernel of a capture, launched and counted as the reference does.
func replayed(t *testing.T, capture, preset string) (map[uint32]model.Time, *model.Summary) {
	t.Helper()
	cfg, err := hardware.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	cycles, sum := replayedOn(t, converttest.Trace(t, capture), AsOnAccelSim(cfg))
	for id := range cycles {
		cycles[id] += cycleOfPlacing
	}
	return cycles, sum
}

// presetWith is a preset with settings, key=value.
func presetWith(t *testing.T, preset string, sets ...string) *hardware.Config {
	t.Helper()
	cfg, err := hardware.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range sets {
		key, value, _ := strings.Cut(s, "=")
		if err := cfg.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	return cfg
}

// replayedOn replays on a machine, and returns the cycles of each kernel.
func replayedOn(t *testing.T, r *container.Reader, cfg *hardware.Config) (map[uint32]model.Time, *model.Summary) {
	t.Helper()
	p, machine := policiestest.Build(t, "serial", cfg)
	obs := kernelCycles{discard{}, map[uint32]model.Time{}}
	m, err := model.New(r, model.Options{Config: machine, Policy: p, Observer: obs, FastForward: true})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return obs.cycles, sum
}

// discard watches nothing.
type discard struct{}

func (discard) Kernel(*model.KernelRecord) {}
func (discard) CTA(*model.CTARecord)       {}
func (discard) Stage(*model.StageRecord)   {}
func (discard) Launch(*model.LaunchRecord) {}
func (discard) Page(*model.PageRecord)     {}
func (discard) Task(*model.TaskRecord)     {}
func (discard) Sample(*model.SampleRecord) {}

func checkCounters(t *testing.T, path string, sum *model.Summary) {
	got := map[string]uint64{"warp_instructions": sum.WarpInsts}
	for _, m := range sum.Memory[:3] {
		switch m.Level {
		case "l1":
			got["l1_accesses"] = m.Accesses
		case "l2":
			got["l2_accesses"], got["l2_misses"] = m.Accesses, m.Misses
		case "dram":
			got["dram_reads"], got["dram_writes"] = m.ReadSectors, m.WriteSectors
		}
	}
	bounds := map[string]float64{"warp_instructions": 0, "l1_accesses": 3, "l2_accesses": 3, "l2_misses": 10,
		"dram_reads": 10, "dram_writes": 10}
	for _, row := range readCSV(t, path) {
		bound, ok := bounds[row[2]]
		if !ok {
			continue
		}
		want, err := strconv.ParseFloat(row[3], 64)
		if err != nil {
			t.Fatal(err)
		}
		n := float64(got[row[2]])
		e := 0.0
		if n != want {
			e = percentOff(n, want)
		}
		t.Logf("%s: %.0f, reference %.0f (%+.2f %%)", row[2], n, want, e)
		if math.Abs(e) > bound || math.IsInf(e, 0) {
			t.Errorf("%s: %.0f is %+.2f %% off the reference's %.0f, more than %.0f %%", row[2], n, e, want, bound)
		}
	}
}
