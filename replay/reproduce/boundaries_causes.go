package reproduce

import "strings"

// twoLayers is an eighth of the decode body.
func twoLayers(name string, params ...string) Workload {
	return Workload{Name: name, Sample: "llm-decode", Params: append([]string{"layers=2", "vocabulary=0"}, params...)}
}

// on is a workload on a machine with other settings.
func on(w Workload, set ...string) Workload {
	w.Set = set
	return w
}

// layerChanges are the decode program and its machine with one thing changed at a time: a cost that goes away, doubles,
// or a limit that goes away.
func layerChanges() []Workload {
	return []Workload{
		twoLayers("none"),
		on(twoLayers("dispatch of a kernel: free"), "kmu.dispatch_latency=0"),
		on(twoLayers("dispatch of a kernel: twice"), "kmu.dispatch_latency=x2"),
		on(twoLayers("first issue of a CTA: free"), "sm.cta_launch_latency=0", "sm.warp_launch_gap=0"),
		on(twoLayers("first issue of a CTA: twice"), "sm.cta_launch_latency=x2", "sm.warp_launch_gap=x2"),
		on(twoLayers("placing of CTAs: all in a cycle"), "kmu.ctas_per_cycle=4096"),
		on(twoLayers("latency of the L2: none"), "l2.latency=0"),
		on(twoLayers("latency of the L2: twice"), "l2.latency=x2"),
		on(twoLayers("constant latency of DRAM: none"), "dram.latency=0"),
		on(twoLayers("constant latency of DRAM: twice"), "dram.latency=x2"),
		on(twoLayers("bandwidth of DRAM: twice"), "dram.bus_bytes=x2"),
		on(twoLayers("bandwidth of DRAM: half"), "dram.bus_bytes=x0.5"),
		on(twoLayers("L1 MSHRs: any number"), "l1.mshrs=0"),
		on(twoLayers("L2 MSHRs and merged requests: any number"), "l2.mshrs=0", "l2.merge=0"),
		twoLayers("loads in flight: 8", "loads=8"),
		twoLayers("loads in flight: 32", "loads=32"),
		twoLayers("weights through the L1", "weights=l1"),
		twoLayers("rows dealt to warps, not blocks to CTAs", "deal=rows"),
	}
}

// runtimeChanges are the settings of a megakernel, one changed at a time.
var runtimeChanges = [][2]string{
	{"none", "megakernel"},
	{"latency of tasks: none", "megakernel,task-latency=0"},
	{"loads ahead: none", "megakernel,prefetch=0"},
	{"loads ahead: any number of pages", "megakernel,prefetch=1024"},
	{"queue: any number of tasks", "megakernel,queue=1048576"},
	{"queue: one task", "megakernel,queue=1"},
	{"scheduler warps: 4", "megakernel,schedulers=4"},
	{"scheduler warps: 100 ns for a decision, not none", "megakernel,decision=100"},
	{"dependences by kernel", "megakernel,grain=kernel"},
}

// underChange is a row's time under the policy of its change.
func underChange(r *Row) float64 {
	for _, c := range runtimeChanges {
		if c[0] == r.Workload.Name {
			return body(c[1])(r)
		}
	}
	return none
}

// runtimePolicies are all policies of the changes, as --policy takes them, and a row for each.
func runtimePolicies() (policies string, rows []Workload) {
	var all []string
	for _, c := range runtimeChanges {
		all, rows = append(all, c[1]), append(rows, twoLayers(c[0]))
	}
	return strings.Join(all, ","), rows
}

// barrierChanges are the small kernels on the GPUs whose barriers miss most, with one thing of the machine changed.
func barrierChanges() (all []Workload) {
	changes := []struct {
		name string
		set  []string
	}{
		{"none", nil},
		{"latency of the L2: none", []string{"l2.latency=0"}},
		{"latency in front of the crossbar: none", []string{"l1.bypass_latency=0"}},
		{"constant latency of DRAM: none", []string{"dram.latency=0"}},
		{"latency of the crossbar: none", []string{"icnt.latency=0"}},
		{"placing of tasks: all in a cycle", []string{"kmu.ctas_per_cycle=4096"}},
		{"tasks end before their stores", []string{"sm.stores_hold_cta=false"}},
		{"global loads past the L1", []string{"l1.global_loads=false"}},
	}
	for _, gpu := range []string{gpus[2], gpus[4]} {
		for _, c := range changes {
			all = append(all, Workload{Name: gpu + ": " + c.name, GPU: gpu, Sample: "scale", Params: []string{"kernels=512"},
				Set: c.set})
		}
	}
	return all
}

// boundaryCauses are experiments that change one thing alone, to show its effect.
func boundaryCauses() []Experiment {
	const immediate = barrier + ",task-latency=0"
	settings, rows := runtimePolicies()
	return []Experiment{
		{
			Name: "barriers", Title: "µs a kernel of 4,096 doubles with a barrier, with one thing changed", Head: "GPU, change",
			GPU: "h200", Policies: barrier + "," + immediate,
			Workloads: barrierChanges(),
			Columns: []Column{
				{Name: "barrier", Digits: 2, Of: perKernel(barrier)},
				{Name: "and tasks without a latency", Digits: 2, Of: perKernel(immediate)},
			},
		},
		{
			Name: "layers", Title: "µs of two layers of the decode body, with one thing of program or machine changed",
			Head: "change", GPU: "h100", Set: []string{sxmMemory}, Large: true, Unaudited: true,
			Policies: "graph,megakernel", Workloads: layerChanges(),
			Columns: []Column{
				{Name: "graph", Digits: 1, Of: body("graph")},
				{Name: "megakernel", Digits: 1, Of: body("megakernel")},
			},
		},
		{
			Name: "runtime", Title: "µs of two layers of the decode body, with one setting of the megakernel changed",
			Head: "change", GPU: "h100", Set: []string{sxmMemory}, Large: true, Unaudited: true,
			Policies: settings, Workloads: rows,
			Columns: []Column{{Name: "megakernel", Digits: 1, Of: underChange}},
		},
	}
}
