package measured

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/samples"
	"gpureplay/trace/tracetest"
)

var (
	updateReferences = flag.Bool("update-references", false, "with "+simulatorVariable+
		": simulate the programs of the table that have no line, and write the table anew")
	fromSeed  = flag.Int("from-seed", 1001, "first seed of the programs that the differential test compares")
	seeds     = flag.Int("seeds", 1, "seeds of each kind that the differential test compares")
	onlyKinds = flag.String("kinds", "", "kinds of programs that the differential test compares, separated by "+
		"commas; all")
	simulatorOptions = flag.String("options", "", "further options of Accel-Sim in the differential test: one "+
		"cause at a time")
	keptReferences = flag.String("keep", "", "file in which the differential test keeps what Accel-Sim said, so "+
		"that it simulates no program twice")
)

// programsOf are the seeds of each kind in the table: odd ones are open, even ones
// held out.
const programsOf = 2

// notCompared are kinds that Accel-Sim is known to be wrong about: its MEMBAR
// does not wait for stores.
var notCompared = []string{"fence"}

// countedTwice is the kind whose asynchronous copies Accel-Sim counts twice among
// the instructions.
const countedTwice = "async"

// kindsOf returns the kinds that a compute capability has.
func kindsOf(t *testing.T, sm uint32) (list []string) {
	t.Helper()
	g, err := samples.Get("behaviour")
	if err != nil {
		t.Fatal(err)
	}
	for kind := range strings.SplitSeq(g.Params[0].Allowed(), ", ") {
		if !slices.Contains(notCompared, kind) && (kind != countedTwice || sm >= 80) {
			list = append(list, kind)
		}
	}
	return list
}

