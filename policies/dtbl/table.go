package dtbl

// table is the aggregated group table. A group that finds no entry keeps its record in
// global memory (DTBL paper, section 4.2).
type table struct {
	used   []bool
	hashed bool    // the launching hardware thread names the entry; otherwise any free one
	spare  []int32 // free entries, the next one last, if not hashed
	n      int
	most   int
}

func newTable(size int, hashed bool) *table {
	a := &table{used: make([]bool, size), hashed: hashed}
	for i := size - 1; i >= 0 && !hashed; i-- {
		a.spare = append(a.spare, int32(i))
	}
	return a
}

// allocate returns an entry for a group of a hardware thread, or -1 if there is
// none.
func (a *table) allocate(tid uint32) int32 {
	if len(a.used) == 0 {
		return -1
	}
	i := int32(tid & uint32(len(a.used)-1))
	if !a.hashed {
		if len(a.spare) == 0 {
			return -1
		}
		i, a.spare = a.spare[len(a.spare)-1], a.spare[:len(a.spare)-1]
	}
	if a.used[i] {
		return -1
	}
	a.used[i] = true
	a.n++
	a.most = max(a.most, a.n)
	return i
}

func (a *table) free(i int32) {
	a.used[i] = false
	a.n--
	if !a.hashed {
		a.spare = append(a.spare, i)
	}
}
