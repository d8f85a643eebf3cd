package accelsim

import (
	"slices"

	"gpureplay/trace"
)

// counter is one named count of an oddity of a capture. Its grade tells a replay's loss: data without use in any
// model is Info.
type counter int

const (
	unknownOpcode counter = iota
	unknownRegister
	unknownTrailing
	unknownCommand
	unknownHeader
	unknownCopy
	extraImmediate
	registerValues
	sourceLines
	missingCTAs
	missingWarps
	emptyKernels
	strideWithGaps
	mixedSpaces
	clusterShape
	coarseClusters
	spinMarkers
	sharedOperands
	mixedVersions
	numCounters
)

// diagnostics are the counters' names, grades and helps.
var diagnostics = [numCounters]trace.Diagnostic{
	unknownOpcode: {Name: "unknown_opcode", Severity: trace.Error,
		Help: "executed warp instructions whose opcode is not known; they are of class other and timed as integer " +
			"arithmetic"},
	unknownRegister: {Name: "unknown_register", Severity: trace.Error,
		Help: "static instructions with a register of a kind that is not known; it is left out, and with it the " +
			"dependence that it carries"},
	unknownTrailing: {Name: "unknown_trailing_token", Severity: trace.Error,
		Help: "executed warp instructions with something behind their addresses that is neither a number nor a register " +
			"value; it is left out"},
	unknownCommand: {Name: "unknown_list_line", Severity: trace.Error,
		Help: "lines of the list that are neither a copy nor a kernel; they are left out"},
	unknownHeader: {Name: "unknown_header_key", Severity: trace.Info,
		Help: "header lines with a key that is not known; they are left out"},
	unknownCopy: {Name: "unknown_copy", Severity: trace.DataLoss,
		Help: "copies of the list other than MemcpyHtoD; they are left out"},
	extraImmediate: {Name: "second_immediate", Severity: trace.Info,
		Help: "executed warp instructions with more immediates than the one that a trace keeps"},
	registerValues: {Name: "register_values", Severity: trace.Info,
		Help: "executed warp instructions with the values of their registers, which a trace does not keep"},
	sourceLines: {Name: "source_lines", Severity: trace.Info,
		Help: "executed warp instructions with a line number of the source, which a trace does not keep"},
	missingCTAs: {Name: "missing_cta", Severity: trace.DataLoss,
		Help: "CTAs of a grid that the capture does not have: the tracer leaves out those that execute nothing, but a " +
			"limit on the traced part does the same"},
	missingWarps: {Name: "missing_warp", Severity: trace.Info,
		Help: "warps of captured CTAs without an instruction in the capture"},
	emptyKernels: {Name: "kernel_without_ctas", Severity: trace.DataLoss,
		Help: "kernels without a CTA in the capture; they are kept with their grid alone"},
	strideWithGaps: {Name: "stride_with_gaps", Severity: trace.Error,
		Help: "accesses by base and stride whose active lanes are not neighbours; the stride is taken from active lane " +
			"to active lane"},
	mixedSpaces: {Name: "mixed_generic_access", Severity: trace.DataLoss,
		Help: "generic accesses whose lanes are in different memories; all count as in the first lane's"},
	clusterShape: {Name: "cluster_cta", Severity: trace.DataLoss,
		Help: "CTAs of a thread block cluster that is not a row of neighbours; that they must run together is not kept"},
	coarseClusters: {Name: "coarse_array", Severity: trace.Info,
		Help: "times that gaps of untouched memory between arrays were closed to bound their number"},
	spinMarkers: {Name: "spin_loop_marker", Severity: trace.Info,
		Help: "marks of the tracer around spin loops that it shortened; they are not instructions"},
	sharedOperands: {Name: "ldgsts_shared_operand", Severity: trace.Info,
		Help: "lines of raw captures that give the shared-memory side of an asynchronous copy; the global side is kept"},
	mixedVersions: {Name: "mixed_binary_version", Severity: trace.Info,
		Help: "kernels for another GPU architecture than the first kernel's"},
}

// Counters returns every counter that a conversion may write, in a fixed order.
func Counters() []trace.Diagnostic { return slices.Clone(diagnostics[:]) }

// counters are the counts of one capture.
type counters [numCounters]uint64

func (n *counters) add(c counter) { n[c]++ }

// write hands over those that counted anything.
func (n *counters) write(w Writer) {
	for c, d := range diagnostics {
		if n[c] > 0 {
			d.Count = n[c]
			w.Diagnose(d)
		}
	}
}
