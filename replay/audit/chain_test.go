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
