package cycle

// Takes is of [memory.Port].
func (u *Unit) Takes(t Time) bool { return len(u.stalled) == 0 && u.Free <= t && !u.stuck(t) }

// Opens is of [memory.Port].
func (u *Unit) Opens(t Time) Time {
	if len(u.stalled) > 0 {
		return Never
	}
	return max(u.Free, t+1)
}

// opens reports whether the unit may take instructions, and could not before it has gone on.
func (u *Unit) opens(on bool) bool { return on && (!u.collects || len(u.stalled) == 0) }
