package command

import (
	"fmt"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/samples"
	"gpureplay/trace/container"
)

// boundarySettings are the policies of kernel boundaries with settings that no default stands for: each place of
// triggers and waits, the smallest queue and the fewest workers, launches that fail, and tails.
const boundarySettings = "graph,pdl,pdl,trigger=begin,pdl,trigger=last-load,edges=all,pdl,trigger=end,wait=begin," +
	"megakernel,queue=1,workers=1,megakernel,queue=1,prefetch=0,decision=30,megakernel,grain=kernel,schedulers=2," +
	"megakernel,task-latency=0,cta=fill,boundary-free,cdp2,pending=2,cdp2,stream=tail,device-graph," +
	"device-graph,stream=tail"

// Each policy of kernel boundaries ends on each sample that it applies to, and comes to the same twice.
func TestBoundariesOnEverySample(t *testing.T) {
	if testing.Short() {
		t.Skip("replays every sample under a dozen policies")
	}
	t.Chdir(t.TempDir())
	choices, err := policies.Parse(boundarySettings, nil)
	if err != nil {
		t.Fatal(err)
	}
	ran := map[string]int{}
	for _, g := range samples.List() {
		path, preset := writeSample(t, g.Name)
		if preset == "gk110-ppcs" {
			preset = "a100" // with boundaries that take time
		}
		cfg, err := hardware.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		r, err := container.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		facts, err := policies.ProfileTrace(r, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range choices {
			if c.MissingInput(facts) != "" {
				continue
			}
			ran[c.Label]++
			var first string
			for range 2 {
				all, err := replay.Run(t.Context(), &replay.Job{Trace: r, Name: g.Name, Config: cfg,
					Choices: []*policies.Choice{c}})
				if err != nil {
					t.Fatalf("%s, %s: %v", g.Name, c.Label, err)
				}
				got := fmt.Sprintf("%+v", all[0].Run.Summary)
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("%s, %s: two runs differ:\n%s\n%s", g.Name, c.Label, first, got)
				}
			}
		}
		r.Close()
	}
	for _, c := range choices {
		if ran[c.Label] < 5 {
			t.Errorf("%s ran %d samples", c.Label, ran[c.Label])
		}
	}
}
