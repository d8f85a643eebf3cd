package model_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/model/hardware"
	"gpureplay/policies/policiestest"
	"gpureplay/trace"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// tiny returns the machine of testdata/machine.toml with some keys changed. A
// line is key=value; policy=NAME names the policy, which is hyperq otherwise.
func tiny(t testing.TB, lines ...string) (*hardware.Config, string) {
	t.Helper()
	c, err := hardware.LoadConfig(filepath.Join("testdata", "machine.toml"))
	if err != nil {
		t.Fatal(err)
	}
	policy := "hyperq"
	for _, line := range lines {
		key, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch {
		case key == "":
		case key == "policy":
			policy = value
		default:
			if err := c.Set(key, value); err != nil {
				t.Fatal(err)
			}
		}
	}
	return c, policy
}

// replay runs a trace under a policy on a machine.
func replay(t testing.TB, tr *container.Reader, c *hardware.Config, policy string, obs model.Observer) *model.Summary {
	t.Helper()
	return replaySampled(t, tr, c, policy, obs, 0)
}

// replayFor replays until so many cycles have been sampled.
func replayFor(t testing.TB, tr *container.Reader, c *hardware.Config, policy string, cycles model.Time) {
	t.Helper()
	p, machine := policiestest.Build(t, policy, c)
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	m, err := model.New(tr, model.Options{Config: machine, Policy: p, Observer: &stopAt{stop: stop, at: cycles},
		Sample: cycles})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := m.Run(ctx); !errors.Is(err, context.Canceled) {
		t.Fatalf("the run ends with %v, before it is stopped", err)
	}
}

// stopAt stops a run at its first sample from a cycle on.
type stopAt struct {
	endings
	stop func()
	at   model.Time
}

func (s *stopAt) Sample(r *model.SampleRecord) {
	if r.Start >= s.at-1 {
		s.stop()
	}
}

// replaySampled is replay with a timeline of windows of a width.
func replaySampled(t testing.TB, tr *container.Reader, c *hardware.Config, policy string, obs model.Observer,
	width model.Time) *model.Summary {
	t.Helper()
	p, machine := policiestest.Build(t, policy, c)
	m, err := model.New(tr, model.Options{Config: machine, Policy: p, Observer: obs, Sample: width})
	if err != nil {
		t.Fatal(err)
	}
	sum, err := m.Run(context.Background())
	if err != nil {
		t.Fatal(err)
	}
	return sum
}

// eventLog writes down the records of a run.
type eventLog struct {
	prog                         *trace.Program
	fn                           map[uint32]uint32 // function by kernel
	insts, ctas, kernels, copies strings.Builder
}

func newEventLog(t *testing.T, tr *container.Reader) *eventLog {
	log := &eventLog{prog: tr.Program(), fn: map[uint32]uint32{}}
	for id := range uint32(tr.Program().Totals.Kernels) {
		var k trace.Kernel
		if err := tr.Kernel(id, &k); err != nil {
			t.Fatal(err)
		}
		log.fn[id] = k.Function
	}
	return log
}

func (l *eventLog) Inst(r *exec.InstRecord) {
	op := "-"
	if insts := l.prog.Functions[l.fn[r.Kernel]].Insts; int(r.Inst) < len(insts) { // or else of an inlined body
		op = insts[r.Inst].Opcode
	}
	fmt.Fprintf(&l.insts, "%d k%d c%d w%d %s %d\n", r.Issue, r.Kernel, r.CTA, r.Warp, strings.ToLower(op), r.Done)
}

func (l *eventLog) CTA(r *model.CTARecord) {
	fmt.Fprintf(&l.ctas, "k%d c%d sm%d %d %d\n", r.Kernel, r.CTA, r.SM, r.Dispatch, r.End)
}

func (l *eventLog) Kernel(r *model.KernelRecord) {
	fmt.Fprintf(&l.kernels, "k%d %d %d %d %d\n", r.ID, r.Arrive, r.Dispatch, r.FirstCTA, r.End)
}

