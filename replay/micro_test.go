package replay

import (
	"encoding/csv"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"gpureplay/model"
	"gpureplay/trace/tracetest"
)

// TestMicro compares small programs of one behaviour each with Accel-Sim: net cycles, sectors that the levels of
// memory count, and row hits of DRAM. It prints the differences; nothing is fitted to them.
func TestMicro(t *testing.T) {
	dir := tracetest.Data(t, "accelsim-micro")
	var errs []float64
	for _, row := range readTSV(t, filepath.Join(dir, "reference.tsv")) {
		preset := map[string]string{"SM7_QV100": "qv100", "SM86_RTX3070": "rtx3070"}[row["config"]]
		cycles, sum := replayed(t, filepath.Join(dir, filepath.FromSlash(row["case"]), "kernelslist.g"), preset)
		var got model.Time
		for _, n := range cycles {
			got += n
		}
		e := percentOff(float64(got), number(t, row["net_cycles"]))
		errs = append(errs, math.Abs(e))
		hits := float64(sum.Memory[2].RowHits) / float64(max(1, sum.Memory[2].Accesses))
		t.Logf("%-14s %6d cycles, reference %s (%+.1f %%); L2 %d of %s, misses %d of %s; DRAM reads %d of %s, writes %d "+
			"of %s; row hits %.3f of %s", row["case"], got, row["net_cycles"], e,
			sum.Memory[1].Accesses, row["l2_accesses"], sum.Memory[1].Misses, row["l2_misses"], sum.Memory[2].ReadSectors,
			row["dram_reads"],
			sum.Memory[2].WriteSectors, row["dram_writes"], hits, row["row_hits"])
	}
	slices.Sort(errs)
	t.Logf("median error %.1f %%, worst %.1f %%", errs[len(errs)/2], errs[len(errs)-1])
}

// readTSV returns the rows of a table by the names of its columns.
func readTSV(t *testing.T, path string) (rows []map[string]string) {
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma = '\t'
	all, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	for _, fields := range all[1:] {
		row := map[string]string{}
		for i, name := range all[0] {
			row[name] = fields[i]
		}
		rows = append(rows, row)
	}
	return rows
}

func number(t *testing.T, text string) float64 {
	n, err := strconv.ParseFloat(text, 64)
	if err != nil {
		t.Fatal(err)
	}
	return n
}
