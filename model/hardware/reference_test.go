package hardware

import (
	"bytes"
	"encoding/json"
	"flag"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/BurntSushi/toml"
)

var updateReference = flag.Bool("update", false, "write docs/settings.md and docs/machine.schema.json anew")

// generated compares a document with its text, or writes it.
func generated(t *testing.T, name string, text []byte) {
	t.Helper()
	path := filepath.Join("..", "..", "docs", name)
	if *updateReference {
		if err := os.WriteFile(path, text, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if old, err := os.ReadFile(path); err != nil || !bytes.Equal(old, text) {
		t.Errorf("%s is not generated from config.go (%v): go test ./model/hardware -run Reference -update", path, err)
	}
}

// Each key is described once, in the order of its declaration, with a text of its own, and the documents follow
// from the declaration.
func TestReference(t *testing.T) {
	var keys []string
	docs := map[string]string{}
	for _, section := range Reference() {
		if section.Doc == "" {
			t.Errorf("section %s has no description", section.Name)
		}
		for _, s := range section.Settings {
			keys = append(keys, s.Key)
			table := s.Key[:strings.LastIndexByte(s.Key, '.')+1]
			if s.Doc == "" || strings.HasSuffix(s.Doc, ": ") || strings.Contains(s.Doc, "[") || docs[table+s.Doc] != "" {
				t.Errorf("%s: %q is no description of its own (%s)", s.Key, s.Doc, docs[table+s.Doc])
			}
			docs[table+s.Doc] = s.Key
		}
	}
	if !slices.Equal(keys, Keys()) {
		t.Errorf("the reference has %d keys, not the %d of a machine in their order", len(keys), len(Keys()))
	}
	generated(t, "settings.md", []byte(reference()))
	schema, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	generated(t, "machine.schema.json", append(schema, '\n'))
}

// Every preset is an instance of the schema, and files with a wrong key, word, type or
// number are none.
func TestReferenceSchemaFits(t *testing.T) {
	data, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(data, &schema); err != nil {
		t.Fatal(err)
	}
	fits := func(text string) string {
		var file map[string]any
		if _, err := toml.Decode(text, &file); err != nil {
			t.Fatal(err)
		}
		return misfit(schema, file, "")
	}
	for _, name := range Presets() {
		if why := fits(string(presetSource(name))); why != "" {
			t.Errorf("%s: %s", name, why)
		}
	}
	for _, c := range []struct{ text, want string }{
		{"base = \"a100\"\n[l2]\nsize = 1\n", "l2.size"}, {"[l2]\nhash = \"none\"\n", "l2.hash"}, {"[sm]\ncount = \"9\"\n",
			"sm.count"},
		{"[sm]\ncount = 0\n", "sm.count"}, {"[exec.int]\nlatency = -1\n",
			"exec.int.latency"}, {"[l1]\ncarveouts = [1, -1]\n", "l1.carveouts"},
		{"[l2]\ncopies_warm = 1\n", "l2.copies_warm"},
	} {
		if why := fits(c.text); why != c.want {
			t.Errorf("%q: the schema finds %q, want %q", c.text, why, c.want)
		}
	}
}

// misfit returns the first key of a value that the schema refuses; "": none.
func misfit(schema map[string]any, v any, at string) string {
	number := func(key string, otherwise float64) float64 {
		if n, ok := schema[key].(float64); ok {
			return n
		}
		return otherwise
	}
	n, isNumber := v.(float64)
	if i, ok := v.(int64); ok {
		n, isNumber = float64(i), true
	}
	ok := false
	switch schema["type"] {
	case "object":
		m, isTable := v.(map[string]any)
		ok = isTable
		for _, key := range slices.Sorted(maps.Keys(m)) {
			name := strings.TrimPrefix(at+"."+key, ".")
			of, known := schema["properties"].(map[string]any)[key].(map[string]any)
			if !known {
				return name
			}
			if why := misfit(of, m[key], name); why != "" {
				return why
			}
		}
	case "array":
		list, isList := v.([]any)
		ok = isList
		for _, x := range list {
			if misfit(schema["items"].(map[string]any), x, at) != "" {
				return at
			}
		}
	case "boolean":
		_, ok = v.(bool)
	case "string":
		s, isText := v.(string)
		words, limited := schema["enum"].([]any)
		ok = isText && (!limited || slices.Contains(words, any(s)))
	case "integer", "number":
		ok = isNumber && n >= number("minimum", n) && n <= number("maximum", n)
	}
	if ok {
		return ""
	}
	return at
}
