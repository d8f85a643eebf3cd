package sweep

import (
	"crypto/sha256"
	"fmt"
	"slices"
	"strings"

	"gpureplay/model"
)

// gpuSet holds the GPUs of a sweep, each under all settings.
type gpuSet struct {
	file     *File
	names    []string
	machines map[string][]*machine
}

// add multiplies a preset or file out over the settings.
func (s *gpuSet) add(gpu string, resolve func(string) string) error {
	if strings.HasSuffix(gpu, ".toml") || strings.ContainsAny(gpu, `/\`) {
		gpu = resolve(gpu)
	}
	base, err := model.FindConfig(gpu)
	if err != nil {
		return err
	}
	if s.machines[base.Name] != nil {
		return fmt.Errorf("two machines are called %s: give one another name", base.Name)
	}
	machines := []*machine{{gpu: base.Name, config: base}}
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
	s.names = append(s.names, base.Name)
	s.machines[base.Name] = machines
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
