package exec

// waits reports whether w has come to the point where it waits.
func (w *Warp) waits() bool { return w.points.Wait == int32(w.PC) }

// pass notes that w has passed its trigger.
func (s *SM) pass(w *Warp, t Time) {
	w.points.Trigger = NoPoint
	s.d.Passed(w.CTA, t)
}
