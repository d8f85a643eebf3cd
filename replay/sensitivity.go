package replay

import (
	"fmt"

	"gpureplay/model/hardware"
)

// Variant is a change of the machine that a whole comparison is run under.
type Variant struct {
	Key   string // the constant that it changes; "": none
	Value int    // of it
	Apply func(*hardware.Config)
}

// launchLatencies are the values of --sensitivity=launch, in cycles: from free
// to the largest that users have measured (35,051 on an A30).
var launchLatencies = []int{0, 1000, 2000, 3500, 5000, 7500, 10000, 13500, 20000, 27500, 35000}

// Sensitivity returns the variants of one constant: "launch" is the launch
// latency, of the host and, in proportion, of the device API.
func Sensitivity(name string) ([]Variant, error) {
	if name != "launch" {
		return nil, fmt.Errorf("no sensitivity to %q: there is launch", name)
	}
	var all []Variant
	for _, n := range launchLatencies {
		all = append(all, Variant{name, n, func(c *hardware.Config) { setLaunch(c, n) }})
	}
	return all, nil
}

// setLaunch sets the host's launch latency, and scales the constant part of the
// device API so that it comes to the same. The parts per lane stay.
func setLaunch(c *hardware.Config, cycles int) {
	c.Host.LaunchLatency = cycles
	l := &c.Launch
	total := l.ParamBase + l.DeviceBase
	if l.StreamPerChild {
		total += l.StreamCreate
	}
	if total == 0 {
		return
	}
	for _, part := range []*int{&l.StreamCreate, &l.ParamBase, &l.DeviceBase} {
		*part = int(int64(*part) * int64(cycles) / int64(total))
	}
}
