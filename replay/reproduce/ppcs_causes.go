package reproduce

import "gpureplay/model"

// ppcsCauses are experiments in which one thing alone is changed, to show what it is
// worth.
var ppcsCauses = []Experiment{
	ppcsCause("sectors", "Caches that fetch sectors of 32 B, not lines", "l1.sector_bytes=32", "l2.sector_bytes=32"),
	ppcsCause("write-back", "An L2 that keeps what is stored, fetching as before", "l2.write_back=true"),
	{
		Name: "slow", Title: "BFS on a GPU of a quarter of its clocks, speedup over serial: kernels that take more of the program", Head: "workload", GPU: ppcsMachine,
		Set:       []string{"clock.core_mhz=175", "clock.icnt_mhz=175", "clock.l2_mhz=231", "clock.dram_mhz=400"},
		Workloads: ppcsWorkloads("BFS"), Policies: "serial,single-overlap,crcs,ppcs",
		Columns: append(speedups("serial", "single-overlap", "crcs", "ppcs"), kernelsOfSerial),
	},
}

var kernelsOfSerial = Column{Name: "kernels of serial", Unit: "%", Digits: 1, Of: stageShare("serial", model.StageKernel)}

// ppcsCause runs those workloads whose kernels write what the next ones read on another machine.
func ppcsCause(name, title string, set ...string) Experiment {
	return Experiment{
		Name: name, Title: title + ": speedup over serial", Head: "workload", GPU: ppcsMachine, Set: set,
		Workloads: ppcsWorkloads("HSP", "LPC"), Policies: "serial,crcs,ppcs",
		Columns: append(speedups("serial", "crcs", "ppcs"), kernelsOfSerial),
	}
}

// ahead is by how many points of speedup over base one policy is before another.
func ahead(policy, other, base string) func(*Row) float64 {
	one, two := over(policy, base), over(other, base)
	return func(r *Row) float64 { return one(r) - two(r) }
}
