package children

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"gpureplay/samples"
	"gpureplay/samples/graph"
	"gpureplay/trace"
)

var recommendRules = rules{dragonli: shape{32, 32}, klap: shape{1, 32}, arguments: 6}

func init() { samples.Register(preGenerator) }

func preGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-pre",
		Machine: "k20c",
		Title:   "product recommendation by the similarity of items, a child for an item with many ratings",
		Source:  "DTBL table 4 (PRE, MovieLens); item-based collaborative filtering, launch rule of dragon_li's SSSP",
		Params: append([]samples.Param{
			samples.Text("ratings", "", "file of ratings, a line \"user item rating\" (1 to 5); empty: generate some"),
			samples.Int("users", 500, 1, 1<<20, "users of generated ratings"),
			samples.Int("items", 400, 2, 8192, "items of generated ratings"),
			samples.Int("mean", 20, 1, 1000, "mean ratings of a user"),
			samples.Seed(),
		}, recommendRules.params()...),
		Generate: func(w samples.Writer, p samples.Params) error {
			r, err := recommendRules.parse(p)
			if err != nil {
				return err
			}
			ratings := generateRatings(p.Int("users"), p.Int("items"), p.Int("mean"), p.Seed())
			if path := p.Text("ratings"); path != "" {
				if ratings, err = openRatings(path); err != nil {
					return err
				}
			}
			_, err = runRecommend(w, ratings, r)
			return err
		},
	}
}

// ratings holds each user's ratings, by user and by item.
type ratings struct {
	users, items int
	byUser       *graph.Graph
	byItem       *graph.Graph
}

// newRatings takes triples of user, item and rating.
func newRatings(users, items int, triples [][3]int) *ratings {
	return &ratings{users: users, items: items, byUser: index(users, triples, 0, 1), byItem: index(items, triples, 1, 0)}
}

// index puts triples into rows by one of their numbers.
func index(rows int, triples [][3]int, by, other int) *graph.Graph {
	g := &graph.Graph{Row: make([]uint32, rows+1)}
	sorted := slices.Clone(triples)
	slices.SortStableFunc(sorted, func(a, b [3]int) int { return a[by] - b[by] })
	for _, t := range sorted {
		g.Row[t[by]+1]++
		g.Col = append(g.Col, uint32(t[other]))
		g.Weight = append(g.Weight, float64(t[2]))
	}
	for i := range rows {
		g.Row[i+1] += g.Row[i]
	}
	return g
}

// openRatings reads ratings; users and items are renumbered densely.
func openRatings(path string) (*ratings, error) {
	g, err := graph.Open(path, graph.Options{})
	if err != nil {
		return nil, err
	}
	if g.Weight == nil {
		return nil, fmt.Errorf("%s: want lines of user, item and rating", path)
	}
	ids := map[uint32]int{}
	var triples [][3]int
	users := 0
	for v := range g.Vertices() {
		for i := g.Row[v]; i < g.Row[v+1]; i++ {
			item, ok := ids[g.Col[i]]
			if !ok {
				item = len(ids)
				ids[g.Col[i]] = item
			}
			rating := g.Weight[i]
			if rating < 0 || rating > 100 {
				return nil, fmt.Errorf("%s: a rating of %v; want 0 to 100", path, rating)
			}
			triples = append(triples, [3]int{users, item, int(math.Round(rating))})
		}
		if g.Degree(v) > 0 {
			users++
		}
	}
	return newRatings(users, len(ids), triples), nil
}

// generateRatings draws ratings from 1 to 5. Users rate from 1 to twice the mean of items. The probability of an
// item of rank k falls like 1/k. So few items have most ratings, as in MovieLens.
func generateRatings(users, count, mean int, seed uint64) *ratings {
	r := rand.New(rand.NewPCG(seed, 1992))
	weights := make([]float64, count)
	sum := 0.0
	for i := range weights {
		sum += 1 / float64(i+1)
		weights[i] = sum
	}
	var triples [][3]int
	for u := range users {
		seen := map[int]bool{}
		for range 1 + r.IntN(2*mean) {
			item, _ := slices.BinarySearch(weights, r.Float64()*sum)
			if item = min(item, count-1); !seen[item] {
				seen[item] = true
				triples = append(triples, [3]int{u, item, 1 + r.IntN(5)})
			}
		}
	}
	return newRatings(users, count, triples)
}

