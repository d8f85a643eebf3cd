package policies_test

import (
	"context"
	"fmt"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	runs "gpureplay/replay"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// contractTraces are small traces of the kinds that policies are for: a program
// with its files, child launches, tasks.
var contractTraces = map[string]string{
	"pipeline": `
array a bytes=8192 input
array b bytes=8192 output
read a bytes=8192
h2d a
launch first grid=16 block=64
cta 0..15
 warp 0..1
  load R2 <- R1 @a+4 cta=256 warp=128
  int x20 R3 <- R2
  store <- R1 R3 @b+4 cta=256 warp=128
  exit
launch second grid=16 block=64
cta 0..15
 warp 0..1
  load R2 <- R1 @b+4 cta=256 warp=128
  int x20 R3 <- R2
  store <- R1 R3 @b+4 cta=256 warp=128
  exit
d2h b
write b bytes=8192
`,
	"children": `
array a bytes=4096 input
launch parent grid=1 block=64
cta 0
 warp 0
  devlaunch
  child 1 lane=0..1 work=64 params=64 marked
  child 3 lane=4 work=3 params=64
  devsync
  exit
 warp 1
  int x2000
  devlaunch
  child 4 lane=0 work=64 params=64 marked shared
  exit
kernel work grid=2 block=32 child
cta 0..1
 warp 0
  load R2 <- R1 @a+4 cta=128
  int x50 R3 <- R2
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  int x50
  devlaunch
  child 5 lane=3 work=7 params=64 marked
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  int x5
  exit
kernel work grid=2 block=32 child
cta 0..1
 warp 0
  int x50
  exit
kernel work grid=1 block=32 child
cta 0
 warp 0
  int x9
  exit
`,
	"tasks": `
spawn task grid=2 block=64
cta 0..1
 warp 0..1
  int x100
  exit
spawn task grid=1 block=96
cta 0
 warp 0..2
  int x300
  exit
wait 1
`,
	"times": `
h2d bytes=4096 start=100 duration=50
launch f grid=4 block=64 fidelity=kernel start=1000 duration=3000
launch g grid=4 block=64 fidelity=kernel stream=1 start=2000 duration=500
launch g grid=4 block=64 fidelity=kernel stream=1 start=2100 duration=500
`,
}

// fits returns the name of a trace that a policy can run.
func fits(t *testing.T, c *policies.Choice) (string, *container.Reader) {
	t.Helper()
	for _, name := range []string{"pipeline", "children", "tasks", "times"} {
		r := tracetest.FromText(t, contractTraces[name])
		f, err := policies.ProfileTrace(r, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		if c.MissingInput(f) == "" {
			return name, r
		}
	}
	t.Fatalf("no trace of the contract feeds policy %s: add one", c.Label)
	return "", nil
}

// contractMachine is a machine that the policies of a trace are for.
func contractMachine(t *testing.T, on string) *hardware.Config {
	t.Helper()
	if on != "tasks" {
		return kepler(t, 2, true)
	}
	cfg, err := hardware.Preset("titanx-maxwell")
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// Every policy runs to its end, passes the auditor, leaves the machine that it
// was built for as it was, and comes to the same twice.
func TestContract(t *testing.T) {
	for _, name := range policies.Names() {
		t.Run(name, func(t *testing.T) {
			cs, err := policies.Parse(name, nil)
			if err != nil {
				t.Fatal(err)
			}
			p := cs[0].Policy
			if p.Title == "" || p.Doc == "" || p.Source == "" {
				t.Errorf("its record lacks a title, an account or a source")
			}
			on, r := fits(t, cs[0])
			before := contractMachine(t, on)
			var first string
			for range 2 {
				cfg := contractMachine(t, on)
				results, err := runs.Run(context.Background(), &runs.Job{Trace: r, Name: on, Config: cfg, Choices: cs, Audit: true})
				if err != nil {
					t.Fatalf("on the trace of %s: %v", on, err)
				}
				for _, v := range results[0].Violations {
					t.Errorf("on the trace of %s: cycle %d, %s: %s", on, v.Time, v.Rule, v.What)
				}
				if cfg.TOML() != before.TOML() {
					t.Errorf("it changes the machine")
				}
				got := fmt.Sprintf("%+v", results[0].Run.Summary)
				if first == "" {
					first = got
				}
				if got != first {
					t.Errorf("two runs differ:\n%s\n%s", first, got)
				}
			}
		})
	}
}

// Costs, where a policy has some, are of something and not negative.
func TestContractOfCosts(t *testing.T) {
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range policies.Names() {
		cs, err := policies.Parse(name, nil)
		if err != nil {
			t.Fatal(err)
		}
		for _, l := range cs[0].Cost(cfg) {
			if l.What == "" || l.Unit == "" || l.Value < 0 {
				t.Errorf("policy %s: cost %+v", name, l)
			}
		}
	}
}
