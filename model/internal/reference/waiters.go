package reference

import (
	"slices"

	"gpureplay/model"
)

// nFetch is a block that an L1 fetches, with an unknown fill time.
type nFetch struct {
	waiting []*nHeld
	mshr    *nMSHR

	// Of a slice, or its writes:
	slice   int
	block   []uint64
	line    *nLine     // that it fills; nil: none
	counts  bool       // it has an MSHR
	answers []*nPacket // that wait for it
}

// unknown is the fetch that some of the sectors wait for.
func (l *nLine) unknown(sectors []uint64) *nFetch {
	for _, s := range sectors {
		if f := l.at(s).fetch; f != nil {
			return f
		}
	}
	return nil
}

// nMSHRs are the fill times of misses.
type nMSHRs struct {
	fills  []model.Time
	latest model.Time // of the requests
}

// admit returns when a request at t has an MSHR, of a number of them (0: any).
func (p *nMSHRs) admit(t model.Time, limit int) model.Time {
	p.latest = max(p.latest, t)
	p.fills = slices.DeleteFunc(p.fills, func(f model.Time) bool { return f <= p.latest })
	if limit == 0 || len(p.fills) < limit {
		return t
	}
	first := slices.Index(p.fills, slices.Min(p.fills))
	t = p.fills[first]
	p.fills = slices.Delete(p.fills, first, first+1)
	return t
}
