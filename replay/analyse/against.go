package analyse

import (
	"context"
	"errors"
	"fmt"

	"gpureplay/internal/workers"
	"gpureplay/model"
	"gpureplay/model/hardware"
	"gpureplay/model/host"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/trace/container"
)

// A Contrast is where the difference of two policies comes from.
type Contrast struct {
	Policy, Against string
	Steps           []ContrastStep // from Against, the first, to Policy, the last
}

// ContrastStep is a run on the way from one policy to another.
type ContrastStep struct {
	Switched string // the decision that it has of the other policy, beside those before; "": none
	Cycles   model.Time
	Change   model.Time // against the step before
	Parts    replay.Parts
}

// First is the run of the policy that is compared with.
func (c *Contrast) First() *ContrastStep { return &c.Steps[0] }

// Last is the run of the policy.
func (c *Contrast) Last() *ContrastStep { return &c.Steps[len(c.Steps)-1] }

// Change is how many cycles the policy takes more than the other, negative where it takes
// fewer. The changes of the steps add up to it, and so do the changes of the parts.
func (c *Contrast) Change() model.Time { return c.Last().Cycles - c.First().Cycles }

// ExplainAgainst replays a trace under two policies, and under those between them, whose
// decisions are switched one at a time. A step that cannot run joins the next one. It
// returns an error where one of the two policies cannot run. A nil timing is the default
// of the trace, and done may be nil.
func ExplainAgainst(ctx context.Context, tr *container.Reader, cfg *hardware.Config, policy, against *policies.Choice,
	timing *host.Timing, jobs int, done replay.Done) (*Contrast, error) {
	facts, err := policies.ProfileTrace(tr, host.NotTasks)
	if err != nil {
		return nil, err
	}
	for _, c := range []*policies.Choice{policy, against} {
		if why := c.MissingInput(facts); why != "" {
			return nil, fmt.Errorf("policy %s does not apply: %s", c.Label, why)
		}
	}
	steps := append([]policies.Step{{Choice: against}}, policies.Between(against, policy, facts.Tasks > 0)...)
	runs, failed := make([]ContrastStep, len(steps)), make([]error, len(steps))
	times := timingOr(timing, facts)
	pool := workers.Pool{Workers: jobs, Done: done, Name: func(i int) string { return steps[i].Choice.Label }}
	err = pool.Do(ctx, len(steps), func(ctx context.Context, i int) error {
		x := &runs[i]
		x.Switched = steps[i].Switched
		between := i > 0 && i < len(steps)-1
		x.Cycles, x.Parts, failed[i] = partsUnder(ctx, tr, cfg, steps[i].Choice, times, between)
		if failed[i] != nil && (!between || ctx.Err() != nil) {
			return fmt.Errorf("policy %s: %w", steps[i].Choice.Label, failed[i])
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	c := &Contrast{Policy: policy.Label, Against: against.Label}
	before := ""
	for i, x := range runs {
		if x.Switched = before + x.Switched; failed[i] != nil {
			before = x.Switched + ", "
			continue
		}
		if before = ""; len(c.Steps) > 0 {
			x.Change = x.Cycles - c.Last().Cycles
		}
		c.Steps = append(c.Steps, x)
	}
	return c, nil
}

// partsUnder runs a trace and returns its cycles and their parts. A mixed policy has
// decisions that were not written for each other: a panic of one is an error.
func partsUnder(ctx context.Context, tr *container.Reader, cfg *hardware.Config, c *policies.Choice, timing host.Timing,
	mixed bool) (
	cycles model.Time, parts replay.Parts, err error) {
	if mixed {
		defer func() {
			if p := recover(); p != nil {
				err = fmt.Errorf("policy %s: %v", c.Label, p)
			}
		}()
	}
	watch := replay.PartsWatch{Latency: model.Time(cfg.Host.LaunchLatency)}
	if cycles, err = watched(ctx, tr, cfg, c, timing, &watch); err != nil {
		return 0, replay.Parts{}, err
	}
	parts = watch.Parts(cycles)
	if parts.Cycles() != cycles {
		return 0, replay.Parts{},
			errors.New("the parts of the run do not add up to its cycles: this is a fault of replay, please report it")
	}
	return cycles, parts, nil
}
