package measured

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/convert/accelsim"
	"gpureplay/model/hardware"
	"gpureplay/samples"
	"gpureplay/trace/container"
)

var simulatorConfigs = flag.String("configs", "SM75_RTX2060,SM7_TITANV",
	"Accel-Sim's tested configurations whose imported machines are compared, separated by commas")

// An imported configuration takes Accel-Sim's cycles on the same files, with -options in both. It prints cycles and
// counters side by side, and fails where instructions differ: they follow from the program alone.
func TestAccelSimConfigurations(t *testing.T) {
	s := theSimulator(t)
	for config := range strings.SplitSeq(*simulatorConfigs, ",") {
		cfg := s.imported(t, config)
		sm := uint32(max(70, cfg.SM.ComputeCapability))
		var all []Compared
		for _, kind := range kindsOf(t, sm) {
			if *onlyKinds != "" && !slices.Contains(strings.Split(*onlyKinds, ","), kind) {
				continue
			}
			for i := range *seeds {
				c, err := s.compared(t, config, cfg, kind, *fromSeed+i, sm)
				if err != nil {
					t.Errorf("%s %d on %s: %v", kind, *fromSeed+i, config, err)
					continue
				}
				t.Log(sideBySide(c))
				if c.Ours.WarpInsts != c.WarpInsts && kind != countedTwice {
					t.Errorf("%s on %s: %d instructions, Accel-Sim %d", c.Name(), config, c.Ours.WarpInsts, c.WarpInsts)
				}
				all = append(all, *c)
			}
		}
		for _, a := range Agreements(all) {
			if a.Preset != "all" {
				t.Logf("%s %s: %s", a.Preset, a.Part, agreementText(&a))
			}
		}
	}
}

// imported returns the machine of a tested configuration with further options.
func (s *simulator) imported(t *testing.T, config string) *hardware.Config {
	t.Helper()
	dir := filepath.Join(t.TempDir(), config)
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, from := range map[string]string{"gpgpusim.config": "gpgpu-sim/configs", "trace.config": "configs"} {
		text, err := os.ReadFile(filepath.Join(s.root, from, "tested-cfgs", config, name))
		if err != nil {
			t.Fatal(err)
		}
		if name == "gpgpusim.config" {
			text = fmt.Appendf(text, "\n%s\n-gpgpu_kernel_launch_latency %d\n", *simulatorOptions, launchLatency)
		}
		if err := os.WriteFile(filepath.Join(dir, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	cfg, err := hardware.FindConfig(filepath.Join(dir, "gpgpusim.config"))
	if err != nil {
		t.Fatal(err)
	}
	return cfg
}

// compared runs a program of the sample behaviour in both simulators.
func (s *simulator) compared(t *testing.T, config string, cfg *hardware.Config, kind string, seed int, sm uint32) (
	*Compared, error) {
	ctx, dir := context.Background(), t.TempDir()
	g, err := samples.Get("behaviour")
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := g.Write(samples.Interruptible(ctx, &out), "kind="+kind, fmt.Sprint("sm=", sm),
		fmt.Sprint("seed=", seed)); err != nil {
		return nil, err
	}
	r, err := container.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		return nil, err
	}
	defer r.Close()
	defer os.RemoveAll(dir)
	c := &Compared{Reference: Reference{Kind: kind, Seed: seed, Preset: config}}
	if _, err := accelsim.Export(ctx, r, dir, sm); err != nil {
		return nil, err
	}
	err = s.simulate(ctx, filepath.Join(dir, "kernelslist.g"), dir, config, &c.Counters,
		strings.Fields(*simulatorOptions)...)
	if err == nil {
		c.Ours, err = countersOf(ctx, r, cfg)
	}
	return c, err
}
