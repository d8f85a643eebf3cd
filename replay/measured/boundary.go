package measured

import (
	"context"
	"fmt"

	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// A Boundary is a measurement of small dependent kernels: the time of one, its boundary to the next included.
type Boundary struct {
	GPU       string // as measured
	How       string // "stream": a loop of launches; "graph": one CUDA graph of them
	Measured  float64
	Machine   string // the preset that replays it
	Predicted float64
	ErrorPct  float64
}

// boundaries are the results of RRZE's gpu-small-kernels (te42kyfo/gpu-benches), in microseconds a kernel of 4,096
// doubles in CTAs of 256 threads. Presets of real GPUs were set from them (docs/model, P13): they test nothing but
// that they still hold.
var boundaries = []struct {
	gpu           string
	stream, graph float64
}{
	{"NVIDIA H200", 2.52, 1.29},
	{"NVIDIA L40", 1.64, 0.96},
	{"NVIDIA A40", 2.05, 1.13},
	{"NVIDIA A100 80GB PCIe", 2.7, 1.4},
	{"AMD Instinct MI210", 2.11, 2.05},
}

// Boundaries replays the program of gpu-small-kernels on each GPU that it was
// measured on.
func Boundaries(ctx context.Context) ([]Boundary, error) {
	r, err := generated(ctx, "scale")
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var all []Boundary
	for _, b := range boundaries {
		machine := replay.MachineFor(&trace.Meta{GPU: b.gpu})
		for _, row := range []Boundary{{How: "stream", Measured: b.stream}, {How: "graph", Measured: b.graph}} {
			cfg := *machine.Config
			if row.How == "graph" { // one call for all
				cfg.Host.LaunchOverheadNs = 0
			}
			row.GPU, row.Machine = b.gpu, machine.Says
			if row.Predicted, err = period(ctx, r, &cfg); err != nil {
				return nil, fmt.Errorf("%s: %w", b.gpu, err)
			}
			row.ErrorPct = 100 * (row.Predicted/row.Measured - 1)
			all = append(all, row)
		}
	}
	return all, nil
}

// period returns the microseconds from the end of one kernel to the end of the
// next, when all is under way.
func period(ctx context.Context, r *container.Reader, cfg *hardware.Config) (float64, error) {
	return periodOf(ctx, r, cfg, "hyperq")
}

func periodOf(ctx context.Context, r *container.Reader, cfg *hardware.Config, policy string) (float64, error) {
	var ends ends
	if _, err := simulate(ctx, r, cfg, policy, &ends); err != nil {
		return 0, err
	}
	return ends.period() / cfg.Clock.CoreMHz, nil
}

// ends keeps when kernels end.
type ends struct {
	durations
	at []model.Time
}

// underWay is the first kernel behind those that wait for the host.
const underWay = 4

// period is the mean time between two ends, from underWay on, in cycles.
func (e *ends) period() float64 {
	last := len(e.at) - 1
	return float64(e.at[last]-e.at[underWay]) / float64(last-underWay)
}

// Kernel is of [model.Observer].
func (e *ends) Kernel(r *model.KernelRecord) { e.at = append(e.at, r.End) }
