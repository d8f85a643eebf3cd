package behaviour

import (
	"fmt"
	"testing"

	"gpureplay/convert/sass"
	"gpureplay/samples/samplestest"
	"gpureplay/trace"
)

// settings are a kind's settings for the least compute capability that has it, or the greater of the two that
// references have.
func settings(kind string, least, seed int) []string {
	return []string{"kind=" + kind, fmt.Sprint("sm=", max(least, 70)), fmt.Sprint("seed=", seed)}
}

// Every kind's traces are sound and the same each time, hold no more than they
// are to, and differ from seed to seed.
func TestEveryKind(t *testing.T) {
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			seen := map[int]bool{}
			for seed := range 6 {
				s := settings(b.name, b.least, seed)
				r := samplestest.Generate(t, "behaviour", s...)
				r.Check(t)
				n := 0
				for k := range r.Kernels {
					for _, c := range r.Classes(k) {
						n += c
					}
				}
				if n > 24000 || n < 20 {
					t.Errorf("seed %d: %d warp instructions", seed, n)
				}
				seen[n] = true
				if seed == 0 {
					samplestest.Same(t, "behaviour", s...)
				}
			}
			if len(seen) < 4 {
				t.Errorf("six seeds give %d different numbers of instructions", len(seen))
			}
		})
	}
}

// A program's instructions have the classes that a reader of captures derives from their names, and no instruction
// has a register that a capture would lose.
func TestInstructionsAreThoseOfTheirNames(t *testing.T) {
	for _, b := range behaviours {
		for seed := range 6 {
			r := samplestest.Generate(t, "behaviour", settings(b.name, b.least, seed)...)
			for _, f := range r.Functions {
				for _, in := range f.Insts {
					op := sass.Classify(in.Opcode)
					if in.Width > 0 && op.Width != in.Width || op.Class != in.Class || op.Space != in.Space || op.Flags != in.Flags {
						t.Errorf("%s: %+v, by its name %+v", b.name, in, op)
					}
					if len(in.Dst) > 1 || len(in.Src) > 4 {
						t.Errorf("%s: %s has registers %v, %v", b.name, in.Opcode, in.Dst, in.Src)
					}
					for _, reg := range append(in.Dst, in.Src...) {
						if reg >= trace.RegUniform {
							t.Errorf("%s: %s has register %v", b.name, in.Opcode, reg)
						}
					}
				}
			}
		}
	}
}
