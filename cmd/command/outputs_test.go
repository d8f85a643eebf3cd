package command

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/samples"
	"gpureplay/trace"
)

var outputs = flag.String("outputs", "", "file of checksums of the tables of every sample under every policy: written if it is not there, compared if it is")

var outputsOf = flag.String("outputs-of", "", "samples that -outputs is about, as a regular expression; empty: all")

// quick are settings under which samples that are large by default are quick.
var quick = map[string]string{
	"3mm": "n=64", "behaviour": "kind=mix most=2000", "bfs": "nodes=600", "concurrent": "kernels=8 steps=64", "conv": "width=128 height=128 iterations=2", "copy": "kib=256",
	"hsp": "n=64 kernels=4", "lpc": "n=64 kernels=4", "matmul": "m=64 n=64 k=64", "path": "cols=4000 rows=20", "scale": "kernels=8", "stn": "nx=32 ny=32 nz=8 kernels=6",
	"vecadd": "n=16384", "walk": "threads=2048 steps=8", "chase": "steps=256",
	"dp-amr": "side=4 levels=3", "dp-bfs": "scale=8 input=graph500", "dp-bht": "bodies=300 steps=2", "dp-gc": "scale=7", "dp-join": "left=300 right=300 keys=2",
	"dp-mandel": "size=64 iterations=32 regions=8", "dp-mm": "scale=6 columns=40", "dp-pre": "users=60 items=50", "dp-regx": "strings=40 longest=200",
	"dp-sa": "bases=3000 count=50 length=60 word=4", "dp-sssp": "scale=8",
	"tasks-mb": "tasks=40 side=24 iterations=40", "tasks-fb": "tasks=40 width=200 taps=9", "tasks-bf": "tasks=40 width=200 taps=9", "tasks-conv": "tasks=40 side=24 radius=3",
	"tasks-dct": "tasks=40 side=40", "tasks-mm": "tasks=40 n=44", "tasks-3des": "tasks=40 min-bytes=64 max-bytes=2000", "tasks-slud": "tiles=3",
	"tasks-mpe": "tasks=40 side=24 iterations=40 width=200 taps=9 n=44 min-bytes=64 max-bytes=2000",
}

// settled are policies with parameters that no default stands for.
const settled = "dtbl,match=kde,fallback=api,alloc=hash,agt=16 dtbl,agt=4,ahead=1 dtbl,kde=40 spawn,idle=last,saturate=off ppcs,switch=off,pages=text,guard=off " +
	"crcs,counter-bits=1 oracle,grain=sector crcs,prelude-order=random cdp,warp=lrr hyperq,cta=fill"

// A change that is to change no output is shown to: every table of every sample
// under every policy has the same bytes before it and after it.
//
//	go test ./cmd/command -run TestOutputs -outputs=/tmp/before   on the one commit, then on the other
func TestOutputs(t *testing.T) {
	if *outputs == "" {
		t.Skip("no -outputs=FILE to write checksums to, or to compare them with")
	}
	var got bytes.Buffer
	of := regexp.MustCompile(*outputsOf)
	for _, g := range samples.List() {
		if !of.MatchString(g.Name) {
			continue
		}
		var file bytes.Buffer
		if err := g.Write(&file, strings.Fields(quick[g.Name])...); err != nil {
			t.Fatal(err)
		}
		r, err := trace.NewReader(bytes.NewReader(file.Bytes()), int64(file.Len()))
		if err != nil {
			t.Fatal(err)
		}
		checksums(t, &got, g.Name, r)
		r.Close()
	}
	want, err := os.ReadFile(*outputs)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.WriteFile(*outputs, got.Bytes(), 0o644)
		want = got.Bytes()
	}
	if err != nil {
		t.Fatal(err)
	}
	before := map[string]bool{}
	for line := range strings.Lines(string(want)) {
		before[line] = true
	}
	for line := range strings.Lines(got.String()) {
		name, _, _ := strings.Cut(line, ":")
		if !before[line] && bytes.Contains(want, []byte("\n"+name+":")) {
			t.Errorf("%s differs", name)
		}
	}
}

// checksums adds a line for each table of a sample under each policy.
func checksums(t *testing.T, out *bytes.Buffer, name string, r *trace.Reader) {
	f, err := policies.FactsOf(r, host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	choices, _, err := policies.Applicable(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, word := range strings.Fields(settled) {
		cs, err := policies.Parse(word, nil)
		if err != nil {
			t.Fatal(err)
		}
		if cs[0].Lacks(f) == "" {
			choices = append(choices, cs[0])
		}
	}
	family, _, _ := strings.Cut(name, "-")
	gpu := cmp.Or(map[string]string{"dp": "k20c", "tasks": "titanx-maxwell"}[family], "gk110-ppcs")
	cfg, err := hardware.Preset(gpu)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range choices {
		dir := t.TempDir()
		job := replay.Job{Trace: r, Name: name, Config: cfg, Choices: []*policies.Choice{c}, Alone: true, Sample: 5000, Output: &replay.Output{Dir: dir, Format: "parquet", Version: "any"}}
		if _, err := replay.Run(context.Background(), &job); err != nil {
			fmt.Fprintf(out, "\n%s %s: %v", name, c.Label, err)
			continue
		}
		err = filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, "performance") || strings.Contains(path, "manifest") {
				return err
			}
			data, err := os.ReadFile(path)
			fmt.Fprintf(out, "\n%s %s: %.12x", name, strings.TrimPrefix(path, dir), sha256.Sum256(data))
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	fmt.Fprintln(out)
}
