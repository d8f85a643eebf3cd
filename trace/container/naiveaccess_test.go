package container

import "math/bits"

// access returns the addresses of an access of a warp with a mask.
func (b *naiveBlock) access(s *naiveSite, mask uint32) []uint64 {
	form := b.s.column(15).octet()
	if form == 1 || mask == 0 && !s.bulk {
		return nil
	}
	n := uint64(bits.OnesCount32(mask))
	if s.bulk {
		n = b.s.column(18).plain()
	}
	shape := form & 7
	if shape == 3 || shape == 4 {
		return b.follow(s, form, mask)
	}
	expected := b.expect(s)
	if shape <= 2 && form&16 != 0 {
		s.stride = b.s.column(17).delta()
	}
	if form&32 != 0 {
		expected += uint64(b.s.column(16).delta())
	}
	b.learn(s, expected)
	list := make([]uint64, n)
	at := 0
	for i := range list {
		lane := 0
		if !s.bulk {
			for mask>>at&1 == 0 {
				at++
			}
			lane = at
			at++
		}
		switch {
		case shape == 0:
			list[i] = expected + uint64(int64(lane)*s.stride)
		case shape == 2:
			list[i] = expected + uint64(int64(i)*s.stride)
		case i == 0:
			list[i] = expected
		case shape == 6:
			list[i] = list[i-1] + uint64(b.s.column(19).delta())<<s.zeros
		default:
			list[i] = list[i-1] + uint64(b.s.column(19).delta())
		}
		if !s.bulk && (shape >= 5 || n <= 2) {
			s.lanes[lane] = list[i]
		}
	}
	return list
}

// expect returns the base that is expected of a site.
func (b *naiveBlock) expect(s *naiveSite) uint64 {
	p := &s.cta
	switch {
	case s.usedWarp == b.warp:
		p = &s.loop
	case s.usedIn == b.cta:
		p = &s.warp
	}
	return p.last + p.stride
}

func (b *naiveBlock) learn(s *naiveSite, base uint64) {
	switch {
	case s.usedWarp == b.warp:
		s.loop.learn(base)
	case s.usedIn == b.cta:
		s.warp.learn(base)
		s.loop.last = base
	default:
		s.cta.learn(base)
		s.warp.last, s.loop.last = base, base
	}
	s.usedWarp, s.usedIn = b.warp, b.cta
}

// follow makes addresses from those that the lanes had last.
func (b *naiveBlock) follow(s *naiveSite, form byte, mask uint32) (list []uint64) {
	from, k := s, 0
	if form&7 == 4 {
		if form&16 != 0 {
			s.other = b.s.column(17).plain()
		}
		from, k = b.sites[s.other], 1
	}
	if form&32 != 0 {
		s.constants[k] += uint64(b.s.column(16).delta())
	}
	lasts := from.lanes
	for lane, last := range lasts {
		if mask>>lane&1 == 0 {
			continue
		}
		if s.zeros >= from.zeros {
			last <<= s.zeros - from.zeros
		} else {
			last >>= from.zeros - s.zeros
		}
		s.lanes[lane] = last + s.constants[k]
		list = append(list, s.lanes[lane])
	}
	return list
}
