package trace

import (
	"fmt"

	"gpureplay/trace/internal/words"
)

// There are as many words as values.
var (
	_ [NumClasses]string = words.Class
	_ [NumSpaces]string  = words.Space
	_ [NumOpKinds]string = words.Op
	_ [NumPorts]string   = words.Port
)

// String returns the word of the text form: "int", "memory".
func (c Class) String() string { return word(words.Class[:], int(c)) }

// String returns the word of the text form: "global".
func (s Space) String() string { return word(words.Space[:], int(s)) }

// String returns the word of the text form: "h2d", "launch".
func (k OpKind) String() string { return word(words.Op[:], int(k)) }

// String returns the word of the text form: "programmatic".
func (p Port) String() string { return word(words.Port[:], int(p)) }

// String returns the word of the text form: "warp".
func (f Fidelity) String() string { return word(words.Fidelity[:], int(f)) }

// String returns the word of the text form: "data_loss".
func (s Severity) String() string { return word(words.Severity[:], int(s)) }

// String returns the word of the text form: "readwrite".
func (m Mode) String() string { return word(words.Mode[:], int(m)) }

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

func word(list []string, i int) string {
	if i < len(list) {
		return list[i]
	}
	return fmt.Sprintf("unknown%d", i)
}