func (l *eventLog) Stage(r *model.StageRecord) {
	if r.Stage != model.StageKernel {
		fmt.Fprintf(&l.copies, "%d %d %d\n", r.Start, r.End, r.Bytes)
	}
}

func (*eventLog) Launch(*model.LaunchRecord) {}
func (*eventLog) Page(*model.PageRecord)     {}
func (*eventLog) Task(*model.TaskRecord)     {}
func (*eventLog) Sample(*model.SampleRecord) {}

// TestPromises replays each file of testdata/promises. Its comment computes the expected values by hand, from the
// equations of docs/model. Sections are
//
//	machine   keys that differ from testdata/machine.toml
//	trace     the trace as text
//	insts     issue, kernel, CTA, warp, opcode (-: the trace has none), done: of each instruction
//	ctas      kernel, CTA, SM, placed, ended
//	kernels   kernel: arrived, dispatched, first CTA placed, ended
//	copies    start, end, bytes
//	memory    level: accesses hits misses reads writes
//	l2        accesses hits misses reads writes of the L2
//	rows      row hits of DRAM
//	busy      cycles in which DRAM has a request pending
//
// and only those that a file has are compared.
func TestPromises(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "promises", "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("%d promise files, %v", len(files), err)
	}
	for i, file := range files {
		if want := fmt.Sprintf("%03d-", i+1); !strings.HasPrefix(filepath.Base(file), want) {
			t.Errorf("%s: the numbers have a gap, it should begin with %s", file, want)
		}
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			checkPromise(t, sections(string(data)))
		})
	}
}

func checkPromise(t *testing.T, sec map[string]string) {
	c, policy := tiny(t, strings.Split(sec["machine"], "\n")...)
	tr := tracetest.FromText(t, sec["trace"])
	log := newEventLog(t, tr)
	sum := replay(t, tr, c, policy, log)
	audited(t, tr, c, policy)
	got := map[string]string{
		"insts": log.insts.String(), "ctas": log.ctas.String(), "kernels": log.kernels.String(),
		"copies": log.copies.String(), "memory": memoryLog(sum),
		"rows": fmt.Sprintln(sum.Memory[2].RowHits), "busy": fmt.Sprintln(sum.Memory[2].BusyCycles),
		"l2": strings.TrimPrefix(strings.Split(memoryLog(sum), "\n")[1], "l2 "),
	}
	compared := 0
	for name, g := range got {
		want, ok := sec[name]
		if !ok {
			continue
		}
		compared++
		if w := canonical(want); w != canonical(g) {
			t.Errorf("%s: got\n%swant\n%s", name, g, w)
		}
	}
	if compared == 0 {
		t.Error("the file expects nothing")
	}
}

func memoryLog(sum *model.Summary) string {
	var b strings.Builder
	for _, m := range sum.Memory[:3] {
		fmt.Fprintf(&b, "%s %d %d %d %d %d\n", m.Level, m.Accesses, m.Hits, m.Misses, m.ReadSectors, m.WriteSectors)
	}
	return b.String()
}

// sections splits a file at lines of the form "-- name --".
func sections(text string) map[string]string {
	sec, name := map[string]string{}, ""
	for line := range strings.Lines(text) {
		if n, ok := strings.CutPrefix(strings.TrimSpace(line), "-- "); ok && strings.HasSuffix(n, " --") {
			name = strings.TrimSuffix(n, " --")
			sec[name] = ""
			continue
		}
		sec[name] += line
	}
	return sec
}

// canonical drops comments, blank lines and the width of blanks.
func canonical(s string) string {
	var b strings.Builder
	for line := range strings.Lines(s) {
		line, _, _ = strings.Cut(line, "#")
		if f := strings.Fields(line); len(f) > 0 {
			b.WriteString(strings.Join(f, " ") + "\n")
		}
	}
	return b.String()
}
