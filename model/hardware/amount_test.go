package hardware

import (
	"strings"
	"testing"
)

// Sizes take units, numbers take factors; other texts are refused with the units that
// there are.
func TestAmounts(t *testing.T) {
	for _, c := range []struct {
		key, value string
		want       any
	}{
		{"l2.bytes", "80MiB", int64(80 << 20)}, {"l2.bytes", "x2", int64(2 * 40 << 20)}, {"l2.bytes", "41943040",
			int64(40 << 20)},
		{"l2.bytes", "0x2800000", int64(40 << 20)}, {"l1.bytes", "0.125 MiB", int64(128 << 10)}, {"sm.count", "x0.5",
			int64(54)},
		{"dram.bytes", "40GB", int64(40e9)}, {"clock.core_mhz", "x0.5", 705.0}, {"host.page_bytes", "64k", int64(64 << 10)},
		{"l1.carveouts", "0,8KiB,16KiB,164KiB", "0,8192,16384,167936"},
	} {
		cfg := mustPreset(t, "a100")
		if err := cfg.Set(c.key, c.value); err != nil {
			t.Errorf("%s=%s: %v", c.key, c.value, err)
			continue
		}
		if got, _ := cfg.Value(c.key); got != c.want {
			t.Errorf("%s=%s: %v, want %v", c.key, c.value, got, c.want)
		}
	}
	for _, c := range []struct{ key, value, want string }{
		{"l2.bytes", "80MB2", "80MiB, or x2"}, {"l2.bytes", "0.3KiB", "an integer"}, {"sm.count", "2k",
			"an integer"}, {"sm.count", "x", "an integer"},
		{"sm.count", "x-1", "an integer"}, {"sm.count", "x1e9", "from 1 to 4096"}, {"sm.warp_scheduler", "x2", "one of"},
		{"l2.size", "1", "l2 has bytes, slices"}, {"l2.byte", "1", "l2.bytes"},
	} {
		cfg := mustPreset(t, "a100")
		if err := cfg.Set(c.key, c.value); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s=%s: %v, want %q", c.key, c.value, err, c.want)
		}
	}
}
