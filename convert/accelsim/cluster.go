package accelsim

import (
	"bytes"

	"gpureplay/trace"
)

// cluster is where a CTA is in its thread block cluster.
type cluster struct {
	id, cta trace.Dim3
	rank    uint32
}

const (
	maxCluster = 64      // CTAs of a cluster along one dimension; GPUs take 16
	maxAhead   = 8 << 20 // bytes of a grouped capture looked at to find the shape
)

// reach makes shape hold the CTA.
func (c cluster) reach(shape *trace.Dim3) {
	for d, n := range c.cta {
		if n < maxCluster {
			shape[d] = max(shape[d], n+1)
		}
	}
}

// setCluster gives the kernel that shape, unless it is a single CTA.
func (k *kernel) setCluster(shape trace.Dim3) {
	if shape.Count() > 1 {
		k.h.kernel.Cluster = shape
	}
}

// checkCluster counts a CTA that is not in the kernel's clusters.
func (k *kernel) checkCluster(c cluster) {
	shape := k.h.kernel.Cluster
	for d, n := range c.cta {
		if n >= max(shape[d], 1) {
			k.n.add(clusterShape)
			return
		}
	}
}

// findCluster finds the shape of a grouped kernel's clusters behind its first
// CTA, which is at first: a row of CTAs, up to the first of another cluster.
func (k *kernel) findCluster(first cluster) error {
	var shape trace.Dim3
	first.reach(&shape)
	err := k.l.ahead(maxAhead, func(line []byte) bool {
		line = bytes.TrimSpace(line)
		if len(line) == 0 || line[0] != 'c' {
			return true
		}
		key, value, ok := keyValue(line)
		if !ok {
			return true
		}
		at, ok := dim3(value)
		switch {
		case ok && key == "cluster id":
			return at == first.id
		case ok && key == "cluster cta":
			cluster{cta: at}.reach(&shape)
		}
		return true
	})
	k.setCluster(shape)
	return err
}
