package replay

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"gpureplay/convert/converttest"
	"gpureplay/model"
	"gpureplay/model/hardware"
	_ "gpureplay/samples/probes"           // a program that stores
	_ "gpureplay/samples/probes/behaviour" // programs that show the effect of a switch
	"gpureplay/samples/samplestest"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// deviations are the changes of a machine that show the effect of a simplification of docs/model is worth, on the
// captures that have a reference.
var deviations = []struct {
	what string
	sets map[string][]string // by preset; "": any
}{
	{"deviation 3: queues without limits",
		map[string][]string{"": {"l1.miss_queue=65536", "l2.miss_queue=65536", "l2.queue=65536", "dram.window=65536"}}},
	{"deviation 6: column commands one cycle apart", map[string][]string{"": {"dram.tccd=1"}}},
	{"choice 29: the direct pipeline", map[string][]string{"": {"sm.pipeline=direct"}}},
	{"choice 30: warps have all their instructions", map[string][]string{"": {"sm.fetch_width=0"}}},
	{"choice 35: any number of results of arithmetic in a cycle", map[string][]string{"": {"sm.result_buses=0"}}},
	{"choice 8: slices chosen without a hash", map[string][]string{"": {"l2.hash=linear"}}},
	{"choice 8: a hash of any number of slices and sets, 256 B each",
		map[string][]string{"": {"dram.mapping=", "l2.hash=xor", "l2.set_hash=spread"}}},
	{"choice 22: packets stop none behind them", map[string][]string{"": {"icnt.head_of_line=false"}}},
	{"choice 23: the reserve memory engine", map[string][]string{"": {"memory.engine=reserve"}}},
	{"choice 23: any number of requests for a sector on its way to the L2", map[string][]string{"": {"l2.merge=0"}}},
	{"choice 26: all clocks begin together", map[string][]string{"": {"dram.lead=0"}}},
	{"choice 26: no bank groups", map[string][]string{"": {"dram.tccdl=0", "dram.trtpl=0"}}},
	{"choice 27: wide accesses to shared memory in passes", map[string][]string{"": {"shared.wide=passes"}}},
	{"choice 28: a result of shared memory a cycle sooner", map[string][]string{"": {"shared.writeback=4"}}},
	{"choice 36: CTAs stay until their stores are acknowledged", map[string][]string{"": {"sm.stores_hold_cta=true"}}},
	{"choice 20: refresh as JEDEC has it", map[string][]string{
		"rtx3070": {"dram.trefi=6650", "dram.trfc=421"}, "qv100": {"dram.trefi=3315", "dram.trfc=298"},
		"h100": {"dram.trefi=12113", "dram.trfc=1088"}, "gk110-ppcs": {"dram.trefi=3040", "dram.trfc=104"},
	}},
	{"choice P1: copies leave the L2 warm", map[string][]string{"": {"l2.copies_warm=true"}}},
	{"choice P3: no pipeline depth", map[string][]string{"": {"sm.pipeline_depth=0"}}},
}

// deviationTable is docs/model's table of them.
func deviationTable(t *testing.T) string {
	captures := []struct{ name, path, preset string }{
		{"bfs", "accelsim-rodinia-bfs-a100/kernelslist.g", "rtx3070"},
		{"vectoradd", "accelsim-vectoradd-a100/kernelslist.g", "rtx3070"},
		{"simpletorch", "accelsim-simpletorch-v100/traces/kernelslist.g", "qv100"},
		{"backprop", "accelsim-backprop-h100", "h100"},
		{"bfs", "accelsim-rodinia-bfs-a100/kernelslist.g", "gk110-ppcs"},
		{"stores", "accelsim-micro/v70/streamst/kernelslist.g", "qv100"},
		{"product", "accelsim-micro/v86/gemm160/kernelslist.g", "rtx3070"},
		{"walk", "walk", "qv100"},
		{"shared memory", "shared", "qv100"},
		{"local memory", "local", "qv100"},
		{"stores of small CTAs", "stream", "h100"},
	}
	var b strings.Builder
	b.WriteString("| change |")
	rule := "| --- |"
	machines := make([]*hardware.Config, len(captures))
	base := make([]model.Time, len(captures))
	traces := make([]*container.Reader, len(captures))
	for i, c := range captures {
		fmt.Fprintf(&b, " %s on `%s` |", c.name, c.preset)
		rule += " --- |"
		switch {
		case c.path == "stream":
			traces[i] = samplestest.Trace(t, "stream", "kernel=init", "block=32", "kib=1024", "shared=114000")
		case !strings.Contains(c.path, "/") && c.name != "backprop":
			traces[i] = samplestest.Trace(t, "behaviour", "kind="+c.path, "seed=5007")
		default:
			traces[i] = converttest.Trace(t, tracetest.Data(t, filepath.FromSlash(c.path)))
		}
		machines[i] = presetWith(t, c.preset)
		base[i] = netCycles(t, traces[i], machines[i])
	}
	b.WriteString("\n" + rule + "\n")
	for _, d := range deviations {
		fmt.Fprintf(&b, "| %s |", d.what)
		for i, c := range captures {
			sets := append(d.sets[""], d.sets[c.preset]...)
			if len(sets) == 0 {
				b.WriteString(" |")
				continue
			}
			n := base[i]
			if machine := presetWith(t, c.preset, sets...); !reflect.DeepEqual(machine, machines[i]) {
				n = netCycles(t, traces[i], machine)
			}
			tenths := math.Round(10 * percentOff(float64(n), float64(base[i])))
			fmt.Fprintf(&b, " %+.1f %% |", (tenths+0)/10) // not -0.0
		}
		b.WriteString("\n")
	}
	return b.String()
}

// netCycles is the sum over kernels of the cycles from the first CTA to the end.
func netCycles(t *testing.T, tr *container.Reader, machine *hardware.Config) (total model.Time) {
	cycles, _ := replayedOn(t, tr, machine)
	for _, n := range cycles {
		total += n
	}
	return total
}

// docs/model's table of the simplifications' effects is today's.
func TestDeviations(t *testing.T) {
	table := deviationTable(t)
	t.Log("\n" + table)
	doc, err := os.ReadFile("../docs/model/deviations.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(doc), "\n"+table+"\n") {
		t.Errorf("docs/model does not have this table:\n%s", table)
	}
}
