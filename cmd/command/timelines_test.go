package command

import (
	"cmp"
	"encoding/csv"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// nested is a kernel whose first four lanes launch a child each, with work of its own before and after.
const nested = `launch parent grid=1 block=32 regs=16
cta 0
  warp 0
    load R2 <- R1 @0x100000+4
    repeat 100
      fp32 R3 <- R2 R3
    end
    devlaunch
      child 1 lane=0..3 work=64 params=64 marked
    repeat 400
      fp32 R4 <- R3 R4
    end
    exit
` + child + child + child + child

const child = `kernel step grid=2 block=32 regs=16 child
cta 0..1
  warp 0
    load R2 <- R1 @0x200000+4
    repeat 60
      fp32 R3 <- R2 R3
    end
    exit
`

// timelines are the pictures of the policies' pages: runs, and the table whose rows are their lanes.
var timelines = []struct {
	name, title, table string
	trace              func(t *testing.T) string
	args               []string
}{
	{"crcs", "Two dependent vector additions", "stages", shippedSample,
		[]string{"--gpu=gk110-ppcs", "--policy=serial,crcs,ppcs"}},
	{"blockmaestro", "Three dependent steps of HotSpot", "kernels", generated("hsp", "n=128", "kernels=3"),
		[]string{"--gpu=gk110-ppcs", "--policy=hyperq,blockmaestro", "--set=host.storage_mb_s=0"}},
	{"children", "A kernel that launches four children", "kernels", written(nested),
		[]string{"--gpu=k20c", "--policy=flat,cdp,dtbl"}},
	{"klap", "The same, launches aggregated", "kernels", written(nested),
		[]string{"--gpu=k20c", "--policy=cdp,klap,laperm"}},
	{"tasks", "Six narrow tasks", "tasks", generated("tasks-mb", "tasks=6", "side=32"),
		[]string{"--policy=hyperq,pagoda,gemtc"}},
}

func shippedSample(*testing.T) string { return "../../samples/vecadd.trace.zst" }

func generated(name string, params ...string) func(t *testing.T) string {
	return func(t *testing.T) string {
		path := filepath.Join(t.TempDir(), name+".trace.zst")
		args := []string{"sample", name, "-o", path}
		for _, p := range params {
			args = append(args, "--param="+p)
		}
		must(t, args...)
		return path
	}
}

func written(text string) func(t *testing.T) string {
	return func(t *testing.T) string {
		path := filepath.Join(t.TempDir(), "nested.txt")
		write(t, path, text)
		return path
	}
}

// TestPicturesOfPolicies draws a timeline for each family of policies, from runs.
func TestPicturesOfPolicies(t *testing.T) {
	for _, p := range timelines {
		out := t.TempDir()
		must(t, append(p.args, "--quiet", "--format=csv", "--tables=runs,"+p.table, "-o", out, p.trace(t))...)
		_, list, _ := strings.Cut(strings.Join(p.args, " "), "--policy=")
		list, _, _ = strings.Cut(list, " ")
		var blocks []block
		for policy := range strings.SplitSeq(list, ",") {
			blocks = append(blocks, readBlock(t, out, p.table, policy))
		}
		drawTimeline(t, "timeline-"+p.name+".svg", p.title, blocks)
	}
}

// block is the timeline of one policy. Times are in cycles.
type block struct {
	policy string
	end    float64
	lanes  []lane
}

// lane has a thin line from the first to the last time, and a bar between the two in the middle.
type lane struct {
	name  string
	times [4]float64
}

// bounds are the columns of a lane's four times in each table.
var bounds = map[string][4]string{
	"stages":  {"start_cycles", "start_cycles", "end_cycles", "end_cycles"},
	"kernels": {"arrive_cycles", "first_cta_cycles", "end_cycles", "end_cycles"},
	"tasks":   {"spawn_cycles", "first_warp_cycles", "end_cycles", "back_cycles"},
}

func readBlock(t *testing.T, out, table, policy string) block {
	b := block{policy: policy}
	for _, r := range readRows(t, out, "runs", policy) {
		b.end = cycles(r["cycles"])
	}
	for _, r := range readRows(t, out, table, policy) {
		l := lane{name: table[:len(table)-1] + " " + r["kernel"]}
		switch {
		case r["stage"] == "profiler":
			continue
		case table == "stages" && r["stage"] != "kernel":
			l.name = map[string]string{"prelude": "file read", "h2d": "copy in", "d2h": "copy out",
				"postlude": "file write"}[r["stage"]]
		case table == "stages":
			l.name = "kernel " + r["kernel"]
		}
		for i, name := range bounds[table] {
			l.times[i] = cycles(r[name])
		}
		b.add(l)
	}
	if table != "stages" { // rows come by their end
		slices.SortFunc(b.lanes, func(x, y lane) int { return cmp.Compare(x.name, y.name) })
	}
	return b
}

// add adds a lane, or widens the one of its name.
func (b *block) add(l lane) {
	for i := range b.lanes {
		if old := &b.lanes[i]; old.name == l.name {
			old.times = [4]float64{min(old.times[0], l.times[0]), min(old.times[1], l.times[1]),
				max(old.times[2], l.times[2]), max(old.times[3], l.times[3])}
			return
		}
	}
	b.lanes = append(b.lanes, l)
}

func cycles(s string) float64 {
	x, _ := strconv.ParseFloat(s, 64)
	return x
}

// readRows reads the CSV table of a policy's run, a map of cells by column for each row.
func readRows(t *testing.T, out, table, policy string) (rows []map[string]string) {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(out, "csv", table, "*", "*", "*", "policy="+policy, "part-0.csv"))
	if err != nil || len(paths) != 1 {
		t.Fatalf("%s of %s: %v (%v)", table, policy, paths, err)
	}
	f, err := os.Open(paths[0])
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	all, err := csv.NewReader(f).ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, cells := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = cells[i]
		}
		rows = append(rows, row)
	}
	return rows
}

// drawTimeline draws blocks below each other on one scale.
func drawTimeline(t *testing.T, name, title string, blocks []block) {
	const left, right, height = 96, 640, 16
	longest, y := 1.0, 4.0
	for _, b := range blocks {
		longest = max(longest, b.end)
	}
	at := func(c float64) float64 { return left + (right-left)*c/longest }
	var d drawing
	for _, b := range blocks {
		d.text("", 4, y+13, b.policy)
		y += 20
		for _, l := range b.lanes {
			d.text("n s", 10, y+11, l.name)
			fmt.Fprintf(&d, `<path class="r" d="M%.1f %.0fH%.1f"/>`+"\n", at(l.times[0]), y+8, at(l.times[3]))
			fmt.Fprintf(&d, `<rect class="b" x="%.1f" y="%.0f" width="%.1f" height="11"/>`+"\n", at(l.times[1]), y+2,
				max(1, at(l.times[2])-at(l.times[1])))
			y += height
		}
		fmt.Fprintf(&d, `<path class="a" d="M%.1f %.0fV%.0f"/>`+"\n", at(b.end), y-height*float64(len(b.lanes)), y)
		d.text("n s", at(b.end)+4, y-4, fmt.Sprintf("%s cycles", commas(uint64(b.end))))
		y += 8
	}
	d.save(t, name, title, right+110, y)
}
