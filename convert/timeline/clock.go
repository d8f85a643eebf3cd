package timeline

import (
	"cmp"
	"maps"
	"slices"
)

// A device has a clock of its own, and a profiler may fail to bring it to the host's: seen are constants of minutes
// to days, and drift (kineto pull request 1082, onnxruntime pull request 14004, rocm-systems pull request 11667).
// Two things bound how far the device's clock is ahead. Work begins behind its call, so it is ahead by no more than
// the shortest time from a call to the begin of its work. Work that the host waited for had begun when the wait
// ended, so it is ahead by no less than the longest time from the end of a wait to the begin of work called before
// it.
//
// Clocks that fit these bounds are believed. Other clocks are moved by the upper bound: the earliest work begins
// with its call. Where one number does not fit both bounds, the clock drifts, and each piece of the capture has its
// own, with straight lines between.

const (
	clockPieces = 256       // of the host's time
	maxClocks   = 256       // pairs of device and process
	clockSlack  = 20_000    // ns: profilers' time stamps agree that well
	clockNear   = 1_000_000 // ns: two delays that are closer confirm each other
	// Without a wait a queue may explain a long delay: from this one on, and from ten times the
	// span of the calls, it does not. Seen are a real delay of 146 ms and offsets from minutes on.
	clockUnwaited = 1_000_000_000
	driftPieces   = 32
)

// clockKey is a device as a process of the host sees it.
type clockKey struct {
	device uint32
	host   uint64
}

// clockPiece holds the bounds from one piece of the host's time.
type clockPiece struct {
	low   int64 // shortest time from a call to the begin of its work, ns
	low2  int64 // the one after it
	begin int64 // latest begin of work called in it, by the device's clock
	wait  int64 // earliest end of a wait that began in it
	least int64 // longest time from the end of a blocking copy's call to the copy's begin
}

// clocks learns how far the clocks of devices are from the host's.
type clocks struct {
	first, span int64 // of the host's calls
	seen        map[clockKey]*[clockPieces]clockPiece
	offsets     map[uint32][]int64 // by device: of each piece; nil: none
}

const (
	noLow  = 1<<63 - 1
	noHigh = -1 << 63
)

func newClocks(host times) clocks {
	return clocks{first: host.first, span: max(1, host.last-host.first+1), seen: map[clockKey]*[clockPieces]clockPiece{}}
}

func (c *clocks) at(t int64) int {
	return int(min(max(0, float64(t-c.first)/float64(c.span)*clockPieces), clockPieces-1))
}

// piece is the piece of a time of the host; nil: there are too many devices and processes.
func (c *clocks) piece(key clockKey, t int64) *clockPiece {
	p := c.seen[key]
	if p == nil {
		if len(c.seen) == maxClocks {
			return nil
		}
		p = new([clockPieces]clockPiece)
		for i := range p {
			p[i] = clockPiece{low: noLow, low2: noLow, begin: noHigh, wait: noLow, least: noHigh}
		}
		c.seen[key] = p
	}
	return &p[c.at(t)]
}

// pair notes an activity and its call.
func (c *clocks) pair(call, act *row) {
	p := c.piece(clockKey{act.device, call.host}, call.start)
	if p == nil || call.flags&flagZero != 0 || act.flags&(flagZero|flagUntimed) != 0 {
		return
	}
	d := act.start - call.start
	p.low, p.low2 = min(p.low, d), min(p.low2, max(p.low, d))
	p.begin = max(p.begin, act.start)
	if CallKind(call.kind) == CallCopy && call.flags&flagAsync == 0 {
		p.least = max(p.least, act.start-call.start-call.duration)
	}
}

// waited notes a wait for all that a process gave to a device.
func (c *clocks) waited(device uint32, call *row) {
	if p := c.piece(clockKey{device, call.host}, call.start); p != nil {
		p.wait = min(p.wait, call.start+call.duration)
	}
}

