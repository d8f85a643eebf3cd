package accelsim

import "gpureplay/trace"

// cluster is where a CTA is in its thread block cluster.
type cluster struct {
	id, cta trace.Dim3
	rank    uint32
}

// clusterCTA counts CTAs whose cluster is not kept.
func (k *kernel) clusterCTA(_ trace.Dim3, c cluster) {
	if c.rank > 0 && k.h.kernel.Cluster.Count() <= 1 {
		k.n.add(clusterShape)
	}
}
