package hardware

import (
	"fmt"
	"strings"
)

// reference is the reference of the settings as a Markdown document.
func reference() string {
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
	return b.String()
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