// bounds are the bounds of how far a device's clock is ahead in the pieces from lo to hi.
func bounds(all []*[clockPieces]clockPiece, lo, hi int) (least, most int64) {
	least, most = noHigh, noLow
	for _, p := range all {
		begin := int64(noHigh)
		for i := range hi {
			if i >= lo {
				most, least = min(most, p[i].low), max(least, p[i].least)
				if begin != noHigh && p[i].wait != noLow {
					least = max(least, begin-p[i].wait)
				}
			}
			begin = max(begin, p[i].begin)
		}
	}
	return least, most
}

// confirmed is the shortest time from a call to its work that is no exception: another one
// is near it.
func confirmed(all []*[clockPieces]clockPiece) int64 {
	var lows []int64
	for _, p := range all {
		for i := range p {
			for _, low := range [2]int64{p[i].low, p[i].low2} {
				if low != noLow {
					lows = append(lows, low)
				}
			}
		}
	}
	slices.Sort(lows)
	for i, low := range lows {
		if i+1 == len(lows) || len(lows) < 8 || lows[i+1]-low <= max(clockNear, max(low, -low)/10) {
			return low
		}
	}
	return noLow
}

// settle finds the offsets of all devices.
func (c *clocks) settle() {
	c.offsets = map[uint32][]int64{}
	devices := map[uint32][]*[clockPieces]clockPiece{}
	for _, key := range slices.SortedFunc(maps.Keys(c.seen), func(a, b clockKey) int {
		return cmp.Or(cmp.Compare(a.device, b.device), cmp.Compare(a.host, b.host))
	}) {
		devices[key.device] = append(devices[key.device], c.seen[key])
	}
	for device, all := range devices {
		least, _ := bounds(all, 0, clockPieces)
		most := confirmed(all)
		switch {
		case most == noLow:
		case least == noHigh && most > max(10*c.span, clockUnwaited), least <= most &&
			(least > clockSlack || most < -clockSlack):
			c.offsets[device] = []int64{most}
		case least > most && (least > clockSlack || most < -clockSlack):
			c.offsets[device] = drift(all)
		}
	}
	c.seen = nil
}

// drift is how far a clock is ahead in each piece of the capture: its upper bound, or, of a
// piece without a call, the one of the piece before it.
func drift(all []*[clockPieces]clockPiece) []int64 {
	out := make([]int64, driftPieces)
	known := -1
	for i := range out {
		_, most := bounds(all, i*clockPieces/driftPieces, (i+1)*clockPieces/driftPieces)
		switch {
		case most != noLow:
			out[i] = most
			for j := i - 1; known < 0 && j >= 0; j-- {
				out[j] = most
			}
			known = i
		case known >= 0:
			out[i] = out[known]
		}
	}
	return out
}

// ahead is how far the clock of a device is ahead of the host's at a time of its own.
func (c *clocks) ahead(device uint32, t int64) int64 {
	list := c.offsets[device]
	switch len(list) {
	case 0:
		return 0
	case 1:
		return list[0]
	}
	place := float64(t-list[0]-c.first)/float64(c.span)*driftPieces - 0.5
	i := int(min(max(0, place), driftPieces-2))
	part := min(max(0, place-float64(i)), 1)
	return list[i] + int64(float64(float64(list[i+1]-list[i])*part))
}

// times are the first and the last of some times, apart from 0.
type times struct {
	first, last int64
	any         bool
	zero        bool // 0 is one, too
}

func (s *times) take(t int64) {
	if !s.any {
		s.first, s.last, s.any = t, t, true
	}
	s.first, s.last = min(s.first, t), max(s.last, t)
}

// zeroIsLost reports whether a time of 0 belongs to a lost record: all others are far from it.
func (s *times) zeroIsLost() bool { return s.any && s.first > lostNs }

// lostNs is how far all other times are from a time of 0 that is none, ns.
const lostNs = 1e9

// withZero takes the time 0, if it is a record's.
func (s *times) withZero() {
	if s.zero && !s.zeroIsLost() {
		s.take(0)
	}
}
