package hardware

import (
	"errors"
	"strings"
	"testing"
)

func TestSet(t *testing.T) {
	c := mustPreset(t, "a100")
	for _, s := range []struct{ key, value string }{
		{"sm.count", "26"}, {"sm.warp_scheduler", "lrr"}, {"clock.core_mhz", "1095.5"}, {"launch.blocks_warp", "false"},
		{"exec.int.latency", "7"}, {"l1.carveouts", "0,8192,167936"}, {"dram.bytes", "0x40000000"},
	} {
		if err := c.Set(s.key, s.value); err != nil {
			t.Errorf("%s=%s: %v", s.key, s.value, err)
		}
	}
	if c.SM.Count != 26 || c.SM.WarpScheduler != "lrr" || c.Clock.CoreMHz != 1095.5 || c.Launch.BlocksWarp ||
		c.Exec.Int.Latency != 7 || len(c.L1.Carveouts) != 3 || c.DRAM.Bytes != 1<<30 {
		t.Errorf("not set: %+v", c)
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
}

func TestSetErrors(t *testing.T) {
	for _, w := range []struct{ key, value, want string }{
		{"sm.cuont", "1", "unknown key sm.cuont: did you mean sm.count"},
		{"count", "1", "unknown key count: did you mean sm.count"},
		{"sm", "1", "unknown key sm"},
		{"", "1", "unknown key "},
		{"sm.count", "many", `sm.count = "many": must be an integer from 1 to 4096`},
		{"sm.count", "-1", "sm.count = -1: must be an integer from 1 to 4096"},
		{"sm.count", "99999999999999999999", "must be an integer"},
		{"clock.core_mhz", "NaN", "clock.core_mhz = NaN: must be a number from 1 to 100000"},
		{"clock.core_mhz", "+Inf", "must be a number"},
		{"launch.blocks_warp", "maybe", `launch.blocks_warp = "maybe": must be true or false`},
		{"l2.hash", "crc", `l2.hash = "crc": must be one of linear, xor, ipoly`},
		{"l1.carveouts", "0,x", "must be at most 64 integers"},
		{"l1.carveouts", strings.Repeat("1,", 65), "must be at most 64 integers"},
	} {
		c := mustPreset(t, "a100")
		before := c.TOML()
		err := c.Set(w.key, w.value)
		if err == nil || !strings.Contains(err.Error(), w.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s=%s:\n got %v\nwant %s", w.key, w.value, err, w.want)
		}
		if c.TOML() != before {
			t.Errorf("%s=%s: a refused value was kept", w.key, w.value)
		}
	}
}

// Machines whose every value is possible, but not together.
func TestValidateRelations(t *testing.T) {
	for _, w := range []struct {
		change func(*Config)
		key    string
	}{
		{func(c *Config) { c.DRAM.Mapping, c.L2.Hash = "RRRR.RRRRRRRR.RBBBCCCB.CCCSSSSS", "xor" }, "l2.hash"},
		{func(c *Config) { c.SM.MaxWarps = 32 }, "sm.max_threads"},
		{func(c *Config) { c.SM.Schedulers = 3 }, "sm.max_warps"},
		{func(c *Config) { c.SM.WarpUnit = 7 }, "sm.registers"},
		{func(c *Config) { c.L1.Bytes++ }, "l1.bytes"},
		{func(c *Config) { c.L2.Bytes -= 128 }, "l2.bytes"},
		{func(c *Config) { c.L2.LineBytes = 64 }, "l2.line_bytes"},
		{func(c *Config) { c.L2.Slices = 81 }, "l2.bytes"},
		{func(c *Config) { c.L2.Bytes *= 256 }, "l2.bytes"},
		{func(c *Config) { c.SM.Count, c.L1.Unified = 4096, 1<<26 }, "l1.bytes"},
		{func(c *Config) { c.TLB.Entries = 1 << 20 }, "tlb.entries"},
		{func(c *Config) { c.DRAM.Channels = 3 }, "l2.slices"},
		{func(c *Config) { c.DRAM.TREFI, c.DRAM.TRFC = 700, 700 }, "dram.trefi"},
		{func(c *Config) { c.L1.Carveouts = nil }, "l1.carveouts"},
		{func(c *Config) { c.L1.Carveouts[0] = 9000 }, "l1.carveouts"},
		{func(c *Config) { c.SM.SharedBytes = 1 << 20 }, "l1.carveouts"},
		{func(c *Config) { c.L1.Unified = 0 }, "l1.carveouts"},
		{func(c *Config) { c.L1.Unified = 100 << 10 }, "l1.unified"},
	} {
		c := mustPreset(t, "a100")
		w.change(c)
		var bad *ValueError
		if err := c.Validate(); !errors.As(err, &bad) || bad.Key != w.key {
			t.Errorf("want an error on %s, got %v", w.key, err)
		}
	}
}

// Every number and word of a machine has its limits.
func TestBoundsAreComplete(t *testing.T) {
	for _, k := range configKeys() {
		b := boundOf(k.path)
		switch k.kind.String() {
		case "string":
			// a layout has rules of its own
			if free := k.path == "name" || k.path == "description" || k.path == "dram.mapping"; !free && len(b.words) == 0 {
				t.Errorf("%s has no words", k.path)
			}
		case "int", "float64", "slice":
			if b.max <= b.min {
				t.Errorf("%s has no limits", k.path)
			}
		}
	}
	for key := range bounds() {
		if _, ok := findKey(key); !ok {
			t.Errorf("limits for %s, which is no key", key)
		}
	}
}