// recommend finds for every item the one that is most similar, by the cosine of their ratings. The parent takes an
// item, its child a thread for each of the item's ratings. The thread adds the products with all ratings of the
// same user to the item's row of sums. A second kernel finds each row's best.
//
//  1. The paper's program is not public; the rows of item-based filtering, of a length that varies by item, are the
//     nested work that its text describes.
type recommend struct {
	r                      *ratings
	items                  deviceGraph
	users                  deviceGraph
	itemRating, userRating samples.Array
	sumAt, bestAt          samples.Array
	sum                    []int32
	best                   []int32
	parent                 rowsParent
	child                  similarChild
	top                    topCode
}

func runRecommend(w samples.Writer, r *ratings, rl rule) (*recommend, error) {
	if err := fits("pairs of items", r.items*r.items); err != nil {
		return nil, err
	}
	p := samples.NewProgram(w)
	m := &recommend{r: r, sum: make([]int32, r.items*r.items), best: make([]int32, r.items)}
	m.items = deviceGraph{r.byItem, p.Array("itemRow", r.items+1, 4, trace.ArrayInput),
		p.Array("itemUser", max(r.byItem.Arcs(), 1), 4, trace.ArrayInput)}
	m.itemRating = p.Array("itemRating", max(r.byItem.Arcs(), 1), 4, trace.ArrayInput)
	m.users = deviceGraph{r.byUser, p.Array("userRow", r.users+1, 4, trace.ArrayInput),
		p.Array("userItem", max(r.byUser.Arcs(), 1), 4, trace.ArrayInput)}
	m.userRating = p.Array("userRating", max(r.byUser.Arcs(), 1), 4, trace.ArrayInput)
	m.sumAt = p.Array("sum", len(m.sum), 4, 0)
	m.bestAt = p.Array("best", r.items, 4, trace.ArrayOutput)
	m.child = newSimilarChild(p)
	m.parent = newRowsParent(p, "similar", rl, m.child.childCode, 26)
	m.top = newTop(p)

	in := []samples.Array{m.items.row, m.items.col, m.itemRating, m.users.row, m.users.col, m.userRating}
	p.FileRead(in...)
	for _, a := range in {
		p.Put(a)
	}
	p.Memset(m.sumAt)
	shape := grid{int(ceil(r.items, 128)), 128}
	p.Launch(shape.kernel(m.parent.Code, 24), m.parentCTA)
	p.Launch(shape.kernel(m.top.Code, 24), m.topCTA)
	p.Get(m.bestAt)
	p.FileWrite(m.bestAt)
	return m, p.Err()
}

func (m *recommend) parentCTA(b *samples.Block) {
	c := &m.parent
	c.runThen(b, m.r.items, func(w *samples.Warp, base int) {
		degrees := c.rows.load(w, &m.items, func(lane int) int { return base + lane })
		c.nest.ask(w, &degrees, func(lane, first, count int) func(*samples.Block) {
			item := base + lane
			from := int(m.r.byItem.Row[item]) + first
			return func(b *samples.Block) { m.childCTA(b, item, from, count) }
		})
	}, c.nest.wait)
}

// similarChild takes one rating a thread: an addition, two addresses, the loads of user and rating, the user's row
// (five). Per rating of the user a comparison and a branch, two addresses, the loads of item and rating, a product,
// an address, an atomic addition, the step. In the flat form the row of sums is the thread's own: a load, an
// addition and a store.
type similarChild struct {
	*childCode
	address         []samples.Op
	user, rating    samples.Op
	rows            rowsCode
	test, addresses []samples.Op
	rated, score    samples.Op
	multiply        []samples.Op
	add             samples.Op
	step            samples.Op
}

func newSimilarChild(p *samples.Program) similarChild {
	c := similarChild{childCode: newChild(p, "similar_child")}
	at, a, b, user, mine := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	i, item, other, to, more := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Pred()
	c.address = []samples.Op{c.Op("IADD3", at, c.item), c.Op("IMAD.WIDE", a, at), c.Op("IMAD.WIDE", b, at)}
	c.user, c.rating = c.Load("LDG.E", 4, user, a), c.Load("LDG.E", 4, mine, b)
	c.rows = newRows(c.Code, user)
	c.test = []samples.Op{c.Op("ISETP.LT", more, i, c.rows.degree), c.Op("BRA", samples.NoReg, more)}
	c.addresses = []samples.Op{c.Op("IMAD.WIDE", a, i), c.Op("IMAD.WIDE", b, i)}
	c.rated, c.score = c.Load("LDG.E", 4, item, a), c.Load("LDG.E", 4, other, b)
	c.multiply = []samples.Op{c.Op("IMAD", other, other, mine), c.Op("IMAD.WIDE", to, item)}
	c.add = c.Atomic("RED.E.ADD", 4, samples.NoReg, to, other)
	c.step = c.Op("IADD3", i, i)
	c.end()
	sum := c.Reg()
	c.Flat(c.add, c.Load("LDG.E", 4, sum, to), c.Op("IADD3", sum, sum, other), c.Store("STG.E", 4, to, sum))
	return c
}

