package exec

// waits reports whether w has come to the point where it waits.
func (w *Warp) waits() bool { return w.points.Wait == int32(w.PC) }

// pass notes that w has passed its trigger.
func (s *SM) pass(w *Warp, t Time) {
	w.points.Trigger = NoPoint
	s.d.Passed(w.CTA, t)
}

// Refresh flushes the L1 when the first warp of a kernel on the SM has waited for the kernel before it: the L1 may hold
// what that one has overwritten.
func (s *SM) Refresh(k *Kernel, t Time) {
	if s.fresh != k.Order {
		s.port.Enter(s.bytes, t)
		s.fresh = k.Order
	}
}
