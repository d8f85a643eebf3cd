package model

import (
	"gpureplay/model/hardware"
	"gpureplay/trace/container"
)

// Audited is a decision of a [Policy] that brings checks of its own mechanism. The
// auditor of a run knows the machine's rules alone.
type Audited interface {
	// Audit returns an observer of a run of the trace on the machine. It is also told of
	// placements and suspensions if it has their methods. It calls fail for each breach:
	// the name of the rule, the cycle, and a sentence.
	Audit(tr *container.Reader, c *hardware.Config, fail AuditFail) Observer
}

// AuditFail takes a breach of a rule in cycle t.
type AuditFail func(rule string, t Time, format string, args ...any)

// Audits returns the observers that the decisions of a policy bring for an audited run.
func (p *Policy) Audits(tr *container.Reader, c *hardware.Config, fail AuditFail) (all Observers) {
	for _, d := range []any{p.Launch, p.Admission, p.Dependency, p.CTA, p.Warp, p.Tasks} {
		if a, ok := d.(Audited); ok {
			all = append(all, a.Audit(tr, c, fail))
		}
	}
	return all
}
