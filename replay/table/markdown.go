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

    OUT/<table>/trace=<name>/gpu=<name>/set=<settings>/policy=<name>/part-0.parquet

DuckDB:

    SELECT policy, cycles FROM read_parquet('OUT/runs/**/*.parquet', hive_partitioning=true)

pandas:

    pandas.read_parquet('OUT/ctas')

* ` + "`trace`, `gpu`, `set` and `policy`" +
	` are columns of each table that come from the path, and what a run is known by: the same run again
  replaces itself, another never. ` + "`set`" + ` is ` + "`preset`" +
	` where nothing differs from the preset; else it has what does, as words with
  commas (` + "`kmu.hwqs=64,sm.count=26`" + `; of a machine from a file its hash), and what is set of the run (` +
	"`launch=3500`, `as_tasks=streams`" + `). The
  table ` + "`settings`" +
	` has the same as numbers, with the parameters of the policy. A second trace of a name that the folder has already gets the
  beginning of its hash behind it (` + "`bfs~1a2b3c4d`" + `).
* Other characters than letters, digits and ` + "`-_.`" +
	` are percent-encoded in the path, and engines decode them. A name that engines would read as a
  number, a date, a truth value or NULL has an underscore in front: the traces 007 and 7 are ` + "`_007` and `_7`" + `.
* A speed-up is no column: it is the cycles of a named baseline over those of a run, of the same trace, gpu and set. What has no such
  baseline has none. ` + "`samples/queries/speedup.sql`" + ` joins them; ` + "`runs.baselines`" +
	` names what the policy's papers compare it with.
* Absent is NULL. pandas shows integers of a column with NULL as floats unless asked for ` + "`dtype_backend='pyarrow'`" + `.
* Counts, sizes and ids are int64, so that differences and sums work everywhere; page numbers alone are unsigned.
* Times are cycles of the SM clock from the start of the run; columns in ns derive from them by the clock of the machine.
* What a policy adds of its own is in ` + "`metrics`" + `, one row for each figure, so that ` + "`runs`" +
	` has the same columns for all.
* Key-values of each file: table, trace, gpu, set, policy, clock_mhz, columns (a JSON object: what each column is), and what the command adds:
  tool_version with the commit, the command that makes this run again, trace_hash, policy_settings, seed, the whole configuration. DuckDB:
  ` + "`parquet_kv_metadata`" + `; pyarrow: ` + "`schema.metadata`" + `.
* A run is written to OUT/.runs, which engines do not see, with a manifest of its files, their sizes and checksums; it becomes the run by one rename
  of a folder when all is durable, and then its files take their places, each at once, that of ` + "`runs`" +
	` last. Whoever is killed in between, the next
  command that reads or writes OUT does the rest; ` + "`replay verify OUT`" +
	` checks all files, and whatever reads one here checks its size: CSV that was
  cut between two lines would be a shorter table. Of two replays at once that would write the same run to one folder, the second ends with an error.
* Tables that a run again was not asked for stay, if the same build of replay wrote them; else they are removed, and the command says so.
  A run that was cut off (` + "`complete`" + ` is false) never replaces a complete one.
* ` + "`--format=arrow`" +
	` writes IPC files under OUT/arrow/<table>, which can be memory-mapped but have no checksums; ` + "`--format=csv`" +
	` writes to
  OUT/csv/<table>, NULL and the empty text alike, lists as JSON arrays, no key-values, and an apostrophe before a text that begins with = + - or @, since spreadsheets
  take that for a formula. Formats of a run lie beside each other.
* ` + "`replay sweep`" + ` merges the tables of its cells into one file each, OUT/<table>.parquet, with the columns ` + "`cell, trace, gpu`" + `, one
  ` + "`set_<key>`" + ` for each setting that it varies, and ` + "`policy`" + ` in front, and in runs ` +
	"`baseline` and `speedup`" + `: ` + "`SELECT * FROM 'OUT/runs.parquet'`" + `. The tables
  of a cell as a replay writes them are under OUT/cells/<cell>. The merged files have a manifest too, and ` + "`replay verify OUT`" + ` checks them and all cells.

Ready queries are in samples/queries.
`

// Markdown writes docs/tables.md.
func Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(intro)
	for _, d := range Describe() {
		fmt.Fprintf(&b, "\n## %s\n\nOne row is %s. Order: %s.\n\n| column | type | |\n| --- | --- | --- |\n", d.Name,
			d.Row, d.Order)
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
