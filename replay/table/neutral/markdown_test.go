package neutral

import (
	_ "embed"
	"fmt"
	"io"
	"strings"

	"gpureplay/replay/table"
)

//go:embed intro.txt
var intro string

// Markdown writes docs/neutral.md.
func Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(intro)
	for _, d := range Describe() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| column | type | |\n| --- | --- | --- |\n", d.Name, table.About(d.Row, d.Order))
		for _, c := range d.Columns {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, table.TypeText(c), c.Doc)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
