package hardware

import (
	"encoding/json"
	"fmt"
	"io"
	"strings"
)

// WriteReference writes the reference of the settings as a Markdown document. It returns the error of the writer.
func WriteReference(w io.Writer) error {
	var b strings.Builder
	b.WriteString(referenceHead)
	for _, section := range Reference() {
		name := "## " + section.Name
		if section.Name == "" {
			name = "## In front of the tables"
		}
		fmt.Fprintf(&b, "\n%s\n\n", name)
		if section.Name != "" {
			fmt.Fprintf(&b, "%s\n\n", sentence(section.Doc))
		}
		b.WriteString("| key | type | values | meaning |\n| --- | --- | --- | --- |\n")
		for _, s := range section.Settings {
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", s.Key, s.Type, s.values(), strings.ReplaceAll(s.Doc, "|", `\|`))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// referenceHead stands above the reference; ' stands for a backquote.
var referenceHead = strings.ReplaceAll(`# Settings of a machine

Generated from the comments of 'model/hardware/config.go' by 'go test ./model/hardware -run Reference -update'.

A preset or a TOML file has these keys. '--set KEY=VALUE' changes one, '--sensitivity=KEY' runs a range of it, and
'replay presets --explain KEY' shows this text with the values of presets. Numbers take factors of the preset
('l2.bytes=x2'), sizes take units ('l2.bytes=80MiB'). Latencies are in SM cycles unless the key says otherwise.
Editors check a file against [machine.schema.json](machine.schema.json), which its first line may name:
'#:schema machine.schema.json'.
`, "'", "`")

// sentence makes a sentence of the comment of a section.
func sentence(doc string) string {
	if doc == "" {
		return ""
	}
	return strings.ToUpper(doc[:1]) + doc[1:]
}

// values says in a table which values a setting can have.
func (s *Setting) values() string {
	switch {
	case s.Words != nil:
		return "`" + strings.Join(s.Words, "`, `") + "`"
	case s.Type == "boolean" || s.Type == "text":
		return ""
	}
	limits := number(s.Min) + " to " + number(s.Max)
	if strings.HasPrefix(s.Allowed, "a power of two") {
		limits += ", a power of two"
	}
	return limits
}

// Schema returns the JSON Schema of a machine's file, for the editors that check TOML. It returns an
// error if a value cannot be encoded.
func Schema() ([]byte, error) {
	properties := map[string]any{"base": map[string]any{"type": "string",
		"description": "the preset that the file changes"}}
	root := object("A machine of replay: --gpu takes such a file.", properties)
	root["$schema"] = "http://json-schema.org/draft-07/schema#"
	root["title"] = "machine of replay"
	for _, section := range Reference() {
		for _, s := range section.Settings {
			place, names := properties, strings.Split(s.Key, ".")
			for i, name := range names[:len(names)-1] {
				if place[name] == nil {
					doc := ""
					if i == 0 {
						doc = section.Doc
					}
					place[name] = object(doc, map[string]any{})
				}
				place = place[name].(map[string]any)["properties"].(map[string]any)
			}
			place[names[len(names)-1]] = s.schema()
		}
	}
	return json.MarshalIndent(root, "", "  ")
}

// object is the schema of a table.
func object(doc string, properties map[string]any) map[string]any {
	return map[string]any{"type": "object", "description": doc, "additionalProperties": false, "properties": properties}
}

// schema is the schema of a value.
func (s *Setting) schema() map[string]any {
	m := map[string]any{"description": s.Doc}
	switch s.Type {
	case "boolean":
		m["type"] = "boolean"
	case "text":
		m["type"] = "string"
		if s.Words != nil {
			m["enum"] = s.Words
		}
	case "list":
		m["type"], m["maxItems"] = "array", maxList
		m["items"] = map[string]any{"type": "integer", "minimum": s.Min, "maximum": s.Max}
	default:
		m["type"], m["minimum"], m["maximum"] = s.Type, s.Min, s.Max
	}
	return m
}
