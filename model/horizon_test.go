package model_test

import (
	"context"
	"strings"
	"testing"

	"gpureplay/model"
	"gpureplay/policies/policiestest"
	"gpureplay/trace/tracetest"
)

// Times and sizes that no clock counts end a replay with an error: no sum of them
// overflows, and none becomes nothing.
func TestTimesBeyondTheHorizon(t *testing.T) {
	const k = "launch k grid=1 block=32\ncta 0\nwarp 0\nint\nexit\n"
	const long = "work 9223372036854775807\n"
	for _, c := range []struct {
		name, policy, text string
		machine            []string
	}{
		{"the host's work", "", long + k, nil},
		{"its work, in cycles that take more than 64 bits", "", long + k, []string{"clock.core_mhz=100000"}},
		{"copies one after another on a link", "", "array a bytes=9223372036854775807\n" +
			strings.Repeat("h2d a async stream=1\n", 40) + k, []string{"host.pcie_gb_s=1e-9"}},
		{"copies of an overlapped host", "crcs", "array a bytes=16G\nread a\nh2d a\n" + k + "d2h a\n",
			[]string{"host.pcie_gb_s=1e-9", "host.storage_mb_s=1e-6", "host.page_bytes=1073741824", "clock.core_mhz=100000"}},
		{"a link of under a byte a second", "", "array a bytes=1G\n" + strings.Repeat("h2d a\n", 1000) + k,
			[]string{"host.pcie_gb_s=1e-300", "clock.core_mhz=100000"}},
		{"a task's input", "pagoda", "spawn k grid=1 block=32 in=9223372036854775807\ncta 0\nwarp 0\nint\nexit\n",
			[]string{"host.pcie_gb_s=1e-9", "sm.shared_bytes=65536", "sm.max_warps=64", "sm.max_threads=2048",
				"sm.registers=65536"}},
		{"a task's arrival", "pagoda", "spawn k grid=1 block=32 arrival=9223372036854775807\ncta 0\nwarp 0\nint\nexit\n",
			[]string{"sm.shared_bytes=65536", "sm.max_warps=64", "sm.max_threads=2048", "sm.registers=65536"}},
		{"a recorded duration", "", "launch k grid=1 block=32 fidelity=kernel duration=9223372036854775806\n", nil},
	} {
		cfg, name := tiny(t, c.machine...)
		if c.policy != "" {
			name = c.policy
		}
		p, cfg := policiestest.Build(t, name, cfg)
		m, err := model.New(tracetest.FromText(t, c.text), model.Options{Config: cfg, Policy: p})
		if err != nil {
			t.Fatal(err)
		}
		sum, err := m.Run(context.Background())
		if err == nil || !strings.Contains(err.Error(), "the last that is replayed") {
			t.Errorf("%s: ends with %v after %+v, want an error that says how long it would go on", c.name, err, sum)
		}
	}
}

// A page table has its limit; it is met before the table is made.
func TestPagesBeyondTheLimit(t *testing.T) {
	const k = "launch k grid=1 block=32\ncta 0\nwarp 0\nint\nexit\n"
	cfg, _ := tiny(t, "host.page_bytes=4096")
	for text, ok := range map[string]bool{
		"array a bytes=1G\n" + k:                                 true,
		"array a bytes=65G\n" + k:                                false,
		"array a bytes=33G\narray b bytes=33G\n" + k:             false,
		"array a bytes=16777215G base=0x10000\n" + k:             false,
		"array a base=0xfffffffffffff000 bytes=4095 input\n" + k: true,
	} {
		p, machine := policiestest.Build(t, "crcs", cfg)
		_, err := model.New(tracetest.FromText(t, text), model.Options{Config: machine, Policy: p})
		if ok != (err == nil) || err != nil && !strings.Contains(err.Error(), "pages of 4096 bytes: raise host.page_bytes") {
			t.Errorf("%q: %v", text, err)
		}
	}
}
