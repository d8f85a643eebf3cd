package model

// kmu is the kernel management unit: pending kernels in hardware work queues.
// The head of a queue is dispatched to the kernel distributor when nothing
// before it in its stream is unfinished and the distributor has an entry free;
// its queue then waits until it has completed.
type kmu struct {
	m        *Machine
	queues   [][]*kernelRun
	busy     []bool // the head has been dispatched and has not completed
	pending  int
	scan     int // queue to inspect first: round robin
	reserved int // entries promised to kernels on their way to the distributor
}

func newKMU(m *Machine) *kmu {
	n := max(1, m.cfg.KMU.HWQs)
	return &kmu{m: m, queues: make([][]*kernelRun, n), busy: make([]bool, n)}
}

// arrive takes a kernel into its queue.
func (u *kmu) arrive(k *kernelRun, t Time) {
	k.rec.Arrive = t
	u.queues[k.hwq] = append(u.queues[k.hwq], k)
	u.pending++
	u.inspect(t)
}

// inspect dispatches what can be dispatched.
func (u *kmu) inspect(t Time) {
	n := len(u.queues)
	for i := range n {
		q := (u.scan + i) % n
		if u.busy[q] || len(u.queues[q]) == 0 || !u.queues[q][0].ready {
			continue
		}
		if len(u.m.ctas.entries)+u.reserved >= u.m.cfg.KMU.Entries {
			return
		}
		k := u.queues[q][0]
		u.busy[q] = true
		u.reserved++
		u.scan = (q + 1) % n
		u.m.queue.post(t+Time(u.m.cfg.KMU.DispatchLatency), evDispatch, k.slot, 0)
	}
}

// complete frees the queue of a kernel that has ended.
func (u *kmu) complete(k *kernelRun, t Time) {
	q := u.queues[k.hwq]
	copy(q, q[1:])
	q[len(q)-1] = nil
	u.queues[k.hwq] = q[:len(q)-1]
	u.busy[k.hwq] = false
	u.pending--
	u.inspect(t)
}
