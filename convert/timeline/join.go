package timeline

import (
	"bytes"
	"fmt"
	"io"

	"gpureplay/convert/spill"
)

// maxCalls is how many calls may share one correlation id.
const maxCalls = 1 << 16

// joiner brings together the rows of one correlation id at a time, and puts
// operations of the host in their order.
type joiner struct {
	b      *Builder
	acts   *spill.Sorter // joined activities, by stream
	calls  []row         // of the current id
	homes  *homes
	alone  *unpaired
	acted  bool // the current id has an activity
	vote   bool // first pass: only learn home
	buf    []byte
	last   []byte
	before uint64 // process and correlation of the current id
	id     uint64
}

// join sorts the events into host order.
func (b *Builder) join() error {
	acts := spill.New(b.opts.TempDir, rowBytes, b.opts.Memory)
	defer acts.Close()
	j := &joiner{b: b, acts: acts, homes: newHomes(), alone: newUnpaired(), buf: make([]byte, rowBytes), vote: true}
	b.calling.withZero()
	b.clocks = newClocks(b.calling)
	if err := j.run(); err != nil {
		return err
	}
	j.homes.elect()
	b.clocks.settle()
	j.alone.pair(&b.clocks)
	b.begin()
	j.vote = false
	if err := j.run(); err != nil {
		return err
	}
	return b.issueInOrder(acts)
}

func (j *joiner) run() error {
	it, err := j.b.events.Sorted()
	if err != nil {
		return err
	}
	j.last = nil
	j.before, j.id, j.calls = 0, 0, j.calls[:0]
	var r row
	for {
		rec, err := it.Next()
		if err == io.EOF {
			return j.finish()
		}
		if err != nil {
			return err
		}
		if j.duplicate(rec) {
			continue
		}
		r.decode(rec)
		if err := j.take(&r); err != nil {
			return err
		}
	}
}

// duplicate reports whether rec is the record before it once more.
func (j *joiner) duplicate(rec []byte) bool {
	payload := rec[keyWords*8 : rowBytes-8]
	if bytes.Equal(payload, j.last) {
		var r row
		r.decode(rec)
		if r.side == sideRecord {
			return true // each wait for an event says again who recorded it
		}
		if !j.vote {
			j.b.counts.add(duplicateActivity)
		}
		return true
	}
	j.last = append(j.last[:0], payload...)
	return false
}

func (j *joiner) take(r *row) error {
	if r.process != j.before || r.correlation != j.id {
		if err := j.finish(); err != nil {
			return err
		}
		j.before, j.id = r.process, r.correlation
	}
	alone := r.correlation == 0
	switch r.side {
	case sideCall:
		if r.flags&flagZero != 0 && j.b.calling.zeroIsLost() {
			if !j.vote {
				j.b.counts.add(lostTime)
			}
			return nil
		}
		if alone {
			return j.settle(r)
		}
		if len(j.calls) == maxCalls {
			return fmt.Errorf("more than %d API calls with correlation id %d", maxCalls, r.correlation)
		}
		j.calls = append(j.calls, *r)
	case sideSync:
		return j.sync(r)
	case sideRecord:
		for i := range j.calls {
			c := &j.calls[i]
			if CallKind(c.kind) == CallRecord && c.flags&flagEvent == 0 {
				c.device, c.stream, c.event = r.device, r.stream, r.event
				c.flags |= r.flags
				break
			}
		}
	case sideActivity:
		return j.activity(r)
	}
	return nil
}

// sync joins a call with the profiler's record of it. The call's name decides its kind: CUPTI calls device
// synchronisations ones of an event in exports until about 2024.
func (j *joiner) sync(r *row) error {
	for i := range j.calls {
		c := &j.calls[i]
		kind := CallKind(c.kind)
		if kind < firstDeviceless || c.flags&flagUsed != 0 {
			continue
		}
		c.flags |= r.flags | flagUsed
		c.device, c.stream, c.event = r.device, r.stream, r.event
		return nil
	}
	return j.settle(r)
}

// activity finds the call of an activity: the last one before it, of the right
// kind if there is one.
func (j *joiner) activity(r *row) error {
	if r.flags&flagZero != 0 && j.b.working[r.device].zeroIsLost() {
		r.flags |= flagUntimed | flagEndless
	}
	if j.vote && r.correlation == 0 {
		j.alone.activity(r)
		return nil
	}
	if j.vote {
		j.acted = true
		j.learn(r)
		return nil
	}
	j.b.correct(r)
	c := j.callOf(r)
	if c == nil {
		if r.flags&flagUntimed != 0 {
			j.b.counts.add(lostTime)
			return nil
		}
		j.b.counts.add(noCall)
		return j.emit(r)
	}
	c.flags |= flagUsed
	r.start, r.duration = c.start, c.duration
	if r.flags&flagUntimed != 0 {
		r.began = c.start + c.duration
	}
	r.host, r.thread = c.host, c.thread
	r.flags |= flagHostTime | c.flags&flagAsync
	if CallKind(c.kind) == CallGraph {
		r.flags |= flagGraph
	}
	if r.bytes == 0 {
		r.bytes = c.bytes
	}
	if CallKind(c.kind) == CallLaunch && r.flags&flagSized == 0 && c.flags&flagSized != 0 {
		r.grid, r.block, r.shared = c.grid, c.block, c.shared
		r.flags |= flagSized
		j.b.counts.add(gridOfCall)
	}
	if c.flags&flagThreads != 0 && r.flags&flagSized != 0 && ActivityKind(r.kind) == Kernel {
		for i, block := range r.block {
			r.grid[i] = uint32((uint64(r.grid[i]) + uint64(max(block, 1)) - 1) / uint64(max(block, 1)))
		}
		j.b.counts.add(gridInThreads)
	}
	return j.emit(r)
}

