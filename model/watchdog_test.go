package model_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/policies/policiestest"
	"gpureplay/trace/tracetest"
)

// refuser is a CTA scheduler that places no CTA of a kernel, ever.
type refuser struct {
	model.CTAScheduler
	kernel uint32
}

func (r refuser) Place(v *model.CTAView) (int, int, bool) {
	if v.Kernels[0].ID == r.kernel {
		return 0, 0, false
	}
	return r.CTAScheduler.Place(v)
}

// A machine that cannot move ends with an error that names the cycle and the waits. A scheduler that never places
// one kernel brings about each kind of wait.
func TestWatchdogNamesWhatWaits(t *testing.T) {
	const k = "launch k grid=2 block=64 stream=0\ncta 0..1\nwarp 0..1\nint\nexit\n"
	const kid = "kernel kid grid=1 block=32 child\ncta 0\nwarp 0\nint\nexit\n"
	for _, c := range []struct {
		name, text string
		refused    uint32
		lines      []string
		want       []string
	}{
		{"a kernel without a place", k, 0, nil,
			[]string{"deadlock at cycle 0", "kernel 0 (k) has 0 CTAs on SMs and 2 to place"}},
		{"its stream", k + k, 0, nil,
			[]string{"kernel 0 (k) has 0 CTAs", "kernel 1 waits in hardware queue 0 and for its stream"}},
		{"an event", k + "record 5 stream=0\nwait 5 stream=8\n", 0, nil,
			[]string{"kernel 0 (k) has 0 CTAs", "stream 8 waits for an event that has not been recorded"}},
		{"an entry of the distributor", k + strings.ReplaceAll(k, "stream=0", "stream=1"), 0, []string{"kmu.entries=1"},
			[]string{"kernel 0 (k) has 0 CTAs", "kernel 1 waits in hardware queue 1"}},
		{"children, and a barrier behind them", "launch k grid=1 block=64\ncta 0\nwarp 0\ndevlaunch\nchild 1 lane=0 " +
			"work=1 params=64 marked\ndevsync\nbarrier\nexit\n" +
			"warp 1\nbarrier\nexit\n" + kid, 1, nil, []string{"kernel 1 (kid), for which CTA 0 of kernel 0 waits, has 0 " +
			"CTAs on SMs and 1 to place"}},
		{"a child of a warp while another goes on", "launch k grid=1 block=64\ncta 0\nwarp 0\ndevlaunch\nchild 1 " +
			"lane=0..1 work=1 params=64 marked\ndevsync\nexit\n" +
			"warp 1\nint x9\nexit\n" + kid + kid, 1, []string{"kmu.hwqs=1"},
			[]string{"kernel 1 (kid), for which CTA 0 of kernel 0 waits, has 0 CTAs",
				"child kernel 2 of kernel 0, CTA 0 waits in hardware queue 0 behind a kernel that has been dispatched"}},
	} {
		cfg, name := tiny(t, c.lines...)
		p, cfg := policiestest.Build(t, name, cfg)
		p.CTA = refuser{p.CTA, c.refused}
		m, err := model.New(tracetest.FromText(t, c.text), model.Options{Config: cfg, Policy: p})
		if err != nil {
			t.Fatal(err)
		}
		_, err = m.Run(context.Background())
		var stuck *model.StuckError
		if !errors.As(err, &stuck) {
			t.Errorf("%s: got %v, want a deadlock", c.name, err)
			continue
		}
		for _, want := range c.want {
			if !strings.Contains(err.Error(), want) {
				t.Errorf("%s: %v\ndoes not say: %s", c.name, err, want)
			}
		}
	}
}
