package policies_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/samples"
	_ "gpureplay/samples/children"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

var printResults = flag.Bool("results", false, "run the benchmarks of the child-launch papers and print their tables (minutes)")

// benchmark is a workload of one of the papers, or beside them.
type benchmark struct {
	name, sample string
	params       []string
	data         string // file of the captures, as NAME=PATH of a parameter; "": generated
}

// dtblBenchmarks are those of the DTBL paper's table 4, at sizes that run in
// seconds.
var dtblBenchmarks = []benchmark{
	{"AMR", "dp-amr", nil, ""},
	{"BHT", "dp-bht", []string{"bodies=4096"}, ""},
	{"BFS-citation", "dp-bfs", []string{"input=citation", "scale=16"}, ""},
	{"BFS-road", "dp-bfs", []string{"input=road", "scale=12"}, ""},
	{"BFS-cage", "dp-bfs", []string{"input=cage", "scale=13"}, ""},
	{"CLR-citation", "dp-gc", []string{"input=citation", "scale=12"}, ""},
	{"CLR-graph500", "dp-gc", []string{"input=graph500", "scale=10"}, ""},
	{"CLR-cage", "dp-gc", []string{"input=cage", "scale=11"}, ""},
	{"REGX-packets", "dp-regx", nil, "packets=packets-tcpdump/afs.pcap"},
	{"REGX-string", "dp-regx", nil, ""},
	{"PRE", "dp-pre", nil, ""},
	{"JOIN-uniform", "dp-join", []string{"distribution=uniform"}, ""},
	{"JOIN-gaussian", "dp-join", []string{"distribution=gaussian"}, ""},
	{"SSSP-citation", "dp-sssp", []string{"input=citation", "scale=14"}, ""},
	{"SSSP-flight", "dp-sssp", nil, "graph=graphs-openflights/routes.dat"},
	{"SSSP-cage", "dp-sssp", []string{"input=cage", "scale=12"}, ""},
}

// spawnBenchmarks are those of the SPAWN paper's table I, then graphs with hubs and
// without.
var spawnBenchmarks = []benchmark{
	{"AMR", "dp-amr", nil, ""},
	{"BFS-citation", "dp-bfs", []string{"input=citation", "scale=16"}, ""},
	{"BFS-graph500", "dp-bfs", []string{"input=graph500", "scale=13"}, ""},
	{"SSSP-citation", "dp-sssp", []string{"input=citation", "scale=14"}, ""},
	{"SSSP-graph500", "dp-sssp", []string{"input=graph500", "scale=12"}, ""},
	{"JOIN-uniform", "dp-join", []string{"distribution=uniform"}, ""},
	{"JOIN-gaussian", "dp-join", []string{"distribution=gaussian"}, ""},
	{"GC-citation", "dp-gc", []string{"input=citation", "scale=12"}, ""},
	{"GC-graph500", "dp-gc", []string{"input=graph500", "scale=10"}, ""},
	{"Mandel", "dp-mandel", []string{"size=128"}, ""},
	{"MM-small", "dp-mm", []string{"scale=8"}, ""},
	{"MM-large", "dp-mm", []string{"scale=9"}, ""},
	{"SA", "dp-sa", nil, ""},
}

var otherGraphs = []benchmark{
	{"BFS-as20", "dp-bfs", nil, "graph=graphs-small-bench/snap-as20graph.txt"},
	{"BFS-Enron", "dp-bfs", nil, "graph=graphs-email-enron/email-Enron.txt.gz"},
	{"BFS-OpenFlights", "dp-bfs", nil, "graph=graphs-openflights/routes.dat"},
	{"BFS-rgg", "dp-bfs", nil, "graph=graphs-kahip/rgg_n_2_15_s0.graph"},
	{"BFS-delaunay", "dp-bfs", nil, "graph=graphs-kahip/delaunay_n15.graph"},
}

