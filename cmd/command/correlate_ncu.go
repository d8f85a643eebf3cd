package command

import (
	"fmt"
	"io"
	"os"

	"gpureplay/convert/ncu"
	"gpureplay/replay/analyse"
)

// ncuMeasured reads the measurements of Nsight Compute, if a file is such a table:
// launches of one device are the kernels of a trace in their order. Cycles are compared where
// every launch has them, else durations.
func ncuMeasured(path string) (*analyse.Measurements, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, nil // for who reads other tables to tell
	}
	defer f.Close()
	head := make([]byte, 1<<16)
	n, _ := io.ReadFull(f, head)
	if !ncu.IsCSV(head[:n]) {
		return nil, nil
	}
	if _, err := f.Seek(0, io.SeekStart); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var all []ncu.Kernel
	if _, err := ncu.Read(f, func(k *ncu.Kernel) error {
		all = append(all, *k)
		return nil
	}); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	m := &analyse.Measurements{Name: path, Unit: "cycles"}
	for i := range all {
		if all[i].Device != all[0].Device {
			return nil, fmt.Errorf("%s: launches of devices %d and %d: correlate takes one device", path, all[0].Device,
				all[i].Device)
		}
		if all[i].Cycles == 0 {
			m.Unit = "ns"
		}
	}
	for i := range all {
		k := &all[i]
		time, bytes := k.Cycles, float64(k.DRAMBytes())
		if m.Unit == "ns" {
			time = k.DurationNs
		}
		if bytes == 0 {
			bytes = -1
		}
		if time == 0 {
			continue // of it nothing was measured
		}
		if err := m.Add("", uint32(i), float64(time), bytes); err != nil {
			return nil, fmt.Errorf("%s: %w", path, err)
		}
	}
	return m, nil
}