// The simulator is the one that references are of: it gives the cycles and counters
// that are known of captures beside the repository.
func TestAccelSimIsTheOneOfReferences(t *testing.T) {
	s := theSimulator(t)
	dir := tracetest.Data(t, "accelsim-micro")
	text, err := os.ReadFile(filepath.Join(dir, "reference.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		f := strings.Split(line, "\t")
		if len(f) < 5 || f[0] == "case" {
			continue
		}
		list, err := filepath.Abs(filepath.Join(dir, filepath.FromSlash(f[0]), "kernelslist.g"))
		if err != nil {
			t.Fatal(err)
		}
		var c Counters
		if err := s.simulate(context.Background(), list, t.TempDir(), f[1], &c); err != nil {
			t.Fatal(err)
		}
		got := []uint64{uint64(c.Cycles), c.WarpInsts, c.L1Accesses, c.L2Accesses, c.L2Misses, c.DRAMReads, c.DRAMWrites}
		for i, n := range got {
			if want := strings.TrimSpace(f[2+i]); want != "" && want != fmt.Sprint(n) {
				t.Errorf("%s: %d, want %s", f[0], n, want)
			}
		}
	}
}

// TestAccelSimDifferential simulates random programs of every kind with Accel-Sim and prints cycles and counters
// side by side. The seeds differ from the table's. Without limits on cycles, which the references keep, it fails
// where instructions or accesses of the L1 differ: they follow from the program alone.
func TestAccelSimDifferential(t *testing.T) {
	s := theSimulator(t)
	t.Logf("%-8s %-14s %9s %9s %8s | %9s %9s | %8s %8s | %8s %8s | %8s %8s | %6s %6s", "preset", "program", "Accel-Sim",
		"replay", "off", "L2 acc.", "replay", "misses", "replay",
		"reads", "replay", "writes", "replay", "rows", "replay")
	var all []Compared
	kept := keptBefore(t)
	for _, p := range ReferencePresets {
		cfg, err := hardware.Preset(p.Preset)
		if err != nil {
			t.Fatal(err)
		}
		for _, kind := range kindsOf(t, p.SM) {
			if *onlyKinds != "" && !slices.Contains(strings.Split(*onlyKinds, ","), kind) {
				continue
			}
			for i := range *seeds {
				c := Compared{Reference: Reference{Kind: kind, Seed: *fromSeed + i, Preset: p.Preset}}
				if err := s.again(t, &c.Reference, kept, strings.Fields(*simulatorOptions)...); err != nil {
					t.Errorf("%s on %s: %v", c.Name(), p.Preset, err)
					continue
				}
				kept = keep(t, kept, &c.Reference)
				if c.Ours, _, err = c.Predict(context.Background(), cfg); err != nil {
					t.Fatal(err)
				}
				t.Log(sideBySide(&c))
				if c.Ours.WarpInsts != c.WarpInsts && kind != countedTwice {
					t.Errorf("%s on %s: %d instructions, Accel-Sim %d", c.Name(), p.Preset, c.Ours.WarpInsts, c.WarpInsts)
				}
				all = append(all, c)
			}
		}
	}
	for _, a := range Agreements(all) {
		t.Logf("%s %s: %s", a.Preset, a.Part, agreementText(&a))
	}
}

// keptBefore returns the references of the file that -keep names.
func keptBefore(t *testing.T) []Reference {
	text, err := os.ReadFile(*keptReferences)
	if *keptReferences == "" || errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	list, err := parseReferences(string(text))
	if err != nil {
		t.Fatalf("%s: %v", *keptReferences, err)
	}
	return list
}

// keep adds a reference to the file's, unless it is there.
func keep(t *testing.T, kept []Reference, r *Reference) []Reference {
	if *keptReferences == "" || slices.Contains(kept, *r) {
		return kept
	}
	kept = append(kept, *r)
	lines := []string{referenceHeader}
	for i := range kept {
		lines = append(lines, kept[i].line())
	}
	if err := os.WriteFile(*keptReferences, []byte(strings.Join(lines, "\n")+"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	return kept
}

func sideBySide(c *Compared) string {
	o := &c.Ours
	return fmt.Sprintf("%-8s %-14s %9.0f %9.0f %+6.1f %% | %9d %9d | %8d %8d | %8d %8d | %8d %8d | %6.3f %6.3f",
		c.Preset, c.Name(), c.Cycles, o.Cycles, c.ErrorPct(),
		c.L2Accesses, o.L2Accesses, c.L2Misses, o.L2Misses, c.DRAMReads, o.DRAMReads, c.DRAMWrites, o.DRAMWrites,
		c.RowHits(), o.RowHits())
}

func agreementText(a *Agreement) string {
	return fmt.Sprintf("%d cases, median %.1f %%, 90th percentile %.1f %%, worst %+.1f %% (%s)", a.Kernels, a.MedianPct,
		a.P90Pct, a.WorstPct, a.Worst)
}

// TestReferencesAreWritten makes the table where Accel-Sim is built; lines that are
// there already are kept if their programs are the same.
func TestReferencesAreWritten(t *testing.T) {
	if !*updateReferences {
		t.Skip("without -update-references the table stays as it is")
	}
	s := theSimulator(t)
	old, err := References()
	if err != nil {
		t.Fatal(err)
	}
	old = append(old, keptBefore(t)...)
	var list []string
	write := func(kind string, seed int) {
		for _, p := range ReferencePresets {
			if !slices.Contains(kindsOf(t, p.SM), kind) {
				continue
			}
			r := Reference{Kind: kind, Seed: seed, Preset: p.Preset}
			if err := s.again(t, &r, old); err != nil {
				t.Errorf("%s on %s: %v", r.Name(), r.Preset, err)
				continue
			}
			list = append(list, r.line())
			if err := os.WriteFile("accelsim.tsv", []byte(referenceHeader+"\n"+strings.Join(list, "\n")+"\n"),
				0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, kind := range kindsOf(t, 86) {
		for seed := 1; seed <= programsOf; seed++ {
			write(kind, seed)
		}
	}
	for _, x := range worst {
		write(x.Kind, x.Seed)
	}
}

// again fills in a reference: the table's, if the program is the same.
func (s *simulator) again(t *testing.T, r *Reference, old []Reference, options ...string) error {
	program, err := r.Trace(context.Background())
	if err != nil {
		return err
	}
	defer program.Close()
	if r.Digest, err = digestOf(program); err != nil {
		return err
	}
	for i := range old {
		if old[i].Digest == r.Digest && old[i].Preset == r.Preset && old[i].Name() == r.Name() {
			*r = old[i]
			return nil
		}
	}
	dir, err := os.MkdirTemp(t.TempDir(), "")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	return s.run(context.Background(), r, dir, options...)
}

// Every kind has as many references on every machine as it is to have, half of
// them held out, so has each of the worst, and a line is read as it is written.
func TestReferencesAreComplete(t *testing.T) {
	refs, err := References()
	if err != nil {
		t.Fatal(err)
	}
	seen, kept := map[string]int{}, map[string]bool{}
	for i := range refs {
		r := &refs[i]
		if r.Worst() {
			kept[r.Preset+" "+r.Name()] = true
		} else {
			seen[fmt.Sprint(r.Preset, r.Kind, r.HeldOut())]++
		}
		again, err := parseReferences(referenceHeader + "\n" + r.line() + "\n")
		if err != nil || len(again) != 1 || again[0] != *r {
			t.Errorf("%+v is read as %+v (%v)", r, again, err)
		}
	}
	for _, p := range ReferencePresets {
		for _, kind := range kindsOf(t, p.SM) {
			open, held := seen[fmt.Sprint(p.Preset, kind, false)], seen[fmt.Sprint(p.Preset, kind, true)]
			if open != programsOf/2 || held != programsOf/2 {
				t.Errorf("%d open references of %s on %s, %d held out; want %d of each", open, kind, p.Preset, held, programsOf/2)
			}
		}
		for _, x := range worst {
			if name := fmt.Sprintf("%s %s %d", p.Preset, x.Kind, x.Seed); !kept[name] && slices.Contains(kindsOf(t, p.SM),
				x.Kind) {
				t.Errorf("no reference of %s", name)
			}
		}
	}
}

func TestReferenceErrors(t *testing.T) {
	line := strings.Repeat("1\t", 12) + "1\n"
	for text, want := range map[string]string{
		"":                           "references begin with",
		referenceHeader + "\n1\t2\n": "line 2 has 2 columns",
		referenceHeader + "\n" + strings.Replace(line, "1\n", "x\n", 1): `line 2: strconv.ParseUint: parsing "x"`,
	} {
		if _, err := parseReferences(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
	wrong := []Reference{{Kind: "alu", Seed: 1, Preset: "qv100", Digest: "0"}}
	if _, err := Compare(context.Background(), wrong, nil, 1, nil); err == nil ||
		!strings.Contains(err.Error(), "alu 1 on qv100: its program is ") {
		t.Errorf("another program: %v", err)
	}
}

// The sums of Agreements, by hand: errors of +10, -20 and +50 %, and apart one of the worst.
func TestAgreements(t *testing.T) {
	of := func(preset string, seed int, theirs, ours float64) Compared {
		kind := "k"
		if seed == 7001 {
			kind = "tile" // one of the worst
		}
		return Compared{Reference{Preset: preset, Kind: kind, Seed: seed,
			Counters: Counters{Cycles: theirs, L2Accesses: 100, DRAMReads: 10, Requests: 10, RowMisses: 5}},
			Counters{Cycles: ours, L2Accesses: 90, DRAMReads: 12, Requests: 10, RowMisses: 2}}
	}
	got := Agreements([]Compared{of("qv100", 1, 100, 110), of("qv100", 2, 100, 80), of("rtx3070", 2, 100, 150),
		of("qv100", 7001, 100, 300)})
	byName := map[string]Agreement{}
	for _, a := range got {
		byName[a.Preset+" "+a.Part] = a
	}
	if len(got) != 10 {
		t.Errorf("%d groups, want 10: no open case is of rtx3070, nor one of the worst", len(got))
	}
	all := byName["all all"]
	if all.Kernels != 3 || math.Abs(all.MedianPct-20) > 1e-9 || all.Worst != "k 2" || math.Abs(all.WorstPct-50) > 1e-9 ||
		math.Abs(all.L2Pct+10) > 1e-9 || math.Abs(all.ReadsPct-20) > 1e-9 ||
		math.Abs(all.RowHits-0.8) > 1e-9 || math.Abs(all.RowHitsOf-0.5) > 1e-9 {
		t.Errorf("%+v", all)
	}
	if a := byName["all worst"]; a.Kernels != 1 || math.Abs(a.WorstPct-200) > 1e-9 {
		t.Errorf("%+v", a)
	}
	if a := byName["all held out"]; a.Kernels != 2 || math.Abs(a.P90Pct-50) > 1e-9 {
		t.Errorf("%+v", a)
	}
}

// line is the reference as a line of the table.
func (r *Reference) line() string {
	return fmt.Sprintf("%s\t%s\t%d\t%s\t%.0f\t%d\t%d\t%d\t%d\t%d\t%d\t%d\t%d", r.Preset, r.Kind, r.Seed, r.Digest,
		r.Cycles, r.WarpInsts,
		r.L1Accesses, r.L2Accesses, r.L2Misses, r.DRAMReads, r.DRAMWrites, r.Requests, r.RowMisses)
}
