package command

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/replay/table"
	"gpureplay/samples"
)

// A sample is replayed on the machine of its paper, which is said in one line, unless
// another is named; each machine is a preset.
func TestSamplesHaveMachines(t *testing.T) {
	of := map[string]string{"dp-": "k20", "tasks-": "titanx-maxwell"}
	for _, g := range samples.List() {
		for family, machine := range of {
			if strings.HasPrefix(g.Name, family) && !strings.HasPrefix(g.Machine, machine) {
				t.Errorf("%s has the machine %q", g.Name, g.Machine)
			}
		}
		if strings.Contains(g.Source, "paper") && g.Machine == "" {
			t.Errorf("%s is of a paper, and has no machine", g.Name)
		}
		if _, err := hardware.Preset(g.Machine); g.Machine != "" && err != nil {
			t.Errorf("%s: %v", g.Name, err)
		}
	}
	path := filepath.Join(t.TempDir(), "v.zst")
	must(t, "sample", "vecadd", "--param=n=1024", "-o", path)
	var out, notes bytes.Buffer
	if status := Run([]string{"-o", filepath.Join(t.TempDir(), "out"), path}, nil, &out, &notes); status != 0 ||
		!strings.Contains(out.String(), "gk110-ppcs") {
		t.Errorf("status %d\n%s", status, out.String())
	}
	if said := "machine gk110-ppcs: the machine that the trace was made for; --gpu " +
		"chooses another\n"; strings.Count(notes.String(), said) != 1 {
		t.Errorf("the notes are\n%s", notes.String())
	}
	if rows := printedRows(t, "--gpu=k20c", "-o", t.TempDir(), path); rows[0]["gpu"] != "k20c" {
		t.Errorf("--gpu=k20c gives %v", rows[0]["gpu"])
	}
}

// A file of one's own names a workload and its parameters; its faults are named with their places and with advice.
func TestSampleFile(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("mine.toml"), "sample = \"vecadd\"\nn = 1024\nblock = 64\n")
	must(t, "sample", at("mine.toml"), "-o", at("a.zst"))
	must(t, "sample", "vecadd", "--param=n=1024", "--param=block=64", "-o", at("b.zst"))
	must(t, "sample", at("mine.toml"), "--param=block=128", "-o", at("c.zst"))
	must(t, "sample", "vecadd", "--param=n=1024", "--param=block=128", "-o", at("d.zst"))
	for _, pair := range [][2]string{{"a.zst", "b.zst"}, {"c.zst", "d.zst"}} {
		x, _ := os.ReadFile(at(pair[0]))
		y, _ := os.ReadFile(at(pair[1]))
		if len(x) == 0 || !bytes.Equal(x, y) {
			t.Errorf("%s differs from %s", pair[0], pair[1])
		}
	}
	if out := must(t, "sample", at("mine.toml")); !strings.Contains(out, "vecadd: two dependent") {
		t.Errorf("a file without -o: %s", out)
	}
	for text, want := range map[string][]string{
		"n = 3":                           {"bad.toml", `sample = "vecadd"`},
		"sample = 'vecad'":                {"bad.toml", `did you mean vecadd`},
		"sample = 'vecadd'\nm = 3":        {"bad.toml", `no parameter "m"`, "there are n, block, seed"},
		"sample = 'vecadd'\nn = 'x'":      {"bad.toml", "n=x", "want a whole number"},
		"sample = 'vecadd'\n[p]\nn = 3":   {"bad.toml:2", "keys of the file itself"},
		"sample = 'vecadd'\nn = [1, 2]":   {"bad.toml:2", "a number or a text"},
		"sample = 'vecadd\n":              {"bad.toml", "line 1"},
		"sample = 'vecadd'\nn = 99999999": {"bad.toml", "1 to 33554432"},
	} {
		write(t, at("bad.toml"), text)
		fails(t, 1, want, "sample", at("bad.toml"))
	}
	fails(t, 1, []string{"none.toml"}, "sample", at("none.toml"))
}

// A machine of one's own is checked by presets, with advice.
func TestPresetsChecksAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "gpu.toml")
	for text, want := range map[string][]string{
		"name = 'x'":                       {"gpu.toml", "there is no clock.core_mhz", `base = "a100"`},
		"base = 'a100'\n[sm]\ncount = '3'": {"gpu.toml:3", "sm.count", "a whole number, without quotes"},
		"base = 'a100'\n[sm]\ncuont = 3":   {"gpu.toml:3", "did you mean sm.count"},
		"base = 'a1000'":                   {"gpu.toml:1", "did you mean a100"},
	} {
		write(t, path, text)
		fails(t, 1, want, "presets", path)
	}
	write(t, path, "base = 'a100'\n[sm]\ncount = 3")
	if out := must(t, "presets", path); !strings.Contains(out, "count = 3") {
		t.Errorf("a sound file gives\n%s", out)
	}
}

// The shipped trace of two streams tells CTA schedulers apart: round robin puts one long
// CTA on each SM, filling two on some, which takes longer.
func TestTwoStreamsTellSchedulersApart(t *testing.T) {
	dir := t.TempDir()
	path, out := filepath.Join(dir, "two.zst"), filepath.Join(dir, "out")
	must(t, "convert", "../../samples/two-streams.trace.txt", "-o", path)
	rows := printedRows(t, "--policy=hyperq,hyperq,cta=fill", "--audit", "-o", out, path)
	if rows[0]["gpu"] != "k20c" || rows[1]["speedup"].(float64) > 0.9 {
		t.Errorf("on %v filling gives a speed-up of %v", rows[0]["gpu"], rows[1]["speedup"])
	}
	parts, err := table.Find(out, "ctas")
	if err != nil || len(parts) != 2 {
		t.Fatal(parts, err)
	}
	for i, most := range []int{1, 2} { // hyperq, then with cta=fill
		r, err := table.OpenReader(parts[i].Path, table.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		b, err := r.Next()
		if err != nil {
			t.Fatal(err)
		}
		long := map[int64]int{}
		for row := range b.Rows {
			if n, _ := b.Column("warp_instructions").Int(row); n > 10_000 {
				sm, _ := b.Column("sm").Int(row)
				long[sm]++
			}
		}
		r.Close()
		highest := 0
		for _, n := range long {
			highest = max(highest, n)
		}
		if highest != most || len(long) != 13/most+most-1 {
			t.Errorf("%s: long CTAs by SM %v", parts[i].Policy, long)
		}
	}
}
