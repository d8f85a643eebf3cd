package convert

import (
	"context"
	"fmt"
	"math"
	"strings"

	"gpureplay/convert/ncu"
	"gpureplay/trace"
)

func init() {
	Register(Format{
		Name:  "ncu",
		Title: "Nsight Compute: the table that ncu --csv prints",
		Reads: []Capture{
			{Give: "the table (`ncu --csv`, or `ncu --import REPORT --csv --page raw`)", Fidelity: "kernel",
				Order:       "order of the launches; durations without starts",
				Dependences: "streams", Placement: "no"},
		},
		Sniff:   func(in *Input) bool { return ncu.IsCSV(in.Head()) },
		Convert: convertNcu,
	})
}

// ncuLaunch is a launch with its name as a number.
type ncuLaunch struct {
	ncu.Kernel
	name uint32
}

const (
	maxNcuLaunches = 1 << 20
	mostNcuTime    = 1 << 42 // cycles or ns of a launch that counts for the clock: their sum fits
)

// maxNcuNames bounds the bytes of the functions' names that are held. A test lowers it.
var maxNcuNames = 1 << 26

func convertNcu(ctx context.Context, in *Input, w Writer, opt Options) error {
	f, err := in.Read(ctx)
	if err != nil {
		return err
	}
	defer f.Close()
	var launches []ncuLaunch
	var names []string
	index, bytes := map[string]uint32{}, 0
	info, err := ncu.Read(f, func(k *ncu.Kernel) error {
		id, ok := index[string(k.Name)]
		if !ok {
			id = uint32(len(names))
			names = append(names, string(k.Name))
			index[names[id]] = id
			bytes += len(k.Name)
		}
		if len(launches) == maxNcuLaunches || bytes > maxNcuNames {
			return fmt.Errorf("more than %d launches, or %d bytes of names", maxNcuLaunches, maxNcuNames)
		}
		l := ncuLaunch{*k, id}
		l.Name = nil
		launches = append(launches, l)
		return nil
	})
	if err != nil {
		return err
	}
	n := &ncuTrace{w: w, opt: opt, info: info, names: names, functions: map[uint32]uint32{}}
	return n.write(launches)
}

// ncuTrace writes the launches of one device.
type ncuTrace struct {
	w                       Writer
	opt                     Options
	info                    *ncu.Info
	names                   []string
	functions               map[uint32]uint32
	cycles, ns              int64 // of launches that have both
	others, untimed, shaped uint64
}

// ncuDevice is the device that is requested, else that with the most launches.
func ncuDevice(launches []ncuLaunch, asked int) uint32 {
	if asked >= 0 {
		return uint32(asked)
	}
	count, best := map[uint32]int{}, uint32(math.MaxUint32)
	for i := range launches {
		count[launches[i].Device]++
	}
	for d, n := range count {
		if n > count[best] || n == count[best] && d < best {
			best = d
		}
	}
	return best
}

func (n *ncuTrace) write(launches []ncuLaunch) error {
	device := ncuDevice(launches, n.opt.Device)
	least, kernels, sm := trace.FidelityKernel, 0, uint32(0)
	for i := range launches {
		l := &launches[i]
		if l.Device != device {
			n.others++
			continue
		}
		kernels++
		sm = max(sm, l.SMVersion)
		fidelity, err := n.launch(l)
		if err != nil {
			return err
		}
		least = min(least, fidelity)
	}
	if kernels == 0 && !n.opt.AllowEmpty {
		return fmt.Errorf("%w (launches of other devices: %d); profile with ncu --csv while kernels run, or keep the "+
			"empty trace with --allow-empty", ErrNoActivity, n.others)
	}
	gpu := trace.Machine{Name: strings.TrimSpace(n.info.GPU), SMVersion: sm, SMs: n.info.SMs}
	if n.ns > 0 {
		gpu.ClockHz = uint64(math.Round(float64(n.cycles) * 1e9 / float64(n.ns)))
	}
	if kernels == 0 {
		device, least = 0, trace.FidelityNone
	}
	m := metaOf("ncu", "", device, gpu)
	m.Fidelity = least
	n.w.SetMeta(m)
	n.diagnose()
	return nil
}

func (n *ncuTrace) diagnose() {
	diagnose(n.w, "bad_value", trace.Error, n.info.BadValues,
		"values that are no numbers, in an unknown unit or in another locale (print them with LC_ALL=C); they are "+
			"taken as absent")
	diagnose(n.w, "metric_left_out", trace.Info, n.info.LeftOut,
		"measured metrics (bytes, hit rates, stalls) that a trace has no place for")
	diagnose(n.w, "odd_line", trace.Info, n.info.OddLines,
		"lines that are no rows of the table, such as the program's output; they are left out")
	diagnose(n.w, "other_device", trace.DataLoss, n.others,
		"launches of devices other than the one converted; convert again with --device=N for each of them")
	diagnose(n.w, "kernel_without_duration", trace.DataLoss, n.untimed,
		"kernels without a measured duration; profile with --metrics gpu__time_duration.sum or a set of sections")
	diagnose(n.w, "kernel_without_grid", trace.DataLoss, n.shaped,
		"kernels without a grid or a block; they are kept with their durations only")
}

func (n *ncuTrace) launch(l *ncuLaunch) (trace.Fidelity, error) {
	name := n.names[l.name]
	f, ok := n.functions[l.name]
	if !ok {
		f = n.w.AddFunction(name)
		n.functions[l.name] = f
	}
	k := trace.Kernel{Function: f, Device: l.Device, Stream: l.Stream, Registers: l.Registers, SharedBytes: l.Shared}
	if l.Grid.Valid() && l.Block.Valid() {
		k.Fidelity, k.Grid, k.Block = trace.FidelityKernel, l.Grid, l.Block
		if l.Cluster.Valid() && l.Cluster.Count() > 1 {
			k.Cluster = l.Cluster
		}
	} else {
		n.shaped++
	}
	if l.DurationNs > 0 {
		k.Recorded = &trace.Recorded{HostNs: -1, StartNs: -1, DurationNs: l.DurationNs}
		if l.Cycles > 0 && max(l.Cycles, l.DurationNs) < mostNcuTime {
			n.cycles += l.Cycles
			n.ns += l.DurationNs
		}
	} else {
		n.untimed++
	}
	id, err := n.w.BeginKernel(&k)
	if err == nil {
		err = n.w.EndKernel(n.opt.flags(name) | collective(name))
	}
	if err == nil {
		err = n.w.Host(&trace.HostOp{Kind: trace.OpLaunch, Array: trace.NoArray, Kernel: id, Stream: l.Stream})
	}
	return k.Fidelity, err
}
