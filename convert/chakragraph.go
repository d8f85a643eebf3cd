package convert

import "container/heap"

// Dependences on data make a graph without circles. Control dependences may close one with them: in captures of
// PyTorch they lead to the calling operator, and a caller depends on data of its callees. So a control dependence
// counts only where it closes no circle. All between operators without a common circle count, the others if they
// agree with an order of the rest.

// lists are linked lists of followers; place 0 is none.
type lists struct{ head, next, node []uint32 }

// followers says who waits for whom, in the order of the file.
func (g *chakraGraph) followers() lists {
	l := lists{head: make([]uint32, len(g.nodes)), next: make([]uint32, 1), node: make([]uint32, 1)}
	for i := len(g.nodes) - 1; i >= 0; i-- {
		for _, d := range g.dependences(uint32(i)) {
			l.next = append(l.next, l.head[d])
			l.node = append(l.node, uint32(i))
			l.head[d] = uint32(len(l.node) - 1)
		}
	}
	return l
}

func (g *chakraGraph) dependences(i uint32) []uint32 {
	n := &g.nodes[i]
	return g.deps[n.first : n.first+n.count]
}

// link turns ids into indices: data dependences, and the control dependences that
// close no circle.
func (g *chakraGraph) link() {
	for i := range g.nodes {
		n := &g.nodes[i]
		n.first = uint32(len(g.deps))
		for at, id := range n.ids {
			if d, ok := g.index[id]; !ok {
				g.counts.missing++
			} else {
				if g.deps = append(g.deps, d); at < int(n.data) {
					n.linked++
				}
			}
		}
		n.ids = nil
		n.count = uint32(len(g.deps)) - n.first
	}
	circle := g.circles()
	g.keep(func(i, d uint32) bool { return circle[i] != circle[d] }, false)
	rank := make([]uint32, len(g.nodes))
	for at, i := range g.order() {
		rank[i] = uint32(at) + 1 // 0: in a circle of data
	}
	g.restore()
	g.keep(func(i, d uint32) bool { return circle[i] != circle[d] || rank[d] > 0 && rank[d] < rank[i] }, true)
}

// keep puts the control dependences for which it holds in front of the others, so
// that those count which come first; count says how many there are in all.
func (g *chakraGraph) keep(holds func(i, d uint32) bool, last bool) {
	for i := range g.nodes {
		n := &g.nodes[i]
		kept := n.linked
		all := g.deps[n.first : n.first+n.count]
		for at := n.linked; at < n.count; at++ {
			if holds(uint32(i), all[at]) {
				all[kept], all[at] = all[at], all[kept]
				kept++
			}
		}
		if last {
			g.counts.circular += uint64(n.count - kept)
		}
		n.all, n.count = n.count, kept
	}
}

// restore makes all dependences count again.
func (g *chakraGraph) restore() {
	for i := range g.nodes {
		g.nodes[i].count = g.nodes[i].all
	}
}

// order returns the operators in an order that respects the dependences that count, ready ones in the order of the
// file. Operators in a circle, and behind one, are left out.
func (g *chakraGraph) order() []uint32 {
	followers := g.followers()
	waiting := make([]uint32, len(g.nodes))
	ready := &places{}
	for i := range g.nodes {
		if waiting[i] = g.nodes[i].count; waiting[i] == 0 {
			*ready = append(*ready, uint32(i))
		}
	}
	var out []uint32
	for ready.Len() > 0 {
		i := heap.Pop(ready).(uint32)
		out = append(out, i)
		for f := followers.head[i]; f != 0; f = followers.next[f] {
			if n := followers.node[f]; waiting[n] == 1 {
				heap.Push(ready, n)
			} else {
				waiting[n]--
			}
		}
	}
	return out
}

// places is a heap, the first place of the file on top.
type places []uint32

func (p places) Len() int           { return len(p) }
func (p places) Less(i, j int) bool { return p[i] < p[j] }
func (p places) Swap(i, j int)      { p[i], p[j] = p[j], p[i] }
func (p *places) Push(x any)        { *p = append(*p, x.(uint32)) }
func (p *places) Pop() any {
	last := (*p)[len(*p)-1]
	*p = (*p)[:len(*p)-1]
	return last
}

// circles gives operators that depend on each other in circles the same number,
// and all others one of their own (Tarjan's algorithm, without recursion).
func (g *chakraGraph) circles() []uint32 {
	n := len(g.nodes)
	number, low, circle := make([]uint32, n), make([]uint32, n), make([]uint32, n)
	at := make([]uint32, n) // the next dependence to look at
	on := make([]bool, n)
	var stack, path []uint32
	next := uint32(1)
	for root := range n {
		if number[root] != 0 {
			continue
		}
		path = append(path[:0], uint32(root))
		for len(path) > 0 {
			v := path[len(path)-1]
			if number[v] == 0 {
				number[v], low[v] = next, next
				next++
				stack, on[v] = append(stack, v), true
			}
			if deps := g.dependences(v); int(at[v]) < len(deps) {
				d := deps[at[v]]
				at[v]++
				if number[d] == 0 {
					path = append(path, d)
				} else if on[d] {
					low[v] = min(low[v], number[d])
				}
				continue
			}
			path = path[:len(path)-1]
			if len(path) > 0 {
				low[path[len(path)-1]] = min(low[path[len(path)-1]], low[v])
			}
			if low[v] != number[v] {
				continue
			}
			for {
				w := stack[len(stack)-1]
				stack, on[w], circle[w] = stack[:len(stack)-1], false, number[v]
				if w == v {
					break
				}
			}
		}
	}
	return circle
}
