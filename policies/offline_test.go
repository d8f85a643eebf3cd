package policies

import (
	"slices"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/trace/tracetest"
)

// Four requests: 1, 2, 3 and 10 items, 16 in all. Thresholds in four steps leave at most 16, 12, 8, 4 and 0 items
// to children. 0 leaves 16, 2 leaves 13 and 3 leaves 10, so that at most 12 needs 3; at most 8 and the later ones
// need 10.
func TestThresholdsOfWorkloads(t *testing.T) {
	text := `
launch parent grid=1 block=64
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=10 params=8
  child 2 lane=1 work=2 params=8
  child 3 lane=2 work=3 params=8
  exit
 warp 1
  devlaunch
  child 4 lane=3 work=1 params=8
  exit
`
	for range 4 {
		text += "kernel work grid=1 block=32 child\ncta 0\n warp 0\n  exit\n"
	}
	w, err := WorkloadsOf(tracetest.FromText(t, text))
	if err != nil {
		t.Fatal(err)
	}
	if got, want := w.Thresholds(4), []uint32{0, 3, 10}; !slices.Equal(got, want) {
		t.Errorf("thresholds %d, want %d", got, want)
	}
	if w.Warps != 2 || w.Requests != 4 {
		t.Errorf("%d warps make %d requests, want 2 and 4", w.Warps, w.Requests)
	}
	if got, want := w.Thresholds(16), []uint32{0, 1, 2, 3, 10}; !slices.Equal(got, want) {
		t.Errorf("thresholds %d, want %d", got, want)
	}
}

// Of more workloads than are kept apart the top 20 bits count.
func TestWorkloadsBeyondTheirBound(t *testing.T) {
	const text = `
launch parent grid=1 block=32
cta 0
 warp 0
  devlaunch
  child 1 lane=0 work=12289 params=8
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  exit
`
	r := tracetest.FromText(t, text)
	for room, want := range []uint32{3 << 12, 3<<12 + 1} {
		counts := make(map[uint32]uint64, distinctWorkloads)
		for v := range uint32(distinctWorkloads - room) {
			counts[1<<24+v] = 1
		}
		if _, err := new(Workloads).count(r, 0, counts); err != nil || counts[want] != 1 {
			t.Errorf("with room for %d more: %d of %d, %v", room, counts[want], want, err)
		}
	}
}

func TestTriesKeepOverrides(t *testing.T) {
	cs, err := Parse("offline-search,steps=2,warp=lrr", nil)
	if err != nil {
		t.Fatal(err)
	}
	r := tracetest.FromText(t, "launch parent\ncta 0\n warp 0\n  devlaunch\n  child 1 lane=0 work=7 params=8\n  "+
		"exit\nkernel work child\ncta 0\n warp 0\n  exit\n")
	tries, err := cs[0].Tries(r)
	if err != nil {
		t.Fatal(err)
	}
	var labels []string
	for _, c := range tries {
		labels = append(labels, c.Label)
		if c.decision("warp") != "lrr" {
			t.Errorf("%s does not keep the override", c.Label)
		}
	}
	if want := []string{"threshold=0,warp=lrr", "threshold=7,warp=lrr"}; !slices.Equal(labels, want) {
		t.Errorf("tries %q, want %q", labels, want)
	}
	if _, _, err := cs[0].Build(nil); err == nil {
		t.Error("a search is built as if it were one run")
	}
}

// Blanks around names and parameters are not part of them.
func TestBlanksInAListOfPolicies(t *testing.T) {
	cs, err := Parse(" serial , dtbl-ideal,\tkde=1 ", nil)
	if err != nil || len(cs) != 2 || cs[0].Label != "serial" || cs[1].Label != "dtbl-ideal,kde=1" {
		t.Fatalf("%+v, %v", cs, err)
	}
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	if _, cfg, err = cs[1].Build(cfg); err != nil || cfg.KMU.Entries != 1 {
		t.Errorf("kde=1 gives the distributor %d entries: %v", cfg.KMU.Entries, err)
	}
}

// A parameter may be given by the last part of its name where that is one.
func TestParametersByTheirLastName(t *testing.T) {
	cs, err := Parse("spawn+dtbl,agt=256,queue=9,match=launched,dtbl-ideal,kde=64", nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"dtbl-agt=256", "spawn-queue=9", "dtbl-match=launched"} {
		if !slices.Contains(cs[0].Settings(), want) {
			t.Errorf("%s has settings %q, want %s", cs[0].Label, cs[0].Settings(), want)
		}
	}
	if !slices.Contains(cs[1].Settings(), "dtbl-kde=64") {
		t.Errorf("%s has settings %q", cs[1].Label, cs[1].Settings())
	}
	for _, bad := range []string{"dtbl,agt=100", "dtbl,match=all", "dtbl,kde=-1", "dtbl,size=4", "spawn,queue=0",
		"spawn,saturate=maybe"} {
		cs, err := Parse(bad, nil)
		if err == nil {
			var cfg *hardware.Config
			if cfg, err = hardware.Preset("k20c"); err == nil {
				_, _, err = cs[0].Build(cfg)
			}
		}
		if err == nil {
			t.Errorf("%s is accepted", bad)
		}
	}
}
