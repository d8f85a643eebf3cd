package model_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/trace/container"
	"gpureplay/trace/tracetest"
)

// everything is all records of a run, but its instructions.
type everything struct{ log strings.Builder }

func (o *everything) Kernel(r *model.KernelRecord) {
	x := *r
	x.Recorded = nil
	fmt.Fprintf(&o.log, "%+v\n", x)
}
func (o *everything) CTA(r *model.CTARecord)       { fmt.Fprintf(&o.log, "%+v\n", *r) }
func (o *everything) Stage(r *model.StageRecord)   { fmt.Fprintf(&o.log, "%+v\n", *r) }
func (o *everything) Launch(r *model.LaunchRecord) { fmt.Fprintf(&o.log, "%+v\n", *r) }
func (o *everything) Page(r *model.PageRecord)     { fmt.Fprintf(&o.log, "%+v\n", *r) }
func (o *everything) Task(r *model.TaskRecord)     { fmt.Fprintf(&o.log, "%+v\n", *r) }
func (o *everything) Sample(r *model.SampleRecord) { fmt.Fprintf(&o.log, "%+v\n", *r) }

// inStep is told of instructions too, so that no SM runs ahead.
type inStep struct{ everything }

func (*inStep) Inst(*exec.InstRecord) {}

// An SM that runs ahead of the machine changes nothing: not a record, and no
// figure of the summary but the number of wake-ups.
func TestAheadChangesNothing(t *testing.T) {
	runs := 600
	if testing.Short() {
		runs = 200
	}
	var ahead, inOrder uint64
	for seed := range runs {
		r := rand.New(rand.NewPCG(uint64(seed), 11))
		text, machine := randomTrace(r), randomMachine(r)
		tr := tracetest.FromText(t, text)
		free, freeSum := sampled(t, tr, machine, new(everything))
		step, stepSum := sampled(t, tr, machine, new(inStep))
		ahead, inOrder = ahead+freeSum.Wakeups, inOrder+stepSum.Wakeups
		freeSum.Wakeups, stepSum.Wakeups = 0, 0
		if free != step || !reflect.DeepEqual(freeSum, stepSum) {
			t.Fatalf("seed %d: %s\n%s\nahead:\n%s%+v\nin step:\n%s%+v", seed, strings.Join(machine, " "), text, free,
				*freeSum, step, *stepSum)
		}
	}
	if ahead >= inOrder {
		t.Errorf("no SM ran ahead: %d wake-ups against %d", ahead, inOrder)
	}
}

// Two CTAs of kernel 0 have SM 1 to themselves, since kernel 1 fills SM 0. When kernel 1 ends, the next kernel of
// its stream comes to SM 1 as well. Until then SM 1 may not run ahead.
func TestNoSMRunsAheadOfAKernelToCome(t *testing.T) {
	const body = "int x400 R2 <- R3\nexit\n"
	tr := tracetest.FromText(t, "launch first grid=1 block=512 stream=1\ncta 0\nwarp 0..15\nint R2\nexit\n"+
		"launch long grid=2 block=64 stream=2\ncta 0..1\nwarp 0..1\n"+body+
		"launch behind grid=2 block=64 stream=1\ncta 0..1\nwarp 0..1\n"+body)
	told := func(obs model.Observer) *model.Summary {
		c, policy := tiny(t, "sm.count=2")
		return replay(t, tr, c, policy, obs)
	}
	free, step := new(everything), new(inStep)
	told(free)
	told(step)
	if a, b := free.log.String(), step.log.String(); a != b {
		t.Errorf("ahead:\n%s\nin step:\n%s", a, b)
	}
}

// sampled replays with a timeline of narrow windows and returns the records.
func sampled(t *testing.T, tr *container.Reader, machine []string, obs model.Observer) (string, *model.Summary) {
	c, policy := tiny(t, machine...)
	sum := replaySampled(t, tr, c, policy, obs, 37)
	switch o := obs.(type) {
	case *everything:
		return o.log.String(), sum
	case *inStep:
		return o.log.String(), sum
	}
	return "", sum
}
