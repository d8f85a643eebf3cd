package container

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of docs/format.md")

// fieldTable prints the fields of a record kind as docs/format.md shows them.
func fieldTable[T any](b *strings.Builder, k kind, title string, fields []field[T]) {
	fmt.Fprintf(b, "\n%s (kind `%c`)\n\n| tag | field | code | holds |\n| --- | --- | --- | --- |\n", title, k)
	for i, f := range fields {
		if f.tag != i+1 || f.tag > maxColumnTag {
			panic(fmt.Sprintf("field %s of %s has tag %d", f.name, title, f.tag))
		}
		fmt.Fprintf(b, "| %d | `%s` | %s | %s |\n", f.tag, f.name, f.code, f.doc)
	}
}

func formatTables() string {
	var b strings.Builder
	fieldTable(&b, kindMeta, "Metadata", metaFields)
	fieldTable(&b, kindAttr, "Further facts", attrFields)
	fieldTable(&b, kindArray, "Arrays", arrayFields)
	fieldTable(&b, kindFunction, "Functions", functionFields)
	fieldTable(&b, kindInst, "Instructions, those of function 0 first", instFields)
	fieldTable(&b, kindScope, "Scopes", scopeFields)
	fieldTable(&b, kindDiag, "Diagnostics", diagFields)
	fieldTable(&b, kindTotals, "Totals", totalsFields)
	fieldTable(&b, kindKernel, "Kernels", kernelFields)
	fieldTable(&b, kindHost, "Host operations", hostFields)
	fieldTable(&b, kindBlock, "Index, a row for each block", blockFields)
	fmt.Fprintf(&b, "\nCTAs (kind `%c`)\n\n| tag | stream | holds |\n| --- | --- | --- |\n", kindCTA)
	for tag, c := range ctaColumns[1:] {
		fmt.Fprintf(&b, "| %d | `%s` | %s |\n", tag+1, c.name, c.doc)
	}
	return b.String()
}

const tablesBegin, tablesEnd = "<!-- tables: go test ./trace/container -run FormatTables -update -->\n",
	"\n<!-- end of tables -->"

// The tables of docs/format.md are those that writer and reader follow.
func TestFormatTables(t *testing.T) {
	path := "../../docs/format.md"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(doc), tablesBegin)
	tables, after, ok2 := strings.Cut(rest, tablesEnd)
	if !ok1 || !ok2 {
		t.Fatal("docs/format.md has lost the marks around its tables")
	}
	want := formatTables()
	if *update {
		if err := os.WriteFile(path, []byte(before+tablesBegin+want+tablesEnd+after), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if tables != want {
		t.Error("the tables of docs/format.md are not those of the code; go test ./trace/container -run FormatTables -update")
	}
}

// The examples of docs/text.md are traces, and the second is the first as WriteText
// writes it.
func TestFormatExamples(t *testing.T) {
	doc, err := os.ReadFile("../../docs/text.md")
	if err != nil {
		t.Fatal(err)
	}
	parts := strings.Split(string(doc), "```")
	var examples []string
	for i := 1; i < len(parts); i += 2 {
		if text, ok := strings.CutPrefix(parts[i], "trace\n"); ok {
			examples = append(examples, text)
		}
	}
	if len(examples) < 3 {
		t.Fatalf("%d examples", len(examples))
	}
	for _, text := range examples {
		if p := check(encodeText(t, text)); p != nil {
			t.Errorf("%q\n%s", p, text)
		}
	}
	if got := textOf(t, openBytes(t, encodeText(t, examples[0]))); got != examples[1] {
		t.Errorf("the first example is written as:\n%s", got)
	}
}

func (c code) String() string { return [...]string{"plain", "delta", "text", "list"}[c] }
