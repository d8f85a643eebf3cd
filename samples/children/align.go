package children

import (
	"bytes"

	"gpureplay/samples"
	"gpureplay/trace"
)

var alignRules = rules{dragonli: shape{32, 32}, klap: shape{1, 32}, arguments: 8}

func init() { samples.Register(saGenerator) }

func saGenerator() samples.Generator {
	return samples.Generator{
		Name:    "dp-sa",
		Machine: "k20m-spawn",
		Title:   "alignment of reads to a reference, a child for a read with many candidate places",
		Source:  "SPAWN table I and section III-A (SA): a parent thread a section of reads, a child thread a candidate",
		Params: append([]samples.Param{
			samples.Text("reference", "", "FASTA file of the reference (also .gz); empty: generate one"),
			samples.Text("reads", "", "FASTA or FASTQ file of reads (also .gz); empty: take some from the reference"),
			samples.Int("bases", 50000, 100, 1<<24, "bases of a generated reference"),
			samples.Int("count", 2000, 1, 1<<20, "reads: generated, or the first of the file"),
			samples.Int("length", 100, 20, 10000, "bases of a generated read"),
			samples.Int("mismatches", 3, 0, 7, "most mismatches of an alignment; a read has one seed more"),
			samples.Int("word", 8, 4, 12, "bases of a seed"),
			samples.Int("section", 4, 1, 1024, "reads of a parent thread"),
			samples.Seed(),
		}, alignRules.params()...),
		Generate: func(w samples.Writer, p samples.Params) error {
			r, err := alignRules.parse(p)
			if err != nil {
				return err
			}
			genome, reads, err := alignInput(p)
			if err != nil {
				return err
			}
			a := &align{genome: genome, reads: reads, mismatches: p.Int("mismatches"), section: p.Int("section")}
			return a.run(w, p.Int("word"), r)
		},
	}
}

// alignInput reads or generates the reference and the reads. The sequences of a
// reference file are joined with an N between them.
func alignInput(p samples.Params) (genome []byte, reads [][]byte, err error) {
	genome = generateGenome(p.Int("bases"), p.Seed())
	if path := p.Text("reference"); path != "" {
		sequences, err := openSequences(path)
		if err != nil {
			return nil, nil, err
		}
		genome = bytes.Join(sequences, []byte{'N'})
	}
	if path := p.Text("reads"); path != "" {
		reads, err = openReads(path)
	} else {
		reads, err = generateReads(genome, p.Int("count"), p.Int("length"), p.Seed())
	}
	if err != nil {
		return nil, nil, err
	}
	return genome, reads[:min(len(reads), p.Int("count"))], nil
}

// align finds for every read the place in the reference with the fewest mismatches, at most so many, on the forward
// strand. By the pigeonhole principle a read with m mismatches has one of m+1 seeds without any. The seeds' places
// in an index are the candidates. Each is compared base by base until there are too many mismatches.
//
//  1. The paper gives neither index nor scoring; this is seed and extend without gaps. The least number of
//     candidates of a child is 32.
//  2. A place that several seeds name is compared as often, as without a filter.
//  3. Reads shorter than all their seeds are not aligned.
type align struct {
	genome     []byte
	reads      [][]byte
	mismatches int
	section    int

	index                      *seedIndex
	offsets                    []int
	genomeAt, readAt, offsetAt samples.Array
	firstAt, placeAt, bestAt   samples.Array
	best                       []uint64 // mismatches<<32 | place; none: all ones
	parent                     alignParent
	child                      alignChild
}

func (a *align) run(w samples.Writer, word int, r rule) error {
	p := samples.NewProgram(w)
	a.index = newSeedIndex(a.genome, word)
	a.offsets = []int{0}
	for _, read := range a.reads {
		a.offsets = append(a.offsets, a.offsets[len(a.offsets)-1]+len(read))
		a.best = append(a.best, ^uint64(0))
	}
	if err := fits("bases of reads", a.offsets[len(a.reads)]); err != nil {
		return err
	}
	a.genomeAt = p.Array("reference", len(a.genome), 1, trace.ArrayInput)
	a.readAt = p.Array("reads", max(a.offsets[len(a.reads)], 1), 1, trace.ArrayInput)
	a.offsetAt = p.Array("offset", len(a.offsets), 4, trace.ArrayInput)
	a.firstAt = p.Array("seedFirst", len(a.index.first), 4, trace.ArrayInput)
	a.placeAt = p.Array("seedPlace", max(len(a.index.place), 1), 4, trace.ArrayInput)
	a.bestAt = p.Array("best", len(a.reads), 8, trace.ArrayOutput)
	a.child = newAlignChild(p)
	a.parent = newAlignParent(p, r, a.child.childCode)

	in := []samples.Array{a.genomeAt, a.readAt, a.offsetAt, a.firstAt, a.placeAt}
	p.FileRead(in...)
	for _, array := range in {
		p.Put(array)
	}
	p.Memset(a.bestAt)
	sections := int(ceil(len(a.reads), a.section))
	p.Launch(grid{int(ceil(sections, 128)), 128}.kernel(a.parent.Code, 36), func(b *samples.Block) {
		a.parentCTA(b, sections)
	})
	p.Get(a.bestAt)
	p.FileWrite(a.bestAt)
	return p.Err()
}

