package hardware

import "slices"

// checkKept has a set whose lines are all written reach the ratio from which on they may be replaced. Else a load
// would wait for ever.
func checkKept(c *Config) error {
	l := &c.L1
	sets := max(1, l.Bytes/max(1, l.LineBytes*max(1, l.Ways)))
	return relate(l.WriteRatio*sets <= 100, "l1.write_ratio_pct", l.WriteRatio, "at most 100 / sets of the L1 = %d",
		100/sets)
}

func checkUnified(c *Config) error {
	u := c.L1.Unified
	if u == 0 {
		if len(c.L1.Carveouts) > 0 {
			return relate(false, "l1.carveouts", c.L1.Carveouts[0], "empty where l1.unified is 0")
		}
		return nil
	}
	list := c.L1.Carveouts
	if len(list) == 0 {
		return relate(false, "l1.carveouts", 0, "a list of sizes up to sm.shared_bytes = %d where l1.unified is not 0",
			c.SM.SharedBytes)
	}
	last := list[len(list)-1]
	return firstError(
		relate(slices.IsSorted(list), "l1.carveouts", list[0], "rising"),
		relate(last == c.SM.SharedBytes, "l1.carveouts", last, "sm.shared_bytes = %d in its last entry", c.SM.SharedBytes),
		relate(last < u, "l1.unified", u, "more than sm.shared_bytes = %d", c.SM.SharedBytes),
		relate(c.L1.Bytes <= u, "l1.bytes", c.L1.Bytes, "at most l1.unified = %d", u),
	)
}
