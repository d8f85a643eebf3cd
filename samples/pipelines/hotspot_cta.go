package pipelines

import "gpureplay/samples"

// hotspotCTA is one CTA with its three windows in shared memory.
type hotspotCTA struct {
	*hotspot
	b               *samples.Block
	power, src, dst vector
	x0, y0          int // cell of thread 0, 0
	temp, heat, new [hotspotSide * hotspotSide]float32
	inside          [hotspotSide * hotspotSide / samples.WarpSize]uint32
	computed        [hotspotSide * hotspotSide / samples.WarpSize]uint32
}

func (t *hotspotCTA) run() {
	each := t.b.EachWarp
	each(t.load)
	for step := range t.steps {
		each(func(w *samples.Warp) { t.compute(w, step) })
		each(func(w *samples.Warp) { t.shift(w, step) })
	}
	each(t.write)
}

// cell returns the cell of a thread, which may lie outside the grid.
func (t *hotspotCTA) cell(x, y int) int { return (t.y0+y)*t.n + t.x0 + x }

func (t *hotspotCTA) valid(x, y int) bool {
	return t.x0+x >= 0 && t.x0+x < t.n && t.y0+y >= 0 && t.y0+y < t.n
}

// shared returns the address of a cell in window 0 (temperature), 1 (power) or 2
// (new temperature) of the CTA's shared memory.
func (t *hotspotCTA) shared(window, x, y int) uint64 {
	return uint64(4 * ((window*hotspotSide+y)*hotspotSide + x))
}

// own records a step to the thread's own place in a window.
func (t *hotspotCTA) own(w *samples.Warp, op samples.Op, window int) {
	_, y, _ := w.Thread(0)
	w.Affine(op, t.shared(window, 0, y), 4)
}

// load fills the windows of temperature and power.
func (t *hotspotCTA) load(w *samples.Warp) {
	c := t.code
	w.Do(c.constants...)
	w.Do(c.index...)
	w.Do(c.inRange...)
	inside := w.Where(func(lane int) bool { x, y, _ := w.Thread(lane); return t.valid(x, y) })
	t.inside[w.ID] = inside
	w.Under(inside, func() {
		w.Do(c.address...)
		cell := func(lane int) int { x, y, _ := w.Thread(lane); return t.cell(x, y) }
		w.Mem(c.loadTemp, func(lane int) uint64 { return t.src.At(cell(lane)) })
		t.own(w, c.keepTemp, 0)
		w.Mem(c.loadPower, func(lane int) uint64 { return t.power.At(cell(lane)) })
		t.own(w, c.keepPower, 1)
		w.Lanes(func(lane int) {
			i := w.ID*samples.WarpSize + lane
			t.temp[i], t.heat[i] = t.src.v[cell(lane)], t.power.v[cell(lane)]
		})
	})
	w.Do(c.barrier)
	w.Do(c.valid...)
}

// compute makes one step of the cells that the halo still covers.
func (t *hotspotCTA) compute(w *samples.Warp, step int) {
	c := t.code
	within := func(v int) bool { return v >= step+1 && v <= hotspotSide-step-2 }
	t.computed[w.ID] = t.inside[w.ID] & w.Where(func(lane int) bool {
		x, y, _ := w.Thread(lane)
		return within(x) && within(y)
	})
	w.Do(c.check...)
	w.Under(t.computed[w.ID], func() {
		for i, op := range c.load {
			w.Mem(op, func(lane int) uint64 {
				x, y, _ := w.Thread(lane)
				if i == loadPower {
					return t.shared(1, x, y)
				}
				x, y = t.neighbour(i, x, y)
				return t.shared(0, x, y)
			})
		}
		w.Do(c.compute...)
		w.Lanes(func(lane int) { x, y, _ := w.Thread(lane); t.step(x, y) })
		t.own(w, c.keepNew, 2)
	})
	w.Do(c.barrier, c.last)
}

// neighbour returns a neighbour's place in the window, clamped to the grid.
func (t *hotspotCTA) neighbour(which, x, y int) (int, int) {
	nx, ny := x, y
	switch which {
	case loadSouth:
		ny++
	case loadNorth:
		ny--
	case loadEast:
		nx++
	case loadWest:
		nx--
	}
	if t.valid(nx, ny) {
		return nx, ny
	}
	return x, y
}

// step computes one cell, in the source's order and precision.
func (t *hotspotCTA) step(x, y int) {
	at := func(which int) float32 {
		x, y := t.neighbour(which, x, y)
		return t.temp[y*hotspotSide+x]
	}
	cell := at(loadCell)
	vertical := float64(at(loadSouth)+at(loadNorth)) - 2*float64(cell)
	horizontal := float64(at(loadEast)+at(loadWest)) - 2*float64(cell)
	sum := float64(t.heat[y*hotspotSide+x]) + vertical*float64(t.ryInv) + horizontal*float64(t.rxInv)
	sum += float64((hotspotAmbient - cell) * t.rzInv)
	t.new[y*hotspotSide+x] = float32(float64(cell) + float64(t.stepDivCap)*sum)
}

// shift makes the new temperatures the current ones, unless the step was the last.
func (t *hotspotCTA) shift(w *samples.Warp, step int) {
	c := t.code
	if step == t.steps-1 {
		return
	}
	w.Under(t.computed[w.ID], func() {
		t.own(w, c.loadNew, 2)
		t.own(w, c.shift, 0)
		w.Lanes(func(lane int) {
			i := w.ID*samples.WarpSize + lane
			t.temp[i] = t.new[i]
		})
	})
	w.Do(c.barrier, c.loop)
}

// write stores the cells that the last step computed.
func (t *hotspotCTA) write(w *samples.Warp) {
	c := t.code
	w.Under(t.computed[w.ID], func() {
		w.Do(c.outAddress)
		t.own(w, c.loadOut, 2)
		cell := func(lane int) int { x, y, _ := w.Thread(lane); return t.cell(x, y) }
		w.Mem(c.store, func(lane int) uint64 { return t.dst.At(cell(lane)) })
		w.Lanes(func(lane int) { t.dst.v[cell(lane)] = t.new[w.ID*samples.WarpSize+lane] })
	})
	w.Exit(c.exit)
}