// open generates the trace; the test is skipped where its data is not at hand.
func (b *benchmark) open(t testing.TB) *trace.Reader {
	t.Helper()
	params := b.params
	if b.data != "" {
		key, path, _ := strings.Cut(b.data, "=")
		params = append(params[:len(params):len(params)], key+"="+tracetest.Data(t, path))
	}
	g, err := samples.Get(b.sample)
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := g.Write(&out, params...); err != nil {
		t.Fatal(err)
	}
	return tracetest.Read(t, out.Bytes())
}

// outcome maps the label of a policy to its run.
type outcome map[string]*runs.Result

// replayAll runs policies over a trace, audited. Reads, copies and the host's own
// time are free: the papers' figures are of the kernels.
func replayAll(t testing.TB, r *trace.Reader, gpu, list string) outcome {
	t.Helper()
	cfg, err := model.Preset(gpu)
	if err != nil {
		t.Fatal(err)
	}
	h := &cfg.Host
	h.StorageMBs, h.PCIeGBs, h.CopyLatencyNs, h.LaunchOverheadNs = 0, 0, 0, 0
	cs, err := policies.Parse(list, nil)
	if err != nil {
		t.Fatal(err)
	}
	results, err := runs.Run(context.Background(), &runs.Job{Trace: r, Name: "t", Config: cfg, Choices: cs, Audit: true})
	if err != nil {
		t.Fatal(err)
	}
	o := outcome{}
	for _, x := range results {
		o[x.Policy] = x
		for _, v := range x.Violations {
			t.Errorf("%s: cycle %d, %s: %s", x.Policy, v.Time, v.Rule, v.What)
		}
	}
	return o
}

// speedup is that of one policy over another.
func (o outcome) speedup(policy, over string) float64 {
	return float64(o[over].Run.Cycles) / float64(o[policy].Run.Cycles)
}

// geomean accumulates a geometric mean.
type geomean struct {
	log float64
	n   int
}

func (g *geomean) add(x float64) float64 {
	g.log += math.Log(x)
	g.n++
	return x
}

func (g *geomean) mean() float64 { return math.Exp(g.log / float64(g.n)) }

// The DTBL paper's comparison: speedups over flat on a K20c, and how many groups
// find a kernel, as the paper's text says and with kernels on their way.
func TestDTBLResults(t *testing.T) {
	if !*printResults {
		t.Skip("minutes; run with -results")
	}
	const launched, idealLaunched = "dtbl,match=launched", "dtbl-ideal,match=launched"
	list := "flat,cdp,cdp-ideal,dtbl,dtbl,match=launched,dtbl-ideal,dtbl-ideal,match=launched"
	columns := []string{"cdp", "cdp-ideal", "dtbl", launched, "dtbl-ideal", idealLaunched}
	means := make([]geomean, len(columns))
	var overCDP, launchedOverCDP geomean
	fmt.Println("| benchmark | children | cdp | cdp-ideal | dtbl | launched | dtbl-ideal | ideal, launched | dtbl joins | launched joins |")
	fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- | --- |")
	for _, b := range dtblBenchmarks {
		t.Run(b.name, func(t *testing.T) {
			o := replayAll(t, b.open(t), "k20c", list)
			row := fmt.Sprintf("| %s | %d", b.name, o["cdp"].Run.LaunchesMade)
			for i, c := range columns {
				row += fmt.Sprintf(" | %.2f", means[i].add(o.speedup(c, "flat")))
			}
			overCDP.add(o.speedup("dtbl", "cdp"))
			launchedOverCDP.add(o.speedup(launched, "cdp"))
			for _, c := range []string{"dtbl", launched} {
				row += fmt.Sprintf(" | %.0f %%", percentOf(o[c].Run.LaunchesCoalesced, o[c].Run.LaunchesMade))
			}
			fmt.Println(row + " |")
		})
	}
	row := "| geometric mean | "
	for i := range means {
		row += fmt.Sprintf(" | %.2f", means[i].mean())
	}
	fmt.Println(row + " | | |")
	fmt.Printf("dtbl over cdp: %.2f, launched: %.2f\n", overCDP.mean(), launchedOverCDP.mean())
}

