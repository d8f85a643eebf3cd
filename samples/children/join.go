package children

import (
	"math/rand/v2"
	"slices"

	"gpureplay/samples"
	"gpureplay/trace"
)

var joinRules = rules{dragonli: shape{128, 128}, klap: shape{1, 32}, arguments: 6}

func init() { samples.Register(joinGenerator) }

func joinGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-join",
		Machine: "k20c",
		Title:   "inner join of two sorted relations, a child for a tuple with many matches",
		Source:  "DTBL table 4 and SPAWN table I (JOIN); dragon_li's JOIN (240 x 128)",
		Params: append([]samples.Param{
			samples.Int("left", 4096, 1, 1<<24, "tuples of the left relation"),
			samples.Int("right", 4096, 1, 1<<24, "tuples of the right relation"),
			samples.Int("keys", 20, 1, 1<<24, "keys lie from 0 to one below; right/keys is the mean number of matches, 200 "+
				"in the suite's run"),
			samples.Choice("distribution", "of the keys", "uniform", "gaussian"),
			samples.Choice("left-order", "of the left relation: by key, or as drawn, so that lanes side by side have "+
				"other keys", "key", "drawn"),
			samples.Seed(),
		}, joinRules.params()...),
		Generate: func(w samples.Writer, p samples.Params) error {
			r, err := joinRules.parse(p)
			if err != nil {
				return err
			}
			gauss := p.Text("distribution") == "gaussian"
			left := joinKeys(p.Int("left"), p.Int("keys"), gauss, p.Seed(), 1)
			right := joinKeys(p.Int("right"), p.Int("keys"), gauss, p.Seed(), 2)
			if p.Text("left-order") == "key" {
				slices.Sort(left)
			}
			slices.Sort(right)
			return runJoin(w, left, right, r, func(int, [2]int32) {})
		},
	}
}

// joinKeys draws keys: uniform, or normal with the mean in the middle and
// an eighth of the range as deviation.
func joinKeys(n, keys int, gauss bool, seed, stream uint64) []int32 {
	r := rand.New(rand.NewPCG(seed, stream))
	out := make([]int32, n)
	for i := range out {
		k := r.IntN(keys)
		if gauss {
			k = int(float64(keys)/2 + r.NormFloat64()*float64(keys)/8)
		}
		out[i] = int32(min(max(k, 0), keys-1))
	}
	return out
}

// join finds each left tuple's range of matches by two binary searches, gives it room in the output, and writes the
// pairs.
//
//  1. dragon_li finds the places of the output by a histogram and a scan over both relations. Here the first kernel
//     scans over the warp and adds each warp's total to the size of the output, so places follow the warps' order.
//  2. The output is pairs of row numbers.
type join struct {
	left, right               []int32
	leftAt, rightAt           samples.Array
	lowerAt, countAt, placeAt samples.Array
	outLeft, outRight, total  samples.Array
	lower, count, place       []int
	write                     func(at int, pair [2]int32) // takes the output
	bounds                    boundsCode
	main                      joinParent
	child                     joinChild
}

// runJoin hands each pair to write, with its place in the output; the output itself
// may be larger than memory.
func runJoin(w samples.Writer, left, right []int32, r rule, write func(at int, pair [2]int32)) error {
	p := samples.NewProgram(w)
	j := &join{left: left, right: right, write: write}
	n := len(left)
	pairs := 0
	for _, k := range left {
		lo, hi := matches(right, k)
		pairs += hi - lo
	}
	if err := fits("pairs", pairs); err != nil {
		return err
	}
	j.leftAt = p.Array("left", n, 4, trace.ArrayInput)
	j.rightAt = p.Array("right", len(right), 4, trace.ArrayInput)
	j.lowerAt, j.countAt, j.placeAt = p.Array("lower", n, 4, 0), p.Array("count", n, 4, 0), p.Array("place", n, 4, 0)
	j.outLeft = p.Array("outLeft", max(pairs, 1), 4, trace.ArrayOutput)
	j.outRight = p.Array("outRight", max(pairs, 1), 4, trace.ArrayOutput)
	j.total = p.Array("total", 1, 4, trace.ArrayOutput)
	j.lower, j.count, j.place = make([]int, n), make([]int, n), make([]int, n)
	j.bounds = newBounds(p)
	j.child = newJoinChild(p)
	j.main = newJoinParent(p, r, j.child.childCode)

	p.FileRead(j.leftAt, j.rightAt)
	p.Put(j.leftAt)
	p.Put(j.rightAt)
	p.Memset(j.total)
	shape := grid{240, 128}
	size := 0
	p.Launch(shape.kernel(j.bounds.Code, 22), func(b *samples.Block) { j.boundsCTA(b, &size) })
	p.Get(j.total)
	p.Launch(shape.kernel(j.main.Code, 26), j.mainCTA)
	p.Get(j.outLeft)
	p.Get(j.outRight)
	p.FileWrite(j.outLeft, j.outRight)
	return p.Err()
}

