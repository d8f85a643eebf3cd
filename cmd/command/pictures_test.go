package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"
)

// style makes a picture readable on light and dark pages.
const style = `<style>text{font:14px system-ui,sans-serif;` +
	`fill:#222}.n{fill:#666}.s{font-size:11px}.m{text-anchor:middle}
.b{fill:#3b76c4}.g{fill:#999}.r{fill:none;stroke:#888}.a{stroke:#888;fill:none}
@media(prefers-color-scheme:dark){text{fill:#ddd}.n{fill:#aaa}}</style>
<defs><marker id="h" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto">
<path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>
`

// drawing collects the elements of a picture. All sizes are in pixels.
type drawing struct{ strings.Builder }

func (d *drawing) text(class string, x, y float64, text string) {
	fmt.Fprintf(d, `<text class="%s" x="%.0f" y="%.0f">%s</text>`+"\n", class, x, y, text)
}

// box draws a box with a name and a note in it.
func (d *drawing) box(x, y, width float64, name, note string) {
	fmt.Fprintf(d, `<rect class="r" x="%.0f" y="%.0f" width="%.0f" height="42" rx="6"/>`+"\n", x, y, width)
	if note == "" {
		y += 6
	}
	d.text("m", x+width/2, y+19, name)
	if note != "" {
		d.text("m n s", x+width/2, y+34, note)
	}
}

func (d *drawing) arrow(x1, y1, x2, y2 float64) {
	const path = `<path class="a" d="M%.0f %.0fL%.0f %.0f" marker-end="url(#h)"/>`
	fmt.Fprintf(d, path+"\n", x1, y1, x2, y2)
}

// save compares the picture of a width and height with the documents' file, or writes that with -update.
func (d *drawing) save(t *testing.T, name, title string, width, height float64) {
	t.Helper()
	const head = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %.0f %.0f" role="img"><title>%s</title>`
	want := fmt.Appendf(nil, head+"\n%s%s</svg>\n", width, height, title, style, d.String())
	path := "../../docs/pictures/" + name
	if *update {
		if err := os.WriteFile(path, want, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is not as drawn (%v): go test ./cmd/command -run Picture -update", path, err)
	}
}

// TestPictureOfPolicies draws the README's chart from the run that the README shows.
func TestPictureOfPolicies(t *testing.T) {
	out := must(t, "--json", "--quiet", "--policy=serial,hyperq,crcs,ppcs", "--gpu=gk110-ppcs", "-o", t.TempDir(),
		"../../samples/vecadd.trace.zst")
	var rows []struct {
		Policy string
		Cycles float64
		TimeNs float64 `json:"time_ns"`
	}
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 4 || rows[0].Cycles == 0 {
		t.Fatalf("%d rows (%v) of %s", len(rows), err, out)
	}
	var d drawing
	for i, r := range rows {
		y, width := 10+34*float64(i), 380*r.Cycles/rows[0].Cycles
		d.text("", 8, y+16, r.Policy)
		fmt.Fprintf(&d, `<rect class="b" x="80" y="%.0f" width="%.0f" height="22"/>`+"\n", y, width)
		d.text("n", 88+width, y+16, fmt.Sprintf("%.2f ms, %.2f x", r.TimeNs/1e6, rows[0].Cycles/r.Cycles))
	}
	d.save(t, "policies.svg", "Time of the sample under four policies", 600, 150)
}

// TestPictureOfTheFlow draws how a capture becomes tables.
func TestPictureOfTheFlow(t *testing.T) {
	var d drawing
	d.box(5, 10, 130, "capture", "10 sources")
	d.box(5, 84, 130, "generator", "replay sample")
	d.box(180, 47, 120, "trace", "one format")
	d.box(345, 47, 130, "model", "a GPU preset")
	d.box(345, 124, 130, "policy", "five decisions")
	d.box(520, 10, 150, "tables", "Parquet, Arrow, CSV")
	d.box(520, 84, 150, "report, timeline", "sweeps, comparisons")
	d.arrow(135, 31, 180, 60)
	d.arrow(135, 105, 180, 76)
	d.arrow(300, 68, 345, 68)
	d.arrow(410, 124, 410, 89)
	d.arrow(475, 60, 520, 31)
	d.arrow(595, 52, 595, 84)
	d.save(t, "flow.svg", "From a capture to tables", 680, 176)
}

// chains are the pictures of the model's pages: rows of boxes, each with a name and a note, joined by arrows from
// left to right.
var chains = map[string][][]string{
	"model-overview": {
		{"host|program", "KMU|hardware queues", "distributor|kernels", "CTA scheduler|places CTAs", "SM|warps, pipes"},
		{"SM|accesses", "L1", "crossbar", "L2|slices", "DRAM|channels"},
	},
	"model-host": {
		{"launch", "call|host.launch_overhead_ns", "arrival|host.launch_latency", "KMU"},
		{"copy", "engine|in order, each direction", "end|host.copy_latency_ns + bytes"},
		{"wait", "stream, event or all work", "next operation"},
	},
	"model-kernels": {
		{"stream", "hardware queue|kmu.hwqs", "dispatch|kmu.dispatch_latency", "distributor|kmu.entries"},
		{"distributor|kmu.entries", "CTA scheduler|kmu.ctas_per_cycle", "SM|occupancy"},
	},
	"model-issue": {
		{"fetch|sm.fetch_width", "scheduler|gto, gty, lrr", "issue register", "collector|operands, banks"},
		{"collector|operands, banks", "pipe|initiation, latency", "result bus", "write-back"},
	},
	"model-memory": {
		{"load/store unit", "L1 banks|MSHRs", "miss queue", "injection port", "L2 input queue"},
		{"L2 input queue", "L2 slice|MSHRs", "DRAM queue", "bank, bus", "fill"},
		{"fill", "reply queue", "ejection port", "write-back"},
	},
	"model-launches": {
		{"launch call|A x + b cycles", "device kernel", "KMU", "distributor", "SMs"},
		{"launch call|A x + b cycles", "aggregated group|AGT", "search of the distributor", "joins a kernel"},
		{"launch call|refused", "inline|the lane runs the child"},
	},
	"model-tasks": {
		{"spawn", "dependences", "stream of 32|copy, launch, copy", "output"},
		{"spawn", "dependences", "task runtime", "persistent CTA|slots for warps", "output"},
	},
}

// TestPicturesOfTheModel draws a picture for each page of the model.
func TestPicturesOfTheModel(t *testing.T) {
	for name, rows := range chains {
		var d drawing
		width, y := 0.0, 6.0
		for _, row := range rows {
			x := 6.0
			for i, cell := range row {
				label, note, _ := strings.Cut(cell, "|")
				w := float64(max(9*len(label), 6*len(note)) + 18)
				d.box(x, y, w, label, note)
				if x += w; i < len(row)-1 {
					d.arrow(x, y+21, x+26, y+21)
					x += 26
				}
				width = max(width, x+6)
			}
			y += 60
		}
		d.save(t, name+".svg", strings.ReplaceAll(name, "-", ": "), width, y-8)
	}
}
