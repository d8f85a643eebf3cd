package measured

import (
	"os"
	"path/filepath"
	"testing"

	"gpureplay/model/hardware"
)

// The configurations that the presets are made from are the presets, in every key.
func TestConfigurationsArePresets(t *testing.T) {
	s := theSimulator(t)
	for _, p := range ReferencePresets {
		dir := t.TempDir()
		for name, from := range map[string]string{
			"gpgpusim.config": filepath.Join(s.root, "gpgpu-sim", "configs", "tested-cfgs", p.Config),
			"trace.config":    filepath.Join(s.root, "configs", "tested-cfgs", p.Config),
		} {
			text, err := os.ReadFile(filepath.Join(from, name))
			if err == nil {
				err = os.WriteFile(filepath.Join(dir, name), text, 0o644)
			}
			if err != nil {
				t.Fatal(err)
			}
		}
		got, err := hardware.LoadConfig(filepath.Join(dir, "gpgpusim.config"))
		if err != nil {
			t.Fatal(err)
		}
		want, err := hardware.Preset(p.Preset)
		if err != nil {
			t.Fatal(err)
		}
		got.Name, got.Description = want.Name, want.Description
		if !got.Equal(want) {
			t.Errorf("%s is not %s:\n%s", p.Config, p.Preset, got.TOML())
		}
	}
}
