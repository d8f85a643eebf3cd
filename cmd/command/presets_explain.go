package command

import (
	"cmp"
	"fmt"
	"strings"

	"gpureplay/model/hardware"
)

var settingRows = rowsOf("settings_reference", "a key of the machine", `
key string: the key
type string: integer, number, boolean, text or list
allowed string: the values, as the rest of "must be"
description string: its meaning, with the unit`)

// explainSettings describes a key of the machine, or the keys of a table, with the values
// that the shipped machines have.
func (a *app) explainSettings(key string) error {
	settings, err := hardware.FindSettings(key)
	if err != nil {
		return usageError{err}
	}
	if a.asJSON {
		rows := []map[string]any{}
		for _, s := range settings {
			rows = append(rows, map[string]any{"key": s.Key, "type": s.Type, "allowed": s.Allowed,
				"description": s.Doc})
		}
		return a.printRows(settingRows, rows)
	}
	for i, s := range settings {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%s  %s\n  %s: %s\n", a.colour(bold, s.Key), s.Doc, s.Type, s.Allowed)
		values, err := valuesOf(s.Key)
		if err != nil {
			return err
		}
		fmt.Fprintf(a.out, "  presets: %s\n", strings.Join(values, "; "))
	}
	if s := settings[0]; len(settings) == 1 {
		fmt.Fprintf(a.out, "  try: replay --set %s=VALUE TRACE, or replay --sensitivity=%s TRACE\n", s.Key, s.Key)
	}
	return nil
}

// valuesOf lists the values of a key in the shipped machines, each with the machines that
// have it.
func valuesOf(key string) (all []string, err error) {
	names := map[string][]string{}
	var order []string
	for _, preset := range hardware.Presets() {
		c, err := hardware.Preset(preset)
		if err != nil {
			return nil, err
		}
		value, _ := c.Value(key)
		text := cmp.Or(fmt.Sprint(value), `""`)
		if names[text] == nil {
			order = append(order, text)
		}
		names[text] = append(names[text], preset)
	}
	for _, text := range order {
		all = append(all, text+" ("+strings.Join(names[text], ", ")+")")
	}
	return all, nil
}
