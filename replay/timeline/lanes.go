package timeline

import "slices"

// maxLanes bounds the slices of one name that are shown at one time, maxWaits the
// kernels that are shown waiting.
const (
	maxLanes = 512
	maxWaits = 16
)

// lanes are tracks of one name for slices that may overlap. The fewest are
// taken if slices come in the order of their end.
type lanes struct {
	p      *packets
	parent uint64
	name   string
	rank   int
	tracks []uint64
	ends   []int64 // of the last slice of each
}

// pick returns the track for a slice from from to to: the one whose last slice
// ended latest among those that are free, or a new one. It is false if all
// are taken.
func (l *lanes) pick(from, to int64) (track uint64, ok bool) {
	best := -1
	for i, end := range l.ends {
		if end <= from && (best < 0 || end > l.ends[best]) {
			best = i
		}
	}
	if best < 0 {
		if best = len(l.tracks); best == maxLanes {
			return 0, false
		}
		l.tracks = append(l.tracks, l.p.track(l.parent, l.name, l.rank, nil))
		l.ends = append(l.ends, 0)
	}
	l.ends[best] = to
	return l.tracks[best], true
}

// group holds the lanes of one heading, by number.
type group struct {
	p      *packets
	parent uint64
	head   string // of the group; its track is made with the first slice
	rank   int
	track  uint64
	lanes  map[int64]*lanes
}

func (g *group) lane(number int64, name string) *lanes {
	l := g.lanes[number]
	if l == nil {
		l = &lanes{p: g.p, parent: g.heading(), name: name, rank: int(number)}
		g.lanes[number] = l
	}
	return l
}

func (g *group) heading() uint64 {
	if g.track == 0 {
		g.track = g.p.track(g.parent, g.head, g.rank, nil)
		g.lanes = map[int64]*lanes{}
	}
	return g.track
}

// full reports whether a slice that begins at a cycle would need too many lanes.
func (l *lanes) full(most int, from int64) bool {
	return len(l.tracks) >= most && !slices.ContainsFunc(l.ends, func(end int64) bool { return end <= from })
}