// matches returns the range of a key in a sorted relation.
func matches(keys []int32, k int32) (lo, hi int) {
	lo, _ = slices.BinarySearch(keys, k)
	hi, _ = slices.BinarySearch(keys, k+1)
	return lo, hi
}

// searchCode is a binary search. Per step: a comparison and a branch, two
// operations for the middle, the address and load of its key, a comparison, two
// selections.
type searchCode struct {
	test, middle []samples.Op
	load         samples.Op
	narrow       []samples.Op
}

func newSearch(c *samples.Code, key trace.Reg) searchCode {
	lo, hi, mid, at, v, more, less := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Pred(), c.Pred()
	s := searchCode{test: []samples.Op{c.Op("ISETP.LT", more, lo, hi), c.Op("BRA", samples.NoReg, more)}}
	s.middle = []samples.Op{c.Op("IADD3", mid, lo, hi), c.Op("SHF.R", mid, mid), c.Op("IMAD.WIDE", at, mid)}
	s.load = c.Load("LDG.E", 4, v, at)
	s.narrow = []samples.Op{c.Op("ISETP.LT", less, v, key), c.Op("SEL", lo, lo, mid, less), c.Op("SEL", hi, hi, mid, less)}
	return s
}

// run searches for each active lane's first key that is not below want(lane).
func (s *searchCode) run(w *samples.Warp, keys []int32, at samples.Array, want func(lane int) int32) (lo items) {
	var hi items
	w.Lanes(func(lane int) { hi[lane] = len(keys) })
	for in := w.Mask(); in != 0; {
		w.Under(in, func() { w.Do(s.test...) })
		in = w.Where(func(lane int) bool { return lo[lane] < hi[lane] })
		w.Under(in, func() {
			w.Do(s.middle...)
			mid := func(lane int) int { return (lo[lane] + hi[lane]) / 2 }
			w.Mem(s.load, func(lane int) uint64 { return at.At(mid(lane)) })
			w.Do(s.narrow...)
			w.Lanes(func(lane int) {
				if m := mid(lane); keys[m] < want(lane) {
					lo[lane] = m + 1
				} else {
					hi[lane] = m
				}
			})
		})
	}
	return lo
}

// boundsCode is the first kernel. Per left tuple: the address and load of its key, two searches, a subtraction. The
// warp's scan (five shuffles, five additions), the atomic addition of its total by one lane, a shuffle and an
// addition. Three addresses and stores.
type boundsCode struct {
	*loopCode
	address             []samples.Op
	key                 samples.Op
	lower, upper        searchCode
	scan                []samples.Op
	claim               samples.Op
	place               []samples.Op
	first, count, where samples.Op
}

func newBounds(p *samples.Program) boundsCode {
	c := boundsCode{loopCode: newLoop(p, "bounds")}
	at, k, f, sum, part, place := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IMAD.WIDE", at, c.item)}
	c.key = c.Load("LDG.E", 4, k, at)
	c.lower, c.upper = newSearch(c.Code, k), newSearch(c.Code, k)
	c.scan = []samples.Op{c.Op("IADD3", f, k)}
	for range 5 {
		c.scan = append(c.scan, c.Op("SHFL.UP", part, sum, f), c.Op("IADD3", sum, sum, part))
	}
	c.claim = c.Atomic("ATOMG.E.ADD", 4, place, sum)
	c.place = []samples.Op{
		c.Op("SHFL.IDX", place, place), c.Op("IADD3", place, place, sum),
		c.Op("IMAD.WIDE", at, c.item), c.Op("IMAD.WIDE", part, c.item), c.Op("IMAD.WIDE", sum, c.item),
	}
	c.first, c.count, c.where = c.Store("STG.E", 4, at, k), c.Store("STG.E", 4, part, f), c.Store("STG.E", 4, sum, place)
	c.end()
	return c
}

