package ncu

import (
	"bytes"
	"strconv"
	"strings"

	"gpureplay/convert/decimal"
	"gpureplay/trace"
)

// setter takes the value of a metric; false: it is none.
type setter func(r *reader, value []byte, unit string) bool

// leftOut is of a metric that no trace has.
func leftOut(r *reader, _ []byte, _ string) bool {
	r.info.LeftOut++
	return true
}

// setters are the metrics that are kept, by their names on the page of details and on
// the raw one. Of several with one meaning the first of a launch counts.
var setters = map[string]setter{
	"Duration": duration, "gpu__time_duration.sum": duration, "gpu__time_duration.avg": duration,
	"gpu__time_duration.max": duration,
	"Elapsed Cycles":         cycles, "gpc__cycles_elapsed.max": cycles, "sm__cycles_elapsed.max": cycles,
	"sm__cycles_elapsed.avg": cycles,
	"Registers Per Thread":   registers, "launch__registers_per_thread": registers,
	"Static Shared Memory Per Block": shared, "launch__shared_mem_per_block_static": shared,
	"Dynamic Shared Memory Per Block": shared, "launch__shared_mem_per_block_dynamic": shared,
	"dram__bytes.sum":       dram(func(k *Kernel) *int64 { return &k.dram }),
	"dram__bytes_read.sum":  dram(func(k *Kernel) *int64 { return &k.read }),
	"dram__bytes_write.sum": dram(func(k *Kernel) *int64 { return &k.written }),
	"Memory Throughput":     perSecond, "dram__bytes.sum.per_second": perSecond,
	"# SMs": sms, "launch__sm_count": sms, "device__attribute_multiprocessor_count": sms,
	"device__attribute_display_name": gpu,
	"Block Size":                     product(block), "launch__block_size": product(block),
	"Grid Size": product(grid), "launch__grid_size": product(grid),
	"launch__block_dim_x": extent(block, 0), "launch__block_dim_y": extent(block, 1),
	"launch__block_dim_z": extent(block, 2),
	"launch__grid_dim_x":  extent(grid, 0), "launch__grid_dim_y": extent(grid, 1), "launch__grid_dim_z": extent(grid, 2),
	"launch__cluster_dim_x": extent(cluster, 0), "launch__cluster_dim_y": extent(cluster, 1),
	"launch__cluster_dim_z": extent(cluster, 2),
}

func setterOf(name string) setter {
	switch name {
	case "ID", "Process ID":
		return nil
	}
	return setters[name]
}

func block(k *Kernel) *trace.Dim3   { return &k.Block }
func grid(k *Kernel) *trace.Dim3    { return &k.Grid }
func cluster(k *Kernel) *trace.Dim3 { return &k.Cluster }

func duration(r *reader, value []byte, unit string) bool {
	ns, ok := amount(value, unit,
		map[string]uint64{"": 1, "ns": 1, "nsecond": 1, "us": 1e3, "usecond": 1e3, "ms": 1e6, "msecond": 1e6, "s": 1e9,
			"second": 1e9})
	if ok && r.kernel.DurationNs == 0 {
		r.kernel.DurationNs = ns
	}
	return ok
}

func cycles(r *reader, value []byte, unit string) bool {
	n, ok := amount(value, unit, map[string]uint64{"": 1, "cycle": 1, "Kcycle": 1e3, "Mcycle": 1e6, "Gcycle": 1e9})
	if ok && r.kernel.Cycles == 0 {
		r.kernel.Cycles = n
	}
	return ok
}

// sizes are units of bytes.
var sizes = map[string]uint64{"": 1, "byte": 1, "Kbyte": 1e3, "Mbyte": 1e6, "Gbyte": 1e9, "Tbyte": 1e12}

// dram takes bytes of DRAM, which no trace has.
func dram(of func(*Kernel) *int64) setter {
	return func(r *reader, value []byte, unit string) bool {
		r.info.LeftOut++
		n, ok := amount(value, unit, sizes)
		*of(&r.kernel) = n
		return ok
	}
}

// perSecond takes the rate of DRAM; a metric of the same name is a share of the peak.
func perSecond(r *reader, value []byte, unit string) bool {
	r.info.LeftOut++
	size, ok := strings.CutSuffix(strings.TrimSuffix(unit, "econd"), "/s")
	if !ok {
		return true
	}
	n, ok := amount(value, size, sizes)
	r.kernel.perSecond = n
	return ok
}

func registers(r *reader, value []byte, _ string) bool {
	n, ok := whole(value)
	r.kernel.Registers = uint32(n)
	return ok
}

func shared(r *reader, value []byte, unit string) bool {
	n, ok := amount(value, strings.TrimSuffix(unit, "/block"), map[string]uint64{"": 1, "byte": 1, "Kbyte": 1e3,
		"Mbyte": 1e6})
	if !ok || n > 1<<30 {
		return false
	}
	if strings.HasPrefix(unit, "K") || strings.HasPrefix(unit, "M") {
		n = (n + 8) &^ 15
	}
	r.kernel.Shared += uint32(n)
	return true
}

func sms(r *reader, value []byte, _ string) bool {
	n, ok := whole(value)
	if ok = ok && n <= 1<<20; ok {
		r.info.SMs = uint32(n)
	}
	return ok
}

func gpu(r *reader, value []byte, _ string) bool {
	r.info.GPU = string(value)
	return true
}

// extent sets an extent of a grid or a block.
func extent(of func(*Kernel) *trace.Dim3, i int) setter {
	return func(r *reader, value []byte, _ string) bool {
		n, ok := whole(value)
		of(&r.kernel)[i] = uint32(n)
		return ok
	}
}

// product sets a grid or a block whose size alone is known.
func product(of func(*Kernel) *trace.Dim3) setter {
	return func(r *reader, value []byte, _ string) bool {
		if bytes.HasPrefix(value, []byte("(")) {
			return true // the column of that name, which has been read
		}
		n, ok := whole(value)
		if d := of(&r.kernel); ok && *d == (trace.Dim3{}) {
			*d = trace.Dim3{uint32(n), 1, 1}
		}
		return ok
	}
}

// amount is a value in the base of its unit.
func amount(value []byte, unit string, units map[string]uint64) (int64, bool) {
	mul, ok := units[unit]
	if !ok {
		return 0, false
	}
	plain, ok := ungrouped(value)
	if !ok {
		return 0, false
	}
	n, ok := decimal.Scale(plain, mul)
	return n, ok && n >= 0
}

// whole is a number without a fraction that fits 32 bits.
func whole(value []byte) (uint64, bool) {
	plain, ok := ungrouped(value)
	if !ok {
		return 0, false
	}
	n, err := strconv.ParseUint(strings.TrimSuffix(string(plain), ".00"), 10, 32)
	return n, err == nil
}

// ungrouped takes the commas out of 1,234,567.89; false: it has others.
func ungrouped(value []byte) ([]byte, bool) {
	if bytes.Count(value, []byte{'.'}) > 1 {
		return nil, false
	}
	head, _, _ := bytes.Cut(value, []byte{'.'})
	groups := bytes.Split(head, []byte{','})
	for i, g := range groups {
		if i > 0 && len(g) != 3 || i == 0 && len(groups) > 1 && (len(g) == 0 || len(g) > 3) {
			return nil, false
		}
	}
	if bytes.IndexByte(value[len(head):], ',') >= 0 {
		return nil, false
	}
	return bytes.ReplaceAll(value, []byte{','}, nil), true
}