func percentOf(a, b uint64) float64 { return float64(a) / float64(max(1, b)) * 100 }

// The SPAWN paper's comparison on its machine, and the graphs beside it.
func TestSpawnResults(t *testing.T) {
	if !*printResults {
		t.Skip("minutes; run with -results")
	}
	columns := []string{"cdp", "offline-search", "spawn", "spawn+dtbl"}
	list := "flat,cdp,offline-search,steps=6,spawn,spawn+dtbl"
	for _, set := range [][]benchmark{spawnBenchmarks, otherGraphs} {
		means := make([]geomean, len(columns))
		var overCDP geomean
		fmt.Println("| benchmark | cdp | offline-search | at | spawn | spawn+dtbl | children of cdp | of offline-search | of spawn |")
		fmt.Println("| --- | --- | --- | --- | --- | --- | --- | --- | --- |")
		for _, b := range set {
			t.Run(b.name, func(t *testing.T) {
				o := replayAll(t, b.open(t), "k20m-spawn", list)
				o["offline-search"] = o["offline-search,steps=6"]
				row := "| " + b.name
				for i, c := range columns {
					row += fmt.Sprintf(" | %.2f", means[i].add(o.speedup(c, "flat")))
					if c == "offline-search" {
						row += " | " + o.best()
					}
				}
				overCDP.add(o.speedup("spawn", "cdp"))
				// While it learns, SPAWN launches every request, as threshold=0 does throughout.
				if worst := min(1, o.speedup("cdp", "flat"), o.speedup("threshold=0", "flat")); o.speedup("spawn", "flat") < 0.95*worst {
					t.Errorf("spawn is slower than flat, cdp and launching all")
				}
				fmt.Printf("%s | %d | %d | %d |\n", row, o["cdp"].Run.LaunchesMade, o["offline-search"].Run.LaunchesMade, o["spawn"].Run.LaunchesMade)
			})
		}
		fmt.Printf("| geometric mean | %.2f | %.2f | | %.2f | %.2f | | | |\n", means[0].mean(), means[1].mean(), means[2].mean(), means[3].mean())
		fmt.Printf("spawn over cdp: %.2f\n", overCDP.mean())
	}
}

// best is the label of the threshold that offline-search settled on.
func (o outcome) best() string {
	for label, r := range o {
		if strings.HasPrefix(label, "threshold=") && r.Run.Cycles == o["offline-search"].Run.Cycles && r.Run.LaunchesMade == o["offline-search"].Run.LaunchesMade {
			return strings.TrimPrefix(label, "threshold=")
		}
	}
	return ""
}

// The sizes of the AGT, and the paper's alternative of more entries in the
// distributor, by speedup over an AGT of 1,024.
func TestAGTResults(t *testing.T) {
	if !*printResults {
		t.Skip("minutes; run with -results")
	}
	variants := []string{"agt=256", "agt=4096", "ahead=32", "kde=64", "kde=1024"}
	for _, match := range []string{"kde", "launched"} {
		fmt.Printf("| match=%s | %s | spilled at 1024 |\n|%s\n", match, strings.Join(variants, " | "), strings.Repeat(" --- |", len(variants)+2))
		for _, b := range dtblBenchmarks {
			switch b.name {
			case "AMR", "BHT", "CLR-citation", "REGX-string", "JOIN-gaussian", "SSSP-flight":
			default:
				continue
			}
			base := "dtbl,match=" + match
			list := base
			for _, v := range variants {
				list += "," + base + "," + v
			}
			o := replayAll(t, b.open(t), "k20c", list)
			row := "| " + b.name
			for _, v := range variants {
				row += fmt.Sprintf(" | %.2f", o.speedup(base+","+v, base))
			}
			fmt.Printf("%s | %.0f |\n", row, metric(&o[base].Run.Summary, "agt_spilled_groups"))
		}
	}
}
