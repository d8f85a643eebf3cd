package dram

import "gpureplay/model/hardware"

// The queues of a channel (frfcfs_scheduler, seperate_write_queue_enabled). A channel with a write queue serves reads
// until enough write-backs wait, and then writes until few are left.
const (
	reads  = iota // of all requests where there is no write queue
	writes        // write-backs
	modes
)

// writeQueue is which requests of a channel wait for their banks, and which of them it serves now.
type writeQueue struct {
	separate  bool           // write-backs have a queue of their own
	mode      int            // the queue that it serves
	waiting   [modes]bankSet // banks for which requests wait
	waits     [modes]int     // requests that wait for their bank, among which it chooses
	room      [modes]int     // most of them
	high, low int            // write-backs from which on it writes, and below which it reads again
	every     bankSet        // the channel's banks
}

func newWriteQueue(d *hardware.DRAMConfig) writeQueue {
	return writeQueue{
		separate: d.WriteQueue > 0, room: [modes]int{d.Window, d.WriteQueue}, high: d.WriteHigh, low: d.WriteLow,
		every: 1<<(d.Banks-1)<<1 - 1,
	}
}

func (x *bank) init() {
	x.row = noOpenRow
	for i := range x.queues {
		x.queues[i] = bankQueue{row: noOpenRow}
	}
}

// modeOf is the queue of a request. A store that a reply waits for goes with the reads: too few of them would wait in
// a write queue for ever.
func (q *writeQueue) modeOf(r *request) int {
	if q.separate && r.write && r.fetch == NoFetch {
		return writes
	}
	return reads
}

// full reports whether the queue of a request has no room.
func (q *writeQueue) full(r *request) bool {
	mode := q.modeOf(r)
	return q.waits[mode] >= q.room[mode]
}

// idle returns the banks without a request at hand for which requests wait that the channel serves now.
func (c *Channel) idle() bankSet { return c.waiting[c.mode&1] &^ c.serving.all }

// switches reports whether the channel serves the other queue in the next cycle in which a bank has no request at
// hand.
func (q *writeQueue) switches() bool {
	if q.mode == reads {
		return q.waits[writes] >= q.high
	}
	return q.waits[writes] < q.low
}

// switchMode has the channel serve the other queue, if it is time. Banks with a request at hand look for none
// (frfcfs_scheduler::schedule).
func (c *Channel) switchMode() {
	if c.serving.all != c.writeQueue.every && c.switches() {
		c.mode = reads + writes - c.mode
	}
}

// goOn has a queue go on with the row of its last request, while it has more of them: the other queue may open
// another row meanwhile (m_last_row of frfcfs_scheduler).
func (c *Channel) goOn(q *bankQueue, row uint64) {
	q.row = noOpenRow
	for at := q.first; at != nil; at = at.next {
		if at.row == row {
			q.row = row
		}
	}
}
