package command

import (
	"encoding/json"
	"strings"

	"gpureplay/replay/table"
)

// A rowTable declares the rows of a table that --json prints. Each row has the table's
// name under "table".
type rowTable struct {
	name, row string
	text      string // a line for each column: "name type: meaning"; a type with ? may be null
	open      bool   // rows have more columns, which depend on the call
	columns   func() []rowColumn
}

type rowColumn struct {
	name, kind, doc string
	nullable        bool
}

// rowTables are all that are declared, in the order of the files.
var rowTables []*rowTable

// rowsOf declares a table of --json.
func rowsOf(name, row, columns string) *rowTable {
	t := &rowTable{name: name, row: row, text: columns}
	t.columns = t.parse
	rowTables = append(rowTables, t)
	return t
}

// openRowsOf declares a table whose rows have more columns.
func openRowsOf(name, row, columns string) *rowTable {
	t := rowsOf(name, row, columns)
	t.open = true
	return t
}

// parse reads the columns of a declaration.
func (t *rowTable) parse() (all []rowColumn) {
	for line := range strings.Lines(strings.TrimSpace(t.text)) {
		head, doc, _ := strings.Cut(strings.TrimSpace(line), ": ")
		name, kind, _ := strings.Cut(head, " ")
		kind, nullable := strings.CutSuffix(kind, "?")
		all = append(all, rowColumn{name, kind, doc, nullable})
	}
	return all
}

// of names the table in its rows.
func (t *rowTable) of(rows ...map[string]any) []map[string]any {
	for _, m := range rows {
		m["table"] = t.name
	}
	return rows
}

// printRows writes rows of one table for machines.
func (a *app) printRows(t *rowTable, rows []map[string]any) error {
	t.of(rows...)
	if rows == nil {
		rows = []map[string]any{}
	}
	return a.printJSON(rows)
}

// columnsOf are the columns of tables that a replay writes.
func columnsOf(names ...string) (all []rowColumn) {
	kinds := map[table.Type]string{table.Int64: "integer", table.Uint64: "integer", table.Float64: "number",
		table.Bool: "boolean"}
	for _, d := range table.Describe() {
		for _, name := range names {
			if d.Name != name {
				continue
			}
			for _, c := range d.Columns {
				kind := kinds[c.Type]
				if kind == "" {
					kind = "string"
				}
				all = append(all, rowColumn{c.Name, kind, c.Doc, c.Nullable || kind == "number"})
			}
		}
	}
	return all
}

// schemaOfRows is the JSON Schema of the output of --json: an array of rows, each of a
// declared table.
func schemaOfRows() ([]byte, error) {
	var tables []any
	for _, t := range rowTables {
		properties := map[string]any{"table": map[string]any{"const": t.name}}
		required := []string{"table"}
		for _, c := range t.columns() {
			var kind any = c.kind
			if c.nullable {
				kind = []string{c.kind, "null"}
			}
			properties[c.name] = map[string]any{"type": kind, "description": c.doc}
			required = append(required, c.name)
		}
		tables = append(tables, map[string]any{"title": t.name, "description": "A row is " + t.row + ".", "type": "object",
			"properties": properties, "required": required, "additionalProperties": t.open})
	}
	return json.MarshalIndent(map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "title": "output of replay --json",
		"type": "array", "items": map[string]any{"anyOf": tables},
	}, "", "  ")
}
