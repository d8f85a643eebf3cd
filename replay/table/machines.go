package table

import "gpureplay/model/hardware"

// Machine is a replay's machine and the inputs that it was made from.
type Machine struct {
	Config    *hardware.Config
	TraceHash string
	Tool      string // version and commit
	Command   string // that makes this run again
}

func limit(name, doc string, get func(c *hardware.Config) int) column[Machine] {
	return count(name, doc, func(r *Machine) int64 { return int64(get(r.Config)) })
}

func init() {
	register(table[Machine]{
		Name: "machines", Row: "one replay: the limits of its machine", Order: "one row", Place: 12, Small: true,
		Columns: func() []column[Machine] {
			return []column[Machine]{
				limit("sms", "SMs.", func(c *hardware.Config) int { return c.SM.Count }),
				limit("warps_per_sm", "Most resident warps of an SM.", func(c *hardware.Config) int { return c.SM.MaxWarps }),
				limit("threads_per_sm", "Most resident threads of an SM.", func(c *hardware.Config) int { return c.SM.MaxThreads }),
				limit("ctas_per_sm", "Most resident CTAs of an SM.", func(c *hardware.Config) int { return c.SM.MaxCTAs }),
				limit("registers_per_sm", "Registers of 32 bits of an SM.", func(c *hardware.Config) int { return c.SM.Registers }),
				limit("shared_bytes_per_sm", "Largest shared memory of an SM.", func(c *hardware.Config) int {
					return c.SM.SharedBytes
				}),
				limit("schedulers_per_sm", "Warp schedulers of an SM.", func(c *hardware.Config) int { return c.SM.Schedulers }),
				limit("issue_width", "Instructions of one warp that a scheduler issues in a cycle.", func(c *hardware.Config) int {
					return c.SM.IssueWidth
				}),
				f64("core_mhz", "Clock of the SMs, which cycles are of.", func(r *Machine) float64 {
					return r.Config.Clock.CoreMHz
				}),
				f64("dram_mhz", "Command clock of the DRAM.", func(r *Machine) float64 { return r.Config.Clock.DRAMMHz }),
				limit("l1_bytes", "L1 of an SM with no shared memory in use.", func(c *hardware.Config) int { return c.L1.Bytes }),
				limit("l2_bytes", "L2 cache.", func(c *hardware.Config) int { return c.L2.Bytes }),
				limit("l2_slices", "Slices of the L2.", func(c *hardware.Config) int { return c.L2.Slices }),
				limit("dram_channels", "Channels of the device memory.", func(c *hardware.Config) int { return c.DRAM.Channels }),
				f64("dram_gb_s", "Peak bandwidth of the device memory, 1e9 bytes a second.", func(r *Machine) float64 {
					return r.Config.DRAMGBs()
				}),
				f64("pcie_gb_s", "Bandwidth of the link to the host each way, 1e9 bytes a second.", func(r *Machine) float64 {
					return r.Config.Host.PCIeGBs
				}),
				limit("hwqs", "Hardware work queues.", func(c *hardware.Config) int { return c.KMU.HWQs }),
				limit("kde_entries", "Entries of the kernel distributor.", func(c *hardware.Config) int { return c.KMU.Entries }),
				limit("page_bytes", "Page of the host and of the table pages.", func(c *hardware.Config) int {
					return c.Host.PageBytes
				}),
				text("trace_hash", "Hash of the trace's content.", false, func(r *Machine) string { return r.TraceHash }),
				text("tool_version", "Version and commit of replay.", false, func(r *Machine) string { return r.Tool }),
				text("command", "The command that makes this run again.", true, func(r *Machine) string { return r.Command }),
			}
		},
		From: func(f *feed, add func(*Machine)) { f.machine.to(add) },
	})
}
