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

// About describes the rows of a table and their order, on two lines if one would be long.
func About(row, order string) string {
	between := " "
	if len(row)+len(order) > 90 {
		between = "\n"
	}
	return "One row is " + row + "." + between + "Order: " + order + "."
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
