package audit

import (
	"testing"

	"gpureplay/model"
	"gpureplay/model/hardware"
)

// barrierTrace has two warps that meet twice, one of them late, and a third that
// has exited before.
const barrierTrace = `
launch k grid=2 block=96
cta 0..1
 warp 0
  int R1
  int R2 <- R1
  barrier
  int R2 <- R2
  barrier
  exit
 warp 1
  int R1 <- R1 x40
  barrier
  int R3
  barrier
  exit
 warp 2
  exit
`

// Wrong issues of a warp are found, one fault at a time.
func TestAuditorFindsWrongIssue(t *testing.T) {
	type T = testing.T
	type C = hardware.Config
	type S = model.Summary
	// find returns the n-th instruction that a warp of CTA 0 issues.
	find := func(t *T, x *tape, warp uint32, n int) int {
		for i := range x.notes {
			if e := &x.notes[i]; e.what == "inst" && e.inst.CTA == 0 && e.inst.Warp == warp {
				if n == 0 {
					return i
				}
				n--
			}
		}
		t.Fatalf("warp %d issues less", warp)
		return 0
	}
	check(t, barrierTrace, "hyperq", map[string]fault{
		"an instruction before its operands": {"operands", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[find(t, x, 0, 1)].inst.Issue = x.notes[find(t, x, 0, 0)].inst.Done - 1
		}},
		"a result that comes later than it is used": {"operands", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[find(t, x, 1, 7)].inst.Done++
		}},
		"a warp that does not wait for the late one": {"barrier", func(t *T, x *tape, _ *C, _ *S) {
			x.move(find(t, x, 0, 3), find(t, x, 1, 9))
		}},
		"two warps in one place": {"sm-limits", func(t *T, x *tape, _ *C, _ *S) {
			x.notes[find(t, x, 0, 1)].inst.Slot = x.notes[find(t, x, 1, 0)].inst.Slot
		}},
		"an instruction lost": {"path", func(t *T, x *tape, _ *C, _ *S) { x.drop(find(t, x, 1, 4)) }},
		"the last one lost":   {"path", func(t *T, x *tape, _ *C, _ *S) { x.drop(find(t, x, 2, 0)) }},
		"an instruction twice": {"path", func(t *T, x *tape, _ *C, _ *S) {
			x.notes = append(x.notes[:find(t, x, 0, 2)+1], x.notes[find(t, x, 0, 2):]...)
		}},
	})
}
