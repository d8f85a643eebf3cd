package graph

import (
	"testing"

	"gpureplay/trace/tracetest"
)

// real is a row of the table of graphs in the captures' README: counted there by
// a script that shares no code with this package. Its "levels" are those after
// the source's, of the first vertex of the highest degree; its last row starts
// from the file's own source, 0, and counts its level too.
type real struct {
	name, folder, file                string
	mirrored                          bool
	vertices, arcs, most              int
	atLeast                           [4]int // vertices of degree 32, 64, 128, 256 or more
	depth, reached                    int
	children, childCTAs, allChildCTAs int
}

var reals = []real{
	{"rmat12.sym", "graphs-klap-inputs", "rmat12.sym.gr", false, 4096, 59320, 201, [4]int{470, 79, 10, 0}, 5, 3939, 470,
		579, 4481},
	{"bcsstk13", "graphs-klap-inputs", "bcsstk13.mtx", false, 2003, 83883, 95, [4]int{1120, 354, 0, 0}, 8, 2003, 1120,
		1474, 3449},
	{"astro-ph", "graphs-networkit", "astro-ph.graph", false, 16706, 242502, 360, [4]int{2257, 501, 68, 8}, 8, 14845,
		2257, 3083, 19043},
	{"hep-th", "graphs-networkit", "hep-th.graph", false, 8361, 31502, 50, [4]int{18, 0, 0, 0}, 12, 5835, 18, 18, 7627},
	{"PGP", "graphs-networkit", "PGPgiantcompo.graph", false, 10680, 48632, 205, [4]int{207, 26, 2, 0}, 12, 10680, 207,
		244, 10914},
	{"polblogs", "graphs-networkit", "polblogs.graph", false, 1490, 33430, 351, [4]int{351, 165, 33, 5}, 5, 1222, 351,
		660, 1861},
	{"power", "graphs-networkit", "power.graph", false, 4941, 13188, 19, [4]int{}, 32, 4941, 0, 0, 4941},
	{"wiki-Vote", "graphs-networkit", "wiki-Vote.txt", false, 7115, 103689, 893, [4]int{822, 427, 158, 40}, 4, 2316,
		822, 2078, 8161},
	{"MIT8", "graphs-networkit", "MIT8.edgelist", true, 6440, 502504, 708, [4]int{4225, 2961, 1308, 234}, 5, 6402, 4225,
		12958, 19244},
	{"email-Enron", "graphs-email-enron", "email-Enron.txt.gz", false, 36692, 367662, 1383, [4]int{2154, 998, 380, 124},
		8, 33696, 2154, 5590, 42189},
	{"rgg", "graphs-kahip", "rgg_n_2_15_s0.graph", false, 32768, 320480, 24, [4]int{}, 177, 32759, 0, 0, 32766},
	{"delaunay", "graphs-kahip", "delaunay_n15.graph", false, 32768, 196548, 18, [4]int{}, 73, 32768, 0, 0, 32768},
	{"openflights", "graphs-openflights", "routes.dat", false, 3425, 67663, 915, [4]int{453, 260, 127, 42}, 9, 3378,
		453, 1420, 4819},
	{"bayer10", "matrices-suitesparse", "bayer10.mtx", false, 13436, 94926, 27, [4]int{}, 14, 13436, 0, 0, 13436},
	{"cryg2500", "matrices-suitesparse", "cryg2500.mtx", false, 2500, 12349, 5, [4]int{}, 96, 2500, 0, 0, 2500},
	{"as20", "graphs-small-bench", "snap-as20graph.txt", false, 6474, 26467, 1459, [4]int{80, 31, 16, 6}, 5, 6474, 80,
		251, 6722},
	{"rodinia", "graph-rodinia-bfs-65536", "graph65536.txt.gz", false, 65536, 393216, 24, [4]int{}, 9, 65536, 0, 0, 65536},
}

func TestRealGraphs(t *testing.T) {
	for _, want := range reals {
		t.Run(want.name, func(t *testing.T) {
			g, err := Open(tracetest.Data(t, want.folder, want.file), Options{Mirrored: want.mirrored})
			if err != nil {
				t.Fatal(err)
			}
			got := real{
				name: want.name, folder: want.folder, file: want.file, mirrored: want.mirrored, vertices: g.Vertices(),
				arcs: g.Arcs(), most: g.Degree(g.Hub()),
			}
			for v := range g.Vertices() {
				d := g.Degree(v)
				for i, least := range []int{32, 64, 128, 256} {
					if d >= least {
						got.atLeast[i]++
					}
				}
				if d >= 32 {
					got.children++
				}
				got.childCTAs += d / 32
				got.allChildCTAs += (d + 31) / 32
			}
			source := g.Hub()
			if want.name == "rodinia" {
				source = 0
			}
			for _, level := range g.Levels(source) {
				if level >= 0 {
					got.reached++
					got.depth = max(got.depth, int(level))
				}
			}
			if got != want {
				t.Errorf("\n got %+v\nwant %+v", got, want)
			}
		})
	}
}

func TestRodiniaLevelSizes(t *testing.T) {
	g, err := Open(tracetest.Data(t, "graph-rodinia-bfs-65536", "graph65536.txt.gz"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	want := [10]int{1, 8, 48, 298, 1824, 9770, 31757, 20959, 865, 6}
	var got [10]int
	for _, level := range g.Levels(0) {
		got[level]++
	}
	if got != want {
		t.Errorf("level sizes %v, want %v", got, want)
	}
}

// The remaining files of the captures open too, each in its own format.
func TestOtherRealFiles(t *testing.T) {
	for _, f := range []struct {
		folder, file   string
		vertices, arcs int
		cols           int
	}{
		{"graphs-small-bench", "dragon_li-sample.gr", 38, 78, 38},
		{"graphs-small-bench", "graphbig-small-edge.csv", 998, 29790, 998},
		{"graphs-networkit", "celegans_metabolic.graph", 453, 4050, 453},
		{"graphs-networkit", "wing.graph", 62032, 243088, 62032},
		{"matrices-suitesparse", "Franz6_id1959_aug.mtx", 10592, 48472, 3016},
	} {
		g, err := Open(tracetest.Data(t, f.folder, f.file), Options{})
		if err != nil {
			t.Error(err)
			continue
		}
		if g.Vertices() != f.vertices || g.Arcs() != f.arcs || g.Columns() != f.cols {
			t.Errorf("%s: %d x %d with %d arcs, want %d x %d with %d", f.file, g.Vertices(), g.Columns(), g.Arcs(),
				f.vertices, f.cols, f.arcs)
		}
	}
}
