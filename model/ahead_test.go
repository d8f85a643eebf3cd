package model_test

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/model/exec"
	"gpureplay/trace"
	"gpureplay/trace/tracetest"
)

// everything is all that a run tells, but its instructions.
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
// figure of the summary but the number of events.
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
		ahead, inOrder = ahead+freeSum.Events, inOrder+stepSum.Events
		freeSum.Events, stepSum.Events = 0, 0
		if free != step || !reflect.DeepEqual(freeSum, stepSum) {
			t.Fatalf("seed %d: %s\n%s\nahead:\n%s%+v\nin step:\n%s%+v", seed, strings.Join(machine, " "), text, free, *freeSum, step, *stepSum)
		}
	}
	if ahead >= inOrder {
		t.Errorf("no SM ran ahead: %d events against %d", ahead, inOrder)
	}
}

// sampled replays with a timeline of narrow windows and returns what was told.
func sampled(t *testing.T, tr *trace.Reader, machine []string, obs model.Observer) (string, *model.Summary) {
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
