package policies

import "gpureplay/model"

func init() {
	ctas.register(Option[model.CTAScheduler]{
		Name: "fill", Title: "CTAs of the oldest kernel first, one SM filled after another",
		Source: "CRCS/PPCS paper, section 4.4 (first n CTAs on SM 0, the next n on SM 1)",
		New:    func(Args) (model.CTAScheduler, error) { return &fill{}, nil },
	})
}

// fill is first come, first served, and fills an SM before it goes to the next.
type fill struct{ sm int }

func (f *fill) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	n := v.SMs()
	for i := range n {
		if sm = f.sm + i; sm >= n {
			sm -= n
		}
		if v.Fits(0, sm) {
			f.sm = sm
			return 0, sm, true
		}
	}
	return 0, 0, false
}
