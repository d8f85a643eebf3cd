package capture

import (
	"testing"

	"gpureplay/trace/tracetest"
)

// The verdict counts faults as shares of a capture's work, and names the worst.
func TestJudge(t *testing.T) {
	const work = "launch k fidelity=kernel grid=1 block=32 host=0 start=10 duration=50\n" +
		"launch k fidelity=kernel grid=1 block=32 host=100 start=110 duration=50\n"
	for _, c := range []struct {
		text string
		want Trust
		why  string // finding of that trust
	}{
		{work, Believable, "calls paired"},
		{`diagnostic clock_offset info count=2 help=""` + "\n" + work, Believable, "clock offset"},
		{`diagnostic overrun error count=1 help=""` + "\n" + work, Doubtful, "impossible times"},
		{`diagnostic call_without_activity data_loss count=1 help=""` + "\n" + work, Doubtful, "lost records"},
		{`diagnostic cut_short data_loss count=1 help=""` + "\n" + many(200), WithCare, "lost records"},
		{`diagnostic lost_time data_loss count=5 help=""` + "\n" + many(200), WithCare, "lost records"},
		{"launch k fidelity=kernel grid=1 block=32 start=10 duration=50\n", WithCare, "calls paired"},
	} {
		v, ok, err := Judge(tracetest.FromText(t, c.text))
		if err != nil || !ok || v.Trust != c.want {
			t.Errorf("%.60q: %v, %v, %v; want %v", c.text, v, ok, err, c.want)
			continue
		}
		found := false
		for _, f := range v.Findings {
			found = found || f.Name == c.why && f.Trust == c.want
		}
		if !found {
			t.Errorf("%.60q: %+v; want %s", c.text, v.Findings, c.why)
		}
	}
	if _, ok, err := Judge(tracetest.FromText(t, tracetest.Vecadd)); ok || err != nil {
		t.Errorf("a trace without times has a verdict: %v", err)
	}
}

// many is the work of n launches with calls.
func many(n int) (text string) {
	for range n {
		text += "launch k fidelity=kernel grid=1 block=32 host=0 start=10 duration=50\n"
	}
	return text
}
