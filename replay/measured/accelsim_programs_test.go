package measured

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert/accelsim"
	"gpureplay/model/hardware"
	"gpureplay/samples"
	_ "gpureplay/samples/all" // the programs
	"gpureplay/trace/container"
)

var (
	command = flag.String("command", "", "a built replay, whose processor seconds stand beside Accel-Sim's")
	into    = flag.String("into", "", "a Markdown file whose table accelsim-programs is written anew")
	only    = flag.String("programs", "", "programs that are compared, separated by commas (all)")
	long    = flag.Bool("long", false, "also a program of 10 million warp instructions: half an hour of Accel-Sim")
)

// program is a sample and its parameters, and the oldest compute capability (times ten) that has all its opcodes.
type program struct {
	sample, params string
	least          uint32
}

// programs are algorithms that the generator behaviour did not make, at sizes that Accel-Sim simulates in a minute or
// two. Logs of matmul, lpc and hsp have shown faults of the model (docs/design/labbook.md).
var programs = []program{
	{"matmul", "m=96 n=96 k=96", 0},
	{"matmul", "m=256 n=256 k=128 seed=5", 0},
	{"ffma", "ctas=64 threads=256 iterations=8", 80},
	{"stn", "nx=64 ny=64 nz=16 kernels=2", 0},
	{"stn", "nx=64 ny=32 nz=16 kernels=2 version=base", 0},
	{"hsp", "n=162 kernels=2", 0},
	{"hsp", "n=128 kernels=2 pyramid=3", 0},
	{"path", "cols=20000 rows=21", 0},
	{"lpc", "n=192 kernels=4", 0},
	{"conv", "width=256 height=128 iterations=1", 0},
	{"3mm", "n=64", 0},
	{"3mm", "n=64 sum=memory", 0},
	{"bfs", "nodes=4096", 0},
	{"dp-bfs", "form=flat vertices=2048", 0},
	{"scale", "kernels=16", 0},
	{"stream", "kib=256", 0},
	{"stream", "kib=256 kernel=read block=64", 0},
	{"copy", "kib=512", 0},
	{"copy", "kib=256 width=4", 0},
	{"walk", "threads=4096 steps=8", 0},
	{"walk", "threads=8192 words=8192", 0},
	{"chase", "steps=1024 order=random", 0},
	{"concurrent", "kernels=4 steps=256", 0},
	{"vecadd", "", 0},
}

// programRow is a program in both simulators.
type programRow struct {
	name, preset     string
	theirs, ours     Counters
	accelsim, replay float64 // processor seconds
	convert          float64
}

func (r *programRow) errorPct() float64 { return 100 * (r.ours.Cycles/r.theirs.Cycles - 1) }

// Programs that the generator did not make, with their cycles in both simulators and the processor seconds of both
// commands. Both simulate the same capture, which has no predicates: a sample's own trace has, and so more dependences.
// It fails where instructions differ: they follow from the program alone.
func TestAccelSimPrograms(t *testing.T) {
	s := theSimulator(t)
	var rows []programRow
	for _, p := range ReferencePresets {
		cfg, err := hardware.Preset(p.Preset)
		if err != nil {
			t.Fatal(err)
		}
		list := programs
		if *long && p.Preset == "rtx3070" {
			list = append(list[:len(list):len(list)], program{"stn", "kernels=28", 0})
		}
		for _, x := range list {
			if p.SM < x.least || *only != "" && !slices.Contains(strings.Split(*only, ","), x.sample) {
				continue
			}
			r := programRow{name: strings.TrimSpace(x.sample + " " + x.params), preset: p.Preset}
			params := strings.Fields(x.params)
			if err := s.programRow(t.Context(), t.TempDir(), x.sample, params, p.Config, p.SM, cfg, &r); err != nil {
				t.Errorf("%s on %s: %v", r.name, p.Preset, err)
				continue
			}
			if r.ours.WarpInsts != r.theirs.WarpInsts {
				t.Errorf("%s on %s: %d instructions, Accel-Sim %d", r.name, p.Preset, r.ours.WarpInsts, r.theirs.WarpInsts)
			}
			t.Log(r.line())
			rows = append(rows, r)
		}
	}
	text := programsText(rows)
	t.Log("\n" + text)
	if *into != "" {
		writeBetween(t, *into, "<!-- accelsim-programs -->\n", "<!-- /accelsim-programs -->\n", text)
	}
}

