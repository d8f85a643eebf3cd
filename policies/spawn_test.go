package policies

import (
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
)

// The worked example of SPAWN's controller: overhead 20210 + 1721 = 21931,
// n = 100, x = 4, t_cta = 5000, n_con = 50. t_child = 21931 + 104·5000/50 =
// 32331; with t_warp = 120 a workload of 300 takes the parent 36000 (launch), one
// of 200 takes 24000 (inline).
func TestSpawnWorkedExample(t *testing.T) {
	s := &spawn{launch: model.DeviceKernel, queue: 65536}
	for _, c := range []struct {
		workload uint32
		want     model.Decision
		tParent  int64
	}{{300, model.DeviceKernel, 36000}, {200, model.Inline, 24000}} {
		r := &model.LaunchRequest{Workload: c.workload, CTAs: 4, Overhead: 21931}
		got, _ := s.judge(r, queueMetrics{N: 100, NCon: 50, TCTA: 5000, TWarp: 120})
		if n := r.Noted; got != c.want || n[spawnTChild] != 32331 || n[spawnTParent] != c.tParent {
			t.Errorf("workload %d: decision %d, t_child %d, t_parent %d; want %d, 32331, %d", c.workload, got, n[spawnTChild],
				n[spawnTParent], c.want, c.tParent)
		}
	}
}

func TestSpawnEdges(t *testing.T) {
	for _, c := range []struct {
		name   string
		q      queueMetrics
		ctas   uint64
		work   uint32
		want   model.Decision
		reason string
	}{
		{"no child has finished: launch", queueMetrics{N: 3}, 1, 1, model.DeviceKernel, "first window"},
		{"n_con = 0 counts as 1", queueMetrics{TCTA: 10, TWarp: 10}, 1, 1, model.DeviceKernel, "child is faster"},
		{"equal estimates launch", queueMetrics{NCon: 1, TCTA: 10, TWarp: 10}, 1, 1, model.DeviceKernel, "child is faster"},
		{"one cycle more does not", queueMetrics{N: 1, NCon: 1, TCTA: 6, TWarp: 10}, 1, 1, model.Inline, "parent is faster"},
		{"the queue holds 8", queueMetrics{N: 7, NCon: 1, TCTA: 1, TWarp: 100}, 2, 1, model.Inline, "queue is full"},
		{"and takes the eighth", queueMetrics{N: 7, NCon: 1, TCTA: 1, TWarp: 100}, 1, 1, model.DeviceKernel,
			"child is faster"},
	} {
		s := &spawn{launch: model.DeviceKernel, queue: 8}
		got, reason := s.judge(&model.LaunchRequest{Workload: c.work, CTAs: c.ctas}, c.q)
		if got != c.want || reason != c.reason {
			t.Errorf("%s: decision %d (%s), want %d (%s)", c.name, got, reason, c.want, c.reason)
		}
	}
}

// The presets hold the latencies of the papers: SPAWN's linear terms are the sum
// of DTBL's two.
func TestLaunchLatencyOfThePapers(t *testing.T) {
	c, err := hardware.Preset("k20m-spawn")
	if err != nil {
		t.Fatal(err)
	}
	l := c.Launch
	if base, lane := l.ParamBase+l.DeviceBase, l.ParamPerLane+l.DevicePerLane; base != 20210 || lane != 1721 {
		t.Errorf("k20m-spawn: %d + %dx, want 20210 + 1721x", base, lane)
	}
	if l.StreamPerChild && l.StreamCreate != 0 {
		t.Errorf("k20m-spawn: creating a stream costs %d more; the paper's sum has none", l.StreamCreate)
	}
}
