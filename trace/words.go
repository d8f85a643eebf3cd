package trace

import (
	"fmt"
	"strings"
)

// The words of the text form, which are also what the values print as.
var (
	classWords = [NumClasses]string{"other", "int", "fp16", "fp32", "fp64", "sfu", "tensor", "uniform", "control",
		"memory", "barrier", "fence", "devlaunch", "devsync", "exit"}
	spaceWords = [NumSpaces]string{"none", "global", "shared", "local", "constant", "texture"}
	opWords    = [NumOpKinds]string{"read", "write", "h2d", "d2h", "d2d", "p2p", "memset", "launch", "record", "wait",
		"syncstream", "syncevent", "sync", "work", "spawn", "waittask"}
	fidelityWords   = [...]string{"none", "kernel", "cta", "warp"}
	severityWords   = [...]string{"info", "data_loss", "error"}
	modeWords       = [...]string{"none", "read", "write", "readwrite"}
	instFlagWords   = []string{"load", "store", "atomic", "bypass", "bulk"}
	arrayFlagWords  = []string{"input", "output"}
	kernelFlagWords = []string{"child", "task", "irregular", "collective"}
)

// String returns the word of the text form: "int", "memory".
func (c Class) String() string { return word(classWords[:], int(c)) }

// String returns the word of the text form: "global".
func (s Space) String() string { return word(spaceWords[:], int(s)) }

// String returns the word of the text form: "h2d", "launch".
func (k OpKind) String() string { return word(opWords[:], int(k)) }

// String returns the word of the text form: "warp".
func (f Fidelity) String() string { return word(fidelityWords[:], int(f)) }

// String returns the word of the text form: "data_loss".
func (s Severity) String() string { return word(severityWords[:], int(s)) }

// String returns the word of the text form: "readwrite".
func (m Mode) String() string { return word(modeWords[:], int(m)) }

// String returns the extent as the text form writes it: "8", "16x2", "4x4x4".
func (d Dim3) String() string {
	switch {
	case d == Dim3{}:
		return "none"
	case d[1] == 1 && d[2] == 1:
		return fmt.Sprintf("%d", d[0])
	case d[2] == 1:
		return fmt.Sprintf("%dx%d", d[0], d[1])
	}
	return fmt.Sprintf("%dx%dx%d", d[0], d[1], d[2])
}

// String returns the register as SASS writes it: "R4", "UR2", "P0", "UP1".
func (r Reg) String() string {
	n := r & 0xff
	switch r &^ 0xff {
	case RegGeneral:
		return fmt.Sprintf("R%d", n)
	case RegUniform:
		return fmt.Sprintf("UR%d", n)
	case RegPredicate:
		return fmt.Sprintf("P%d", n)
	case RegUniformPredicate:
		return fmt.Sprintf("UP%d", n)
	}
	return fmt.Sprintf("reg%d", uint16(r))
}

func word(words []string, i int) string {
	if i < len(words) {
		return words[i]
	}
	return fmt.Sprintf("unknown%d", i)
}

// wordIndex returns the index of s in words, or -1.
func wordIndex(words []string, s string) int {
	for i, w := range words {
		if w == s {
			return i
		}
	}
	return -1
}

// flagNames lists the words of the set bits, each after a blank.
func flagNames(words []string, flags uint8) string {
	var b strings.Builder
	for i, w := range words {
		if flags>>i&1 != 0 {
			b.WriteString(" " + w)
		}
	}
	return b.String()
}
