package command

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Declarations are complete: each table has a name of its own, each column a known type
// and a meaning. The document is generated from them.
//
//	go test ./cmd/command -run Rows -update   writes it anew
func TestRowsAreDeclared(t *testing.T) {
	seen := map[string]bool{}
	for _, table := range rowTables {
		if seen[table.name] || table.row == "" {
			t.Errorf("table %s is declared twice, or has no meaning", table.name)
		}
		seen[table.name] = true
		for _, c := range table.columns() {
			if !slices.Contains([]string{"string", "integer", "number", "boolean", "array", "object"}, c.kind) || c.doc == "" {
				t.Errorf("%s.%s: type %q, meaning %q", table.name, c.name, c.kind, c.doc)
			}
		}
	}
	text, err := schemaOfRows()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join("..", "..", "docs", "rows.schema.json")
	if *update {
		if err := os.WriteFile(path, append(text, '\n'), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, append(text, '\n')) {
		t.Errorf("%s is not generated from the declarations (%v): go test ./cmd/command -run Rows -update", path, err)
	}
}

// misdeclared says how the output of --json breaks the declarations; "": it keeps them.
func misdeclared(out string, tables map[string]bool) string {
	var rows []map[string]any
	if err := json.Unmarshal([]byte(out), &rows); err != nil {
		return "no array of rows: " + err.Error()
	}
	for _, m := range rows {
		name, _ := m["table"].(string)
		i := slices.IndexFunc(rowTables, func(t *rowTable) bool { return t.name == name })
		if i < 0 {
			return fmt.Sprintf("table %q is not declared", name)
		}
		tables[name] = true
		left := len(m) - 1
		for _, c := range rowTables[i].columns() {
			v, ok := m[c.name]
			if !ok || !isKind(v, c) {
				return fmt.Sprintf("%s.%s is %v, want %s", name, c.name, v, c.kind)
			}
			left--
		}
		if left > 0 && !rowTables[i].open {
			return fmt.Sprintf("%s has %d columns that are not declared: %v", name, left, m)
		}
	}
	return ""
}

func isKind(v any, c rowColumn) bool {
	ok := false
	switch x := v.(type) {
	case nil:
		return c.nullable
	case string:
		ok = c.kind == "string"
	case bool:
		ok = c.kind == "boolean"
	case float64:
		ok = c.kind == "number" || c.kind == "integer" && x == float64(int64(x))
	case []any:
		ok = c.kind == "array"
	case map[string]any:
		ok = c.kind == "object"
	}
	return ok
}

// The rows of every command are as their table is declared.
func TestRowsAreAsDeclared(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	write(t, at("t.txt"), loops)
	write(t, at("rank0.json"), kinetoCapture)
	write(t, at("cut.txt"), loops)
	write(t, at("sweep.toml"), "traces = [\"v.trace.zst\"]\ngpus = [\"gk110-ppcs\"]\npolicies = [\"serial,ppcs\"]\n")
	must(t, "sample", "vecadd", "--quiet", "--param=n=8192", "-o", at("v.trace.zst"))
	must(t, "--quiet", "--gpu=a100", "-o", at("out"), at("t.txt"))
	tables := map[string]bool{}
	for _, args := range [][]string{
		{"--gpu=a100", "--policy=serial,hyperq", "-o", at("out"), at("t.txt")}, {"--max-cycles=9", "--gpu=a100", "-o",
			at("cut"), at("cut.txt")},
		{"-o", at("cap"), at("rank0.json")}, {"inspect", at("t.txt")}, {"inspect", at("rank0.json")}, {"inspect",
			"--kernels", at("t.txt")},
		{"inspect", "--events=3", at("t.txt")}, {"verify", at("t.txt")}, {"verify", at("out")}, {"convert", at("t.txt"),
			"-o", at("t.zst")},
		{"export", at("t.txt"), "-o", at("tables")}, {"export", "--format=traceg", "--sm=80", at("v.trace.zst"), "-o",
			at("traceg")},
		{"top", at("out")}, {"top", at("rank0.json")}, {"top", "../../samples/ranks"}, {"what-if", at("rank0.json")},
		{"compare",
			at("out"), at("out")},
		{"compare", at("out"), "serial", "hyperq"}, {"compare", at("rank0.json"), at("rank0.json")}, {"explain",
			at("rank0.json")},
		{"explain", "--edges", "--gpu=a100", at("t.txt")},
		{"explain", "--policy=hyperq", "--against=serial", "--gpu=a100", at("t.txt")}, {"outline", at("t.txt")}, {"policies"},
		{"policies", "ppcs"}, {"policies", "--cost", "ppcs"}, {"presets"}, {"presets", "k20c"}, {"presets", "--explain=l2"},
		{"sample"}, {"sample", "vecadd"}, {"reproduce"}, {"reproduce", "--list", "klap"}, {"report", at("out")},
		{"timeline", at("out"), "-o",
			at("run.pftrace")},
		{"correlate", at("rank0.json")}, {"sweep", at("sweep.toml"), "-o", at("sweep")}, {"sweep", "--dry-run",
			at("sweep.toml"), "-o", at("sweep")},
		{"sweep", "--launcher=slurm", "--dry-run", at("sweep.toml"), "-o", at("sweep")},
	} {
		status, out, errs := command(t, append(args, "--json", "--quiet")...)
		if status != 0 {
			t.Errorf("replay %s: status %d: %s", strings.Join(args, " "), status, errs)
		} else if why := misdeclared(out, tables); why != "" {
			t.Errorf("replay %s --json: %s", strings.Join(args, " "), why)
		}
	}
	rare := []string{"correlated_kernels", "correlated_bandwidths", "correlated_boundaries", "correlated_cases",
		"accelsim_cases", "accelsim_agreement",
		"loops", "sweep_jobs", "sweep_scripts"} // of captures and tools that this test does not have
	for _, table := range rowTables {
		if !tables[table.name] && !slices.Contains(rare, table.name) {
			t.Errorf("no command printed the table %s", table.name)
		}
	}
}

// schema prints both schemas, which are JSON.
func TestSchema(t *testing.T) {
	for _, s := range schemas {
		var v map[string]any
		if err := json.Unmarshal([]byte(must(t, "schema", s.name)), &v); err != nil || v["$schema"] == nil {
			t.Errorf("schema %s: %v", s.name, err)
		}
	}
	fails(t, 2, []string{"want machine or rows"}, "schema", "row")
}