func (j *join) boundsCTA(b *samples.Block, size *int) {
	c := &j.bounds
	c.run(b, len(j.left), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.key, j.leftAt.At(base), 4)
		lower := c.lower.run(w, j.right, j.rightAt, func(lane int) int32 { return j.left[base+lane] })
		upper := c.upper.run(w, j.right, j.rightAt, func(lane int) int32 { return j.left[base+lane] + 1 })
		w.Do(c.scan...)
		w.Under(w.Mask()&^(w.Mask()>>1), func() { w.Same(c.claim, j.total.At(0)) })
		w.Do(c.place...)
		w.Affine(c.first, j.lowerAt.At(base), 4)
		w.Affine(c.count, j.countAt.At(base), 4)
		w.Affine(c.where, j.placeAt.At(base), 4)
		w.Lanes(func(lane int) {
			i := base + lane
			j.lower[i], j.count[i], j.place[i] = lower[lane], upper[lane]-lower[lane], *size
			*size += j.count[i]
		})
	})
}

// joinParent is the second kernel. Per left tuple: three addresses and loads, and
// the request.
type joinParent struct {
	*loopCode
	address             []samples.Op
	lower, count, place samples.Op
	nest                *nest
}

func newJoinParent(p *samples.Program, r rule, child *childCode) joinParent {
	c := joinParent{loopCode: newLoop(p, "join")}
	a, b, d, lower, count, place := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IMAD.WIDE", a, c.item), c.Op("IMAD.WIDE", b, c.item), c.Op("IMAD.WIDE", d, c.item)}
	c.lower, c.count, c.place = c.Load("LDG.E", 4, lower, a), c.Load("LDG.E", 4, count, b), c.Load("LDG.E", 4, place, d)
	c.nest = newNest(p, r, c.Code, count, child, 14)
	c.nest.synced(c.Code)
	c.end()
	return c
}

func (j *join) mainCTA(b *samples.Block) {
	c := &j.main
	c.runThen(b, len(j.left), func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.lower, j.lowerAt.At(base), 4)
		w.Affine(c.count, j.countAt.At(base), 4)
		w.Affine(c.place, j.placeAt.At(base), 4)
		var f items
		w.Lanes(func(lane int) { f[lane] = j.count[base+lane] })
		c.nest.ask(w, &f, func(lane, first, count int) func(*samples.Block) {
			row := int32(base + lane)
			right, at := j.lower[row]+first, j.place[row]+first
			return func(b *samples.Block) { j.childCTA(b, row, right, at, count) }
		})
	}, c.nest.wait)
}

// joinChild writes one pair a thread: two additions, two addresses, two stores.
type joinChild struct {
	*childCode
	address     []samples.Op
	left, right samples.Op
}

func newJoinChild(p *samples.Program) joinChild {
	c := joinChild{childCode: newChild(p, "join_child")}
	at, row, a, b := c.Reg(), c.Reg(), c.Reg(), c.Reg()
	c.address = []samples.Op{c.Op("IADD3", at, c.item), c.Op("IADD3", row, c.item), c.Op("IMAD.WIDE", a, at),
		c.Op("IMAD.WIDE", b, at)}
	c.left, c.right = c.Store("STG.E", 4, a), c.Store("STG.E", 4, b, row)
	c.end()
	return c
}

func (j *join) childCTA(b *samples.Block, row int32, right, at, count int) {
	c := &j.child
	c.run(b, count, func(w *samples.Warp, base int) {
		w.Do(c.address...)
		w.Affine(c.left, j.outLeft.At(at+base), 4)
		w.Affine(c.right, j.outRight.At(at+base), 4)
		w.Lanes(func(lane int) { j.write(at+base+lane, [2]int32{row, int32(right + base + lane)}) })
	})
}
