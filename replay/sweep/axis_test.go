package sweep

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// load reads a sweep's file of the given text.
func load(t testing.TB, text string) (*File, error) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "sweep.toml")
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return Load(path)
}

func TestValuesOfASetting(t *testing.T) {
	for text, want := range map[string]string{
		"kmu.hwqs = 7":                                        "7",
		"kmu.hwqs = [1, 0x20]":                                "1 32",
		"kmu.hwqs = {from=1, to=9, step=3}":                   "1 4 7",
		"kmu.hwqs = {from=1, to=10, step=3}":                  "1 4 7 10",
		"kmu.hwqs = {from=5, to=5, step=1}":                   "5",
		"kmu.hwqs = {from=1, to=100, factor=4}":               "1 4 16 64",
		"host.pcie_gb_s = {from=0.1, to=0.5, step=0.1}":       "0.1 0.2 0.3 0.4 0.5",
		"host.pcie_gb_s = [8, 16.5]":                          "8 16.5",
		"sm.warp_scheduler = ['gto', 'lrr']":                  "gto lrr",
		"l1.global_loads = [true, false]":                     "true false",
		"l1.carveouts = [[0, 8192], [16384]]":                 "0,8192 16384",
		"'kmu.hwqs' = [2]":                                    "2",
		"[set.kmu]\nhwqs = {from=2, to=8, factor=2} # binary": "2 4 8",
	} {
		f, err := load(t, "traces = 't'\npolicies = 'serial'\n[set]\n"+text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		var got []string
		for _, v := range f.axes[0].values {
			got = append(got, v.text)
		}
		if s := strings.Join(got, " "); len(f.axes) != 1 || s != want {
			t.Errorf("%s: %q, want %q", text, s, want)
		}
	}
}

// Axes are in the order of the file, whatever their tables; their columns have
// the type of the key.
func TestAxesAreInTheOrderOfTheFile(t *testing.T) {
	f, err := load(t, "traces = 't'\npolicies = 'serial'\nsensitivity = 'launch'\n[set]\nsm.count = [8]\nkmu.hwqs = "+
		"{from=1,to=2,step=1}\nhost.pcie_gb_s = [8]\nhost.launch_latency = 3\nl1.global_loads = true\nl2.hash = 'xor'\n")
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, a := range f.axes {
		got = append(got, a.column.Name+" "+a.column.Type.String())
	}
	want := []string{"set_sm_count int64", "set_kmu_hwqs int64", "set_host_pcie_gb_s float64",
		"set_host_launch_latency int64", "set_l1_global_loads bool", "set_l2_hash string", "set_launch int64"}
	if !slices.Equal(got, want) {
		t.Errorf("%v, want %v", got, want)
	}
}

// A parameter multiplies the policies that have it, and no others.
func TestParametersOfPolicies(t *testing.T) {
	f, err := load(t, "traces = 't'\npolicies = ['flat', 'dtbl', 'dtbl,agt=64']\n[params]\ndtbl-agt = [256, 1024]\n")
	if err != nil {
		t.Fatal(err)
	}
	f.Policies = words{"flat", "dtbl"}
	choices, err := f.choices()
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, c := range choices {
		labels = append(labels, c.Label)
	}
	if want := []string{"flat", "dtbl,dtbl-agt=256", "dtbl,dtbl-agt=1024"}; !slices.Equal(labels, want) {
		t.Errorf("%v, want %v", labels, want)
	}
	f.Policies = words{"flat"}
	if _, err := f.choices(); err == nil || !strings.Contains(err.Error(), "params.dtbl-agt") {
		t.Errorf("a parameter of none: %v", err)
	}
}

func TestRangesOfSlurm(t *testing.T) {
	for _, c := range []struct {
		in   []int
		want string
	}{{[]int{0}, "0"}, {[]int{0, 1, 2}, "0-2"}, {[]int{0, 2, 3, 9}, "0,2-3,9"}, {[]int{4, 5, 7, 8}, "4-5,7-8"}} {
		if got := ranges(c.in); got != c.want {
			t.Errorf("%v: %q, want %q", c.in, got, c.want)
		}
	}
}

// Whatever the file, it is an error or a sweep, and not a panic.
func FuzzLoad(f *testing.F) {
	for _, s := range []string{
		"traces = '*.zst'\npolicies = ['serial']\n[set]\nkmu.hwqs = {from=1, to=9, step=3}\nl2.ways=[1,2.5,'x',true,[3]]",
		"policies = 'all'\ntraces=['a','b']\nsensitivity='launch'\n[slurm]\noptions=['--x']", "set = 3",
		"[set]\nx.y.z = 1979-05-27", "[[set]]\nkmu.hwqs=1",
	} {
		f.Add(s)
	}
	path := filepath.Join(f.TempDir(), "sweep.toml") // one for all: making a folder takes longer than reading a file
	f.Fuzz(func(t *testing.T, text string) {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		sweep, err := Load(path)
		if err == nil && (len(sweep.Traces) == 0 || len(sweep.Policies) == 0 || !slices.Contains(sweep.Tables, "runs")) {
			t.Errorf("a sweep without traces, policies or runs: %q", text)
		}
		if err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("an error of several lines: %q", err)
		}
	})
}
