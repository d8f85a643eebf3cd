package crcs

import "sort"

// pageIndex finds the arrays that a page lies in: entries by first page, with
// the largest end so far, which is sorted however arrays overlap.
type pageIndex struct {
	entries []pageIndexEntry
	sorted  bool
}

type pageIndexEntry struct {
	first, end, most int32
	array            int
}

func (x *pageIndex) add(first, count int32) {
	x.entries = append(x.entries, pageIndexEntry{first: first, end: first + count, array: len(x.entries)})
	x.sorted = false
}

// each calls f with the number of every array that page i lies in. Arrays of one page come in the order of their
// addition, others by first page.
func (x *pageIndex) each(i int32, f func(array int)) {
	if !x.sorted {
		x.sorted = true
		sort.SliceStable(x.entries, func(a, b int) bool { return x.entries[a].first < x.entries[b].first })
		most := int32(0)
		for n := range x.entries {
			most = max(most, x.entries[n].end)
			x.entries[n].most = most
		}
	}
	n := sort.Search(len(x.entries), func(n int) bool { return x.entries[n].most > i })
	for ; n < len(x.entries) && x.entries[n].first <= i; n++ {
		if x.entries[n].end > i {
			f(x.entries[n].array)
		}
	}
}
