package replay

import (
	"strings"

	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// eachCall calls f for every call of the host with recorded times, in the order of the program. It returns an
// error if the trace cannot be read.
func eachCall(r *container.Reader, f func(*table.Call)) error {
	p := r.Program()
	var k trace.Kernel
	for op, err := range trace.Each(r.HostOps()) {
		if err != nil {
			return err
		}
		c := table.Call{Op: op, Recorded: op.Recorded}
		scope := op.Scope
		if op.Kind == trace.OpLaunch {
			if err := r.Kernel(op.Kernel, &k); err != nil {
				return err
			}
			c.Recorded, c.Function, scope = k.Recorded, p.Functions[k.Function].Name, k.Scope
		}
		if c.Recorded == nil {
			continue
		}
		c.Scope = strings.Join(p.ScopePath(scope), " / ")
		f(&c)
	}
	return nil
}
