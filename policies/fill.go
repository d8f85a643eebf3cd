package policies

import "gpureplay/model"

func init() {
	CTASchedulers.Register(Option[model.CTAScheduler]{
		Name: "fill", Title: "CTAs of the oldest kernel first, one SM filled after another",
		Source: "CRCS/PPCS paper, section 4.4 (first n CTAs on SM 0, the next n on SM 1)",
		New:    func(Args) (model.CTAScheduler, error) { return &fill{}, nil },
	})
}

// fill is first come, first served, and fills an SM before it goes to the next.
type fill struct {
	next   int    // SM that is looked at first
	sm     int    // that is being filled
	kernel uint64 // with the kernel of this program order
	quota  uint64 // CTAs that it still gets
}

func (f *fill) Place(v *model.CTAView) (kernel, sm int, ok bool) {
	if f.quota > 0 && v.Kernels[0].Order == f.kernel && v.Fits(0, f.sm) {
		f.quota--
		return 0, f.sm, true
	}
	// the SM is full: when it has room again it is one among others
	f.quota = 0
	for _, idle := range []bool{true, false} { // an empty SM first
		n := v.SMs()
		for i := range n {
			if sm = f.next + i; sm >= n {
				sm -= n
			}
			if takes(v, 0, sm, idle) {
				if f.next = sm + 1; f.next == n {
					f.next = 0
				}
				f.sm, f.kernel, f.quota = sm, v.Kernels[0].Order, filling(v, 0, idle)-1
				return 0, sm, true
			}
		}
	}
	return 0, 0, false
}

// takes reports whether kernel k may have SM sm, or, idle, have it whole.
func takes(v *model.CTAView, k, sm int, idle bool) bool {
	return v.Fits(k, sm) && (!idle || v.Resident(sm) == 0)
}

// filling is how many CTAs fill an SM, if it has places for them: the CTAs of kernel k over the SMs that it may
// take now. So a kernel with fewer CTAs than the GPU has places is spread and not packed.
func filling(v *model.CTAView, k int, idle bool) uint64 {
	sms := uint64(0)
	for sm := range v.SMs() {
		if takes(v, k, sm, idle) {
			sms++
		}
	}
	return (v.Kernels[k].Left + sms - 1) / sms
}
