package command

import (
	"fmt"
	"io"
	"os"
	"strings"

	"gpureplay/replay/reproduce"
)

// Marks of a table's place in a Markdown file.
func opening(name string) string { return "<!-- " + name + " -->\n" }
func closing(name string) string { return "<!-- /" + name + " -->\n" }

// into writes tables to their places in a Markdown file, which marks say. A file
// without a place for one of them, or with half a place, stays as it is.
func into(path string, tables []reproduce.Table) error {
	src, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(src)
	for i := range tables {
		t := &tables[i]
		before, rest, ok := strings.Cut(text, opening(t.Name))
		_, after, closed := strings.Cut(rest, closing(t.Name))
		if !ok || !closed {
			return fmt.Errorf("%s has no place for a table: add the lines %s and %s", path, strings.TrimSpace(opening(t.Name)),
				strings.TrimSpace(closing(t.Name)))
		}
		var b strings.Builder
		fmt.Fprintf(&b, "%s:\n\n", t.Title)
		printTable(&b, t, true)
		text = before + opening(t.Name) + b.String() + closing(t.Name) + after
	}
	return writeFile(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}
