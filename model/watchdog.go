package model

import (
	"context"
	"fmt"
	"strings"
)

// StuckError says that nothing can move although work is left.
type StuckError struct {
	Time  Time
	Waits []string // one for each part that waits
}

func (e *StuckError) Error() string {
	return fmt.Sprintf("deadlock at cycle %d: %s", e.Time, strings.Join(e.Waits, "; "))
}

// stuck looks, when no event is left, for work that is left.
func (m *Machine) stuck() error {
	var waits []string
	add := func(format string, args ...any) {
		if len(waits) < 16 {
			waits = append(waits, fmt.Sprintf(format, args...))
		}
	}
	if m.access != nil {
		m.access.Stuck(m.held.waits(), add) // the accesses first: they say why the rest waits
	}
	for _, k := range m.ctas.entries {
		of := ""
		if k.launch != nil {
			of = fmt.Sprintf(", for which CTA %d of kernel %d waits,", k.launch.cta, k.launch.kernel)
		}
		add("kernel %d (%s)%s has %d CTAs on SMs and %d to place", k.ID, k.rec.Function, of, k.Resident, k.Left)
	}
	for _, s := range m.sms {
		for _, c := range s.CTAs {
			if m.access != nil && c.Waiting == 0 {
				continue
			}
			add("CTA %d of kernel %d on SM %d: of %d warps %d wait at barriers and %d for %d children",
				c.Trace.ID, c.Kernel.ID, s.ID, c.Live, c.Waiting, c.Syncing, c.Children)
		}
	}
	if n := m.children.kept; n > 0 {
		add("%d child launches are kept by the policy, perhaps for the end of who waits for them", n)
	}
	m.tasks.stuck(add)
	for q := range m.kmu.hwqs {
		w := &m.kmu.hwqs[q]
		behind := ""
		if w.busy > 0 {
			behind = " behind a kernel that has been dispatched"
		}
		if w.host.Len() > 0 {
			k := w.host.First().run
			if !k.Ready {
				behind = " and for its stream"
			}
			add("kernel %d waits in hardware queue %d%s", k.ID, q, behind)
		}
		if w.device.Len() > 0 {
			add("%v waits in hardware queue %d%s", w.device.First().child, q, behind)
		}
	}
	m.host.Stuck(add)
	if m.host.Waits() && len(waits) == 0 {
		add("the host waits for work that has not been issued")
	}
	if len(waits) == 0 {
		return nil
	}
	return &StuckError{Time: m.now, Waits: waits}
}

// pause is called every so many events: it reports whether the run ends here, because
// it was told to or has come to its last cycle, and tells who asks how far it is.
func (m *Machine) pause(ctx context.Context) (end bool, err error) {
	if ctx.Err() != nil {
		return true, context.Cause(ctx)
	}
	if m.tick != nil {
		var insts uint64
		for _, s := range m.sms {
			insts += s.Issued
		}
		m.tick(m.now, insts)
	}
	return false, nil
}
