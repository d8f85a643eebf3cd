package megakernel

import (
	"math"
	"slices"

	"gpureplay/model"
	"gpureplay/model/clock"
	"gpureplay/policies/producers"
)

// schedule is the scheduler warps of all SMs and the queue of ready tasks. A task that waits no more is dealt to the
// warps in turn. Each takes a time for one decision, one after another. Then the task takes an entry of the queue,
// until it goes to an SM. If the queue is full, the warp tries again when an entry is free. A task that is on an SM
// already, since it runs ahead, needs no entry: else it might hold the place of one that has.
type schedule struct {
	latency  model.Time   // behind a decision
	decision model.Time   // of one task
	free     []model.Time // per warp
	turn     int          // warp that the next task is dealt to
	due      clock.FIFO[turn]
	full     []turn     // decided, without an entry, or of a kernel that is not in the distributor
	room     int        // entries that are free
	asked    model.Time // Act has been asked for then
}

// turn is when a task may begin.
type turn struct {
	k   *producers.Kernel
	cta uint32
	at  model.Time
}

// newSchedule makes the warps of a machine's SMs and their queue.
func newSchedule(c *Config, m *model.ResidentMachine) schedule {
	cfg := m.Config()
	return schedule{
		latency: c.latency(cfg), decision: model.Time(math.Round(c.DecisionNs * cfg.Clock.CoreMHz / 1000)),
		free: make([]model.Time, c.Schedulers*m.SMs()), room: c.Queue * m.SMs(),
	}
}

// decide has the next scheduler warp decide on a task that waits no more in cycle t.
func (s *schedule) decide(k *producers.Kernel, cta uint32, t model.Time) {
	warp := &s.free[s.turn]
	s.turn = (s.turn + 1) % len(s.free)
	*warp = max(*warp, t) + s.decision
	s.due.Push(turn{k, cta, *warp + s.latency})
}

// retry takes the tasks that found the queue full, in order: those that begin says it need not keep go.
func (s *schedule) retry(begin func(turn) bool) {
	s.full = slices.DeleteFunc(s.full, begin)
}
