package audit

import (
	"fmt"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	_ "gpureplay/samples/pipelines"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// accesses feeds the hazard books by hand: kernel, mode, issue, done; all touch
// page 0 of an array, the kernels are 0, 1, 2 in program order.
func accesses(t *testing.T, list ...[4]int) string {
	r := tracetest.FromText(t, `
array P bytes=4K
launch a grid=1 block=32 irregular
launch a grid=1 block=32 irregular
launch a grid=1 block=32 irregular
`)
	cfg, err := hardware.Preset("gk110-ppcs")
	if err != nil {
		t.Fatal(err)
	}
	a, err := newAuditor(r, cfg, &model.Policy{Dependency: held{}}, host.NotTasks)
	if err != nil {
		t.Fatal(err)
	}
	one := trace.Access{Base: 1 << 32, Stride: 4, Count: 32}
	for _, x := range list {
		a.hazards.access(&exec.AccessRecord{
			Kernel: uint32(x[0]), Mode: trace.Mode(x[1]), Width: 4, Access: &one, Issue: model.Time(x[2]),
			Done: model.Time(x[3]),
		})
	}
	var found []string
	for _, v := range a.found {
		found = append(found, fmt.Sprintf("%s@%d", v.Rule, v.Time))
	}
	return strings.Join(found, " ")
}

func TestHazardRules(t *testing.T) {
	const r, w, rw = int(trace.Read), int(trace.Write), int(trace.ReadWrite)
	for _, x := range []struct {
		name string
		want string
		list [][4]int
	}{
		{"in order", "", [][4]int{{0, w, 0, 10}, {1, r, 10, 30}, {1, r, 12, 20}, {2, w, 30, 40}}},
		{"readers together", "", [][4]int{{0, r, 0, 10}, {1, r, 1, 10}, {0, r, 2, 10}}},
		{"a reader before the store is acknowledged", "raw@9", [][4]int{{0, w, 0, 10}, {1, r, 9, 20}}},
		{"a store while an earlier kernel loads", "war@19", [][4]int{{0, r, 0, 20}, {1, r, 5, 10}, {2, w, 19, 30}}},
		{"two stores at once", "waw@5", [][4]int{{0, w, 0, 10}, {2, w, 5, 30}}},
		{"a later kernel has read", "raw@20", [][4]int{{1, r, 0, 10}, {0, w, 20, 30}}},
		{"a later kernel has stored", "war@20", [][4]int{{2, w, 0, 10}, {1, r, 20, 30}}},
		{"stores in the wrong order", "waw@20", [][4]int{{2, w, 0, 10}, {0, w, 20, 30}}},
		{"an atomic is both", "war@5 waw@5", [][4]int{{0, rw, 0, 10}, {1, rw, 5, 20}}},
		{"the slower of two earlier kernels counts", "waw@20 raw@50",
			[][4]int{{0, w, 0, 60}, {1, w, 20, 30}, {2, r, 50, 70}}},
	} {
		if got := accesses(t, x.list...); got != x.want {
			t.Errorf("%s: found %q, want %q", x.name, got, x.want)
		}
	}
}

// Pages fed by hand: page 0 of an input array of two pages, kernels 0 and 1, regular.
func TestPageRules(t *testing.T) {
	const page = 1 << 32 >> 12
	give := func(to uint32, at model.Time, number uint64, ready bool) *model.PageRecord {
		return &model.PageRecord{Time: at, Page: number, From: model.NoKernel, To: to, Ready: ready}
	}
	const late = 1 << 30 // cycles: storage has read everything long ago
	for _, x := range []struct {
		name, want string
		do         func(h *hazards, touch func(kernel uint32))
	}{
		{"its own ready page", "", func(h *hazards, touch func(uint32)) { h.changed(give(0, late, page, true)); touch(0) }},
		{"a page on its way", "page-not-ready", func(h *hazards, touch func(uint32)) {
			h.changed(give(0, late, page, false))
			touch(0)
		}},
		{"another kernel's page", "page-owner", func(h *hazards, touch func(uint32)) {
			h.changed(give(1, late, page, true))
			touch(0)
		}},
		{"a page that has been given back", "range-covers", func(h *hazards, touch func(uint32)) {
			h.changed(give(0, late, page, true))
			h.changed(give(model.NoKernel, late, page, true))
			touch(0)
		}},
		{"two pages before the link can have carried them", "prelude-rate", func(h *hazards, _ func(uint32)) {
			h.changed(give(0, 5734, page, true)) // 4 KiB of a file at 500 MB/s and 700 MHz: 5734.4 cycles
		}},
		{"in time", "", func(h *hazards, _ func(uint32)) { h.changed(give(0, 5735, page, true)) }},
		{"the second too early", "prelude-rate", func(h *hazards, _ func(uint32)) {
			h.changed(give(0, 5735, page, true))
			h.changed(give(0, 11468, page+1, true))
		}},
	} {
		r := tracetest.FromText(t, "array P bytes=8K\nread P\nh2d P\nlaunch a grid=1 block=32\nlaunch a grid=1 block=32\n")
		cfg, err := hardware.Preset("gk110-ppcs")
		if err != nil {
			t.Fatal(err)
		}
		a, err := newAuditor(r, cfg, &model.Policy{Dependency: held{}}, host.NotTasks)
		if err != nil {
			t.Fatal(err)
		}
		one := trace.Access{Base: 1 << 32, Stride: 4, Count: 32}
		x.do(a.hazards, func(kernel uint32) {
			a.hazards.access(&exec.AccessRecord{Kernel: kernel, Mode: trace.Read, Width: 4, Access: &one, Issue: late,
				Done: late + 1})
		})
		var got []string
		for _, v := range a.found {
			got = append(got, v.Rule)
		}
		if strings.Join(got, " ") != x.want {
			t.Errorf("%s: found %q, want %q", x.name, got, x.want)
		}
	}
}

// held is a dependency of any kind.
type held struct{}

func (held) Window() int { return 0 }
