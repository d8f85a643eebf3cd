package sweep

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"gpureplay/model/hardware"
)

// gpuSet holds the GPUs of a sweep, each under all settings.
type gpuSet struct {
	file     *File
	names    []string
	machines map[string][]*machine
	base     map[string]string // each without settings, as TOML
}

// add multiplies a preset or file out over the settings.
func (s *gpuSet) add(gpu string, resolve func(string) string) error {
	if strings.HasSuffix(gpu, ".toml") || strings.ContainsAny(gpu, `/\`) {
		gpu = resolve(gpu)
	}
	base, err := hardware.FindConfig(gpu)
	if err != nil {
		return err
	}
	if s.machines[base.Name] != nil {
		return fmt.Errorf("two machines are called %s: give one another name", base.Name)
	}
	s.names = append(s.names, base.Name)
	return s.multiply(base.Name, base)
}

// captured multiplies the machine of a capture out, once for all that were made on
// it. Of two that differ under one name the later has a number.
func (s *gpuSet) captured(c *hardware.Config) (name string, err error) {
	name = c.Name
	for n := 2; ; n++ {
		m := s.machines[name]
		if m == nil {
			return name, s.multiply(name, c)
		}
		if s.base[name] == c.TOML() {
			return name, nil
		}
		name = fmt.Sprintf("%s %d", c.Name, n)
	}
}

// multiply gives a machine all settings.
func (s *gpuSet) multiply(name string, base *hardware.Config) error {
	machines := []*machine{{gpu: name, config: base}}
	for _, a := range s.file.axes {
		if len(machines)*len(a.values) > maxCells {
			return fmt.Errorf("a grid of more than %d cells", maxCells)
		}
		machines = multiply(machines, a)
	}
	for _, m := range machines {
		m.err = m.config.Validate()
		m.hash = sha256.Sum256([]byte(m.config.TOML()))
	}
	s.base[name] = base.TOML()
	s.machines[name] = machines
	return nil
}

// multiply gives each machine each value of an axis.
func multiply(machines []*machine, a axis) []*machine {
	var all []*machine
	for _, m := range machines {
		for _, v := range a.values {
			config := *m.config
			if err := v.apply(&config); err != nil {
				panic("sweep: a value that was checked: " + err.Error())
			}
			all = append(all, &machine{gpu: m.gpu, values: append(slices.Clone(m.values), v), config: &config})
		}
	}
	return all
}
