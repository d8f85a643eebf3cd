package replay

import (
	"gpureplay/model/hardware"
	"gpureplay/replay/table"
	"gpureplay/trace"
	"gpureplay/trace/container"
)

// tooLarge counts the kernels whose time is inferred and whose CTAs ask for more
// than an SM of the machine has: they run one CTA an SM.
func tooLarge(tr *container.Reader, c *hardware.Config) (table.Diagnostic, error) {
	d := table.Diagnostic{Name: "cta_larger_than_sm", Severity: trace.Info,
		Help: "kernels whose CTA needs more than an SM of this machine has (another GPU's may); their work is " +
			"inferred from durations, so they run one CTA an SM"}
	var k trace.Kernel
	for id := range tr.Kernels() {
		if err := tr.Kernel(uint32(id), &k); err != nil {
			return d, err
		}
		if k.Grid.Count() > 0 && trace.InferredOf(&k) == trace.InferredTime && c.TooLarge(&k) {
			d.Count++
		}
	}
	return d, nil
}
