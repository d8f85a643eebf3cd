package command

import (
	"fmt"
	"gpureplay/trace"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// papers are the pages of docs/results that have a table of published figures.
var papers = []string{"blockmaestro", "dtbl", "klap", "laperm", "pagoda", "ppcs", "spawn"}

// plainRow matches a row of a table of published figures whose values are plain numbers: figure, place, paper, here.
var plainRow = regexp.MustCompile(`(?m)^\| ([^|]+) \| [^|]* \| ([0-9.]+)(?: x)? \| ([0-9.]+)(?: x)? \| `)

// TestPicturesOfResults draws the published ratios of each paper beside ours, from the table of its page.
func TestPicturesOfResults(t *testing.T) {
	for _, paper := range papers {
		page, err := os.ReadFile("../../docs/results/" + paper + ".md")
		if err != nil {
			t.Fatal(err)
		}
		_, table, found := strings.Cut(string(page), "<!-- "+paper+"/published -->")
		table, _, closed := strings.Cut(table, "<!-- /"+paper+"/published -->")
		rows := plainRow.FindAllStringSubmatch(table, -1)
		if !found || !closed || len(rows) == 0 {
			t.Fatalf("%s: no table of published ratios", paper)
		}
		if !strings.Contains(string(page), "results-"+paper+".svg") {
			t.Errorf("docs/results/%s.md does not show its chart", paper)
		}
		drawRatios(t, paper, rows)
	}
}

// The summary of all results has the figures of the pages' own tables.
func TestSummaryOfResults(t *testing.T) {
	summary, err := os.ReadFile("../../docs/results/README.md")
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	summaryRow := regexp.MustCompile(`(?m)^\| \[[^\]]+\]\((\w+)\.md\)[^|]*\| ([0-9.]+) \| ([0-9.]+) \|`)
	for _, row := range summaryRow.FindAllStringSubmatch(string(summary), -1) {
		page, err := os.ReadFile("../../docs/results/" + row[1] + ".md")
		if err != nil {
			t.Fatal(err)
		}
		found := false
		for _, r := range plainRow.FindAllStringSubmatch(string(page), -1) {
			found = found || r[2] == row[2] && r[3] == row[3]
		}
		if slices.Contains(papers, row[1]) && !found {
			t.Errorf("%s: no published figure %s with %s of ours", row[1], row[2], row[3])
		}
		seen[row[1]] = true
	}
	for _, paper := range papers {
		if !seen[paper] {
			t.Errorf("the summary has no row of %s", paper)
		}
	}
}

// drawRatios draws two bars for each row, the paper's and ours.
func drawRatios(t *testing.T, paper string, rows [][]string) {
	const left, right = 330, 620
	most := 0.0
	for _, r := range rows {
		most = max(most, number(t, r[2]), number(t, r[3]))
	}
	var d drawing
	y := 18.0
	d.text("n s", left, y-6, "grey: paper; blue: here")
	for _, r := range rows {
		d.text("s", 4, y+14, escape(trace.Shorten(r[1], 52)))
		for i, class := range []string{"g", "b"} {
			width := (right - left) * number(t, r[2+i]) / most
			fmt.Fprintf(&d, `<rect class="%s" x="%d" y="%.0f" width="%.1f" height="9"/>`+"\n", class, left, y+10*float64(i),
				width)
			d.text("n s", left+width+4, y+9+10*float64(i), r[2+i])
		}
		y += 28
	}
	d.save(t, "results-"+paper+".svg", "Published figures beside ours: "+paper, right+50, y)
}

func number(t *testing.T, s string) float64 {
	t.Helper()
	x, err := strconv.ParseFloat(s, 64)
	if err != nil {
		t.Fatal(err)
	}
	return x
}

func escape(s string) string {
	return strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "", `\`, "").Replace(s)
}
