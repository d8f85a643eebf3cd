package container

import (
	"fmt"
	"gpureplay/trace/internal/words"
	"os"
	"strings"
	"testing"
)

// keepInDoc compares the text between two marks of docs/format.md with the right one, or writes it.
func keepInDoc(t *testing.T, begin, end, want string) {
	t.Helper()
	const path = "../../docs/format.md"
	doc, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, ok1 := strings.Cut(string(doc), begin)
	got, after, ok2 := strings.Cut(rest, end)
	switch {
	case !ok1 || !ok2:
		t.Fatalf("docs/format.md has lost the marks %q and %q", begin, end)
	case *update:
		if err := os.WriteFile(path, []byte(before+begin+want+end+after), 0o644); err != nil {
			t.Fatal(err)
		}
	case got != want:
		t.Errorf("docs/format.md is not what the code does; go test ./trace/container -update; want\n%s", want)
	}
}

// The numbers of docs/format.md are those that the code stores.
func TestFormatNumbers(t *testing.T) {
	var b strings.Builder
	b.WriteString("\n| of | numbers |\n| --- | --- |\n")
	for _, e := range []struct {
		of    string
		words []string
		bits  bool
	}{
		{"fidelity", words.Fidelity[:], false}, {"class", words.Class[:], false}, {"space", words.Space[:], false},
		{"kind of host operation", words.Op[:], false}, {"port of an event", words.Port[:], false},
		{"severity", words.Severity[:], false},
		{"mode of a range", words.Mode[:], false},
		{"flags of an instruction, added", words.InstFlag[:], true}, {"of an array", words.ArrayFlag[:], true},
		{"of a kernel", words.KernelFlag[:], true},
	} {
		fmt.Fprintf(&b, "| %s |", e.of)
		for i, w := range e.words {
			n := i
			if e.bits {
				n = 1 << i
			}
			fmt.Fprintf(&b, " %d %s", n, w)
			if i < len(e.words)-1 {
				b.WriteString(",")
			}
		}
		b.WriteString(" |\n")
	}
	keepInDoc(t, "<!-- numbers: go test ./trace/container -run FormatNumbers -update -->\n", "<!-- end of numbers -->",
		b.String())
}

// The worked block of docs/format.md belongs to the first example of docs/text.md.
func TestFormatBlock(t *testing.T) {
	doc, err := os.ReadFile("../../docs/text.md")
	if err != nil {
		t.Fatal(err)
	}
	_, example, _ := strings.Cut(string(doc), "```trace\n")
	example, _, _ = strings.Cut(example, "```")
	r := openBytes(t, encodeText(t, example))
	var f frame
	for i := range r.index {
		if r.index[i].kind != uint8(kindCTA) {
			continue
		}
		raw, err := r.readFrame(&f, &r.index[i])
		if err != nil {
			t.Fatal(err)
		}
		keepInDoc(t, "<!-- hex: go test ./trace/container -run FormatBlock -update -->\n", "<!-- end of hex -->",
			hexTable(raw))
		return
	}
	t.Fatal("the example has no block of CTAs")
}

// hexTable prints the columns of a section, each with its bytes.
func hexTable(raw []byte) string {
	var b strings.Builder
	s := naiveSections(raw)[0]
	fmt.Fprintf(&b, "\n| column | bytes |\n| --- | --- |\n")
	for tag := uint64(1); tag < numCTAColumns; tag++ {
		if c := s.columns[tag]; c != nil {
			fmt.Fprintf(&b, "| %d `%s` | `% x` |\n", tag, ctaColumns[tag].name, c.b)
		}
	}
	fmt.Fprintf(&b, "\nAll %d bytes of it: `% x`\n", len(raw), raw)
	return b.String()
}
