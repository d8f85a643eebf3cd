package hardware

import (
	"encoding/json"
	"strings"
)

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
