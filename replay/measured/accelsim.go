package measured

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/binary"
	"fmt"
	"hash/crc64"
	"math"
	"strconv"
	"strings"

	"gpureplay/internal/workers"
	"gpureplay/model/hardware"
	"gpureplay/replay"
	"gpureplay/replay/analyse"
	"gpureplay/samples"
	_ "gpureplay/samples/probes/behaviour" // its programs are the references'
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// accelsimTable holds Accel-Sim's results (framework 73f9fac, gpgpu-sim 667834c, trace mode, the shipped
// configurations) for programs of the sample behaviour. The differential test writes its lines where that simulator
// is built. Do not edit them.
//
//go:embed accelsim.tsv
var accelsimTable string

// cycleOfPlacing is in Accel-Sim's cycles of a kernel beside the latency of its launch. At the
// end of a cycle gpgpu_sim::cycle places CTAs (issue_block2core) and then counts the latency
// down (decrement_kernel_latency). So the first CTA is placed at the end of a cycle more. Here a
// kernel is from its first CTA on.
const cycleOfPlacing = 1

// Counters are a program's counts in two simulators.
type Counters struct {
	Cycles     float64 // of all kernels as Accel-Sim counts, without the latency of their launches
	WarpInsts  uint64
	L1Accesses uint64 // sectors of 32 B, as the others but the rows
	L2Accesses uint64
	L2Misses   uint64
	DRAMReads  uint64
	DRAMWrites uint64
	Requests   uint64 // of DRAM
	RowMisses  uint64 // activations: requests less hits of open rows
}

// RowHits is the share of DRAM requests that found their row open; NaN of none.
func (c *Counters) RowHits() float64 {
	if c.Requests == 0 {
		return math.NaN()
	}
	return 1 - float64(c.RowMisses)/float64(c.Requests)
}

// Reference is a program with Accel-Sim's results on one configuration.
type Reference struct {
	Kind   string // of the sample behaviour
	Seed   int
	Preset string
	Digest string // of the program, so that another generator is not compared
	Counters
}

// ReferencePresets are the presets of the configurations that references are of,
// with the compute capability (times ten) of their programs.
var ReferencePresets = []struct {
	Preset, Config string
	SM             uint32
}{{"qv100", "SM7_QV100", 70}, {"rtx3070", "SM86_RTX3070", 86}}

// worst are the programs with the largest errors among some hundred unseen ones: kept, so that they are not
// forgotten, and apart, since they were not drawn by chance.
var worst = []struct {
	Kind string
	Seed int
}{
	{"alu", 7001}, {"alu", 7002}, {"alu", 8004}, {"async", 7001}, {"atomic", 7003}, {"atomic-shared", 7003},
	{"fp64", 5003},
	{"gather", 5002}, {"kernels", 7002}, {"reuse-l2", 8003}, {"scatter", 5004}, {"stencil", 5004}, {"stencil", 7001},
	{"stride", 5004},
	{"strong", 7002}, {"tile", 7001}, {"tile", 7003}, {"walk", 7004}, {"walk", 8003},
}

// Worst says that the case is kept because it was far off.
func (r *Reference) Worst() bool {
	for i := range worst {
		if worst[i].Kind == r.Kind && worst[i].Seed == r.Seed {
			return true
		}
	}
	return false
}

// HeldOut reports whether the case judges. Cases of odd seeds are open to a search for causes of errors; cases of
// even seeds are not.
func (r *Reference) HeldOut() bool { return r.Seed%2 == 0 && !r.Worst() }

// Part names the part that a case belongs to.
func (r *Reference) Part() string {
	switch {
	case r.Worst():
		return "worst"
	case r.HeldOut():
		return "held out"
	}
	return "open"
}

// Name says which program it is.
func (r *Reference) Name() string { return fmt.Sprintf("%s %d", r.Kind, r.Seed) }

// referenceHeader names the columns of the table.
const referenceHeader = "preset\tkind\tseed\tdigest\tcycles\twarp_insts" +
	"\tl1_accesses\tl2_accesses\tl2_misses\tdram_reads\tdram_writes\tdram_requests\trow_misses"

