package audit

import (
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/trace/tracetest"
)

// A third kernel of a stream on the GPU is found, and none of another stream, or behind the end of the first.
func TestAuditorFindsLongChains(t *testing.T) {
	cfg, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		ends   bool
		stream uint64
		want   int
	}{"three": {want: 1}, "one behind the end": {ends: true}, "another stream": {stream: 1}} {
		a, err := newAuditor(tracetest.FromText(t, "sync"), cfg, &model.Policy{}, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		a.chain = newChainBook(a)
		first := &model.KernelRecord{ID: 0}
		a.chain.dispatched(first)
		a.chain.dispatched(&model.KernelRecord{ID: 1})
		if !a.chain.ahead(1) || a.chain.ahead(0) {
			t.Errorf("%s: the second kernel is not ahead", name)
		}
		if c.ends {
			a.chain.ended(first)
		}
		a.chain.dispatched(&model.KernelRecord{ID: 2, Stream: c.stream})
		found := 0
		for _, v := range a.found {
			if v.Rule == "chain" {
				found++
			}
		}
		if found != c.want {
			t.Errorf("%s: %d findings, want %d", name, found, c.want)
		}
	}
}

// A kernel that follows one of another stream by a programmatic port may not end before it. An event that was recorded
// behind a copy, or without that port, is no such edge.
func TestAuditorFindsEarlyEnds(t *testing.T) {
	cfg, err := hardware.Preset("h100")
	if err != nil {
		t.Fatal(err)
	}
	const port, first, second = "record 1 port=programmatic\n", "launch a grid=1 block=32\n",
		"wait 1 stream=1\nlaunch b grid=1 block=32 stream=1 programmatic\n"
	for name, c := range map[string]struct {
		text  string
		first bool // the kernel before it has ended
		want  int
	}{
		"early": {first + port + second, false, 1}, "in order": {first + port + second, true, 0},
		"completed":     {first + "record 1\n" + second, false, 0},
		"behind a copy": {"array m bytes=4K\n" + first + "h2d m\n" + port + second, false, 0},
	} {
		a, err := newAuditor(tracetest.FromText(t, c.text), cfg, &model.Policy{}, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		a.chain = newChainBook(a)
		a.chain.follows()
		before, after := &model.KernelRecord{ID: 0}, &model.KernelRecord{ID: 1, Stream: 1}
		a.chain.dispatched(before)
		a.chain.dispatched(after)
		if edge := c.want > 0 || c.first; a.chain.ahead(1) != edge {
			t.Errorf("%s: with the kernel that it follows: %v", name, !edge)
		}
		if c.first {
			a.chain.ended(before)
		}
		a.chain.ended(after)
		if len(a.found) != c.want {
			t.Errorf("%s: %d findings, want %d", name, len(a.found), c.want)
		}
	}
}
