package model_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies/policiestest"
	"gpureplay/trace/tracetest"
)

// recordedHost is a capture of a machine of 1,000 MHz, a cycle a nanosecond: the
// host launches a at 100, after work of 100 that its first call follows, waits for it,
// copies back and launches b behind it.
//
//	a: call 100 to 130, begins at 400, takes 1000: ends at 1400
//	wait: returns at 1450, 50 after the end of a
//	copy: call at 1500, begins at 1700, takes 300, and the call returns 20 after that, at 2020
//	b: call 2020 to 2040, begins at 2320, takes 500: ends at 2820
const recordedHost = `meta fidelity=kernel
work 100
launch a grid=1 block=32 fidelity=kernel ns=30 host=100 start=400 duration=1000
sync ns=50
work 50
d2h bytes=64 ns=20 host=1500 start=1700 duration=300
launch b grid=1 block=32 fidelity=kernel ns=20 host=2020 start=2320 duration=500
`

func recordedEnds(t *testing.T, text, policy string, timing host.Timing, set map[string]string) []string {
	t.Helper()
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	for key, value := range map[string]string{"clock.core_mhz": "1000", "kmu.dispatch_latency": "40",
		"host.launch_latency": "7", "host.launch_overhead_ns": "11", "host.copy_latency_ns": "5", "host.pcie_gb_s": "1"} {
		if err := cfg.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	for key, value := range set {
		if err := cfg.Set(key, value); err != nil {
			t.Fatal(err)
		}
	}
	p, cfg := policiestest.Build(t, policy, cfg)
	var seen endings
	m, err := model.New(tracetest.FromText(t, text), model.Options{Config: cfg, Policy: p, Observer: &seen,
		Timing: timing})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(t.Context()); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, k := range seen.all {
		all = append(all, fmt.Sprintf("%d-%d", k.FirstCTA, k.End))
	}
	return all
}

// The host as recorded gives the recorded times, from where its program begins (its work of 100 before the first
// call, at 0). On the machine, launches and copies take the machine's times, and a host that takes no time waits
// for the device alone. One twice as fast halves its work and its calls: a is called at 50, and the delay of a
// launch stays.
func TestRecordedHost(t *testing.T) {
	recorded := host.Timing{Host: host.TimesRecorded, Copies: host.CopiesRecorded}
	for _, w := range []struct {
		policy string
		timing host.Timing
		set    map[string]string
		want   string
	}{
		{"captured", recorded, nil, "[400-1400 2320-2820]"},
		{"hyperq", recorded, nil, "[400-1400 2320-2820]"},
		// work 100, call at 100, arrival 107, dispatch 147, end 1147; work 50; copy at 1197: 5 + 64; b: 1266 + 7 + 40
		{"hyperq", host.Timing{}, nil, "[147-1147 1313-1813]"},
		{"hyperq", host.Timing{Host: host.TimesMachine, Copies: host.CopiesRecorded}, nil, "[147-1147 1544-2044]"},
		{"hyperq", host.Timing{Host: host.TimesNone}, nil, "[40-1040 1149-1649]"},
		// a called at 50, begins 350, ends 1350, 25 + 25 of host, copy called at 1400, begins 1600, ends 1900, 10; b
		// called 1910
		{"hyperq", recorded, map[string]string{"host.work_scale": "0.5"}, "[350-1350 2210-2710]"},
	} {
		if got := fmt.Sprint(recordedEnds(t, recordedHost, w.policy, w.timing, w.set)); got != w.want {
			t.Errorf("%s, %+v, %v: %s, want %s", w.policy, w.timing, w.set, got, w.want)
		}
	}
}

// A kernel that was recorded to begin before the one before it in its stream had ended
// does so as captured, and 800 behind its begin as replayed. The one behind both waits for both. Work without a
// call begins no earlier than it did.
func TestProgrammaticEdge(t *testing.T) {
	const text = `meta fidelity=kernel
launch a grid=1 block=32 fidelity=kernel start=100 duration=1000
launch b grid=1 block=32 fidelity=kernel start=900 duration=100
launch c grid=1 block=32 fidelity=kernel start=1100 duration=50
`
	recorded := host.Timing{Host: host.TimesRecorded, Copies: host.CopiesRecorded}
	if got := fmt.Sprint(recordedEnds(t, text, "captured", recorded, nil)); got != "[800-900 0-1000 1000-1050]" {
		t.Errorf("captured: %s", got)
	}
	if got := fmt.Sprint(recordedEnds(t, text, "hyperq", recorded, nil)); got != "[840-940 40-1040 1080-1130]" {
		t.Errorf("replayed with the host as recorded: %s", got)
	}
}

// Launches of one queue arrive as they were issued, whatever their delays were: the
// first was recorded to begin long after its call, while its code was loaded.
func TestRecordedDelaysKeepTheOrder(t *testing.T) {
	const text = `meta fidelity=kernel
launch a grid=1 block=32 fidelity=kernel ns=10 host=0 start=5000 duration=100
launch b grid=1 block=32 fidelity=kernel ns=10 host=10 start=5200 duration=100
`
	if got := fmt.Sprint(recordedEnds(t, text, "hyperq", host.Timing{Host: host.TimesRecorded},
		nil)); got != "[5000-5100 5140-5240]" {
		t.Errorf("%s", got)
	}
}

// b had been called when a ended at 200, and the device did nothing until it began at 1000. The capture lacks the
// work of these 800, which pass again before b, however fast the host is (a ends at 140 then). Where another stream
// has work until 950, b waits 40 behind a, as always: 50 are less than a launch takes (100 and 120, c's, which is
// called at 20).
func TestUnrecordedWork(t *testing.T) {
	const text = `meta fidelity=kernel
launch a grid=1 block=32 fidelity=kernel ns=10 host=0 start=100 duration=100
launch b grid=1 block=32 fidelity=kernel ns=10 host=20 start=1000 duration=100
`
	const busy = "launch c grid=1 block=32 stream=1 fidelity=kernel host=30 start=150 duration=800\n"
	for _, w := range []struct {
		text  string
		times host.Times
		want  string
	}{
		{text, host.TimesRecorded, "[100-200 1000-1100]"},
		{text, host.TimesNone, "[40-140 940-1040]"},
		{text + busy, host.TimesRecorded, "[100-200 240-340 140-940]"},
	} {
		if got := fmt.Sprint(recordedEnds(t, w.text, "hyperq", host.Timing{Host: w.times}, nil)); got != w.want {
			t.Errorf("%s: %s, want %s", w.text, got, w.want)
		}
	}
}

// Where two streams are one, unrecorded work passes once: x is behind a, 40 after its end at 200, b 800 behind x,
// and y 40 behind b.
func TestUnrecordedWorkOnce(t *testing.T) {
	const text = `meta fidelity=kernel
launch a grid=1 block=32 fidelity=kernel ns=10 host=0 start=100 duration=100
launch x grid=1 block=32 stream=1 fidelity=kernel ns=5 host=10 start=110 duration=90
launch b grid=1 block=32 fidelity=kernel ns=10 host=20 start=1000 duration=100
launch y grid=1 block=32 stream=1 fidelity=kernel ns=10 host=30 start=1000 duration=100
`
	got := fmt.Sprint(recordedEnds(t, text, "serial", host.Timing{Host: host.TimesRecorded}, nil))
	if got != "[100-200 240-330 1130-1230 1270-1370]" {
		t.Errorf("%s", got)
	}
}

// c was recorded to begin long after its call, and waits for an event. If the event is b's and the device was busy
// all along, c begins when b has ended (at 630, and 40 of dispatch later), since the recorded time contains the
// wait. If no stream recorded the event and the device was idle from 640 to 1650, those 1010 pass behind the usual
// delay, 130 (of 100, 130 and c's own): from c's call at 20 to 1160.
func TestDelayBehindAWait(t *testing.T) {
	const a = `meta fidelity=kernel
launch a grid=1 block=32 fidelity=kernel host=0 start=100 duration=40
launch b grid=1 block=32 stream=1 fidelity=kernel host=10 start=140 duration=500
`
	for _, w := range []struct{ text, want string }{
		{a + "record event=1 stream=1\nlaunch d grid=1 block=32 stream=3 fidelity=kernel host=15 start=150 " +
			"duration=1840\nwait event=1 stream=2\nwork 20\n" +
			"launch c grid=1 block=32 stream=2 fidelity=kernel host=20 start=2000 duration=10\n",
			"[100-140 130-630 670-680 135-1975]"},
		{a + "wait event=9 stream=2\nwork 20\nlaunch c grid=1 block=32 stream=2 fidelity=kernel host=20 start=1650 " +
			"duration=10 ns=5\n", "[100-140 130-630 1160-1170]"},
	} {
		if got := fmt.Sprint(recordedEnds(t, w.text, "hyperq", host.Timing{Host: host.TimesRecorded}, nil)); got != w.want {
			t.Errorf("%s: %s, want %s", w.text, got, w.want)
		}
	}
}

// Of 1,500 kernels of one call, which is a graph's, one counts for the queue to the device, and of as many without
// a call none does. So the launch behind them begins at once, 40 of dispatch after its call. Of 1,500 with calls of
// their own, 477 must have ended before there is room for it: the first at 7 + 40 + 10, each 50 after the one
// before it, the last of them at 23,857. Its CTA is placed 41 later, since the next of the 1,500 is dispatched in
// the same cycle.
func TestRoomForWhatIsLaunched(t *testing.T) {
	for _, w := range []struct{ host, want string }{{"host=10", "40-50"}, {"", "40-50"}, {"host=%d", "23898-23908"}} {
		var b strings.Builder
		b.WriteString("meta fidelity=kernel\n")
		for i := range 1500 {
			host := strings.Replace(w.host, "%d", fmt.Sprint(i), 1)
			fmt.Fprintf(&b, "launch a grid=1 block=32 fidelity=kernel %s start=%d duration=10\n", host, 50*i)
		}
		b.WriteString("launch b grid=1 block=32 stream=1 fidelity=kernel host=20 start=30 duration=10\n")
		if all := recordedEnds(t, b.String(), "hyperq", host.Timing{Host: host.TimesRecorded}, nil); !slices.Contains(all,
			w.want) {
			t.Errorf("%s: nothing runs %s", w.host, w.want)
		}
	}
}

// The program begins with its first call (here 300 before the work that has none and was there before it), or with
// work that was there before any call. It includes the host's work before the first operation, except a launch's
// loading of code.
func TestOriginOfACapture(t *testing.T) {
	for _, w := range []struct {
		program      string
		origin, span int64
	}{
		{"launch a grid=1 block=32 fidelity=kernel start=400 duration=100\nlaunch b grid=1 block=32 fidelity=kernel " +
			"host=100 start=600 duration=50", 100, 550},
		{"launch a grid=1 block=32 fidelity=kernel start=40 duration=100\nwork 30\nlaunch b grid=1 block=32 " +
			"fidelity=kernel host=100 start=600 duration=50", 40, 610},
		// it loaded code for 30
		{"work 30\nlaunch b grid=1 block=32 fidelity=kernel host=100 start=600 duration=50\nd2h bytes=8 host=200 " +
			"start=700 duration=10", 100, 610},
		{"work 30\nlaunch b grid=1 block=32 fidelity=kernel ns=5 host=100 start=600 duration=50", 70, 580},
		{"work 30\nwork 200\nlaunch b grid=1 block=32 fidelity=kernel host=100 start=600 duration=50", 70, 580},
	} {
		c, err := host.ReadCapture(tracetest.FromText(t, "meta fidelity=kernel\n"+w.program+"\n"))
		if err != nil || c.Origin != w.origin || c.SpanNs() != w.span {
			t.Errorf("%s\nbegins at %d and takes %d (%v), want %d and %d", w.program, c.Origin, c.SpanNs(), err, w.origin,
				w.span)
		}
	}
}

// A copy that had been called, and began when another one of its direction had ended, waits for that wherever it
// comes. Here the second, called at 20, begins at 1100, and b, which the machine takes 40 to dispatch, at 2140. One
// after another, a begins at 1100 + 10 + 40, the copy behind its end at 1250 (called at 1120, it could at 1125),
// and b at 2250 + 10 + 40. Copies that went on side by side each begin as long after their calls as recorded (500).
// Where one to the host waited for one to the device, they have one engine.
func TestRecordedCopyEngine(t *testing.T) {
	recorded := host.Timing{Host: host.TimesRecorded, Copies: host.CopiesRecorded}
	const text = `meta fidelity=kernel
h2d bytes=64 async stream=1 ns=10 host=0 start=100 duration=1000
launch a grid=1 block=32 fidelity=kernel stream=1 ns=10 host=10 start=1100 duration=100
%s bytes=64 async stream=2 ns=10 host=20 start=%d duration=1000
launch b grid=1 block=32 fidelity=kernel stream=2 ns=10 host=30 start=%d duration=100
`
	for _, w := range []struct {
		policy, kind string
		start        int
		want         string
	}{
		{"hyperq", "h2d", 1100, "[1140-1240 2140-2240]"},
		{"serial", "h2d", 1100, "[1150-1250 2300-2400]"},
		{"hyperq", "h2d", 500, "[1140-1240 1540-1640]"},
		{"hyperq", "d2h", 1100, "[1140-1240 2140-2240]"},
		{"hyperq", "d2h", 500, "[1140-1240 1540-1640]"},
	} {
		if got := fmt.Sprint(recordedEnds(t, fmt.Sprintf(text, w.kind, w.start, w.start+1000), w.policy, recorded,
			nil)); got != w.want {
			t.Errorf("%s, %s at %d: %s, want %s", w.policy, w.kind, w.start, got, w.want)
		}
	}
}
