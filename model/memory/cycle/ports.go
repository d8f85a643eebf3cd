package cycle

// inPort has the requests of an SM, or of a few (a cluster of GPGPU-Sim), that wait before the crossbar.
type inPort struct {
	fifo
	requested bool // the first has asked its slice
}

// portOf returns the port of an SM. The SMs of a port are n.ports apart, so that SMs in their order are ports in
// their order, first with one SM each (gpgpu_sim::issue_block2core, simt_core_cluster::issue_block2core).
func (n *crossbar) portOf(sm int) int {
	if n.perPort == 1 {
		return sm
	}
	return sm % n.ports
}

// leaveInTurn has an SM send in cycle t, with the others of its port: the SM that is first rotates
// (simt_core_cluster::core_cycle). That the first SM of a port is first in cycle 0 is measured: Accel-Sim's SM7_TITANV.
func (n *crossbar) leaveInTurn(sm int, t Time) {
	if n.perPort == 1 {
		n.leave(sm, t)
		return
	}
	for i := range n.perPort {
		other := sm%n.ports + (int(t)+i)%n.perPort*n.ports
		unit := n.leaves + other
		word, bit := &n.Acting[unit>>6], uint64(1)<<(unit&63)
		switch {
		case other == sm:
			n.leave(sm, t)
		case *word&bit != 0 && n.Due[unit] <= t:
			*word &^= bit
			n.Due[unit] = Never
			n.leave(other, t)
		}
	}
}
