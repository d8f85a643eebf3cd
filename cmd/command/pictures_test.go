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
const style = `<style>text{font:14px system-ui,sans-serif;fill:#222}.n{fill:#666}.b{fill:#3b76c4}.r{fill:none;stroke:#888}.a{stroke:#888;fill:none}` +
	`@media(prefers-color-scheme:dark){text{fill:#ddd}.n{fill:#aaa}}</style>` + "\n"

// picture wraps the elements of a picture of a width and height in pixels.
func picture(width, height int, title, elements string) []byte {
	return fmt.Appendf(nil, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" role="img"><title>%s</title>`+"\n%s%s</svg>\n",
		width, height, title, style, elements)
}

// TestPictureOfPolicies draws the README's chart from the run that the README shows.
func TestPictureOfPolicies(t *testing.T) {
	out := must(t, "--json", "--quiet", "--policy=serial,hyperq,crcs,ppcs", "--gpu=gk110-ppcs", "-o", t.TempDir(), "../../samples/vecadd.trace.zst")
	var rows []struct {
		Policy string
		Cycles float64
		TimeNs float64 `json:"time_ns"`
	}
	if err := json.Unmarshal([]byte(out), &rows); err != nil || len(rows) != 4 || rows[0].Cycles == 0 {
		t.Fatalf("%d rows (%v) of %s", len(rows), err, out)
	}
	var b strings.Builder
	for i, r := range rows {
		y := 10 + 34*i
		width := 380 * r.Cycles / rows[0].Cycles
		fmt.Fprintf(&b, `<text x="70" y="%d" text-anchor="end">%s</text><rect class="b" x="80" y="%d" width="%.0f" height="22"/>`+
			`<text class="n" x="%.0f" y="%d">%.2f ms, %.2f x</text>`+"\n",
			y+16, r.Policy, y, width, 88+width, y+16, r.TimeNs/1e6, rows[0].Cycles/r.Cycles)
	}
	drawn(t, "policies.svg", picture(600, 150, "Time of the sample under four policies", b.String()))
}

// TestPictureOfTheFlow draws how a capture becomes tables.
func TestPictureOfTheFlow(t *testing.T) {
	var b strings.Builder
	box := func(x, y, width int, name, note string) {
		fmt.Fprintf(&b, `<rect class="r" x="%d" y="%d" width="%d" height="46" rx="6"/><text x="%d" y="%d" text-anchor="middle">%s</text>`+
			`<text class="n" x="%d" y="%d" text-anchor="middle" style="font-size:11px">%s</text>`+"\n",
			x, y, width, x+width/2, y+20, name, x+width/2, y+37, note)
	}
	arrow := func(x1, y1, x2, y2 int) {
		fmt.Fprintf(&b, `<path class="a" d="M%d %dL%d %d" marker-end="url(#h)"/>`+"\n", x1, y1, x2, y2)
	}
	b.WriteString(`<defs><marker id="h" markerWidth="8" markerHeight="8" refX="7" refY="4" orient="auto"><path d="M0 0L8 4L0 8z" fill="#888"/></marker></defs>` + "\n")
	box(5, 10, 130, "capture", "10 sources")
	box(5, 84, 130, "generator", "replay sample")
	box(180, 47, 120, "trace", "one format")
	box(345, 47, 130, "model", "a GPU preset")
	box(345, 124, 130, "policy", "five decisions")
	box(520, 10, 150, "tables", "Parquet, Arrow, CSV")
	box(520, 84, 150, "report, timeline", "sweeps, comparisons")
	arrow(135, 33, 180, 62)
	arrow(135, 107, 180, 78)
	arrow(300, 70, 345, 70)
	arrow(410, 124, 410, 93)
	arrow(475, 62, 520, 33)
	arrow(595, 56, 595, 84)
	drawn(t, "flow.svg", picture(680, 180, "From a capture to tables", b.String()))
}

// drawn compares a picture of the documents with its drawing, or writes it with -update.
func drawn(t *testing.T, name string, want []byte) {
	t.Helper()
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
