package memory

// Takes reports whether the unit takes an instruction from the operand collectors in cycle t.
func (u *LSU) Takes(t Time) bool { return len(u.line) == 0 && u.free <= t && !u.stuck(t) }

// Opens returns when, after t, the unit may take an instruction from the operand collectors; Never: a stopped unit,
// which [System.Advance] names when it goes on.
func (u *LSU) Opens(t Time) Time {
	if len(u.line) > 0 {
		return Never
	}
	return max(u.free, t+1)
}

// opens reports whether the unit may take instructions, and could not before it has gone on.
func (u *LSU) opens(on bool) bool { return on && (!u.collects || len(u.line) == 0) }
