package tasks

import (
	"fmt"
	"math/rand/v2"

	"gpureplay/samples"
	"gpureplay/trace"
)

// maxSteps bounds the warp instructions that the recorded bodies of a program
// hold in memory together.
const maxSteps = 1 << 24

// maxBytes bounds the device arrays of one kind of task.
const maxBytes uint64 = 1 << 40

// streams is the number of streams that tasks are given in turn.
const streams = 32

// common are the parameters that every workload has.
func common() []samples.Param {
	return []samples.Param{
		samples.Int("tasks", 256, 1, 1<<24, "tasks"),
		samples.Int("threads", 128, 32, 512, "threads of a threadblock, a multiple of 32"),
		samples.Int("blocks", 1, 1, 128, "threadblocks of a task"),
		samples.Int("inputs", 16, 1, 1024, "different inputs among the tasks"),
		samples.Int("buffers", 2048, 1, 1<<20, "slots of the device arrays, recycled task by task"),
		samples.Int("rate", 0, 0, 1e9, "arrivals per second, a Poisson process; 0: all tasks arrive at the start"),
		samples.Choice("sizes", "all inputs of full size, or threads of 32, 64, 128 or 256 and sides of threads/128 of "+
			"the full ones", "regular", "irregular"),
		samples.Seed(),
	}
}

// register adds the generator of a program whose tasks are of the kinds in turn.
func register(name, title, source string, kinds ...*kind) {
	samples.Register(func() samples.Generator {
		params := common()
		for _, k := range kinds { // a kind's parameters come after the common ones
			params = append(params, k.params()...)
		}
		return samples.Generator{Name: name, Machine: "titanx-maxwell", Title: title, Source: source, Params: params,
			Generate: func(w samples.Writer, p samples.Params) error { return generate(w, p, kinds) }}
	})
}

// generate records the inputs of all kinds and then spawns the tasks.
func generate(w samples.Writer, p samples.Params, kinds []*kind) error {
	if err := checkThreads(p); err != nil {
		return err
	}
	tasks, steps := p.Int("tasks"), 0
	slots := min(p.Int("buffers"), ceil(tasks, len(kinds)))
	sets := make([]set, len(kinds))
	for i, k := range kinds {
		var err error
		if sets[i], err = newSet(w, k, p, uint64(i), slots, &steps); err != nil {
			return err
		}
	}
	order := rand.New(rand.NewPCG(p.Seed(), 1<<32))
	arrive := newArrivals(p.Int("rate"), p.Seed())
	e := emitter{w: w}
	var later []spawn
	for i := range tasks {
		s := &sets[i%len(kinds)]
		x := spawn{s, s.next(i/len(kinds), order), i}
		if err := x.write(&e, arrive.next(), len(kinds)); err != nil {
			return err
		}
		if x.body.then != nil {
			x.body = x.body.then
			later = append(later, x)
		}
	}
	if err := w.Host(&trace.HostOp{Kind: trace.OpSyncDevice, Array: trace.NoArray}); err != nil || len(later) == 0 {
		return err
	}
	for _, x := range later {
		if err := x.write(&e, 0, len(kinds)); err != nil {
			return err
		}
	}
	return w.Host(&trace.HostOp{Kind: trace.OpSyncDevice, Array: trace.NoArray})
}

// spawn is a task of the program: a body in the slot of task i.
type spawn struct {
	set  *set
	body *body
	i    int
}

func (x *spawn) write(e *emitter, arrival int64, kinds int) error {
	op := trace.HostOp{Stream: uint64(1 + x.i%streams), ArrivalNs: arrival}
	_, err := e.spawn(x.body, x.set.shift(x.i/kinds), op)
	return err
}

// set is the recorded inputs of one kind.
type set struct {
	bench  *bench
	bodies []body
	order  []int // of the bodies, where the inputs are given; nil: pseudo-random
	shifts []uint64
}

