package graph

import (
	"slices"
	"testing"
)

// cages are the rows and entries of the collection's matrices, and the longest rows where they are
// known: of cage10 from MAGMA's list of test matrices, of cage15 from the collection.
var cages = []struct{ rows, entries, longest int }{
	{5, 19, 0}, {9, 49, 0}, {37, 233, 0}, {93, 785, 0}, {340, 3084, 0}, {1015, 11003, 0}, {3534, 41594, 0},
	{11397, 150645, 25},
	{39082, 559722, 0}, {130228, 2032536, 0}, {445315, 7479343, 0}, {1505785, 27130349, 0}, {5154859, 99199551, 47},
}

// The cage model has the rows, the entries and the longest row of the matrices cage3 to cage11, and
// its arcs go both ways; with -v cage12 and cage13 too.
func TestCage(t *testing.T) {
	for i, c := range cages {
		if c.rows > 50_000 && (!testing.Verbose() || c.rows > 2_000_000) {
			break
		}
		g, err := Cage(c.rows)
		if err != nil {
			t.Fatal(err)
		}
		if g.Vertices() != c.rows || g.Arcs()+c.rows != c.entries || c.longest > 0 && g.Degree(g.Hub())+1 != c.longest {
			t.Errorf("cage%d: %d rows, %d entries, longest %d; want %d, %d and %d", i+3,
				g.Vertices(), g.Arcs()+g.Vertices(), g.Degree(g.Hub())+1, c.rows, c.entries, c.longest)
		}
		for v := range min(g.Vertices(), 4000) {
			for _, u := range g.Neighbours(v) {
				if !slices.Contains(g.Neighbours(int(u)), uint32(v)) {
					t.Fatalf("cage%d: arc %d to %d has no reverse", i+3, v, u)
				}
			}
		}
	}
	if _, err := Cage(4); err == nil {
		t.Error("a cage of 4 rows is made")
	}
}

// The degrees that Banded draws from are of as many rows and entries as cage15.
func TestCage15Degrees(t *testing.T) {
	rows, entries := 0, 0
	for degree, n := range cage15Degrees {
		rows, entries = rows+n, entries+n*(degree+1)
	}
	if last := cages[len(cages)-1]; rows != last.rows || entries != last.entries || len(cage15Degrees) != last.longest {
		t.Errorf("%d rows with %d entries, at most %d; want %v", rows, entries, len(cage15Degrees), last)
	}
}