// learn notes the process that drives the device, from an activity and its call, and the bounds of the device's
// clock.
func (j *joiner) learn(r *row) {
	launching := -1
	for i := range j.calls {
		if kind := CallKind(j.calls[i].kind); kind < firstDeviceless && kind != CallOther {
			if launching >= 0 {
				j.homes.either(r, j.launching(r))
				return
			}
			launching = i
		}
	}
	if launching < 0 && len(j.calls) == 1 {
		launching = 0
	}
	if launching < 0 {
		return
	}
	c := &j.calls[launching]
	j.homes.vote(r.device, c.host)
	j.b.clocks.pair(c, r)
}

// launching returns the calls of the id that may have caused an activity.
func (j *joiner) launching(r *row) (calls []row) {
	for i := range j.calls {
		if launches(CallKind(j.calls[i].kind), ActivityKind(r.kind)) {
			calls = append(calls, j.calls[i])
		}
	}
	return calls
}

// callOf returns the call of an activity; nil if it has none.
func (j *joiner) callOf(r *row) *row {
	if r.correlation == 0 {
		c, ok := j.alone.of[r.seq]
		if !ok {
			return nil
		}
		j.b.counts.add(pairedByOrder)
		return &c
	}
	if len(j.calls) == 0 {
		return nil
	}
	best, score := 0, -1
	for i := range j.calls {
		c := &j.calls[i]
		s := 0
		if launches(CallKind(c.kind), ActivityKind(r.kind)) {
			s += 8
		}
		if home, ok := j.homes.of[r.device]; ok && home == c.host {
			s += 4
		}
		if c.start <= r.start {
			s += 2
		}
		// Calls come by time: of equal ones the last before the activity, or
		// the first if all are after it.
		if s > score || s == score && c.start <= r.start {
			best, score = i, s
		}
	}
	return &j.calls[best]
}

// launches reports whether a call of kind c may cause an activity of kind a.
func launches(c CallKind, a ActivityKind) bool {
	switch c {
	case CallGraph:
		return true
	case CallLaunch:
		return a == Kernel
	case CallCopy:
		return a == Copy
	case CallMemset:
		return a == Memset
	}
	return false
}

// finish settles the calls of the id that is done.
func (j *joiner) finish() error {
	launching := 0
	for i := range j.calls {
		if kind := CallKind(j.calls[i].kind); kind != CallOther && kind < firstDeviceless {
			launching++
		}
		if err := j.settle(&j.calls[i]); err != nil {
			return err
		}
	}
	if launching > 1 && !j.vote {
		j.b.counts[correlationCollision] += uint64(launching)
	}
	j.calls, j.acted = j.calls[:0], false
	return nil
}

// settle emits a call that has no activity of its own.
func (j *joiner) settle(r *row) error {
	kind := CallKind(r.kind)
	switch {
	case j.vote:
		j.b.waited(r)
		if !j.acted {
			j.alone.call(r)
		}
		return nil
	case kind == CallNone || kind == CallOther:
		return nil
	case kind == CallQueryEvent:
		j.b.counts.add(eventQuery)
		return nil
	case kind < firstDeviceless:
		if r.flags&flagUsed == 0 && !j.alone.used[r.seq] {
			j.b.counts.add(callWithoutActivity)
		}
		return nil
	case kind == CallRecord && r.flags&flagEvent == 0:
		return nil // no wait for it is in the capture
	}
	r.flags |= flagHostTime
	return j.emit(r)
}

func (j *joiner) emit(r *row) error {
	if j.vote {
		return nil
	}
	if r.side != sideActivity {
		j.b.hostWaits.note(r)
		r.encode(j.buf, r.hostKey(r.start))
		return j.b.host.Add(j.buf)
	}
	if r.flags&flagHostTime == 0 {
		r.duration = 0
	}
	if r.flags&flagUntimed != 0 { // its call alone says its place
		j.b.counts.add(lostTime)
		r.encode(j.buf, r.hostKey(r.start))
		return j.b.host.Add(j.buf)
	}
	if r.flags&flagEndless != 0 {
		j.b.counts.add(unknownDuration)
	}
	r.encode(j.buf, r.streamKey())
	return j.acts.Add(j.buf)
}
