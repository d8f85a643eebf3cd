package command

import (
	"crypto/sha256"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/samples"
	"gpureplay/trace/container"
)

// outputsFile has a line for each sample and policy, with the first digits of the SHA-256
// of each of its tables, and one for the trace.
var outputsFile = filepath.Join("testdata", "outputs.txt")

// quick are settings under which samples that are large by default are quick.
var quick = map[string]string{
	"llm-decode": "layers=1 hidden=256 heads=4 kv-heads=2 intermediate=256 " +
		"vocabulary=0 ctas=4 warps=4 position=9 shared=4096",
	"3mm": "n=64", "behaviour": "kind=mix most=1000", "bfs": "nodes=300", "concurrent": "kernels=8 steps=64",
	"conv": "width=128 height=128 iterations=2", "copy": "kib=256",
	"hsp": "n=64 kernels=4", "lpc": "n=64 kernels=4", "matmul": "m=64 n=64 k=64", "path": "cols=4000 rows=20",
	"scale": "kernels=8", "stream": "kib=1024", "stn": "nx=32 ny=32 nz=8 kernels=6",
	"vecadd": "n=16384", "walk": "threads=2048 steps=8", "chase": "steps=256",
	"dp-amr": "side=4 levels=3", "dp-bfs": "scale=8 input=graph500", "dp-bht": "bodies=150 steps=2", "dp-gc": "scale=7",
	"dp-join":   "left=300 right=300 keys=2",
	"dp-mandel": "size=64 iterations=32 regions=8", "dp-mm": "scale=6 columns=40", "dp-pre": "users=60 items=50",
	"dp-regx": "strings=40 longest=200",
	"dp-sa":   "bases=3000 count=50 length=60 word=4", "dp-sssp": "scale=8",
	"tasks-mb": "tasks=40 side=24 iterations=40", "tasks-fb": "tasks=40 width=200 taps=9",
	"tasks-bf": "tasks=40 width=200 taps=9", "tasks-conv": "tasks=40 side=24 radius=3",
	"tasks-dct": "tasks=40 side=40", "tasks-mm": "tasks=40 n=44", "tasks-3des": "tasks=40 min-bytes=64 max-bytes=2000",
	"tasks-slud": "tiles=3",
	"tasks-mpe":  "tasks=40 side=24 iterations=40 width=200 taps=9 n=44 min-bytes=64 max-bytes=2000",
}

// settled are policies with parameters that no default stands for.
const settled = "dtbl,match=kde,fallback=api,alloc=hash,agt=16 dtbl,agt=4,ahead=1 dtbl,kde=40 " +
	"spawn,idle=last,saturate=off ppcs,switch=off,pages=text,guard=off " +
	"crcs,counter-bits=1 oracle,grain=sector crcs,prelude-order=random cdp,warp=lrr hyperq,cta=fill"

// writeSample has the command write a sample's trace under settings that make it short, as NAME.trace.zst in the
// working folder. It returns that name and the machine of its family's papers.
func writeSample(t *testing.T, name string) (path, gpu string) {
	t.Helper()
	path = name + ".trace.zst"
	must(t, sampleArgs(name, path)...)
	switch family, _, _ := strings.Cut(name, "-"); family {
	case "dp":
		return path, "k20c"
	case "tasks":
		return path, "titanx-maxwell"
	}
	return path, "gk110-ppcs"
}

func sampleArgs(name, path string) []string {
	args := []string{"sample", "--quiet", name, "-o", path}
	for _, setting := range strings.Fields(quick[name]) {
		args = append(args, "--param="+setting)
	}
	return args
}

// spared are policies that TestOutputs leaves out: variants of others, and those that run others.
var spared = []string{"cdp-ideal", "dtbl-ideal", "freed", "graph", "nocopy", "offline-search", "single-overlap"}

