package command

import (
	"context"
	"fmt"

	"gpureplay/convert/accelsim"
)

var exportedCaptures = rowsOf("exported_captures", "a capture that was written", `
kernels integer: kernels
warp_instructions integer: warp instructions
sm integer: compute capability times ten that it is labelled with
left_out array?: facts that it has no place for, with their counts`)

// traceg is the format of captures for Accel-Sim.
const traceg = "traceg"

// exportCapture writes a trace as a capture and counts the facts that it leaves out.
func (a *app) exportCapture(ctx context.Context, part *chooser, path, dir string, sm uint32) error {
	r, err := part.open(ctx, a, path)
	if err != nil {
		return err
	}
	defer r.Close()
	if sm == 0 {
		sm = r.Program().Meta.SMVersion
	}
	if sm == 0 {
		return usagef("export: %s has no compute capability: name it, --sm=70 for a V100, 86 for an RTX 3070",
			path)
	}
	done, err := accelsim.Export(ctx, r, dir, sm)
	if err != nil {
		return err
	}
	for _, d := range done.Lost {
		a.note("%s", fmt.Sprintf("left out, %s: %s %s", d.Name, commas(d.Count), d.Help))
	}
	if a.asJSON {
		return a.printRows(exportedCaptures, []map[string]any{{"kernels": done.Kernels, "warp_instructions": done.WarpInsts,
			"sm":       sm,
			"left_out": done.Lost}})
	}
	a.done("%s: %s kernels, %s warp instructions, for sm_%d", dir, commas(int64(done.Kernels)), commas(done.WarpInsts), sm)
	return nil
}
