package report

import (
	"context"
	"path/filepath"
	"slices"

	"gpureplay/model/hardware"
	"gpureplay/replay/table"
)

// provenance says where the figures of a page come from.
type provenance struct {
	Tools    []string // versions
	Traces   grid
	Policies grid
	Machines []text
	Sweep    string // the file that requested it
	Assumed  []string
	Machine  []string // descriptions
}

// text is a long text with a title.
type text struct{ Title, Body string }

// about returns the key-values of a run's own tables; none where they are gone or
// in a format that keeps none.
func (s *source) about(r *run) (map[string]string, error) {
	if !s.merged {
		return table.KeyValues(r.part)
	}
	parts, err := table.Find(filepath.Join(s.dir, "cells", filepath.Base(r.cell)), "runs")
	if err != nil {
		return nil, nil
	}
	for _, p := range parts {
		if p.Policy == r.policy {
			return table.KeyValues(p.Path)
		}
	}
	return nil, nil
}

// readProvenance reads the files' key-values, of one run for each trace, machine and policy: with settings in
// between there may be many more.
func (s *source) readProvenance(ctx context.Context) (*provenance, error) {
	p := &provenance{
		Traces:   grid{Header: []string{"trace", "content hash", "fidelity"}},
		Policies: grid{Header: []string{"policy", "decisions and parameters"}},
	}
	traces, policies, machines := map[string]bool{}, map[string]bool{}, map[string]int{}
	for _, r := range s.runs {
		_, counted := machines[r.gpu]
		if traces[r.trace] && policies[r.policy] && counted {
			if s.merged {
				r.parallel = float64(machines[r.gpu])
				continue
			}
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		kvs, err := s.about(r)
		if err != nil {
			return nil, err
		}
		if v := kvs["tool_version"]; v != "" && !slices.Contains(p.Tools, v) {
			p.Tools = append(p.Tools, v)
		}
		if v := kvs["assumption"]; v != "" && !slices.Contains(p.Assumed, v) {
			p.Assumed = append(p.Assumed, v)
		}
		if !traces[r.trace] {
			traces[r.trace] = true
			p.describe(kvs["configuration"])
			p.Traces.Rows = append(p.Traces.Rows, []string{r.trace, orDash(kvs["trace_hash"]), r.fidelity})
		}
		if !policies[r.policy] {
			policies[r.policy] = true
			p.Policies.Rows = append(p.Policies.Rows, []string{r.policy, orDash(kvs["policy_settings"])})
		}
		if !counted {
			machines[r.gpu] = 0
			if body := kvs["configuration"]; body != "" {
				machines[r.gpu] = warps(body)
				p.describe(body)
				p.Machines = append(p.Machines, text{r.gpu + ", as under " + r.policy + r.with(), body})
			}
		}
		r.parallel = float64(machines[r.gpu])
	}
	if s.merged {
		path, err := table.FindMerged(s.dir, "runs")
		if err != nil {
			return nil, err
		}
		kvs, err := table.KeyValues(path)
		if err != nil {
			return nil, err
		}
		p.Sweep = kvs["sweep"]
	}
	return p, nil
}

// readMachines reads the bandwidth that the runs' machines have.
func (s *source) readMachines(ctx context.Context, _ []compared) error {
	return s.eachOf(ctx, "machines", func(x *run, r row) { x.bandwidth, _ = r.float("dram_gb_s") })
}

// describe adds the description of a machine.
func (p *provenance) describe(configuration string) {
	cfg, err := hardware.ReadConfig("configuration", []byte(configuration))
	if err == nil && cfg.Description != "" && !slices.Contains(p.Machine, cfg.Description) {
		p.Machine = append(p.Machine, cfg.Description)
	}
}

// warps is how many a machine holds; 0 if its text cannot be read.
func warps(configuration string) int {
	cfg, err := hardware.ReadConfig("configuration", []byte(configuration))
	if err != nil {
		return 0
	}
	return cfg.SM.Count * cfg.SM.MaxWarps
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// findings are the diagnostics of the traces, each once, and the auditor's findings.
func (s *source) findings(ctx context.Context) (diagnostics, audit grid, err error) {
	diagnostics.Header = []string{"trace", "diagnostic", "severity", "count", "what it means"}
	audit.Header = []string{"trace", "GPU", "policy", "rule", "cycle", "what was found"}
	seen := map[string]bool{}
	err = s.each(ctx, "diagnostics", func(n names, r row) error {
		cells := []string{n.trace, r.text("name"), r.text("severity"), commas(r.int("count")), r.text("help")}
		if key := n.trace + "\x00" + r.text("name"); !seen[key] && len(diagnostics.Rows) < maxRows {
			seen[key] = true
			diagnostics.Rows = append(diagnostics.Rows, cells)
		}
		return nil
	})
	if err != nil {
		return diagnostics, audit, err
	}
	err = s.eachOf(ctx, "audit", func(x *run, r row) {
		if len(audit.Rows) == maxRows {
			audit.More++
			return
		}
		audit.Rows = append(audit.Rows, []string{x.trace, x.gpu, x.policy, r.text("rule"), r.text("time_cycles"),
			r.text("what")})
	})
	return diagnostics, audit, err
}
