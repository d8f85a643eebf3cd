// Package words has the words of the text form. The values of package trace print as
// them, and the container's rules take the number of values from them.
package words

import (
	"strings"
	"unicode/utf8"
)

// The words of each kind of value, in the order of the values; of flags, in the order of the bits.
var (
	Class = [...]string{"other", "int", "fp16", "fp32", "fp64", "sfu", "tensor", "uniform", "control",
		"memory", "barrier", "fence", "devlaunch", "devsync", "exit"}
	Space = [...]string{"none", "global", "shared", "local", "constant", "texture"}
	Op    = [...]string{"read", "write", "h2d", "d2h", "d2d", "p2p", "memset", "launch", "record", "wait",
		"syncstream", "syncevent", "sync", "work", "spawn", "waittask"}
	Fidelity   = [...]string{"none", "kernel", "cta", "warp"}
	Severity   = [...]string{"info", "data_loss", "error"}
	Mode       = [...]string{"none", "read", "write", "readwrite"}
	InstFlag   = [...]string{"load", "store", "atomic", "bypass", "bulk"}
	ArrayFlag  = [...]string{"input", "output"}
	KernelFlag = [...]string{"child", "task", "irregular", "collective", "programmatic"}
	Port       = [...]string{"completed", "programmatic", "begun"}
)

// Flags lists the words of the set bits, each after a blank.
func Flags(words []string, flags uint8) string {
	var b strings.Builder
	for i, w := range words {
		if flags>>i&1 != 0 {
			b.WriteString(" " + w)
		}
	}
	return b.String()
}

// Sound reports whether a name can stand in every table and on every
// terminal: UTF-8 without a zero byte.
func Sound(s string) bool { return utf8.ValidString(s) && strings.IndexByte(s, 0) < 0 }
