package engine

import (
	"gpureplay/model/hardware"
	"gpureplay/model/memory"
	"gpureplay/model/memory/cycle"
	"gpureplay/model/memory/reserve"
)

// New makes the memory of a machine, of the engine that its configuration names.
func New(c *hardware.Config) memory.System {
	if c.CycleMemory() {
		return cycle.New(c)
	}
	return reserve.New(c)
}
