package policies

import "gpureplay/model"

func init() {
	CTASchedulers.Register(Option[model.CTAScheduler]{
		Name: "fifo", Title: "CTAs of the oldest kernel first, round robin over the SMs with room",
		Source: "DTBL paper, sections 2.2 and 2.3 (baseline)",
		New:    func(Args) (model.CTAScheduler, error) { return &fifo{}, nil },
	})
}

// fifo gives the CTAs of the first kernel of the distributor; the next kernel's
// come only when the first has none left to give.
type fifo struct{ next int }

func (f *fifo) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	sm, ok = f.sm(v, 0)
	return 0, sm, ok
}

// sm returns the next SM with room for a CTA of kernel k.
func (f *fifo) sm(v *model.CTAView, k int) (sm int, ok bool) {
	n := v.SMs()
	for i := range n {
		if sm = f.next + i; sm >= n {
			sm -= n
		}
		if v.Fits(k, sm) {
			if f.next = sm + 1; f.next == n {
				f.next = 0
			}
			return sm, true
		}
	}
	return 0, false
}

// Turn and SetTurn make it a [model.RoundRobin].
func (f *fifo) Turn() int { return f.next }

// SetTurn sets the SM that is probed first.
func (f *fifo) SetTurn(sm int) { f.next = sm }
