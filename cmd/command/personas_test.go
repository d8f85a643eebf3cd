package command

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// A persona's first ten minutes: each command, and words that it must print.
type step struct {
	args []string
	want []string
}

// Each line is such a user's first step with the tool, in order.
func TestPersonas(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	machine := at("wide.toml")
	if err := os.WriteFile(machine, []byte("base = \"k20c\"\n[sm]\ncount = 26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for persona, steps := range map[string][]step{
		"architect": { // what would more SMs bring?
			{[]string{"presets"}, []string{"k20c", "SMs"}},
			{[]string{"sample", "vecadd", "--param=n=16384", "-o", at("a.trace.zst")}, nil},
			{[]string{"--gpu=k20c", "--policy=serial", "-o", at("a"), at("a.trace.zst")}, []string{"serial", "k20c"}},
			{[]string{"--gpu=" + machine, "--policy=serial", "-o", at("b"), at("a.trace.zst")}, []string{"wide"}},
			{[]string{"compare", at("a"), at("b")}, []string{"gpu: k20c → wide", "sm.count: 13 → 26"}},
			{[]string{"explain", "--gpu=k20c", at("a.trace.zst")}, []string{"without", "%"}},
		},
		"runtime engineer": { // does ppcs pay for my pipeline, and does it still after my change?
			{[]string{"policies", "ppcs"}, []string{"Source:"}},
			{[]string{"sample", "vecadd", "-o", at("r.trace.zst")}, nil},
			{[]string{"inspect", at("r.trace.zst")}, []string{"policies that apply"}},
			{[]string{"--policy=ppcs", "--gpu=gk110-ppcs", "--audit", "-o", at("r"), at("r.trace.zst")},
				[]string{"serial", "ppcs", "1.0"}},
			{[]string{"compare", at("r"), "serial", "ppcs"}, []string{"policy: serial → ppcs"}},
			{[]string{"top", at("r")}, []string{"stream", "longest gap", "file read"}},
		},
		"inference engineer": { // where does the time of a capture go?
			{[]string{"top", at("c.trace.zst")}, []string{"softmax", "matmul", "longest gap"}},
			{[]string{"what-if", at("c.trace")}, []string{"streams freed", "216 SMs"}},
			{[]string{"--policy=captured,hyperq", "--gpu=a100", "-o", at("c"), at("c.trace.zst")},
				[]string{"captured", "hyperq"}},
			{[]string{"-o", at("d"), at("c.trace")}, []string{"hyperq", "recorded"}}, // as the GPU ran it
			{[]string{"report", at("c")}, []string{"plots"}},
			{[]string{"timeline", at("c"), "-o", at("c.pftrace")}, []string{"slices"}},
		},
		"teacher": { // a kernel by hand, changed in class
			{[]string{"convert", at("t.txt"), "-o", at("t.trace.zst")}, []string{"1 kernel"}},
			{[]string{"--gpu=k20c", "-o", at("t"), at("t.trace.zst")}, []string{"serial"}},
			{[]string{"--gpu=k20c", "--set=sm.warp_scheduler=lrr", "-o", at("t"), at("t.trace.zst")}, []string{"serial"}},
			{[]string{"inspect", "--text", at("t.trace.zst")}, []string{"launch", "load"}},
			{[]string{"report", at("t"), "-o", at("t.html")}, []string{"2 replays"}},
		},
	} {
		if persona == "teacher" {
			write(t, at("t.txt"), "launch k grid=4 block=64\ncta 0..3\nwarp 0..1\nload R1 <- @0x1000+4\nfp R2 <- R1\nexit\n")
		}
		if persona == "inference engineer" {
			write(t, at("kineto.json"), kinetoCapture)
			must(t, "convert", at("kineto.json"), "-o", at("c.trace.zst"))
			must(t, "convert", at("kineto.json"), "-o", at("c.trace")) // known by its content
		}
		for _, s := range steps {
			out := must(t, s.args...)
			for _, w := range s.want {
				if !strings.Contains(out, w) {
					t.Errorf("%s: replay %s does not say %q:\n%s", persona, strings.Join(s.args, " "), w, out)
				}
			}
		}
	}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

// kinetoCapture is a capture of two kernels on two streams, as PyTorch's profiler writes it.
const kinetoCapture = `{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A100","computeMajor":8,` +
	`"computeMinor":0,"numSms":108}],"traceEvents":[
{"ph":"X","cat":"kernel","name":"void matmul<float>(float*)","pid":0,"tid":7,"ts":100,"dur":50,"args":{"device":0,` +
	`"stream":7,"correlation":1,"grid":[108,1,1],"block":[256,1,1],"registers per thread":64,"shared memory":0}},
{"ph":"X","cat":"kernel","name":"softmax","pid":0,"tid":7,"ts":160,"dur":10,"args":{"device":0,"stream":7,` +
	`"correlation":2,"grid":[32,1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0}}]}`
