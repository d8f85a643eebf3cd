package memory

import "gpureplay/model/hardware"

// New makes the memory of a machine, of the engine that its configuration names.
func New(c *hardware.Config) System {
	if c.CycleMemory() {
		return newCycle(c)
	}
	return newReserve(c)
}