func newSet(w samples.Writer, k *kind, p samples.Params, stream uint64, slots int, steps *int) (set, error) {
	most := k.most(p)
	if irregular(p) { // the work of a product grows with the cube of its side
		most *= mostScale
	}
	if most > maxSteps {
		return set{}, fmt.Errorf("a task of %s could have over %d warp instructions; take a smaller size", k.name, maxSteps)
	}
	s := set{bench: newBench(w, k, p, slots)}
	var payloads [][]byte
	var err error
	if k.sizes != nil {
		if s.bench.largest, payloads, err = k.sizes(p); err != nil {
			return set{}, err
		}
	}
	m := maker(k.prepare(s.bench))
	var bytes uint64
	for _, b := range s.bench.buffers {
		if bytes += b.Bytes(); bytes > maxBytes {
			return set{}, fmt.Errorf("buffers=%d: the arrays of %s have over %d bytes; take fewer buffers or a smaller size",
				p.Int("buffers"), k.name, maxBytes)
		}
	}
	rng := rand.New(rand.NewPCG(p.Seed(), stream))
	if payloads != nil {
		return s, s.given(m, input{scale: 4, threads: p.Int("threads"), rng: rng}, payloads, steps)
	}
	of := min(p.Int("inputs"), p.Int("tasks"))
	for i := range of {
		if err := s.add(m, draw(p, rng, i, of), steps); err != nil {
			return set{}, err
		}
	}
	return s, nil
}

// add records one more input.
func (s *set) add(m maker, in input, steps *int) error {
	b, _ := m(in)
	if err := s.bench.program.Err(); err != nil {
		return err
	}
	if *steps += b.steps; b.then != nil {
		*steps += b.then.steps
	}
	if *steps > maxSteps {
		return fmt.Errorf("the inputs' tasks have over %d warp instructions together; take fewer inputs or a smaller size",
			maxSteps)
	}
	s.bodies = append(s.bodies, b)
	return nil
}

// given records the given inputs, one for each length in blocks of 8 bytes.
func (s *set) given(m maker, in input, payloads [][]byte, steps *int) error {
	known := map[int]int{}
	for _, data := range payloads {
		n := ceil(len(data), 8)
		i, ok := known[n]
		if !ok {
			in.payload, i = data, len(s.bodies)
			known[n] = i
			if err := s.add(m, in, steps); err != nil {
				return err
			}
		}
		s.order = append(s.order, i)
	}
	return nil
}

// next returns the body of the set's i-th task.
func (s *set) next(i int, rng *rand.Rand) *body {
	if s.order != nil {
		return &s.bodies[s.order[i%len(s.order)]]
	}
	return &s.bodies[rng.IntN(len(s.bodies))]
}

// draw draws the size of an input.
func draw(p samples.Params, rng *rand.Rand, index, of int) input {
	in := input{scale: 4, threads: p.Int("threads"), index: index, of: of, rng: rng}
	if irregular(p) {
		in.scale = 1 << rng.IntN(4)
		in.threads = samples.WarpSize * in.scale
	}
	return in
}

// shift returns how far the i-th task's slots lie from slot 0.
func (s *set) shift(i int) []uint64 {
	s.shifts = s.shifts[:0]
	for _, b := range s.bench.buffers {
		s.shifts = append(s.shifts, uint64(i%s.bench.slots)*b.slotBytes())
	}
	return s.shifts
}

// arrivals gives the arrival times of the tasks, in nanoseconds.
type arrivals struct {
	rng  *rand.Rand
	mean float64 // ns between two; 0: none
	now  float64
}

func newArrivals(rate int, seed uint64) *arrivals {
	a := &arrivals{rng: rand.New(rand.NewPCG(seed, 2<<32))}
	if rate > 0 {
		a.mean = 1e9 / float64(rate)
	}
	return a
}

func (a *arrivals) next() int64 {
	if a.mean > 0 {
		a.now += a.rng.ExpFloat64() * a.mean
	}
	return int64(a.now)
}
