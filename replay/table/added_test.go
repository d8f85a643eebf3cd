package table_test

import (
	"context"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"gpureplay/model/hardware"
	"gpureplay/policies"
	"gpureplay/replay"
	"gpureplay/replay/table"
	"gpureplay/trace/container"
)

// A table that one file registers is known by name, listed last if it has no place, described, written by a replay
// in every format and readable; Its rows agree with the other tables.
func TestAddedTable(t *testing.T) {
	before := table.Names()
	table.AddOwn(t)
	if got, want := table.Names(), append(slices.Clone(before), "shares"); !slices.Equal(got, want) {
		t.Errorf("tables %v, want %v", got, want)
	}
	var b strings.Builder
	if err := table.Markdown(&b); err != nil || !strings.Contains(b.String(), "## shares\n\nOne row is one SM that "+
		"ran a CTA. Order: by SM.\n") {
		t.Errorf("docs/tables.md lacks it (%v)", err)
	}
	for _, format := range []string{table.Parquet, table.CSV} {
		dir := t.TempDir()
		replayInto(t, dir, format, []string{"shares", "ctas"})
		if found, _ := filepath.Glob(filepath.Join(dir, map[string]string{table.CSV: "csv"}[format],
			"[a-z]*")); len(found) != 2 {
			t.Errorf("%s: wrote %v", format, found)
		}
		want := map[uint64]uint64{}
		rows(t, dir, "ctas", func(b *table.Batch, row int) {
			sm, _ := b.Column("sm").Uint(row)
			want[sm]++
		})
		last := -1
		rows(t, dir, "shares", func(b *table.Batch, row int) {
			sm, _ := b.Column("sm").Uint(row)
			n, _ := b.Column("ctas").Uint(row)
			if n != want[sm] || int(sm) <= last {
				t.Errorf("%s: SM %d after %d: %d CTAs, want %d", format, sm, last, n, want[sm])
			}
			last = int(sm)
			delete(want, sm)
		})
		if last < 0 || len(want) > 0 {
			t.Errorf("%s: no row for the SMs of %v", format, want)
		}
	}
}

// The table is not wanted, so its listeners are not called.
func TestAddedTableUnwanted(t *testing.T) {
	table.AddOwn(t)
	dir := t.TempDir()
	replayInto(t, dir, table.Parquet, []string{"runs"})
	if found, _ := filepath.Glob(filepath.Join(dir, "[a-z]*")); len(found) != 1 {
		t.Errorf("wrote %v", found)
	}
}

// replayInto replays the sample of the repository.
func replayInto(t *testing.T, dir, format string, names []string) {
	t.Helper()
	r, err := container.Open("../../samples/vecadd.trace.zst")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	cfg, err := hardware.Preset("k20c")
	if err != nil {
		t.Fatal(err)
	}
	choices, err := policies.Parse("serial", nil)
	if err != nil {
		t.Fatal(err)
	}
	_, err = replay.Run(context.Background(), &replay.Job{
		Trace: r, Name: "vecadd", Config: cfg, Choices: choices,
		Output: &replay.Output{Dir: dir, Format: format, Tables: names},
	})
	if err != nil {
		t.Fatal(err)
	}
}

// rows calls f for each row of a table.
func rows(t *testing.T, dir, name string, f func(b *table.Batch, row int)) {
	t.Helper()
	parts, err := table.Find(dir, name)
	if err != nil || len(parts) != 1 {
		t.Fatalf("%s: found %v, %v", name, parts, err)
	}
	r, err := table.OpenReader(parts[0].Path, table.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	for {
		b, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		for row := range b.Rows {
			f(b, row)
		}
	}
}
