package replay

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"gpureplay/model/hardware"
)

// Variant is a change of the machine that a whole comparison is run under.
type Variant struct {
	Key   string // the constant that it changes; "": none
	Value string // of it, as the run's key has it
	Apply func(*hardware.Config)
}

// launchLatencies are the values of --sensitivity=launch, in cycles: from free
// to the largest that users have measured (35,051 on an A30).
var launchLatencies = []int{0, 1000, 2000, 3500, 5000, 7500, 10000, 13500, 20000, 27500, 35000}

// factors are the values of --sensitivity=KEY, times the machine's own.
var factors = []string{"x0.5", "x1", "x2", "x4"}

// LaunchSensitivity is the name of the launch latency, of the host and, in proportion, of
// the device API.
const LaunchSensitivity = "launch"

// Sensitivity returns the variants of one constant of a machine: of "launch", of a key, or
// of KEY=VALUES with commas between values. Without values a number takes half, once, twice
// and four times its own value, and a word or a switch all that it can have. Values that
// the machine cannot have are left out, and named. An unknown key, or a key without a
// possible value, is an error.
func Sensitivity(what string, cfg *hardware.Config) (all []Variant, left []string, err error) {
	if what == LaunchSensitivity {
		for _, n := range launchLatencies {
			all = append(all, Variant{what, strconv.Itoa(n), func(c *hardware.Config) { setLaunch(c, n) }})
		}
		return all, nil, nil
	}
	key, list, given := strings.Cut(what, "=")
	values := strings.Split(list, ",")
	if !given {
		if values, err = ownValues(cfg, key); err != nil {
			return nil, nil, err
		}
	}
	for _, value := range values {
		changed := *cfg
		if err = changed.Set(key, value); err == nil {
			err = changed.Validate()
		}
		is, known := changed.Value(key)
		switch {
		case !known:
			return nil, nil, err
		case err != nil:
			left = append(left, fmt.Sprintf("%s=%s: %v", key, value, err))
			continue
		}
		text := word(is)
		if !slices.ContainsFunc(all, func(v Variant) bool { return v.Value == text }) {
			all = append(all, Variant{key, text, func(c *hardware.Config) { _ = c.Set(key, text) }}) // it was tried
		}
	}
	if len(all) == 0 {
		return nil, nil, errors.New(strings.Join(left, "; "))
	}
	return all, left, nil
}

// ownValues are the values that a key takes without others being given.
func ownValues(cfg *hardware.Config, key string) ([]string, error) {
	settings, err := hardware.FindSettings(key)
	switch {
	case err != nil:
		return nil, err
	case len(settings) > 1:
		return nil, fmt.Errorf("%s is a table of keys: choose one, as %s", key, settings[0].Key)
	}
	s := settings[0]
	own, _ := cfg.Value(key)
	switch {
	case s.Type == "boolean":
		return []string{"false", "true"}, nil
	case s.Words != nil:
		return s.Words, nil
	case s.Type == "text" || s.Type == "list":
		return nil, fmt.Errorf("%s is a %s: give values, as --sensitivity=%s=A,B", key, s.Type, key)
	case word(own) == "0":
		return nil, fmt.Errorf("%s is 0 on %s, and so are its multiples: give values, as --sensitivity=%s=0,100,200", key,
			cfg.Name, key)
	}
	return factors, nil
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
