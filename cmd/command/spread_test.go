package command

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dustin/go-humanize"
)

// The range of --spread is that of its five runs, whose launches take a cycle longer each.
func TestSpread(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join(dir, "x.trace.zst")
	must(t, "sample", "--quiet", "behaviour", "--param=kind=walk", "--param=seed=7", "--param=sm=86", "-o", in)
	args := []string{"--quiet", "--spread", "--gpu=rtx3070", "--no-baseline", "--tables=runs", "-o", filepath.Join(dir,
		"out"), in}
	var rows []struct {
		Set    string
		Cycles int64
	}
	if err := json.Unmarshal([]byte(must(t, append([]string{"--json"}, args...)...)), &rows); err != nil {
		t.Fatal(err)
	}
	least, most := rows[0].Cycles, rows[0].Cycles
	for i, r := range rows {
		if want := fmt.Sprintf("host.launch_latency=%d", 5000+i); r.Set != want {
			t.Errorf("run %d: %s, want %s", i, r.Set, want)
		}
		least, most = min(least, r.Cycles), max(most, r.Cycles)
	}
	if len(rows) != 5 || most < least+5 { // five cycles: more than the launch moves it by itself
		t.Errorf("%d runs of %d to %d cycles", len(rows), least, most)
	}
	out := must(t, args...)
	want := fmt.Sprintf("spread of serial: %s to %s cycles (%.2f %%), launches 0 to 4 cycles later\n",
		humanize.Comma(least), humanize.Comma(most), 100*(float64(most)/float64(least)-1))
	if !strings.Contains(out, want) || !strings.Contains(out, "L2 slices stopped ") {
		t.Errorf("no %q in\n%s", want, out)
	}
	if out := must(t, "--quiet", "--gpu=a100", "--spread", "-o", filepath.Join(dir, "a"), sample(t)); strings.Contains(
		out, "slices stopped") {
		t.Errorf("the reserve engine has no queues that are full:\n%s", out)
	}
	fails(t, 2, []string{"--spread", "--sensitivity=launch"}, "--spread", "--sensitivity=launch", in)
	fails(t, 2, []string{"--spread", "2 cycles later", "host.launch_latency"}, "--spread", "--gpu=rtx3070",
		"--set=host.launch_latency=1073741823", in)
}
