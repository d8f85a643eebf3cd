package policies

import (
	"testing"

	"gpureplay/model/hardware"
)

// A policy may change numbers of the machine, and neither its memory engine nor its pipeline: all policies of a
// comparison run on the same engines.
func TestPoliciesKeepTheEngines(t *testing.T) {
	for _, engine := range []string{hardware.EngineReserve, hardware.EngineCycle} {
		for _, pipeline := range []string{hardware.PipelineDirect, hardware.PipelineCollector} {
			cfg, err := hardware.Preset("qv100")
			if err != nil {
				t.Fatal(err)
			}
			cfg.Memory.Engine, cfg.SM.Pipeline = engine, pipeline
			for _, name := range Names() {
				cs, err := Parse(name, nil)
				if err != nil {
					t.Fatal(err)
				}
				machine, err := cs[0].Machine(cfg)
				if err != nil {
					t.Fatal(err)
				}
				if machine.Memory != cfg.Memory || machine.SM.Pipeline != pipeline {
					t.Errorf("%s runs on %s and %s, not %s and %s", name, machine.Memory.Engine, machine.SM.Pipeline, engine, pipeline)
				}
			}
		}
	}
}
