package memory

// Takes is of [Port].
func (u *cUnit) Takes(t Time) bool { return len(u.line) == 0 && u.free <= t && !u.stuck(t) }

// Opens is of [Port].
func (u *cUnit) Opens(t Time) Time {
	if len(u.line) > 0 {
		return Never
	}
	return max(u.free, t+1)
}

// opens reports whether the unit may take instructions, and could not before it has gone on.
func (u *cUnit) opens(on bool) bool { return on && (!u.collects || len(u.line) == 0) }
