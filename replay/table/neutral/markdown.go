package neutral

import (
	"fmt"
	"io"
	"strings"

	"gpureplay/replay/table"
)

const intro = `# Tables of a trace

Written from the declarations in replay/table/neutral; ` + "`go test ./replay/table/neutral -update`" +
	` writes it anew.

A trace as a folder of flat tables, one file NAME.parquet or NAME.csv each, that any tool can read and write:

    replay export trace.zst -o DIR              every table, as Parquet
    replay export --format=csv trace.zst -o DIR
    replay convert DIR -o trace.zst             a trace of them: the same one

DuckDB:

    SELECT name, sum(lanes * width_bytes) FROM 'DIR/accesses.parquet' JOIN 'DIR/kernels.parquet' USING (kernel) GROUP BY name

## Writing your own

Only kernels must be there, with a name (or a function). A table or column that is absent, and a cell that is NULL or empty,
has the default stated below.

    kernels.csv                                      accesses.csv
    name,grid_x,block_x,registers,duration_ns        kernel,cta,warp,operation,address,stride_bytes,width_bytes
    scale,2,64,16,1000                               0,0,0,load,4096,4,4
                                                     0,0,0,store,8192,4,4

* kernels alone give a trace at kernel fidelity: durations and resources. accesses or steps make it one at warp fidelity, ctas,
  ranges or counts one at CTA fidelity: instructions of each class and what is touched, for each CTA.
* With counts the order of instructions, their dependences and who executes them are inferred, with ranges alone the accesses too (docs/model,
  Counts). A duration goes before both.
* Without steps, each access is an instruction that reads and writes no register: the accesses of a warp do not wait for one another.
  Launches of a warp stand behind its accesses of the same or a lower step.
* Without calls, the host copies all input (read, h2d, memset, d2d, p2p), spawns the tasks, launches the kernels in their order, each in its
  stream, those aside that tasks or launches name, and copies the output (d2h, write). With calls, the column order says where each
  operation of copies, tasks and calls stands.
* Rows are sorted as each table states; a row out of order is an error that names it. Columns and files of other names are not read, and
  counted as a diagnostic.
* Kernels, copies, tasks and calls name the innermost scope in which they were called; scopes say in which they lie themselves.
* In pandas: DataFrame.to_parquet(DIR + '/kernels.parquet'). Integers may be floats without a fraction; in CSV a list is written [1,2], an
  address may be written 0x1000.
`

// Markdown writes docs/neutral.md.
func Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(intro)
	for _, d := range Describe() {
		fmt.Fprintf(&b, "\n## %s\n\nOne row is %s. Order: %s.\n\n| column | type | |\n| --- | --- | --- |\n", d.Name,
			d.Row, d.Order)
		for _, c := range d.Columns {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, table.TypeText(c), c.Doc)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
