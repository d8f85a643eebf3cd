package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/policies/policiestest"
	"gpureplay/samples"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// starts keeps when kernels have their first CTA and end, in the order of their ends.
type starts struct {
	discard
	list []model.KernelRecord
}

func (s *starts) Kernel(r *model.KernelRecord) { s.list = append(s.list, *r) }

// copiesBeforeLaunches is a program of two kernels that has data to copy before each.
func copiesBeforeLaunches(t *testing.T) *container.Reader {
	t.Helper()
	g, err := samples.Get("vecadd")
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := g.Write(&out, "n=4096"); err != nil {
		t.Fatal(err)
	}
	r, err := container.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { r.Close() })
	var ops []trace.HostOp
	for c := r.HostOps(); ; {
		var op trace.HostOp
		if err := c.Next(&op); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			t.Fatal(err)
		}
		if op.Kind == trace.OpLaunch {
			ops = append(ops, trace.HostOp{Kind: trace.OpCopyH2D, Array: trace.NoArray, Addr: 1 << 30, Bytes: 1 << 20,
				Stream: op.Stream})
		}
		ops = append(ops, op)
	}
	r.Assume(ops)
	return r
}

// On the machine as on Accel-Sim copies take no time. Each kernel has its first CTA in cycle 5001 from its launch,
// which is the end of the one before. DRAM's clock has the same phase at the first CTA as on the preset.
func TestAsOnAccelSim(t *testing.T) {
	r := copiesBeforeLaunches(t)
	for _, preset := range []string{"qv100", "rtx3070"} {
		cfg, err := hardware.Preset(preset)
		if err != nil {
			t.Fatal(err)
		}
		was := fmt.Sprint(*cfg)
		there := AsOnAccelSim(cfg)
		if err := there.Validate(); err != nil {
			t.Error(err)
		}
		if fmt.Sprint(*cfg) != was {
			t.Errorf("%s: the preset has changed", preset)
		}
		p, machine := policiestest.Build(t, "serial", there)
		var s starts
		m, err := model.New(r, model.Options{Config: machine, Policy: p, Observer: &s})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := m.Run(context.Background()); err != nil {
			t.Fatal(err)
		}
		var end model.Time
		for _, k := range s.list {
			if k.FirstCTA != end+firstOnAccelSim {
				t.Errorf("%s: the first CTA of kernel %d is in cycle %d, %d behind the end of the one before", preset, k.ID,
					k.FirstCTA, k.FirstCTA-end)
			}
			end = k.End
		}
		if len(s.list) < 2 {
			t.Errorf("%s: %d kernels", preset, len(s.list))
		}
		if here := cfg.DRAM.Lead + cfg.Host.LaunchLatency + cfg.KMU.DispatchLatency; there.DRAM.Lead+firstOnAccelSim != here {
			t.Errorf("%s: DRAM's clock is %d from its begin at the first CTA, %d on the preset", preset, there.DRAM.Lead+
				firstOnAccelSim, here)
		}
	}
}
