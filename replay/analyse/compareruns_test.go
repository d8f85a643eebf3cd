package analyse

import (
	"math"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/replay/table"
)

// tell writes a run with one kernel.
func tell(t *testing.T, dir string, k table.Key, cycles model.Time, version string) {
	t.Helper()
	s, err := table.Open(table.Options{Dir: dir, Trace: k.Trace, GPU: k.GPU, Set: k.Set, Policy: k.Policy, ClockMHz: 1000,
		Metadata: []table.KeyValue{{Key: "tool_version", Value: version}, {Key: "trace_hash", Value: "1"}}})
	if err != nil {
		t.Fatal(err)
	}
	s.Run(&table.Run{Summary: model.Summary{Cycles: cycles}})
	s.Setting(&table.Setting{Key: "sm.count", Value: map[string]string{"k20c": "13"}[k.GPU] + k.Set})
	s.Observer().Kernel(&model.KernelRecord{Function: "f", Parent: model.NoKernel, FirstCTA: 10, End: cycles})
	if err := s.Commit(); err != nil {
		t.Fatal(err)
	}
}

// Three traces, times over those before of 2, 1/2 and 1: their geometric mean is 1,
// and its interval exp(±4.303 · ln 2 / √3), by hand.
func TestCompareFolders(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	for i, name := range []string{"x", "y", "z"} {
		tell(t, a, table.Key{Trace: name, GPU: "k20c", Policy: "p"}, 1000, "v1")
		tell(t, b, table.Key{Trace: name, GPU: "k20c", Policy: "p"}, []model.Time{2000, 500, 1000}[i], "v2")
	}
	tell(t, a, table.Key{Trace: "alone", GPU: "k20c", Policy: "p"}, 1, "v1")
	c, err := CompareFolders(a, b)
	if err != nil {
		t.Fatal(err)
	}
	half := 4.303 * math.Log(2) / math.Sqrt(3)
	if len(c.Pairs) != 3 || math.Abs(c.Ratio-1) > 1e-12 || math.Abs(c.Low-math.Exp(-half)) > 1e-9 ||
		math.Abs(c.High-math.Exp(half)) > 1e-9 {
		t.Errorf("%d pairs, %v from %v to %v", len(c.Pairs), c.Ratio, c.Low, c.High)
	}
	if len(c.OnlyA) != 1 || !strings.Contains(c.OnlyA[0], "alone") || c.OnlyB != nil {
		t.Errorf("only in A %v, in B %v", c.OnlyA, c.OnlyB)
	}
	if why := strings.Join(c.Pairs[0].Why, "; "); why != "tool: v1 → v2" {
		t.Errorf("why: %s", why)
	}
	k, err := c.Pairs[0].Kernels()
	if err != nil || len(k) != 1 || k[0] != (KernelChange{"f", 1, 1, 990, 1990}) {
		t.Errorf("kernels %+v, %v", k, err)
	}
}

// Of device functions too the largest change comes first, whichever way it goes; of equal ones the name decides.
func TestLargestKernelChangeComesFirst(t *testing.T) {
	s := kernelChanges{all: []KernelChange{{"small", 1, 1, 50, 60}, {"b", 1, 1, 0, 90}, {"shrunk", 1, 1, 200, 100},
		{"a", 1, 1, 90, 0}}}
	var got []string
	for _, k := range s.sorted() {
		got = append(got, k.Function)
	}
	if want := []string{"shrunk", "a", "b", "small"}; !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// Other machines and settings pair by trace and policy, where they are alone.
func TestComparePairs(t *testing.T) {
	a, b := t.TempDir(), t.TempDir()
	tell(t, a, table.Key{Trace: "x", GPU: "k20c", Policy: "p"}, 100, "v")
	tell(t, b, table.Key{Trace: "x", GPU: "a100", Set: "sm.count=8", Policy: "p"}, 50, "v")
	c, err := CompareFolders(a, b)
	if err != nil || len(c.Pairs) != 1 || c.Pairs[0].Change() != -50 {
		t.Fatalf("%+v, %v", c, err)
	}
	if why := strings.Join(c.Pairs[0].Why, "; "); why != "machine: k20c → a100; settings: preset → sm.count=8" {
		t.Errorf("why: %s", why)
	}
	s, err := c.Pairs[0].Settings()
	if err != nil || len(s) != 1 || (s[0] != SettingChange{"sm.count", "13", "sm.count=8"}) {
		t.Errorf("settings %v, %v", s, err)
	}
	tell(t, b, table.Key{Trace: "x", GPU: "a100", Policy: "p"}, 70, "v")
	if _, err := CompareFolders(a, b); err == nil {
		t.Error("one run is paired with two")
	}
	tell(t, a, table.Key{Trace: "x", GPU: "k20c", Policy: "q"}, 80, "v")
	if c, err = ComparePolicies(a, "p", "q"); err != nil || len(c.Pairs) != 1 || math.Abs(c.Pairs[0].Change()+20) > 1e-9 {
		t.Errorf("%+v, %v", c, err)
	}
	if _, err := ComparePolicies(a, "p", "r"); err == nil || !strings.Contains(err.Error(), "there are p, q") {
		t.Errorf("an unknown policy: %v", err)
	}
}