// candidate is a range of places of one seed.
type candidate struct {
	seed  int // offset in the read
	first int // in the index
	count int
}

// seeds returns where a read's seeds begin: spread evenly, without overlap.
func (a *align) seeds(read []byte) (at []int) {
	n := a.mismatches + 1
	if len(read) < n*a.index.k {
		return nil
	}
	for i := range n {
		at = append(at, i*(len(read)/n))
	}
	return at
}

// candidates returns the candidates of a read.
func (a *align) candidates(read []byte) (list []candidate) {
	for _, at := range a.seeds(read) {
		c := candidate{seed: at}
		if code := a.index.code(read[at:]); code >= 0 {
			c.first = int(a.index.first[code])
			c.count = int(a.index.first[code+1]) - c.first
		}
		list = append(list, c)
	}
	return list
}

// alignParent is the parent. Per read of its section: a comparison and a branch, an address, the loads of its
// offset and of the next, a comparison and a branch for its length. Per seed, the load of each base with two
// operations to add it to the word, an address, the loads of the word's first place and of the next's, two
// additions. The request; the step.
type alignParent struct {
	*loopCode
	test, address []samples.Op
	first, last   samples.Op
	length        []samples.Op
	base          samples.Op
	shift         []samples.Op
	word          []samples.Op
	from, to      samples.Op
	add           []samples.Op
	nest          *nest
	next          samples.Op
}

func newAlignParent(p *samples.Program, r rule, child *childCode) alignParent {
	c := alignParent{loopCode: newLoop(p, "align")}
	i, at, first, last, base, word, from, to, sum := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(),
		c.Reg(), c.Reg()
	more, none := c.Pred(), samples.NoReg
	c.test = []samples.Op{c.Op("ISETP.LT", more, i), c.Op("BRA", none, more)}
	c.address = []samples.Op{c.Op("IMAD.WIDE", at, i)}
	c.first, c.last = c.Load("LDG.E", 4, first, at), c.Load("LDG.E", 4, last, at)
	c.length = []samples.Op{c.Op("ISETP.GE", more, last, first), c.Op("BRA", none, more)}
	c.base = c.Load("LDG.E.U8", 1, base, first)
	c.shift = []samples.Op{c.Op("SHF.R", base, base), c.Op("LEA", word, word, base)}
	c.word = []samples.Op{c.Op("IMAD.WIDE", at, word)}
	c.from, c.to = c.Load("LDG.E", 4, from, at), c.Load("LDG.E", 4, to, at)
	c.add = []samples.Op{c.Op("IADD3", to, to, from), c.Op("IADD3", sum, sum, to)}
	c.nest = newNest(p, r, c.Code, sum, child, 32)
	c.next = c.Op("IADD3", i, i)
	c.nest.synced(c.Code)
	c.end()
	return c
}

func (a *align) parentCTA(b *samples.Block, sections int) {
	c := &a.parent
	c.runThen(b, sections, func(w *samples.Warp, base int) {
		in := w.Mask()
		for i := 0; i < a.section && in != 0; i++ {
			read := func(lane int) int { return (base+lane)*a.section + i }
			w.Under(in, func() { w.Do(c.test...) })
			in = within(w, in, func(lane int) bool { return read(lane) < len(a.reads) })
			w.Under(in, func() {
				w.Do(c.address...)
				w.Mem(c.first, func(lane int) uint64 { return a.offsetAt.At(read(lane)) })
				w.Mem(c.last, func(lane int) uint64 { return a.offsetAt.At(read(lane) + 1) })
				w.Do(c.length...)
				long := w.Where(func(lane int) bool { return len(a.seeds(a.reads[read(lane)])) > 0 })
				w.Under(long, func() { a.ask(w, read) })
				w.Do(c.next)
			})
		}
	}, c.nest.wait)
}

// ask looks up the seeds of each lane's read and requests its candidates.
func (a *align) ask(w *samples.Warp, read func(lane int) int) {
	c := &a.parent
	var list [samples.WarpSize][]candidate
	var work items
	w.Lanes(func(lane int) {
		list[lane] = a.candidates(a.reads[read(lane)])
		for _, s := range list[lane] {
			work[lane] += s.count
		}
	})
	for s := range a.mismatches + 1 {
		for k := range a.index.k {
			w.Mem(c.base, func(lane int) uint64 { return a.readAt.At(a.offsets[read(lane)] + list[lane][s].seed + k) })
			w.Do(c.shift...)
		}
		code := func(lane int) int { return max(a.index.code(a.reads[read(lane)][list[lane][s].seed:]), 0) }
		w.Do(c.word...)
		w.Mem(c.from, func(lane int) uint64 { return a.firstAt.At(code(lane)) })
		w.Mem(c.to, func(lane int) uint64 { return a.firstAt.At(code(lane) + 1) })
		w.Do(c.add...)
	}
	c.nest.ask(w, &work, func(lane, first, count int) func(*samples.Block) {
		i, of := read(lane), list[lane]
		return func(b *samples.Block) { a.childCTA(b, i, of, first, count) }
	})
}

