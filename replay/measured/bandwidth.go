package measured

import (
	"context"
	"fmt"

	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/replay"
	"gpureplay/replay/analyse"
	"gpureplay/trace"
)

// A Bandwidth is a measurement of a kernel that streams through memory, with so many
// threads on an SM: two CTAs.
type Bandwidth struct {
	GPU       string  // as measured
	Kernel    string  // of the sample stream
	Block     int     // threads of a CTA
	Measured  float64 // GB/s, as the others
	Machine   string  // the preset that replays it
	Predicted float64
	ErrorPct  float64
	arrays    int
	on        trace.Machine
}

// bandwidthBlocks are the rows of gpu-stream that are compared.
var bandwidthBlocks = [...]int{32, 128, 512, 1024}

// bandwidthKernels are its columns, with the doubles that each moves for an element.
var bandwidthKernels = [...]struct {
	name   string
	arrays int
}{{"init", 1}, {"read", 1}, {"scale", 2}, {"triad", 3}}

// bandwidths are the figures of RRZE's gpu-stream (te42kyfo/gpu-benches, 1c36d50), in GB/s: for each number of
// threads the kernels in their order; 0: two such CTAs do not fit an SM. Beside them are two facts that a capture
// gives of a GPU: its clock, where the benchmark printed another than the preset has, and the peak of its memory by
// its data sheet. No number of a preset was set from the rows, but a rule was: the rows of 64 threads show that
// stores do not keep a CTA (docs/model, choice 36).
var bandwidths = []struct {
	gpu  string
	mhz  uint64 // of the SMs; 0: as the preset
	peak uint64 // GB/s
	rows [len(bandwidthBlocks)][len(bandwidthKernels)]float64
}{
	{"NVIDIA H100 PCIe", 0, 2039, [...][4]float64{{228, 96, 183, 254}, {888, 368, 607, 821}, {2017, 1261, 1583, 1675},
		{2016, 1942, 1704, 1832}}},
	{"NVIDIA H200", 0, 4800, [...][4]float64{{297, 123, 240, 334}, {1163, 485, 852, 1129}, {3670, 1707, 2263, 2919},
		{3884, 2756, 3165, 3534}}},
	{"NVIDIA A100-SXM4-80GB", 0, 2039, [...][4]float64{{171, 85, 157, 221}, {804, 325, 581, 799},
		{1897, 1122, 1577, 1659}, {1880, 1769, 1732, 1759}}},
	{"NVIDIA A100-SXM4-40GB", 0, 1555, [...][4]float64{{159, 81, 151, 210}, {788, 304, 548, 743},
		{1503, 1042, 1338, 1359}, {1503, 1490, 1381, 1360}}},
	{"Tesla V100-PCIE-16GB", 1380, 900, [...][4]float64{{153, 72, 128, 180}, {595, 262, 423, 545}, {895, 746, 784, 800},
		{895, 866, 802, 814}}},
	{"NVIDIA A40", 0, 696, [...][4]float64{{201, 82, 154, 219}, {679, 304, 514, 625}, {679, 679, 655, 655}, {}}},
	{"NVIDIA L40", 0, 864, [...][4]float64{{322, 163, 298, 425}, {845, 615, 772, 769}, {846, 844, 778, 798}, {}}},
}

// Bandwidths are the measurements, GPU by GPU.
func Bandwidths() (all []Bandwidth) {
	for _, g := range bandwidths {
		for i, block := range bandwidthBlocks {
			for k, kernel := range bandwidthKernels {
				if g.rows[i][k] > 0 {
					all = append(all, Bandwidth{GPU: g.gpu, Kernel: kernel.name, Block: block, Measured: g.rows[i][k],
						arrays: kernel.arrays,
						on:     trace.Machine{Name: g.gpu, ClockHz: g.mhz * 1e6, MemoryBytesPerSecond: g.peak * 1e9}})
				}
			}
		}
	}
	return all
}

// PredictBandwidths replays the kernels of some measurements, each on the GPU that it was
// made on, some at a time.
func PredictBandwidths(ctx context.Context, all []Bandwidth, jobs int, done func(done, total int, name string)) error {
	pool := workers.Pool{Workers: jobs, Done: done, Name: func(i int) string { return all[i].GPU + ", " + all[i].Kernel }}
	return pool.Do(ctx, len(all), func(ctx context.Context, i int) error {
		b := &all[i]
		var meta trace.Meta
		meta.SetMachine(b.on)
		machine := replay.MachineFor(&meta)
		elements, err := b.replay(ctx, machine.Config)
		if err != nil {
			return fmt.Errorf("%s: %w", b.GPU, err)
		}
		b.Machine, b.Predicted = machine.Says, elements*8*float64(b.arrays)*machine.Config.Clock.CoreMHz/1000
		b.ErrorPct = 100 * (b.Predicted/b.Measured - 1)
		return nil
	})
}

// l2Parts is by how much the L2 of a stream is smaller than the GPU's. A stream uses nothing
// twice, and its stores come to DRAM the sooner.
const l2Parts = 16

// replay returns the elements a cycle: the difference of two kernels' elements over the difference of their cycles.
// So the costs of a kernel's begin and end cancel.
func (b *Bandwidth) replay(ctx context.Context, on *hardware.Config) (float64, error) {
	cfg := *on
	cfg.L2.Bytes /= l2Parts
	wave := 2 * cfg.SM.Count * b.Block * 8 >> 10
	short := max(2*cfg.L2.Bytes>>10, 6*wave)
	long := short + max(cfg.L2.Bytes>>10, 6*wave)
	began, err := b.cycles(ctx, &cfg, short)
	if err != nil {
		return 0, err
	}
	ended, err := b.cycles(ctx, &cfg, long)
	return float64((long-short)<<10/8) / float64(ended-began), err
}

// cycles returns how long a kernel takes on arrays of so many KiB.
func (b *Bandwidth) cycles(ctx context.Context, cfg *hardware.Config, kib int) (model.Time, error) {
	shared := cfg.SM.SharedBytes/2 - cfg.SM.SharedReserved // two CTAs fit
	shared -= shared % max(1, cfg.SM.SharedUnit)
	r, err := generated(ctx, "stream", "kernel="+b.Kernel, fmt.Sprint("block=", b.Block), fmt.Sprint("kib=", kib),
		fmt.Sprint("shared=", shared))
	if err != nil {
		return 0, err
	}
	defer r.Close()
	var sum durations
	_, err = simulate(ctx, r, cfg, "serial", &sum)
	return sum.cycles, err
}

// BandwidthFigures sums up some rows.
func BandwidthFigures(rows []Bandwidth) analyse.Figures {
	var all []analyse.Comparison
	for i := range rows {
		all = append(all, analyse.Comparison{Predicted: rows[i].Predicted, Measured: rows[i].Measured,
			ErrorPct: rows[i].ErrorPct})
	}
	return analyse.FiguresOf(all)
}
