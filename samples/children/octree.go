package children

// deepest is how often an octree divides before bodies share a leaf.
const deepest = 24

// node is a node of an octree in depth-first order: a traversal goes on at the
// next node, or at skip to leave out the node's descendants.
type node struct {
	x, y, z, mass float64 // centre of mass
	size          float64 // side of the cube
	skip          int32
	leaf          bool
}

// body is a point mass.
type body struct{ x, y, z, mass, vx, vy, vz float64 }

// buildOctree returns the octree over bodies in the cube from 0 to side.
func buildOctree(bodies []body, side float64) []node {
	ids := make([]int, len(bodies))
	for i := range ids {
		ids[i] = i
	}
	t := &octree{bodies: bodies}
	t.add(ids, 0, 0, 0, side, 0)
	return t.nodes
}

type octree struct {
	bodies []body
	nodes  []node
}

// add adds the cube at (x, y, z) with those bodies.
func (t *octree) add(ids []int, x, y, z, size float64, depth int) {
	at := len(t.nodes)
	t.nodes = append(t.nodes, node{})
	n := node{size: size, leaf: len(ids) == 1 || depth == deepest}
	for _, i := range ids {
		b := &t.bodies[i]
		n.mass += b.mass
		n.x, n.y, n.z = n.x+b.mass*b.x, n.y+b.mass*b.y, n.z+b.mass*b.z
	}
	n.x, n.y, n.z = n.x/n.mass, n.y/n.mass, n.z/n.mass
	if !n.leaf {
		half := size / 2
		var parts [8][]int
		for _, i := range ids {
			b, part := &t.bodies[i], 0
			for axis, above := range [3]bool{b.x >= x+half, b.y >= y+half, b.z >= z+half} {
				if above {
					part |= 1 << axis
				}
			}
			parts[part] = append(parts[part], i)
		}
		for part, ids := range parts {
			if len(ids) > 0 {
				t.add(ids, x+half*float64(part&1), y+half*float64(part>>1&1), z+half*float64(part>>2), half, depth+1)
			}
		}
	}
	n.skip = int32(len(t.nodes))
	t.nodes[at] = n
}