// alignChild compares one candidate a thread. Per seed until its own: two operations and a branch. An address, the
// load of the place, a subtraction for the start, two comparisons and a branch for the ends. Per base a comparison
// and a branch, the loads of read and reference, a comparison and an addition for a mismatch, a comparison and a
// branch for too many, two steps. At the end two operations for the score and an atomic minimum of 64 bits, which
// the flat form keeps in a register.
type alignChild struct {
	*childCode
	seed, address []samples.Op
	place         samples.Op
	begin, test   []samples.Op
	base, other   samples.Op
	compare       []samples.Op
	score         []samples.Op
	min           samples.Op
}

func newAlignChild(p *samples.Program) alignChild {
	c := alignChild{childCode: newChild(p, "align_child")}
	s, at, place, i, base, other, wrong, best, more := c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(), c.Reg(),
		c.Reg(), c.Pred()
	none := samples.NoReg
	c.seed = []samples.Op{c.Op("ISETP.GE", more, c.item, s), c.Op("IADD3", s, s), c.Op("BRA", none, more)}
	c.address = []samples.Op{c.Op("IMAD.WIDE", at, c.item)}
	c.place = c.Load("LDG.E", 4, place, at)
	c.begin = []samples.Op{c.Op("IADD3", place, place), c.Op("ISETP.GE", more, place),
		c.Op("ISETP.LE.AND", more, place, more),
		c.Op("BRA", none, more)}
	c.test = []samples.Op{c.Op("ISETP.LT", more, i), c.Op("BRA", none, more)}
	c.base, c.other = c.Load("LDG.E.U8", 1, base, i), c.Load("LDG.E.U8", 1, other, place)
	c.compare = []samples.Op{
		c.Op("ISETP.NE", more, base, other), c.Op("IADD3", wrong, wrong, more), c.Op("ISETP.GT", more, wrong),
		c.Op("BRA", none, more),
		c.Op("IADD3", i, i), c.Op("IADD3", place, place),
	}
	c.score = []samples.Op{c.Op("SHF.L", best, wrong), c.Op("LOP3", best, best, place)}
	c.min = c.Atomic("RED.E.MIN.64", 8, none, best)
	c.end()
	c.inRegister(c.min, "IMNMX", "STG.E.64", 8, best)
	return c
}

// pick returns the candidate range of an item and the item's place in the index.
func pick(of []candidate, item int) (seed, at int) {
	for s, c := range of {
		if item < c.count {
			return s, c.first + item
		}
		item -= c.count
	}
	panic("children: an item beyond its candidates")
}

func (a *align) childCTA(b *samples.Block, read int, of []candidate, first, count int) {
	c := &a.child
	bases, origin := a.reads[read], a.offsets[read]
	c.run(b, count, func(w *samples.Warp, base int) {
		var seed, at, start, wrong items
		deepest := 0
		w.Lanes(func(lane int) {
			seed[lane], at[lane] = pick(of, first+base+lane)
			start[lane] = int(a.index.place[at[lane]]) - of[seed[lane]].seed
			deepest = max(deepest, seed[lane])
		})
		for s := range deepest + 1 {
			w.Under(w.Where(func(lane int) bool { return seed[lane] >= s }), func() { w.Do(c.seed...) })
		}
		w.Do(c.address...)
		w.Mem(c.place, func(lane int) uint64 { return a.placeAt.At(at[lane]) })
		w.Do(c.begin...)
		in := w.Where(func(lane int) bool { return start[lane] >= 0 && start[lane]+len(bases) <= len(a.genome) })
		whole := in
		for i := 0; in != 0; i++ {
			w.Under(in, func() { w.Do(c.test...) })
			if i == len(bases) {
				break
			}
			w.Under(in, func() {
				w.Same(c.base, a.readAt.At(origin+i))
				w.Mem(c.other, func(lane int) uint64 { return a.genomeAt.At(start[lane] + i) })
				w.Lanes(func(lane int) {
					if g := a.genome[start[lane]+i]; g != bases[i] || g == 'N' {
						wrong[lane]++
					}
				})
				w.Do(c.compare[:4]...)
			})
			in = within(w, in, func(lane int) bool { return wrong[lane] <= a.mismatches })
			w.Under(in, func() { w.Do(c.compare[4:]...) })
		}
		w.Under(whole&in, func() {
			w.Do(c.score...)
			w.Same(c.min, a.bestAt.At(read))
			w.Lanes(func(lane int) {
				a.best[read] = min(a.best[read], uint64(wrong[lane])<<32|uint64(start[lane]))
			})
		})
	})
}