// applicable lists the policies that apply to a trace, without those that are spared.
func applicable(t *testing.T, path string) string {
	t.Helper()
	r, err := container.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	f, err := policies.ProfileTrace(r, host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	all, _, err := policies.Applicable(f, nil)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, c := range all {
		if !slices.Contains(spared, c.Label) {
			labels = append(labels, c.Label)
		}
	}
	return strings.Join(labels, ",")
}

// Every table of every sample, under every policy that applies to it, has the bytes that
// it had: a change that means to change none is shown to, and one that means to shows
// which.
//
//	go test ./cmd/command -run Outputs -update   writes them anew
func TestOutputs(t *testing.T) {
	release := version
	version = func() string { return "any" }
	t.Cleanup(func() { version = release })
	old, err := os.ReadFile(outputsFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	file, err := filepath.Abs(outputsFile)
	if err != nil {
		t.Fatal(err)
	}
	t.Chdir(t.TempDir())
	var lines []string
	for _, g := range samples.List() {
		lines = append(lines, digests(t, g.Name)...)
	}
	if *update {
		if err := os.WriteFile(file, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, what := range changes(strings.Split(string(old), "\n"), lines) {
		t.Errorf("%s (-update writes %s)", what, outputsFile)
	}
}

// enginePins are samples that also run on machines of each memory engine and each pipeline: the
// machines of the papers have one of each alone.
var enginePins = struct{ samples, machines, policies []string }{
	samples:  []string{"behaviour", "bfs", "matmul", "walk", "dp-bfs", "dp-join", "tasks-dct", "tasks-3des"},
	machines: []string{"a100", "qv100", "rtx3070"},
	policies: []string{"serial", "hyperq", "cdp", "dtbl", "pagoda"},
}

// pinned lists the policies of enginePins that apply to a trace.
func pinned(t *testing.T, path string) string {
	t.Helper()
	applies := strings.Split(applicable(t, path), ",")
	return strings.Join(slices.DeleteFunc(slices.Clone(enginePins.policies), func(p string) bool {
		return !slices.Contains(applies, p)
	}), ",")
}

// digests are the lines of a sample.
func digests(t *testing.T, name string) []string {
	t.Helper()
	path, gpu := writeSample(t, name)
	lines := []string{fmt.Sprintf("%s - trace=%.4x", name, sha256.Sum256(bytesOf(t, ".", path)))}
	lines = append(lines, tableDigests(t, name, path, gpu, applicable(t, path))...)
	if slices.Contains(enginePins.samples, name) {
		for _, gpu := range enginePins.machines {
			lines = append(lines, tableDigests(t, name+"@"+gpu, path, gpu, pinned(t, path))...)
		}
	}
	return lines
}

// tableDigests are the lines of a sample's runs on a machine, one for each policy.
func tableDigests(t *testing.T, name, path, gpu, policies string) (lines []string) {
	t.Helper()
	must(t, "--quiet", "--no-baseline", "--policy="+policies, "--gpu="+gpu, "--sample=5000", "-o", name, path)
	byPolicy := map[string][]string{}
	files := contents(t, name)
	for _, file := range slices.Sorted(maps.Keys(files)) {
		table, _, _ := strings.Cut(file, string(filepath.Separator))
		policy := strings.TrimPrefix(filepath.Base(filepath.Dir(file)), "policy=")
		byPolicy[policy] = append(byPolicy[policy], fmt.Sprintf("%s=%.4x", table, sha256.Sum256([]byte(files[file]))))
	}
	for _, policy := range slices.Sorted(maps.Keys(byPolicy)) {
		lines = append(lines, name+" "+policy+" "+strings.Join(byPolicy[policy], " "))
	}
	return lines
}

// changes lists the sample, policy and table of each line in which two lists of digests differ.
func changes(before, now []string) (all []string) {
	was, is := digestsByName(before), digestsByName(now)
	for name, digest := range is {
		switch was[name] {
		case "":
			all = append(all, name+" is new")
		case digest:
		default:
			all = append(all, name+" differs")
		}
	}
	for name := range was {
		if is[name] == "" {
			all = append(all, name+" is gone")
		}
	}
	slices.Sort(all)
	return all
}

// digestsByName are the digests of lines by sample, policy and table.
func digestsByName(lines []string) map[string]string {
	all := map[string]string{}
	for _, line := range lines {
		words := strings.Fields(line)
		for _, w := range words[min(2, len(words)):] {
			table, digest, _ := strings.Cut(w, "=")
			all[words[0]+", "+words[1]+": "+table] = digest
		}
	}
	return all
}

// A table that has changed, one that came and one that went are named; so is a trace.
func TestOutputsNameWhatDiffers(t *testing.T) {
	before := []string{"a - trace=1", "a serial runs=2 ctas=3", "a cdp,warp=lrr runs=4", ""}
	now := []string{"a - trace=5", "a serial runs=2 pages=3", "a cdp,warp=lrr runs=6"}
	want := []string{"a, -: trace differs", "a, cdp,warp=lrr: runs differs", "a, serial: ctas is gone",
		"a, serial: pages is new"}
	if got := changes(before, now); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if got := changes(now, now); len(got) > 0 {
		t.Errorf("%q of the same", got)
	}
}
