package neutral

import (
	"flag"
	"os"
	"regexp"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/neutral.md anew")

// docs/neutral.md follows from the declarations.
func TestMarkdown(t *testing.T) {
	const path = "../../../docs/neutral.md"
	var b strings.Builder
	if err := Markdown(&b); err != nil {
		t.Fatal(err)
	}
	if *update {
		if err := os.WriteFile(path, []byte(b.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	have, err := os.ReadFile(path)
	if err != nil || string(have) != b.String() {
		t.Errorf("docs/neutral.md is not current (%v): go test ./replay/table/neutral -update", err)
	}
}

// Tables and columns are named alike, documented, and named once.
func TestDeclarations(t *testing.T) {
	name := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	tables := map[string]bool{}
	for _, d := range Describe() {
		if tables[d.Name] || !name.MatchString(d.Name) || d.Row == "" || d.Order == "" {
			t.Errorf("table %q: its name is taken or odd, or it is not described", d.Name)
		}
		tables[d.Name] = true
		columns := map[string]bool{}
		for _, c := range d.Columns {
			if columns[c.Name] || !name.MatchString(c.Name) || !strings.HasSuffix(c.Doc, ".") {
				t.Errorf("%s.%s: its name is taken or odd, or it has no sentence: %q", d.Name, c.Name, c.Doc)
			}
			columns[c.Name] = true
			if c.Nullable && strings.HasPrefix(c.Type.String(), "uint") {
				t.Errorf("%s.%s: unsigned and nullable, for which the Parquet writer records a wrong minimum", d.Name, c.Name)
			}
		}
	}
}