func (m *recommend) childCTA(b *samples.Block, item, from, count int) {
	c := &m.child
	users, items := m.r.byUser, m.r.byItem
	c.run(b, count, func(w *samples.Warp, base int) {
		user := func(lane int) int { return int(items.Col[from+base+lane]) }
		w.Do(c.address...)
		w.Affine(c.user, m.items.col.At(from+base), 4)
		w.Affine(c.rating, m.itemRating.At(from+base), 4)
		degrees := c.rows.load(w, &m.users, user)
		in := w.Mask()
		for i := 0; in != 0; i++ {
			w.Under(in, func() { w.Do(c.test...) })
			in = within(w, in, func(lane int) bool { return i < degrees[lane] })
			w.Under(in, func() {
				at := func(lane int) int { return int(users.Row[user(lane)]) + i }
				cell := func(lane int) int { return item*m.r.items + int(users.Col[at(lane)]) }
				w.Do(c.addresses...)
				w.Mem(c.rated, func(lane int) uint64 { return m.users.col.At(at(lane)) })
				w.Mem(c.score, func(lane int) uint64 { return m.userRating.At(at(lane)) })
				w.Do(c.multiply...)
				w.Mem(c.add, func(lane int) uint64 { return m.sumAt.At(cell(lane)) })
				w.Do(c.step)
				w.Lanes(func(lane int) {
					m.sum[cell(lane)] += int32(items.Weight[from+base+lane] * users.Weight[at(lane)])
				})
			})
		}
	})
}

// topCode finds a row's best. Per item: two operations for its norm. Per other item a comparison and a branch, an
// address, the load of the sum and of the other's norm (a second address). Then a reciprocal root, two products, a
// comparison, two selections, the step. The address and store of the best.
type topCode struct {
	*loopCode
	begin, test, address []samples.Op
	sum, norm            samples.Op
	compare              []samples.Op
	out                  []samples.Op
	store                samples.Op
}

func newTop(p *samples.Program) topCode {
	c := topCode{loopCode: newLoop(p, "top")}
	j, a, b, sum, norm, cosine, best, at := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg()
	more, better := c.Pred(), c.Pred()
	c.begin = []samples.Op{c.Op("MOV", j), c.Op("MOV", best)}
	c.test = []samples.Op{c.Op("ISETP.LT", more, j), c.Op("BRA", samples.NoReg, more)}
	c.address = []samples.Op{c.Op("IMAD.WIDE", a, j, c.item), c.Op("IMAD.WIDE", b, j)}
	c.sum, c.norm = c.Load("LDG.E", 4, sum, a), c.Load("LDG.E", 4, norm, b)
	c.compare = []samples.Op{
		c.Op("I2F", sum, sum), c.Op("I2F", norm, norm), c.Op("MUFU.RSQ", norm, norm), c.Op("FMUL", cosine, sum, norm),
		c.Op("FSETP.GT", better, cosine), c.Op("FSEL", cosine, cosine, better), c.Op("SEL", best, j, better),
		c.Op("IADD3", j, j),
	}
	c.out = []samples.Op{c.Op("IMAD.WIDE", at, c.item)}
	c.store = c.Store("STG.E", 4, at, best)
	c.end()
	return c
}

// cosine is the similarity of two items, up to the first one's norm.
func (m *recommend) cosine(i, j int) float64 {
	norm := m.sum[j*m.r.items+j]
	if norm == 0 {
		return 0
	}
	return float64(m.sum[i*m.r.items+j]) / math.Sqrt(float64(norm))
}

func (m *recommend) topCTA(b *samples.Block) {
	c := &m.top
	n := m.r.items
	c.run(b, n, func(w *samples.Warp, base int) {
		var highest [samples.WarpSize]float64
		w.Do(c.begin...)
		w.Lanes(func(lane int) { m.best[base+lane] = -1 })
		for j := range n {
			w.Do(c.test...)
			w.Do(c.address...)
			w.Affine(c.sum, m.sumAt.At(base*n+j), int32(4*n))
			w.Same(c.norm, m.sumAt.At(j*n+j))
			w.Do(c.compare...)
			w.Lanes(func(lane int) {
				if v := m.cosine(base+lane, j); j != base+lane && v > highest[lane] {
					highest[lane], m.best[base+lane] = v, int32(j)
				}
			})
		}
		w.Do(c.test...)
		w.Do(c.out...)
		w.Affine(c.store, m.bestAt.At(base), 4)
	})
}