// References returns Accel-Sim's cases, in the order of the table.
func References() ([]Reference, error) { return parseReferences(accelsimTable) }

func parseReferences(text string) (list []Reference, err error) {
	head, rest, _ := strings.Cut(text, "\n")
	if head != referenceHeader {
		return nil, fmt.Errorf("references begin with %q, not %q", clip(head), referenceHeader)
	}
	number := 1
	for line := range strings.Lines(rest) {
		number++
		f := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(f) != strings.Count(referenceHeader, "\t")+1 {
			return nil, fmt.Errorf("references: line %d has %d columns", number, len(f))
		}
		r := Reference{Preset: f[0], Kind: f[1], Digest: f[3]}
		if r.Seed, err = strconv.Atoi(f[2]); err != nil {
			return nil, fmt.Errorf("references: line %d: %w", number, err)
		}
		var cycles uint64
		for i, to := range []*uint64{&cycles, &r.WarpInsts, &r.L1Accesses, &r.L2Accesses, &r.L2Misses, &r.DRAMReads,
			&r.DRAMWrites,
			&r.Requests, &r.RowMisses} {
			if *to, err = strconv.ParseUint(f[4+i], 10, 64); err != nil {
				return nil, fmt.Errorf("references: line %d: %w", number, err)
			}
		}
		r.Cycles = float64(cycles)
		list = append(list, r)
	}
	return list, nil
}

// Trace makes the program.
func (r *Reference) Trace(ctx context.Context) (*container.Reader, error) {
	g, err := samples.Get("behaviour")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	for _, p := range ReferencePresets {
		if p.Preset == r.Preset {
			if err := g.Write(samples.Interruptible(ctx, &out), "kind="+r.Kind, fmt.Sprint("sm=", p.SM),
				fmt.Sprint("seed=", r.Seed)); err != nil {
				return nil, err
			}
		}
	}
	return container.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
}

// Predict replays the program, launched as Accel-Sim launches, and returns this machine's counts and the program's
// digest.
func (r *Reference) Predict(ctx context.Context, cfg *hardware.Config) (c Counters, digest string, err error) {
	t, err := r.Trace(ctx)
	if err != nil {
		return c, "", err
	}
	defer t.Close()
	if digest, err = digestOf(t); err != nil {
		return c, "", err
	}
	c, err = countersOf(ctx, t, cfg)
	return c, digest, err
}

// countersOf replays a program, launched as Accel-Sim launches, and returns this machine's counts.
func countersOf(ctx context.Context, t *container.Reader, cfg *hardware.Config) (c Counters, err error) {
	var sum durations
	s, err := simulate(ctx, t, replay.AsOnAccelSim(cfg), "serial", &sum)
	if err != nil {
		return c, err
	}
	c.Cycles, c.WarpInsts = float64(int(sum.cycles)+sum.kernels*cycleOfPlacing), s.WarpInsts
	for _, x := range s.Memory {
		if x.Index >= 0 {
			continue
		}
		switch x.Level {
		case "l1":
			c.L1Accesses = x.Accesses
		case "l2":
			c.L2Accesses, c.L2Misses = x.Accesses, x.Misses
		case "dram":
			c.DRAMReads, c.DRAMWrites = x.ReadSectors, x.WriteSectors
			c.Requests, c.RowMisses = x.Accesses, x.Accesses-x.RowHits
		}
	}
	return c, nil
}

// Compared is a reference with this machine's counters.
type Compared struct {
	Reference
	Ours Counters
}

// ErrorPct is how far the cycles are off.
func (c *Compared) ErrorPct() float64 { return 100 * (c.Ours.Cycles/c.Cycles - 1) }

