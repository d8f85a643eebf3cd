package pagoda

import "math/bits"

// Idling reports whether the scheduler warp would go on to no effect until something happens from outside. It scans
// a column without work, or repeats a search for a barrier, for shared memory or for executors that are all taken.
// An engine may then let time pass and account for the instructions with [MTB.Skip].
func (m *MTB) Idling() bool {
	switch m.phase {
	case phaseScan:
		return m.table.quiet(m.column, m.held)
	case phaseBarrier:
		return m.names == 0
	case phaseFree, phaseSearch:
		_, ok := m.shared.Find(int(m.task.SharedBytes))
		return !ok && m.shared.Pending() == 0
	case phaseSlots:
		return m.idle == 0
	}
	return false
}

// Skip performs n idle steps at once and returns the code that they executed,
// as a count per block. Idling must hold.
func (m *MTB) Skip(n uint64) (counts [NumBlocks]uint64) {
	if !m.Idling() {
		panic("pagoda: the scheduler warp skips work")
	}
	switch m.phase {
	case phaseScan:
		counts[ScanEntry], counts[CheckPrev], counts[PrevNotReady] = m.skipScan(n)
	case phaseBarrier:
		counts[GetBarrier] = n
	case phaseFree, phaseSearch:
		other := n / 2
		counts[NothingToFree], counts[SearchShared] = n-other, other
		if m.phase == phaseSearch {
			counts[NothingToFree], counts[SearchShared] = other, n-other
		}
		if n%2 == 1 {
			m.phase = phaseFree + phaseSearch - m.phase
		}
	case phaseSlots:
		counts[LookForSlots] = n
	}
	return counts
}

// Coast moves a scan on by n entries in which nothing was to be done, for an
// engine that learns only afterwards that the idling has ended. It does nothing
// where the scheduler warp is not scanning.
func (m *MTB) Coast(n uint64) {
	if m.phase == phaseScan {
		m.row = int((uint64(m.row) + n) % uint64(m.table.Rows()))
	}
}

// skipScan walks the column for n steps. An entry that waits for its predecessor
// takes three, any other one; after one sweep the rest is arithmetic.
func (m *MTB) skipScan(n uint64) (scans, checks, waits uint64) {
	waiting := bits.OnesCount64(m.table.hot[m.column])
	sweep := uint64(m.table.Rows() + 2*waiting)
	sweeps := n / sweep
	if m.cfg.ScanRows > 1 || m.cfg.Successor { // its steps do not all read one entry
		sweeps = 0
	}
	scans, checks, waits = sweeps*uint64(m.table.Rows()), sweeps*uint64(waiting), sweeps*uint64(waiting)
	for n -= sweeps * sweep; n > 0; n-- {
		switch m.Next() {
		case ScanEntry:
			scans++
		case CheckPrev:
			checks++
		case PrevNotReady:
			waits++
		}
		m.Apply()
	}
	return scans, checks, waits
}
