package command

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jedib0t/go-pretty/v6/text"
)

// screen is a terminal of some columns.
type screen struct {
	bytes.Buffer
	width int
}

func (s *screen) columns() int { return s.width }

// Lists fit a terminal: text is wrapped between words, numbers stay whole, no word is
// lost. Without a terminal, or where numbers alone have no room, lines are as long as
// they are.
func TestListsFitTheTerminal(t *testing.T) {
	list := func(width int, args ...string) (longest int, words []string) {
		s := &screen{width: width}
		a := &app{out: s, err: &bytes.Buffer{}}
		root := a.root()
		root.SetArgs(args)
		root.SetOut(s)
		if err := root.Execute(); err != nil {
			t.Fatal(err)
		}
		for _, line := range strings.Split(s.String(), "\n") {
			longest = max(longest, text.StringWidthWithoutEscSequences(strings.TrimRight(line, " ")))
		}
		return longest, strings.Fields(s.String())
	}
	for _, args := range [][]string{{"policies"}, {"presets"}, {"sample"}, {"sample", "hsp"}, {"report", "--help"}} {
		free, words := list(0, args...)
		if args[0] != "report" && len(args) == 1 && free < 100 {
			t.Errorf("%v has %d columns: nothing to fit", args, free)
		}
		for _, width := range []int{80, 100, 140} {
			longest, wrapped := list(width, args...)
			if args[0] == "report" {
				continue // its own text has breaks of its own; the flags are wrapped by the library
			}
			if longest > width {
				t.Errorf("%v in %d columns has a line of %d", args, width, longest)
			}
			if len(wrapped) != len(words) {
				t.Errorf("%v in %d columns has %d words, not %d", args, width, len(wrapped), len(words))
			}
		}
	}
}

// A command whose result is a file says nothing if it is asked to be quiet.
func TestQuietIsQuiet(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("t.txt"), "launch k grid=4 block=64\ncta 0..3\nwarp 0..1\nload R1 <- @0x1000+4\nfp R2 <- R1\nexit\n")
	for _, args := range [][]string{
		{"sample", "vecadd", "--param=n=1024", "-o", at("v.zst")},
		{"convert", at("t.txt"), "-o", at("t.zst")},
		{"report", at("out")},
		{"timeline", at("out"), "-o", at("t.pftrace")},
		{"export", at("t.zst"), "-o", at("tables")},
		{"man", "-o", at("man")},
	} {
		if args[0] == "report" {
			must(t, "--quiet", "--gpu=k20c", "-o", at("out"), at("t.zst"))
		}
		if out := must(t, append(args, "--quiet")...); out != "" {
			t.Errorf("replay %s --quiet says %q", strings.Join(args, " "), out)
		}
	}
}

// The work of the host between its calls, and the cost of a call, are rows of explain: a capture is explained as it
// is replayed.
func TestExplainNamesHostWork(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "k.json"), kinetoCalls)
	must(t, "convert", filepath.Join(dir, "k.json"), "-o", filepath.Join(dir, "k.zst"))
	rows := printedRows(t, "explain", "--gpu=a100", "--policy=hyperq", filepath.Join(dir, "k.zst"))
	if rows[0]["switch"] != "host-work" || rows[0]["change_pct"].(float64) > -10 {
		t.Errorf("the largest effect is %v: the host works for 900 µs between two calls", rows[0])
	}
	out := must(t, "explain", "--gpu=a100", "--policy=hyperq", filepath.Join(dir, "k.zst"))
	if !strings.Contains(out, "work of the host between its calls") || !strings.Contains(out, "more change nothing") {
		t.Errorf("explain prints\n%s", out)
	}
}

// kinetoCalls is a capture whose host works for 900 µs between its two calls.
const kinetoCalls = `{"schemaVersion":1,"deviceProperties":[{"id":0,"name":"NVIDIA A100","computeMajor":8,` +
	`"computeMinor":0,"numSms":108}],"traceEvents":[
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":90,"dur":5,"args":{"correlation":1}},
{"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":995,"dur":5,"args":{"correlation":2}},
{"ph":"X","cat":"kernel","name":"matmul","pid":0,"tid":7,"ts":100,"dur":50,"args":{"device":0,"stream":7,` +
	`"correlation":1,"grid":[108,1,1],"block":[256,1,1],"registers per thread":64,"shared memory":0}},
{"ph":"X","cat":"kernel","name":"softmax","pid":0,"tid":7,"ts":1005,"dur":10,"args":{"device":0,"stream":7,` +
	`"correlation":2,"grid":[32,1,1],"block":[128,1,1],"registers per thread":32,"shared memory":0}}]}`