// programRow runs a sample in both simulators, in a folder that it empties.
func (s *simulator) programRow(ctx context.Context, dir, sample string, params []string, config string, sm uint32,
	cfg *hardware.Config, r *programRow) error {
	defer os.RemoveAll(dir)
	g, err := samples.Get(sample)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	if err := g.Write(samples.Interruptible(ctx, &out), params...); err != nil {
		return err
	}
	tr, err := container.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		return err
	}
	defer tr.Close()
	if _, err := accelsim.Export(ctx, tr, dir, sm); err != nil {
		return err
	}
	list := filepath.Join(dir, "kernelslist.g")
	if err := s.simulate(ctx, list, dir, config, &r.theirs); err != nil {
		return err
	}
	r.accelsim = s.seconds
	captured, err := openCapture(ctx, list)
	if err != nil {
		return err
	}
	defer captured.Close()
	if r.ours, err = countersOf(ctx, captured, cfg); err != nil || *command == "" {
		return err
	}
	file := filepath.Join(dir, "x.trace.zst")
	if r.convert, err = processor(ctx, "convert", list, "-o", file); err != nil {
		return err
	}
	r.replay, err = processor(ctx, "--gpu="+r.preset, "--no-baseline", "--tables=runs,kernels", "-o",
		filepath.Join(dir, "out"), file)
	return err
}

// processor returns the least processor seconds of three runs of the command.
func processor(ctx context.Context, args ...string) (float64, error) {
	least := math.Inf(1)
	for range 3 {
		cmd := exec.CommandContext(ctx, *command, append([]string{"--quiet"}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			return 0, fmt.Errorf("%s: %w: %s", strings.Join(args, " "), err, out)
		}
		least = min(least, (cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()).Seconds())
	}
	return least, nil
}

func (r *programRow) line() string {
	line := fmt.Sprintf("| `%s` | %s | %d | %+.1f %% | %.1f s |", r.name, r.preset, r.theirs.WarpInsts, r.errorPct(),
		r.accelsim)
	if r.replay == 0 {
		return line + " | | |"
	}
	return line + fmt.Sprintf(" %.3f s | %.0f | %.0f |", r.replay, r.accelsim/r.replay, r.accelsim/(r.replay+r.convert))
}

// programsText is a summary of the rows, and the rows as a table in Markdown.
func programsText(rows []programRow) string {
	var b strings.Builder
	var errors, speed, converted []float64
	for i := range rows {
		r := &rows[i]
		errors = append(errors, math.Abs(r.errorPct()))
		if r.replay > 0 {
			speed = append(speed, r.accelsim/r.replay)
			converted = append(converted, r.accelsim/(r.replay+r.convert))
		}
	}
	slices.Sort(errors)
	if n := len(errors); n > 0 {
		fmt.Fprintf(&b, "%d runs: median error %.2f %%, 90th percentile %.1f %%, worst %.1f %%.", n, errors[n/2],
			errors[n*9/10], errors[n-1])
	}
	if len(speed) > 0 {
		fmt.Fprintf(&b, "\nAccel-Sim takes %s times the processor time; with `convert`\n%s.", meanAndRange(speed),
			meanAndRange(converted))
	}
	b.WriteString("\n\n| program | machine | warp instructions | cycles | Accel-Sim | replay | times | " +
		"with `convert` |\n" +
		"| --- | --- | ---:| ---:| ---:| ---:| ---:| ---:|\n")
	for i := range rows {
		b.WriteString(rows[i].line() + "\n")
	}
	return b.String()
}

func meanAndRange(x []float64) string {
	sum := 0.0
	for _, v := range x {
		sum += math.Log(v)
	}
	return fmt.Sprintf("%.0f (geometric mean; %.0f to %.0f)", math.Exp(sum/float64(len(x))), slices.Min(x),
		slices.Max(x))
}

// writeBetween puts a text between two marks of a file.
func writeBetween(t *testing.T, path, begin, end, text string) {
	t.Helper()
	old, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, found := strings.Cut(string(old), begin)
	_, tail, closed := strings.Cut(rest, end)
	if !found || !closed {
		t.Fatalf("%s has no %s...%s", path, begin, end)
	}
	if err := os.WriteFile(path, []byte(head+begin+text+end+tail), 0o644); err != nil {
		t.Fatal(err)
	}
}
