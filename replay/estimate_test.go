package replay

import (
	"context"
	"strings"
	"testing"
	"time"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/trace/tracetest"
)

// A grid without work is known to take long before it runs: two thousand seconds for
// 2^31 CTAs at a million a second, and as often as runs follow one another. A limit
// in cycles shortens it.
func TestEstimate(t *testing.T) {
	text := "trace 1\nlaunch f grid=2147483648 block=32\n"
	for _, c := range []struct {
		policies string
		jobs     int
		limit    model.Time
		want     time.Duration
	}{
		{"serial", 1, 2e6, 2 * time.Second},
		{"serial", 1, 0, 2147 * time.Second},
		{"serial,hyperq", 1, 0, 4294 * time.Second},
		{"serial,hyperq", 2, 0, 2147 * time.Second},
	} {
		choices, err := policies.Parse(c.policies, nil)
		if err != nil {
			t.Fatal(err)
		}
		cfg, err := hardware.Preset("k20c")
		if err != nil {
			t.Fatal(err)
		}
		var got Estimate
		ctx, stop := context.WithCancel(context.Background())
		job := &Job{Trace: tracetest.FromText(t, text), Name: "t", Config: cfg, Choices: choices, Jobs: c.jobs,
			MaxCycles: c.limit,
			Estimated: func(e Estimate) { got = e; stop() }}
		Run(ctx, job) // ends at once: all its work is done
		if got.Time.Truncate(time.Second) != c.want || got.CTAs != 1<<31 || got.Insts != 0 || got.Runs != len(choices) {
			t.Errorf("%s, %d at once, limit %d: %+v, want %v", c.policies, c.jobs, c.limit, got, c.want)
		}
	}
}

// The warnings of a run, counted by hand: a wait for an event that is not recorded yet, by a stream and by the
// host, and arrays of one name, but not arrays without one.
func TestWarnings(t *testing.T) {
	const text = `trace 1
array a bytes=64
array a bytes=64
array b bytes=64
wait 7 stream=1
record 7 stream=0
wait 7 stream=1
syncevent 8
launch f grid=1 block=32
`
	f, err := policies.ProfileTrace(tracetest.FromText(t, text), host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, d := range f.Diagnostics() {
		got = append(got, d.Name+strings.Repeat("+", int(d.Count)))
	}
	if want := "event_not_recorded++ array_name_twice+"; strings.Join(got, " ") != want {
		t.Errorf("%q, want %q", got, want)
	}
}
