package table

import (
	"fmt"
	"io"
	"strings"
)

const intro = `# Output tables

Written from the declarations in replay/table; ` + "`go test ./replay/table -update`" + ` writes it anew.

A replay writes one file for each table, under keys that every engine knows as hive partitions, so that one glob opens
everything that was ever run:

    OUT/<table>/trace=<name>/policy=<name>/part-0.parquet

DuckDB:

    SELECT policy, cycles, speedup FROM read_parquet('OUT/runs/**/*.parquet', hive_partitioning=true)

pandas:

    pandas.read_parquet('OUT/ctas')

* ` + "`trace` and `policy`" + ` are columns of each table that come from the path; other characters than letters, digits and
  ` + "`-_.`" + ` are percent-encoded in it, and engines decode them. A name that looks like a number is read as one: in DuckDB
  ` + "`hive_types_autocast=0`" + ` keeps it text.
* Absent is NULL. pandas shows integers of a column with NULL as floats unless asked for ` + "`dtype_backend='pyarrow'`" + `.
* Times are cycles of the SM clock from the start of the run; columns in ns derive from them by the clock of the machine.
* What a policy adds of its own is in ` + "`metrics`" + `, one row for each figure, so that ` + "`runs`" + ` has the same columns for all.
* Key-values of each file: table, trace, policy, clock_mhz, and what the command adds (version, hash of the trace, the whole
  configuration). DuckDB: ` + "`parquet_kv_metadata`" + `; pyarrow: ` + "`schema.metadata`" + `.
* A replay again replaces all its tables. Files have their final names only when all tables are complete; that of ` + "`runs`" + `
  comes last, so where a row of it is, the rest is there. Of two replays at once that would write the same trace and policy to one
  folder, the second ends with an error.
* ` + "`--format=arrow`" + ` writes IPC files, which can be memory-mapped but have no checksums; ` + "`--format=csv`" + ` writes NULL and the
  empty text alike, lists as JSON arrays, and no key-values.
* ` + "`replay sweep`" + ` merges the tables of its cells into one file each, OUT/<table>.parquet, with the columns ` + "`cell, trace, gpu`" + `, one
  ` + "`set_<key>`" + ` for each setting that it varies, and ` + "`policy`" + ` in front: ` + "`SELECT * FROM 'OUT/runs.parquet'`" + `. The tables of a cell as a replay
  writes them are under OUT/cells/<cell>.

Ready queries are in samples/queries.
`

// Markdown writes TABLES.md.
func Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(intro)
	for _, d := range Describe() {
		fmt.Fprintf(&b, "\n## %s\n\nOne row is %s. Order: %s.\n\n| column | type | |\n| --- | --- | --- |\n", d.Name, d.Row, d.Order)
		for _, c := range d.Columns {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, TypeText(c), c.Doc)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// TypeText returns a column's type with its words or whether it may be NULL.
func TypeText(c Column) string {
	switch {
	case c.Values != nil:
		return strings.Join(c.Values, ", ")
	case c.Nullable:
		return c.Type.String() + " or NULL"
	}
	return c.Type.String()
}
