package table

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/tables.md and the schema golden anew")

func golden(t *testing.T, path string, got []byte) {
	t.Helper()
	if *update {
		if err := os.WriteFile(path, got, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Errorf("%s is not what the declarations say; if the change is meant: go test ./replay/table -update", path)
	}
}

func TestMarkdownIsCurrent(t *testing.T) {
	var b bytes.Buffer
	if err := Markdown(&b); err != nil {
		t.Fatal(err)
	}
	golden(t, "../../docs/tables.md", b.Bytes())
}

// The golden of names and types: a change of it breaks users' queries.
func TestSchemaGolden(t *testing.T) {
	var b bytes.Buffer
	for _, d := range Describe() {
		for _, c := range d.Columns {
			fmt.Fprintf(&b, "%s.%s %s nullable=%v\n", d.Name, c.Name, c.Type, c.Nullable)
		}
	}
	golden(t, "testdata/schema.golden", b.Bytes())
}

// The order that users know; runs is the first, for [Set.Commit] names its file
// last. A table that is added may stand between any others.
func TestNames(t *testing.T) {
	want := []string{"runs", "machines", "settings", "metrics", "performance", "stages", "kernels", "ctas", "launches",
		"timeline", "pages", "tasks", "memory", "diagnostics", "audit"}
	all := Names()
	if all[0] != "runs" {
		t.Errorf("%s is listed before runs", all[0])
	}
	if got := slices.DeleteFunc(all, func(n string) bool { return !slices.Contains(want, n) }); !slices.Equal(got, want) {
		t.Errorf("tables %v, want %v", got, want)
	}
}

// A table stands where its place says; without one, behind all others. Tables of one place, or of none, go by name.
func TestPlaces(t *testing.T) {
	for name, place := range map[string]uint{"zebra": 0, "yak": 0, "owl": 65, "emu": 65} {
		register(table[Audit]{Name: name, Place: place})
		defer delete(tables, name)
	}
	want := []string{"ctas", "emu", "owl", "launches", "audit", "yak", "zebra"}
	if got := slices.DeleteFunc(Names(), func(n string) bool {
		return !slices.Contains(want, n)
	}); !slices.Equal(got, want) {
		t.Errorf("tables %v, want %v", got, want)
	}
	defer func() {
		if recover() == nil {
			t.Error("a second table of one name is registered")
		}
	}()
	register(table[Audit]{Name: "runs"})
}

// TestDeclarations holds the rules of the package's documentation.
func TestDeclarations(t *testing.T) {
	snake := regexp.MustCompile(`^[a-z][a-z0-9]*(_[a-z0-9]+)*$`)
	for _, d := range Describe() {
		if !snake.MatchString(d.Name) || d.Row == "" || d.Order == "" || len(d.Columns) == 0 {
			t.Errorf("table %q: name, row, order or columns missing", d.Name)
		}
		seen := map[string]bool{"trace": true, "gpu": true, "set": true, "policy": true} // the hive keys
		for _, c := range d.Columns {
			where := d.Name + "." + c.Name
			if !snake.MatchString(c.Name) || seen[c.Name] {
				t.Errorf("%s: not snake_case, given twice or a hive key", where)
			}
			seen[c.Name] = true
			if len(c.Doc) < 4 || !strings.HasSuffix(c.Doc, ".") {
				t.Errorf("%s: documentation %q", where, c.Doc)
			}
			switch c.Type {
			case Uint8, Uint32, Uint64:
				if c.Nullable {
					t.Errorf("%s: unsigned and nullable: its statistics would be wrong", where)
				}
			}
			if strings.Contains(c.Doc, "|") {
				t.Errorf("%s: a bar breaks the table of docs/tables.md", where)
			}
			if c.Values != nil && slices.Contains(c.Values, "") {
				t.Errorf("%s: a value without a word: %q", where, c.Values)
			}
		}
	}
}

// A time in cycles or ns has its unit in its name.
func TestUnits(t *testing.T) {
	for _, d := range Describe() {
		for _, c := range d.Columns {
			timed := regexp.MustCompile(`(?i)\b(time of|cycles in|from .* to |when )`).MatchString(c.Doc)
			if timed && (c.Type == Int64) && !regexp.MustCompile(`_(cycles|ns)(_p\d\d|_mean)?$|^cycles$`).MatchString(c.Name) {
				t.Errorf("%s.%s: a time without its unit: %s", d.Name, c.Name, c.Doc)
			}
		}
	}
}

func TestNanoseconds(t *testing.T) {
	for _, c := range []struct {
		mhz    float64
		cycles int64
		want   int64
	}{
		{1000, 7, 7}, {706, 706, 1000}, {1, 1, 1000}, {3000, 1, 0}, {3000, 2, 1}, {2000, 1, 1}, {1481.5, 2963, 2000},
		{706, 1 << 40, 1557381909031}, {0.001, 1 << 62, 1<<63 - 1}, {1000, 1<<63 - 1, 1<<63 - 1},
		{1e6, 1<<63 - 1, 9223372036854776},
		{1000, -5, -5},
	} {
		clock, err := NewClock(c.mhz)
		if err != nil {
			t.Fatal(err)
		}
		if got := clock.Ns(c.cycles); got != c.want {
			t.Errorf("%d cycles at %v MHz: %d ns, want %d", c.cycles, c.mhz, got, c.want)
		}
	}
}
