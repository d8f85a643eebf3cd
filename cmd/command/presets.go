package command

import (
	"fmt"

	"gpureplay/model/hardware"

	"github.com/spf13/cobra"
)

func init() { register((*app).presetsCommand) }

var presetRows = rowsOf("presets", "a machine", `
preset string: its name
sms integer: SMs
core_mhz number: clock of the SMs
l2_mib number: size of the L2
dram_gb_s number: peak bandwidth of DRAM
description string: one line`)

var presetValues = openRowsOf("preset_values", "a key of a machine; its value is under value", `
key string: the key`)

func (a *app) presetsCommand() *cobra.Command {
	key := ""
	c := &cobra.Command{
		Use:   "presets [PRESET|FILE]",
		Short: "list the machines, show every number of one, or describe a key",
		Long: "presets lists the machines, or shows every number of one as TOML. It checks a file of your own. " +
			"--gpu takes\n" +
			"such a file, also one that begins with base = \"a100\" and gives only the keys that differ. --explain describes\n" +
			"a key, or all keys of a table: meaning, unit, allowed values, and the values of the presets.",
		Example: "  replay presets\n  replay presets a100 > mine.toml\n  replay presets mine.toml\n" +
			"  replay presets --explain l2.bytes\n  replay presets --explain host",
		Args: between(0, 1, "at most one preset"),
		RunE: func(_ *cobra.Command, args []string) error {
			switch {
			case key != "" && len(args) > 0:
				return usagef("presets: --explain=%s and %s at once", key, args[0])
			case key != "":
				return a.explainSettings(key)
			case len(args) == 1:
				return a.showPreset(args[0])
			}
			return a.listPresets()
		},
	}
	c.Flags().StringVar(&key, "explain", "", "describe a `KEY` of the machine, or the keys of a table")
	complete(c, "explain", listed(hardware.Keys, false))
	c.ValidArgsFunction = firstOnly(gpus)
	c.AddCommand(a.importCommand())
	return c
}

func (a *app) showPreset(name string) error {
	c, err := machineNamed(name)
	if err != nil {
		return err
	}
	if a.asJSON {
		rows := []map[string]any{}
		for _, key := range hardware.Keys() {
			value, _ := c.Value(key)
			rows = append(rows, map[string]any{"key": key, "value": value})
		}
		return a.printRows(presetValues, rows)
	}
	_, err = fmt.Fprint(a.out, c.TOML())
	return err
}

func (a *app) listPresets() error {
	rows := []map[string]any{}
	g := newGrid(a.out, "preset", "SMs", "core MHz", "L2 MiB", "DRAM GB/s", "what it is")
	g.right(2, 3, 4, 5)
	for _, name := range hardware.Presets() {
		c, err := hardware.Preset(name)
		if err != nil {
			return err
		}
		l2, dram := float64(c.L2.Bytes)/(1<<20), c.DRAMGBs()
		g.row(name, c.SM.Count, c.Clock.CoreMHz, l2, fmt.Sprintf("%.0f", dram), c.Description)
		rows = append(rows, map[string]any{"preset": name, "sms": c.SM.Count, "core_mhz": c.Clock.CoreMHz, "l2_mib": l2,
			"dram_gb_s":   dram,
			"description": c.Description})
	}
	if a.asJSON {
		return a.printRows(presetRows, rows)
	}
	g.print()
	return nil
}
