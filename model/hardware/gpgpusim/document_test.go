package gpgpusim

import (
	"fmt"
	"strings"
)

// markdown returns the document about all options.
func markdown() string {
	var b strings.Builder
	b.WriteString(head)
	for _, part := range []struct {
		title string
		of    func(o *Option) bool
		row   func(o *Option) string
	}{
		{"## Mapped\n\n| option | keys |\n| --- | --- |\n", func(o *Option) bool { return o.Maps },
			func(o *Option) string { return fmt.Sprintf("| `%s` | %s |\n", o.Name, o.Text) }},
		{"## Needed values\n\nAnother value is refused in one line.\n\n| option | values | reason |\n| --- | --- | --- |\n",
			func(o *Option) bool { return len(o.Needs) > 0 },
			func(o *Option) string {
				return fmt.Sprintf("| `%s` | %s | %s |\n", o.Name, strings.Join(o.Needs, ", "), o.Text)
			}},
		{"## Ignored\n\n| option | reason |\n| --- | --- |\n", func(o *Option) bool { return !o.Maps && len(o.Needs) == 0 },
			func(o *Option) string { return fmt.Sprintf("| `%s` | %s |\n", o.Name, o.Text) }},
	} {
		b.WriteString("\n" + part.title)
		for i := range Options {
			if o := &Options[i]; part.of(o) {
				b.WriteString(part.row(o))
			}
		}
	}
	return b.String()
}

// head stands above the tables; ' stands for a backquote.
var head = strings.ReplaceAll(`# Configurations of Accel-Sim

Generated from 'model/hardware/gpgpusim' by 'go test ./model/hardware/gpgpusim -run Document -update'.

'replay --gpu=path/gpgpusim.config trace.zst' runs the machine of a configuration of GPGPU-Sim 4.2 or Accel-Sim. Its
'trace.config' belongs in the same folder. 'replay presets import gpgpusim.config -o mine.toml' writes the machine as
TOML, with the source of each number. Keys that the files lack come from preset 'rtx3070', or 'qv100' before compute
capability 7.5.

| tested configuration | machine |
| --- | --- |
| SM7_QV100 | equal to preset 'qv100' |
| SM86_RTX3070 | equal to preset 'rtx3070' |
| SM75_RTX2060, SM7_GV100, SM7_TITANV | loaded |
| SM75_RTX2060_S | refused: streaming L1 |
| SM6_TITANX, SM3_KEPLER_TITAN | refused: booksim, no sub-cores; an option that GPGPU-Sim does not have |
`, "'", "`")
