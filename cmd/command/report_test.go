package command

import (
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// node is an element of a page.
type node struct {
	XMLName  xml.Name
	Attrs    []xml.Attr `xml:",any,attr"`
	Text     string     `xml:",chardata"`
	Children []node     `xml:",any"`
}

func (n *node) attr(name string) string {
	for _, a := range n.Attrs {
		if a.Name.Local == name {
			return a.Value
		}
	}
	return ""
}

// all returns the elements of a name under n, in order.
func (n *node) all(name string) (found []*node) {
	for i := range n.Children {
		c := &n.Children[i]
		if c.XMLName.Local == name {
			found = append(found, c)
		}
		found = append(found, c.all(name)...)
	}
	return found
}

// inside is the text of n and of all in it.
func (n *node) inside() string {
	text := n.Text
	for i := range n.Children {
		text += n.Children[i].inside()
	}
	return text
}

// makeReport runs the command, checks that the page is sound, and returns it.
func makeReport(t *testing.T, dir string, args ...string) (page *node, source string) {
	t.Helper()
	out := filepath.Join(t.TempDir(), "r.html")
	must(t, append([]string{"report", dir, "-o", out}, args...)...)
	data, err := os.ReadFile(out)
	if err != nil {
		t.Fatal(err)
	}
	page = &node{}
	// The page is written so that it is XML too: a name that is not escaped, or an
	// element that is not closed, is an error here.
	if err := xml.Unmarshal([]byte(strings.TrimPrefix(string(data), "<!DOCTYPE html>\n")), page); err != nil {
		t.Fatalf("the page is not well formed: %v", err)
	}
	checkPage(t, page)
	return page, string(data)
}

// elements are those that a page may have: none that runs or loads anything.
var elements = strings.Fields("html head meta title style body header h1 h2 h3 p nav ul li a main section div " +
	"table caption span thead tbody tr th td figure figcaption " +
	"svg g line path rect circle text details summary pre")

// checkPage checks that a page loads nothing, that references lead somewhere, and
// that every plot has a title and a table.
func checkPage(t *testing.T, page *node) {
	t.Helper()
	ids := map[string]int{}
	var refs []string
	var walk func(n *node)
	walk = func(n *node) {
		if !slices.Contains(elements, n.XMLName.Local) {
			t.Errorf("the page has an element %s", n.XMLName.Local)
		}
		for _, a := range n.Attrs {
			switch name := a.Name.Local; {
			case name == "id":
				ids[a.Value]++
			case name == "aria-labelledby":
				refs = append(refs, a.Value)
			case name == "href":
				ref, inner := strings.CutPrefix(a.Value, "#")
				if !inner {
					t.Errorf("a link leads to %s", a.Value)
				}
				refs = append(refs, ref)
			case name == "src" || name == "style" || strings.HasPrefix(name, "on"):
				t.Errorf("%s has the attribute %s", n.XMLName.Local, name)
			}
		}
		for i := range n.Children {
			walk(&n.Children[i])
		}
	}
	walk(page)
	for id, n := range ids {
		if n > 1 {
			t.Errorf("%d elements have the id %s", n, id)
		}
	}
	for _, r := range refs {
		if ids[r] == 0 {
			t.Errorf("nothing has the id %s", r)
		}
	}
	css := page.all("style")[0].Text
	if strings.Contains(css, "url(") || strings.Contains(css, "@import") {
		t.Error("the style loads something")
	}
	for _, f := range page.all("figure") {
		if len(f.all("table")) != 1 || len(f.all("figcaption")) != 1 {
			t.Errorf("a figure has %d tables and %d captions", len(f.all("table")), len(f.all("figcaption")))
		}
		svg := f.all("svg")[0]
		if svg.attr("role") != "img" || len(svg.Children) == 0 || svg.Children[0].XMLName.Local != "title" ||
			svg.Children[0].Text == "" {
			t.Error("a plot has no title")
		}
		if strings.Contains(svg.attr("viewBox"), "NaN") || strings.Contains(fmt.Sprint(svg), "NaN") ||
			strings.Contains(fmt.Sprint(svg), "Inf") {
			t.Error("a plot has a position that is no number")
		}
	}
}

// tableText returns a table as text, its header first.
func tableText(n *node) (rows [][]string) {
	for _, tr := range n.all("tr") {
		var row []string
		for i := range tr.Children {
			row = append(row, tr.Children[i].inside())
		}
		rows = append(rows, row)
	}
	return rows
}

// captions are the titles of a page's plots.
func captions(page *node) (all []string) {
	for _, f := range page.all("figcaption") {
		all = append(all, f.all("h3")[0].inside())
	}
	return all
}

// A report of a run has the figures that the command printed, one plot of each
// kind, and where they come from.
func TestReportOfARun(t *testing.T) {
	path, dir := sample(t), t.TempDir()
	rows := printedRows(t, "--policy=serial,hyperq,ppcs", "--gpu=gk110-ppcs", "--audit", "-o", dir, path)
	page, source := makeReport(t, dir)
	summary := tableText(page.all("table")[0])
	if len(summary) != 4 || !slices.Equal(summary[0][:4], []string{"policy", "cycles", "time", "speed-up"}) {
		t.Fatalf("the summary is %v", summary)
	}
	if caption := page.all("caption")[0].inside(); !strings.HasPrefix(caption,
		"3 rows, trace vecadd, GPU gk110-ppcs, kernels") {
		t.Errorf("the caption of the summary is %q", caption)
	}
	speedups := tableText(page.all("figure")[0].all("table")[0])
	for i, m := range rows {
		got := summary[1+i]
		if got[0] != m["policy"] ||
			strings.ReplaceAll(got[1], ",", "") != fmt.Sprint(int(m["cycles"].(float64))) ||
			got[3] != fmt.Sprintf("%.3f", m["speedup"]) || got[4] != fmt.Sprintf("%.1f", m["occupancy_pct"]) {
			t.Errorf("row %d is %v, the command printed %v", i, got, m)
		}
		if want := []string{m["policy"].(string), fmt.Sprintf("%.3f", m["speedup"])}; !slices.Equal(speedups[1+i], want) {
			t.Errorf("the plot of speed-ups has %v, want %v", speedups[1+i], want)
		}
	}
	var want []string
	for _, title := range []string{"Speed-up", "What CTAs did", "Progress of kernels", "Resident warps over time",
		"Instructions over time", "Resident CTAs over time",
		"DRAM traffic over time", "L2 traffic over time", "Kernels that wait over time", "Pages on the device over time",
		"Pages handed on over time"} {
		want = append(want, title+": vecadd on gk110-ppcs")
	}
	if got := captions(page); !slices.Equal(got, want) {
		t.Errorf("plots %q, want %q", got, want)
	}
	for _, text := range []string{"Made by replay " + version(), "hwqs = 32", "ppcs-guard=on"} {
		if !strings.Contains(source, text) {
			t.Errorf("the page does not say %q", text)
		}
	}
	// Without the long tables there is less to plot, and the rest is there.
	few := t.TempDir()
	must(t, "--policy=serial,ppcs", "--gpu=gk110-ppcs", "--tables=runs", "--format=csv", "-o", few, path)
	page, source = makeReport(t, few)
	if got := captions(page); !slices.Equal(got, want[:1]) || !strings.Contains(source, "do not say which version") {
		t.Errorf("of the table runs as CSV: plots %q", got)
	}
	// The runs of --sensitivity are curves over the constant.
	curves := t.TempDir()
	must(t, "sample", "vecadd", "--param=n=1024", "-o", filepath.Join(curves, "small.zst"))
	must(t, "--policy=serial,ppcs", "--gpu=gk110-ppcs", "--tables=runs", "--sensitivity=launch", "-o", curves,
		filepath.Join(curves, "small.zst"))
	page, _ = makeReport(t, curves)
	if got := captions(page); len(got) != 3 || got[1] != "Cycles over launch: small on gk110-ppcs" {
		t.Errorf("of --sensitivity: plots %q", got)
	}
	if last := tableText(page.all("figure")[1]); len(last) != 12 || last[1][0] != "0" || last[11][0] != "35000" {
		t.Errorf("the curve over the launch latency has the table %v", last)
	}
}

// A report of a sweep: bars over all settings, curves over each.
func TestReportOfASweep(t *testing.T) {
	file, dir := sweepFolder(t, strings.Replace(smallSweep, `["metrics"]`, `["ctas", "timeline"]`, 1)),
		filepath.Join(t.TempDir(), "out")
	rows := printedRows(t, "sweep", "-o", dir, file)
	page, source := makeReport(t, dir, "--title=HWQs & settings")
	if title := page.all("h1")[0].inside(); title != "HWQs & settings" {
		t.Errorf("the title is %q", title)
	}
	if summary := tableText(page.all("table")[0]); len(summary) != 1+len(rows) || summary[0][1] != "kmu_hwqs" ||
		summary[1][1] != "1" ||
		summary[3][1] != "32" {
		t.Errorf("the summary is %v", summary)
	}
	var got []string
	for _, c := range captions(page) {
		if strings.HasSuffix(c, "large on gk110-ppcs") || strings.Contains(c, "large on gk110-ppcs, kmu_hwqs = 32") {
			got = append(got, strings.TrimSuffix(c, "large on gk110-ppcs"))
		}
	}
	want := []string{"Speed-up: ", "Cycles over kmu_hwqs: ", "Speed-up over kmu_hwqs: ", "What CTAs did: "}
	for _, title := range []string{"Resident warps", "Instructions", "Resident CTAs", "DRAM traffic", "L2 traffic",
		"Kernels that wait"} {
		want = append(want, title+" over time: large on gk110-ppcs, kmu_hwqs = 32")
	}
	if !slices.Equal(got, want) {
		t.Errorf("plots %q, want %q", got, want)
	}
	// Behind the speed-ups over both traces and of each, a curve has the cells' own figures: rows are serial and ppcs
	// with 1 HWQ, then with 32.
	curve := tableText(page.all("figure")[4].all("table")[0])
	for i, hwqs := range []string{"1", "32"} {
		want := []string{hwqs, "1.000", fmt.Sprintf("%.3f", rows[2*i+1]["speedup"])}
		if !slices.Equal(curve[1+i], want) {
			t.Errorf("the curve of speed-ups has %v, want %v", curve[1+i], want)
		}
	}
	if !strings.Contains(source, "[1, 32]") ||
		!strings.Contains(source, "Configuration of gk110-ppcs, as under serial, kmu_hwqs = 1") {
		t.Error("the page shows neither the sweep's file nor the machine")
	}
	// Merged tables are enough, without the folders of the cells.
	os.RemoveAll(filepath.Join(dir, "cells"))
	makeReport(t, dir)
}

// The same tables give the same bytes, wherever they lie and however fast the
// runs were.
func TestReportsAreIdentical(t *testing.T) {
	path, a, b := sample(t), t.TempDir(), filepath.Join(t.TempDir(), "elsewhere")
	for _, dir := range []string{a, b} {
		must(t, "--policy=serial,crcs,ppcs", "--gpu=gk110-ppcs", "-o", dir, path)
	}
	_, first := makeReport(t, a)
	for range 3 {
		if _, again := makeReport(t, a); again != first {
			t.Error("another report of the same tables differs")
		}
	}
	if _, other := makeReport(t, b); other != first {
		t.Error("a report of equal tables in another folder differs")
	}
}

// Names that would be markup stay text.
func TestReportEscapesNames(t *testing.T) {
	const hostile = `a<script>alert(1)<b onload='x'>"&amp;]]>--{{.}}<!--`
	dir := t.TempDir()
	path := filepath.Join(dir, hostile+".trace.zst")
	must(t, "sample", "vecadd", "--param=n=1024", "-o", path)
	gpu := filepath.Join(dir, "gpu.toml")
	if err := os.WriteFile(gpu,
		[]byte("base = \"k20c\"\nname = '''"+hostile+"'''\ndescription = \"</pre><script>x</script>\"\n"),
		0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out")
	must(t, "--gpu="+gpu, "--policy=serial,hyperq", "-o", out, path)
	page, source := makeReport(t, out)
	if caption := page.all("caption")[0].inside(); strings.Count(caption, hostile) != 2 {
		t.Errorf("the names are shown as %q", caption)
	}
	if strings.Contains(source, "<script") || strings.Contains(source, "<b ") {
		t.Error("a name is markup")
	}
	page, _ = makeReport(t, out, "--title=</title></h1><script>x</script>")
	if h1 := page.all("h1")[0].inside(); h1 != "</title></h1><script>x</script>" {
		t.Errorf("the title is shown as %q", h1)
	}

	file := writeSweep(t, dir, "traces = '*.zst'\ngpus = 'gpu.toml'\npolicies = ['serial', 'hyperq,warp=lrr']\n# "+
		"</pre></details><script>alert(1)</script>\n[set]\nl2.hash = ['linear', 'xor']\n")
	must(t, "sweep", "--quiet", "-o", filepath.Join(dir, "sweep"), file)
	page, source = makeReport(t, filepath.Join(dir, "sweep"))
	if strings.Contains(source, "<script") ||
		!strings.Contains(page.inside(), "# </pre></details><script>alert(1)</script>") {
		t.Error("the sweep's file is not shown as it is")
	}
}

func TestReportOfNothing(t *testing.T) {
	dir := t.TempDir()
	fails(t, 1, []string{"no table runs", dir}, "report", dir)
	fails(t, 1, []string{"no such folder or capture", "none"}, "report", filepath.Join(dir, "none"))
	fails(t, 1, []string{"nosuch"}, "report", filepath.Join(dir, "nosuch"))
	fails(t, 2, nil, "report")
	must(t, "--gpu=k20c", "--format=arrow", "-o", filepath.Join(dir, "arrow"), sample(t))
	fails(t, 1, []string{"Arrow", "--format=parquet"}, "report", filepath.Join(dir, "arrow"))
	must(t, "--gpu=k20c", "-o", filepath.Join(dir, "bad"), sample(t))
	bad := filepath.Join(dir, "bad", "ctas", "trace=vecadd", "gpu=k20c", "set=preset", "policy=serial", "part-0.parquet")
	if err := os.WriteFile(bad, []byte("PAR1 and no more"), 0o644); err != nil {
		t.Fatal(err)
	}
	fails(t, 1, []string{"ctas", "has 16 bytes, was written with", "replay or sweep again"}, "report",
		filepath.Join(dir, "bad"))
	fails(t, 1, []string{"cannot write"}, "report", filepath.Join(dir, "bad"), "-o", filepath.Join(dir, "none", "x.html"))
	noPartials(t, dir)
}
