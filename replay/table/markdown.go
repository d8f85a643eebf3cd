package table

import (
	_ "embed"
	"strings"
)

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
