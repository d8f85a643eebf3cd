package reproduce

import "slices"

// Shared parts of the experiments of the two papers on child launches.

// freeHost makes file reads, copies and the host's own time free: the papers'
// figures are of the kernels.
var freeHost = []string{"host.storage_mb_s=0", "host.pcie_gb_s=0", "host.copy_latency_ns=0",
	"host.launch_overhead_ns=0"}

// Real inputs, as settings under the folder of the data.
const (
	packetsFile = "packets=packets-tcpdump/afs.pcap"
	flightsFile = "graph=graphs-openflights/routes.dat"
)

// child is a workload with nested parallelism.
func child(name, sample string, params ...string) Workload {
	return Workload{Name: name, Sample: sample, Params: params}
}

// quick marks a workload as one of the small set.
func quick(w Workload) Workload {
	w.Quick = true
	return w
}

// real gives a workload a real input.
func real(file string, w Workload) Workload {
	w.File = file
	return w
}

// flatBFS gives a search the flat program's own code, which expands by CTA, by warp and
// by a scan, as the DTBL paper's baseline does (5.2 A).
func flatBFS(w Workload) Workload {
	w.Flat = []string{"form=flat"}
	return w
}

// inlined lets flat inline the children of workloads: where SPAWN refuses one, a thread
// does its work in a loop (SPAWN paper, figures 1 and 3).
func inlined(all []Workload) []Workload {
	for i := range all {
		all[i].Flat = nil
	}
	return all
}

// seeded gives workloads another seed, but for those that have none.
func seeded(all []Workload, seed string, without ...string) []Workload {
	for i := range all {
		if !slices.Contains(without, all[i].Name) {
			all[i].Params = override(all[i].Params, []string{"seed=" + seed})
		}
	}
	return all
}

// pick returns the workloads of those names.
func pick(all []Workload, names ...string) []Workload {
	var some []Workload
	for _, n := range names {
		for _, w := range all {
			if w.Name == n {
				some = append(some, w)
			}
		}
	}
	return some
}

// largeChildren are those that the papers' inputs and the suite's own run lines reach, or come near, within
// minutes. The citation graph has citationCiteseer's vertices, edges and highest degree.
func largeChildren() []Workload {
	return []Workload{
		flatBFS(child("BFS-citation", "dp-bfs", "input=citation", "vertices=268495")),
		flatBFS(child("BFS-graph500", "dp-bfs", "input=graph500", "scale=18")),
		child("SSSP-citation", "dp-sssp", "input=citation", "vertices=268495"),
		child("JOIN-uniform", "dp-join", "distribution=uniform", "left-order=drawn", "left=204800", "right=204800",
			"keys=1024"),
		child("REGX-string", "dp-regx", "strings=16000"),
		flatBFS(child("BFS-cage", "dp-bfs", "input=cage", "vertices=851968")),
		child("AMR", "dp-amr", "side=64"),
		child("CLR-citation", "dp-gc", "input=citation", "vertices=26880"),
		child("SSSP-graph500", "dp-sssp", "input=graph500", "scale=16"),
	}
}