// Compare replays references, each on its preset, which change may have other values first
// (nil: as it is), some at a time.
func Compare(ctx context.Context, refs []Reference, change func(*hardware.Config) error, jobs int,
	done func(done, total int, name string)) ([]Compared, error) {
	configs := map[string]*hardware.Config{}
	for _, p := range ReferencePresets {
		cfg, err := hardware.Preset(p.Preset)
		if err != nil {
			return nil, err
		}
		if change != nil {
			if err := change(cfg); err != nil {
				return nil, err
			}
		}
		configs[p.Preset] = cfg
	}
	list := make([]Compared, len(refs))
	pool := workers.Pool{Workers: jobs, Done: done, Name: func(i int) string { return refs[i].Name() }}
	err := pool.Do(ctx, len(refs), func(ctx context.Context, i int) error {
		r := &refs[i]
		ours, digest, err := r.Predict(ctx, configs[r.Preset])
		if err == nil && r.Digest != "" && digest != r.Digest {
			err = fmt.Errorf("its program is %s, not %s of which the reference is: the generator has changed", digest, r.Digest)
		}
		if err != nil {
			return fmt.Errorf("%s on %s: %w", r.Name(), r.Preset, err)
		}
		list[i] = Compared{Reference: *r, Ours: ours}
		return nil
	})
	return list, err
}

// Agreement sums up the cases of one preset and part; "all" stands for any preset, and for the parts that were
// drawn by chance.
type Agreement struct {
	Preset, Part string
	analyse.Figures
	Worst     string // name of the case that is furthest off
	WorstPct  float64
	L2Pct     float64 // accesses of the L2, all cases together against the reference's
	ReadsPct  float64 // DRAM reads, likewise
	RowHits   float64 // share of all requests
	RowHitsOf float64 // the reference's
}

// Agreements sums up cases by preset and part.
func Agreements(cases []Compared) []Agreement {
	var list []Agreement
	for _, preset := range []string{"qv100", "rtx3070", "all"} {
		for _, part := range []string{"open", "held out", "all", "worst"} {
			a := Agreement{Preset: preset, Part: part}
			var rows []analyse.Comparison
			var ours, theirs Counters
			for i := range cases {
				c := &cases[i]
				if preset != "all" && preset != c.Preset || part != c.Part() && (part != "all" || c.Worst()) {
					continue
				}
				rows = append(rows, analyse.Comparison{Predicted: c.Ours.Cycles, Measured: c.Cycles, ErrorPct: c.ErrorPct()})
				if math.Abs(c.ErrorPct()) > math.Abs(a.WorstPct) {
					a.Worst, a.WorstPct = c.Name(), c.ErrorPct()
				}
				ours.add(&c.Ours)
				theirs.add(&c.Counters)
			}
			if len(rows) == 0 {
				continue
			}
			a.Figures = analyse.FiguresOf(rows)
			a.L2Pct = 100 * (float64(ours.L2Accesses)/float64(theirs.L2Accesses) - 1)
			a.ReadsPct = 100 * (float64(ours.DRAMReads)/float64(theirs.DRAMReads) - 1)
			a.RowHits, a.RowHitsOf = ours.RowHits(), theirs.RowHits()
			list = append(list, a)
		}
	}
	return list
}

func (c *Counters) add(d *Counters) {
	c.L2Accesses += d.L2Accesses
	c.DRAMReads += d.DRAMReads
	c.Requests += d.Requests
	c.RowMisses += d.RowMisses
}

// digestOf is a checksum of a trace's execution, however it is stored.
func digestOf(r *container.Reader) (string, error) {
	h := crc64.New(crc64.MakeTable(crc64.ECMA))
	var b []byte
	add := func(values ...any) {
		for _, v := range values {
			b, _ = binary.Append(b, binary.LittleEndian, v)
		}
		h.Write(b)
		b = b[:0]
	}
	for id := range r.Kernels() {
		var k trace.Kernel
		if err := r.Kernel(uint32(id), &k); err != nil {
			return "", err
		}
		add(k.Grid, k.Block, k.Registers, k.SharedBytes, k.Stream)
		for _, in := range r.Program().Functions[k.Function].Insts {
			add([]byte(in.Opcode), in.PC, in.Width, in.Imm, in.Dst, in.Src)
		}
		for c, err := range trace.EachCTA(r, uint32(id)) {
			if err != nil {
				return "", err
			}
			for i := range c.Warps {
				w := &c.Warps[i]
				add(c.ID, w.ID, w.Path, w.Masks, w.Mem, w.Lists)
			}
		}
	}
	return fmt.Sprintf("%016x", h.Sum64()), nil
}
