package timeline

import (
	"fmt"
	"math"
	"slices"
)

// maxCTAs is how many CTAs are shown as slices. Of more a viewer would show hundreds of
// lanes: they are counted instead, a counter for each SM.
const maxCTAs = 2000

// ctaRow is one that is shown.
type ctaRow struct {
	kernel, cta, sm, from, to, insts, active, child int64
	kind                                            string
}

// ctas shows the CTAs of SMs, or how many there are.
func (v *view) ctas() (func(row), func()) {
	var few []ctaRow
	loads := load{width: 1, sms: map[int64][]float64{}}
	n, first := 0, int64(math.MaxInt64)
	each := func(r row) {
		from, to := r.int(3), r.int(4)
		if !v.shown(from, to) {
			return
		}
		n, first = n+1, min(first, from)
		loads.add(r.int(2), max(from, v.from), min(to, v.to))
		if n <= min(maxCTAs, v.most) {
			few = append(few, ctaRow{r.int(0), r.int(1), r.int(2), from, to, r.int(6), r.int(7), r.int(8), r.text(5)})
		}
	}
	return each, func() {
		if n > len(few) {
			*v.left = Left{Replay: v.left.Replay, Of: "CTAs", Count: n, From: first, Instead: "a counter for each SM"}
			v.loads(&loads)
			return
		}
		sms := v.group("SMs", 4)
		for _, c := range few {
			notes := []note{{name: "kernel", n: c.kernel}, {name: "cta", n: c.cta}, {name: "kind", text: c.kind},
				{name: "warp_instructions", n: c.insts}, {name: "active_cycles", n: c.active}}
			if c.child >= 0 && v.joined[c.child] {
				delete(v.joined, c.child)
				notes = append(notes, v.arrow(c.child))
			}
			v.slice(sms.lane(c.sm, fmt.Sprintf("SM %d", c.sm)), c.from, c.to, v.name(c.kernel), notes...)
		}
	}
}

// maxBins is how many values a counter of an SM has at most.
const maxBins = 512

// load is how many CTAs there are on each SM: CTA cycles in bins of equal width, which
// doubles when the bins do not reach.
type load struct {
	width int64
	sms   map[int64][]float64
}

func (l *load) add(sm, from, to int64) {
	for to > l.width*maxBins {
		l.width *= 2
		for _, bins := range l.sms {
			for i := range maxBins / 2 {
				bins[i] = bins[2*i] + bins[2*i+1]
			}
			clear(bins[maxBins/2:])
		}
	}
	bins := l.sms[sm]
	if bins == nil {
		bins = make([]float64, maxBins)
		l.sms[sm] = bins
	}
	for at := from; at < to; {
		i := at / l.width
		next := min(to, (i+1)*l.width)
		bins[i] += float64(next - at)
		at = next
	}
}

// loads writes a counter for each SM: the mean over each bin, where it changes.
func (v *view) loads(l *load) {
	heads := v.group("SMs", 4)
	sms := make([]int64, 0, len(l.sms))
	for sm := range l.sms {
		sms = append(sms, sm)
	}
	slices.Sort(sms)
	for _, sm := range sms {
		track := v.p.counter(heads.heading(), fmt.Sprintf("SM %d: resident CTAs", sm), "", int(sm))
		last := 0.0
		for i, cycles := range l.sms[sm] {
			if level := math.Round(100*cycles/float64(l.width)) / 100; level != last || i == 0 {
				v.p.level(track, v.ticks.Ns(int64(i)*l.width), level)
				last = level
			}
		}
		if last != 0 {
			v.p.level(track, v.ticks.Ns(maxBins*l.width), 0)
		}
	}
}
