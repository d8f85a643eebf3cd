package table

import (
	_ "embed"
	"fmt"
	"io"
	"strings"
)

//go:embed intro.txt
var intro string

// Markdown writes docs/tables.md. It returns the error of w.
func Markdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString(intro)
	for _, d := range Describe() {
		fmt.Fprintf(&b, "\n## %s\n\n%s\n\n| column | type | |\n| --- | --- | --- |\n", d.Name, About(d.Row, d.Order))
		for _, c := range d.Columns {
			fmt.Fprintf(&b, "| %s | %s | %s |\n", c.Name, TypeText(c), c.Doc)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}
