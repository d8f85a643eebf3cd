package analyse

import (
	"context"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies"
	_ "gpureplay/samples/all"
	"gpureplay/samples/samplestest"
	"gpureplay/trace/container"
	"testing"
)

// contrast explains a policy against another on a preset.
func contrast(t *testing.T, r *container.Reader, preset, policy, against string) *Contrast {
	t.Helper()
	cfg, err := hardware.Preset(preset)
	if err != nil {
		t.Fatal(err)
	}
	all, err := policies.Parse(policy, nil)
	if err != nil {
		t.Fatal(err)
	}
	others, err := policies.Parse(against, nil)
	if err != nil {
		t.Fatal(err)
	}
	c, err := ExplainAgainst(context.Background(), r, cfg, all[0], others[0], nil, 1, nil)
	if err != nil {
		t.Fatal(err)
	}
	sum := model.Time(0)
	for _, s := range c.Steps {
		sum += s.Change
		if s.Parts.Cycles() != s.Cycles {
			t.Errorf("%s: the parts add up to %d of %d cycles", s.Switched, s.Parts.Cycles(), s.Cycles)
		}
	}
	if sum != c.Change() {
		t.Errorf("%s against %s: the steps add up to %d of %d cycles", policy, against, sum, c.Change())
	}
	return c
}

// Each pair of policies that a program can run under has steps that add up, also where
// the decisions of one cannot stand beside the decisions of the other.
func TestEveryContrastAddsUp(t *testing.T) {
	for _, c := range []struct {
		sample   string
		settings []string
		names    []string
	}{
		{"vecadd", []string{"n=16384"},
			[]string{"serial", "hyperq", "crcs", "ppcs", "oracle", "blockmaestro", "nocopy", "ppcs,warp=lrr"}},
		{"dp-bfs", []string{"scale=8", "input=graph500"}, []string{"flat", "cdp", "dtbl", "dtbl-ideal", "spawn",
			"spawn+dtbl", "klap", "laperm"}},
		{"tasks-mm", []string{"tasks=40", "n=44"}, []string{"hyperq", "pagoda"}},
	} {
		r := samplestest.Trace(t, c.sample, c.settings...)
		for _, a := range c.names {
			for _, b := range c.names {
				if a != b {
					contrast(t, r, "k20c", a, b)
				}
			}
		}
	}
}

// partnered is an admission that runs beside a CTA scheduler of its own alone.
type partnered struct{ hasPartner *bool }

func (p partnered) Queue(n, queues int) int {
	if !*p.hasPartner {
		panic("a queue without its partner")
	}
	return n % queues
}

// The first mixed step of a contrast panics: its decision joins the next one, which brings the partner.
func TestFirstStepCannotStandAlone(t *testing.T) {
	hasPartner := false
	policies.Admissions.Register(policies.Option[model.Admission]{Name: "partnered",
		New: func(policies.Args) (model.Admission, error) { hasPartner = false; return partnered{&hasPartner}, nil }})
	policies.CTASchedulers.Register(policies.Option[model.CTAScheduler]{Name: "partner",
		New: func(policies.Args) (model.CTAScheduler, error) { hasPartner = true; return lowestSM{}, nil }})
	c := contrast(t, samplestest.Trace(t, "vecadd", "n=4096"), "k20c", "hyperq,admission=partnered,cta=partner",
		"hyperq")
	const joined = "admission: hwq → partnered, cta: fifo → partner"
	if len(c.Steps) != 2 || c.Steps[1].Switched != joined {
		t.Errorf("steps %+v, want the first policy and one step %q", c.Steps, joined)
	}
}

// lowestSM places CTAs of the first kernel on the first SM with room.
type lowestSM struct{}

func (lowestSM) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	for sm := range v.SMs() {
		if v.Fits(0, sm) {
			return 0, sm, true
		}
	}
	return 0, 0, false
}
